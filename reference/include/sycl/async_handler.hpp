//===- async_handler.hpp - handlers of asynchronous errors under DPC++'s name
#pragma once

#include <sycl/exception.hpp>
