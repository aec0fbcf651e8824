//===- annotated_ptr.hpp - an earlier place of annotated_arg/annotated_ptr.hpp ---------------===//
#pragma once

#include <sycl/ext/oneapi/annotated_arg/annotated_ptr.hpp>
