//===- info.hpp - what platforms, devices and events can be asked ----------------------------===//
//
// Each descriptor names its result and, where the runtime answers it directly, the code of the
// question in the C interface.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/access.hpp>
#include <sycl/aspects.hpp>
#include <sycl/backend.hpp>
#include <sycl/id.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sycl {

class device;
class platform;
class context;

namespace info {

enum class device_type : std::uint32_t { cpu, gpu, accelerator, custom, automatic, host, all };
enum class event_command_status : std::int32_t { submitted, running, complete };
enum class fp_config : std::uint32_t {
  denorm,
  inf_nan,
  round_to_nearest,
  round_to_zero,
  round_to_inf,
  fma,
  correctly_rounded_divide_sqrt,
  soft_float,
};
enum class local_mem_type : int { none, local, global };
enum class global_mem_cache_type : int { none, read_only, read_write };
enum class execution_capability : unsigned { exec_kernel, exec_native_kernel };

} // namespace info

namespace detail {

/// A question whose answer is one value or a list of values of type `Type`.
template <typename Type, std::uint32_t Code> struct question {
  using return_type = Type;
  static constexpr std::uint32_t code = Code;
};

} // namespace detail

namespace info::platform {
struct name : sycl::detail::question<std::string, PLSYCL_PLATFORM_NAME> {};
struct vendor : sycl::detail::question<std::string, PLSYCL_PLATFORM_VENDOR> {};
struct version : sycl::detail::question<std::string, PLSYCL_PLATFORM_VERSION> {};
struct extensions : sycl::detail::question<std::vector<std::string>, PLSYCL_PLATFORM_EXTENSIONS> {};
} // namespace info::platform

namespace info::device {
using sycl::detail::question;
struct name : question<std::string, PLSYCL_DEVICE_NAME> {};
struct vendor : question<std::string, PLSYCL_DEVICE_VENDOR> {};
struct version : question<std::string, PLSYCL_DEVICE_VERSION> {};
struct driver_version : question<std::string, PLSYCL_DEVICE_DRIVER_VERSION> {};
struct extensions : question<std::vector<std::string>, PLSYCL_DEVICE_EXTENSIONS> {};
struct vendor_id : question<std::uint32_t, PLSYCL_DEVICE_VENDOR_ID> {};
struct device_type : question<info::device_type, PLSYCL_DEVICE_TYPE> {};
struct max_compute_units : question<std::uint32_t, PLSYCL_DEVICE_MAX_COMPUTE_UNITS> {};
struct max_work_group_size : question<std::size_t, PLSYCL_DEVICE_MAX_WORK_GROUP_SIZE> {};
struct max_work_item_dimensions {
  using return_type = std::uint32_t;
};
template <int Dimensions = 3>
struct max_work_item_sizes : question<id<Dimensions>, PLSYCL_DEVICE_MAX_WORK_ITEM_SIZES> {};
struct sub_group_sizes : question<std::vector<std::size_t>, PLSYCL_DEVICE_SUB_GROUP_SIZES> {};
struct max_num_sub_groups : question<std::uint32_t, PLSYCL_DEVICE_MAX_NUM_SUB_GROUPS> {};
struct global_mem_size : question<std::uint64_t, PLSYCL_DEVICE_GLOBAL_MEM_SIZE> {};
struct local_mem_size : question<std::uint64_t, PLSYCL_DEVICE_LOCAL_MEM_SIZE> {};
struct max_mem_alloc_size : question<std::uint64_t, PLSYCL_DEVICE_MAX_MEM_ALLOC_SIZE> {};
struct max_clock_frequency : question<std::uint32_t, PLSYCL_DEVICE_MAX_CLOCK_FREQUENCY> {};
struct address_bits : question<std::uint32_t, PLSYCL_DEVICE_ADDRESS_BITS> {};
struct is_available : question<bool, PLSYCL_DEVICE_AVAILABLE> {};
struct max_parameter_size : question<std::size_t, PLSYCL_DEVICE_MAX_PARAMETER_SIZE> {};
struct mem_base_addr_align : question<std::uint32_t, PLSYCL_DEVICE_MEM_BASE_ADDR_ALIGN> {};
struct global_mem_cache_line_size
    : question<std::uint32_t, PLSYCL_DEVICE_GLOBAL_MEM_CACHE_LINE_SIZE> {};
struct global_mem_cache_size : question<std::uint64_t, PLSYCL_DEVICE_GLOBAL_MEM_CACHE_SIZE> {};
struct half_fp_config : question<std::vector<fp_config>, PLSYCL_DEVICE_HALF_FP_CONFIG> {};
struct single_fp_config : question<std::vector<fp_config>, PLSYCL_DEVICE_SINGLE_FP_CONFIG> {};
struct double_fp_config : question<std::vector<fp_config>, PLSYCL_DEVICE_DOUBLE_FP_CONFIG> {};
struct atomic_memory_order_capabilities
    : question<std::vector<memory_order>, PLSYCL_DEVICE_ATOMIC_ORDERS> {};
struct atomic_memory_scope_capabilities
    : question<std::vector<memory_scope>, PLSYCL_DEVICE_ATOMIC_SCOPES> {};
struct platform {
  using return_type = sycl::platform;
};
struct aspects {
  using return_type = std::vector<aspect>;
};
} // namespace info::device

namespace info::context {
struct platform {
  using return_type = sycl::platform;
};
struct devices {
  using return_type = std::vector<sycl::device>;
};
} // namespace info::context

namespace info::queue {
struct context {
  using return_type = sycl::context;
};
struct device {
  using return_type = sycl::device;
};
} // namespace info::queue

namespace info::event {
struct command_execution_status {
  using return_type = event_command_status;
};
} // namespace info::event

namespace info::event_profiling {
using sycl::detail::question;
struct command_submit : question<std::uint64_t, PLSYCL_PROFILING_SUBMIT> {};
struct command_start : question<std::uint64_t, PLSYCL_PROFILING_START> {};
struct command_end : question<std::uint64_t, PLSYCL_PROFILING_END> {};
} // namespace info::event_profiling

namespace info::kernel_device_specific {
using sycl::detail::question;
struct work_group_size : question<std::size_t, PLSYCL_KERNEL_WORK_GROUP_SIZE> {};
struct preferred_work_group_size_multiple
    : question<std::size_t, PLSYCL_KERNEL_PREFERRED_MULTIPLE> {};
struct private_mem_size : question<std::size_t, PLSYCL_KERNEL_PRIVATE_MEM_SIZE> {};
} // namespace info::kernel_device_specific

} // namespace sycl
