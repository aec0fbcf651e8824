// Computes complex functions on the device over many numbers, edge cases among them. Finite results
// are held to a multiple of the type's precision, with the host's complex<long double> as the true
// value; infinities, zeros and what is no number have to come out as C's Annex G has them.

#include "numbers.hpp"

#include <complex>
#include <cstdio>
#include <iterator>
#include <sycl/sycl.hpp>
#include <vector>

namespace {

// The functions of one number and of two, and their bounds: how far a result may be from the truth,
// in units of the precision of the larger part. SYCL has no table for them.
#define UNARY_FUNCTIONS(FUNCTION)                                                                  \
  FUNCTION(acos, 16)                                                                               \
  FUNCTION(acosh, 16)                                                                              \
  FUNCTION(asin, 16)                                                                               \
  FUNCTION(asinh, 16)                                                                              \
  FUNCTION(atan, 16)                                                                               \
  FUNCTION(atanh, 16)                                                                              \
  FUNCTION(conj, 0)                                                                                \
  FUNCTION(cos, 16)                                                                                \
  FUNCTION(cosh, 16)                                                                               \
  FUNCTION(exp, 16)                                                                                \
  FUNCTION(log, 16)                                                                                \
  FUNCTION(log10, 16)                                                                              \
  FUNCTION(proj, 0)                                                                                \
  FUNCTION(sin, 16)                                                                                \
  FUNCTION(sinh, 16)                                                                               \
  FUNCTION(sqrt, 8)                                                                                \
  FUNCTION(tan, 16)                                                                                \
  FUNCTION(tanh, 16)

struct named {
  const char *name;
  double bound;
};
#define ENTRY(FUNCTION, BOUND) {#FUNCTION, BOUND},
constexpr named functions[] = {
    UNARY_FUNCTIONS(ENTRY){"operator*", 4}, {"operator/", 8}, {"pow", 0}};
#undef ENTRY
constexpr std::size_t function_count = std::size(functions);

template <typename Complex> void compute(Complex z, Complex w, Complex *out) {
#define CALL(FUNCTION, BOUND) *out++ = std::FUNCTION(z);
  UNARY_FUNCTIONS(CALL)
#undef CALL
  *out++ = z * w;
  *out++ = z / w;
  *out++ = std::pow(z, w);
}

/// What a power may be off: its logarithm's error grows with its size.
template <typename T> double power_bound(std::complex<T> z, std::complex<T> w) {
  const auto size = std::abs(std::complex<double>(w) * std::log(std::complex<double>(z)));
  return 16 * (1 + size);
}

/// How far `found` is from `truth`, in units of the precision of the larger part.
template <typename T> double off(std::complex<T> found, std::complex<long double> truth) {
  using limits = std::numeric_limits<T>;
  constexpr double far = std::numeric_limits<double>::infinity();
  const std::complex<T> nearest(static_cast<T>(truth.real()), static_cast<T>(truth.imag()));
  const auto infinite = [](auto z) { return std::isinf(z.real()) || std::isinf(z.imag()); };
  const auto nan = [](auto z) { return std::isnan(z.real()) || std::isnan(z.imag()); };
  // An infinity is one whatever its other part is.
  if (infinite(nearest) || infinite(found))
    return infinite(nearest) && infinite(found) ? 0 : far;
  if (nan(nearest) || nan(found))
    return nan(nearest) && nan(found) ? 0 : far;
  const long double larger = std::max(std::fabs(truth.real()), std::fabs(truth.imag()));
  const long double unit = std::max<long double>(larger * limits::epsilon(), limits::denorm_min());
  return static_cast<double>(
      std::max(std::fabs(found.real() - truth.real()), std::fabs(found.imag() - truth.imag())) /
      unit);
}

template <typename T> class Compute;

template <typename T> int check(sycl::queue &q) {
  using complex = std::complex<T>;
  const std::vector<T> parts = numbers_of<T>();
  std::vector<complex> first, second;
  // Every edge case with every other one, then numbers of the sizes that programs compute with.
  constexpr std::size_t edges = 76;
  for (std::size_t i = 0; i < edges; ++i)
    for (std::size_t k = 0; k < edges; k += 3)
      first.emplace_back(parts[i], parts[(i + k) % edges]);
  for (std::size_t i = edges; i + 3 < parts.size(); i += 2)
    first.emplace_back(parts[i + 1], parts[i + 3]);
  const std::size_t count = first.size();
  for (std::size_t i = 0; i < count; ++i)
    second.push_back(first[(i * 7919 + 11) % count]);
  std::vector<complex> results(count * function_count);
  {
    sycl::buffer<complex, 1> firsts{first.data(), sycl::range<1>{count}};
    sycl::buffer<complex, 1> seconds{second.data(), sycl::range<1>{count}};
    sycl::buffer<complex, 1> out{results.data(), sycl::range<1>{results.size()}};
    q.submit([&](sycl::handler &cgh) {
      sycl::accessor z{firsts, cgh, sycl::read_only};
      sycl::accessor w{seconds, cgh, sycl::read_only};
      sycl::accessor to{out, cgh, sycl::write_only};
      cgh.parallel_for<Compute<T>>(sycl::range<1>{count}, [=](sycl::id<1> i) {
        compute(z[i], w[i], &to[i[0] * function_count]);
      });
    });
  }
  int wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const complex z = first[i], w = second[i];
    std::complex<long double> truth[function_count];
    complex alike[function_count];
    compute(std::complex<long double>(z), std::complex<long double>(w), truth);
    compute(z, w, alike);
    for (std::size_t f = 0; f < function_count; ++f) {
      const complex found = results[i * function_count + f];
      const double bound = f + 1 < function_count ? functions[f].bound : power_bound(z, w);
      const double distance = off(found, truth[f]);
      // Parts that overflow on the way, in the type itself, may decide what comes out.
      if (distance > bound &&
          !(std::isinf(distance) && off(found, std::complex<long double>(alike[f])) <= bound))
        wrong += std::printf("WRONG: %s of (%a,%a) (%a,%a) is (%a,%a), not (%La,%La): %g\n",
                             functions[f].name, double(z.real()), double(z.imag()),
                             double(w.real()), double(w.imag()), double(found.real()),
                             double(found.imag()), truth[f].real(), truth[f].imag(), distance) > 0;
    }
  }
  std::printf("%zu numbers of %zu bytes\n", count, sizeof(complex));
  return wrong;
}

} // namespace

int main() {
  sycl::queue q;
  const int wrong = check<float>(q) + check<double>(q);
  return wrong == 0 ? 42 : 1;
}
