//===- accessor_image.hpp - accessors of images under DPC++'s name
#pragma once

#include <sycl/sycl.hpp>
