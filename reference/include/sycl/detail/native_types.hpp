//===- native_types.hpp - what objects of SYCL are to drivers --------------------------------===//
#pragma once

#include <sycl/detail/backend_types.hpp>
#include <sycl/detail/declared.hpp>

#include <cstdint>
#include <type_traits>
#include <vector>

// As the drivers' own headers declare them.
struct _cl_command_buffer_khr;
struct _cl_command_queue;
struct _cl_context;
struct _cl_device_id;
struct _cl_event;
struct _cl_kernel;
struct _cl_mem;
struct _cl_platform_id;
struct _cl_program;
struct _cl_sampler;
struct _ze_command_list_handle_t;
struct _ze_command_queue_handle_t;
struct _ze_context_handle_t;
struct _ze_device_handle_t;
struct _ze_driver_handle_t;
struct _ze_event_handle_t;
struct _ze_image_handle_t;
struct _ze_kernel_handle_t;
struct _ze_module_handle_t;
struct CUctx_st;
struct CUevent_st;
struct CUfunc_st;
struct CUmod_st;
struct CUstream_st;

// The drivers' names, as their headers give them. Programs written for DPC++ have them from its
// sycl.hpp.
using cl_char = std::int8_t;
using cl_uchar = std::uint8_t;
using cl_short = std::int16_t;
using cl_ushort = std::uint16_t;
using cl_int = std::int32_t;
using cl_uint = std::uint32_t;
using cl_long = std::int64_t;
using cl_ulong = std::uint64_t;
using cl_half = std::uint16_t;
using cl_float = float;
using cl_double = double;
using cl_bool = cl_uint;
using cl_bitfield = cl_ulong;
using cl_command_queue = _cl_command_queue *;
using cl_context = _cl_context *;
using cl_device_id = _cl_device_id *;
using cl_event = _cl_event *;
using cl_kernel = _cl_kernel *;
using cl_mem = _cl_mem *;
using cl_platform_id = _cl_platform_id *;
using cl_program = _cl_program *;
using ze_command_list_handle_t = _ze_command_list_handle_t *;
using ze_command_queue_handle_t = _ze_command_queue_handle_t *;
using ze_context_handle_t = _ze_context_handle_t *;
using ze_device_handle_t = _ze_device_handle_t *;
using ze_driver_handle_t = _ze_driver_handle_t *;
using ze_event_handle_t = _ze_event_handle_t *;
using ze_image_handle_t = _ze_image_handle_t *;
using ze_kernel_handle_t = _ze_kernel_handle_t *;
using ze_module_handle_t = _ze_module_handle_t *;
using CUcontext = CUctx_st *;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUevent = CUevent_st *;
using CUfunction = CUfunc_st *;
using CUmodule = CUmod_st *;
using CUstream = CUstream_st *;

