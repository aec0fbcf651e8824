//===- free_function_traits.hpp - starting functions that are kernels -----------------------===//
//
// sycl_ext_oneapi_free_function_kernels: a function is called by a kernel whose functor has its
// arguments, over three dimensions whatever the space is, so that there is one for all starts. Not
// there: asking what a function was declared with.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/ext/oneapi/free_function_kernel_properties.hpp>
#include <sycl/ext/oneapi/get_kernel_info.hpp>
#include <sycl/queue.hpp>
#ifndef PLSYCL_UPSTREAM
#include <sycl/ext/oneapi/work_group_scratch_memory.hpp>
#endif

#include <cstring>

namespace sycl::ext::oneapi::experimental {

/// A space to run over, and what the kernel is told beside.
template <typename Space, typename Properties = empty_properties_t> class launch_config {
public:
  explicit launch_config(Space space, Properties properties = {})
      : space(space), properties(properties) {}
  const Space &get_range() const { return space; }
  const Properties &get_properties() const { return properties; }

private:
  Space space;
  Properties properties;
};

/// A function as an argument.
template <auto *Function> struct kernel_function_s {};
template <auto *Function> inline constexpr kernel_function_s<Function> kernel_function;

namespace detail {

/// A kernel that calls the function with its arguments.
template <auto *Function, typename... Parameters> struct function_caller {
  sycl::detail::pack<Parameters...> arguments;

  template <int Dimensions> PLSYCL_PART_OF_CALLER void operator()(nd_item<Dimensions>) const {
    call(arguments);
  }

private:
  template <typename... Given>
  PLSYCL_PART_OF_CALLER static void call(const sycl::detail::pack<> &, const Given &...given) {
    Function(given...);
  }
  template <typename First, typename... Rest, typename... Given>
  PLSYCL_PART_OF_CALLER static void call(const sycl::detail::pack<First, Rest...> &more,
                                         const Given &...given) {
    call(more.rest, given..., more.first);
  }
};

/// The name of such a kernel that has properties.
template <typename Caller, typename Properties> class caller_with;

template <auto *Function, typename... Parameters, typename... Given>
auto caller(void (*)(Parameters...), const Given &...given) {
  static_assert((... && !std::is_reference_v<Parameters>),
                "a kernel's parameters are values, which are copied to the device");
  static_assert(sizeof...(Parameters) == sizeof...(Given),
                "the function does not take so many arguments");
  return function_caller<Function, Parameters...>{
      sycl::detail::make_pack(static_cast<Parameters>(given)...)};
}

/// What a parameter is given by a kernel object: bytes, or an accessor to elements of the same type
/// in as many dimensions.
template <typename Parameter> Parameter value_of(const plsycl_argument &given) {
  using shape = sycl::detail::accessor_shape<Parameter>;
  const bool is_pointer = given.kind == PLSYCL_ARGUMENT_POINTER;
  const void *object = is_pointer ? static_cast<const void *>(&given.bytes) : given.bytes;
  bool fits;
  if constexpr (shape::kind != PLSYCL_ARGUMENT_VALUE) {
    const auto *kept = static_cast<const sycl::detail::kept_accessor *>(object);
    fits = given.kind == shape::kind && *kept->shape == shape::tag;
    object = fits ? kept->object : nullptr;
  } else {
    fits = (is_pointer ? sizeof(void *) : given.size) == sizeof(Parameter) &&
           (is_pointer || given.kind == PLSYCL_ARGUMENT_VALUE);
  }
  if (!fits)
    sycl::detail::fail(errc::invalid, "an argument is not of its parameter's type");
  if constexpr (std::is_trivially_copyable_v<Parameter>) {
    alignas(Parameter) std::byte copy[sizeof(Parameter)];
    std::memcpy(copy, object, sizeof(Parameter));
    return *reinterpret_cast<const Parameter *>(copy);
  } else {
    return *static_cast<const Parameter *>(object);
  }
}

template <auto *Function, typename Signature> struct function_start;
template <auto *Function, typename... Parameters>
struct function_start<Function, void (*)(Parameters...)> {
  static_assert((... && !std::is_reference_v<Parameters>),
                "a kernel's parameters are values, which are copied to the device");
  using functor = function_caller<Function, Parameters...>;

