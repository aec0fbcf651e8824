//===- bundle_contents.hpp - what the copies of a kernel bundle share ------------------------===//
#pragma once

#include <sycl/context.hpp>
#include <sycl/detail/config.hpp>
#include <sycl/detail/function_kernel.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

PLSYCL_HOST_FILE

namespace sycl {

/// How far the images of a bundle are prepared (SYCL 2020, "Bundle states").
enum class bundle_state : char {
  input = PLSYCL_STATE_INPUT,
  object = PLSYCL_STATE_OBJECT,
  executable = PLSYCL_STATE_EXECUTABLE,
  ext_oneapi_source = PLSYCL_STATE_SOURCE,
};

namespace detail {

using image_handle = handle<plsycl_image, plsycl_image_retain, plsycl_image_release>;

/// Identities of kernels that the runtime gives through one of its query functions.
template <typename Query> std::vector<const char *> query_ids(Query &&query) {
  std::size_t count = 0;
  check(query(nullptr, std::size_t(0), &count));
  std::vector<const char *> ids(count);
  check(query(ids.data(), ids.size(), &count));
  ids.resize(std::min(ids.size(), count));
  return ids;
}

/// Values for specialization constants.
class constant_values {
public:
  struct value {
    /// The object that stands for the constant.
    const void *id;
    const char *name;
    std::string bytes;
  };

  bool empty() const { return values.empty(); }
  PLSYCL_LATE void set(value given) {
    for (value &each : values)
      if (each.id == given.id) {
        each = std::move(given);
        return;
      }
    values.push_back(std::move(given));
  }
  /// The bytes of a value, or null.
  const void *find(const void *id) const {
    for (const value &each : values)
      if (each.id == id)
        return each.bytes.data();
    return nullptr;
  }
  /// Those of `others` that have no value here.
  PLSYCL_LATE void add(const constant_values &others) {
    for (const value &each : others.values)
      if (!find(each.id))
        values.push_back(each);
  }
  PLSYCL_LATE bool operator==(const constant_values &other) const {
    return values.size() == other.values.size() &&
           std::all_of(values.begin(), values.end(), [&](const value &each) {
             const void *bytes = other.find(each.id);
             return bytes && std::memcmp(bytes, each.bytes.data(), each.bytes.size()) == 0;
           });
  }
  /// As the C interface takes them; good while this stays as it is.
  PLSYCL_LATE std::vector<plsycl_spec_constant> records() const {
    std::vector<plsycl_spec_constant> all;
    for (const value &each : values)
      all.push_back({each.name, each.bytes.data(), each.bytes.size()});
    return all;
  }

private:
  std::vector<value> values;
};

/// An image of the program and the kernels that it holds; or a program of the driver's, of which no
/// kernel is known.
PLSYCL_LATE struct basic_image_contents {
  explicit basic_image_contents(program_handle made)
      : program(std::move(made)),
        devices(query_handles<plsycl_device>(
            [this](plsycl_device *places, std::size_t capacity, std::size_t *count) {
              return plsycl_program_devices(program.get(), places, capacity, count);
            })) {}
  explicit basic_image_contents(image_handle object)
      : object(std::move(object)),
        kernels(query_ids([this](const char **ids, std::size_t capacity, std::size_t *count) {
          return plsycl_image_kernels(this->object.get(), ids, capacity, count);
        })) {}

  bool has_kernel(const void *id) const {
    return std::find(kernels.begin(), kernels.end(), id) != kernels.end();
  }
  bool fits(const device &target) const {
    if (program.get())
      return std::find(devices.begin(), devices.end(), target.get()) != devices.end();
    std::int32_t answer = 0;
    return plsycl_image_fits(object.get(), target.get(), &answer) == 0 && answer;
  }
  /// A value of plsycl_constant_kind; of any constant when `name` is null.
  std::uint32_t constant(const char *name) const {
    std::uint32_t kind = PLSYCL_CONSTANT_NONE;
    if (!program.get())
      check(plsycl_image_constant(object.get(), name, &kind));
    return kind;
  }

  const void *identity() const {
    return program.get() ? static_cast<const void *>(program.get()) : object.get();
  }
  /// What a program of the driver's comes to in a state, for some of its devices.
  shared<basic_image_contents> advanced(const std::vector<device> &targets,
                                        bundle_state state) const {
    std::vector<plsycl_device> raw;
    for (const device &each : targets)
      if (fits(each))
        raw.push_back(each.get());
    plsycl_program next = nullptr;
    check(plsycl_program_advance(program.get(), raw.data(), raw.size(),
                                 static_cast<std::uint32_t>(state), &next));
    return shared<basic_image_contents>::make(program_handle(next));
  }

  image_handle object;
  program_handle program;
  std::vector<plsycl_device> devices;
  std::vector<const char *> kernels;
};

using image_contents = basic_image_contents<>;

/// A kernel or a device global of a source (sycl_ext_oneapi_kernel_compiler), as the library that
/// is made of that has it.
struct source_entry {
  /// What the program calls it; null where it gave no name.
  const char *name;
  /// What the compiler calls it; null where the plugin did not see it.
  const char *symbol;
  /// Of a kernel; null for a device global.
  const char *id;
  const function_kernel *function;
  /// Where a device global is on a queue's device.
  void *(*find)(plsycl_queue);
  std::size_t size;
  bool has_image_scope;

