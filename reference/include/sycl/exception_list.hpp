//===- exception_list.hpp - asynchronous errors under DPC++'s name
#pragma once

#include <sycl/exception.hpp>
