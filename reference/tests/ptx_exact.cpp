// The functions of bits.inc against the C library's, which are exact too: the same bits, for every
// pair of edge cases and for many bit patterns. Compiled with REAL, the type.
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

#define BITS(FUNCTION) own_##FUNCTION
#include "../devicelib/bits.inc"

namespace {

int failures = 0;

bool alike(REAL x, REAL y) { return (is_nan(x) && is_nan(y)) || bits_of(x) == bits_of(y); }

void expect(bool right, const char *function, REAL x, REAL y) {
  if (!right && failures++ < 20)
    std::printf("WRONG: %s of %a and %a\n", function, static_cast<double>(x),
                static_cast<double>(y));
}

void check(REAL x, REAL y) {
  int own = 0, theirs = 0;
  REAL own_whole = 0, whole = 0;
  const bool finite = std::isfinite(x);
  expect(own_ilogb(x) == std::ilogb(x), "ilogb", x, y);
  expect(alike(own_logb(x), std::logb(x)), "logb", x, y);
  expect(alike(own_frexp(x, &own), std::frexp(x, &theirs)) && (own == theirs || !finite), "frexp",
         x, y);
  expect(alike(own_modf(x, &own_whole), std::modf(x, &whole)) && alike(own_whole, whole), "modf", x,
         y);
  expect(alike(own_nextafter(x, y), std::nextafter(x, y)), "nextafter", x, y);
  expect(alike(own_fmod(x, y), std::fmod(x, y)), "fmod", x, y);
  expect(alike(own_remainder(x, y), std::remainder(x, y)), "remainder", x, y);
  expect(alike(own_remquo(x, y, &own), std::remquo(x, y, &theirs)), "remquo", x, y);
  // C promises three bits of the quotient.
  expect(!finite || !std::isfinite(y) || y == 0 || (own - theirs) % 8 == 0, "quotient", x, y);
  for (int power : {0, 1, -1, 23, -25, 140, -149, -170, 300, 1000, -1022, -1080, 2100, -2200})
    expect(alike(own_ldexp(x, power), std::ldexp(x, power)), "ldexp", x, static_cast<REAL>(power));
  for (int power : {greatest_int, -greatest_int - 1})
    expect(alike(own_ldexp(x, power), std::ldexp(x, power)), "ldexp", x, static_cast<REAL>(power));
}

} // namespace

int main() {
  using limits = std::numeric_limits<REAL>;
  const REAL edges[] = {0,
                        1,
                        0.5,
                        1.5,
                        2.5,
                        3,
                        7.75,
                        limits::infinity(),
                        limits::quiet_NaN(),
                        limits::max(),
                        limits::min(),
                        limits::denorm_min(),
                        limits::min() - limits::denorm_min(),
                        limits::min() + limits::denorm_min()};
  for (REAL x : edges)
    for (REAL y : edges)
      for (int signs = 0; signs < 4; ++signs)
        check(signs & 1 ? -x : x, signs & 2 ? -y : y);
  std::mt19937_64 random(1);
  for (int i = 0; i < 50000; ++i) {
    const REAL x = real(static_cast<word>(random()));
    check(x, real(static_cast<word>(random())));
    // A divisor of about the same size.
    check(x, x * static_cast<REAL>(random() % 1000) / 700);
  }
  std::puts(failures == 0 ? "alike" : "WRONG");
  return failures == 0 ? 42 : 1;
}
