//===- dot_product.hpp - sycl_ext_oneapi_dot_accumulate -------------------------------------===//
#pragma once

#include <sycl/vec.hpp>

#include <cstdint>

namespace sycl {
namespace detail {

/// Four bytes of a word, or of a vector, as numbers with or without a sign.
template <typename Byte, typename Word> vec<Byte, 4> four_of(Word word) {
  const auto bits = static_cast<std::uint32_t>(word);
  return {static_cast<Byte>(bits), static_cast<Byte>(bits >> 8), static_cast<Byte>(bits >> 16),
          static_cast<Byte>(bits >> 24)};
}
template <typename Left, typename Right>
std::int32_t sum_of_products(const vec<Left, 4> &left, const vec<Right, 4> &right,
                             std::int32_t sum) {
  for (int i = 0; i < 4; ++i)
    sum += static_cast<std::int32_t>(left[i]) * static_cast<std::int32_t>(right[i]);
  return sum;
}

} // namespace detail

namespace ext::oneapi {

// The products of four bytes each and a sum so far; types and letters say which operand has signs.
inline std::int32_t dot_acc(vec<std::int8_t, 4> left, vec<std::int8_t, 4> right, std::int32_t sum) {
  return detail::sum_of_products(left, right, sum);
}
inline std::int32_t dot_acc(vec<std::uint8_t, 4> left, vec<std::uint8_t, 4> right,
                            std::int32_t sum) {
  return detail::sum_of_products(left, right, sum);
}
inline std::int32_t dot_acc(vec<std::int8_t, 4> left, vec<std::uint8_t, 4> right,
                            std::int32_t sum) {
  return detail::sum_of_products(left, right, sum);
}
inline std::int32_t dot_acc(vec<std::uint8_t, 4> left, vec<std::int8_t, 4> right,
                            std::int32_t sum) {
  return detail::sum_of_products(left, right, sum);
}
inline std::int32_t dot_acc(std::int32_t left, std::int32_t right, std::int32_t sum) {
  return dot_acc(detail::four_of<std::int8_t>(left), detail::four_of<std::int8_t>(right), sum);
}
inline std::int32_t dot_acc(std::uint32_t left, std::uint32_t right, std::int32_t sum) {
  return dot_acc(detail::four_of<std::uint8_t>(left), detail::four_of<std::uint8_t>(right), sum);
}
inline std::int32_t dot_acc(std::int32_t left, std::uint32_t right, std::int32_t sum) {
  return dot_acc(detail::four_of<std::int8_t>(left), detail::four_of<std::uint8_t>(right), sum);
}
inline std::int32_t dot_acc(std::uint32_t left, std::int32_t right, std::int32_t sum) {
  return dot_acc(detail::four_of<std::uint8_t>(left), detail::four_of<std::int8_t>(right), sum);
}
inline std::int32_t dot_acc_4x8packed_ss(std::int32_t left, std::int32_t right, std::int32_t sum) {
  return dot_acc(left, right, sum);
}
inline std::int32_t dot_acc_4x8packed_uu(std::int32_t left, std::int32_t right, std::int32_t sum) {
  return dot_acc(static_cast<std::uint32_t>(left), static_cast<std::uint32_t>(right), sum);
}
inline std::int32_t dot_acc_4x8packed_su(std::int32_t left, std::int32_t right, std::int32_t sum) {
  return dot_acc(static_cast<std::int32_t>(left), static_cast<std::uint32_t>(right), sum);
}
inline std::int32_t dot_acc_4x8packed_us(std::int32_t left, std::int32_t right, std::int32_t sum) {
  return dot_acc(static_cast<std::uint32_t>(left), static_cast<std::int32_t>(right), sum);
}

} // namespace ext::oneapi
} // namespace sycl
