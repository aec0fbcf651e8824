//===- local_accessor.hpp - memory that the work-items of a work-group share -----------------===//
//
// SYCL 2020, "Accessors", "Local accessor"; and SYCL 1.2.1's accessor with target::local.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/accessor.hpp>

#include <atomic>
#include <cstdint>

namespace sycl {

namespace detail {

/// On the host the word of a local_memory is its size in bytes below a number that tells local
/// accessors apart.
constexpr int local_serial_place = 40;

inline std::uintptr_t next_local_serial() {
  static std::atomic<std::uintptr_t> last{0};
  return (++last & 0xffffff) << local_serial_place;
}

/// The parts of local_accessor that SYCL 1.2.1's local accessor has too.
template <typename Derived, typename Type, int Dimensions, access_mode Mode>
class local_memory_view : public view_of<Derived, local_memory, Type, Type, Mode, Dimensions,
                                         access::address_space::local_space> {
  using view = view_of<Derived, local_memory, Type, Type, Mode, Dimensions,
                       access::address_space::local_space>;

public:
  using view::operator=;
  template <access::decorated Decorated>
  using accessor_ptr = multi_ptr<Type, access::address_space::local_space, Decorated>;

  local_memory_view() = default;
  /// For the implementation.
  explicit local_memory_view(const local_memory &memory) : memory{memory} {}
  template <int Dims = Dimensions, std::enable_if_t<Dims == 0, int> = 0>
  local_memory_view(handler &group, const property_list & = {}) {
    describe(sycl::range<1>(1), group);
  }
  template <int Dims = Dimensions, std::enable_if_t<(Dims > 0), int> = 0>
  local_memory_view(sycl::range<(Dimensions > 0 ? Dimensions : 1)> size, handler &group,
                    const property_list & = {}) {
    describe(size, group);
  }

  void swap(Derived &other) { std::swap(memory, static_cast<local_memory_view &>(other).memory); }

  /// Deprecated: get_multi_ptr is SYCL 2020's.
  accessor_ptr<access::decorated::legacy> get_pointer() const noexcept {
    return accessor_ptr<access::decorated::legacy>(this->get_first());
  }
  template <access::decorated Decorated> accessor_ptr<Decorated> get_multi_ptr() const noexcept {
    return detail::asserted_cast<access::address_space::local_space, Decorated>(this->get_first());
  }

  friend bool operator==(const Derived &left, const Derived &right) {
    return left.get_memory().data == right.get_memory().data &&
           covered_range<3>(left.get_memory()) == covered_range<3>(right.get_memory());
  }
  friend bool operator!=(const Derived &left, const Derived &right) { return !(left == right); }

  /// For the implementation.
  const local_memory &get_memory() const { return memory; }
  Type *get_data() const {
#ifdef __SYCL_DEVICE_ONLY__
    return static_cast<PLSYCL_LOCAL Type *>(memory.data);
#else
    return nullptr; // Only a kernel has local memory.
#endif
  }

private:
  template <int Dims> void describe(const sycl::range<Dims> &size, handler &group) {
    const std::uintptr_t word = (size.size() * sizeof(Type)) | next_local_serial();
    memory.data = (PLSYCL_LOCAL void *)word;
    from_array(size, memory.range, 1);
#ifdef PLSYCL_UPSTREAM
    command_group_of(group).local_words.push_back(word);
#else
    (void)group;
#endif
  }

  local_memory_of<alignof(Type)> memory = {};
};

} // namespace detail

/// Memory of a work-group; of const elements, which only SYCL's rules for names have a use for.
template <typename Type, int Dimensions = 1>
class local_accessor : public detail::local_memory_view<local_accessor<Type, Dimensions>, Type,
                                                        Dimensions, access_mode::read_write> {
  using view = detail::local_memory_view<local_accessor, Type, Dimensions, access_mode::read_write>;

public:
  using view::view;
  using view::operator=;
  local_accessor() = default;

  /// A view that does not write.
  template <typename From, std::enable_if_t<std::is_same_v<const From, Type>, int> = 0>
  local_accessor(const local_accessor<From, Dimensions> &other) : view(other.get_memory()) {}

  template <typename Property> bool has_property() const noexcept { return false; }
  template <typename Property> Property get_property() const {
    detail::fail(errc::invalid, "the accessor has no such property");
  }
};

/// SYCL 1.2.1's local accessor; deprecated.
template <typename Type, int Dimensions, access_mode Mode, access::placeholder Holder>
class accessor<Type, Dimensions, Mode, target::local, Holder>
    : public detail::local_memory_view<accessor<Type, Dimensions, Mode, target::local, Holder>,
                                       Type, Dimensions, Mode> {
  using view = detail::local_memory_view<accessor, Type, Dimensions, Mode>;

public:
  using view::view;
  using view::operator=;
  accessor() = default;
};

} // namespace sycl

namespace std {
template <typename Type, int Dimensions> struct hash<sycl::local_accessor<Type, Dimensions>> {
  std::size_t operator()(const sycl::local_accessor<Type, Dimensions> &object) const {
    return std::hash<const void *>()((const void *)object.get_memory().data);
  }
};
template <typename Type, int Dimensions, sycl::access_mode Mode, sycl::access::placeholder Holder>
struct hash<sycl::accessor<Type, Dimensions, Mode, sycl::target::local, Holder>> {
  std::size_t operator()(
      const sycl::accessor<Type, Dimensions, Mode, sycl::target::local, Holder> &object) const {
    return std::hash<const void *>()((const void *)object.get_memory().data);
  }
};
} // namespace std
