//===- stream.hpp - text that kernels write (SYCL 2020, 4.16) -------------------------------===//
//
// A kernel writes into a buffer, which a host task prints when the kernel has ended; until then the
// kernel's event is not complete either. What a work-item writes up to a flush stays together.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/atomic.hpp>
#include <sycl/detail/format.hpp>
#include <sycl/handler.hpp>
#include <sycl/host_accessor.hpp>
#include <sycl/vec.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace sycl {

namespace ext::oneapi {
class bfloat16;
}

enum class stream_manipulator {
  flush,
  dec,
  hex,
  oct,
  noshowbase,
  showbase,
  noshowpos,
  showpos,
  endl,
  fixed,
  scientific,
  hexfloat,
  defaultfloat
};

inline constexpr stream_manipulator flush = stream_manipulator::flush;
inline constexpr stream_manipulator dec = stream_manipulator::dec;
inline constexpr stream_manipulator hex = stream_manipulator::hex;
inline constexpr stream_manipulator oct = stream_manipulator::oct;
inline constexpr stream_manipulator noshowbase = stream_manipulator::noshowbase;
inline constexpr stream_manipulator showbase = stream_manipulator::showbase;
inline constexpr stream_manipulator noshowpos = stream_manipulator::noshowpos;
inline constexpr stream_manipulator showpos = stream_manipulator::showpos;
inline constexpr stream_manipulator endl = stream_manipulator::endl;
inline constexpr stream_manipulator fixed = stream_manipulator::fixed;
inline constexpr stream_manipulator scientific = stream_manipulator::scientific;
inline constexpr stream_manipulator hexfloat = stream_manipulator::hexfloat;
inline constexpr stream_manipulator defaultfloat = stream_manipulator::defaultfloat;

namespace detail {
struct precision_manipulator {
  int precision;
};
struct width_manipulator {
  int width;
};
class stream_text;

template <typename Type, typename... Known>
using if_one_of = std::enable_if_t<(std::is_same_v<Type, Known> || ...), int>;

/// The words of a record behind the first: of so many characters, and of what is said of them.
constexpr std::size_t words_of_record(std::size_t count) { return (count + 2 + 3) / 4; }

/// Which of a kernel's work-items the calling one is.
inline std::uint32_t number_of_work_item() {
  const geometry where;
  std::size_t number = 0;
  for (int d = 2; d >= 0; --d)
    number = number * global_size(where, d) + global_id(where, d) - global_offset(where, d);
  return static_cast<std::uint32_t>(number);
}

/// Prints what work-items have written, of which each piece is whole that ends in a flush: records
/// of a work-item's number in a word, twice the count of characters, and one more where it flushes,
/// in half of one, and the characters. The first word counts the words behind it, also those that
/// there was no room for.
template <typename Word> void print_records(Word *words, std::size_t size, std::size_t most) {
  const std::size_t end = std::min<std::size_t>(size, std::size_t(words[0]) + 1);
  std::unordered_map<Word, std::string> open;
  std::vector<Word> order;
  std::string whole;
  for (std::size_t at = 1; at + 2 <= end;) {
    std::uint16_t said;
    const char *record = reinterpret_cast<const char *>(words + at + 1);
    std::memcpy(&said, record, sizeof(said));
    const std::size_t count = said >> 1, next = at + 1 + words_of_record(count);
    if (next > end)
      break;
    const auto [found, is_new] = open.try_emplace(words[at]);
    if (is_new)
      order.push_back(words[at]);
    std::string &text = found->second;
    text.append(record + sizeof(said), count);
    if (said & 1) {
      whole += text;
      text.clear();
    }
    at = next;
  }
  for (Word number : order)
    whole += open[number];
  std::fwrite(whole.data(), 1, std::min(whole.size(), most), stdout);
  std::fflush(stdout);
  std::fill(words, words + end, Word()); // A command of a graph runs again.
}
} // namespace detail

/// Up to 200 digits.
inline detail::precision_manipulator setprecision(int precision) { return {precision}; }
/// The least width of the numbers that come next in the statement, which ends with a line or a
/// flush at the latest, and of text that is the first to come.
inline detail::width_manipulator setw(int width) { return {width}; }

/// Text that the work-items of a command write. Copies write to the same text.
class stream {
public:
  /// Text of up to `total_size` characters; what is more is dropped. No text of a work-item is cut
  /// before that.
  template <typename Word = std::uint32_t>
  stream(std::size_t total_size, std::size_t work_item_size, handler &group,
         const property_list &properties = {})
      : stream(detail::shared<buffer<Word>>::make(range<1>(words_of(total_size))), total_size,
               work_item_size, group) {
    (void)properties;
  }

  std::size_t size() const noexcept { return total_size; }
  std::size_t get_work_item_buffer_size() const { return work_item_size; }
  /// Deprecated names of both.
  std::size_t get_size() const { return total_size; }
  std::size_t get_max_statement_size() const { return work_item_size; }

  friend bool operator==(const stream &left, const stream &right) {
    return left.text == right.text;
  }
  friend bool operator!=(const stream &left, const stream &right) { return !(left == right); }

