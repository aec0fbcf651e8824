//===- property_list.hpp - options of queues, buffers and accessors --------------------------===//
#pragma once

#include <cstring>
#include <mutex>
#include <type_traits>
#include <utility>

#include <sycl/detail/config.hpp>
#include <sycl/exception.hpp>

PLSYCL_HOST_FILE

namespace sycl {

namespace property {

/// An accessor's mark that the contents before do not matter.
struct no_init {};
/// SYCL 1.2.1's name; deprecated.
using noinit = no_init;

namespace queue {
struct in_order {};
struct enable_profiling {};
} // namespace queue

namespace buffer {
struct use_host_ptr {};
class use_mutex {
public:
  use_mutex(std::mutex &mutex) : mutex(&mutex) {}
  std::mutex *get_mutex_ptr() const { return mutex; }

private:
  std::mutex *mutex;
};
} // namespace buffer

namespace image {
struct use_host_ptr {};
class use_mutex : public buffer::use_mutex {
public:
  using buffer::use_mutex::use_mutex;
};
} // namespace image

namespace reduction {
struct initialize_to_identity {};
} // namespace reduction

} // namespace property

namespace ext::intel::property::queue {
/// sycl_ext_intel_queue_index: which of a device's submission queues to use. Each device has one.
class compute_index {
public:
  compute_index(int index) : index(index) {}
  int get_index() const { return index; }

private:
  int index;
};
struct immediate_command_list {};
struct no_immediate_command_list {};
} // namespace ext::intel::property::queue

namespace ext::oneapi::property::queue {
struct priority_low {};
struct priority_normal {};
struct priority_high {};
/// Nobody asks for the events of the queue.
struct discard_events {};
} // namespace ext::oneapi::property::queue

namespace ext::oneapi::property::buffer {
/// sycl_ext_oneapi_use_pinned_host_memory_property.
struct use_pinned_host_memory {};
} // namespace ext::oneapi::property::buffer

/// Whether a type is a property; what is none starts no property_list by accident.
template <typename Type> struct is_property : std::false_type {};
template <> struct is_property<property::no_init> : std::true_type {};
template <> struct is_property<property::queue::in_order> : std::true_type {};
template <> struct is_property<property::queue::enable_profiling> : std::true_type {};
template <> struct is_property<property::buffer::use_host_ptr> : std::true_type {};
template <> struct is_property<property::buffer::use_mutex> : std::true_type {};
template <> struct is_property<property::image::use_host_ptr> : std::true_type {};
template <> struct is_property<property::image::use_mutex> : std::true_type {};
template <> struct is_property<property::reduction::initialize_to_identity> : std::true_type {};
template <>
struct is_property<ext::oneapi::property::buffer::use_pinned_host_memory> : std::true_type {};
template <typename Type> inline constexpr bool is_property_v = is_property<Type>::value;

/// Whether objects of a class can have the property.
template <typename Property, typename Object> struct is_property_of : std::false_type {};
template <typename Property, typename Object>
inline constexpr bool is_property_of_v = is_property_of<Property, Object>::value;

namespace detail {

/// The same text for the same type, in whichever library.
template <typename Type> const char *name_of_property() { return __PRETTY_FUNCTION__; }

/// A property of a list, and those behind it.
struct listed_property {
  const char *name;
  const void *value;
  shared<const listed_property> next;
};
template <typename Property> struct listed_value : listed_property {
  listed_value(const Property &given, shared<const listed_property> next)
      : listed_property{name_of_property<Property>(), &value, std::move(next)}, value(given) {}
  listed_value(const listed_value &) = delete;

  Property value;
};

} // namespace detail

/// Any number of properties of any types.
class property_list {
public:
  property_list() = default;
  template <typename... Properties, typename = std::enable_if_t<(sizeof...(Properties) > 0) &&
                                                                (is_property_v<Properties> && ...)>>
  property_list(Properties... properties) : first(listed(properties...)) {}

  template <typename Property> bool has_property() const noexcept {
    return find<Property>() != nullptr;
  }
  template <typename Property> Property get_property() const {
    if (const Property *found = find<Property>())
      return *found;
    detail::fail(errc::invalid, "the object has no such property");
  }

private:
  using link = detail::shared<const detail::listed_property>;

  static link listed() { return nullptr; }
  template <typename First, typename... Rest>
  static link listed(const First &first, const Rest &...rest) {
    return detail::shared<detail::listed_value<First>>::make(first, listed(rest...));
  }
  template <typename Property> const Property *find() const noexcept {
    return static_cast<const Property *>(find(detail::name_of_property<Property>()));
  }
  const void *find(const char *name) const noexcept {
    for (const detail::listed_property *each = first.get(); each; each = each->next.get())
      if (each->name == name || std::strcmp(each->name, name) == 0)
        return each->value;
    return nullptr;
  }

  link first;
};

inline constexpr property::no_init no_init;
/// SYCL 1.2.1's name; deprecated.
inline constexpr property::no_init noinit;

} // namespace sycl
