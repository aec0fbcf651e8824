//===- annotated_arg.hpp - an earlier place of annotated_arg/annotated_arg.hpp ---------------===//
#pragma once

#include <sycl/ext/oneapi/annotated_arg/annotated_arg.hpp>
