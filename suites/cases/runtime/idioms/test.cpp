#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <sycl/sycl.hpp>
#include <vector>
constexpr int places = 400;
template <class T> void overflow(std::int64_t *&out, std::int64_t a, std::int64_t b) {
  T result;
  *out++ = __builtin_add_overflow(static_cast<T>(a), static_cast<T>(b), &result);
  *out++ = static_cast<std::int64_t>(result);
  *out++ = __builtin_sub_overflow(static_cast<T>(a), static_cast<T>(b), &result);
  *out++ = static_cast<std::int64_t>(result);
  *out++ = __builtin_mul_overflow(static_cast<T>(a), static_cast<T>(b), &result);
  *out++ = static_cast<std::int64_t>(result);
}
/// A loop of which optimizers make one operation.
std::uint32_t reversed(std::uint32_t x) {
  x = ((x >> 1) & 0x55555555) | ((x & 0x55555555) << 1);
  x = ((x >> 2) & 0x33333333) | ((x & 0x33333333) << 2);
  x = ((x >> 4) & 0x0f0f0f0f) | ((x & 0x0f0f0f0f) << 4);
  x = ((x >> 8) & 0x00ff00ff) | ((x & 0x00ff00ff) << 8);
  return (x >> 16) | (x << 16);
}
void compute(std::int64_t *out, char *bytes, std::int64_t a, std::int64_t b) {
  const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
  overflow<std::int8_t>(out, a, b);
  overflow<std::uint8_t>(out, a, b);
  overflow<std::int16_t>(out, a, b);
  overflow<std::uint16_t>(out, a, b);
  overflow<std::int32_t>(out, a, b);
  overflow<std::uint32_t>(out, a, b);
  overflow<std::int64_t>(out, a, b);
  overflow<std::uint64_t>(out, a, b);
  *out++ = ua != 0 && ua * ub / ua != ub;
  *out++ =
      static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) * static_cast<std::uint32_t>(b) >
      0xffffffffu;
  *out++ = reversed(static_cast<std::uint32_t>(a));
  *out++ = __builtin_bitreverse8(static_cast<std::uint8_t>(a));
  *out++ = __builtin_bitreverse16(static_cast<std::uint16_t>(b));
  *out++ = static_cast<std::int64_t>(__builtin_bitreverse64(ua));
  *out++ = ((ua & 1) << 2) | (ua & 2) | ((ua >> 2) & 1);
  std::uint64_t six = 0;
  for (int k = 0; k < 6; ++k)
    six |= ((ua >> (8 * k)) & 0xff) << (8 * (5 - k));
  *out++ = static_cast<std::int64_t>(six);
  *out++ = static_cast<std::uint32_t>(static_cast<std::uint8_t>(ua)) +
           static_cast<std::uint32_t>(static_cast<std::uint16_t>(ub));
  const char *inside = bytes + 3;
  *out++ = static_cast<const char *>(__builtin_align_down(inside, 8)) - bytes;
// A builtin with a variable number of arguments, which some device compilers refuse.
#ifdef PREFETCH
  __builtin_prefetch(bytes);
#endif
  // Copies within one place: both ways, of all sizes up to 40 and of some that are known.
  const int from = static_cast<int>(ua % 11), to = static_cast<int>(ub % 13);
  std::memmove(bytes + to, bytes + from, (ua ^ ub) % 41);
  std::memmove(bytes + 65, bytes + 64, 23);
  std::memmove(bytes + 96, bytes + 104, 24);
  std::memmove(bytes + 131, bytes + 128, 60);
  std::memmove(bytes + 200, bytes + 201, 0);
  auto *words = reinterpret_cast<int *>(bytes + 208);
  for (int i = 0; i < 9; ++i)
    words[i] = words[i + 1];
  for (int i = static_cast<int>(ub % 9); i > 0; --i)
    words[i] = words[i - 1];
  std::int64_t own[12];
  for (int i = 0; i < 12; ++i)
    own[i] = a + i;
  std::memmove(own + 1, own, ua % 12 * sizeof *own);
  std::memmove(own, own + 2, 9 * sizeof *own);
  for (const std::int64_t each : own)
    *out++ = each;
}
void fill(char *bytes) {
  for (int i = 0; i < 256; ++i)
    bytes[i] = static_cast<char>(i * 7);
}
int main() {
  constexpr std::int64_t numbers[] = {0,
                                      1,
                                      -1,
                                      2,
                                      7,
                                      -7,
                                      11,
                                      127,
                                      128,
                                      -128,
                                      255,
                                      256,
                                      32767,
                                      32768,
                                      -32768,
                                      65535,
                                      65536,
                                      INT_MAX,
                                      INT_MIN,
                                      0xffffffff,
                                      0x100000000,
                                      LONG_MAX,
                                      LONG_MIN,
                                      0x123456789abcdef,
                                      -987654321012345,
                                      0x5555555555555555};
  constexpr int count = sizeof numbers / sizeof *numbers;
  sycl::queue q;
  auto *out = sycl::malloc_shared<std::int64_t>(places, q);
  auto *bytes = sycl::malloc_shared<char>(256, q);
  int wrong = 0, runs = 0;
  for (int i = 0; i < 4 * count; ++i) {
    const std::int64_t a = numbers[i % count], b = numbers[(i * 5 + i / count) % count];
    std::vector<std::int64_t> expected(places);
    std::vector<char> kept(264);
    char *host = kept.data() + (8 - reinterpret_cast<std::uintptr_t>(kept.data()) % 8) % 8;
    std::memset(out, 0, places * sizeof *out);
    fill(bytes);
    fill(host);
    q.single_task<class Idioms>([=] { compute(out, bytes, a, b); }).wait();
    compute(expected.data(), host, a, b);
    for (int k = 0; k < places; ++k)
      if (out[k] != expected[k])
        wrong += std::printf("WRONG: value %d of %ld and %ld is %ld, not %ld\n", k, a, b, out[k],
                             expected[k]) > 0;
    for (int k = 0; k < 256; ++k)
      if (bytes[k] != host[k])
        wrong += std::printf("WRONG: byte %d of %ld and %ld is %d, not %d\n", k, a, b, bytes[k],
                             host[k]) > 0;
    ++runs;
  }
  std::printf("%d pairs\n", runs);
  return wrong == 0 ? 42 : 1;
}
