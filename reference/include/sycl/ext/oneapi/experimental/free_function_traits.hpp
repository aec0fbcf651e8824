//===- free_function_traits.hpp - starting functions that are kernels -----------------------===//
//
// sycl_ext_oneapi_free_function_kernels, as far as a function is started by its name: it is called
// by a kernel whose functor has its arguments. Not there: kernels' objects and bundles of such
// functions, and asking what a function was declared with.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/ext/oneapi/free_function_kernel_properties.hpp>
#include <sycl/ext/oneapi/get_kernel_info.hpp>
#include <sycl/queue.hpp>

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

  void operator()() const { call(arguments); }
  template <int Dimensions> void operator()(nd_item<Dimensions>) const { call(arguments); }

private:
  template <typename... Given>
  static void call(const sycl::detail::pack<> &, const Given &...given) {
    Function(given...);
  }
  template <typename First, typename... Rest, typename... Given>
  static void call(const sycl::detail::pack<First, Rest...> &more, const Given &...given) {
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

/// What `caller` makes, where its type is all that is asked for.
template <auto *Function, typename... Parameters>
function_caller<Function, Parameters...> caller_of(void (*)(Parameters...));

template <auto *Function> inline constexpr bool is_here = Function == nullptr;

} // namespace detail

template <auto *Function> kernel_id get_kernel_id() {
  static_assert(detail::is_here<Function>,
                "Plumbline starts functions by kernel_function; they have no kernel_id");
  return sycl::get_kernel_id<kernel_function_s<Function>>();
}
template <auto *Function, bundle_state State, typename... Arguments>
kernel_bundle<State> get_kernel_bundle(const Arguments &...) {
  static_assert(detail::is_here<Function>,
                "Plumbline starts functions by kernel_function; no bundle is asked for them");
  return sycl::get_kernel_bundle<kernel_function_s<Function>, State>(context());
}
template <auto *Function> struct is_kernel {
  static_assert(detail::is_here<Function>,
                "Plumbline does not tell what a function was declared with");
};
template <auto *Function, int Dimensions> struct is_nd_range_kernel : is_kernel<Function> {};
template <auto *Function> struct is_single_task_kernel : is_kernel<Function> {};

// Of the functions of sycl_ext_oneapi_enqueue_functions those for functions; the launch_config may
// have properties of kernels.

template <auto *Function, typename... Arguments>
void single_task(handler &group, kernel_function_s<Function>, const Arguments &...arguments) {
  group.single_task(detail::caller<Function>(Function, arguments...));
}
template <auto *Function, typename... Arguments>
void single_task(queue where, kernel_function_s<Function>, const Arguments &...arguments) {
  where.submit(
      [&](handler &group) { group.single_task(detail::caller<Function>(Function, arguments...)); });
}
template <int Dimensions, auto *Function, typename... Arguments>
void nd_launch(handler &group, nd_range<Dimensions> space, kernel_function_s<Function>,
               const Arguments &...arguments) {
  group.parallel_for(space, detail::caller<Function>(Function, arguments...));
}
template <int Dimensions, typename Properties, auto *Function, typename... Arguments>
void nd_launch(handler &group, launch_config<nd_range<Dimensions>, Properties> space,
               kernel_function_s<Function>, const Arguments &...arguments) {
  const auto functor = detail::caller<Function>(Function, arguments...);
  if constexpr (std::is_same_v<Properties, empty_properties_t>)
    group.parallel_for(space.get_range(), functor);
  else
    group.parallel_for<detail::caller_with<decltype(functor), Properties>>(
        space.get_range(), space.get_properties(), functor);
}
template <typename Space, auto *Function, typename... Arguments>
void nd_launch(queue where, Space space, kernel_function_s<Function> function,
               const Arguments &...arguments) {
  where.submit(
      [&](handler &group) { experimental::nd_launch(group, space, function, arguments...); });
}

// Of sycl_ext_oneapi_get_kernel_info, that of functions: what is told of the kernel that the
// program starts the function by.

template <auto *Function, typename Param>
typename Param::return_type get_kernel_info(const context &owner) {
  using kernel = decltype(detail::caller_of<Function>(Function));
  return oneapi::get_kernel_info<kernel, Param>(owner);
}
template <auto *Function, typename Param>
typename Param::return_type get_kernel_info(const context &owner, const device &target) {
  using kernel = decltype(detail::caller_of<Function>(Function));
  return oneapi::get_kernel_info<kernel, Param>(owner, target);
}
template <auto *Function, typename Param>
typename Param::return_type get_kernel_info(const queue &where) {
  return experimental::get_kernel_info<Function, Param>(where.get_context(), where.get_device());
}

} // namespace sycl::ext::oneapi::experimental
