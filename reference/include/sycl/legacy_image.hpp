//===- legacy_image.hpp - SYCL 1.2.1's images and samplers, which DPC++ still takes -----------===//
//
// SYCL 1.2.1, "Images", "Image accessors" and "Samplers". Their pixels are those of SYCL 2020's
// images (detail/image_pixels.hpp), in more formats; kernels name the sampler when they read.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/image_accessor.hpp>

#include <memory>

namespace sycl {

namespace detail {
/// The format of an image; refuses what OpenCL has none of.
inline pixel_format legacy_format(image_channel_order order, image_channel_type type) {
  const bool is_rgb = order == image_channel_order::rgb || order == image_channel_order::rgbx;
  if (packed_bits(type) != 0 && !is_rgb)
    fail(errc::invalid, "channels that are in one number are red, green and blue");
  return format_of(order, type);
}
} // namespace detail

/// How kernels sample an image; a value that they may capture.
class sampler {
public:
  sampler(coordinate_normalization_mode coordinate, addressing_mode addressing,
          filtering_mode filtering, const property_list & = {})
      : how{addressing, coordinate, filtering} {}

  addressing_mode get_addressing_mode() const { return how.addressing; }
  filtering_mode get_filtering_mode() const { return how.filtering; }
  coordinate_normalization_mode get_coordinate_normalization_mode() const { return how.coordinate; }

  friend bool operator==(const sampler &left, const sampler &right) {
    return left.how == right.how;
  }
  friend bool operator!=(const sampler &left, const sampler &right) { return !(left == right); }

