//===- exception.hpp - errors of the runtime -------------------------------------------------===//
#pragma once

#include <sycl/detail/abi.h>
#include <sycl/detail/declared.hpp>
#include <sycl/detail/shared.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace sycl {

/// Kinds of failure; the runtime's C interface uses the same numbers.
enum class errc : int {
  success = 0,
  runtime = 1,
  kernel = 2,
  accessor = 3,
  nd_range = 4,
  event = 5,
  kernel_argument = 6,
  build = 7,
  invalid = 8,
  memory_allocation = 9,
  platform = 10,
  profiling = 11,
  feature_not_supported = 12,
  kernel_not_supported = 13,
  backend_mismatch = 14,
};

namespace detail {

class category final : public std::error_category {
public:
  const char *name() const noexcept override { return "sycl"; }
  std::string message(int value) const override {
    static const char *const names[] = {"success",
                                        "runtime",
                                        "kernel",
                                        "accessor",
                                        "nd_range",
                                        "event",
                                        "kernel_argument",
                                        "build",
                                        "invalid",
                                        "memory_allocation",
                                        "platform",
                                        "profiling",
                                        "feature_not_supported",
                                        "kernel_not_supported",
                                        "backend_mismatch"};
    constexpr int count = sizeof(names) / sizeof(names[0]);
    return value >= 0 && value < count ? names[value] : "unknown";
  }
};

} // namespace detail

inline const std::error_category &sycl_category() noexcept {
  static const detail::category category;
  return category;
}

inline std::error_code make_error_code(errc value) noexcept {
  return {static_cast<int>(value), sycl_category()};
}

/// A failure; `code()` says of which kind, `what()` why.
class exception : public virtual std::exception {
public:
  exception(std::error_code code, const std::string &what)
      : condition(code), reason(detail::shared<std::string>::make(what)) {}
  exception(std::error_code code, const char *what) : exception(code, std::string(what)) {}
  explicit exception(std::error_code code) : exception(code, code.message()) {}
  exception(int value, const std::error_category &category, const std::string &what)
      : exception(std::error_code(value, category), what) {}
  exception(int value, const std::error_category &category, const char *what)
      : exception(std::error_code(value, category), what) {}
  exception(int value, const std::error_category &category)
      : exception(std::error_code(value, category)) {}
  exception(const context &where, std::error_code code, const std::string &what);
  exception(const context &where, std::error_code code, const char *what);
  exception(const context &where, std::error_code code);
  exception(const context &where, int value, const std::error_category &category,
            const std::string &what);
  exception(const context &where, int value, const std::error_category &category, const char *what);
  exception(const context &where, int value, const std::error_category &category);

  const std::error_code &code() const noexcept { return condition; }
  const std::error_category &category() const noexcept { return condition.category(); }
  const char *what() const noexcept override { return reason->c_str(); }
  bool has_context() const noexcept { return where != nullptr; }
  context get_context() const;

  /// For the implementation: OpenCL's number of the failure, 0 where it is none of OpenCL's.
  std::int32_t get_opencl_code() const noexcept { return opencl_code; }
  exception &&by_opencl(std::int32_t code) && {
    opencl_code = code;
    return std::move(*this);
  }

private:
  std::error_code condition;
  std::int32_t opencl_code = 0;
  // Shared, so that copying an exception cannot fail.
  detail::shared<std::string> reason;
  detail::shared<context> where;
};

/// The asynchronous failures that a handler receives.
class exception_list {
public:
  using value_type = std::exception_ptr;
  using reference = value_type &;
  using const_reference = const value_type &;
  using size_type = std::size_t;
  using iterator = std::vector<value_type>::const_iterator;
  using const_iterator = iterator;

  exception_list() = default;
  /// For the implementation.
  explicit exception_list(std::vector<value_type> failures) : failures(std::move(failures)) {}

  size_type size() const { return failures.size(); }
  iterator begin() const { return failures.cbegin(); }
  iterator end() const { return failures.cend(); }

private:
  std::vector<value_type> failures;
};

using async_handler = std::function<void(exception_list)>;

namespace detail {

/// Turns a failure of the runtime's C interface into an exception.
inline void check(int32_t code) {
  [[gnu::used]] static const uint8_t *const same = &PLSYCL_SAME_INTERFACE;
  if (code != 0)
    throw exception(make_error_code(static_cast<errc>(code)), plsycl_error_message())
        .by_opencl(plsycl_error_of_opencl());
}

[[noreturn]] inline void fail(errc code, const std::string &what) {
  throw exception(make_error_code(code), what);
}

} // namespace detail
} // namespace sycl

namespace std {
template <> struct is_error_code_enum<sycl::errc> : true_type {};
} // namespace std