  template <typename Property> bool has_property() const noexcept { return false; }

private:
  friend class detail::stream_text;
  friend struct std::hash<stream>;

  /// With room for what records have beside their characters.
  static std::size_t words_of(std::size_t characters) { return 64 + 2 * characters; }

  template <typename Word>
  stream(const detail::shared<buffer<Word>> &memory, std::size_t total_size,
         std::size_t work_item_size, handler &group)
      : text(*memory, group), total_size(total_size), work_item_size(work_item_size) {
    clear(host_accessor<Word, 1, access_mode::write>(*memory, write_only, no_init));
    detail::command_group_of(group).own_buffer();
    detail::command_group_of(group).afterwards([memory, total_size](handler &next) {
      detail::command_group_of(next).own_buffer();
      accessor<Word, 1, access_mode::read_write, target::host_task> written(*memory, next);
      next.host_task([written, memory, total_size] {
        detail::print_records(&written[0], written.size(), total_size);
      });
    });
  }

  /// Also behind the first word: what is dropped leaves its place as it was.
  template <typename Words> static void clear(const Words &all) {
    std::fill(&all[0], &all[0] + all.size(), 0);
  }

  PLSYCL_OUT_OF_LINE void append(const char *characters, std::uint32_t count, bool flushes) const {
    using counter = atomic_ref<std::uint32_t, memory_order::relaxed, memory_scope::device>;
    const counter filled(text[0]);
    const std::size_t size = text.size();
    const auto words = 1 + static_cast<std::uint32_t>(detail::words_of_record(count));
    if (filled.load() >= size)
      return;
    const std::size_t first = std::size_t(filled.fetch_add(words)) + 1;
    if (first + words > size)
      return;
    text[first] = detail::number_of_work_item();
    auto *to = reinterpret_cast<char *>(&text[0] + first + 1);
    const auto said = static_cast<std::uint16_t>(count << 1 | std::uint32_t(flushes));
    std::memcpy(to, &said, sizeof(said));
    to += sizeof(said);
    for (std::uint32_t i = 0; i < count; ++i)
      to[i] = characters[i];
    last = first + 1;
  }
  /// The work-item's last record is the end of a piece; it takes no room.
  void flush() const {
    if (last == 0)
      return;
    std::uint16_t said;
    std::memcpy(&said, &text[0] + last, sizeof(said));
    said |= 1;
    std::memcpy(&text[0] + last, &said, sizeof(said));
  }

  accessor<std::uint32_t, 1, access_mode::read_write> text;
  std::size_t total_size;
  std::size_t work_item_size;
  mutable detail::text_format format;
  /// Where the work-item's last record says what it is of; 0 before there is one.
  mutable std::size_t last = 0;
};

namespace detail {

/// What one value writes to a stream; it goes to the device's memory when all of it is there.
class stream_text {
public:
  explicit stream_text(const stream &out) : out(&out) {}
  stream_text(const stream_text &) = delete;
  stream_text &operator=(const stream_text &) = delete;
  ~stream_text() { send(); }

  void put(stream_manipulator what) {
    using notation = text_format::notation;
    text_format &format = out->format;
    switch (what) {
    case stream_manipulator::flush:
      return send(true);
    case stream_manipulator::endl:
      put_character('\n');
      return send(true);
    case stream_manipulator::dec:
      format.base = 10;
      return;
    case stream_manipulator::hex:
      format.base = 16;
      return;
    case stream_manipulator::oct:
      format.base = 8;
      return;
    case stream_manipulator::noshowbase:
    case stream_manipulator::showbase:
      format.shows_base = what == stream_manipulator::showbase;
      return;
    case stream_manipulator::noshowpos:
    case stream_manipulator::showpos:
      format.shows_plus = what == stream_manipulator::showpos;
      return;
    case stream_manipulator::fixed:
      format.real = notation::fixed;
      return;
    case stream_manipulator::scientific:
      format.real = notation::scientific;
      return;
    case stream_manipulator::hexfloat:
      format.real = notation::hexadecimal;
      return;
    case stream_manipulator::defaultfloat:
      format.real = notation::general;
      return;
    }
  }
  void put(precision_manipulator what) { out->format.precision = what.precision; }
  void put(width_manipulator what) {
    out->format.width = what.width;
    out->format.pads_text = true;
  }

