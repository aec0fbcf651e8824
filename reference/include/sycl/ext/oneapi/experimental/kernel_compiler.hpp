//===- kernel_compiler.hpp - kernels out of sources (sycl_ext_oneapi_kernel_compiler) --------===//
//
// A program's driver builds OpenCL C and SPIR-V (the extensions _opencl and _spirv). Of SYCL this
// toolchain's compiler makes a library, which says itself what kernels it has
// (detail/source_bundle.hpp): it has to be installed beside the runtime where the program runs.
//
// Few programs have sources: what does the work is made of templates, as PLSYCL_LATE says.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/ext/oneapi/experimental/source_language.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/kernel_bundle.hpp>

#include <cstddef>
#include <cstdlib>

PLSYCL_HOST_FILE

namespace sycl {

namespace ext::oneapi::experimental {

// ---- properties ----

/// Files that a source may include, by the names that it includes them by.
struct include_files {
  include_files() = default;
  include_files(const std::string &name, const std::string &content) { add(name, content); }
  include_files(const std::vector<std::string> &names, const std::vector<std::string> &contents) {
    if (names.size() != contents.size())
      sycl::detail::fail(errc::invalid, "an include file has a name and a content");
    for (std::size_t i = 0; i < names.size(); ++i)
      add(names[i], contents[i]);
  }
  void add(const std::string &name, const std::string &content) {
    if (std::find(names.begin(), names.end(), name) != names.end())
      sycl::detail::fail(errc::invalid, "there are two include files " + name);
    names.push_back(name);
    contents.push_back(content);
  }

  std::vector<std::string> names;
  std::vector<std::string> contents;
};
using include_files_key = include_files;

/// Options of whatever builds the source.
struct build_options {
  build_options(const std::string &option) : opts{option} {}
  build_options(const std::vector<std::string> &options) : opts(options) {}
  void add(const std::string &option) { opts.push_back(option); }

  std::vector<std::string> opts;
};
using build_options_key = build_options;

/// Where to put what a compiler says of a source that it takes.
struct save_log {
  save_log(std::string *to) : log(to) {}
  std::string *log;
};
using save_log_key = save_log;

/// Expressions of C++ that are kernels of a source in SYCL, or addresses of its device globals:
/// their kernels are made where the source has templates, and found by the same text.
struct registered_names {
  registered_names() = default;
  registered_names(const std::string &name) : names{name} {}
  registered_names(const std::vector<std::string> &names) : names(names) {}
  void add(const std::string &name) { names.push_back(name); }

  std::vector<std::string> names;
};
using registered_names_key = registered_names;
/// An earlier name of the same.
struct registered_kernel_names : registered_names {
  using registered_names::registered_names;
};
using registered_kernel_names_key = registered_kernel_names;

#define PLSYCL_PROPERTY(NAME)                                                                      \
  template <> struct is_property_key<NAME> : std::true_type {};                                    \
  template <> struct is_property_value<NAME> : std::true_type {}
PLSYCL_PROPERTY(include_files);
PLSYCL_PROPERTY(build_options);
PLSYCL_PROPERTY(save_log);
PLSYCL_PROPERTY(registered_names);
PLSYCL_PROPERTY(registered_kernel_names);
#undef PLSYCL_PROPERTY

} // namespace ext::oneapi::experimental

namespace detail {

/// A source, for all devices of a context.
struct source_contents {
  context owner;
  ext::oneapi::experimental::source_language language;
  std::string code;
  ext::oneapi::experimental::include_files files;

