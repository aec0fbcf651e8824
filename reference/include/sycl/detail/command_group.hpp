//===- command_group.hpp - a command while a program describes it ----------------------------===//
#pragma once

#include <sycl/detail/bundle_contents.hpp>
#include <sycl/detail/config.hpp>
#include <sycl/detail/declared.hpp>
#include <sycl/detail/element_access.hpp>
#include <sycl/detail/few.hpp>
#include <sycl/detail/queue_state.hpp>
#include <sycl/event.hpp>

#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>

PLSYCL_HOST_FILE

namespace sycl {

namespace detail {

/// The buffers that a command needs, which stay meanwhile.
class needed_memory {
public:
  needed_memory() = default;
  needed_memory(needed_memory &&) = default;
  ~needed_memory() {
    for (const plsycl_requirement &each : list)
      plsycl_memory_release(each.memory);
  }

  PLSYCL_LATE void add(plsycl_memory memory, std::uint32_t access, byte_span part) {
    list.push_back({memory, access, part.begin, part.end});
    plsycl_memory_retain(memory);
  }
  const few<plsycl_requirement, 8> &get() const { return list; }

private:
  few<plsycl_requirement, 8> list;
};

/// Where a command of the queue goes, which comes after these events; null for to the device.
/// A queue that is not recorded is so from then on, with the others of the graph, where the events
/// are of commands that a graph holds. errc::invalid for a described command that it does not take.
PLSYCL_LATE shared<recorder> recorder_after(const shared<queue_state> &queue, const event *first,
                                            std::size_t count,
                                            const command_group *command = nullptr) {
  if (auto current = queue->get_recorder()) {
    if (command)
      current->require_fit(*command);
    return current;
  }
  shared<recorder> found;
  bool has_others = false;
  for (std::size_t i = 0; i < count; ++i) {
    const shared<const void> &node = first[i].get_node();
    has_others = has_others || first[i].get();
    if (!node)
      continue;
    const auto its = node.as<const recorded_command>()->owner.lock();
    if (!its || (found && found != its))
      fail(errc::invalid, "a command that was recorded in a graph is one of that graph alone");
    found = its;
  }
  if (found && has_others)
    fail(errc::invalid, "a command of a graph comes after those of the graph alone");
  if (found) {
    if (command)
      found->require_fit(*command);
    found->follow(queue);
  }
  return found;
}

/// What the update of a graph changes of a kernel's start (sycl_ext_oneapi_graph).
struct changed_start {
  /// Of the space; 0 where it stays.
  std::uint32_t dimensions = 0;
  std::uint64_t global[3] = {};
  std::uint64_t local[3] = {};
  std::uint64_t offset[3] = {};
  /// The bytes of parameters of a kernel of the driver's own, by their places.
  std::vector<std::pair<std::size_t, std::string>> values;

  template <typename Launch> void change_space(Launch &launch) const {
    if (dimensions == 0)
      return;
    for (int i = 0; i < 3; ++i) {
      launch.global[i] = global[i];
      launch.local[i] = local[i];
      launch.offset[i] = offset[i];
    }
  }
  /// Has the arguments be those values, whose bytes stay here.
  PLSYCL_LATE void change_arguments(std::vector<plsycl_argument> &arguments) const {
    for (const auto &[index, bytes] : values) {
      plsycl_argument &changed = arguments[index];
      if (changed.kind == PLSYCL_ARGUMENT_POINTER)
        std::memcpy(&changed.bytes, bytes.data(), sizeof(changed.bytes));
      else
        changed.bytes = bytes.data();
    }
  }
};

/// What a command is to a graph beyond its kind (sycl_ext_oneapi_graph).
enum class graph_role : std::uint8_t {
  of_kind,
  memset,
  prefetch,
  memadvise,
  native_command,
  subgraph,
  not_in_graphs,
};

/// What a host task is given when it runs: it may be submitted again, to other queues.
struct task_start {
  std::vector<shared<void>> kept;
  shared<queue_state> queue;
  void *function;
  /// The buffers that its command group requires.
  std::vector<plsycl_memory> required;
};

/// What a command group has said so far. Submitted once, by the queue.
class command_group {
public:
  PLSYCL_LATE explicit command_group(shared<queue_state> queue) : queue(std::move(queue)) {}

