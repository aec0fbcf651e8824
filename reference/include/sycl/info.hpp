//===- info.hpp - what objects of SYCL can be asked (SYCL 2020, "Information descriptors") ---===//
//
// Each descriptor names its result and, where the runtime answers it directly, the code of the
// question in the C interface and which of the answer's numbers is meant.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/access.hpp>
#include <sycl/aspects.hpp>
#include <sycl/detail/backend_types.hpp>
#include <sycl/detail/config.hpp>
#include <sycl/detail/declared.hpp>
#include <sycl/id.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

PLSYCL_HOST_FILE

namespace sycl {

class kernel;
class kernel_id;

namespace info {

// The numbers are those of the C interface.
enum class device_type : std::uint32_t {
  cpu = 1,
  gpu = 2,
  accelerator = 3,
  custom = 4,
  automatic,
  host,
  all
};
enum class event_command_status : std::int32_t {
  submitted,
  running,
  complete,
  // DPC++'s, for events that another program made; none here is.
  ext_oneapi_unknown = -1
};
enum class partition_property : std::int32_t {
  no_partition,
  partition_equally,
  partition_by_counts,
  partition_by_affinity_domain,
  /// Compute slices of Intel's GPUs (sycl_ext_intel_cslice); no device is divided so.
  ext_intel_partition_by_cslice
};
enum class partition_affinity_domain : std::int32_t {
  not_applicable,
  numa,
  L4_cache,
  L3_cache,
  L2_cache,
  L1_cache,
  next_partitionable
};
// The places of OpenCL's bits.
enum class fp_config : std::uint32_t {
  denorm = 0,
  inf_nan = 1,
  round_to_nearest = 2,
  round_to_zero = 3,
  round_to_inf = 4,
  fma = 5,
  soft_float = 6,
  correctly_rounded_divide_sqrt = 7,
};
enum class local_mem_type : int { none, local, global };
enum class global_mem_cache_type : int { none, read_only, read_write };
enum class execution_capability : unsigned { exec_kernel, exec_native_kernel };

} // namespace info

namespace detail {

/// A question whose answer is one value or a list of values of type `Type`.
template <typename Type, std::uint32_t Code, std::size_t Place = 0> struct question {
  using return_type = Type;
  static constexpr std::uint32_t code = Code;
  static constexpr std::size_t place = Place;
};

/// What tells a device from all others.
using uuid_type = std::array<unsigned char, 16>;

/// A question that other answers decide.
template <typename Type> struct derived_question {
  using return_type = Type;
};

/// A question about another subject than a device; with no code, one that other answers decide.
template <typename Subject, typename Type, std::uint32_t Code = 0> struct question_about {
  using subject = Subject;
  using return_type = Type;
  static constexpr std::uint32_t code = Code;
};
// Subjects that are no objects of a class.
struct kernel_on_device;
struct profiled_command;

/// Whether the device has an aspect.
template <aspect Aspect> struct aspect_question {
  using return_type = bool;
  static constexpr aspect asked = Aspect;
};

template <typename Param, typename = void> struct subject_of {
  using type = device;
};
template <typename Param> struct subject_of<Param, std::void_t<typename Param::subject>> {
  using type = typename Param::subject;
};
/// The type of the answer to a question about one of these subjects; none to a question about
/// another.
template <typename Param, typename... Subjects>
using answer_about =
    std::enable_if_t<(std::is_same_v<typename subject_of<Param>::type, Subjects> || ...),
                     typename Param::return_type>;
/// The same of what a backend answers.
template <typename Param> using answer_of_backend = answer_about<Param, device, platform>;

} // namespace detail

namespace info::platform {
template <typename Type, std::uint32_t Code = 0>
using question = sycl::detail::question_about<sycl::platform, Type, Code>;

struct name : question<std::string, PLSYCL_PLATFORM_NAME> {};
struct vendor : question<std::string, PLSYCL_PLATFORM_VENDOR> {};
struct version : question<std::string, PLSYCL_PLATFORM_VERSION> {};
struct extensions : question<std::vector<std::string>, PLSYCL_PLATFORM_EXTENSIONS> {};
/// SYCL 1.2.1's: what its devices say.
struct profile : question<std::string> {};
} // namespace info::platform

namespace info::device {
using sycl::detail::aspect_question;
using sycl::detail::derived_question;
using sycl::detail::question;

struct name : question<std::string, PLSYCL_DEVICE_NAME> {};
struct vendor : question<std::string, PLSYCL_DEVICE_VENDOR> {};
struct version : question<std::string, PLSYCL_DEVICE_VERSION> {};
struct driver_version : question<std::string, PLSYCL_DEVICE_DRIVER_VERSION> {};
struct backend_version : question<std::string, PLSYCL_DEVICE_BACKEND_VERSION> {};
struct profile : question<std::string, PLSYCL_DEVICE_PROFILE> {};
/// SYCL 1.2.1's, of devices of OpenCL.
struct opencl_c_version : question<std::string, PLSYCL_DEVICE_OPENCL_C_VERSION> {};
struct extensions : question<std::vector<std::string>, PLSYCL_DEVICE_EXTENSIONS> {};
struct vendor_id : question<std::uint32_t, PLSYCL_DEVICE_VENDOR_ID> {};
struct device_type : question<info::device_type, PLSYCL_DEVICE_TYPE> {};
struct max_compute_units : question<std::uint32_t, PLSYCL_DEVICE_MAX_COMPUTE_UNITS> {};
struct max_work_group_size : question<std::size_t, PLSYCL_DEVICE_MAX_WORK_GROUP_SIZE> {};
struct max_work_item_dimensions : derived_question<std::uint32_t> {};
template <int Dimensions = 3>
struct max_work_item_sizes : question<range<Dimensions>, PLSYCL_DEVICE_MAX_WORK_ITEM_SIZES> {};
struct sub_group_sizes : question<std::vector<std::size_t>, PLSYCL_DEVICE_SUB_GROUP_SIZES> {};
struct max_num_sub_groups : question<std::uint32_t, PLSYCL_DEVICE_MAX_NUM_SUB_GROUPS> {};
struct sub_group_independent_forward_progress : derived_question<bool> {};

// Vector widths: char, short, int, long, float, double, half.
#define PLSYCL_VECTOR_WIDTH(TYPE, PLACE)                                                           \
  struct preferred_vector_width_##TYPE                                                             \
      : question<std::uint32_t, PLSYCL_DEVICE_PREFERRED_VECTOR_WIDTHS, PLACE> {};                  \
  struct native_vector_width_##TYPE                                                                \
      : question<std::uint32_t, PLSYCL_DEVICE_NATIVE_VECTOR_WIDTHS, PLACE> {};
PLSYCL_VECTOR_WIDTH(char, 0)
PLSYCL_VECTOR_WIDTH(short, 1)
PLSYCL_VECTOR_WIDTH(int, 2)
PLSYCL_VECTOR_WIDTH(long, 3)
PLSYCL_VECTOR_WIDTH(long_long, 3)
PLSYCL_VECTOR_WIDTH(float, 4)
PLSYCL_VECTOR_WIDTH(double, 5)
PLSYCL_VECTOR_WIDTH(half, 6)
#undef PLSYCL_VECTOR_WIDTH

struct image_support : aspect_question<aspect::image> {};
/// DPC++'s; an aspect says it.
struct atomic64 : aspect_question<aspect::atomic64> {};
struct max_read_image_args : question<std::uint32_t, PLSYCL_DEVICE_IMAGE_LIMITS, 0> {};
struct max_write_image_args : question<std::uint32_t, PLSYCL_DEVICE_IMAGE_LIMITS, 1> {};
struct max_samplers : question<std::uint32_t, PLSYCL_DEVICE_IMAGE_LIMITS, 2> {};
struct image2d_max_width : question<std::size_t, PLSYCL_DEVICE_IMAGE_LIMITS, 3> {};
struct image2d_max_height : question<std::size_t, PLSYCL_DEVICE_IMAGE_LIMITS, 4> {};
struct image3d_max_width : question<std::size_t, PLSYCL_DEVICE_IMAGE_LIMITS, 5> {};
struct image3d_max_height : question<std::size_t, PLSYCL_DEVICE_IMAGE_LIMITS, 6> {};
struct image3d_max_depth : question<std::size_t, PLSYCL_DEVICE_IMAGE_LIMITS, 7> {};
struct image_max_buffer_size : question<std::size_t, PLSYCL_DEVICE_IMAGE_LIMITS, 8> {};
struct image_max_array_size : question<std::size_t, PLSYCL_DEVICE_IMAGE_LIMITS, 9> {};

struct global_mem_size : question<std::uint64_t, PLSYCL_DEVICE_GLOBAL_MEM_SIZE> {};
struct global_mem_cache_type
    : question<info::global_mem_cache_type, PLSYCL_DEVICE_GLOBAL_MEM_CACHE_TYPE> {};
struct global_mem_cache_line_size
    : question<std::uint32_t, PLSYCL_DEVICE_GLOBAL_MEM_CACHE_LINE_SIZE> {};
struct global_mem_cache_size : question<std::uint64_t, PLSYCL_DEVICE_GLOBAL_MEM_CACHE_SIZE> {};
struct local_mem_type : question<info::local_mem_type, PLSYCL_DEVICE_LOCAL_MEM_TYPE> {};
struct local_mem_size : question<std::uint64_t, PLSYCL_DEVICE_LOCAL_MEM_SIZE> {};
struct max_mem_alloc_size : question<std::uint64_t, PLSYCL_DEVICE_MAX_MEM_ALLOC_SIZE> {};
struct max_constant_buffer_size : question<std::uint64_t, PLSYCL_DEVICE_MAX_CONSTANT_BUFFER_SIZE> {
};
struct max_constant_args : question<std::uint32_t, PLSYCL_DEVICE_MAX_CONSTANT_ARGS> {};
struct max_parameter_size : question<std::size_t, PLSYCL_DEVICE_MAX_PARAMETER_SIZE> {};
struct mem_base_addr_align : question<std::uint32_t, PLSYCL_DEVICE_MEM_BASE_ADDR_ALIGN> {};
struct error_correction_support : question<bool, PLSYCL_DEVICE_ERROR_CORRECTION> {};
struct host_unified_memory : question<bool, PLSYCL_DEVICE_HOST_UNIFIED_MEMORY> {};

struct max_clock_frequency : question<std::uint32_t, PLSYCL_DEVICE_MAX_CLOCK_FREQUENCY> {};
struct address_bits : question<std::uint32_t, PLSYCL_DEVICE_ADDRESS_BITS> {};
struct is_available : question<bool, PLSYCL_DEVICE_AVAILABLE> {};
struct is_endian_little : question<bool, PLSYCL_DEVICE_ENDIAN_LITTLE> {};
struct is_compiler_available : aspect_question<aspect::online_compiler> {};
struct is_linker_available : aspect_question<aspect::online_linker> {};
struct queue_profiling : aspect_question<aspect::queue_profiling> {};
struct profiling_timer_resolution
    : question<std::size_t, PLSYCL_DEVICE_PROFILING_TIMER_RESOLUTION> {};
struct execution_capabilities
    : question<std::vector<execution_capability>, PLSYCL_DEVICE_EXECUTION_CAPABILITIES> {};
struct printf_buffer_size : question<std::size_t, PLSYCL_DEVICE_PRINTF_BUFFER_SIZE> {};
struct preferred_interop_user_sync : question<bool, PLSYCL_DEVICE_PREFERRED_INTEROP_USER_SYNC> {};
struct reference_count : derived_question<std::uint32_t> {};

struct usm_device_allocations : aspect_question<aspect::usm_device_allocations> {};
struct usm_host_allocations : aspect_question<aspect::usm_host_allocations> {};
struct usm_shared_allocations : aspect_question<aspect::usm_shared_allocations> {};
struct usm_restricted_shared_allocations : aspect_question<aspect::usm_shared_allocations> {};
struct usm_system_allocations : aspect_question<aspect::usm_system_allocations> {};

struct half_fp_config : question<std::vector<fp_config>, PLSYCL_DEVICE_HALF_FP_CONFIG> {};
struct single_fp_config : question<std::vector<fp_config>, PLSYCL_DEVICE_SINGLE_FP_CONFIG> {};
struct double_fp_config : question<std::vector<fp_config>, PLSYCL_DEVICE_DOUBLE_FP_CONFIG> {};
struct atomic_memory_order_capabilities
    : question<std::vector<memory_order>, PLSYCL_DEVICE_ATOMIC_ORDERS> {};
struct atomic_memory_scope_capabilities
    : question<std::vector<memory_scope>, PLSYCL_DEVICE_ATOMIC_SCOPES> {};
struct atomic_fence_order_capabilities : atomic_memory_order_capabilities {};
struct atomic_fence_scope_capabilities
    : question<std::vector<memory_scope>, PLSYCL_DEVICE_ATOMIC_SCOPES, 1> {};

struct platform : derived_question<sycl::platform> {};
struct aspects : derived_question<std::vector<aspect>> {};
struct built_in_kernels : derived_question<std::vector<std::string>> {};
struct built_in_kernel_ids : derived_question<std::vector<kernel_id>> {};

struct parent_device : derived_question<sycl::device> {};
struct partition_max_sub_devices : question<std::uint32_t, PLSYCL_DEVICE_PARTITION_MAX> {};
struct partition_properties
    : question<std::vector<partition_property>, PLSYCL_DEVICE_PARTITION_PROPERTIES> {};
struct partition_affinity_domains
    : question<std::vector<partition_affinity_domain>, PLSYCL_DEVICE_PARTITION_DOMAINS> {};
struct partition_type_property : derived_question<partition_property> {};
struct partition_type_affinity_domain
    : question<partition_affinity_domain, PLSYCL_DEVICE_PARTITION_DOMAIN> {};
} // namespace info::device

/// What runs work-groups, as DPC++ counts it (sycl_ext_oneapi_num_compute_units).
namespace ext::oneapi::info::device {
struct num_compute_units : sycl::detail::question<std::size_t, PLSYCL_DEVICE_MAX_COMPUTE_UNITS> {};
} // namespace ext::oneapi::info::device

namespace info::context {
template <typename Type, std::uint32_t Code = 0>
using question = sycl::detail::question_about<sycl::context, Type, Code>;

struct platform : question<sycl::platform> {};
struct devices : question<std::vector<sycl::device>> {};
struct reference_count : question<std::uint32_t> {};
// What all devices of the context can do.
struct atomic_memory_order_capabilities : question<std::vector<memory_order>> {
  using of_device = info::device::atomic_memory_order_capabilities;
};
struct atomic_fence_order_capabilities : atomic_memory_order_capabilities {};
struct atomic_memory_scope_capabilities : question<std::vector<memory_scope>> {
  using of_device = info::device::atomic_memory_scope_capabilities;
};
struct atomic_fence_scope_capabilities : question<std::vector<memory_scope>> {
  using of_device = info::device::atomic_fence_scope_capabilities;
};
} // namespace info::context

namespace info::queue {
template <typename Type, std::uint32_t Code = 0>
using question = sycl::detail::question_about<sycl::queue, Type, Code>;

struct context : question<sycl::context> {};
struct device : question<sycl::device> {};
struct reference_count : question<std::uint32_t> {};
} // namespace info::queue

namespace info::event {
template <typename Type, std::uint32_t Code = 0>
using question = sycl::detail::question_about<sycl::event, Type, Code>;

struct command_execution_status : question<event_command_status> {};
struct reference_count : question<std::uint32_t> {};
} // namespace info::event

namespace info::event_profiling {
template <typename Type, std::uint32_t Code = 0>
using question = sycl::detail::question_about<sycl::detail::profiled_command, Type, Code>;

struct command_submit : question<std::uint64_t, PLSYCL_PROFILING_SUBMIT> {};
struct command_start : question<std::uint64_t, PLSYCL_PROFILING_START> {};
struct command_end : question<std::uint64_t, PLSYCL_PROFILING_END> {};
} // namespace info::event_profiling

namespace info::kernel {
template <typename Type, std::uint32_t Code = 0>
using question = sycl::detail::question_about<sycl::kernel, Type, Code>;

struct num_args : question<std::uint32_t> {};
struct attributes : question<std::string> {};
struct function_name : question<std::string> {};
struct reference_count : question<std::uint32_t> {};
struct context : question<sycl::context> {};
} // namespace info::kernel

namespace info::kernel_device_specific {
template <typename Type, std::uint32_t Code = 0>
using question = sycl::detail::question_about<sycl::detail::kernel_on_device, Type, Code>;

struct global_work_size : question<range<3>> {};
struct work_group_size : question<std::size_t, PLSYCL_KERNEL_WORK_GROUP_SIZE> {};
struct compile_work_group_size : question<range<3>> {};
struct preferred_work_group_size_multiple
    : question<std::size_t, PLSYCL_KERNEL_PREFERRED_MULTIPLE> {};
struct private_mem_size : question<std::size_t, PLSYCL_KERNEL_PRIVATE_MEM_SIZE> {};
struct max_num_sub_groups : question<std::uint32_t, PLSYCL_KERNEL_MAX_NUM_SUB_GROUPS> {};
struct compile_num_sub_groups : question<std::uint32_t, PLSYCL_KERNEL_COMPILE_NUM_SUB_GROUPS> {};
struct max_sub_group_size : question<std::uint32_t, PLSYCL_KERNEL_MAX_SUB_GROUP_SIZE> {};
struct compile_sub_group_size : question<std::uint32_t, PLSYCL_KERNEL_COMPILE_SUB_GROUP_SIZE> {};
/// Registers of a work-item (DPC++); errc::feature_not_supported where the driver does not tell.
struct ext_codeplay_num_regs : question<std::uint32_t, PLSYCL_KERNEL_NUM_REGISTERS> {};
} // namespace info::kernel_device_specific

} // namespace sycl
