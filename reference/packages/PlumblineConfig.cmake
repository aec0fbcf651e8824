# SYCL with Plumbline, for projects whose C++ compiler is its driver, sycl-clang++:
#
#   find_package(Plumbline REQUIRED)
#   add_executable(program main.cpp host.cpp)
#   add_sycl_to_target(TARGET program SOURCES main.cpp)
#
# SOURCES are those with kernels or SYCL's headers; without SOURCES all of the target's are. Linking
# SYCL::SYCL does the same for all sources, and for what links the target.
#
# Plumbline_TARGETS lists device targets other than the default, Plumbline_FLAGS what else the driver
# is told of device code, in compiling and linking.

get_filename_component(Plumbline_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(Plumbline_CXX_COMPILER "${Plumbline_PREFIX}/bin/sycl-clang++")

if(NOT CMAKE_CXX_COMPILER)
    set(Plumbline_FOUND FALSE)
    set(Plumbline_NOT_FOUND_MESSAGE "Plumbline is for C++: name CXX among the project's languages.")
    return()
endif()
get_filename_component(plumbline_own "${Plumbline_CXX_COMPILER}" REALPATH)
get_filename_component(plumbline_used "${CMAKE_CXX_COMPILER}" REALPATH)
if(NOT plumbline_own STREQUAL plumbline_used)
    set(Plumbline_FOUND FALSE)
    set(Plumbline_NOT_FOUND_MESSAGE
        "The project's C++ compiler is ${CMAKE_CXX_COMPILER}: configure it anew with -DCMAKE_CXX_COMPILER=${Plumbline_CXX_COMPILER}.")
    return()
endif()

set(plumbline_words -fsycl ${Plumbline_FLAGS})
if(Plumbline_TARGETS)
    string(REPLACE ";" "," plumbline_targets "${Plumbline_TARGETS}")
    list(APPEND plumbline_words "-fsycl-targets=${plumbline_targets}")
endif()
set(Plumbline_OPTIONS "${plumbline_words}" CACHE INTERNAL "What the driver is told of device code")

if(NOT TARGET SYCL::SYCL)
    add_library(SYCL::SYCL INTERFACE IMPORTED)
    target_compile_features(SYCL::SYCL INTERFACE cxx_std_17)
    target_compile_options(SYCL::SYCL INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${Plumbline_OPTIONS}>")
    target_link_options(SYCL::SYCL INTERFACE ${Plumbline_OPTIONS})
endif()

function(add_sycl_to_target)
    cmake_parse_arguments(PARSE_ARGV 0 given "" "TARGET" "SOURCES")
    if(NOT given_TARGET OR NOT TARGET "${given_TARGET}")
        message(FATAL_ERROR "add_sycl_to_target: TARGET has to name a target, and '${given_TARGET}' does not.")
    endif()
    if(given_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "add_sycl_to_target takes TARGET and SOURCES, not '${given_UNPARSED_ARGUMENTS}'.")
    endif()
    if(NOT given_SOURCES)
        target_link_libraries("${given_TARGET}" PUBLIC SYCL::SYCL)
        return()
    endif()
    # Device code of a static library is linked where the library is.
    target_compile_features("${given_TARGET}" PUBLIC cxx_std_17)
    target_link_options("${given_TARGET}" PUBLIC ${Plumbline_OPTIONS})
    set_property(SOURCE ${given_SOURCES} TARGET_DIRECTORY "${given_TARGET}"
                 APPEND PROPERTY COMPILE_OPTIONS ${Plumbline_OPTIONS})
endfunction()
