// What the programs of groups have in common: steps that the work-items of a work-group do
// together, and the same steps on the host, which does each for one work-item after the other.

#pragma once

#include "kernels.hpp"

#include <vector>

// What a work-item has, and which one it is.
struct State {
  std::uint64_t v[4];
  std::uint32_t id, part, lane, lanes;
};

// A number that sums of a group's are exact of, and back.
template <typename T> T value_of(std::uint64_t number) {
  if constexpr (std::is_floating_point_v<T>)
    return T(number % 256);
  else
    return T(number);
}
template <typename T> std::uint64_t number_of(T value) {
  return std::uint64_t(std::int64_t(value));
}

// Which work-items do a step together: the work-group's, or those of each sub-group.
struct Whole {};
struct Part {};

template <int Dimensions> class OnDevice {
public:
  OnDevice(sycl::nd_item<Dimensions> item, State &own, std::uint64_t *near, std::uint32_t *cell)
      : item(item), own(own), near(near), cell(cell) {}

  template <typename Change> void each(const Change &change) { change(own); }

  template <typename T, typename Scope, typename Operation>
  void reduce(Scope scope, int from, int to, Operation operation) {
    own.v[to] =
        number_of(sycl::reduce_over_group(group(scope), value_of<T>(own.v[from]), operation));
  }
  template <typename T, typename Scope, typename Operation>
  void inclusive(Scope scope, int from, int to, Operation operation) {
    own.v[to] = number_of(
        sycl::inclusive_scan_over_group(group(scope), value_of<T>(own.v[from]), operation));
  }
  template <typename T, typename Scope, typename Operation>
  void exclusive(Scope scope, int from, int to, Operation operation, std::uint64_t first) {
    own.v[to] = number_of(sycl::exclusive_scan_over_group(group(scope), value_of<T>(own.v[from]),
                                                          value_of<T>(first), operation));
  }
  template <typename T, typename Scope>
  void broadcast(Scope scope, int from, int to, std::uint32_t place) {
    const auto all = group(scope);
    const auto size = std::uint32_t(all.get_local_linear_range());
    own.v[to] = number_of(sycl::group_broadcast(all, value_of<T>(own.v[from]), place % size));
  }
  template <typename Scope> void any(Scope scope, int from, int to) {
    own.v[to] = sycl::any_of_group(group(scope), own.v[from] % 2 == 1);
  }
  template <typename Scope> void all(Scope scope, int from, int to) {
    own.v[to] = sycl::all_of_group(group(scope), own.v[from] % 8 != 1);
  }

  template <typename T> void shift_left(int from, int to, std::uint32_t by) {
    const T value = sycl::shift_group_left(group(Part()), value_of<T>(own.v[from]), by);
    if (own.lane + by < own.lanes)
      own.v[to] = number_of(value);
  }
  template <typename T> void shift_right(int from, int to, std::uint32_t by) {
    const T value = sycl::shift_group_right(group(Part()), value_of<T>(own.v[from]), by);
    if (own.lane >= by)
      own.v[to] = number_of(value);
  }
  template <typename T> void permute(int from, int to, std::uint32_t mask) {
    const T value = sycl::permute_group_by_xor(group(Part()), value_of<T>(own.v[from]), mask);
    if ((own.lane ^ mask) < own.lanes)
      own.v[to] = number_of(value);
  }
  template <typename T> void select(int from, int to, int by) {
    const auto place = std::uint32_t(own.v[by] % own.lanes);
    own.v[to] = number_of(sycl::select_from_group(group(Part()), value_of<T>(own.v[from]), place));
  }

  // By way of local memory.
  void exchange(int from, int to, std::uint32_t times, std::uint32_t offset) {
    const auto all = group(Whole());
    const auto size = std::uint32_t(all.get_local_linear_range());
    near[own.id] = own.v[from];
    sycl::group_barrier(all);
    own.v[to] = near[(own.id * times + offset) % size];
    sycl::group_barrier(all);
  }
  template <typename Scope, typename Operation>
  void joint(Scope scope, int from, int to, Operation operation, std::uint32_t count) {
    const auto all = group(Whole());
    near[own.id] = own.v[from];
    sycl::group_barrier(all);
    const auto size = std::uint32_t(all.get_local_linear_range());
    own.v[to] = sycl::joint_reduce(group(scope), near, near + 1 + count % size, operation);
    sycl::group_barrier(all);
  }
  template <typename Change> void count(int from, int to, const Change &change) {
    const auto all = group(Whole());
    if (all.leader())
      *cell = 0;
    sycl::group_barrier(all);
    sycl::atomic_ref<std::uint32_t, sycl::memory_order::relaxed, sycl::memory_scope::work_group,
                     sycl::access::address_space::local_space>
        shared(*cell);
    change(shared, std::uint32_t(own.v[from]));
    sycl::group_barrier(all);
    own.v[to] = *cell;
    sycl::group_barrier(all);
  }

  // The first work-item's value, in all of them.
  std::uint64_t number(int from) { return sycl::group_broadcast(group(Whole()), own.v[from]); }
  template <typename Steps> void in_parts(std::uint32_t of, const Steps &steps) {
    if (own.part % 3 == of)
      steps(*this);
  }

private:
  auto group(Whole) const { return item.get_group(); }
  auto group(Part) const { return item.get_sub_group(); }

  sycl::nd_item<Dimensions> item;
  State &own;
  std::uint64_t *near;
  std::uint32_t *cell;
};

