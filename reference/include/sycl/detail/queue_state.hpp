//===- queue_state.hpp - what the copies of a queue and its events share ---------------------===//
#pragma once

#include <sycl/context.hpp>
#include <sycl/detail/config.hpp>
#include <sycl/detail/declared.hpp>

#include <atomic>
#include <iostream>
#include <mutex>

PLSYCL_HOST_FILE

namespace sycl::ext::oneapi::experimental {
enum class graph_state { modifiable, executable };
template <graph_state State> class command_graph;
} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail {

class command_group;
struct changed_start;
struct queue_state;

struct recorded_command;

/// Takes the commands of queues in the place of their device (sycl_ext_oneapi_graph).
class recorder {
public:
  virtual ~recorder() = default;
  /// errc::invalid for a command that is recorded nowhere, or not here.
  virtual void require_fit(const command_group &command) const = 0;
  /// What stands for the command, which has to come after others; no command is an empty one. Null
  /// where nothing may come after it.
  virtual shared<const recorded_command> record(const shared<command_group> &command,
                                                const std::vector<event> &after,
                                                const queue_state &from,
                                                const changed_start &changes) = 0;
  /// Takes the commands of a further queue, one of which comes after what this has recorded.
  /// errc::invalid where no queue's are taken any more, and for one of another device or context.
  virtual void follow(const shared<queue_state> &queue) = 0;
};

/// What stands for a command that was recorded: all that such ones have in common.
struct recorded_command {
  /// Where it is, while that is there.
  watched<recorder> owner;
};

/// A queue of the runtime and its asynchronous failures.
struct queue_state {
  PLSYCL_LATE queue_state(const sycl::context &owner, const sycl::device &target,
                          const async_handler &handler, const property_list &properties)
      : context(owner), device(target), handler(handler), properties(properties) {}
  queue_state(const queue_state &) = delete;
  queue_state &operator=(const queue_state &) = delete;

  sycl::context context;
  sycl::device device;
  async_handler handler;
  property_list properties;
  queue_handle owned;

  shared<recorder> get_recorder() {
    // Most queues never have one.
    if (!is_recorded.load(std::memory_order_acquire))
      return nullptr;
    std::lock_guard<std::mutex> lock(mutex);
    auto current = taken_by.lock();
    if (!current)
      is_recorded.store(false, std::memory_order_release);
    return current;
  }
  /// Has commands go there while it is there; null for to the device again.
  void set_recorder(shared<recorder> next) {
    std::lock_guard<std::mutex> lock(mutex);
    is_recorded.store(next != nullptr, std::memory_order_release);
    taken_by = next;
  }

  /// What is known of the graph whose run the queue's last command ended, if that is the command.
  shared<void> run_of(const void *command) {
    std::lock_guard<std::mutex> lock(mutex);
    return command == last_run.first ? last_run.second : nullptr;
  }
  void keep_run(const void *command, shared<void> run) {
    std::lock_guard<std::mutex> lock(mutex);
    last_run = {command, std::move(run)};
  }

  /// Remembers a failure of a host task.
  PLSYCL_LATE void remember(std::exception_ptr failure) {
    std::lock_guard<std::mutex> lock(mutex);
    failures.push_back(std::move(failure));
  }

  /// Hands the failures that nobody has seen to the handler: the queue's, else its context's, else
  /// one that ends the program.
  PLSYCL_LATE void throw_asynchronous() {
    std::vector<std::exception_ptr> found;
    {
      std::lock_guard<std::mutex> lock(mutex);
      found.swap(failures);
    }
    while (int32_t code = plsycl_queue_take_error(owned.get()))
      found.push_back(std::make_exception_ptr(exception(sycl::context(context),
                                                        make_error_code(static_cast<errc>(code)),
                                                        plsycl_error_message())
                                                  .by_opencl(plsycl_error_of_opencl())));
    if (found.empty())
      return;
    exception_list list(std::move(found));
    if (handler)
      handler(list);
    else if (context.get_handler())
      context.get_handler()(list);
    else
      end_program(list);
  }

  /// Whether failures go to a handler of the program's.
  bool has_handler() const { return handler || context.get_handler(); }

private:
  [[noreturn]] static void end_program(const exception_list &list) {
    for (const std::exception_ptr &failure : list) {
      try {
        std::rethrow_exception(failure);
      } catch (const std::exception &reason) {
        std::cerr << "asynchronous SYCL failure that no handler took: " << reason.what() << '\n';
      } catch (...) {
        std::cerr << "asynchronous failure that no handler took\n";
      }
    }
    std::terminate();
  }

  std::mutex mutex;
  std::vector<std::exception_ptr> failures;
  watched<recorder> taken_by;
  std::atomic<bool> is_recorded{false};
  std::pair<const void *, shared<void>> last_run;
};

/// What the program's copies of a queue share, and its events and commands do not: when the last
/// one goes, the program's handler gets the failures so far that it has not seen (SYCL 2020,
/// 4.13.1.1), on the thread that lets it go. The handler that there is otherwise would end programs
/// that were told of a failure by an exception already.
class queue_end {
public:
  queue_end(shared<queue_state> state, void (*hand_on)(queue_state &))
      : state(std::move(state)), hand_on(hand_on) {}
  queue_end(const queue_end &) = delete;
  queue_end &operator=(const queue_end &) = delete;
  ~queue_end() { hand_on(*state); }

private:
  shared<queue_state> state;
  void (*hand_on)(queue_state &);
};
PLSYCL_LATE shared<queue_end> end_of(const shared<queue_state> &state) {
  return shared<queue_end>::make(state, [](queue_state &ended) {
    try {
      if (ended.has_handler())
        ended.throw_asynchronous();
    } catch (...) {
      // What the handler throws has nobody to take it.
    }
  });
}

} // namespace sycl::detail