namespace sycl {

namespace ext::oneapi::experimental {
enum class graph_state;
template <graph_state State> class command_graph;
} // namespace ext::oneapi::experimental
class kernel;
enum class bundle_state : char;
template <bundle_state State> class kernel_bundle;
template <typename Type, int Dimensions, typename Allocator> class buffer;
template <int Dimensions, typename Allocator> class sampled_image;
template <int Dimensions, typename Allocator> class unsampled_image;

namespace detail {

/// What objects of SYCL are to a driver.
template <backend Backend> struct native_types;
template <> struct native_types<backend::opencl> {
  using queue = _cl_command_queue *;
  using context = _cl_context *;
  using device = _cl_device_id *;
  using platform = _cl_platform_id *;
  using memory = _cl_mem *;
  using program = _cl_program *;
  using kernel = _cl_kernel *;
  /// None for a command that the host ran.
  using event = std::vector<_cl_event *>;
  /// One for each image and device; one for each context.
  using kernel_bundle = std::vector<_cl_program *>;
  using buffer = std::vector<_cl_mem *>;
  using image = _cl_mem *;
  using graph = _cl_command_buffer_khr *;
};
template <> struct native_types<backend::ext_oneapi_level_zero> {
  using queue = _ze_command_list_handle_t *; // An immediate command list.
  using context = _ze_context_handle_t *;
  using device = _ze_device_handle_t *;
  using platform = _ze_driver_handle_t *;
  using memory = void *;
  using program = _ze_module_handle_t *;
  using kernel = _ze_kernel_handle_t *;
  using event = _ze_event_handle_t *;
  using kernel_bundle = std::vector<_ze_module_handle_t *>;
  using buffer = void *;
  using graph = _ze_command_list_handle_t *;
};
/// A context is the primary one of its device. As with DPC++, the context and the memory of a
/// buffer have other types where programs define SYCL_EXT_ONEAPI_BACKEND_CUDA_EXPERIMENTAL.
template <> struct native_types<backend::ext_oneapi_cuda> {
  using queue = CUstream_st *;
#ifdef SYCL_EXT_ONEAPI_BACKEND_CUDA_EXPERIMENTAL
  using context = std::vector<CUctx_st *>;
#else
  using context = CUctx_st *;
#endif
  using device = int;
  using platform = std::vector<int>;
  using memory = unsigned long long;
  using program = CUmod_st *;
  using kernel = CUfunc_st *;
  /// The program's as long as it has the event.
  using event = CUevent_st *;
  using kernel_bundle = std::vector<CUmod_st *>;
  using buffer = unsigned long long;
};

template <backend Backend, typename Type> struct native_type;
template <backend Backend> struct native_type<Backend, sycl::queue> {
  using type = typename native_types<Backend>::queue;
};
template <backend Backend> struct native_type<Backend, context> {
  using type = typename native_types<Backend>::context;
};
template <backend Backend> struct native_type<Backend, device> {
  using type = typename native_types<Backend>::device;
};
template <backend Backend> struct native_type<Backend, platform> {
  using type = typename native_types<Backend>::platform;
};
template <backend Backend> struct native_type<Backend, kernel> {
  using type = typename native_types<Backend>::kernel;
};
template <backend Backend> struct native_type<Backend, event> {
  using type = typename native_types<Backend>::event;
};
template <backend Backend, bundle_state State> struct native_type<Backend, kernel_bundle<State>> {
  using type = typename native_types<Backend>::kernel_bundle;
};
template <backend Backend, typename Type, int Dimensions, typename Allocator>
struct native_type<Backend, buffer<Type, Dimensions, Allocator>> {
  using type = typename native_types<Backend>::buffer;
};
#ifdef SYCL_EXT_ONEAPI_BACKEND_CUDA_EXPERIMENTAL
template <typename Type, int Dimensions, typename Allocator>
struct native_type<backend::ext_oneapi_cuda, buffer<Type, Dimensions, Allocator>> {
  using type = Type *;
};
#endif
template <backend Backend, ext::oneapi::experimental::graph_state State>
struct native_type<Backend, ext::oneapi::experimental::command_graph<State>> {
  using type = typename native_types<Backend>::graph;
};

/// What programs make objects of, where that is not what they get of them.
template <backend Backend, typename Type> struct native_input : native_type<Backend, Type> {};
template <backend Backend, bundle_state State> struct native_input<Backend, kernel_bundle<State>> {
  using type = typename native_types<Backend>::program;
};
template <backend Backend, typename Type, int Dimensions, typename Allocator>
struct native_input<Backend, buffer<Type, Dimensions, Allocator>> {
  using type = typename native_types<Backend>::memory;
};
template <> struct native_input<backend::ext_oneapi_cuda, context> {
  using type = CUctx_st *;
};
template <backend Backend, int Dimensions, typename Allocator>
struct native_input<Backend, sampled_image<Dimensions, Allocator>> {
  using type = typename native_types<Backend>::image;
};
template <backend Backend, int Dimensions, typename Allocator>
struct native_input<Backend, unsampled_image<Dimensions, Allocator>> {
  using type = typename native_types<Backend>::image;
};

/// Whether a type is one of several handles.
template <typename Native> struct is_several : std::false_type {};
template <typename Native> struct is_several<std::vector<Native>> : std::true_type {};

/// A handle of the runtime's as the driver's type has it. CUDA's devices are numbers, of which the
/// runtime's handles are one more.
template <typename Native> Native from_handle(void *handle) {
  if constexpr (is_several<Native>::value)
    return {static_cast<typename Native::value_type>(handle)};
  else if constexpr (std::is_pointer_v<Native>)
    return static_cast<Native>(handle);
  else if constexpr (std::is_same_v<Native, int>)
    return static_cast<int>(reinterpret_cast<std::intptr_t>(handle) - 1);
  else
    return static_cast<Native>(reinterpret_cast<std::uintptr_t>(handle));
}
/// The handle for the runtime.
template <typename Native> void *to_handle(Native native) {
  if constexpr (std::is_pointer_v<Native>)
    return native;
  else
    return reinterpret_cast<void *>(static_cast<std::uintptr_t>(native));
}

} // namespace detail

template <backend Backend> struct backend_traits {
  template <typename Type> using input_type = typename detail::native_input<Backend, Type>::type;
  template <typename Type> using return_type = typename detail::native_type<Backend, Type>::type;
};
template <backend Backend, typename Type>
using backend_return_t = typename backend_traits<Backend>::template return_type<Type>;
template <backend Backend, typename Type>
using backend_input_t = typename backend_traits<Backend>::template input_type<Type>;

} // namespace sycl