// A number that changes as an `atomic_ref` does.
struct Plain {
  std::uint32_t &value;
  void fetch_add(std::uint32_t by) const { value += by; }
  void fetch_xor(std::uint32_t by) const { value ^= by; }
  void fetch_or(std::uint32_t by) const { value |= by; }
  void fetch_max(std::uint32_t by) const { value = by > value ? by : value; }
};

class OnHost {
public:
  OnHost(std::vector<State> &all) {
    for (State &each : all)
      working.push_back(&each);
  }

  template <typename Change> void each(const Change &change) {
    for (State *each : working)
      change(*each);
  }

  template <typename T, typename Scope, typename Operation>
  void reduce(Scope scope, int from, int to, Operation operation) {
    for (const Members &members : groups(scope)) {
      T all = value_of<T>(members[0]->v[from]);
      for (std::size_t i = 1; i < members.size(); ++i)
        all = operation(all, value_of<T>(members[i]->v[from]));
      for (State *each : members)
        each->v[to] = number_of(all);
    }
  }
  template <typename T, typename Scope, typename Operation>
  void inclusive(Scope scope, int from, int to, Operation operation) {
    for (const Members &members : groups(scope)) {
      T all = value_of<T>(members[0]->v[from]);
      for (std::size_t i = 0; i < members.size(); ++i) {
        if (i > 0)
          all = operation(all, value_of<T>(members[i]->v[from]));
        members[i]->v[to] = number_of(all);
      }
    }
  }
  template <typename T, typename Scope, typename Operation>
  void exclusive(Scope scope, int from, int to, Operation operation, std::uint64_t first) {
    for (const Members &members : groups(scope)) {
      T all = value_of<T>(first);
      for (State *each : members) {
        const T own = value_of<T>(each->v[from]);
        each->v[to] = number_of(all);
        all = operation(all, own);
      }
    }
  }
  template <typename T, typename Scope>
  void broadcast(Scope scope, int from, int to, std::uint32_t place) {
    for (const Members &members : groups(scope)) {
      const T value = value_of<T>(members[place % members.size()]->v[from]);
      for (State *each : members)
        each->v[to] = number_of(value);
    }
  }
  template <typename Scope> void any(Scope scope, int from, int to) {
    test(scope, to, [=](const State &each) { return each.v[from] % 2 == 1; }, true);
  }
  template <typename Scope> void all(Scope scope, int from, int to) {
    test(scope, to, [=](const State &each) { return each.v[from] % 8 == 1; }, false);
  }

  template <typename T> void shift_left(int from, int to, std::uint32_t by) {
    move<T>(from, to, [=](std::uint32_t lane, const State &) { return lane + by; });
  }
  template <typename T> void shift_right(int from, int to, std::uint32_t by) {
    move<T>(from, to, [=](std::uint32_t lane, const State &) { return lane - by; });
  }
  template <typename T> void permute(int from, int to, std::uint32_t mask) {
    move<T>(from, to, [=](std::uint32_t lane, const State &) { return lane ^ mask; });
  }
  template <typename T> void select(int from, int to, int by) {
    move<T>(from, to,
            [=](std::uint32_t, const State &own) { return std::uint32_t(own.v[by] % own.lanes); });
  }

  void exchange(int from, int to, std::uint32_t times, std::uint32_t offset) {
    const auto near = values(from);
    for (State *each : working)
      each->v[to] = near[(each->id * times + offset) % std::uint32_t(near.size())];
  }
  template <typename Scope, typename Operation>
  void joint(Scope, int from, int to, Operation operation, std::uint32_t count) {
    const auto near = values(from);
    std::uint64_t all = near[0];
    for (std::size_t i = 1; i < 1 + count % near.size(); ++i)
      all = operation(all, near[i]);
    for (State *each : working)
      each->v[to] = all;
  }
  template <typename Change> void count(int from, int to, const Change &change) {
    std::uint32_t cell = 0;
    for (State *each : working)
      change(Plain{cell}, std::uint32_t(each->v[from]));
    for (State *each : working)
      each->v[to] = cell;
  }

