# Plumbline under the name by which projects ask for DPC++:
#
#   find_package(IntelSYCL REQUIRED)
#   target_link_libraries(program PRIVATE IntelSYCL::SYCL_CXX)     # or add_sycl_to_target
#
# With the variables that DPC++'s package sets. SYCL_IMPLEMENTATION_ID says whose SYCL it is.

# What an earlier question came to is not what this one does.
unset(Plumbline_FOUND)
unset(Plumbline_NOT_FOUND_MESSAGE)
include("${CMAKE_CURRENT_LIST_DIR}/../Plumbline/PlumblineConfig.cmake")
if(DEFINED Plumbline_FOUND AND NOT Plumbline_FOUND)
    set(IntelSYCL_FOUND FALSE)
    set(IntelSYCL_NOT_FOUND_MESSAGE "${Plumbline_NOT_FOUND_MESSAGE}")
    return()
endif()

set(SYCL_IMPLEMENTATION_ID "PLUMBLINE")
set(SYCL_LANGUAGE_VERSION "202012")
set(SYCL_INCLUDE_DIR "${Plumbline_PREFIX}/include")
set(SYCL_LIBRARY_DIR "${Plumbline_PREFIX}/lib")
string(REPLACE ";" " " SYCL_FLAGS "${Plumbline_OPTIONS}")

if(NOT TARGET IntelSYCL::SYCL_CXX)
    add_library(IntelSYCL::SYCL_CXX INTERFACE IMPORTED)
    target_link_libraries(IntelSYCL::SYCL_CXX INTERFACE SYCL::SYCL)
endif()
