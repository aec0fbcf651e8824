//===- property_list.hpp - options of queues, buffers and accessors --------------------------===//
#pragma once

#include <any>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <sycl/exception.hpp>

namespace sycl {

/// Any number of properties of any types.
class property_list {
public:
  property_list() = default;
  template <typename... Properties,
            typename = std::enable_if_t<(sizeof...(Properties) > 0) &&
                                        !(std::is_same_v<Properties, property_list> || ...)>>
  property_list(Properties... properties) : properties{std::any(properties)...} {}

  template <typename Property> bool has_property() const noexcept {
    return find<Property>() != nullptr;
  }
  template <typename Property> Property get_property() const {
    if (const Property *found = find<Property>())
      return *found;
    detail::fail(errc::invalid, "the object has no such property");
  }

private:
  template <typename Property> const Property *find() const noexcept {
    for (const std::any &property : properties)
      if (const Property *found = std::any_cast<Property>(&property))
        return found;
    return nullptr;
  }

  std::vector<std::any> properties;
};

namespace property {

/// An accessor's mark that the contents before do not matter.
struct no_init {};

namespace queue {
struct in_order {};
struct enable_profiling {};
} // namespace queue

namespace buffer {
struct use_host_ptr {};
class use_mutex {
public:
  explicit use_mutex(std::mutex &mutex) : mutex(&mutex) {}
  std::mutex *get_mutex_ptr() const { return mutex; }

private:
  std::mutex *mutex;
};
} // namespace buffer

namespace reduction {
struct initialize_to_identity {};
} // namespace reduction

} // namespace property

inline const property::no_init no_init;
inline const property::no_init noinit;

} // namespace sycl
