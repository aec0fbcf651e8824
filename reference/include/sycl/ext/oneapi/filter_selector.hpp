//===- filter_selector.hpp - devices by name (sycl_ext_oneapi_filter_selector) ---------------===//
#pragma once

#include <sycl/detail/config.hpp>
#include <sycl/device_selector.hpp>

#include <algorithm>
#include <string>
#include <vector>

PLSYCL_HOST_FILE

namespace sycl::ext::oneapi {

/// Takes the devices that a list separated by commas names. An item is up to three parts with
/// colons between: a backend (`opencl`, `level_zero`, `cuda`), a type (`cpu`, `gpu`, `acc`) and a
/// number among those that the others leave.
class filter_selector {
public:
  PLSYCL_LATE explicit filter_selector(const std::string &filter) {
    for (const std::string &item : parts_of(filter, ','))
      add(item);
    if (taken.empty())
      sycl::detail::fail(errc::runtime, "no device is one of '" + filter + "'");
  }

  PLSYCL_LATE int operator()(const device &candidate) const {
    const bool is_taken = std::find(taken.begin(), taken.end(), candidate) != taken.end();
    return is_taken ? default_selector_v(candidate) : -1;
  }
  PLSYCL_LATE device select_device() const { return device(*this); }
  void reset() const {}

private:
  PLSYCL_LATE static std::vector<std::string> parts_of(const std::string &text, char between) {
    std::vector<std::string> parts;
    for (std::size_t first = 0, end = 0; first < text.size(); first = end + 1) {
      end = std::min(text.find(between, first), text.size());
      parts.push_back(text.substr(first, end - first));
    }
    return parts;
  }
  PLSYCL_LATE void add(const std::string &item) {
    std::vector<device> left = device::get_devices();
    for (const std::string &part : parts_of(item, ':')) {
      if (part.empty())
        continue;
      if (part.find_first_not_of("0123456789") == std::string::npos) {
        // More digits than the list has entries name none of them; they need not fit a number.
        const std::size_t number = part.size() < 10 ? std::stoul(part) : left.size();
        left = number < left.size() ? std::vector<device>{left[number]} : std::vector<device>();
        continue;
      }
      const auto is_other = [&](const device &each) { return !means(part, each); };
      left.erase(std::remove_if(left.begin(), left.end(), is_other), left.end());
    }
    taken.insert(taken.end(), left.begin(), left.end());
  }
  PLSYCL_LATE static bool means(const std::string &part, const device &each) {
    const backend own = each.get_backend();
    if (part == "*")
      return true;
    if (part == "opencl" || part == "level_zero" || part == "cuda")
      return own == (part == "opencl" ? backend::opencl
                     : part == "cuda" ? backend::ext_oneapi_cuda
                                      : backend::ext_oneapi_level_zero);
    if (part == "cpu" || part == "gpu")
      return part == "cpu" ? each.is_cpu() : each.is_gpu();
    if (part == "acc" || part == "accelerator")
      return each.is_accelerator();
    if (part == "hip" || part == "native_cpu") // DPC++'s others, which are not here.
      return false;
    sycl::detail::fail(errc::invalid, "'" + part + "' is no backend, type or number of devices");
  }

  std::vector<device> taken;
};

} // namespace sycl::ext::oneapi
