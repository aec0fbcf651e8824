//===- level_zero.hpp - objects of SYCL as Level Zero knows them ------------------------------===//
#pragma once

#include <sycl/backend.hpp>