  std::size_t hash() const {
    return std::hash<context>()(owner) ^ (std::hash<std::string>()(code) << 1);
  }
  bool operator==(const source_contents &other) const {
    return owner == other.owner && language == other.language && code == other.code &&
           files.names == other.files.names && files.contents == other.files.contents;
  }
};

} // namespace detail

/// A source that kernels can be built from.
template <>
class kernel_bundle<bundle_state::ext_oneapi_source>
    : public detail::by_identity<kernel_bundle<bundle_state::ext_oneapi_source>> {
public:
  kernel_bundle() = delete;
  /// For the implementation.
  explicit kernel_bundle(detail::shared<detail::source_contents> contents)
      : contents(std::move(contents)) {}

  backend get_backend() const noexcept { return contents->owner.get_backend(); }
  context get_context() const noexcept { return contents->owner; }
  std::vector<device> get_devices() const noexcept { return contents->owner.get_devices(); }

  /// For the implementation.
  const detail::shared<detail::source_contents> &get_contents() const { return contents; }
  const void *identity() const { return contents.get(); }

private:
  detail::shared<detail::source_contents> contents;
};

namespace detail {

using ext::oneapi::experimental::source_language;

PLSYCL_LATE bool can_build(const device &target, source_language what) {
  std::int32_t builds = 0;
  check(plsycl_device_builds(target.get(), static_cast<std::uint32_t>(what), &builds));
  return builds != 0;
}

PLSYCL_LATE kernel_bundle<bundle_state::ext_oneapi_source>
make_source(const context &owner, source_language what, std::string code, bool is_text,
            ext::oneapi::experimental::include_files files) {
  const std::vector<device> devices = owner.get_devices();
  const auto builds = [&](const device &each) { return can_build(each, what); };
  if (std::none_of(devices.begin(), devices.end(), builds))
    fail(errc::invalid, "no device of the context has kernels built from that language");
  if (is_text != (what != source_language::spirv))
    fail(errc::invalid, is_text ? "SPIR-V is given as bytes" : "the language is given as text");
  const auto has_nul = [](const std::string &text) { return text.find('\0') != std::string::npos; };
  if (what == source_language::sycl &&
      (has_nul(code) || std::any_of(files.contents.begin(), files.contents.end(), has_nul)))
    fail(errc::invalid, "a source in SYCL is text without NUL characters");
  if (what != source_language::sycl && !files.names.empty())
    fail(errc::invalid, "only a source in SYCL has include files of the program's");
  return kernel_bundle<bundle_state::ext_oneapi_source>(shared<source_contents>::make(
      source_contents{owner, what, std::move(code), std::move(files)}));
}

/// What a source is built with.
struct source_build {
  std::vector<std::string> options;
  std::vector<std::string> names;
  std::string *log = nullptr;

