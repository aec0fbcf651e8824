//===- kernel_bundle_enums.hpp - states of bundles, under DPC++'s name
#pragma once

#include <sycl/kernel_bundle.hpp>