  /// The command needs the part of the buffer.
  PLSYCL_LATE void require(plsycl_memory memory, std::uint32_t access, byte_span part) {
    requirements.add(memory, access, part);
  }

  const device &get_device() const { return queue->device; }

  /// The command uses an accessor of the memory. A placeholder it has to be told to require before
  /// the group ends, whatever other accessors of its buffer it has.
  void use(const global_memory &memory) {
    if (flags_of(memory.data) & placeholder_flag)
      placeholders.push_back(memory_of(memory));
  }

  /// Refuses an accessor to part of a buffer that begins where the queue's device cannot have one;
  /// `word` is that of the accessor's memory.
  PLSYCL_LATE void require_aligned(PLSYCL_GLOBAL void *word) const {
    const std::size_t aligned = origin_alignment(word);
    if (aligned < most_aligned &&
        aligned * 8 < queue->device.get_info<info::device::mem_base_addr_align>())
      fail(errc::invalid,
           "a sub-buffer must begin at a multiple of the device's mem_base_addr_align");
  }

#ifdef PLSYCL_UPSTREAM
  /// The words that accessors of this command have on the host.
  std::vector<std::uintptr_t> buffer_words() const {
    std::vector<std::uintptr_t> words;
    for (const plsycl_requirement &each : requirements.get())
      words.push_back(reinterpret_cast<std::uintptr_t>(each.memory));
    return words;
  }
  std::vector<std::uintptr_t> local_words;
#endif

  PLSYCL_LATE void depend(const event &other) {
    if (!other.get() && !other.get_node())
      return;
    kept_events.push_back(other);
    if (other.get())
      events.push_back(other.get());
  }

  /// The events that the command comes after.
  const std::vector<event> &after() const { return kept_events; }

  /// Sets the one command of the group.
  plsycl_command &set(plsycl_command_kind kind) {
    require_no_command();
    // A kernel that was refused, and whose exception the program has caught, may have left its
    // functor.
    if (kind != PLSYCL_COMMAND_KERNEL)
      kept_bytes.clear();
    command.kind = kind;
    return command;
  }

  /// Keeps a value until the command is submitted, for a task of the host and a copy of a buffer
  /// until it has ended.
  template <typename Type> std::decay_t<Type> &keep(Type &&value) {
    auto owned = shared<std::decay_t<Type>>::make(std::forward<Type>(value));
    kept.push_back(owned);
    return *owned;
  }

  /// Keeps the bytes of the one value that the group's command is about until that is submitted; it
  /// must be known that the group has no other command. The command is told where they are when it
  /// is submitted; until then the group may move, with which they move.
  PLSYCL_LATE void *keep_bytes(const void *first, std::size_t size) {
    kept_bytes.assign(static_cast<const std::byte *>(first), size);
    return kept_bytes.data();
  }

  /// Keeps the functor of the command's kernel until the command is submitted.
  template <typename Type> Type &keep_functor(const Type &value) {
    constexpr bool is_plain =
        std::is_trivially_copyable_v<Type> && alignof(Type) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;
    if constexpr (is_plain) {
      return *static_cast<Type *>(keep_bytes(std::addressof(value), sizeof(value)));
    } else {
      kept_bytes.clear();
      auto owned = shared<Type>::make(value);
      functor = owned;
      return *owned;
    }
  }

  /// Only images of the bundle may serve the kernel, with the bundle's constants.
  PLSYCL_LATE void use(shared<bundle_contents> used) {
    if (*used->owner != queue->context)
      fail(errc::invalid, "the kernel bundle is of another context than the queue");
    if (!used->has_device(queue->device))
      fail(errc::invalid, "the kernel bundle is not for the queue's device");
    if (!constants.empty())
      fail(errc::invalid, "use a kernel bundle before setting specialization constants");
    bundle = std::move(used);
    // Programs that name no bundle have nothing to do with its images.
    is_told_late = command.kind == PLSYCL_COMMAND_KERNEL;
  }
  bool uses_bundle() const { return bundle != nullptr; }

