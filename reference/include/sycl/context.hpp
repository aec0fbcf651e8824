//===- context.hpp - devices that share memory and programs ----------------------------------===//
#pragma once

#include <sycl/device.hpp>
#include <sycl/property_list.hpp>

namespace sycl {

/// Devices of one platform that share memory and programs.
class context : public detail::by_identity<context> {
public:
  explicit context(const property_list &properties = {}) : context(device(), properties) {}
  explicit context(const async_handler &handler, const property_list &properties = {})
      : context(device(), handler, properties) {}
  explicit context(const device &only, const property_list &properties = {})
      : context(std::vector<device>{only}, properties) {}
  explicit context(const device &only, const async_handler &handler,
                   const property_list &properties = {})
      : context(std::vector<device>{only}, handler, properties) {}
  explicit context(const platform &all, const property_list &properties = {})
      : context(all.get_devices(), properties) {}
  explicit context(const std::vector<device> &devices, const property_list &properties = {})
      : context(devices, async_handler(), properties) {}
  explicit context(const std::vector<device> &devices, const async_handler &handler,
                   const property_list & = {})
      : devices(devices), handler(handler) {
    if (devices.empty())
      detail::fail(errc::invalid, "a context needs at least one device");
    std::vector<plsycl_device> raw;
    for (const device &each : devices)
      raw.push_back(each.get());
    plsycl_context object = nullptr;
    detail::check(plsycl_context_create(raw.data(), raw.size(), &object));
    owned = detail::context_handle(object);
  }

  template <typename Param> typename Param::return_type get_info() const {
    if constexpr (std::is_same_v<Param, info::context::platform>)
      return get_platform();
    else
      return devices;
  }
  std::vector<device> get_devices() const { return devices; }
  platform get_platform() const { return devices.front().get_platform(); }
  backend get_backend() const noexcept { return get_platform().get_backend(); }

  /// For the implementation.
  plsycl_context get() const { return owned.get(); }
  const async_handler &get_handler() const { return handler; }
  const void *identity() const { return owned.get(); }

private:
  std::vector<device> devices;
  async_handler handler;
  detail::context_handle owned;
};

inline exception::exception(const context &where, std::error_code code, const std::string &what)
    : exception(code, what) {
  this->where = std::make_shared<context>(where);
}
inline exception::exception(const context &where, std::error_code code, const char *what)
    : exception(where, code, std::string(what)) {}
inline exception::exception(const context &where, std::error_code code)
    : exception(where, code, code.message()) {}
inline context exception::get_context() const {
  if (!where)
    detail::fail(errc::invalid, "the exception has no context");
  return *where;
}

} // namespace sycl

namespace std {
template <> struct hash<sycl::context> : sycl::detail::hash_by_identity {};
} // namespace std