  template <typename Properties> static source_build of(const Properties &given) {
    namespace own = ext::oneapi::experimental;
    source_build build;
    if constexpr (Properties::template has_property<own::build_options>())
      build.options = given.template get_property<own::build_options>().opts;
    if constexpr (Properties::template has_property<own::save_log>())
      build.log = given.template get_property<own::save_log>().log;
    if constexpr (Properties::template has_property<own::registered_names>())
      build.add(given.template get_property<own::registered_names>().names);
    if constexpr (Properties::template has_property<own::registered_kernel_names>())
      build.add(given.template get_property<own::registered_kernel_names>().names);
    return build;
  }
  void add(const std::vector<std::string> &more) {
    names.insert(names.end(), more.begin(), more.end());
  }
  template <typename Query> void save(Query &&query) const {
    if (log)
      *log = query_text(query);
  }
};

PLSYCL_LATE std::vector<const char *> c_texts(const std::vector<std::string> &texts) {
  std::vector<const char *> all;
  for (const std::string &each : texts)
    all.push_back(each.c_str());
  return all;
}

/// Calls `make` with the devices and the source as the C interface takes them.
template <typename Make>
void with_source(const source_contents &source, const std::vector<device> &devices,
                 const source_build &build, const Make &make) {
  std::vector<plsycl_include_file> files;
  for (std::size_t i = 0; i < source.files.names.size(); ++i)
    files.push_back({source.files.names[i].c_str(), source.files.contents[i].c_str()});
  const std::vector<const char *> options = c_texts(build.options), names = c_texts(build.names);
  const plsycl_sycl_source raw = {source.code.c_str(), files.data(), files.size(), options.data(),
                                  options.size(),      names.data(), names.size()};
  std::vector<plsycl_device> targets;
  for (const device &each : devices)
    targets.push_back(each.get());
  check(make(targets.data(), targets.size(), &raw));
}

/// The images of a library and what it says of its kernels. Those have no kernel_id.
template <typename Handler = handler>
void take_library(bundle_contents &contents, plsycl_library library) {
  std::vector<plsycl_device> targets;
  for (const device &each : contents.devices)
    targets.push_back(each.get());
  std::size_t count = 0;
  check(plsycl_library_images(library, targets.data(), targets.size(), nullptr, 0, &count));
  std::vector<plsycl_image> images(count);
  check(
      plsycl_library_images(library, targets.data(), targets.size(), images.data(), count, &count));
  for (plsycl_image each : images) {
    auto image = shared<image_contents>::make(image_handle(each));
    image->kernels.clear();
    contents.images.push_back(std::move(image));
  }
  void *place = nullptr;
  check(plsycl_library_symbol(library, "plsycl_source_entries", &place));
  using take = void (*)(void *, const source_entry &);
  using entries = std::size_t (*)(take, void *);
  source_part part;
  const auto keep = [](void *all, const source_entry &each) {
    static_cast<std::vector<source_entry> *>(all)->push_back(each);
  };
  // Both have the same headers and, of a handler, make the same.
  if (!place || reinterpret_cast<entries>(place)(keep, &part.entries) != sizeof(Handler))
    fail(errc::build, "the source was compiled with another standard library than the program, or "
                      "for checks that the program's has not");
  contents.sources.push_back(std::move(part));
}

template <typename> void link_sources(basic_bundle_contents<> &contents) {
  const std::vector<plsycl_object> objects = contents.objects();
  plsycl_library library = nullptr;
  check(plsycl_library_from_objects(objects.data(), objects.size(), &library));
  contents.sources.clear();
  take_library(contents, library);
}

/// Holds devices to what a source can be built for.
PLSYCL_LATE std::vector<device> source_devices(const source_contents &source,
                                               const std::vector<device> &devices) {
  check_bundle_devices(source.owner, devices);
  for (const device &each : devices)
    if (!can_build(each, source.language))
      fail(errc::invalid, "no kernels are built for a device from that language");
  return without_repeats(devices);
}

PLSYCL_LATE kernel_bundle<bundle_state::executable> build_source(const source_contents &source,
                                                                 const std::vector<device> &given,
                                                                 const source_build &build) {
  auto contents = shared<bundle_contents>::make(source.owner, source_devices(source, given));
  if (source.language == source_language::sycl) {
    plsycl_library library = nullptr;
    with_source(source, contents->devices, build,
                [&](const plsycl_device *devices, std::size_t count, const auto *raw) {
                  return plsycl_library_from_source(devices, count, raw, &library);
                });
    build.save([&](void *bytes, std::size_t capacity, std::size_t *size) {
      return plsycl_library_log(library, bytes, capacity, size);
    });
    take_library(*contents, library);
    contents->build(bundle_state::executable);
    return kernel_bundle<bundle_state::executable>(std::move(contents));
  }
  if (!build.names.empty())
    fail(errc::invalid, "only a source in SYCL has names that are registered");
  std::vector<plsycl_device> targets;
  for (const device &each : contents->devices)
    targets.push_back(each.get());
  std::string options;
  for (const std::string &each : build.options)
    options += options.empty() ? each : ' ' + each;
  plsycl_program made = nullptr;
  check(plsycl_program_from_source(source.owner.get(), targets.data(), targets.size(),
                                   static_cast<std::uint32_t>(source.language), source.code.data(),
                                   source.code.size(), options.c_str(), &made));
  program_handle program(made);
  build.save([&](void *bytes, std::size_t capacity, std::size_t *size) {
    return plsycl_program_log(made, bytes, capacity, size);
  });
  contents->images.push_back(shared<image_contents>::make(std::move(program)));
  return kernel_bundle<bundle_state::executable>(std::move(contents));
}

PLSYCL_LATE kernel_bundle<bundle_state::object> compile_source(const source_contents &source,
                                                               const std::vector<device> &given,
                                                               const source_build &build) {
  if (source.language != source_language::sycl)
    fail(errc::invalid, "only a source in SYCL is compiled before it is linked");
  auto contents = shared<bundle_contents>::make(source.owner, source_devices(source, given));
  plsycl_object object = nullptr;
  with_source(source, contents->devices, build,
              [&](const plsycl_device *devices, std::size_t count, const auto *raw) {
                return plsycl_object_from_source(devices, count, raw, &object);
              });
  source_part part;
  part.objects.emplace_back(object);
  build.save([&](void *bytes, std::size_t capacity, std::size_t *size) {
    return plsycl_object_log(object, bytes, capacity, size);
  });
  contents->sources.push_back(std::move(part));
  return kernel_bundle<bundle_state::object>(std::move(contents));
}

/// A kernel that the driver built; null where the bundle's programs have none of the name.
PLSYCL_LATE foreign_kernel_handle foreign_kernel_of(const bundle_contents &contents,
                                                    const std::string &name) {
  plsycl_foreign_kernel found = nullptr;
  for (const auto &image : contents.images)
    if (!found && image->program.get())
      check(plsycl_program_kernel(image->program.get(), name.c_str(), &found));
  return foreign_kernel_handle(found);
}

PLSYCL_LATE const source_entry &device_global_of(const bundle_contents &contents,
                                                 const std::string &name) {
  const source_entry *const entry = contents.find_entry(name, false);
  if (!entry)
    fail(errc::invalid, "the bundle has no device global " + name);
  return *entry;
}

} // namespace detail

// ---- members of kernel_bundle and device ----

template <bundle_state State>
template <bundle_state Same, std::enable_if_t<Same == bundle_state::executable, int>>
bool kernel_bundle<State>::ext_oneapi_has_kernel(const std::string &name) const {
  return contents->find_entry(name, true) || detail::foreign_kernel_of(*contents, name).get();
}
template <bundle_state State>
template <bundle_state Same, std::enable_if_t<Same == bundle_state::executable, int>>
bool kernel_bundle<State>::ext_oneapi_has_kernel(const std::string &name,
                                                 const device &target) const {
  return contents->has_device(target) && ext_oneapi_has_kernel(name);
}
template <bundle_state State>
template <bundle_state Same, std::enable_if_t<Same == bundle_state::executable, int>>
kernel kernel_bundle<State>::ext_oneapi_get_kernel(const std::string &name) const {
  if (const detail::source_entry *found = contents->find_entry(name, true))
    return kernel(contents, kernel_id(found->id, found->function));
  detail::foreign_kernel_handle found = detail::foreign_kernel_of(*contents, name);
  if (!found.get())
    detail::fail(errc::invalid, "the bundle has no kernel " + name + " of a source");
  return kernel(contents, std::move(found));
}
/// What the compiler calls it: in SYCL the name of the function, as C++ mangles it.
template <bundle_state State>
template <bundle_state Same, std::enable_if_t<Same == bundle_state::executable, int>>
std::string kernel_bundle<State>::ext_oneapi_get_raw_kernel_name(const std::string &name) const {
  if (const detail::source_entry *found = contents->find_entry(name, true))
    return found->symbol ? found->symbol : found->id;
  return ext_oneapi_get_kernel(name).template get_info<info::kernel::function_name>();
}
template <bundle_state State>
template <bundle_state Same, std::enable_if_t<Same == bundle_state::executable, int>>
bool kernel_bundle<State>::ext_oneapi_has_device_global(const std::string &name) const {
  return contents->find_entry(name, false);
}
/// errc::invalid for one of image scope, whose images have one each.
template <bundle_state State>
template <bundle_state Same, std::enable_if_t<Same == bundle_state::executable, int>>
void *kernel_bundle<State>::ext_oneapi_get_device_global_address(const std::string &name,
                                                                 const device &target) const {
  const detail::source_entry &found = detail::device_global_of(*contents, name);
  if (!contents->has_device(target))
    detail::fail(errc::invalid, "the bundle is not for the device");
  if (found.has_image_scope)
    detail::fail(errc::invalid, "a device global with device_image_scope has no USM pointer");
  plsycl_queue made = nullptr;
  detail::check(plsycl_queue_create(contents->owner->get(), target.get(), 0, &made));
  const detail::queue_handle queue(made);
  return found.find(queue.get());
}
template <bundle_state State>
template <bundle_state Same, std::enable_if_t<Same == bundle_state::executable, int>>
std::size_t kernel_bundle<State>::ext_oneapi_get_device_global_size(const std::string &name) const {
  return detail::device_global_of(*contents, name).size;
}

template <typename>
bool device::ext_oneapi_can_build(ext::oneapi::experimental::source_language what) const {
  return detail::can_build(*this, what);
}
template <typename>
bool device::ext_oneapi_can_compile(ext::oneapi::experimental::source_language what) const {
  return what == detail::source_language::sycl && detail::can_build(*this, what);
}

namespace detail {
/// The version that a device says for a name, in one of its lists.
PLSYCL_LATE bool opencl_version_of(const device &target, std::uint32_t list,
                                   const std::string &name, std::vector<std::uint32_t> &versions) {
  const std::string text = query_text([&](void *bytes, std::size_t capacity, std::size_t *size) {
    return plsycl_device_query(target.get(), list, bytes, capacity, size);
  });
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    const std::size_t blank = text.find(' ', at);
    if (text.compare(blank + 1, end - blank - 1, name) == 0)
      versions.push_back(static_cast<std::uint32_t>(std::strtoul(text.c_str() + at, nullptr, 10)));
  }
  return !versions.empty() && can_build(target, source_language::opencl);
}
} // namespace detail