  /// `id` is the object that stands for the constant: units may have several of one name.
  PLSYCL_LATE void set_spec_constant(const void *id, const char *name, const void *bytes,
                                     std::size_t size) {
    if (bundle)
      fail(errc::invalid, "the kernel bundle has the specialization constants' values");
    constants.set({id, name, std::string(static_cast<const char *>(bytes), size)});
    is_told_late = command.kind == PLSYCL_COMMAND_KERNEL;
  }
  PLSYCL_LATE const void *get_spec_constant(const void *id) const {
    if (bundle)
      fail(errc::invalid, "the kernel bundle has the specialization constants' values");
    return constants.find(id);
  }

  /// The start of a kernel, all of which is 0 yet, for a group that has no command.
  plsycl_launch &get_launch() {
    require_no_command();
    return kept_launch;
  }
  /// Makes the start, which has been described, the command of the group.
  PLSYCL_LATE void set_kernel() {
    plsycl_known_kernel found = nullptr;
    if (!varying.empty())
      fail(errc::feature_not_supported,
           "a graph's dynamic parameter is one of a kernel of the driver's own, not of a functor");
    check(plsycl_kernel_find(queue->owned.get(), kept_launch.name, kept_launch.origin, &found));
    known = known_kernel_handle(found);
    if (bundle)
      take_bundle();
    else if (!constants.empty())
      take_constants(constants);
    set(PLSYCL_COMMAND_KERNEL);
  }

  /// What a kernel of the driver's own is given for a parameter.
  PLSYCL_LATE void set_argument(std::size_t index, const plsycl_argument &argument) {
    if (arguments.size() <= index)
      arguments.resize(index + 1, {PLSYCL_ARGUMENT_KEPT, nullptr, nullptr, 0});
    arguments[index] = argument;
    varying.erase(std::remove_if(varying.begin(), varying.end(),
                                 [&](const auto &each) { return each.first == index; }),
                  varying.end());
  }
  const std::vector<plsycl_argument> &get_arguments() const { return arguments; }
  /// The parameter's value is another's, which updates of a graph ask again.
  PLSYCL_LATE void vary(std::size_t index, shared<const std::string> value) {
    varying.emplace_back(index, std::move(value));
  }
  const std::vector<std::pair<std::size_t, shared<const std::string>>> &get_varying() const {
    return varying;
  }
  PLSYCL_LATE void set_foreign_kernel(plsycl_foreign_launch launch) {
    set(PLSYCL_COMMAND_FOREIGN_KERNEL);
    launch.arguments = arguments.data();
    launch.argument_count = arguments.size();
    keep_bytes(&launch, sizeof(launch));
  }

  /// The kernel was described for its space alone, and runs over no other.
  void fix_space() { is_space_fixed = true; }
  /// A function was told to run over a space of so many dimensions, which it does over three.
  void set_told_dimensions(int dimensions) { told_dimensions = dimensions; }
  int get_told_dimensions() const { return told_dimensions; }
  /// Refuses another space of the same kernel that has not as many dimensions as its own. (A range
  /// may become an nd_range, and the other way.)
  PLSYCL_LATE void require_space_like(const changed_start &other) const {
    std::uint32_t dimensions = 0;
    if (command.kind == PLSYCL_COMMAND_KERNEL)
      dimensions = kept_launch.dimensions;
    else if (command.kind == PLSYCL_COMMAND_FOREIGN_KERNEL)
      dimensions = foreign_launch().dimensions;
    else
      fail(errc::invalid, "only kernels run over a space");
    if (is_space_fixed)
      fail(errc::invalid,
           "a single task, a kernel with reductions, a hierarchical one, or one whose work-groups "
           "wait for one another, runs over the space that it was described for");
    if (dimensions != other.dimensions)
      fail(errc::invalid, "the kernel runs over a space of " + std::to_string(dimensions) +
                              " dimensions, not of " + std::to_string(other.dimensions));
  }

