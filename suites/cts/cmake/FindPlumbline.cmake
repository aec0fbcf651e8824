# Finds the driver under Plumbline_ROOT, a tree that `cargo xtask install` made or
# `target/plumbline`, and has it compile and link everything from here on.
include(FindPackageHandleStandardArgs)
find_program(PLUMBLINE_CXX sycl-clang++ HINTS "${Plumbline_ROOT}" PATH_SUFFIXES bin)
find_package_handle_standard_args(Plumbline REQUIRED_VARS PLUMBLINE_CXX)

set(CMAKE_CXX_COMPILER "${PLUMBLINE_CXX}")
