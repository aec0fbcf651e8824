//===- platform.hpp - platforms under DPC++'s name
#pragma once

#include <sycl/device.hpp>
