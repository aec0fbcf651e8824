//===- multi_ptr.hpp - pointers that know their address space (SYCL 2020, 4.7.7) ------------===//
//
// A multi_ptr holds the pointer of its address space, decorated; get_raw() gives it as a generic
// one. On the host every address space is the same and nothing is decorated.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/access.hpp>
#include <sycl/detail/config.hpp>

#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>

#if defined(__SYCL_DEVICE_ONLY__) && !defined(__NVPTX__)
extern void __spirv_ocl_prefetch(const PLSYCL_GLOBAL char *from, std::size_t count);
#endif

namespace sycl {

template <typename Type, int Dimensions, access_mode Mode, target Target,
          access::placeholder Holder>
class accessor;
template <typename Type, int Dimensions> class local_accessor;

namespace detail {

/// What stands behind a pointer to `Type` in an address space, with the decoration of the compiler.
/// Constant memory is global memory that nobody writes: the generic space includes no other.
template <typename Type, access::address_space Space> struct decoration {
  using type = Type;
};
template <typename Type> struct decoration<Type, access::address_space::global_space> {
  using type = PLSYCL_GLOBAL Type;
};
template <typename Type> struct decoration<Type, access::address_space::constant_space> {
  using type = PLSYCL_GLOBAL Type;
};
template <typename Type> struct decoration<Type, access::address_space::local_space> {
  using type = PLSYCL_LOCAL Type;
};
template <typename Type> struct decoration<Type, access::address_space::private_space> {
  using type = PLSYCL_PRIVATE Type;
};
template <typename Type, access::address_space Space>
using decorated_pointer = typename decoration<Type, Space>::type *;

template <typename Type> struct undecorated {
  using type = Type;
};
#ifdef __SYCL_DEVICE_ONLY__
template <typename Type> struct undecorated<PLSYCL_GLOBAL Type> {
  using type = Type;
};
template <typename Type> struct undecorated<PLSYCL_LOCAL Type> {
  using type = Type;
};
template <typename Type> struct undecorated<PLSYCL_PRIVATE Type> {
  using type = Type;
};
#endif

/// Whether every pointer of space `From` is one of space `To`.
constexpr bool is_within(access::address_space from, access::address_space to) {
  return from == to || (to == access::address_space::generic_space &&
                        from != access::address_space::constant_space);
}

} // namespace detail

/// A type without what the compiler says of its address space: of a pointer's or reference's
/// target, or of the type itself.
template <typename Type> struct remove_decoration : detail::undecorated<Type> {};
template <typename Type> struct remove_decoration<Type *> {
  using type = typename detail::undecorated<Type>::type *;
};
template <typename Type> struct remove_decoration<Type *const> {
  using type = typename detail::undecorated<Type>::type *const;
};
template <typename Type> struct remove_decoration<Type &> {
  using type = typename detail::undecorated<Type>::type &;
};
template <typename Type> using remove_decoration_t = typename remove_decoration<Type>::type;

/// A pointer into one address space, also to `void`. `decorated::legacy` has the interface of SYCL
/// 1.2.1: it converts from and to plain pointers.
template <typename ElementType, access::address_space Space,
          access::decorated DecorateAddress = access::decorated::legacy>
class multi_ptr {
  static constexpr bool is_legacy = DecorateAddress == access::decorated::legacy;
  static constexpr bool is_void = std::is_void_v<ElementType>;
  using decorated_type = detail::decorated_pointer<ElementType, Space>;
  using raw_type = std::add_pointer_t<ElementType>;
  static constexpr bool is_global = detail::is_within(access::address_space::global_space, Space);
  static constexpr bool is_local = detail::is_within(access::address_space::local_space, Space);

  using accessed =
      std::conditional_t<DecorateAddress == access::decorated::yes, decorated_type, raw_type>;
  using decorated_reference =
      std::add_lvalue_reference_t<typename detail::decoration<ElementType, Space>::type>;
  using accessed_reference =
      std::conditional_t<DecorateAddress == access::decorated::yes, decorated_reference,
                         std::add_lvalue_reference_t<ElementType>>;

  template <typename From>
  static constexpr bool points_to = std::is_convertible_v<From *, raw_type>;
  /// Elements that an accessor gives, which objects of derived classes are not.
  template <typename Given>
  static constexpr bool points_to_elements =
      points_to<Given> &&
      (is_void || std::is_same_v<std::remove_const_t<Given>, std::remove_const_t<ElementType>>);
  template <bool Condition> using if_true = std::enable_if_t<Condition, int>;

public:
  static constexpr bool is_decorated = DecorateAddress == access::decorated::yes;
  static constexpr access::address_space address_space = Space;

