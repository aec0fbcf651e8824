// Computes every function of C's mathematics on the device over many numbers, edge cases among
// them, and holds the results to the tables of OpenCL C ("Relative error as ULPs"), with the host's
// long double as the true value.

#include "numbers.hpp"

#include <cmath>
#include <cstdio>
#include <sycl/sycl.hpp>
#include <type_traits>
#include <vector>

namespace {

// The functions and their bounds in units in the last place. OpenCL C has no bound for lgamma.
#define UNARY_FUNCTIONS(FUNCTION)                                                                  \
  FUNCTION(acos, 4)                                                                                \
  FUNCTION(acosh, 4)                                                                               \
  FUNCTION(asin, 4)                                                                                \
  FUNCTION(asinh, 4)                                                                               \
  FUNCTION(atan, 5)                                                                                \
  FUNCTION(atanh, 5)                                                                               \
  FUNCTION(cbrt, 2)                                                                                \
  FUNCTION(ceil, 0)                                                                                \
  FUNCTION(cos, 4)                                                                                 \
  FUNCTION(cosh, 4)                                                                                \
  FUNCTION(erf, 16)                                                                                \
  FUNCTION(erfc, 16)                                                                               \
  FUNCTION(exp, 3)                                                                                 \
  FUNCTION(exp2, 3)                                                                                \
  FUNCTION(expm1, 3)                                                                               \
  FUNCTION(fabs, 0)                                                                                \
  FUNCTION(floor, 0)                                                                               \
  FUNCTION(lgamma, 1000)                                                                           \
  FUNCTION(log, 3)                                                                                 \
  FUNCTION(log10, 3)                                                                               \
  FUNCTION(log1p, 2)                                                                               \
  FUNCTION(log2, 3)                                                                                \
  FUNCTION(logb, 0)                                                                                \
  FUNCTION(nearbyint, 0)                                                                           \
  FUNCTION(rint, 0)                                                                                \
  FUNCTION(round, 0)                                                                               \
  FUNCTION(sin, 4)                                                                                 \
  FUNCTION(sinh, 4)                                                                                \
  FUNCTION(sqrt, 3)                                                                                \
  FUNCTION(tan, 5)                                                                                 \
  FUNCTION(tanh, 5)                                                                                \
  FUNCTION(tgamma, 16)                                                                             \
  FUNCTION(trunc, 0)

#define BINARY_FUNCTIONS(FUNCTION)                                                                 \
  FUNCTION(atan2, 6)                                                                               \
  FUNCTION(copysign, 0)                                                                            \
  FUNCTION(fdim, 0)                                                                                \
  FUNCTION(fmax, 0)                                                                                \
  FUNCTION(fmin, 0)                                                                                \
  FUNCTION(fmod, 0)                                                                                \
  FUNCTION(hypot, 4)                                                                               \
  FUNCTION(pow, 16)                                                                                \
  FUNCTION(remainder, 0)

struct named {
  const char *name;
  double bound;
};
#define ENTRY(FUNCTION, BOUND) {#FUNCTION, BOUND},
constexpr named unary[] = {UNARY_FUNCTIONS(ENTRY)};
constexpr named binary[] = {BINARY_FUNCTIONS(ENTRY)};
#undef ENTRY
constexpr std::size_t unary_count = std::size(unary), binary_count = std::size(binary);

template <typename T> struct put {
  T *to;
  void operator()(T value) { *to++ = value; }
};

template <typename T, typename Put> void compute(T x, Put put) {
#define CALL(FUNCTION, BOUND) put(std::FUNCTION(x));
  UNARY_FUNCTIONS(CALL)
#undef CALL
}

template <typename T, typename Put> void compute(T x, T y, Put put) {
#define CALL(FUNCTION, BOUND) put(std::FUNCTION(x, y));
  BINARY_FUNCTIONS(CALL)
#undef CALL
}

/// Results that are no real numbers, or in several parts: exact ones, as bits.
constexpr std::size_t exact_count = 15;
template <typename T> void compute_exact(T x, T y, double *out) {
  int number = 0;
  T whole = 0;
  *out++ = std::frexp(x, &number);
  *out++ = std::isfinite(x) ? number : 0;
  *out++ = std::modf(x, &whole);
  *out++ = whole;
  *out++ = std::ilogb(x);
  *out++ = std::ldexp(x, 5);
  *out++ = std::scalbn(x, -7);
  *out++ = std::scalbln(x, 3L);
  *out++ = std::fma(x, x, x);
  *out++ = std::nextafter(x, T(3));
  const bool small = std::fabs(x) < T(1e6);
  *out++ = small ? static_cast<double>(std::lround(x)) : 0;
  *out++ = small ? static_cast<double>(std::llrint(x)) : 0;
  *out++ = std::remquo(x, y, &number);
  // C leaves open how many bits there are beyond three.
  *out++ = std::isfinite(x) && y != 0 && !std::isnan(y) ? number % 8 : 0;
  *out++ = std::isnan(std::nan("")) && std::isnan(std::nanf(""));
}

template <typename T> class Compute;

template <typename T> int check(sycl::queue &q) {
  const std::vector<T> numbers = numbers_of<T>();
  const std::size_t count = numbers.size();
  std::vector<T> ones(count * unary_count), twos(count * binary_count);
  std::vector<double> exact(count * exact_count);
  const auto partner = [count](std::size_t i) { return (i * 7919 + 11) % count; };
  {
    sycl::buffer<T, 1> in{numbers.data(), sycl::range<1>{count}};
    sycl::buffer<T, 1> one{ones.data(), sycl::range<1>{ones.size()}};
    sycl::buffer<T, 1> two{twos.data(), sycl::range<1>{twos.size()}};
    sycl::buffer<double, 1> rest{exact.data(), sycl::range<1>{exact.size()}};
    q.submit([&](sycl::handler &cgh) {
      sycl::accessor from{in, cgh, sycl::read_only};
      sycl::accessor to_one{one, cgh, sycl::write_only};
      sycl::accessor to_two{two, cgh, sycl::write_only};
      sycl::accessor to_rest{rest, cgh, sycl::write_only};
      cgh.parallel_for<Compute<T>>(sycl::range<1>{count}, [=](sycl::id<1> i) {
        const T x = from[i], y = from[partner(i[0])];
        compute(x, put<T>{&to_one[i[0] * unary_count]});
        compute(x, y, put<T>{&to_two[i[0] * binary_count]});
        compute_exact(x, y, &to_rest[i[0] * exact_count]);
      });
    });
  }
  int wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const T x = numbers[i], y = numbers[partner(i)];
    long double truth[unary_count], truths[binary_count];
    double truly[exact_count];
    compute<long double>(x, put<long double>{truth});
    compute<long double>(x, y, put<long double>{truths});
    compute_exact(x, y, truly);
    for (std::size_t f = 0; f < unary_count; ++f)
      if (const double off = distance(ones[i * unary_count + f], truth[f]); off > unary[f].bound)
        wrong += std::printf("WRONG: %s(%a) is %a, not %La: %g ulp\n", unary[f].name, double(x),
                             double(ones[i * unary_count + f]), truth[f], off) > 0;
    for (std::size_t f = 0; f < binary_count; ++f)
      if (const double off = distance(twos[i * binary_count + f], truths[f]); off > binary[f].bound)
        wrong +=
            std::printf("WRONG: %s(%a, %a) is %a, not %La: %g ulp\n", binary[f].name, double(x),
                        double(y), double(twos[i * binary_count + f]), truths[f], off) > 0;
    for (std::size_t f = 0; f < exact_count; ++f)
      if (const double found = exact[i * exact_count + f]; distance(found, truly[f]) > 0)
        wrong += std::printf("WRONG: exact %zu of %a, %a is %a, not %a\n", f, double(x), double(y),
                             found, truly[f]) > 0;
  }
  std::printf("%zu numbers of %zu bytes\n", count, sizeof(T));
  return wrong;
}

} // namespace

int main() {
  sycl::queue q;
  const int wrong = check<float>(q) + check<double>(q);
  return wrong == 0 ? 42 : 1;
}
