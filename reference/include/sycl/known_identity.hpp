//===- known_identity.hpp - identities of operations under DPC++'s name
#pragma once

#include <sycl/functional.hpp>