  using value_type = ElementType;
  using pointer = std::conditional_t<is_decorated || is_legacy, decorated_type, raw_type>;
  using reference = std::conditional_t<is_legacy, decorated_reference, accessed_reference>;
  using iterator_category = std::random_access_iterator_tag;
  using difference_type = std::ptrdiff_t;
  // SYCL 1.2.1's names.
  using element_type = ElementType;
  using pointer_t = decorated_type;
  using const_pointer = detail::decorated_pointer<const ElementType, Space>;
  using reference_t = reference;
  using const_reference =
      std::add_lvalue_reference_t<typename detail::decoration<const ElementType, Space>::type>;
  using const_pointer_t = const_pointer;
  using const_reference_t = const_reference;

  constexpr multi_ptr() : place(nullptr) {}
  constexpr multi_ptr(std::nullptr_t) : place(nullptr) {}
  template <bool Legacy = is_legacy, if_true<!Legacy> = 0>
  explicit multi_ptr(decorated_type place) : place(place) {}
  template <bool Legacy = is_legacy, if_true<Legacy> = 0>
  multi_ptr(decorated_type place) : place(place) {}
  template <typename Raw,
            if_true<is_legacy && !std::is_same_v<Raw *, decorated_type> && points_to<Raw>> = 0>
  multi_ptr(Raw *place) : place((decorated_type) static_cast<raw_type>(place)) {}

  // What an accessor covers, from its first element. SYCL 1.2.1's pointers to what is only read do
  // not say const.
  template <typename Type, int Dimensions, access_mode Mode, target Target,
            access::placeholder Holder,
            if_true<((is_global && Target == target::device) ||
                     (Target == target::constant_buffer &&
                      (is_global || Space == access::address_space::constant_space)) ||
                     (is_local && Target == target::local)) &&
                    points_to_elements<std::conditional_t<Mode == access_mode::read && !is_legacy,
                                                          const Type, Type>>> = 0>
  multi_ptr(accessor<Type, Dimensions, Mode, Target, Holder> from)
      : place((decorated_type) static_cast<raw_type>(first_of(from))) {}
  template <typename Type, int Dimensions, if_true<is_local && points_to_elements<Type>> = 0>
  multi_ptr(local_accessor<Type, Dimensions> from)
      : place((decorated_type) static_cast<raw_type>(first_of(from))) {}

  /// To const, to void, to the generic address space, and between decorations.
  template <typename From, access::address_space Other, access::decorated Decorated,
            if_true<detail::is_within(Other, Space) && points_to<From>> = 0>
  multi_ptr(const multi_ptr<From, Other, Decorated> &from) : place(from.get_decorated()) {}
  /// From the generic address space, which the program knows to hold a pointer of this one.
  template <typename From, access::decorated Decorated,
            if_true<Space != access::address_space::generic_space && points_to<From>> = 0>
  explicit multi_ptr(const multi_ptr<From, access::address_space::generic_space, Decorated> &from)
      : place((decorated_type) static_cast<raw_type>(from.get_raw())) {}
  /// From void, whose pointer the program knows to be one to `ElementType`.
  template <typename From, access::decorated Decorated,
            if_true<std::is_void_v<From> && !is_void &&
                    (std::is_const_v<ElementType> || !std::is_const_v<From>)> = 0>
  explicit multi_ptr(const multi_ptr<From, Space, Decorated> &from)
      : place(static_cast<decorated_type>(from.get_decorated())) {}

  multi_ptr(const multi_ptr &) = default;
  multi_ptr(multi_ptr &&) = default;
  multi_ptr &operator=(const multi_ptr &) = default;
  multi_ptr &operator=(multi_ptr &&) = default;
  multi_ptr &operator=(std::nullptr_t) {
    place = nullptr;
    return *this;
  }

  pointer get() const { return pointer_of<pointer>(); }
  raw_type get_raw() const { return (raw_type)place; }
  decorated_type get_decorated() const { return place; }

  // The legacy interface gives plain references, whose types say no address space.
  accessed_reference operator*() const { return *pointer_of<accessed>(); }
  accessed operator->() const { return pointer_of<accessed>(); }
  accessed_reference operator[](difference_type index) const {
    return pointer_of<accessed>()[index];
  }

