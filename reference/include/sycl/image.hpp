//===- image.hpp - images (SYCL 2020, "Images") ----------------------------------------------===//
#pragma once

#include <sycl/buffer.hpp>
#include <sycl/detail/config.hpp>
#include <sycl/detail/image_sampling.hpp>

#include <cstdint>

PLSYCL_HOST_FILE

namespace sycl {

namespace property::image {
/// The image is used in this context alone.
class context_bound : public property::buffer::context_bound {
public:
  using property::buffer::context_bound::context_bound;
};
} // namespace property::image
template <> struct is_property<property::image::context_bound> : std::true_type {};

using image_allocator = std::allocator<std::byte>;

/// Where an accessor's image is used.
enum class image_target : unsigned int { device, host_task };

template <typename Data, int Dimensions, access_mode Mode,
          image_target Target = image_target::device>
class unsampled_image_accessor;
template <typename Data, int Dimensions, image_target Target = image_target::device>
class sampled_image_accessor;
template <typename Data, int Dimensions = 1,
          access_mode Mode = std::is_const_v<Data> ? access_mode::read : access_mode::read_write>
class host_unsampled_image_accessor;
template <typename Data, int Dimensions> class host_sampled_image_accessor;

namespace detail {

/// The layout of an image whose rows, or slices, may be longer than what they hold.
template <int Dimensions, int Pitches>
image_layout layout_of(const pixel_format &format, const range<Dimensions> &size,
                       const range<Pitches> *pitch) {
  image_layout layout = {format, {1, 1, 1}, format.size(), 0, 0};
  for (int i = 0; i < Dimensions; ++i) {
    if (size[i] > std::numeric_limits<std::int32_t>::max())
      fail(errc::invalid, "an image's size is beyond what coordinates reach");
    layout.size[i] = static_cast<std::int32_t>(size[i]);
  }
  layout.row_pitch = layout.size[0] * layout.pixel_pitch;
  if (Dimensions > 1 && pitch) {
    if ((*pitch)[0] < layout.row_pitch)
      fail(errc::invalid, "the rows of an image would overlap");
    layout.row_pitch = (*pitch)[0];
  }
  layout.slice_pitch = layout.row_pitch * layout.size[1];
  if (Dimensions > 2 && pitch) {
    if ((*pitch)[Pitches - 1] < layout.slice_pitch)
      fail(errc::invalid, "the slices of an image would overlap");
    layout.slice_pitch = (*pitch)[Pitches - 1];
  }
  return layout;
}

/// The sizes of an image as programs have them.
template <int Dimensions> range<Dimensions> range_of(const image_layout &layout) {
  range<Dimensions> size;
  for (int i = 0; i < Dimensions; ++i)
    size[i] = static_cast<std::size_t>(layout.size[i]);
  return size;
}

/// What all kinds of images have.
template <int Dimensions> class image_base {
public:
  static_assert(Dimensions >= 1 && Dimensions <= 3, "an image has one to three dimensions");

  range<Dimensions> get_range() const { return range_of<Dimensions>(layout); }
  /// Bytes from one row to the next and, in three dimensions, from one slice to the next.
  template <int Dims = Dimensions, std::enable_if_t<(Dims > 1), int> = 0>
  range<Dims - 1> get_pitch() const {
    range<Dims - 1> pitch;
    pitch[0] = layout.row_pitch;
    if constexpr (Dims == 3)
      pitch[1] = layout.slice_pitch;
    return pitch;
  }
  std::size_t size() const noexcept { return get_range().size(); }
  std::size_t byte_size() const noexcept { return layout.slice_pitch * layout.size[2]; }

  template <typename Property> bool has_property() const noexcept {
    return state->properties.template has_property<Property>();
  }
  template <typename Property> Property get_property() const {
    return state->properties.template get_property<Property>();
  }

  /// For the implementation.
  plsycl_memory get() const { return state->memory.get(); }
  const image_layout &get_layout() const { return layout; }
  const void *identity() const { return state.get(); }

protected:
  static shared<buffer_state> &state_of(image_base &image) { return image.state; }
  /// What finds an image like this one while it lives.
  template <typename Image> static auto watch(const Image &image) {
    // The rest of it keeps nothing alive.
    auto rest = shared<Image>::make(image);
    watched<buffer_state> known = std::exchange(state_of(*rest), nullptr);
    return [known, rest = shared<const Image>(rest)]() -> std::optional<Image> {
      auto found = known.lock();
      if (!found)
        return std::nullopt;
      Image again = *rest;
      state_of(again) = std::move(found);
      return again;
    };
  }

  template <int Pitches>
  image_base(const pixel_format &format, const range<Dimensions> &size, const range<Pitches> *pitch,
             void *host, host_data use, const property_list &properties)
      : layout(layout_of(format, size, pitch)),
        state(shared<buffer_state>::make(byte_size(), host, use, properties)) {}
  image_base(memory_handle pixels, const image_layout &layout)
      : layout(layout), state(shared<buffer_state>::make(std::move(pixels), byte_size())) {}

  image_layout layout;
  shared<buffer_state> state;
};

/// What images have that commands write.
template <int Dimensions> class written_image : public image_base<Dimensions> {
public:
  /// Where the bytes go when the image is gone: a pointer, an iterator or a weak pointer.
  template <typename Destination = std::nullptr_t>
  void set_final_data(Destination destination = nullptr) {
    const std::size_t size = this->byte_size();
    if constexpr (std::is_same_v<Destination, std::nullptr_t>) {
      this->state->set_final_place(nullptr, false);
    } else if constexpr (std::is_pointer_v<Destination>) {
      if (!destination)
        return set_final_data(nullptr);
      auto write = [=](const void *bytes) {
        if (static_cast<const void *>(destination) != bytes)
          std::memcpy(destination, bytes, size);
      };
      this->state->set_final_place(write, this->state->is_own_place(destination, size));
    } else if constexpr (detail::is_shared_pointer<Destination>::value) {
      set_final_data(typename Destination::weak_type(destination));
    } else if constexpr (detail::is_weak_pointer<Destination>::value) {
      auto write = [=](const void *bytes) {
        if (auto alive = destination.lock())
          std::memcpy(alive.get(), bytes, size);
      };
      this->state->set_final_place(write, false);
    } else {
      // An iterator that only takes values says nothing of their type.
      using given = typename std::iterator_traits<Destination>::value_type;
      using element = std::conditional_t<std::is_void_v<given>, unsigned char, given>;
      static_assert(std::is_trivially_copyable_v<element>, "pixels are bytes");
      auto write = [=](const void *bytes) {
        const auto *first = static_cast<const element *>(bytes);
        std::copy(first, first + size / sizeof(element), destination);
      };
      this->state->set_final_place(write, false);
    }
  }
  /// Whether they go there.
  void set_write_back(bool flag = true) { this->state->set_write_back(flag); }

protected:
  using image_base<Dimensions>::image_base;
};

/// Pitches of an image that has none to give.
inline constexpr const range<1> *no_pitch = nullptr;

} // namespace detail

/// Pixels that kernels read by the number of each, and write.
template <int Dimensions = 1, typename Allocator = image_allocator>
class unsampled_image : public detail::written_image<Dimensions>,
                        public detail::by_identity<unsampled_image<Dimensions, Allocator>> {
  using base = detail::written_image<Dimensions>;
  using base::state;
  template <int Dims> using pitch_type = range<(Dims > 1 ? Dims - 1 : 1)>;
  template <int Dims> using if_pitched = std::enable_if_t<(Dims > 1), int>;

public:
  using allocator_type = Allocator;

  /// Contents undefined until something writes them.
  unsampled_image(image_format format, const range<Dimensions> &size,
                  const property_list &properties = {})
      : unsampled_image(format, size, Allocator(), properties) {}
  unsampled_image(image_format format, const range<Dimensions> &size, Allocator allocator,
                  const property_list &properties = {})
      : base(detail::format_of(format), size, detail::no_pitch, nullptr, detail::host_data::copied,
             properties),
        allocator(allocator) {}
  template <int Dims = Dimensions, if_pitched<Dims> = 0>
  unsampled_image(image_format format, const range<Dimensions> &size, const pitch_type<Dims> &pitch,
                  const property_list &properties = {})
      : unsampled_image(format, size, pitch, Allocator(), properties) {}
  template <int Dims = Dimensions, if_pitched<Dims> = 0>
  unsampled_image(image_format format, const range<Dimensions> &size, const pitch_type<Dims> &pitch,
                  Allocator allocator, const property_list &properties = {})
      : base(detail::format_of(format), size, &pitch, nullptr, detail::host_data::copied,
             properties),
        allocator(allocator) {}

  /// Works on the host's memory, which holds the results when the image is gone.
  unsampled_image(void *host, image_format format, const range<Dimensions> &size,
                  const property_list &properties = {})
      : unsampled_image(host, format, size, Allocator(), properties) {}
  unsampled_image(void *host, image_format format, const range<Dimensions> &size,
                  Allocator allocator, const property_list &properties = {})
      : base(detail::format_of(format), size, detail::no_pitch, host, detail::host_data::used,
             properties),
        allocator(allocator) {
    this->set_final_data(host);
  }
  template <int Dims = Dimensions, if_pitched<Dims> = 0>
  unsampled_image(void *host, image_format format, const range<Dimensions> &size,
                  const pitch_type<Dims> &pitch, const property_list &properties = {})
      : unsampled_image(host, format, size, pitch, Allocator(), properties) {}
  template <int Dims = Dimensions, if_pitched<Dims> = 0>
  unsampled_image(void *host, image_format format, const range<Dimensions> &size,
                  const pitch_type<Dims> &pitch, Allocator allocator,
                  const property_list &properties = {})
      : base(detail::format_of(format), size, &pitch, host, detail::host_data::used, properties),
        allocator(allocator) {
    this->set_final_data(host);
  }

  /// Works on what the host's pointer owns, and keeps it.
  unsampled_image(const std::shared_ptr<void> &host, image_format format,
                  const range<Dimensions> &size, const property_list &properties = {})
      : unsampled_image(detail::place_of(host), format, size, properties) {
    state->keep(host);
  }
  unsampled_image(const std::shared_ptr<void> &host, image_format format,
                  const range<Dimensions> &size, Allocator allocator,
                  const property_list &properties = {})
      : unsampled_image(detail::place_of(host), format, size, allocator, properties) {
    state->keep(host);
  }
  template <int Dims = Dimensions, if_pitched<Dims> = 0>
  unsampled_image(const std::shared_ptr<void> &host, image_format format,
                  const range<Dimensions> &size, const pitch_type<Dims> &pitch,
                  const property_list &properties = {})
      : unsampled_image(detail::place_of(host), format, size, pitch, properties) {
    state->keep(host);
  }
  template <int Dims = Dimensions, if_pitched<Dims> = 0>
  unsampled_image(const std::shared_ptr<void> &host, image_format format,
                  const range<Dimensions> &size, const pitch_type<Dims> &pitch, Allocator allocator,
                  const property_list &properties = {})
      : unsampled_image(detail::place_of(host), format, size, pitch, allocator, properties) {
    state->keep(host);
  }

  Allocator get_allocator() const { return allocator; }

  template <typename Data,
            access_mode Mode = std::is_const_v<Data> ? access_mode::read : access_mode::read_write,
            image_target Target = image_target::device>
  auto get_access(handler &group, const property_list &properties = {}) {
    return unsampled_image_accessor<Data, Dimensions, Mode, Target>(*this, group, properties);
  }
  template <typename Data,
            access_mode Mode = std::is_const_v<Data> ? access_mode::read : access_mode::read_write>
  auto get_host_access(const property_list &properties = {}) {
    return host_unsampled_image_accessor<Data, Dimensions, Mode>(*this, properties);
  }

  /// For the implementation.
  auto watch() const { return base::watch(*this); }
  /// Pixels of an image of the driver's.
  explicit unsampled_image(detail::memory_handle pixels, const detail::image_layout &layout)
      : base(std::move(pixels), layout) {}

private:
  Allocator allocator;
};

/// Pixels that kernels read through a sampler.
template <int Dimensions = 1, typename Allocator = image_allocator>
class sampled_image : public detail::image_base<Dimensions>,
                      public detail::by_identity<sampled_image<Dimensions, Allocator>> {
  using base = detail::image_base<Dimensions>;
  template <int Dims> using pitch_type = range<(Dims > 1 ? Dims - 1 : 1)>;
  template <int Dims> using if_pitched = std::enable_if_t<(Dims > 1), int>;

public:
  using allocator_type = Allocator;

  /// Pixels of the host's memory, which stays as it is.
  sampled_image(const void *host, image_format format, image_sampler sampler,
                const range<Dimensions> &size, const property_list &properties = {})
      : sampled_image(host, format, sampler, size, Allocator(), properties) {}
  sampled_image(const void *host, image_format format, image_sampler sampler,
                const range<Dimensions> &size, Allocator allocator,
                const property_list &properties = {})
      : base(detail::format_of(format), size, detail::no_pitch, const_cast<void *>(host),
             detail::host_data::kept, properties),
        sampler(sampler), allocator(allocator) {}
  template <int Dims = Dimensions, if_pitched<Dims> = 0>
  sampled_image(const void *host, image_format format, image_sampler sampler,
                const range<Dimensions> &size, const pitch_type<Dims> &pitch,
                const property_list &properties = {})
      : sampled_image(host, format, sampler, size, pitch, Allocator(), properties) {}
  template <int Dims = Dimensions, if_pitched<Dims> = 0>
  sampled_image(const void *host, image_format format, image_sampler sampler,
                const range<Dimensions> &size, const pitch_type<Dims> &pitch, Allocator allocator,
                const property_list &properties = {})
      : base(detail::format_of(format), size, &pitch, const_cast<void *>(host),
             detail::host_data::kept, properties),
        sampler(sampler), allocator(allocator) {}

  /// Those that the host's pointer owns, which is kept.
  sampled_image(const std::shared_ptr<const void> &host, image_format format, image_sampler sampler,
                const range<Dimensions> &size, const property_list &properties = {})
      : sampled_image(detail::place_of(host), format, sampler, size, properties) {
    this->state->keep(host);
  }
  sampled_image(const std::shared_ptr<const void> &host, image_format format, image_sampler sampler,
                const range<Dimensions> &size, Allocator allocator,
                const property_list &properties = {})
      : sampled_image(detail::place_of(host), format, sampler, size, allocator, properties) {
    this->state->keep(host);
  }
  template <int Dims = Dimensions, if_pitched<Dims> = 0>
  sampled_image(const std::shared_ptr<const void> &host, image_format format, image_sampler sampler,
                const range<Dimensions> &size, const pitch_type<Dims> &pitch,
                const property_list &properties = {})
      : sampled_image(detail::place_of(host), format, sampler, size, pitch, properties) {
    this->state->keep(host);
  }
  template <int Dims = Dimensions, if_pitched<Dims> = 0>
  sampled_image(const std::shared_ptr<const void> &host, image_format format, image_sampler sampler,
                const range<Dimensions> &size, const pitch_type<Dims> &pitch, Allocator allocator,
                const property_list &properties = {})
      : sampled_image(detail::place_of(host), format, sampler, size, pitch, allocator, properties) {
    this->state->keep(host);
  }

  Allocator get_allocator() const { return allocator; }

  template <typename Data, image_target Target = image_target::device>
  auto get_access(handler &group, const property_list &properties = {}) {
    return sampled_image_accessor<Data, Dimensions, Target>(*this, group, properties);
  }
  template <typename Data> auto get_host_access(const property_list &properties = {}) {
    return host_sampled_image_accessor<Data, Dimensions>(*this, properties);
  }

  /// For the implementation.
  const image_sampler &get_sampler() const { return sampler; }
  auto watch() const { return base::watch(*this); }
  explicit sampled_image(detail::memory_handle pixels, const detail::image_layout &layout,
                         image_sampler sampler)
      : base(std::move(pixels), layout), sampler(sampler) {}

private:
  image_sampler sampler;
  Allocator allocator;
};

#define PLSYCL_IMAGE_PROPERTY(PROPERTY, IMAGE)                                                     \
  template <int Dimensions, typename Allocator>                                                    \
  struct is_property_of<property::image::PROPERTY, IMAGE<Dimensions, Allocator>>                   \
      : std::true_type {};
PLSYCL_IMAGE_PROPERTY(use_host_ptr, sampled_image)
PLSYCL_IMAGE_PROPERTY(use_mutex, sampled_image)
PLSYCL_IMAGE_PROPERTY(context_bound, sampled_image)
PLSYCL_IMAGE_PROPERTY(use_host_ptr, unsampled_image)
PLSYCL_IMAGE_PROPERTY(use_mutex, unsampled_image)
PLSYCL_IMAGE_PROPERTY(context_bound, unsampled_image)
#undef PLSYCL_IMAGE_PROPERTY

} // namespace sycl

namespace std {
template <int Dimensions, typename Allocator>
struct hash<sycl::unsampled_image<Dimensions, Allocator>> : sycl::detail::hash_by_identity {};
template <int Dimensions, typename Allocator>
struct hash<sycl::sampled_image<Dimensions, Allocator>> : sycl::detail::hash_by_identity {};
} // namespace std