  void set_role(graph_role next) { role = next; }
  graph_role get_role() const { return role; }
  /// One of the buffers is the implementation's, and stays while the command does.
  void own_buffer() { ++own_buffers; }
  const few<plsycl_requirement, 8> &get_requirements() const { return requirements.get(); }
  bool needs_buffers_of_program() const { return requirements.get().size() > own_buffers; }

  /// Has another command come before this one, and after what this one comes after.
  PLSYCL_LATE void before(std::function<void(handler &)> describe) {
    leaders.push_back(std::move(describe));
  }
  PLSYCL_LATE std::vector<std::function<void(handler &)>> take_leaders() {
    return std::exchange(leaders, {});
  }

  /// Has another command come after this one; the event of the group is that one's then.
  PLSYCL_LATE void afterwards(std::function<void(handler &)> describe) {
    followers.push_back(std::move(describe));
  }
  const std::vector<std::function<void(handler &)>> &get_followers() const { return followers; }

  /// Refuses a group that is known to be wrong, before other commands are submitted for it.
  PLSYCL_LATE void require_fit() {
    complete();
    recorder_after(queue, kept_events.data(), kept_events.size(), this);
  }

  PLSYCL_LATE event submit() {
    complete();
    if (const auto recorder = recorder_after(queue, kept_events.data(), kept_events.size(), this)) {
      auto whole = shared<command_group>::make(std::move(*this));
      return event::of_node(recorder->record(whole, whole->kept_events, *whole->queue, {}));
    }
    return submit_to(queue, events.data(), events.size(), std::move(kept_events), false);
  }
  /// Submits the command to a queue of the same device, after other events than it was described
  /// with; what changes of it is for one that is submitted again.
  PLSYCL_LATE event submit_to(const shared<queue_state> &where, const plsycl_event *after,
                              std::size_t after_count, std::vector<event> kept_after, bool again,
                              const changed_start *changes = nullptr) {
    // A group that is submitted again may be so by several threads at a time.
    plsycl_command copied;
    plsycl_launch copied_launch;
    plsycl_command &submitted = again ? (copied = command) : command;
    plsycl_launch &start = again ? (copied_launch = kept_launch) : kept_launch;
    submitted.events = after;
    submitted.event_count = after_count;
    submitted.requirements = requirements.get().data();
    submitted.requirement_count = requirements.get().size();
    // Not before: a group that is recorded in a graph moves.
    if (!kept_bytes.empty())
      place_bytes(submitted, start);
    if (command.kind == PLSYCL_COMMAND_KERNEL) {
      // What one queue knows of the kernel need not be so for another.
      start.known = where == queue ? known.get() : nullptr;
      submitted.launch = &start;
      if (changes)
        changes->change_space(start);
    }
    plsycl_foreign_launch copied_foreign;
    std::vector<plsycl_argument> copied_arguments;
    if (command.kind == PLSYCL_COMMAND_FOREIGN_KERNEL && changes) {
      copied_foreign = foreign_launch();
      changes->change_space(copied_foreign);
      copied_arguments = arguments;
      changes->change_arguments(copied_arguments);
      copied_foreign.arguments = copied_arguments.data();
      submitted.foreign = &copied_foreign;
    }
    if (command.kind == PLSYCL_COMMAND_HOST_TASK || command.kind == PLSYCL_COMMAND_INTEROP_TASK) {
      std::vector<plsycl_memory> required;
      for (const plsycl_requirement &each : requirements.get())
        required.push_back(each.memory);
      auto *task = new task_start{again ? kept : std::move(kept), where, command.argument,
                                  std::move(required)};
      submitted.argument = task;
      submitted.owner = task;
      submitted.release = [](void *owner) { delete static_cast<task_start *>(owner); };
    } else if (command.kind == PLSYCL_COMMAND_BUFFER_COPY && !kept.empty()) {
      submitted.owner = again ? new kept_values(kept) : new kept_values(std::move(kept));
      submitted.release = [](void *owner) { delete static_cast<kept_values *>(owner); };
    }
    plsycl_event done = nullptr;
    check(plsycl_submit(where->owned.get(), &submitted, &done));
    return event(done, where, std::move(kept_after));
  }
  std::uint32_t get_kind() const { return command.kind; }

