//===- sycl.hpp - the SYCL 2020 interface ---------------------------------------------------===//
#pragma once

#if __cplusplus < 201703L
#error "SYCL 2020 is of C++17: compile with -std=c++17 or later"
#else

#include <sycl/__spirv/spirv_ops.hpp>
#include <sycl/atomic.hpp>
#include <sycl/backend/opencl.hpp>
#include <sycl/bit_cast.hpp>
#include <sycl/detail/c_math.hpp>
#include <sycl/ext/hints.hpp>
#include <sycl/ext/intel/device_info.hpp>
#include <sycl/ext/intel/experimental/grf_size_properties.hpp>
#include <sycl/ext/intel/experimental/kernel_execution_properties.hpp>
#include <sycl/ext/intel/experimental/maximum_registers_properties.hpp>
#include <sycl/ext/intel/usm_pointers.hpp>
#include <sycl/ext/oneapi/annotated_arg/annotated_arg.hpp>
#include <sycl/ext/oneapi/atomic_accessor.hpp>
#include <sycl/ext/oneapi/backend/level_zero.hpp>
#include <sycl/ext/oneapi/bfloat16.hpp>
#include <sycl/ext/oneapi/bindless_images.hpp>
#include <sycl/ext/oneapi/experimental/address_cast.hpp>
#include <sycl/ext/oneapi/experimental/annotated_ptr/annotated_ptr.hpp>
#include <sycl/ext/oneapi/experimental/auto_local_range.hpp>
#include <sycl/ext/oneapi/experimental/ballot_group.hpp>
#include <sycl/ext/oneapi/experimental/bfloat16_math.hpp>
#include <sycl/ext/oneapi/experimental/builtins.hpp>
#include <sycl/ext/oneapi/experimental/chunk.hpp>
#include <sycl/ext/oneapi/experimental/clock.hpp>
#include <sycl/ext/oneapi/experimental/composite_device.hpp>
#include <sycl/ext/oneapi/experimental/current_device.hpp>
#include <sycl/ext/oneapi/experimental/device_architecture.hpp>
#include <sycl/ext/oneapi/experimental/enqueue_functions.hpp>
#include <sycl/ext/oneapi/experimental/event_mode_property.hpp>
#include <sycl/ext/oneapi/experimental/fixed_size_group.hpp>
#include <sycl/ext/oneapi/experimental/forward_progress.hpp>
#include <sycl/ext/oneapi/experimental/fragment.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/ext/oneapi/experimental/group_helpers_sorters.hpp>
#include <sycl/ext/oneapi/experimental/group_load_store.hpp>
#include <sycl/ext/oneapi/experimental/group_sort.hpp>
#include <sycl/ext/oneapi/experimental/opportunistic_group.hpp>
#include <sycl/ext/oneapi/experimental/prefetch.hpp>
#include <sycl/ext/oneapi/experimental/profiling_tag.hpp>
#include <sycl/ext/oneapi/experimental/raw_kernel_arg.hpp>
#include <sycl/ext/oneapi/experimental/reduction_properties.hpp>
#include <sycl/ext/oneapi/experimental/root_group.hpp>
#include <sycl/ext/oneapi/experimental/tangle_group.hpp>
#include <sycl/ext/oneapi/experimental/work_group_memory.hpp>
#include <sycl/ext/oneapi/filter_selector.hpp>
#include <sycl/ext/oneapi/free_function_queries.hpp>
#include <sycl/ext/oneapi/functional.hpp>
#include <sycl/ext/oneapi/get_kernel_info.hpp>
#include <sycl/ext/oneapi/kernel_properties/properties.hpp>
#include <sycl/ext/oneapi/matrix/matrix.hpp>
#include <sycl/ext/oneapi/sub_group.hpp>
#include <sycl/ext/oneapi/sub_group_mask.hpp>
#include <sycl/ext/oneapi/virtual_mem/virtual_mem.hpp>
#include <sycl/ext/oneapi/weak_object.hpp>
#include <sycl/feature_test.hpp>
#include <sycl/functional.hpp>
#include <sycl/group_algorithms.hpp>
#include <sycl/half.hpp>
#include <sycl/host_accessor.hpp>
#include <sycl/image_accessor.hpp>
#include <sycl/is_device_copyable.hpp>
#include <sycl/khr/dynamic_addrspace_cast.hpp>
#include <sycl/khr/free_function_commands.hpp>
#include <sycl/khr/group_interface.hpp>
#include <sycl/khr/max_work_group_queries.hpp>
#include <sycl/khr/static_addrspace_cast.hpp>
#include <sycl/khr/work_item_queries.hpp>
#include <sycl/legacy_atomic.hpp>
#include <sycl/legacy_image.hpp>
#include <sycl/marray.hpp>
#include <sycl/math.hpp>
#include <sycl/multi_ptr.hpp>
#include <sycl/opencl_types.hpp>
#include <sycl/queue.hpp>
#include <sycl/reduction.hpp>
#include <sycl/stream.hpp>
#include <sycl/usm.hpp>
#include <sycl/vec.hpp>
#include <sycl/version.hpp>

// What upstream's compiler has nothing for.
#ifndef PLSYCL_UPSTREAM
#include <sycl/ext/oneapi/device_global/device_global.hpp>
#include <sycl/ext/oneapi/group_local_memory.hpp>
#include <sycl/ext/oneapi/work_group_scratch_memory.hpp>
#include <sycl/ext/oneapi/work_group_static.hpp>
#endif

// Programs written for DPC++ count on these from its headers.
#include <cassert>
#include <climits>
#include <numeric>
#include <sstream>

#endif