  operator pointer() const { return get(); }
  template <typename Raw, if_true<is_legacy && !std::is_same_v<raw_type, pointer> &&
                                  std::is_same_v<Raw, raw_type>> = 0>
  operator Raw() const {
    return get_raw();
  }

  /// A hint that elements from here on will be read; only for global memory.
  template <access::address_space Own = Space,
            if_true<Own == access::address_space::global_space> = 0>
  void prefetch([[maybe_unused]] std::size_t count) const {
#if defined(__SYCL_DEVICE_ONLY__) && !defined(__NVPTX__)
    __spirv_ocl_prefetch(reinterpret_cast<const PLSYCL_GLOBAL char *>(place),
                         count * sizeof(ElementType));
#endif
  }

  friend multi_ptr &operator++(multi_ptr &at) { return at += 1; }
  friend multi_ptr operator++(multi_ptr &at, int) {
    const multi_ptr before = at;
    at += 1;
    return before;
  }
  friend multi_ptr &operator--(multi_ptr &at) { return at -= 1; }
  friend multi_ptr operator--(multi_ptr &at, int) {
    const multi_ptr before = at;
    at -= 1;
    return before;
  }
  friend multi_ptr &operator+=(multi_ptr &at, difference_type by) {
    at.place += by;
    return at;
  }
  friend multi_ptr &operator-=(multi_ptr &at, difference_type by) {
    at.place -= by;
    return at;
  }
  friend multi_ptr operator+(const multi_ptr &at, difference_type by) {
    multi_ptr moved = at;
    return moved += by;
  }
  friend multi_ptr operator-(const multi_ptr &at, difference_type by) {
    multi_ptr moved = at;
    return moved -= by;
  }
  friend difference_type operator-(const multi_ptr &left, const multi_ptr &right) {
    return left.place - right.place;
  }

#define PLSYCL_POINTER_COMPARISON(OP)                                                              \
  friend bool operator OP(const multi_ptr &left, const multi_ptr &right) {                         \
    return left.place OP right.place;                                                              \
  }                                                                                                \
  friend bool operator OP(const multi_ptr &left, std::nullptr_t) {                                 \
    return left.place OP decorated_type(nullptr);                                                  \
  }                                                                                                \
  friend bool operator OP(std::nullptr_t, const multi_ptr &right) {                                \
    return decorated_type(nullptr) OP right.place;                                                 \
  }                                                                                                \
  /* As these convert from and to plain pointers, comparing the two would be ambiguous. */         \
  template <typename Raw, if_true<is_legacy && points_to<Raw>> = 0>                                \
  friend bool operator OP(const multi_ptr &left, Raw *right) {                                     \
    return left.get_raw() OP static_cast<raw_type>(right);                                         \
  }                                                                                                \
  template <typename Raw, if_true<is_legacy && points_to<Raw>> = 0>                                \
  friend bool operator OP(Raw *left, const multi_ptr &right) {                                     \
    return static_cast<raw_type>(left) OP right.get_raw();                                         \
  }
  PLSYCL_POINTER_COMPARISON(==)
  PLSYCL_POINTER_COMPARISON(!=)
  PLSYCL_POINTER_COMPARISON(<)
  PLSYCL_POINTER_COMPARISON(>)
  PLSYCL_POINTER_COMPARISON(<=)
  PLSYCL_POINTER_COMPARISON(>=)
#undef PLSYCL_POINTER_COMPARISON

private:
  template <typename Pointer> Pointer pointer_of() const { return (Pointer)place; }
  /// The first element that an accessor covers, as a plain pointer.
  template <typename Accessor> static raw_type first_of(const Accessor &from) {
    return const_cast<std::remove_const_t<typename Accessor::value_type> *>(
        (typename Accessor::value_type *)std::addressof(*from.get_pointer()));
  }

