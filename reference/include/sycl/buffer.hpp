//===- buffer.hpp - memory that moves between host and devices as it is needed ---------------===//
#pragma once

#include <sycl/access.hpp>
#include <sycl/context.hpp>
#include <sycl/detail/config.hpp>
#include <sycl/detail/declared.hpp>
#include <sycl/detail/handle.hpp>
#include <sycl/id.hpp>
#include <sycl/is_device_copyable.hpp>
#include <sycl/property_list.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>

PLSYCL_HOST_FILE

namespace sycl {

template <typename Type, int Dimensions, typename Allocator> class buffer;

namespace property::buffer {
/// The buffer is used in this context alone.
class context_bound {
public:
  context_bound(const sycl::context &bound) : bound(bound) {}
  sycl::context get_context() const { return bound; }

private:
  sycl::context bound;
};
} // namespace property::buffer
template <> struct is_property<property::buffer::context_bound> : std::true_type {};

template <typename Type> using buffer_allocator = std::allocator<std::remove_const_t<Type>>;
template <typename Type, int Dimensions, access_mode Mode, target Target,
          access::placeholder Holder>
class accessor;
template <typename Type, int Dimensions, access_mode Mode> class host_accessor;

namespace detail {

/// What a buffer does with memory of the host's that it starts from.
enum class host_data {
  copied, // It is the program's again once the buffer is there.
  kept,   // The program has it stay as it is until the buffer is gone.
  used,   // The buffer works on it.
};

/// What the copies of a buffer share. The last one waits and writes back.
PLSYCL_LATE class basic_buffer_state {
public:
  using destination = std::function<void(const void *)>;

  basic_buffer_state(std::size_t size, void *host, host_data use, const property_list &properties)
      : properties(properties), size(size), is_attached(host && use != host_data::copied) {
    if (use == host_data::used || (use == host_data::kept && has_use_host_ptr()))
      own_place = host;
    if (own_place &&
        properties.has_property<ext::oneapi::property::buffer::use_pinned_host_memory>())
      fail(errc::invalid, "a buffer of the host's memory cannot have pinned memory beside");
    plsycl_memory object = nullptr;
    check(plsycl_memory_create(size, host, own_place != nullptr, &object));
    memory = memory_handle(object);
    if (own_place && use == host_data::kept)
      plsycl_memory_keep_host(object, true);
    if (properties.has_property<property::buffer::use_mutex>())
      guard(*properties.get_property<property::buffer::use_mutex>().get_mutex_ptr());
    else if (properties.has_property<property::image::use_mutex>())
      guard(*properties.get_property<property::image::use_mutex>().get_mutex_ptr());
  }
  /// Works on memory of the driver's that the program made.
  basic_buffer_state(memory_handle memory, std::size_t size)
      : memory(std::move(memory)), size(size), is_foreign(true) {}
  basic_buffer_state(const basic_buffer_state &) = delete;
  basic_buffer_state &operator=(const basic_buffer_state &) = delete;
  ~basic_buffer_state() {
    if (is_attached || is_guarded || (writes_back && final_place))
      write_back();
    if (is_foreign)
      plsycl_memory_settle(memory.get()); // As below: there is nobody to tell.
  }

  /// Where the contents go at the end, empty for nowhere.
  void set_final_place(destination place, bool is_own_place) {
    final_place = std::move(place);
    final_is_own = is_own_place;
    keep_or_use_host();
  }
  void set_write_back(bool flag) {
    writes_back = flag;
    keep_or_use_host();
  }
  /// Whether the buffer was made to work on these bytes, and they are all of it.
  bool is_own_place(const void *place, std::size_t bytes) const {
    return place && place == own_place && bytes == size;
  }

  /// Keeps the host's memory, which the program's pointer owns.
  template <typename Pointer> void keep(const Pointer &host) {
    owner = shared<Pointer>::make(host);
  }

  memory_handle memory;
  property_list properties;

private:
  void write_back() {
    // Commands that only read use the host's memory as well.
    const bool is_there = plsycl_memory_leave(memory.get());
    if (!(writes_back && final_place) || (final_is_own && is_there) ||
        !plsycl_memory_is_written(memory.get()))
      return;
    std::uint32_t access = PLSYCL_ACCESS_READ | PLSYCL_ACCESS_WRITE;
    void *bytes = nullptr;
    if (plsycl_memory_host_acquire(memory.get(), access, 0, SIZE_MAX, &bytes) != 0) {
      access = PLSYCL_ACCESS_READ; // All that there can be beside an accessor of this thread.
      if (plsycl_memory_host_acquire(memory.get(), access, 0, SIZE_MAX, &bytes) != 0)
        return; // A destructor has nobody to tell; the failed command is reported by its queue.
    }
    final_place(bytes);
    plsycl_memory_host_release(memory.get(), access, 0, SIZE_MAX);
    plsycl_memory_leave(memory.get());
  }

  /// The host's memory may change before the end only if it does at the end, or if the program will
  /// have the buffer use no other.
  void keep_or_use_host() {
    if (own_place && !has_use_host_ptr())
      plsycl_memory_keep_host(memory.get(), !(writes_back && final_place && final_is_own));
  }
  bool has_use_host_ptr() const {
    return properties.has_property<property::buffer::use_host_ptr>() ||
           properties.has_property<property::image::use_host_ptr>();
  }
  /// Has the runtime keep the mutex while anything uses the buffer.
  void guard(std::mutex &mutex) {
    check(plsycl_memory_guard(
        memory.get(), &mutex, [](void *place) { static_cast<std::mutex *>(place)->lock(); },
        [](void *place) -> std::int32_t { return static_cast<std::mutex *>(place)->try_lock(); },
        [](void *place) { static_cast<std::mutex *>(place)->unlock(); }));
    is_guarded = true;
  }

  shared<const void> owner;
  std::size_t size;
  /// The host's memory that the buffer was made to work on.
  const void *own_place = nullptr;
  destination final_place;
  bool is_attached = false;
  bool is_foreign = false;
  bool is_guarded = false;
  bool final_is_own = false;
  bool writes_back = true;
};
using buffer_state = basic_buffer_state<>;

template <typename Type> using if_iterator = typename std::iterator_traits<Type>::iterator_category;
template <typename Container>
using contiguous_elements =
    decltype(std::size(std::declval<Container &>()), std::data(std::declval<Container &>()));
template <typename Container, typename = void> struct is_contiguous : std::false_type {};
template <typename Container>
struct is_contiguous<Container, std::void_t<contiguous_elements<Container>>> : std::true_type {};
template <typename Container, typename = void> struct elements_of {
  using type = void;
};
template <typename Container>
struct elements_of<Container, std::void_t<contiguous_elements<Container>>> {
  using type = contiguous_elements<Container>;
};
/// A container whose elements a buffer of `T` can work on or copy, and that is no buffer.
template <typename Container, typename Type, typename Buffer>
using if_container = std::enable_if_t<
    std::conjunction_v<is_contiguous<Container>,
                       std::negation<std::is_same<std::decay_t<Container>, Buffer>>,
                       std::is_convertible<typename elements_of<Container>::type, const Type *>>,
    int>;

/// A copy of a sequence in contiguous memory, also of elements that std::vector packs or cannot
/// make.
template <typename Type> class sequence {
public:
  template <typename Iterator> sequence(Iterator first, Iterator last) {
    using category = typename std::iterator_traits<Iterator>::iterator_category;
    if constexpr (std::is_base_of_v<std::forward_iterator_tag, category>) {
      own.reserve(static_cast<std::size_t>(std::distance(first, last)));
      std::uninitialized_copy(first, last, own.elements);
      own.count = own.room;
    } else {
      // What a stream gives can be had once.
      for (; first != last; ++first) {
        if (own.count == own.room)
          own.grow();
        ::new (static_cast<void *>(own.elements + own.count)) Type(*first);
        ++own.count;
      }
    }
  }
  std::size_t size() const { return own.count; }
  Type *data() const { return own.elements; }

private:
  /// Ends the elements there are, however the sequence's constructor ends.
  struct storage {
    storage() = default;
    storage(const storage &) = delete;
    storage &operator=(const storage &) = delete;
    ~storage() {
      std::destroy_n(elements, count);
      if (elements)
        std::allocator<Type>().deallocate(elements, room);
    }
    void reserve(std::size_t size) {
      elements = std::allocator<Type>().allocate(size);
      room = size;
    }
    void grow() {
      storage larger;
      larger.reserve(room ? 2 * room : 16);
      if constexpr (std::is_move_constructible_v<Type>)
        std::uninitialized_move_n(elements, count, larger.elements);
      else
        std::uninitialized_copy_n(elements, count, larger.elements);
      larger.count = count;
      std::swap(elements, larger.elements);
      std::swap(room, larger.room);
    }
    std::size_t count = 0, room = 0;
    Type *elements = nullptr;
  };
  storage own;
};

/// The bytes of so many elements; errc::memory_allocation where they cannot be counted.
template <int Dimensions>
std::size_t bytes_of_range(const range<Dimensions> &size, std::size_t element) {
  std::size_t bytes = element;
  for (int i = 0; i < Dimensions; ++i)
    if (size[i] == 0)
      return 0;
  for (int i = 0; i < Dimensions; ++i) {
    if (bytes > SIZE_MAX / size[i])
      fail(errc::memory_allocation, "a buffer's bytes cannot be counted");
    bytes *= size[i];
  }
  return bytes;
}

/// What a pointer of the program's points to. By itself, where programs have to give such a pointer
/// before its class is instantiated.
template <typename Type> Type *place_of(const std::shared_ptr<Type> &pointer) {
  return pointer.get();
}
template <typename Type> struct is_shared_pointer : std::false_type {};
template <typename Type> struct is_shared_pointer<std::shared_ptr<Type>> : std::true_type {};
template <typename Type> struct is_weak_pointer : std::false_type {};
template <typename Type> struct is_weak_pointer<std::weak_ptr<Type>> : std::true_type {};

/// The accessor for a group's host task of the part and the mode that the arguments say.
template <typename Type, int Dimensions, typename Allocator, typename... Arguments>
auto access_of_host_task(buffer<Type, Dimensions, Allocator> &memory, handler &group,
                         const Arguments &...arguments);

} // namespace detail

/// One to three dimensions of elements of type `Type`.
template <typename Type, int Dimensions = 1, typename Allocator = buffer_allocator<Type>>
class buffer : public detail::by_identity<buffer<Type, Dimensions, Allocator>> {
  static_assert(is_device_copyable_v<std::remove_const_t<Type>>, "devices copy elements as bytes");
  using Element = std::remove_const_t<Type>;
  static constexpr auto host_use =
      std::is_const_v<Type> ? detail::host_data::kept : detail::host_data::used;
  template <typename Other, int Dims>
  using reinterpreted = buffer<
      Other, Dims,
      typename std::allocator_traits<Allocator>::template rebind_alloc<std::remove_const_t<Other>>>;

public:
  using value_type = Type;
  using reference = Type &;
  using const_reference = const Type &;
  using allocator_type = Allocator;