  std::uint64_t number(int from) { return working[0]->v[from]; }
  template <typename Steps> void in_parts(std::uint32_t of, const Steps &steps) {
    const Members all = working;
    working.clear();
    for (State *each : all)
      if (each->part % 3 == of)
        working.push_back(each);
    if (!working.empty())
      steps(*this);
    working = all;
  }

private:
  using Members = std::vector<State *>;

  std::vector<Members> groups(Whole) const { return {working}; }
  std::vector<Members> groups(Part) const {
    std::vector<Members> all;
    for (State *each : working) {
      if (each->part >= all.size())
        all.resize(each->part + 1);
      Members &members = all[each->part];
      members.resize(each->lanes);
      members[each->lane] = each;
    }
    std::vector<Members> some;
    for (Members &members : all)
      if (!members.empty())
        some.push_back(std::move(members));
    return some;
  }
  std::vector<std::uint64_t> values(int from) const {
    std::vector<std::uint64_t> values;
    for (const State *each : working)
      values.push_back(each->v[from]);
    return values;
  }
  template <typename Scope, typename Test>
  void test(Scope scope, int to, const Test &test, bool found) {
    for (const Members &members : groups(scope)) {
      bool result = !found;
      for (const State *each : members)
        if (test(*each))
          result = found;
      for (State *each : members)
        each->v[to] = result;
    }
  }
  template <typename T, typename Place> void move(int from, int to, const Place &place) {
    for (const Members &members : groups(Part())) {
      std::vector<T> before;
      for (const State *each : members)
        before.push_back(value_of<T>(each->v[from]));
      std::vector<std::uint32_t> places;
      for (std::uint32_t lane = 0; lane < members.size(); ++lane)
        places.push_back(place(lane, *members[lane]));
      for (std::uint32_t lane = 0; lane < members.size(); ++lane)
        if (places[lane] < members.size())
          members[lane]->v[to] = number_of(before[places[lane]]);
    }
  }

  Members working;
};

// Whether the sub-groups that work-items say they are in can be.
inline bool is_possible(const std::vector<State> &all) {
  for (const State &each : all) {
    std::uint32_t lanes = 0, same = 0;
    for (const State &other : all) {
      lanes += other.part == each.part;
      same += other.part == each.part && other.lane == each.lane;
    }
    if (lanes != each.lanes || same != 1 || each.lane >= each.lanes)
      return false;
  }
  return true;
}

// How many work-items have other values by a kernel of some work-groups than on the host.
template <typename Function, int Dimensions>
int differences(sycl::queue &queue, sycl::range<Dimensions> size, std::uint64_t number) {
  constexpr std::size_t groups = 3;
  auto whole = size;
  whole[0] *= groups;
  const std::size_t count = size.size();
  std::vector<State> begin(count * groups);
  Engine engine(number);
  for (State &each : begin)
    for (auto &value : each.v)
      fill(value, engine);
  auto *states = sycl::malloc_shared<State>(begin.size(), queue);
  std::memcpy(states, begin.data(), begin.size() * sizeof(State));
  queue.submit([&](sycl::handler &group) {
    sycl::local_accessor<std::uint64_t, 1> near(count, group);
    sycl::local_accessor<std::uint32_t, 1> cell(1, group);
    group.parallel_for<Function>(
        sycl::nd_range<Dimensions>(whole, size), [=](sycl::nd_item<Dimensions> item) {
          State &given = states[item.get_group_linear_id() * count + item.get_local_linear_id()];
          const sycl::sub_group part = item.get_sub_group();
          State own = given;
          own.id = std::uint32_t(item.get_local_linear_id());
          own.part = part.get_group_linear_id();
          own.lane = part.get_local_linear_id();
          own.lanes = part.get_local_linear_range();
          OnDevice<Dimensions> steps(item, own, &near[0], &cell[0]);
          Function{}(steps);
          given = own;
        });
  });
  queue.wait();
  int different = 0;
  for (std::size_t group = 0; group < groups; ++group) {
    const State *there = states + group * count;
    std::vector<State> here(there, there + count);
    if (!is_possible(here)) {
      std::printf("%s, work-group %zu: its sub-groups are none\n", Function::name, group);
      ++different;
      continue;
    }
    for (std::size_t i = 0; i < count; ++i)
      std::memcpy(here[i].v, begin[group * count + i].v, sizeof(here[i].v));
    OnHost steps(here);
    Function{}(steps);
    for (std::size_t i = 0; i < count; ++i)
      for (int value = 0; value < 4; ++value)
        if (here[i].v[value] != there[i].v[value] && different++ < 4)
          std::printf("%s, work-group %zu, work-item %zu, value %d: %#llx on the device, %#llx on "
                      "the host\n",
                      Function::name, group, i, value,
                      static_cast<unsigned long long>(there[i].v[value]),
                      static_cast<unsigned long long>(here[i].v[value]));
  }
  sycl::free(states, queue);
  return different;
}
