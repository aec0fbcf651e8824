// Computes with the C and C++ libraries in a kernel and on the host, and compares.

#include <cassert>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <sycl/sycl.hpp>

constexpr int count = 40;

/// Everything that is compared; `x` is 2, which no compiler can see.
void compute(double *out, float x) {
  int next = 0;
  auto put = [&](double value) { out[next++] = value; };
  auto put_complex = [&](auto z) {
    put(z.real());
    put(z.imag());
  };
  int exponent = 0;
  put(std::sqrt(x));
  put(std::sin(x));
  put(std::pow(x, 3.5f));
  put(std::erf(x / 4));
  put(std::frexp(x * 5, &exponent));
  put(exponent);
  put(std::lround(x * 1.3f));
  put(std::hypot(3.0f, x * 2));
  put(std::tgamma(x + 1));

  const double d = x;
  put(std::cos(d));
  put(std::log(d));
  put(std::atan2(d, 3.0));

  const std::complex<float> z{x, 1}, w{3, -1};
  put_complex(z * w);
  put_complex(z / w);
  put_complex(std::exp(z));
  put_complex(std::sqrt(std::complex<float>(-x, 0.5f)));
  put(std::abs(z));
  const std::complex<double> v{d, 1};
  put_complex(std::pow(v, std::complex<double>(0.5, 0.25)));
  put_complex(std::tanh(v));
  put_complex(std::acos(v));
  put_complex(std::asin(v));
  put_complex(std::atanh(v));

  const char text[16] = "device";
  char copy[16];
  std::memcpy(copy, text, static_cast<std::size_t>(x * 3.5f));
  put(static_cast<double>(std::strlen(copy)));
  put(std::strcmp(copy, "device"));
  assert(x > 1);
  while (next < count)
    put(0);
}

int main() {
  double on_device[count], on_host[count];
  float two = 2;
  {
    sycl::queue q;
    sycl::buffer<double, 1> out{on_device, sycl::range<1>{count}};
    sycl::buffer<float, 1> in{&two, sycl::range<1>{1}};
    q.submit([&](sycl::handler &cgh) {
      sycl::accessor results{out, cgh, sycl::read_write};
      sycl::accessor input{in, cgh, sycl::read_only};
      cgh.single_task<class Libraries>([=] {
        double values[count];
        compute(values, input[0]);
        for (int i = 0; i < count; ++i)
          results[i] = values[i];
      });
    });
  }
  compute(on_host, two);
  int wrong = 0;
  for (int i = 0; i < count; ++i)
    if (!(std::fabs(on_device[i] - on_host[i]) <= 1e-6 * (1 + std::fabs(on_host[i])))) {
      std::printf("value %d: %.9g on the device, %.9g on the host\n", i, on_device[i], on_host[i]);
      ++wrong;
    }
  std::puts(wrong == 0 ? "PASSED" : "FAILED");
  return wrong;
}