  bool is_called(const std::string &wanted) const {
    return (name && name == wanted) || (symbol && symbol == wanted);
  }
};

using object_handle = handle<plsycl_object, plsycl_object_retain, plsycl_object_release>;

/// What a bundle has of a source: its object before it is linked, its kernels and device globals
/// then.
struct source_part {
  std::vector<object_handle> objects;
  std::vector<source_entry> entries;
};

/// Images, the devices that they are for, and values for their specialization constants.
PLSYCL_LATE struct basic_bundle_contents {
  basic_bundle_contents(const context &owner, std::vector<device> devices)
      : owner(shared<context>::make(owner)), devices(std::move(devices)) {}

  bool has_device(const device &target) const {
    return std::find(devices.begin(), devices.end(), target) != devices.end();
  }
  bool has_kernel(const void *id) const {
    return std::any_of(images.begin(), images.end(),
                       [&](const auto &image) { return image->has_kernel(id); });
  }
  bool has_kernel(const void *id, const device &target) const {
    return has_device(target) && std::any_of(images.begin(), images.end(), [&](const auto &image) {
             return image->has_kernel(id) && image->fits(target);
           });
  }
  bool has_constant(const char *name) const {
    return std::any_of(images.begin(), images.end(), [&](const auto &image) {
      return image->constant(name) != PLSYCL_CONSTANT_NONE;
    });
  }
  bool has_image(const shared<image_contents> &image) const {
    return std::any_of(images.begin(), images.end(),
                       [&](const auto &other) { return other->identity() == image->identity(); });
  }
  void add(const shared<image_contents> &image) {
    if (!has_image(image))
      images.push_back(image);
  }
  void add_sources(const basic_bundle_contents &other) {
    sources.insert(sources.end(), other.sources.begin(), other.sources.end());
  }
  /// Whether both have the same, in any order.
  bool operator==(const basic_bundle_contents &other) const {
    return *owner == *other.owner && devices.size() == other.devices.size() &&
           std::all_of(devices.begin(), devices.end(),
                       [&](const device &each) { return other.has_device(each); }) &&
           images.size() == other.images.size() &&
           std::all_of(images.begin(), images.end(),
                       [&](const auto &image) { return other.has_image(image); }) &&
           constants == other.constants && objects() == other.objects();
  }
  /// The objects of sources.
  std::vector<plsycl_object> objects() const {
    std::vector<plsycl_object> all;
    for (const source_part &part : sources)
      for (const object_handle &each : part.objects)
        all.push_back(each.get());
    return all;
  }
  /// A kernel or device global of the sources; null where they have none of the name.
  const source_entry *find_entry(const std::string &name, bool is_kernel) const {
    for (const source_part &part : sources)
      for (const source_entry &each : part.entries)
        if ((each.id != nullptr) == is_kernel && each.is_called(name))
          return &each;
    return nullptr;
  }
  /// Of what stays: a bundle's constants may be set later.
  std::size_t hash() const {
    std::size_t all = std::hash<context>()(*owner);
    for (const auto &image : images)
      all += std::hash<const void *>()(image->identity());
    return all;
  }
  /// Has the driver build each image for each device that it is for.
  void build(bundle_state state) {
    const std::vector<plsycl_spec_constant> values = constants.records();
    for (auto &image : images)
      if (image->program.get())
        image = image->advanced(devices, state);
      else
        for (const device &target : devices)
          if (image->fits(target))
            check(plsycl_image_build(image->object.get(), owner->get(), target.get(), values.data(),
                                     values.size()));
  }

  shared<context> owner;
  std::vector<device> devices;
  std::vector<shared<image_contents>> images;
  constant_values constants;
  std::vector<source_part> sources;
};
using bundle_contents = basic_bundle_contents<>;

} // namespace detail
} // namespace sycl