  static void start(handler &group, const nd_range<3> &space, const plsycl_argument *given,
                    const std::size_t *scratch) {
    start(group, space, given, scratch, std::index_sequence_for<Parameters...>());
  }
  static constexpr sycl::detail::function_kernel described{sizeof...(Parameters), start};
  /// The plugin has the device compilation know it of each such function.
  static void start_called(handler &group, const nd_range<3> &space, const functor &called) {
    group.parallel_for(space, called);
  }

private:
  template <std::size_t... At>
  static void start(handler &group, const nd_range<3> &space, const plsycl_argument *given,
                    const std::size_t *scratch, std::index_sequence<At...>) {
    const functor called{sycl::detail::make_pack(value_of<Parameters>(given[At])...)};
#ifndef PLSYCL_UPSTREAM
    if (scratch) {
      const properties list{work_group_scratch_size{*scratch}};
      return group.parallel_for<caller_with<functor, decltype(list)>>(space, list, called);
    }
#endif
    static_cast<void>(given), static_cast<void>(scratch);
    start_called(group, space, called);
  }
};
template <auto *Function, typename... Parameters>
struct function_start<Function, void (*)(Parameters...) noexcept>
    : function_start<Function, void (*)(Parameters...)> {};
template <auto *Function> using start_of = function_start<Function, decltype(Function)>;

} // namespace detail

template <auto *Function> kernel_id get_kernel_id() {
  const kernel_id own = sycl::get_kernel_id<typename detail::start_of<Function>::functor>();
  return kernel_id(own.get_name(), &detail::start_of<Function>::described);
}
template <auto *Function, bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context &owner, const std::vector<device> &devices) {
  return sycl::get_kernel_bundle<State>(owner, devices, {get_kernel_id<Function>()});
}
template <auto *Function, bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context &owner) {
  return get_kernel_bundle<Function, State>(owner, owner.get_devices());
}
template <auto *Function, bundle_state State>
bool has_kernel_bundle(const context &owner, const std::vector<device> &devices) {
  return sycl::has_kernel_bundle<State>(owner, devices, {get_kernel_id<Function>()});
}
template <auto *Function, bundle_state State> bool has_kernel_bundle(const context &owner) {
  return has_kernel_bundle<Function, State>(owner, owner.get_devices());
}
template <auto *Function> bool is_compatible(const device &target) {
  return sycl::is_compatible({get_kernel_id<Function>()}, target);
}

namespace detail {
template <auto *Function> inline constexpr bool is_here = Function == nullptr;
} // namespace detail
template <auto *Function> struct is_kernel {
  static_assert(detail::is_here<Function>,
                "Plumbline does not tell what a function was declared with");
};
template <auto *Function, int Dimensions> struct is_nd_range_kernel : is_kernel<Function> {};
template <auto *Function> struct is_single_task_kernel : is_kernel<Function> {};
template <auto *Function> inline constexpr bool is_kernel_v = sizeof(is_kernel<Function>) == 0;
template <auto *Function, int Dimensions>
inline constexpr bool is_nd_range_kernel_v = sizeof(is_nd_range_kernel<Function, Dimensions>) == 0;
template <auto *Function>
inline constexpr bool is_single_task_kernel_v = sizeof(is_single_task_kernel<Function>) == 0;

// Of the functions of sycl_ext_oneapi_enqueue_functions those for functions; the launch_config may
// have properties of kernels.

template <auto *Function, typename... Arguments>
void single_task(handler &group, kernel_function_s<Function>, const Arguments &...arguments) {
  group.call_function(detail::caller<Function>(Function, arguments...));
}
template <auto *Function, typename... Arguments>
void single_task(queue where, kernel_function_s<Function> function, const Arguments &...arguments) {
  where.submit([&](handler &group) { experimental::single_task(group, function, arguments...); });
}
template <int Dimensions, auto *Function, typename... Arguments>
void nd_launch(handler &group, nd_range<Dimensions> space, kernel_function_s<Function>,
               const Arguments &...arguments) {
  group.call_function(space, detail::caller<Function>(Function, arguments...));
}
template <int Dimensions, typename Properties, auto *Function, typename... Arguments>
void nd_launch(handler &group, launch_config<nd_range<Dimensions>, Properties> space,
               kernel_function_s<Function>, const Arguments &...arguments) {
  const auto functor = detail::caller<Function>(Function, arguments...);
  // Properties may say sizes of as many dimensions.
  if constexpr (std::is_same_v<Properties, empty_properties_t>)
    group.call_function(space.get_range(), functor);
  else
    group.parallel_for<detail::caller_with<std::decay_t<decltype(functor)>, Properties>>(
        space.get_range(), space.get_properties(), functor);
}
template <typename Space, auto *Function, typename... Arguments>
void nd_launch(queue where, Space space, kernel_function_s<Function> function,
               const Arguments &...arguments) {
  where.submit(
      [&](handler &group) { experimental::nd_launch(group, space, function, arguments...); });
}

// Of sycl_ext_oneapi_get_kernel_info, that of functions.

template <auto *Function, typename Param>
typename Param::return_type get_kernel_info(const context &owner) {
  const auto bundle = get_kernel_bundle<Function, bundle_state::executable>(owner);
  return bundle.template ext_oneapi_get_kernel<Function>().template get_info<Param>();
}
template <auto *Function, typename Param>
typename Param::return_type get_kernel_info(const context &owner, const device &target) {
  const auto bundle = get_kernel_bundle<Function, bundle_state::executable>(owner, {target});
  return bundle.template ext_oneapi_get_kernel<Function>().template get_info<Param>(target);
}
template <auto *Function, typename Param>
typename Param::return_type get_kernel_info(const queue &where) {
  return experimental::get_kernel_info<Function, Param>(where.get_context(), where.get_device());
}

} // namespace sycl::ext::oneapi::experimental