  /// Contents undefined until something writes them.
  buffer(const range<Dimensions> &size, const property_list &properties = {})
      : buffer(size, Allocator(), properties) {}
  buffer(const range<Dimensions> &size, Allocator allocator, const property_list &properties = {})
      : buffer(size, nullptr, detail::host_data::copied, allocator, properties) {}

  /// Works on the host's memory, which holds the results when the buffer is gone.
  buffer(Type *host, const range<Dimensions> &size, const property_list &properties = {})
      : buffer(host, size, Allocator(), properties) {}
  buffer(Type *host, const range<Dimensions> &size, Allocator allocator,
         const property_list &properties = {})
      : buffer(size, const_cast<Element *>(host), host_use, allocator, properties) {
    if constexpr (!std::is_const_v<Type>)
      if (host)
        set_final_data(host);
  }

  /// Starts as constant memory is, which stays so.
  template <typename Other = Type, std::enable_if_t<!std::is_const_v<Other>, int> = 0>
  buffer(const Type *host, const range<Dimensions> &size, const property_list &properties = {})
      : buffer(host, size, Allocator(), properties) {}
  template <typename Other = Type, std::enable_if_t<!std::is_const_v<Other>, int> = 0>
  buffer(const Type *host, const range<Dimensions> &size, Allocator allocator,
         const property_list &properties = {})
      : buffer(size, const_cast<Element *>(host), detail::host_data::kept, allocator, properties) {}

