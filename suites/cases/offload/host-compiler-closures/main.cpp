#define UNIT 1
#include "kernels.hpp"

void other(sycl::queue &q, int *p);

/// A kernel that starts before `main`.
struct Early {
  Early() : place(sycl::malloc_shared<int>(1, q)) {
    q.single_task([p = place] { *p = 5; }).wait();
    expect("a kernel before main", place, 5);
  }
  sycl::queue q;
  int *place;
};
static Early early;

// ---- named where only the function knows the name ----

template <typename F> void named_in_group(sycl::queue &q, F f) {
  q.submit([&](sycl::handler &h) { h.single_task<class Named>([=] { f(); }); }).wait();
}

template <typename T> struct Name;

template <typename F> void named_by_template(sycl::queue &q, F f) {
  q.single_task<Name<F>>([=] { f(); }).wait();
}

template <typename F> void each_over(sycl::queue &q, F f) {
  q.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) { f(i); }).wait();
}

// ---- functions that are compiled for several types ----

template <typename T> void several(sycl::queue &q, int *p, T base) {
  auto show = [&](const char *what, int wanted) { expect(what, p, wanted); };
  each(q, [=] { *p = static_cast<int>(base * 2); });
  show("a template's first kernel", static_cast<int>(base * 2));
  if (base > T(0))
    each(q, [=] { *p = static_cast<int>(base * 2) + 1; });
  else
    each(q, [=] { *p = -1; });
  show("a template's second kernel", static_cast<int>(base * 2) + 1);
  for (int i = 0; i < 2; ++i)
    q.single_task([=] { *p += 3; }).wait();
  show("a template's kernel in a loop", 6);
}
template void several<long>(sycl::queue &, int *, long);

template <typename T> struct Holder {
  T value;
  void start(sycl::queue &q, int *p) {
    q.submit([&](sycl::handler &h) { h.single_task([p, v = value] { *p = int(v) + 1; }); }).wait();
    expect("a member's first kernel", p, int(value) + 1);
    q.submit([&](sycl::handler &h) { h.single_task([p, v = value] { *p = int(v) + 2; }); }).wait();
    expect("a member's second kernel", p, int(value) + 2);
  }
};

#define BOTH(FIRST, SECOND) q.single_task(FIRST).wait(), q.single_task(SECOND).wait()

static void direct(sycl::queue &q, int *p) {
  auto show = [&](const char *what, int wanted) { expect(what, p, wanted); };
  const sycl::range<1> one(1);
  q.parallel_for(one, [=](sycl::id<1>) { *p = 1; }).wait();
  show("a lambda of one signature", 1);
  q.single_task([=] { *p = 2; }).wait();
  show("a lambda of another", 2);
  q.parallel_for(one, [=](auto) { *p = 3; }).wait();
  show("a generic lambda", 3);
  q.parallel_for(one, [=](sycl::id<1>) { *p = 4; }).wait();
  show("one more of the first signature", 4);
  q.parallel_for(one, [=](sycl::item<1>) { *p = 5; }).wait();
  show("a lambda over items", 5);
  q.parallel_for(one, [=](auto) { *p = 6; }).wait();
  show("a second generic lambda", 6);
  BOTH([=] { *p += 7; }, [=] { *p *= 2; });
  show("two kernels of one line", 14);
  auto again = [=] { *p += 8; };
  q.single_task(again).wait();
  q.single_task(again).wait();
  show("one kernel twice", 16);
  const char letter = 'x';
  q.single_task([=] { *p = letter; }).wait();
  show("a larger function object", 'x');
}

static void wrapped(sycl::queue &q, int *p) {
  auto show = [&](const char *what, int wanted) { expect(what, p, wanted); };
  each(q, [=] { *p = 1; });
  show("the first in a wrapper", 1);
  each(q, [=] { *p = 2; });
  show("the second in a wrapper", 2);
  each_over(q, [=](sycl::id<1> i) {
    if (i == 0)
      *p = 11;
  });
  show("the first in a wrapper over a range", 11);
  each_over(q, [=](auto i) {
    if (i == 0)
      *p = 12;
  });
  show("a generic one there", 12);
  each_over(q, [=](sycl::id<1> i) {
    if (i == 0)
      *p = 13;
  });
  show("one more of the first's signature there", 13);
  each_over(q, [=](sycl::id<1> i) {
    if (i == 0)
      *p = 14;
  });
  show("the last there", 14);
  named_in_group(q, [=] { *p = 3; });
  show("the first of a name in a command group", 3);
  named_in_group(q, [=] { *p = 4; });
  show("the second of a name in a command group", 4);
  named_by_template(q, [=] { *p = 5; });
  show("the first of a template's name", 5);
  named_by_template(q, [=] { *p = 6; });
  show("the second of a template's name", 6);
  auto generic = [&](auto f) {
    q.submit([&](sycl::handler &h) { h.single_task<class InGeneric>([=] { f(p); }); }).wait();
  };
  generic([](int *at) { *at += 7; });
  generic([](int *at) { *at *= 3; });
  show("names in a generic lambda", 21);
  q.submit([&](sycl::handler &h) { h.single_task<class K>([=] { *p = 8; }); }).wait();
  show("a name in a command group", 8);
  q.submit([&](sycl::handler &h) { h.single_task<class K>([=] { *p = 9; }); }).wait();
  show("the same name in another", 9);
  struct Local {
    int *p;
    void operator()() const { *p = 10; }
  };
  q.single_task(Local{p}).wait();
  show("a local class", 10);
}

