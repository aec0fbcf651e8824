//===- specialization_id.hpp - specialization constants under DPC++'s name
#pragma once

#include <sycl/kernel_handler.hpp>