template <typename>
bool device::ext_oneapi_supports_cl_c_version(
    const ext::oneapi::experimental::cl_version &version) const {
  std::vector<std::uint32_t> known;
  const std::uint32_t wanted = version.major << 22 | version.minor << 12 | version.patch;
  return detail::opencl_version_of(*this, PLSYCL_DEVICE_OPENCL_C_VERSIONS, "OpenCL C", known) &&
         std::find(known.begin(), known.end(), wanted) != known.end();
}
template <typename> bool device::ext_oneapi_supports_cl_c_feature(const std::string &name) const {
  std::vector<std::uint32_t> known;
  return detail::opencl_version_of(*this, PLSYCL_DEVICE_OPENCL_C_FEATURES, name, known);
}
template <typename>
bool device::ext_oneapi_supports_cl_extension(
    const std::string &name, ext::oneapi::experimental::cl_version *version) const {
  std::vector<std::uint32_t> known;
  if (!detail::opencl_version_of(*this, PLSYCL_DEVICE_OPENCL_EXTENSIONS, name, known))
    return false;
  if (version)
    *version = {known.front() >> 22, known.front() >> 12 & 0x3ff, known.front() & 0xfff};
  return true;
}

// ---- free functions ----

namespace ext::oneapi::experimental {

/// Whether a device of the context has kernels built from sources in the language.
PLSYCL_LATE bool is_source_kernel_bundle_supported(const context &owner, source_language what) {
  const std::vector<device> devices = owner.get_devices();
  return std::any_of(devices.begin(), devices.end(),
                     [&](const device &each) { return sycl::detail::can_build(each, what); });
}

/// A source that is text; errc::invalid for a language that is none, and where no device of the
/// context has kernels built from it.
template <typename Properties = empty_properties_t>
kernel_bundle<bundle_state::ext_oneapi_source>
create_kernel_bundle_from_source(const context &owner, source_language what,
                                 const std::string &source, Properties properties = {}) {
  include_files files;
  if constexpr (Properties::template has_property<include_files>())
    files = properties.template get_property<include_files>();
  return sycl::detail::make_source(owner, what, source, true, std::move(files));
}
/// A source that is bytes; likewise.
template <typename Properties = empty_properties_t>
kernel_bundle<bundle_state::ext_oneapi_source>
create_kernel_bundle_from_source(const context &owner, source_language what,
                                 const std::vector<std::byte> &bytes, Properties = {}) {
  const std::string code(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  return sycl::detail::make_source(owner, what, code, false, {});
}

/// Builds a source for devices; errc::build with what the compiler says where it does not.
template <typename Properties = empty_properties_t>
kernel_bundle<bundle_state::executable>
build(const kernel_bundle<bundle_state::ext_oneapi_source> &source,
      const std::vector<device> &devices, Properties properties = {}) {
  return sycl::detail::build_source(*source.get_contents(), devices,
                                    sycl::detail::source_build::of(properties));
}
template <typename Properties = empty_properties_t,
          std::enable_if_t<is_property_list<Properties>::value, int> = 0>
kernel_bundle<bundle_state::executable>
build(const kernel_bundle<bundle_state::ext_oneapi_source> &source, Properties properties = {}) {
  return experimental::build(source, source.get_devices(), properties);
}

/// Compiles a source in SYCL, for `sycl::link` with others, whose functions it may declare.
template <typename Properties = empty_properties_t>
kernel_bundle<bundle_state::object>
compile(const kernel_bundle<bundle_state::ext_oneapi_source> &source,
        const std::vector<device> &devices, Properties properties = {}) {
  return sycl::detail::compile_source(*source.get_contents(), devices,
                                      sycl::detail::source_build::of(properties));
}
template <typename Properties = empty_properties_t,
          std::enable_if_t<is_property_list<Properties>::value, int> = 0>
kernel_bundle<bundle_state::object>
compile(const kernel_bundle<bundle_state::ext_oneapi_source> &source, Properties properties = {}) {
  return experimental::compile(source, source.get_devices(), properties);
}

} // namespace ext::oneapi::experimental
} // namespace sycl