  /// Works on what the host's pointer owns, and keeps it.
  buffer(const std::shared_ptr<Type> &host, const range<Dimensions> &size,
         const property_list &properties = {})
      : buffer(host, size, Allocator(), properties) {}
  buffer(const std::shared_ptr<Type> &host, const range<Dimensions> &size, Allocator allocator,
         const property_list &properties = {})
      : buffer(size, const_cast<Element *>(host.get()), host_use, allocator, properties) {
    share(host);
  }
  buffer(const std::shared_ptr<Type[]> &host, const range<Dimensions> &size,
         const property_list &properties = {})
      : buffer(host, size, Allocator(), properties) {}
  buffer(const std::shared_ptr<Type[]> &host, const range<Dimensions> &size, Allocator allocator,
         const property_list &properties = {})
      : buffer(size, const_cast<Element *>(host.get()), host_use, allocator, properties) {
    share(host);
  }

  /// Starts as a copy of a sequence; writes back only when told where.
  template <typename Iterator, int Dims = Dimensions, typename = detail::if_iterator<Iterator>,
            std::enable_if_t<Dims == 1, int> = 0>
  buffer(Iterator first, Iterator last, const property_list &properties = {})
      : buffer(first, last, Allocator(), properties) {}
  template <typename Iterator, int Dims = Dimensions, typename = detail::if_iterator<Iterator>,
            std::enable_if_t<Dims == 1, int> = 0>
  buffer(Iterator first, Iterator last, Allocator allocator, const property_list &properties = {})
      : buffer(detail::sequence<Element>(first, last), allocator, properties) {}

