//===- source_bundle.hpp - what the library of a source says of itself -----------------------===//
//
// The runtime has this included behind a source that a program builds
// (sycl_ext_oneapi_kernel_compiler), and the names that the program gives stand behind that. The
// plugin lists the source's kernels and device globals where this begins.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/sycl.hpp>

#include <dlfcn.h>

namespace sycl::detail {

/// Of each name and each object the library has, in the order of the source.
struct listed_in_source {
  const char *name;
  const void *object;
  source_entry (*describe)();
};
inline std::vector<listed_in_source> &all_in_source() {
  static std::vector<listed_in_source> all;
  return all;
}
inline bool list_in_source(const listed_in_source &each) {
  all_in_source().push_back(each);
  return true;
}

template <auto *Object, typename Type> struct object_in_source {
  // A device global.
  static source_entry describe() {
    return {nullptr,
            nullptr,
            nullptr,
            nullptr,
            find,
            sizeof(Object->get()),
            Type::template has_property<ext::oneapi::experimental::device_image_scope_key>()};
  }

private:
  static void *find(plsycl_queue queue) {
    return ext::oneapi::experimental::detail::device_globals::memory(queue, *Object);
  }
};
template <auto *Function, typename Result, typename... Parameters>
struct object_in_source<Function, Result(Parameters...)> {
  static source_entry describe() {
    const kernel_id id = ext::oneapi::experimental::get_kernel_id<Function>();
    return {nullptr, nullptr, id.get_name(), id.get_function(), nullptr, 0, false};
  }
};
template <auto *Function, typename Result, typename... Parameters>
struct object_in_source<Function, Result(Parameters...) noexcept>
    : object_in_source<Function, Result(Parameters...)> {};

template <auto *Object> bool name_in_source(const char *name) {
  using type = std::remove_pointer_t<decltype(Object)>;
  const auto *place = reinterpret_cast<const void *>(Object);
  return list_in_source({name, place, object_in_source<Object, type>::describe});
}

/// The plugin refers to the variable of each kernel and device global.
template <auto *Object, typename Type> struct plsycl_object_in_source {
  inline static const bool is_listed = name_in_source<Object>(nullptr);
};

} // namespace sycl::detail

/// Gives each of them, to whoever looks for it in the library.
extern "C" inline __attribute__((used, visibility("default"))) void
plsycl_source_entries(void (*take)(void *, const sycl::detail::source_entry &), void *to) {
  for (const sycl::detail::listed_in_source &each : sycl::detail::all_in_source()) {
    sycl::detail::source_entry entry = each.describe();
    entry.name = each.name;
    Dl_info found;
    if (dladdr(each.object, &found) && found.dli_saddr == each.object)
      entry.symbol = found.dli_sname;
    take(to, entry);
  }
}

#define PLSYCL_JOINED_NAME(LEFT, RIGHT) LEFT##RIGHT
#define PLSYCL_NUMBERED_NAME(LEFT, RIGHT) PLSYCL_JOINED_NAME(LEFT, RIGHT)
/// Names the object that an expression is the address of; a function is its own.
#define PLSYCL_NAME_IN_SOURCE(NAME, ...)                                                           \
  static const bool PLSYCL_NUMBERED_NAME(plsycl_name_, __COUNTER__) =                              \
      ::sycl::detail::name_in_source<(__VA_ARGS__)>(NAME);

/// Behind all that a source has.
void plsycl_end_of_source();