  /// For the implementation.
  const image_sampler &get_modes() const { return how; }

private:
  image_sampler how;
};

/// Pixels of any order and type of channels, that kernels read, by number or sampled, and write.
template <int Dimensions = 1, typename Allocator = image_allocator>
class image : public detail::written_image<Dimensions>,
              public detail::by_identity<image<Dimensions, Allocator>> {
  using base = detail::written_image<Dimensions>;
  using order_type = image_channel_order;
  using channel_type = image_channel_type;
  template <int Dims> using pitch_type = range<(Dims > 1 ? Dims - 1 : 1)>;
  template <int Dims> using if_pitched = std::enable_if_t<(Dims > 1), int>;

public:
  using allocator_type = Allocator;

  /// Contents undefined until something writes them.
  image(order_type order, channel_type type, const range<Dimensions> &size,
        const property_list &properties = {})
      : image(order, type, size, Allocator(), properties) {}
  image(order_type order, channel_type type, const range<Dimensions> &size, Allocator allocator,
        const property_list &properties = {})
      : base(detail::legacy_format(order, type), size, detail::no_pitch, nullptr,
             detail::host_data::copied, properties),
        allocator(allocator) {}
  template <int Dims = Dimensions, if_pitched<Dims> = 0>
  image(order_type order, channel_type type, const range<Dimensions> &size,
        const pitch_type<Dims> &pitch, const property_list &properties = {})
      : image(order, type, size, pitch, Allocator(), properties) {}
  template <int Dims = Dimensions, if_pitched<Dims> = 0>
  image(order_type order, channel_type type, const range<Dimensions> &size,
        const pitch_type<Dims> &pitch, Allocator allocator, const property_list &properties = {})
      : base(detail::legacy_format(order, type), size, &pitch, nullptr, detail::host_data::copied,
             properties),
        allocator(allocator) {}

  /// Works on the host's memory, which holds the results when the image is gone.
  image(void *host, order_type order, channel_type type, const range<Dimensions> &size,
        const property_list &properties = {})
      : image(host, order, type, size, Allocator(), properties) {}
  image(void *host, order_type order, channel_type type, const range<Dimensions> &size,
        Allocator allocator, const property_list &properties = {})
      : base(detail::legacy_format(order, type), size, detail::no_pitch, host,
             detail::host_data::used, properties),
        allocator(allocator) {
    this->set_final_data(host);
  }
  template <int Dims = Dimensions, if_pitched<Dims> = 0>
  image(void *host, order_type order, channel_type type, const range<Dimensions> &size,
        const pitch_type<Dims> &pitch, const property_list &properties = {})
      : image(host, order, type, size, pitch, Allocator(), properties) {}
  template <int Dims = Dimensions, if_pitched<Dims> = 0>
  image(void *host, order_type order, channel_type type, const range<Dimensions> &size,
        const pitch_type<Dims> &pitch, Allocator allocator, const property_list &properties = {})
      : base(detail::legacy_format(order, type), size, &pitch, host, detail::host_data::used,
             properties),
        allocator(allocator) {
    this->set_final_data(host);
  }
  /// Pixels that stay as they are: results go nowhere.
  image(const void *host, order_type order, channel_type type, const range<Dimensions> &size,
        const property_list &properties = {})
      : image(host, order, type, size, Allocator(), properties) {}
  image(const void *host, order_type order, channel_type type, const range<Dimensions> &size,
        Allocator allocator, const property_list &properties = {})
      : base(detail::legacy_format(order, type), size, detail::no_pitch, const_cast<void *>(host),
             detail::host_data::kept, properties),
        allocator(allocator) {}

  /// Works on what the host's pointer owns, and keeps it.
  image(const std::shared_ptr<void> &host, order_type order, channel_type type,
        const range<Dimensions> &size, const property_list &properties = {})
      : image(host, order, type, size, Allocator(), properties) {}
  image(const std::shared_ptr<void> &host, order_type order, channel_type type,
        const range<Dimensions> &size, Allocator allocator, const property_list &properties = {})
      : image(detail::place_of(host), order, type, size, allocator, properties) {
    this->state->keep(host);
  }
  template <int Dims = Dimensions, if_pitched<Dims> = 0>
  image(const std::shared_ptr<void> &host, order_type order, channel_type type,
        const range<Dimensions> &size, const pitch_type<Dims> &pitch,
        const property_list &properties = {})
      : image(host, order, type, size, pitch, Allocator(), properties) {}
  template <int Dims = Dimensions, if_pitched<Dims> = 0>
  image(const std::shared_ptr<void> &host, order_type order, channel_type type,
        const range<Dimensions> &size, const pitch_type<Dims> &pitch, Allocator allocator,
        const property_list &properties = {})
      : image(detail::place_of(host), order, type, size, pitch, allocator, properties) {
    this->state->keep(host);
  }

  /// Bytes of all rows and slices.
  std::size_t get_size() const noexcept { return this->byte_size(); }
  /// Pixels.
  std::size_t get_count() const noexcept { return this->size(); }
  Allocator get_allocator() const { return allocator; }

  template <typename Data, access_mode Mode>
  accessor<Data, Dimensions, Mode, target::image> get_access(handler &group) {
    return {*this, group};
  }
  /// The host's access, which waits for commands that use the image.
  template <typename Data, access_mode Mode>
  accessor<Data, Dimensions, Mode, target::host_image> get_access() {
    return {*this};
  }

  /// For the implementation.
  auto watch() const { return base::watch(*this); }

private:
  Allocator allocator;
};

namespace detail {

/// Discarding says only that no pixel is kept.
constexpr access_mode without_discard(access_mode mode) {
  return mode == access_mode::discard_write        ? access_mode::write
         : mode == access_mode::discard_read_write ? access_mode::read_write
                                                   : mode;
}

/// How accessors of SYCL 1.2.1's images give their pixels: by number, or as a sampler does that
/// comes with the coordinates.
template <typename Image, access_mode Mode>
class legacy_pixels : public pixels_by_number<Image, without_discard(Mode)> {
  using by_number = pixels_by_number<Image, without_discard(Mode)>;
  using Pixel = typename Image::Pixel;
  static_assert(Mode != access_mode::atomic, "images have no atomic access");

public:
  using by_number::read;
  template <typename Coordinates, access_mode Same = without_discard(Mode),
            std::enable_if_t<may_read<Same>, int> = 0>
  Pixel read(const Coordinates &coordinates, const sampler &how) const noexcept {
    return this->sample_at(coordinates, how.get_modes());
  }

protected:
  using by_number::by_number;
};

/// One image of an array.
template <typename Data, int Dimensions>
class slice_of_images : public image_view<slice_of_images<Data, Dimensions>, Data, Dimensions> {
public:
  const image_layout &get_layout() const { return layout; }
  std::byte *get_bytes() const { return bytes; }

protected:
  slice_of_images(std::byte *bytes, const image_layout &layout) : bytes(bytes), layout(layout) {}

private:
  friend image_view<slice_of_images, Data, Dimensions>;
  std::byte *bytes;
  image_layout layout;
};
template <typename Data, int Dimensions, access_mode Mode>
class image_slice : public legacy_pixels<slice_of_images<Data, Dimensions>, Mode> {
public:
  image_slice(std::byte *bytes, const image_layout &layout)
      : legacy_pixels<slice_of_images<Data, Dimensions>, Mode>(bytes, layout) {}