  /// Works on a contiguous container's memory.
  template <typename Container, int Dims = Dimensions,
            detail::if_container<Container, Type, buffer> = 0, std::enable_if_t<Dims == 1, int> = 0>
  buffer(Container &container, const property_list &properties = {})
      : buffer(container, Allocator(), properties) {}
  template <typename Container, int Dims = Dimensions,
            detail::if_container<Container, Type, buffer> = 0, std::enable_if_t<Dims == 1, int> = 0>
  buffer(Container &container, Allocator allocator, const property_list &properties = {})
      : buffer(std::data(container), range<1>(std::size(container)), allocator, properties) {}

  /// A contiguous part of another buffer, sharing its memory.
  buffer(buffer &whole, const id<Dimensions> &first, const range<Dimensions> &size)
      : state(whole.state), allocator(whole.allocator), size_(size),
        memory_range(whole.memory_range), first(whole.first + first), is_part(true),
        view(detail::shared<char>::make()) {
    if (whole.is_part)
      detail::fail(errc::invalid, "a sub-buffer of a sub-buffer");
    bool full = true; // Each dimension after one that is not covered in full must be a single one.
    for (int i = Dimensions - 1; i >= 0; --i) {
      if (first[i] > whole.size_[i] || size[i] > whole.size_[i] - first[i])
        detail::fail(errc::invalid, "a sub-buffer must lie within its buffer");
      if (!full && size[i] != 1)
        detail::fail(errc::invalid, "a sub-buffer must be contiguous");
      full = full && size[i] == whole.size_[i];
    }
  }

