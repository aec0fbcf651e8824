//===- image_accessor.hpp - how kernels and the host reach images ----------------------------===//
//
// SYCL 2020, "Accessors", "Image accessors".
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/handler.hpp>
#include <sycl/host_accessor.hpp>
#include <sycl/image.hpp>

#include <cstdint>

namespace sycl {

namespace detail {

/// Refuses an accessor whose pixels are of another kind than the image's.
template <typename Data> void check_format(const pixel_format &format) {
  if (pixel_traits<std::remove_const_t<Data>>::kind != kind_of(format.type))
    fail(errc::invalid, "the accessor's pixels are of another kind than the image's");
}

/// What all image accessors give of their bytes, once they have them.
template <typename Derived, typename Data, int Dimensions> class image_view {
protected:
  using Pixel = std::remove_const_t<Data>;
  static_assert(pixel_traits<Pixel>::is_pixel,
                "pixels are vectors of four of int, unsigned int, float or half");
  using Computed = typename pixel_traits<Pixel>::Computed;

public:
  using value_type = Data;
  using reference = Data &;
  using const_reference = const Data &;

  /// Pixels of the image.
  std::size_t size() const noexcept {
    const image_layout &layout = derived().get_layout();
    return static_cast<std::size_t>(layout.size[0]) * layout.size[1] * layout.size[2];
  }

protected:
  const Derived &derived() const { return static_cast<const Derived &>(*this); }

  template <typename Coordinates> Pixel read_at(const Coordinates &coordinates) const {
    return to_data<Pixel>(load_pixel<Computed>(place(coordinates), derived().get_layout().format));
  }
  template <typename Coordinates>
  void write_at(const Coordinates &coordinates, const Pixel &color) const {
    store_pixel<Computed>(place(coordinates), derived().get_layout().format, from_data(color));
  }
  template <typename Coordinates>
  Pixel sample_at(const Coordinates &coordinates, const image_sampler &sampler) const {
    static_assert(are_coordinates<Coordinates, Dimensions>, "one coordinate a dimension");
    return to_data<Pixel>(sample<Computed, Dimensions>(
        derived().get_bytes(), derived().get_layout(), sampler, coordinates));
  }

private:
  template <typename Coordinates> std::byte *place(const Coordinates &coordinates) const {
    static_assert(are_coordinates<Coordinates, Dimensions>, "one coordinate a dimension");
    std::int32_t at[3] = {};
    for (int i = 0; i < Dimensions; ++i)
      at[i] = coordinate<std::int32_t>(coordinates, i);
    return derived().get_bytes() + derived().get_layout().place(at[0], at[1], at[2]);
  }
};

template <access_mode Mode> inline constexpr bool may_read = Mode != access_mode::write;
template <access_mode Mode> inline constexpr bool may_write = Mode != access_mode::read;

/// Whether one type is the other with const: what only reads is the same of both.
template <typename Data, typename Other>
inline constexpr bool differs_in_const =
    !std::is_same_v<Data, Other> &&
    std::is_same_v<std::remove_const_t<Data>, std::remove_const_t<Other>>;

/// What accessors of unsampled images add to an image of a command or of the host.
template <typename Image, access_mode Mode> class pixels_by_number : public Image {
  using Pixel = typename Image::Pixel;

public:
  template <typename Coordinates, access_mode Same = Mode,
            std::enable_if_t<may_read<Same>, int> = 0>
  Pixel read(const Coordinates &coordinates) const noexcept {
    return this->read_at(coordinates);
  }
  template <typename Coordinates, access_mode Same = Mode,
            std::enable_if_t<may_write<Same>, int> = 0>
  void write(const Coordinates &coordinates, const Pixel &color) const {
    this->write_at(coordinates, color);
  }

protected:
  using Image::Image;
};

/// An image in a command: memory that the front end knows, and what its bytes mean.
template <typename Derived, typename Data, int Dimensions, image_target Target>
class command_image : public image_view<Derived, Data, Dimensions> {
public:
  friend bool operator==(const Derived &left, const Derived &right) {
    return is_same(left.get_memory(), right.get_memory());
  }
  friend bool operator!=(const Derived &left, const Derived &right) { return !(left == right); }

