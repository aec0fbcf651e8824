// Ends what arguments.hpp defines for the headers of built-in functions.
#undef PLSYCL_FUNCTION_1
#undef PLSYCL_FUNCTION_2
#undef PLSYCL_FUNCTION_3
#undef PLSYCL_NUMBERS_2
#undef PLSYCL_NUMBERS_3
#undef PLSYCL_REAL_FUNCTION_1
#undef PLSYCL_REAL_FUNCTION_2
#undef PLSYCL_REAL_FUNCTION_3