  range<Dimensions> get_range() const { return size_; }
  std::size_t size() const noexcept { return size_.size(); }
  std::size_t get_count() const noexcept { return size(); }
  std::size_t byte_size() const noexcept { return size() * sizeof(Type); }
  std::size_t get_size() const noexcept { return byte_size(); }
  bool is_sub_buffer() const { return is_part; }
  Allocator get_allocator() const { return allocator; }

  /// DPC++'s programs say the host's buffer for what a host task of the command group uses.
  template <access_mode Mode = access_mode::read_write, target Target = target::device>
  auto get_access(handler &group) {
    return accessor<Type, Dimensions, Mode, in_command(Target), access::placeholder::false_t>(
        *this, group);
  }
  template <access_mode Mode = access_mode::read_write, target Target = target::device>
  auto get_access(handler &group, range<Dimensions> covered, id<Dimensions> offset = {}) {
    return accessor<Type, Dimensions, Mode, in_command(Target), access::placeholder::false_t>(
        *this, group, covered, offset);
  }
  /// An accessor of the mode that a tag among the arguments says.
  template <typename... Arguments> auto get_access(handler &group, Arguments... arguments) {
    return accessor(*this, group, arguments...);
  }
  /// A placeholder, of the part and the mode that the arguments say.
  template <typename... Arguments,
            std::enable_if_t<(!std::is_same_v<Arguments, handler> && ...), int> = 0>
  auto get_access(Arguments... arguments) {
    return accessor(*this, arguments...);
  }
  /// SYCL 1.2.1's host accessors; deprecated.
  template <access_mode Mode> auto get_access() {
    return accessor<Type, Dimensions, Mode, target::host_buffer, access::placeholder::false_t>(
        *this);
  }
  template <access_mode Mode>
  auto get_access(range<Dimensions> covered, id<Dimensions> offset = {}) {
    return accessor<Type, Dimensions, Mode, target::host_buffer, access::placeholder::false_t>(
        *this, covered, offset);
  }
  template <typename... Arguments> auto get_host_access(Arguments... arguments) {
    return host_accessor(*this, arguments...);
  }
  /// DPC++'s: for the host task of the command group.
  template <typename... Arguments> auto get_host_access(handler &group, Arguments... arguments) {
    return detail::access_of_host_task(*this, group, arguments...);
  }

  /// Where the contents go when the buffer is gone: a pointer, an iterator or a weak pointer.
  template <typename Destination = std::nullptr_t>
  void set_final_data(Destination destination = nullptr) {
    auto elements = [begin = linear_first(), count = size()](const void *bytes) {
      const Element *data = static_cast<const Element *>(bytes) + begin;
      return std::make_pair(data, data + count);
    };
    if constexpr (std::is_same_v<Destination, std::nullptr_t>) {
      state->set_final_place(nullptr, false);
    } else if constexpr (detail::is_shared_pointer<Destination>::value) {
      set_final_data(typename Destination::weak_type(destination));
    } else if constexpr (detail::is_weak_pointer<Destination>::value) {
      auto write = [=](const void *bytes) {
        if (auto alive = destination.lock())
          copy_elements(elements(bytes), alive.get());
      };
      state->set_final_place(write, false);
    } else {
      bool is_own = false;
      if constexpr (std::is_pointer_v<Destination>) {
        if (!destination)
          return set_final_data(nullptr);
        is_own = state->is_own_place(destination, byte_size());
      }
      auto write = [=](const void *bytes) { copy_elements(elements(bytes), destination); };
      state->set_final_place(write, is_own);
    }
  }
  /// Whether they go there.
  void set_write_back(bool flag = true) { state->set_write_back(flag); }

