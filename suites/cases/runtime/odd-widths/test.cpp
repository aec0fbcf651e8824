#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <sycl/sycl.hpp>
#include <vector>
constexpr int places = 100;
using integers = int __attribute__((ext_vector_type(4)));
template <int Bytes> void part(std::int64_t *&out, char *bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes + Bytes, Bytes);
  *out++ = static_cast<std::int64_t>(value);
  value = value * 3 + 1;
  std::memcpy(bytes + 32 + Bytes, &value, Bytes);
}
template <class A, class B, class R>
void overflow(std::int64_t *&out, std::int64_t a, std::int64_t b) {
  R result;
  *out++ = __builtin_add_overflow(static_cast<A>(a), static_cast<B>(b), &result);
  *out++ = static_cast<std::int64_t>(result);
  *out++ = __builtin_sub_overflow(static_cast<A>(a), static_cast<B>(b), &result);
  *out++ = static_cast<std::int64_t>(result);
}
template <class T> void own(std::int64_t *&out, std::int64_t a, std::int64_t b) {
  const T x = static_cast<T>(a), y = static_cast<T>(b);
  const T results[] = {
      static_cast<T>(x + y),  static_cast<T>(x - y),         static_cast<T>(x * y),
      static_cast<T>(x & y),  static_cast<T>(x ^ y),         static_cast<T>(x >> 3),
      static_cast<T>(x << 3), y ? static_cast<T>(x / y) : x, y ? static_cast<T>(x % y) : y};
  for (const T &result : results)
    *out++ = static_cast<std::int64_t>(result);
  *out++ = x < y;
  *out++ = static_cast<std::int64_t>(static_cast<double>(x));
}
struct Pixel {
  unsigned char red, green, blue;
};
void compute(std::int64_t *out, char *bytes, std::int64_t a, std::int64_t b) {
  part<3>(out, bytes);
  part<5>(out, bytes);
  part<6>(out, bytes);
  part<7>(out, bytes);
  auto *pixels = reinterpret_cast<Pixel *>(bytes + 100);
  Pixel kept = pixels[3];
  kept.green = static_cast<unsigned char>(a);
  pixels[4] = pixels[b & 3];
  pixels[5] = a > b ? kept : pixels[7];
  std::int64_t sum = 0, squares = 0;
  for (std::int64_t i = a & 0xffff; i < (b & 0xfffff); ++i)
    sum += i, squares += i * i;
  *out++ = sum;
  *out++ = squares;
  sum = 0;
  for (std::int64_t i = 0; i < (a & 0x7ffff); ++i)
    sum += i * b;
  *out++ = sum;
  overflow<int, unsigned, int>(out, a, b);
  overflow<unsigned, int, unsigned>(out, a, b);
  overflow<std::int64_t, std::uint64_t, std::int64_t>(out, a, b);
  overflow<std::uint64_t, std::int64_t, std::uint64_t>(out, a, b);
  int product;
  *out++ = __builtin_mul_overflow(static_cast<int>(a), static_cast<unsigned>(b), &product);
  *out++ = product;
  own<_BitInt(24)>(out, a, b);
  own<unsigned _BitInt(24)>(out, a, b);
  own<unsigned _BitInt(43)>(out, a, b);
  own<_BitInt(5)>(out, a, b);
  const integers x = {static_cast<int>(a), static_cast<int>(b), 3, static_cast<int>(a)};
  const integers y = {static_cast<int>(b), static_cast<int>(b), 4, static_cast<int>(b >> 1)};
  *out++ = __builtin_reduce_or(x == y);
  *out++ = __builtin_reduce_and(x == y);
  *out++ = static_cast<int>(static_cast<unsigned char>(static_cast<short>(a)));
  *out++ = static_cast<unsigned>(static_cast<unsigned char>(static_cast<unsigned short>(b)));
}
void fill(char *bytes) {
  for (int i = 0; i < 256; ++i)
    bytes[i] = static_cast<char>(i * 7 + 129);
}
int main() {
  constexpr std::int64_t numbers[] = {0,
                                      1,
                                      -1,
                                      2,
                                      7,
                                      -7,
                                      100,
                                      127,
                                      128,
                                      -128,
                                      255,
                                      32768,
                                      -32768,
                                      65535,
                                      65536,
                                      0x7fffff,
                                      0x800000,
                                      0xffffff,
                                      INT_MAX,
                                      INT_MIN,
                                      0xffffffff,
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
    q.single_task<class Widths>([=] { compute(out, bytes, a, b); }).wait();
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
