//===- memcpy2d.hpp - rows of USM (sycl_ext_oneapi_memcpy2d), which queues and handlers have --===//
#pragma once

#include <sycl/queue.hpp>