  template <typename Property> bool has_property() const noexcept {
    return state->properties.template has_property<Property>();
  }
  template <typename Property> Property get_property() const {
    return state->properties.template get_property<Property>();
  }

  /// The same memory seen as elements of another type or shape.
  template <typename Other, int Dims>
  reinterpreted<Other, Dims> reinterpret(range<Dims> shape) const {
    if (shape.size() * sizeof(Other) != byte_size())
      detail::fail(errc::invalid, "a reinterpreted buffer must cover the same bytes");
    const std::size_t begin = linear_first() * sizeof(Type);
    if (begin % sizeof(Other) != 0)
      detail::fail(errc::invalid, "a reinterpreted sub-buffer must begin at an element");
    return reinterpreted<Other, Dims>(state, shape, begin / sizeof(Other), is_part,
                                      detail::shared<char>::make(), allocator);
  }
  template <
      typename Other, int Dims = Dimensions,
      std::enable_if_t<Dims == 1 || (Dims == Dimensions && sizeof(Other) == sizeof(Type)), int> = 0>
  reinterpreted<Other, Dims> reinterpret() const {
    if constexpr (Dims == Dimensions && sizeof(Other) == sizeof(Type))
      return reinterpret<Other, Dims>(size_);
    else
      return reinterpret<Other, Dims>(range<1>(byte_size() / sizeof(Other)));
  }

  /// For the implementation: memory of the driver's.
  explicit buffer(detail::shared<detail::buffer_state> made, const range<Dimensions> &size)
      : buffer(std::move(made), size, 0, false, nullptr, Allocator()) {}

  /// For the implementation.
  plsycl_memory get() const { return state->memory.get(); }
  const range<Dimensions> &get_memory_range() const { return memory_range; }
  const id<Dimensions> &get_first() const { return first; }
  const void *identity() const {
    return view ? static_cast<const void *>(view.get()) : state.get();
  }
  /// What finds the buffer while it lives.
  auto watch() const {
    return [known = detail::watched(state), is_view = view != nullptr, view = detail::watched(view),
            allocator = allocator, size = size_, whole = memory_range, first = first,
            is_part = is_part]() -> std::optional<buffer> {
      auto found = known.lock();
      auto own = view.lock();
      if (!found || (is_view && !own))
        return std::nullopt;
      buffer again(std::move(found), size, 0, is_part, std::move(own), allocator);
      again.memory_range = whole;
      again.first = first;
      return again;
    };
  }

private:
  template <typename Other, int OtherDims, typename OtherAllocator> friend class buffer;

  static constexpr target in_command(target asked) {
    return asked == target::host_buffer ? target::host_task : asked;
  }

  buffer(const range<Dimensions> &size, void *host, detail::host_data use, Allocator allocator,
         const property_list &properties)
      : state(detail::shared<detail::buffer_state>::make(detail::bytes_of_range(size, sizeof(Type)),
                                                         host, use, properties)),
        allocator(allocator), size_(size), memory_range(size) {}
  buffer(const detail::sequence<Element> &contents, Allocator allocator,
         const property_list &properties)
      : buffer(range<Dimensions>(contents.size()), contents.data(), detail::host_data::copied,
               allocator, properties) {}
  /// `begin` is the number of the first element in the memory, of which only the dimension that
  /// varies slowest may be longer than the shape says.
  buffer(detail::shared<detail::buffer_state> state, range<Dimensions> shape, std::size_t begin,
         bool is_part, detail::shared<const char> view, const Allocator &allocator)
      : state(std::move(state)), allocator(allocator), size_(shape), memory_range(shape),
        is_part(is_part), view(std::move(view)) {
    for (int i = Dimensions - 1; i > 0 && shape[i] > 0; --i) {
      first[i] = begin % shape[i];
      begin /= shape[i];
    }
    first[0] = begin;
  }