  decorated_type place;
};

template <typename Type, int Dimensions, access::placeholder Holder>
multi_ptr(accessor<Type, Dimensions, access_mode::read, target::device, Holder>)
    -> multi_ptr<const Type, access::address_space::global_space, access::decorated::no>;
template <typename Type, int Dimensions, access::placeholder Holder>
multi_ptr(accessor<Type, Dimensions, access_mode::write, target::device, Holder>)
    -> multi_ptr<Type, access::address_space::global_space, access::decorated::no>;
template <typename Type, int Dimensions, access::placeholder Holder>
multi_ptr(accessor<Type, Dimensions, access_mode::read_write, target::device, Holder>)
    -> multi_ptr<Type, access::address_space::global_space, access::decorated::no>;
template <typename Type, int Dimensions, access_mode Mode, access::placeholder Holder>
multi_ptr(accessor<Type, Dimensions, Mode, target::constant_buffer, Holder>)
    -> multi_ptr<const Type, access::address_space::constant_space, access::decorated::no>;
template <typename Type, int Dimensions, access_mode Mode, access::placeholder Holder>
multi_ptr(accessor<Type, Dimensions, Mode, target::local, Holder>)
    -> multi_ptr<Type, access::address_space::local_space, access::decorated::no>;
template <typename Type, int Dimensions>
multi_ptr(local_accessor<Type, Dimensions>)
    -> multi_ptr<Type, access::address_space::local_space, access::decorated::no>;

// ---- names for each address space ----

template <typename Type, access::decorated Decorated = access::decorated::legacy>
using global_ptr = multi_ptr<Type, access::address_space::global_space, Decorated>;
template <typename Type, access::decorated Decorated = access::decorated::legacy>
using local_ptr = multi_ptr<Type, access::address_space::local_space, Decorated>;
template <typename Type, access::decorated Decorated = access::decorated::legacy>
using private_ptr = multi_ptr<Type, access::address_space::private_space, Decorated>;
template <typename Type, access::decorated Decorated = access::decorated::legacy>
using generic_ptr = multi_ptr<Type, access::address_space::generic_space, Decorated>;
/// Deprecated: kernels read constants from global memory.
template <typename Type, access::decorated Decorated = access::decorated::legacy>
using constant_ptr = multi_ptr<Type, access::address_space::constant_space, Decorated>;

template <typename Type> using raw_global_ptr = global_ptr<Type, access::decorated::no>;
template <typename Type> using raw_local_ptr = local_ptr<Type, access::decorated::no>;
template <typename Type> using raw_private_ptr = private_ptr<Type, access::decorated::no>;
template <typename Type> using raw_generic_ptr = generic_ptr<Type, access::decorated::no>;

template <typename Type> using decorated_global_ptr = global_ptr<Type, access::decorated::yes>;
template <typename Type> using decorated_local_ptr = local_ptr<Type, access::decorated::yes>;
template <typename Type> using decorated_private_ptr = private_ptr<Type, access::decorated::yes>;
template <typename Type> using decorated_generic_ptr = generic_ptr<Type, access::decorated::yes>;

// ---- pointers of an address space from plain ones, which must point into it ----

namespace detail {

/// The pointer as one into the space, which it is known to point into.
template <access::address_space Space, access::decorated DecorateAddress, typename ElementType>
multi_ptr<ElementType, Space, DecorateAddress> asserted_cast(ElementType *place) {
  return multi_ptr<ElementType, Space, DecorateAddress>(
      (decorated_pointer<ElementType, Space>)place);
}

} // namespace detail

/// The pointer as one into the space, which it has to point into. (SYCL wants null of others, which
/// drivers do not tell in general: khr::dynamic_addrspace_cast asks them.)
template <access::address_space Space, access::decorated DecorateAddress, typename ElementType>
multi_ptr<ElementType, Space, DecorateAddress> address_space_cast(ElementType *place) {
  return detail::asserted_cast<Space, DecorateAddress>(place);
}

/// Deprecated: address_space_cast is SYCL 2020's.
template <typename ElementType, access::address_space Space,
          access::decorated DecorateAddress = access::decorated::legacy>
multi_ptr<ElementType, Space, DecorateAddress> make_ptr(ElementType *place) {
  return detail::asserted_cast<Space, DecorateAddress>(place);
}
#ifdef __SYCL_DEVICE_ONLY__
template <typename ElementType, access::address_space Space,
          access::decorated DecorateAddress = access::decorated::legacy,
          typename Decorated = typename detail::decoration<ElementType, Space>::type,
          std::enable_if_t<!std::is_same_v<Decorated, ElementType>, int> = 0>
multi_ptr<ElementType, Space, DecorateAddress> make_ptr(Decorated *place) {
  return multi_ptr<ElementType, Space, DecorateAddress>(place);
}
#endif

} // namespace sycl
