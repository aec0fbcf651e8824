//===- pipes.hpp - queues between kernels (sycl_ext_intel_dataflow_pipes) --------------------===//
//
// A ring of elements in a device global, so that kernels of all images share it. Any work-items
// write and read; elements of one that writes are read in its order. What blocks waits for the
// other kernel, which has to run at the same time.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/atomic.hpp>
#include <sycl/ext/oneapi/device_global/device_global.hpp>

#include <cstdint>
#include <cstring>
#include <memory>

namespace sycl::ext::intel {

namespace detail {

/// The elements that a pipe has room for at least, which emulation is free to choose.
inline constexpr std::uint32_t least_capacity = 64;

template <typename Data, std::uint32_t Capacity> struct ring {
  /// How many elements were ever read and written, modulo 2^32.
  std::uint32_t read, written;
  /// Of each place twice the times that it was written and read, and one more while it holds an
  /// element: whose turn it is.
  std::uint32_t turns[Capacity];
  alignas(Data) unsigned char places[Capacity * sizeof(Data)];
};

/// `Capacity` is a power of two.
template <typename Data, std::uint32_t Capacity> struct ring_end {
  ring<Data, Capacity> &own;

  bool take(Data &element) const {
    std::uint32_t place;
    if (!claim(own.read, 1, place))
      return false;
    std::memcpy(static_cast<void *>(std::addressof(element)), slot(place), sizeof(Data));
    pass_on(place, 1);
    return true;
  }
  bool put(const Data &element) const {
    std::uint32_t place;
    if (!claim(own.written, 0, place))
      return false;
    std::memcpy(slot(place), std::addressof(element), sizeof(Data));
    pass_on(place, 0);
    return true;
  }

private:
  using counter = atomic_ref<std::uint32_t, memory_order::acq_rel, memory_scope::device,
                             access::address_space::global_space>;
  /// Where a place's turns begin anew: with the numbers of elements.
  static constexpr auto all_turns = static_cast<std::uint32_t>((std::uint64_t{2} << 32) / Capacity);

  static counter count(std::uint32_t &number) { return counter(number); }

  /// The next place of an end becomes this work-item's, when it is that end's turn there. Nobody
  /// waits for another here: the one may be a lane of the same vector.
  bool claim(std::uint32_t &end, std::uint32_t which, std::uint32_t &place) const {
    place = count(end).load(memory_order::relaxed);
    for (;;) {
      const std::uint32_t turn = place / Capacity * 2 + which;
      if (count(own.turns[place % Capacity]).load(memory_order::acquire) == turn) {
        if (count(end).compare_exchange_strong(place, place + 1, memory_order::relaxed))
          return true;
        continue;
      }
      const std::uint32_t now = count(end).load(memory_order::relaxed);
      if (now == place)
        return false;
      place = now;
    }
  }
  void pass_on(std::uint32_t place, std::uint32_t which) const {
    const std::uint32_t turn = (place / Capacity * 2 + which + 1) % all_turns;
    count(own.turns[place % Capacity]).store(turn, memory_order::release);
  }
  unsigned char *slot(std::uint32_t place) const {
    return own.places + place % Capacity * sizeof(Data);
  }
};

/// The next power of two.
constexpr std::uint32_t ring_capacity(std::int32_t least) {
  std::uint32_t capacity = least_capacity;
  while (static_cast<std::int64_t>(capacity) < least)
    capacity *= 2;
  return capacity;
}

/// What all forms of a pipe share. `Name` tells pipes apart.
template <typename Name, typename Data, std::int32_t MinCapacity> struct pipe_of_kernels {
  static_assert(std::is_trivially_copyable_v<Data>, "a pipe's elements are copied as bytes");
  static_assert(MinCapacity >= 0, "a pipe's capacity is no negative number");

  static Data read(bool &success) {
    Data element;
    success = end().take(element);
    return element;
  }
  static Data read() {
    Data element;
    const auto own = end();
    until([&] { return own.take(element); });
    return element;
  }
  static void write(const Data &element, bool &success) { success = end().put(element); }
  static void write(const Data &element) {
    const auto own = end();
    until([&] { return own.put(element); });
  }

private:
  /// Tries until it has done it. What a work-item does when it has its place is part of the loop,
  /// which no compiler can see the end of there: behind the loop it would come when all lanes of a
  /// vector have left it, of which some wait for just that.
  template <typename Action> static void until(const Action &action) {
    volatile bool is_done = false;
    while (!is_done)
      if (action())
        is_done = true;
  }
  static constexpr std::uint32_t capacity = ring_capacity(MinCapacity);
  inline static oneapi::experimental::device_global<ring<Data, capacity>> elements;
  static ring_end<Data, capacity> end() { return {elements.get()}; }
};

} // namespace detail

/// In kernels: a queue of elements from one kernel to another.
template <typename Name, typename Data, std::int32_t MinCapacity = 0>
class pipe : detail::pipe_of_kernels<Name, Data, MinCapacity> {
  using elements = detail::pipe_of_kernels<Name, Data, MinCapacity>;

public:
  using value_type = Data;
  static constexpr std::int32_t min_capacity = MinCapacity;

  using elements::read;
  using elements::write;
};

} // namespace sycl::ext::intel