  // Of exactly these types: a class that converts to one may have an operator of its own.
  template <typename Type, if_one_of<Type, char> = 0> void put(Type character) {
    put_text(&character, 1);
  }
  template <typename Type, if_one_of<Type, bool> = 0> void put(Type value) {
    put(value ? "true" : "false");
  }
  template <typename Type, if_one_of<Type, std::byte> = 0> void put(Type value) {
    put(static_cast<int>(value));
  }
  template <typename Type, if_one_of<Type, half, ext::oneapi::bfloat16> = 0>
  void put(const Type &number) {
    put(static_cast<float>(number));
  }
  template <
      typename Type,
      std::enable_if_t<std::is_enum_v<Type> && std::is_convertible_v<Type, long long>, int> = 0>
  void put(Type value) {
    put(+value);
  }
  template <typename Type,
            std::enable_if_t<std::is_integral_v<Type> && !std::is_same_v<Type, bool> &&
                                 !std::is_same_v<Type, char>,
                             int> = 0>
  void put(Type number) {
    put_whole(number);
  }
  template <typename Type, std::enable_if_t<std::is_floating_point_v<Type>, int> = 0>
  void put(Type number) {
    short_text digits;
    put_real(digits, number, out->format);
    put_padded(digits.characters, digits.length);
  }
  void put(std::nullptr_t) { put(static_cast<const void *>(nullptr)); }
  template <typename Type> void put(Type *pointer) {
    if constexpr (std::is_same_v<const Type, const char>)
      return put_text(pointer);
    short_text digits;
    digits.put("0x");
    digits.put_number(reinterpret_cast<std::uintptr_t>(pointer), 16);
    put_padded(digits.characters, digits.length);
  }
  template <typename Type, access::address_space Space, access::decorated Decorated>
  void put(const multi_ptr<Type, Space, Decorated> &pointer) {
    put(static_cast<const volatile void *>(pointer.get_raw()));
  }
  template <typename Type, int Count> void put(const vec<Type, Count> &values) {
    put_list(values, Count);
  }
  template <typename Type, int Size, int... Indices>
  void put(const swizzled<Type, Size, Indices...> &values) {
    put(values.read());
  }
  template <int Dimensions> void put(const id<Dimensions> &place) {
    put_character('{');
    put_list(place, Dimensions);
    put_character('}');
  }
  template <int Dimensions> void put(const range<Dimensions> &size) { put(id<Dimensions>(size)); }
  template <int Dimensions> void put(const nd_range<Dimensions> &space) {
    put_fields("nd_range(global_range: ", space.get_global_range(),
               ", local_range: ", space.get_local_range(), ", offset: ", space.get_offset(), ")");
  }
  template <int Dimensions, bool WithOffset> void put(const item<Dimensions, WithOffset> &item) {
    put_fields("item(id: ", item.get_id(), ", range: ", item.get_range());
    if constexpr (WithOffset)
      put_fields(", offset: ", item.get_offset());
    put_character(')');
  }
  template <int Dimensions> void put(const nd_item<Dimensions> &item) {
    put_fields("nd_item(global_id: ", item.get_global_id(), ", local_id: ", item.get_local_id(),
               ")");
  }
  template <int Dimensions> void put(const group<Dimensions> &group) {
    put_fields("group(id: ", group.get_group_id(), ", local_range: ", group.get_local_range(),
               ", global_range: ", group.get_global_range(), ")");
  }
  template <int Dimensions> void put(const h_item<Dimensions> &item) {
    put_fields("h_item(\n  global ", item.get_global(), "\n  logical local ",
               item.get_logical_local(), "\n  physical local ", item.get_physical_local(), "\n)");
  }

private:
  void put_text(const char *characters) {
    std::size_t length = 0;
    while (characters[length] != '\0')
      ++length;
    put_text(characters, length);
  }
  void put_text(const char *characters, std::size_t length) {
    put_padded(characters, length, out->format.pads_text);
    if (length > 0 && characters[length - 1] == '\n')
      out->format.width = 0;
  }
  template <typename... Fields> void put_fields(const Fields &...fields) { (put(fields), ...); }
  /// A `char` alone is a character; those of a vector are numbers, as with DPC++.
  template <typename Values> void put_list(const Values &values, int count) {
    for (int i = 0; i < count; ++i) {
      if (i > 0)
        put(", ");
      if constexpr (std::is_same_v<std::decay_t<decltype(values[i])>, char>)
        put_whole(values[i]);
      else
        put(values[i]);
    }
  }
  template <typename Type> void put_whole(Type number) {
    short_text digits;
    put_integer(digits, number, out->format);
    put_padded(digits.characters, digits.length);
  }
  PLSYCL_OUT_OF_LINE void put_padded(const char *characters, std::size_t length, bool pads = true) {
    for (int width = out->format.width; pads && width > static_cast<int>(length); --width)
      put_character(' ');
    out->format.pads_text = false;
    for (std::size_t i = 0; i < length; ++i)
      put_character(characters[i]);
  }
  void put_character(char character) {
    if (filled == sizeof(text))
      send();
    text[filled++] = character;
  }
  void send(bool flushes = false) {
    if (flushes)
      out->format.width = 0;
    if (filled > 0)
      out->append(text, filled, flushes);
    else if (flushes)
      out->flush();
    filled = 0;
  }

  const stream *out;
  char text[256];
  std::uint32_t filled = 0;
};

} // namespace detail

/// Of the values that SYCL 2020 lists and of manipulators, which hold for what comes after them.
template <typename Type>
auto operator<<(const stream &out, const Type &value)
    -> decltype((std::declval<detail::stream_text &>().put(value), out)) {
  detail::stream_text(out).put(value);
  return out;
}
} // namespace sycl

/// By the text that it writes to.
template <> struct std::hash<sycl::stream> {
  std::size_t operator()(const sycl::stream &out) const {
    return std::hash<const volatile void *>()((const volatile void *)out.text.get_memory().data);
  }
};
