//===- cuda.hpp - objects of SYCL as CUDA knows them, under DPC++'s name
#pragma once

#include <sycl/backend.hpp>