  std::size_t get_count() const noexcept { return this->size(); }
  range<Dimensions> get_range() const { return detail::range_of<Dimensions>(this->get_layout()); }
};

} // namespace detail

/// A command's access to an image.
template <typename Data, int Dimensions, access_mode Mode, access::placeholder Holder>
class accessor<Data, Dimensions, Mode, target::image, Holder>
    : public detail::legacy_pixels<
          detail::command_image<accessor<Data, Dimensions, Mode, target::image, Holder>,
                                detail::accessed<Data, Mode>, Dimensions, image_target::device>,
          Mode> {
  using base = detail::legacy_pixels<detail::command_image<accessor, detail::accessed<Data, Mode>,
                                                           Dimensions, image_target::device>,
                                     Mode>;

public:
  template <typename Allocator>
  accessor(image<Dimensions, Allocator> &image, handler &group,
           const property_list &properties = {})
      : base(image, group, Mode, properties) {}

  std::size_t get_count() const noexcept { return this->size(); }
  range<Dimensions> get_range() const { return detail::range_of<Dimensions>(this->get_layout()); }
};

/// A command's access to an image as an array of images of one dimension less.
template <typename Data, int Dimensions, access_mode Mode, access::placeholder Holder>
class accessor<Data, Dimensions, Mode, target::image_array, Holder>
    : public detail::command_image<accessor<Data, Dimensions, Mode, target::image_array, Holder>,
                                   detail::accessed<Data, Mode>, Dimensions, image_target::device> {
  static_assert(Dimensions == 1 || Dimensions == 2,
                "arrays are of images of one or two dimensions");
  using base = detail::command_image<accessor, detail::accessed<Data, Mode>, Dimensions,
                                     image_target::device>;

public:
  template <typename Allocator>
  accessor(image<Dimensions + 1, Allocator> &image, handler &group,
           const property_list &properties = {})
      : base(image, group, Mode, properties) {}

  /// The image of this number.
  detail::image_slice<detail::accessed<Data, Mode>, Dimensions, Mode>
  operator[](std::size_t number) const {
    detail::image_layout layout = this->get_layout();
    const std::size_t step = Dimensions == 1 ? layout.row_pitch : layout.slice_pitch;
    layout.size[Dimensions] = 1;
    return {this->get_bytes() + number * step, layout};
  }

  std::size_t get_count() const noexcept { return this->size(); }
  range<Dimensions + 1> get_range() const {
    return detail::range_of<Dimensions + 1>(this->get_layout());
  }
};

/// The host's access to an image.
template <typename Data, int Dimensions, access_mode Mode, access::placeholder Holder>
class accessor<Data, Dimensions, Mode, target::host_image, Holder>
    : public detail::legacy_pixels<
          detail::host_image<accessor<Data, Dimensions, Mode, target::host_image, Holder>,
                             detail::accessed<Data, Mode>, Dimensions>,
          Mode> {
  using base =
      detail::legacy_pixels<detail::host_image<accessor, detail::accessed<Data, Mode>, Dimensions>,
                            Mode>;

public:
  template <typename Allocator>
  accessor(image<Dimensions, Allocator> &image, const property_list &properties = {})
      : base(image, Mode, properties) {}

  std::size_t get_count() const noexcept { return this->size(); }
  range<Dimensions> get_range() const { return detail::range_of<Dimensions>(this->get_layout()); }
};

template <int Dimensions, typename Allocator>
struct is_property_of<property::image::use_host_ptr, image<Dimensions, Allocator>>
    : std::true_type {};
template <int Dimensions, typename Allocator>
struct is_property_of<property::image::use_mutex, image<Dimensions, Allocator>> : std::true_type {};
template <int Dimensions, typename Allocator>
struct is_property_of<property::image::context_bound, image<Dimensions, Allocator>>
    : std::true_type {};

} // namespace sycl

namespace std {
template <> struct hash<sycl::sampler> {
  std::size_t operator()(const sycl::sampler &how) const {
    const sycl::image_sampler &modes = how.get_modes();
    return static_cast<std::size_t>(modes.addressing) * 4 +
           static_cast<std::size_t>(modes.coordinate) * 2 +
           static_cast<std::size_t>(modes.filtering);
  }
};
template <int Dimensions, typename Allocator>
struct hash<sycl::image<Dimensions, Allocator>> : sycl::detail::hash_by_identity {};
template <typename Data, int Dimensions, sycl::access_mode Mode, sycl::access::placeholder Holder>
struct hash<sycl::accessor<Data, Dimensions, Mode, sycl::target::host_image, Holder>>
    : sycl::detail::hash_by_identity {};
} // namespace std
