//===- sycl_span.hpp - span under DPC++'s name
#pragma once

#include <sycl/span.hpp>