static void constants(sycl::queue &q, int *p);

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  *p = 0;
  direct(q, p);
  wrapped(q, p);
  several(q, p, 4);
  several(q, p, 8.0f);
  several(q, p, 16l);
  Holder<int>{20}.start(q, p);
  Holder<short>{30}.start(q, p);
  constants(q, p);
  shared(q, p);
  own(q, p, 1);
  other(q, p);
  sycl::free(p, q);
  if (failures)
    return 1;
  std::puts("PASSED: every kernel is the one that was started");
}

constexpr sycl::specialization_id<int> step(3);

struct Mixed {
  char letter;
  double number;
  short several[3];
};
enum class Choice : unsigned char { first = 3, second = 9 };
struct Owner {
  static constexpr sycl::specialization_id<int> of_class{20};
};
template <typename T> inline constexpr sycl::specialization_id<T> of_template{T(30)};
constexpr sycl::specialization_id<Mixed> mixed(Mixed{'a', 2.5, {1, 2, 3}});
constexpr sycl::specialization_id<Choice> choice(Choice::second);
constexpr sycl::specialization_id<bool> truth(true);

SYCL_EXTERNAL int number_of(sycl::kernel_handler k);
int number_of(sycl::kernel_handler k) {
  return static_cast<int>(k.get_specialization_constant<mixed>().number * 2);
}

/// Constants of many types in a kernel that a generic lambda starts, one of them in a function.
static void many_constants(sycl::queue &q, int *p) {
  auto start = [&](auto set) {
    q.submit([&](sycl::handler &h) {
       set(h);
       h.single_task<class ReadsMany>([=](sycl::kernel_handler k) {
         const Mixed parts = k.get_specialization_constant<mixed>();
         *p = parts.letter - 'a' + parts.several[2] +
              static_cast<int>(k.get_specialization_constant<choice>()) +
              k.get_specialization_constant<truth>() +
              k.get_specialization_constant<Owner::of_class>() +
              k.get_specialization_constant<of_template<int>>() + number_of(k) * 100;
       });
     }).wait();
  };
  start([](sycl::handler &) {});
  expect("the defaults of many constants", p, 0 + 3 + 9 + 1 + 20 + 30 + 500);
  start([](sycl::handler &h) {
    h.set_specialization_constant<mixed>(Mixed{'c', 3.5, {4, 5, 6}});
    h.set_specialization_constant<choice>(Choice::first);
    h.set_specialization_constant<truth>(false);
    h.set_specialization_constant<Owner::of_class>(21);
    h.set_specialization_constant<of_template<int>>(31);
  });
  expect("many constants", p, 2 + 6 + 3 + 0 + 21 + 31 + 700);
}

static void constants(sycl::queue &q, int *p) {
  many_constants(q, p);
  auto start = [&](auto set) {
    q.submit([&](sycl::handler &h) {
       set(h);
       h.single_task<class Reads>(
           [=](sycl::kernel_handler k) { *p = k.get_specialization_constant<step>(); });
     }).wait();
  };
  start([](sycl::handler &) {});
  expect("a constant's default", p, 3);
  start([](sycl::handler &h) { h.set_specialization_constant<step>(11); });
  expect("a constant", p, 11);
  sycl::buffer<int> sum{sycl::range<1>(1)};
  for (int round = 0; round < 2; ++round)
    q.submit([&](sycl::handler &h) {
      h.parallel_for(sycl::range<1>(4),
                     sycl::reduction(sum, h, sycl::plus<int>(),
                                     {sycl::property::reduction::initialize_to_identity()}),
                     [=](sycl::id<1> i, auto &to) { to += int(i) + 1; });
    });
  *p = sycl::host_accessor(sum)[0];
  expect("a reduction", p, 10);
}