  /// Keeps the host's memory, and has it hold the results when the buffer is gone.
  template <typename Pointer> void share(const Pointer &host) {
    state->keep(host);
    if constexpr (!std::is_const_v<Type>)
      if (host)
        set_final_data(host.get());
  }

  std::size_t linear_first() const { return detail::linear_index(first, memory_range); }

  template <typename Elements, typename Destination>
  static void copy_elements(Elements elements, Destination destination) {
    if constexpr (std::is_pointer_v<Destination>)
      if (static_cast<const void *>(destination) == static_cast<const void *>(elements.first))
        return; // The buffer worked on that very memory.
    // Neither arrays nor what nothing says the type of can be assigned to.
    if constexpr (std::is_pointer_v<Destination> &&
                  (std::is_void_v<std::remove_pointer_t<Destination>> || std::is_array_v<Element>))
      std::memcpy(destination, elements.first,
                  sizeof(Element) * static_cast<std::size_t>(elements.second - elements.first));
    else
      std::copy(elements.first, elements.second, destination);
  }

  detail::shared<detail::buffer_state> state;
  Allocator allocator;
  range<Dimensions> size_;
  range<Dimensions> memory_range;
  id<Dimensions> first;
  bool is_part = false;
  /// What copies of a part, or of another view, have in common; null for a buffer itself.
  detail::shared<const char> view;
};

template <typename Iterator, typename = detail::if_iterator<Iterator>>
buffer(Iterator, Iterator, const property_list & = {})
    -> buffer<typename std::iterator_traits<Iterator>::value_type, 1>;
template <typename Iterator, typename Allocator, typename = detail::if_iterator<Iterator>,
          typename = typename Allocator::value_type>
buffer(Iterator, Iterator, Allocator, const property_list & = {})
    -> buffer<typename std::iterator_traits<Iterator>::value_type, 1, Allocator>;
template <typename Type, int Dimensions>
buffer(Type *, const range<Dimensions> &, const property_list & = {}) -> buffer<Type, Dimensions>;
template <typename Type, int Dimensions>
buffer(const Type *, const range<Dimensions> &, const property_list & = {})
    -> buffer<Type, Dimensions>;
template <typename Type, int Dimensions, typename Allocator,
          typename = typename Allocator::value_type>
buffer(const Type *, const range<Dimensions> &, Allocator, const property_list & = {})
    -> buffer<Type, Dimensions, Allocator>;
template <typename Type, int Dimensions, typename Allocator,
          typename = typename Allocator::value_type>
buffer(Type *, const range<Dimensions> &, Allocator, const property_list & = {})
    -> buffer<Type, Dimensions, Allocator>;
template <typename Container, typename = detail::contiguous_elements<Container>>
buffer(Container &, const property_list & = {}) -> buffer<typename Container::value_type, 1>;
template <typename Container, typename Allocator, typename = detail::contiguous_elements<Container>,
          typename = typename Allocator::value_type>
buffer(Container &, Allocator, const property_list & = {})
    -> buffer<typename Container::value_type, 1, Allocator>;

template <typename Type, int Dims, typename Allocator>
struct is_property_of<ext::oneapi::property::buffer::use_pinned_host_memory,
                      buffer<Type, Dims, Allocator>> : std::true_type {};
template <typename Type, int Dims, typename Allocator>
struct is_property_of<property::buffer::use_host_ptr, buffer<Type, Dims, Allocator>>
    : std::true_type {};
template <typename Type, int Dims, typename Allocator>
struct is_property_of<property::buffer::use_mutex, buffer<Type, Dims, Allocator>> : std::true_type {
};
template <typename Type, int Dims, typename Allocator>
struct is_property_of<property::buffer::context_bound, buffer<Type, Dims, Allocator>>
    : std::true_type {};

} // namespace sycl

namespace std {
template <typename Type, int Dimensions, typename Allocator>
struct hash<sycl::buffer<Type, Dimensions, Allocator>> : sycl::detail::hash_by_identity {};
} // namespace std