  /// For the implementation.
  const global_memory &get_memory() const { return memory; }
  const image_layout &get_layout() const { return layout; }
  std::byte *get_bytes() const {
#ifdef __SYCL_DEVICE_ONLY__
    return static_cast<PLSYCL_GLOBAL std::byte *>(memory.data);
#else
    return static_cast<std::byte *>(plsycl_memory_host_bytes(memory_of(memory)));
#endif
  }

protected:
  template <typename Image>
  command_image(Image &image, handler &group, access_mode mode, const property_list &properties)
      : layout(image.get_layout()) {
    check_format<Data>(layout.format);
    check_properties(mode, properties);
    command_group &command = command_group_of(group);
    if (Target == image_target::device && !command.queue->device.has(aspect::image))
      fail(errc::feature_not_supported, "the device has no images");
    const range<1> bytes(image.byte_size());
    memory = part_of<1>(image.get(), bytes, id<1>(), bytes, id<1>(), bytes, false);
    const bool no_init = properties.has_property<property::no_init>();
    if (no_init)
      memory.data = with_flags(memory.data, no_init_flag);
    // Pixels that a command does not write stay, unless the program says that none matter.
    const std::uint32_t access = access_bits(mode, no_init);
    command.require(image.get(),
                    access | (Target == image_target::device ? PLSYCL_ACCESS_DEVICE : 0),
                    byte_span());
  }
  command_image(const global_memory &memory, const image_layout &layout)
      : memory(memory), layout(layout) {}
  bool has_no_init() const { return flags_of(memory.data) & no_init_flag; }

private:
  global_memory memory = {};
  image_layout layout = {};
};

/// An image on the host, which commands wait for.
template <typename Derived, typename Data, int Dimensions>
class host_image : public image_view<Derived, Data, Dimensions>, public held_by_host<Derived> {
public:
  /// For the implementation.
  const image_layout &get_layout() const { return layout; }
  std::byte *get_bytes() const { return static_cast<std::byte *>(this->get_hold()->bytes); }

protected:
  host_image() = default;
  template <typename Image>
  host_image(Image &image, access_mode mode, const property_list &properties)
      : layout(image.get_layout()) {
    check_format<Data>(layout.format);
    check_properties(mode, properties);
    const bool no_init = properties.has_property<property::no_init>();
    this->hold(image.get(), access_bits(mode, no_init), byte_span(), properties);
  }
  host_image(const shared<host_hold> &held, const image_layout &layout)
      : held_by_host<Derived>(held), layout(layout) {}

private:
  image_layout layout = {};
};

} // namespace detail

/// A command's access to pixels by their numbers.
template <typename Data, int Dimensions, access_mode Mode, image_target Target>
class unsampled_image_accessor
    : public detail::pixels_by_number<
          detail::command_image<unsampled_image_accessor<Data, Dimensions, Mode, Target>,
                                detail::accessed<Data, Mode>, Dimensions, Target>,
          Mode> {
  static_assert(detail::fits_mode<Data, Mode>, "pixels that are const are only read");
  using base = detail::pixels_by_number<
      detail::command_image<unsampled_image_accessor, detail::accessed<Data, Mode>, Dimensions,
                            Target>,
      Mode>;

public:
  template <typename Allocator>
  unsampled_image_accessor(unsampled_image<Dimensions, Allocator> &image, handler &group,
                           const property_list &properties = {})
      : base(image, group, Mode, properties) {}
  template <typename Allocator, typename Tag,
            std::enable_if_t<detail::tag_access<Tag>::is_tag, int> = 0>
  unsampled_image_accessor(unsampled_image<Dimensions, Allocator> &image, handler &group, Tag,
                           const property_list &properties = {})
      : unsampled_image_accessor(image, group, properties) {
    static_assert(detail::tag_access<Tag>::mode == Mode, "the tag says another mode");
  }
  template <
      typename Other,
      std::enable_if_t<Mode == access_mode::read && detail::differs_in_const<Data, Other>, int> = 0>
  unsampled_image_accessor(const unsampled_image_accessor<Other, Dimensions, Mode, Target> &other)
      : base(other.get_memory(), other.get_layout()) {}

  template <typename Property> bool has_property() const noexcept {
    return std::is_same_v<Property, property::no_init> && this->has_no_init();
  }
  template <typename Property> Property get_property() const {
    if (!has_property<Property>())
      detail::fail(errc::invalid, "the accessor has no such property");
    return Property();
  }
};

/// A command's access to what a sampler gives of an image.
template <typename Data, int Dimensions, image_target Target>
class sampled_image_accessor
    : public detail::command_image<sampled_image_accessor<Data, Dimensions, Target>, const Data,
                                   Dimensions, Target> {
  using base = detail::command_image<sampled_image_accessor, const Data, Dimensions, Target>;
  using Pixel = typename base::Pixel;

public:
  template <typename Allocator>
  sampled_image_accessor(sampled_image<Dimensions, Allocator> &image, handler &group,
                         const property_list &properties = {})
      : base(image, group, access_mode::read, properties), sampler(image.get_sampler()) {}
  template <typename Other, std::enable_if_t<detail::differs_in_const<Data, Other>, int> = 0>
  sampled_image_accessor(const sampled_image_accessor<Other, Dimensions, Target> &other)
      : base(other.get_memory(), other.get_layout()), sampler(other.get_sampler()) {}

  template <typename Coordinates> Pixel read(const Coordinates &coordinates) const noexcept {
    return this->sample_at(coordinates, sampler);
  }

  template <typename Property> bool has_property() const noexcept { return false; }
  template <typename Property> Property get_property() const {
    detail::fail(errc::invalid, "the accessor has no such property");
  }

  /// For the implementation.
  const image_sampler &get_sampler() const { return sampler; }

private:
  image_sampler sampler;
};

/// The host's access to pixels by their numbers.
template <typename Data, int Dimensions, access_mode Mode>
class host_unsampled_image_accessor
    : public detail::pixels_by_number<
          detail::host_image<host_unsampled_image_accessor<Data, Dimensions, Mode>,
                             detail::accessed<Data, Mode>, Dimensions>,
          Mode> {
  static_assert(detail::fits_mode<Data, Mode>, "pixels that are const are only read");
  using base = detail::pixels_by_number<
      detail::host_image<host_unsampled_image_accessor, detail::accessed<Data, Mode>, Dimensions>,
      Mode>;

public:
  template <typename Allocator>
  host_unsampled_image_accessor(unsampled_image<Dimensions, Allocator> &image,
                                const property_list &properties = {})
      : base(image, Mode, properties) {}
  template <typename Allocator, typename Tag,
            std::enable_if_t<detail::tag_access<Tag>::is_tag, int> = 0>
  host_unsampled_image_accessor(unsampled_image<Dimensions, Allocator> &image, Tag,
                                const property_list &properties = {})
      : host_unsampled_image_accessor(image, properties) {
    static_assert(detail::tag_access<Tag>::mode == Mode, "the tag says another mode");
  }
  template <
      typename Other,
      std::enable_if_t<Mode == access_mode::read && detail::differs_in_const<Data, Other>, int> = 0>
  host_unsampled_image_accessor(const host_unsampled_image_accessor<Other, Dimensions, Mode> &other)
      : base(other.get_hold(), other.get_layout()) {}
};

/// The host's access to what a sampler gives of an image.
template <typename Data, int Dimensions>
class host_sampled_image_accessor
    : public detail::host_image<host_sampled_image_accessor<Data, Dimensions>, const Data,
                                Dimensions> {
  using base = detail::host_image<host_sampled_image_accessor, const Data, Dimensions>;
  using Pixel = typename base::Pixel;

public:
  template <typename Allocator>
  host_sampled_image_accessor(sampled_image<Dimensions, Allocator> &image,
                              const property_list &properties = {})
      : base(image, access_mode::read, properties), sampler(image.get_sampler()) {}
  template <typename Other, std::enable_if_t<detail::differs_in_const<Data, Other>, int> = 0>
  host_sampled_image_accessor(const host_sampled_image_accessor<Other, Dimensions> &other)
      : base(other.get_hold(), other.get_layout()), sampler(other.get_sampler()) {}

  template <typename Coordinates> Pixel read(const Coordinates &coordinates) const noexcept {
    return this->sample_at(coordinates, sampler);
  }

  /// For the implementation.
  const image_sampler &get_sampler() const { return sampler; }

private:
  image_sampler sampler;
};

template <typename Data, int Dimensions, access_mode Mode, image_target Target>
struct is_property_of<property::no_init, unsampled_image_accessor<Data, Dimensions, Mode, Target>>
    : std::true_type {};
template <typename Data, int Dimensions, access_mode Mode>
struct is_property_of<property::no_init, host_unsampled_image_accessor<Data, Dimensions, Mode>>
    : std::true_type {};

} // namespace sycl

namespace std {
template <typename Data, int Dimensions, sycl::access_mode Mode, sycl::image_target Target>
struct hash<sycl::unsampled_image_accessor<Data, Dimensions, Mode, Target>> {
  std::size_t
  operator()(const sycl::unsampled_image_accessor<Data, Dimensions, Mode, Target> &object) const {
    return sycl::detail::hash_of(object.get_memory());
  }
};
template <typename Data, int Dimensions, sycl::image_target Target>
struct hash<sycl::sampled_image_accessor<Data, Dimensions, Target>> {
  std::size_t
  operator()(const sycl::sampled_image_accessor<Data, Dimensions, Target> &object) const {
    return sycl::detail::hash_of(object.get_memory());
  }
};
template <typename Data, int Dimensions, sycl::access_mode Mode>
struct hash<sycl::host_unsampled_image_accessor<Data, Dimensions, Mode>>
    : sycl::detail::hash_by_identity {};
template <typename Data, int Dimensions>
struct hash<sycl::host_sampled_image_accessor<Data, Dimensions>> : sycl::detail::hash_by_identity {
};
} // namespace std