  // What descriptions of graphs say of the command.
  const plsycl_command &get_command() const { return command; }
  const plsycl_launch &get_kept_launch() const { return kept_launch; }
  /// As kernel_id::get_name() has it; null for all that is no kernel of the program's.
  PLSYCL_LATE const char *get_kernel_name() const {
    const char *name = nullptr;
    if (command.kind == PLSYCL_COMMAND_KERNEL)
      check(plsycl_kernel_id(kept_launch.name, &name));
    return name;
  }

  shared<queue_state> queue;

private:
  /// What has to be known of the whole group.
  PLSYCL_LATE void complete() {
    for (plsycl_memory used : placeholders)
      require_placeholder(used);
    if (is_told_late)
      bundle ? take_bundle() : take_constants(constants);
  }
  /// Has the kernel be of the bundle's images, with its constants.
  PLSYCL_LATE void take_bundle() {
    const char *id = nullptr;
    check(plsycl_kernel_id(kept_launch.name, &id));
    if (!bundle->has_kernel(id, queue->device))
      fail(errc::kernel_not_supported,
           std::string("the kernel bundle has no kernel ") + id + " for the queue's device");
    images.clear();
    for (const auto &image : bundle->images)
      if (image->has_kernel(id))
        images.push_back(image->object.get());
    kept_launch.images = images.data();
    kept_launch.image_count = images.size();
    take_constants(bundle->constants);
  }
  PLSYCL_LATE void take_constants(const constant_values &values) {
    records = values.records();
    kept_launch.spec_constants = records.data();
    kept_launch.spec_constant_count = records.size();
  }

  using kept_values = std::vector<shared<void>>;

  PLSYCL_LATE void require_placeholder(plsycl_memory used) const {
    for (const plsycl_requirement &each : requirements.get())
      if (each.memory == used && each.access & PLSYCL_ACCESS_PLACEHOLDER)
        return;
    fail(errc::kernel_argument, "the command uses a placeholder that its group does not require");
  }

  /// Tells the command where its value is.
  void place_bytes(plsycl_command &submitted, plsycl_launch &start) {
    switch (submitted.kind) {
    case PLSYCL_COMMAND_KERNEL:
      start.functor = kept_bytes.data();
      break;
    case PLSYCL_COMMAND_FOREIGN_KERNEL:
      submitted.foreign = reinterpret_cast<plsycl_foreign_launch *>(kept_bytes.data());
      break;
    default:
      submitted.source = kept_bytes.data();
    }
  }

  plsycl_foreign_launch foreign_launch() const {
    plsycl_foreign_launch launch;
    std::memcpy(&launch, kept_bytes.data(), sizeof(launch));
    return launch;
  }

  void require_no_command() const {
    if (command.kind != PLSYCL_COMMAND_NONE)
      fail(errc::invalid, "a command group must hold one command");
  }

  plsycl_command command = {};
  plsycl_launch kept_launch = {};
  known_kernel_handle known;
  /// A functor that is more than bytes.
  shared<void> functor;
  /// A functor, a pattern, or the start of a kernel of the driver's own.
  few<std::byte, 256> kept_bytes;
  needed_memory requirements;
  /// The buffers of placeholders that it uses.
  std::vector<plsycl_memory> placeholders;
  few<plsycl_event, 4> events;
  shared<bundle_contents> bundle;
  constant_values constants;
  few<plsycl_image, 4> images;
  std::vector<plsycl_spec_constant> records;
  std::vector<plsycl_argument> arguments;
  std::vector<std::pair<std::size_t, shared<const std::string>>> varying;
  /// What counts for the kernel was said behind it.
  bool is_told_late = false;
  bool is_space_fixed = false;
  int told_dimensions = 0;
  graph_role role = graph_role::of_kind;
  std::size_t own_buffers = 0;
  std::vector<event> kept_events;
  kept_values kept;
  std::vector<std::function<void(handler &)>> leaders;
  std::vector<std::function<void(handler &)>> followers;
};

command_group &command_group_of(handler &group);

} // namespace detail
} // namespace sycl
