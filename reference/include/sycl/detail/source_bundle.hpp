//===- source_bundle.hpp - what the library of a source says of itself -----------------------===//
//
// The runtime has this included behind a source that a program builds
// (sycl_ext_oneapi_kernel_compiler), and the names that the program gives stand behind that. The
// plugin has the source's kernels and device globals listed, each with its symbol.
//
// The source's macros may be any but those that begin as the names of this file do.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/sycl.hpp>

#pragma GCC visibility push(default)

namespace sycl::detail {

/// What the library lists: a symbol or a name of an object, and what else there is to tell of that.
struct plsycl_listed {
  const char *plsycl_name;
  const char *plsycl_symbol;
  /// Of each object another one.
  source_entry (*plsycl_describe)(const char *, const char *);
};
inline std::vector<plsycl_listed> &plsycl_all_listed() {
  static std::vector<plsycl_listed> plsycl_list;
  return plsycl_list;
}
inline bool plsycl_list_one(const plsycl_listed &plsycl_one) {
  plsycl_all_listed().push_back(plsycl_one);
  return true;
}

/// Of a device global, and of a function that is a kernel.
template <auto *plsycl_this, typename plsycl_what> struct plsycl_object_in_source {
  static source_entry plsycl_describe(const char *plsycl_name, const char *plsycl_symbol) {
    return {
        plsycl_name,
        plsycl_symbol,
        nullptr,
        nullptr,
        plsycl_find,
        sizeof(plsycl_this->get()),
        plsycl_what::template has_property<ext::oneapi::experimental::device_image_scope_key>()};
  }
  /// The plugin has this called for each object of the source.
  static bool plsycl_list(const char *plsycl_symbol) {
    return plsycl_list_one({nullptr, plsycl_symbol, plsycl_describe});
  }

private:
  static void *plsycl_find(plsycl_queue plsycl_on) {
    return ext::oneapi::experimental::detail::device_globals::memory(plsycl_on, *plsycl_this);
  }
};
template <auto *plsycl_this, typename plsycl_result, typename... plsycl_parameters>
struct plsycl_object_in_source<plsycl_this, plsycl_result(plsycl_parameters...)> {
  static source_entry plsycl_describe(const char *plsycl_name, const char *plsycl_symbol) {
    const kernel_id plsycl_kernel = ext::oneapi::experimental::get_kernel_id<plsycl_this>();
    return {
        plsycl_name, plsycl_symbol, plsycl_kernel.get_name(), plsycl_kernel.get_function(), nullptr,
        0,           false};
  }
  static bool plsycl_list(const char *plsycl_symbol) {
    return plsycl_list_one({nullptr, plsycl_symbol, plsycl_describe});
  }
};
template <auto *plsycl_this, typename plsycl_result, typename... plsycl_parameters>
struct plsycl_object_in_source<plsycl_this, plsycl_result(plsycl_parameters...) noexcept>
    : plsycl_object_in_source<plsycl_this, plsycl_result(plsycl_parameters...)> {};

template <auto *plsycl_this> bool plsycl_name_object(const char *plsycl_name) {
  using plsycl_what = std::remove_pointer_t<decltype(plsycl_this)>;
  return plsycl_list_one(
      {plsycl_name, nullptr, plsycl_object_in_source<plsycl_this, plsycl_what>::plsycl_describe});
}

} // namespace sycl::detail

/// Gives each of them, to whoever looks for it in the library; the size of a handler, which has to
/// be the program's.
extern "C" inline __attribute__((used)) std::size_t
plsycl_source_entries(void (*plsycl_take)(void *, const sycl::detail::source_entry &),
                      void *plsycl_to) {
  const auto &plsycl_list = sycl::detail::plsycl_all_listed();
  for (const sycl::detail::plsycl_listed &plsycl_one : plsycl_list) {
    const char *plsycl_symbol = plsycl_one.plsycl_symbol;
    for (const sycl::detail::plsycl_listed &plsycl_other : plsycl_list)
      if (!plsycl_symbol && plsycl_other.plsycl_describe == plsycl_one.plsycl_describe)
        plsycl_symbol = plsycl_other.plsycl_symbol;
    plsycl_take(plsycl_to, plsycl_one.plsycl_describe(plsycl_one.plsycl_name, plsycl_symbol));
  }
  return sizeof(sycl::handler);
}

#define PLSYCL_JOINED_NAME(LEFT, RIGHT) LEFT##RIGHT
#define PLSYCL_NUMBERED_NAME(LEFT, RIGHT) PLSYCL_JOINED_NAME(LEFT, RIGHT)
/// Names the object that an expression is the address of; a function is its own.
#define PLSYCL_NAME_IN_SOURCE(NAME, ...)                                                           \
  static const bool PLSYCL_NUMBERED_NAME(plsycl_name_, __COUNTER__) =                              \
      ::sycl::detail::plsycl_name_object<(__VA_ARGS__)>(NAME);

/// Behind all that a source has.
void plsycl_end_of_source();

#pragma GCC visibility pop
