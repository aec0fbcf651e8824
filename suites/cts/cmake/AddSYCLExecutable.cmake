# SYCL-CTS takes only implementations that it lists. This stands before its module of the same name
# on the module path, and hands that one on with Plumbline in the list.
file(READ "${PROJECT_SOURCE_DIR}/cmake/AddSYCLExecutable.cmake" module)
string(REPLACE "set (KNOWN_SYCL_IMPLEMENTATIONS \"" "set (KNOWN_SYCL_IMPLEMENTATIONS \"Plumbline;"
       module "${module}")
file(WRITE "${PROJECT_BINARY_DIR}/cmake/AddSYCLExecutable.cmake" "${module}")
include("${PROJECT_BINARY_DIR}/cmake/AddSYCLExecutable.cmake")
