//===- sampler.hpp - samplers under DPC++'s name
#pragma once

#include <sycl/sycl.hpp>
