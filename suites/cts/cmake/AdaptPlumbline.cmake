# How SYCL-CTS builds with Plumbline. PLUMBLINE_TARGETS names device targets other than the default,
# PLUMBLINE_FLAGS what else the driver is to be told.
set(CMAKE_CXX_STANDARD 17)

set(plumbline_flags -fsycl -Wno-deprecated-declarations ${PLUMBLINE_FLAGS})
if(PLUMBLINE_TARGETS)
    list(APPEND plumbline_flags "-fsycl-targets=${PLUMBLINE_TARGETS}")
endif()

add_library(Plumbline::Runtime INTERFACE IMPORTED GLOBAL)
target_compile_options(Plumbline::Runtime INTERFACE ${plumbline_flags})
# Where SYCL-CTS asks which implementation it compiles with, it has to be one of its own list; by this
# name it leaves nothing out.
target_compile_definitions(Plumbline::Runtime INTERFACE SYCL_CTS_COMPILING_WITH_PROTOSYCL)
target_link_options(Plumbline::Runtime INTERFACE ${plumbline_flags})
add_library(SYCL::SYCL INTERFACE IMPORTED GLOBAL)
target_link_libraries(SYCL::SYCL INTERFACE Plumbline::Runtime)

function(add_sycl_to_target)
    cmake_parse_arguments(args "" "TARGET" "SOURCES" ${ARGN})
    target_link_libraries(${args_TARGET} PUBLIC Plumbline::Runtime)
endfunction()

# Compiles a category's sources once; the program has the options of its objects and theirs.
function(add_sycl_executable_implementation)
    cmake_parse_arguments(args "" "NAME;OBJECT_LIBRARY" "TESTS" ${ARGN})
    add_library(${args_OBJECT_LIBRARY} OBJECT ${args_TESTS})
    add_executable(${args_NAME} $<TARGET_OBJECTS:${args_OBJECT_LIBRARY}>)
    add_sycl_to_target(TARGET ${args_OBJECT_LIBRARY} SOURCES ${args_TESTS})
    add_sycl_to_target(TARGET ${args_NAME})
    foreach(property INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_FEATURES)
        set_property(TARGET ${args_OBJECT_LIBRARY} APPEND
                     PROPERTY ${property} $<TARGET_PROPERTY:${args_NAME},${property}>)
    endforeach()
endfunction()
