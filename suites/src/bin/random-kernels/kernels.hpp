// What the programs of `random-kernels` have in common: arithmetic that is defined for all
// operands, inputs, and kernels whose results are compared with those of the same functions on the
// host.

#pragma once

#include <sycl/sycl.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <type_traits>

// A product and a sum together are a rounding less, on the one side or on the other.
#pragma STDC FP_CONTRACT OFF

// The bits of a value; not-a-number has the same ones wherever it comes from.
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
std::uint64_t bits(const T &value) {
  if (value != value)
    return 0x7ff8;
  std::uint64_t pattern = 0;
  std::memcpy(&pattern, &value, sizeof(T));
  return pattern;
}

template <typename T, int Count> std::uint64_t bits(const sycl::vec<T, Count> &value) {
  std::uint64_t all = 1469598103934665603u;
  for (int i = 0; i < Count; ++i)
    all = (all ^ bits(T(value[i]))) * 1099511628211u;
  return all;
}

// The value, or 0 in the place of not-a-number, whose sign and bits nobody says.
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> T known(const T &value) {
  return value == value ? value : T(0);
}
template <typename T, int Count> sycl::vec<T, Count> known(sycl::vec<T, Count> value) {
  for (int i = 0; i < Count; ++i)
    value[i] = known(T(value[i]));
  return value;
}

// Integer arithmetic modulo two to the width, as signed types lack it.
template <typename T> T sum(T a, T b) { return T(std::uint64_t(a) + std::uint64_t(b)); }
template <typename T> T difference(T a, T b) { return T(std::uint64_t(a) - std::uint64_t(b)); }
template <typename T> T product(T a, T b) { return T(std::uint64_t(a) * std::uint64_t(b)); }

template <typename T> T quotient(T a, T b) {
  if (b == 0)
    return a;
  if constexpr (std::is_signed_v<T>)
    if (b == T(-1))
      return difference(T(0), a);
  return T(a / b);
}

template <typename T> T modulo(T a, T b) {
  if (b == 0)
    return a;
  if constexpr (std::is_signed_v<T>)
    if (b == T(-1))
      return T(0);
  return T(a % b);
}

// A floating-point value as an integer, where it has a place there.
template <typename T, typename From, std::enable_if_t<std::is_arithmetic_v<From>, int> = 0>
T whole(From value) {
  constexpr auto limit = sizeof(T) < 4 ? From(100) : From(1e9);
  if (!(value > (std::is_signed_v<T> ? -limit : From(-0.5))) || !(value < limit))
    return T(1);
  return T(value);
}

template <typename To, typename T, int Count> To whole(const sycl::vec<T, Count> &value) {
  To all;
  for (int i = 0; i < Count; ++i)
    all[i] = whole<typename To::element_type>(T(value[i]));
  return all;
}

using Engine = std::mt19937_64;

// Values of all sizes, small ones and the special ones of their type more often.
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
void fill(T &value, Engine &engine) {
  const auto random = engine();
  if constexpr (std::is_same_v<T, bool>) {
    value = random % 2 == 1;
  } else if constexpr (std::is_floating_point_v<T>) {
    switch (random % 6) {
    case 0:
      value = T(std::int32_t(random >> 40) % 1000) / 8;
      break;
    case 1:
      value = T(std::int64_t(engine()));
      break;
    case 2:
      value = 0;
      break;
    case 3:
      value = -T(random % 7);
      break;
    default:
      value = T(std::int32_t(random >> 33)) / 1024;
    }
  } else {
    switch (random % 5) {
    case 0:
      value = T(random >> 3);
      break;
    case 1:
      value = T(random >> 60);
      break;
    case 2:
      value = T(0 - (random >> 61));
      break;
    default:
      value = T(engine() >> (random >> 58));
    }
  }
}

template <typename T> T some(Engine &engine) {
  T value;
  fill(value, engine);
  return value;
}

template <typename T, int Count> void fill(sycl::vec<T, Count> &value, Engine &engine) {
  for (int i = 0; i < Count; ++i)
    value[i] = some<T>(engine);
}

inline constexpr std::size_t items = 128;

// The values that a function gives of each input, by its kernel and by the host: how many are not
// the same.
template <typename Function, typename In, int Values>
int differences(sycl::queue &queue, const In *in) {
  struct Results {
    std::uint64_t values[Values];
  };
  auto *results = sycl::malloc_shared<Results>(items, queue);
  std::memset(results, 0, items * sizeof(Results));
  queue
      .parallel_for<Function>(sycl::nd_range<1>(items, 32),
                              [=](sycl::nd_item<1> item) {
                                const auto i = item.get_global_id(0);
                                Function{}(in[i], results[i].values);
                              })
      .wait();
  int different = 0;
  for (std::size_t i = 0; i < items; ++i) {
    Results expected{};
    Function{}(in[i], expected.values);
    for (int value = 0; value < Values; ++value) {
      const auto here = expected.values[value], there = results[i].values[value];
      if (here != there && different++ < 4)
        std::printf("%s, work-item %zu, value %d: %#llx on the device, %#llx on the host\n",
                    Function::name, i, value, static_cast<unsigned long long>(there),
                    static_cast<unsigned long long>(here));
    }
  }
  sycl::free(results, queue);
  return different;
}

// Inputs, the same ones for the same number.
template <typename In> In *inputs(sycl::queue &queue, std::uint64_t number) {
  auto *in = sycl::malloc_shared<In>(items, queue);
  std::memset(static_cast<void *>(in), 0, items * sizeof(In));
  Engine engine(number);
  for (std::size_t i = 0; i < items; ++i)
    in[i].fill(engine);
  return in;
}
