// Numbers to compute with, and how far a result is from the truth.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

/// Zeros, infinities, what is no number, the ends of every range, whole numbers and those between;
/// then numbers of every size, and of the sizes that programs compute with.
template <typename T> std::vector<T> numbers_of() {
  using limits = std::numeric_limits<T>;
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  std::vector<T> numbers;
  for (const T size : {T(0),
                       T(1),
                       T(0.5),
                       T(1.5),
                       T(2),
                       T(2.5),
                       T(3),
                       T(4.5),
                       T(10),
                       T(33),
                       T(34.5),
                       T(88),
                       T(100),
                       T(127),
                       T(128),
                       T(170.5),
                       T(709),
                       T(1023),
                       T(0.1),
                       T(1e-3),
                       T(1e-10),
                       T(1e10),
                       T(1e22),
                       T(0.69314718),
                       T(1.57079632679489661923),
                       T(3.14159265358979323846),
                       T(0.99999994),
                       T(1.0000001),
                       T(8388607.5),
                       T(4503599627370495.5),
                       limits::denorm_min(),
                       limits::denorm_min() * 3,
                       limits::min(),
                       limits::min() / 2,
                       limits::epsilon(),
                       limits::max(),
                       limits::infinity(),
                       limits::quiet_NaN()})
    for (const T sign : {T(1), T(-1)})
      numbers.push_back(size * sign);
  std::uint64_t state = 42;
  const auto random = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state ^ (state >> 29);
  };
  for (int i = 0; i < 2000; ++i) {
    const auto pattern = static_cast<bits>(random() >> (64 - 8 * sizeof(T)));
    T any;
    std::memcpy(&any, &pattern, sizeof(T));
    numbers.push_back(any);
    const T part = static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-53);
    numbers.push_back((part - T(0.5)) * T(i % 3 == 0 ? 2 : i % 3 == 1 ? 40 : 2000));
  }
  return numbers;
}

/// How many units in the last place `found` is from `truth`; infinite for another kind of number
/// and for a zero of the other sign. A device may take a denormal float for zero.
template <typename T, typename Truth> double distance(T found, Truth truth) {
  using limits = std::numeric_limits<T>;
  constexpr double far = std::numeric_limits<double>::infinity();
  if (std::isnan(truth) || std::isnan(found))
    return std::isnan(truth) && std::isnan(found) ? 0 : far;
  const T nearest = static_cast<T>(truth);
  if (found == nearest)
    return found != 0 || truth != 0 || std::signbit(found) == std::signbit(truth) ? 0 : far;
  if (std::isinf(truth))
    return far;
  // The step from the truth to the next number, also beyond the greatest one.
  const int exponent = truth == 0 ? limits::min_exponent : std::ilogb(truth) + 1;
  const int least = limits::min_exponent > exponent ? limits::min_exponent : exponent;
  const Truth step = std::ldexp(Truth(1), least - limits::digits);
  Truth value = static_cast<Truth>(found);
  if (std::isinf(found))
    value = std::copysign(std::ldexp(Truth(1), limits::max_exponent), value);
  return static_cast<double>(std::fabs(value - truth) / step);
}
