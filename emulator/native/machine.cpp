#include "machine.hpp"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>

namespace xe {

thread_local Worker* worker = nullptr;

namespace {

constexpr size_t alternate_stack_bytes = 64 * 1024;
// Stacks of different lanes start in different cache sets; otherwise sixteen equal frames would evict one another.
constexpr int colour_bytes = 64 * 37;

std::mutex error_mutex;
// The first work-group that failed, in the order in which they start. Those before it run on, as one of them may fail
// too: the error of a launch is that of the same work-group each time, on any number of threads.
std::atomic<int64_t> failed_group;

const char* site_verb(const Site& site) {
  switch (site.kind) {
    case kind_barrier: return "a barrier";
    case kind_dpas: return "a matrix multiply";
    case kind_block_read: return "a 2D block read";
    case kind_block_write: return "a 2D block write";
    case kind_block_prefetch: return "a 2D block prefetch";
    case kind_row_read: return "a block read";
    case kind_row_write: return "a block write";
    default: return "a subgroup function";
  }
}

void record_error(int32_t site, const char* format, va_list arguments) {
  Launch* launch = worker->launch;
  std::lock_guard<std::mutex> lock(error_mutex);
  if (worker->index >= failed_group) return;
  failed_group = worker->index;
  launch->error_site = site;
  int length = vsnprintf(launch->error, sizeof launch->error, format, arguments);
  if (length >= 0 && length < static_cast<int>(sizeof launch->error)) {
    char* end = launch->error + length;
    size_t rest = sizeof launch->error - length;
    const int32_t* group = worker->group;
    if (worker->subgroup != nullptr)
      snprintf(end, rest, " [work-group (%d, %d, %d), subgroup %d, lane %d]", group[0], group[1], group[2],
               worker->subgroup->id, worker->subgroup->running);
    else
      snprintf(end, rest, " [work-group (%d, %d, %d)]", group[0], group[1], group[2]);
  }
  launch->failed = 1;
}

// For the scheduler, which has no lane to abandon.
void __attribute__((format(printf, 2, 3))) report(int32_t site, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  record_error(site, format, arguments);
  va_end(arguments);
}

void leave_to_scheduler() {
  Subgroup* subgroup = worker->subgroup;
  Fiber& lane = subgroup->fibers[subgroup->running];
  worker->subgroup = nullptr;
  switch_fiber(lane, worker->scheduler);
}

void run_next_lane(Subgroup& subgroup) {
  int lanes = worker->launch->lanes;
  int from = subgroup.running;
  int next = from;
  do next = next + 1 == lanes ? 0 : next + 1;
  while (subgroup.lanes[next] != LaneState::ready);
  subgroup.running = next;
  switch_fiber(subgroup.fibers[from], subgroup.fibers[next]);
}

int lane_in(const Subgroup& subgroup, LaneState state) {
  for (int lane = 0; lane < worker->launch->lanes; ++lane)
    if (subgroup.lanes[lane] == state) return lane;
  return -1;
}

void check_no_lane_ended(const Subgroup& subgroup) {
  if (subgroup.finished == 0) return;
  int waiting = lane_in(subgroup, LaneState::waiting);
  const Call& call = subgroup.calls[waiting];
  fault(call.site, "lane %d waits at %s that lane %d never reaches: it has returned", waiting,
        site_verb(site_at(call.site)), lane_in(subgroup, LaneState::finished));
}

void check_same_site(const Subgroup& subgroup) {
  for (int lane = 1; lane < worker->launch->lanes; ++lane)
    if (subgroup.calls[lane].site != subgroup.calls[0].site)
      fault(subgroup.calls[0].site, "lanes of a subgroup must reach %s together; lane 0 is there and lane %d is at %s (site %d)",
            site_verb(site_at(subgroup.calls[0].site)), lane, site_verb(site_at(subgroup.calls[lane].site)),
            subgroup.calls[lane].site);
}

void lane_main() {
  Worker* self = worker;
  Subgroup& subgroup = *self->subgroup;
  self->launch->entry(self->launch->arguments);
  subgroup.lanes[subgroup.running] = LaneState::finished;
  ++subgroup.finished;
  if (subgroup.finished == self->launch->lanes) {
    subgroup.state = SubgroupState::finished;
    leave_to_scheduler();
  }
  if (subgroup.finished + subgroup.waiting == self->launch->lanes) check_no_lane_ended(subgroup);
  run_next_lane(subgroup);
  abort();  // a finished lane is never resumed
}

void perform(Subgroup& subgroup, const Site& site, Counter& counter) {
  ++counter.messages;
  switch (site.kind) {
    case kind_block_read: return block_read(subgroup, site, counter);
    case kind_block_write: return block_write(subgroup, site, counter);
    case kind_block_prefetch: return block_prefetch(subgroup, site, counter);
    case kind_dpas: return multiply_accumulate(subgroup, site);
    case kind_shuffle: return shuffle(subgroup, site);
    case kind_reduce: return reduce(subgroup, site);
    case kind_vote: return vote(subgroup, site);
    case kind_row_read: return row_read(subgroup, site, counter);
    case kind_row_write: return row_write(subgroup, site, counter);
    default: return;
  }
}

// --- Work-groups ------------------------------------------------------------------------------------------------

void start_subgroup(Worker& self, Subgroup& subgroup, int id) {
  subgroup.id = id;
  subgroup.state = SubgroupState::ready;
  subgroup.running = subgroup.waiting = subgroup.finished = 0;
  for (int lane = 0; lane < self.launch->lanes; ++lane) {
    subgroup.lanes[lane] = LaneState::ready;
    subgroup.variables[lane].clear();
    int colour = (lane + id * 5) % max_lanes * colour_bytes;
    prepare(subgroup.fibers[lane], subgroup.stacks.bottom(lane), subgroup.stacks.top(lane) - colour, lane_main);
  }
}

// Adds what the subgroup's lanes loaded and stored to the counters. A message serves all lanes at once, so a site
// was executed as often as the lane that executed it most.
void settle_touches(Worker& self, Subgroup& subgroup) {
  int lanes = self.launch->lanes;
  for (int64_t index = 0; index < self.launch->site_count; ++index) {
    const Site& site = self.launch->sites[index];
    if (site.kind != kind_load && site.kind != kind_store) continue;
    uint32_t most = 0;
    uint64_t total = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      uint32_t& count = subgroup.touches[index * lanes + lane];
      most = count > most ? count : most;
      total += count;
      count = 0;
    }
    Counter& counter = self.counters[index];
    counter.messages += most;
    counter.bytes_asked += total * site.type;
    counter.bytes_used += total * site.type;
  }
}

void resume(Worker& self, Subgroup& subgroup) {
  self.subgroup = &subgroup;
  switch_fiber(self.scheduler, subgroup.fibers[subgroup.running]);
}

Subgroup& take_subgroup(Worker& self, std::vector<Subgroup*>& idle) {
  if (idle.empty()) {
    self.pool.push_back(std::make_unique<Subgroup>(self.launch->lanes, self.launch->stack_bytes, self.launch->site_count));
    return *self.pool.back();
  }
  Subgroup* subgroup = idle.back();
  idle.pop_back();
  return *subgroup;
}

// One work-group, subgroup after subgroup, each as far as its next barrier. A subgroup that ends gives its stacks to
// the next, so that a kernel without barriers needs one set of them.
void run_group(Worker& self) {
  int count = self.launch->subgroups;
  std::vector<Subgroup*> idle;
  for (auto& subgroup : self.pool) idle.push_back(subgroup.get());
  std::vector<Subgroup*> blocked;
  int ended = 0;
  auto advance = [&](Subgroup& subgroup) {
    resume(self, subgroup);
    if (self.index >= failed_group) return false;
    if (subgroup.state == SubgroupState::finished) {
      settle_touches(self, subgroup);
      idle.push_back(&subgroup);
      ++ended;
    } else {
      blocked.push_back(&subgroup);
    }
    return true;
  };
  for (int id = 0; id < count; ++id) {
    Subgroup& subgroup = take_subgroup(self, idle);
    if (!subgroup.stacks.are_there()) {
      report(-1, "there is no memory for the stacks of all lanes; fewer threads need less");
      return;
    }
    start_subgroup(self, subgroup, id);
    if (!advance(subgroup)) return;
  }
  while (!blocked.empty()) {
    std::vector<Subgroup*> released;
    released.swap(blocked);
    if (ended != 0) {
      report(released[0]->calls[0].site,
             "subgroup %d waits at a barrier that %d other subgroups of its work-group never reach", released[0]->id, ended);
      return;
    }
    for (Subgroup* subgroup : released) {
      subgroup->state = SubgroupState::ready;
      if (!advance(*subgroup)) return;
    }
  }
}

struct Work {
  Launch* launch;
  std::atomic<int64_t> next{0};  // work-group
  std::mutex merge;
};

void* run_groups(void* argument) {
  auto* work = static_cast<Work*>(argument);
  Launch* launch = work->launch;
  Worker self;
  self.launch = launch;
  self.counters.resize(launch->site_count);
  auto* local = static_cast<std::byte*>(aligned_alloc(64, (launch->local_bytes + 127) / 64 * 64));
  self.local = local;
  auto* alternate = static_cast<std::byte*>(malloc(alternate_stack_bytes));
  stack_t previous;
  stack_t stack{};
  stack.ss_sp = alternate;
  stack.ss_size = alternate_stack_bytes;
  sigaltstack(&stack, &previous);
  worker = &self;
  if (local == nullptr || alternate == nullptr) report(-1, "there is no memory for the work-group's local memory");
  int64_t total = int64_t{1} * launch->grid[0] * launch->grid[1] * launch->grid[2];
  for (int64_t group = work->next++; group < total && group < failed_group; group = work->next++) {
    self.index = group;
    self.group[0] = static_cast<int32_t>(group % launch->grid[0]);
    self.group[1] = static_cast<int32_t>(group / launch->grid[0] % launch->grid[1]);
    self.group[2] = static_cast<int32_t>(group / launch->grid[0] / launch->grid[1]);
    if (__atomic_load_n(&launch->stop, __ATOMIC_RELAXED) != 0) {
      report(-1, "stopped");
      break;
    }
    run_group(self);
    __atomic_fetch_add(&launch->groups_done, 1, __ATOMIC_RELAXED);
  }
  worker = nullptr;
  sigaltstack(&previous, nullptr);
  std::lock_guard<std::mutex> lock(work->merge);
  for (int64_t index = 0; index < launch->site_count; ++index) {
    launch->counters[index].messages += self.counters[index].messages;
    launch->counters[index].bytes_asked += self.counters[index].bytes_asked;
    launch->counters[index].bytes_used += self.counters[index].bytes_used;
  }
  launch->lane_instructions += self.instructions;
  free(alternate);
  free(local);
  return nullptr;
}

// --- Signals: the last net below the bounds checks -----------------------------------------------------------------

#if XE_NATIVE_SWITCH && defined(__linux__)
const char* signal_text(int signal) {
  switch (signal) {
    case SIGFPE: return "an integer division by zero, or one whose result does not fit";
    case SIGILL: return "reached code that the compiler marked unreachable";
    default: return "an access outside the lane's own memory, or a private stack that overflowed";
  }
}

thread_local int pending_signal;
thread_local void* pending_address;

void land() { fault(-1, "%s (at address %p)", signal_text(pending_signal), pending_address); }

// Carries on in land() on the rest of the alternate stack, from where the lane is abandoned.
void on_signal(int signal, siginfo_t* information, void* context) {
  if (worker == nullptr || worker->subgroup == nullptr) {
    ::signal(signal, SIG_DFL);
    raise(signal);
    return;
  }
  pending_signal = signal;
  pending_address = information->si_addr;
  auto* machine = &static_cast<ucontext_t*>(context)->uc_mcontext;
  static thread_local std::byte landing[32 * 1024];
  auto top = (reinterpret_cast<uintptr_t>(landing) + sizeof landing) & ~uintptr_t{63};
#if defined(__x86_64__)
  machine->gregs[REG_RSP] = static_cast<greg_t>(top - 8);
  machine->gregs[REG_RIP] = reinterpret_cast<greg_t>(land);
#else
  machine->sp = top;
  machine->pc = reinterpret_cast<uintptr_t>(land);
#endif
}

constexpr int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
struct sigaction replaced[4];
int guards = 0;
std::mutex guard_mutex;

void raise_guard() {
  std::lock_guard<std::mutex> lock(guard_mutex);
  if (guards++ > 0) return;
  struct sigaction action{};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (int index = 0; index < 4; ++index) sigaction(caught[index], &action, &replaced[index]);
}

void lower_guard() {
  std::lock_guard<std::mutex> lock(guard_mutex);
  if (--guards > 0) return;
  for (int index = 0; index < 4; ++index) sigaction(caught[index], &replaced[index], nullptr);
}
#else
void raise_guard() {}
void lower_guard() {}
#endif

}  // namespace

Subgroup::Subgroup(int lanes, size_t stack_bytes, int64_t site_count)
    : stacks(lanes, stack_bytes + max_lanes * colour_bytes), touches(site_count * lanes) {}

void fault(int32_t site, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  record_error(site, format, arguments);
  va_end(arguments);
  leave_to_scheduler();
  abort();  // an abandoned lane is never resumed
}

void obey_stop() {
  bool is_told = __atomic_load_n(&worker->launch->stop, __ATOMIC_RELAXED) != 0;
  bool is_late = worker->index > failed_group.load(std::memory_order_relaxed);
  if (__builtin_expect(is_told || is_late, 0)) fault(-1, "stopped");
}

}  // namespace xe

using namespace xe;

XE_API int32_t xe_launch(Launch* launch) {
  Work work;
  work.launch = launch;
  failed_group = std::numeric_limits<int64_t>::max();
  raise_guard();
  std::vector<pthread_t> threads(launch->threads);
  int count = 0;  // the machine may give fewer threads, which then do more work each
  while (count < launch->threads && pthread_create(&threads[count], nullptr, run_groups, &work) == 0) ++count;
  if (count == 0) run_groups(&work);
  for (int index = 0; index < count; ++index) pthread_join(threads[index], nullptr);
  lower_guard();
  return launch->failed;
}

// A lane reached a collective builtin. The last lane to arrive performs it for all and carries on.
XE_API void xe_collective(int32_t index, const void* operands, void* result) {
  Worker* self = worker;
  Subgroup& subgroup = *self->subgroup;
  int lane = subgroup.running;
  subgroup.calls[lane] = {index, static_cast<const std::byte*>(operands), static_cast<std::byte*>(result)};
  subgroup.lanes[lane] = LaneState::waiting;
  if (++subgroup.waiting < self->launch->lanes) {
    if (subgroup.waiting + subgroup.finished == self->launch->lanes) check_no_lane_ended(subgroup);
    run_next_lane(subgroup);
    return;
  }
  obey_stop();
  check_same_site(subgroup);
  const Site& site = site_at(index);
  perform(subgroup, site, self->counters[index]);
  subgroup.waiting = 0;
  for (int other = 0; other < self->launch->lanes; ++other) subgroup.lanes[other] = LaneState::ready;
  if (site.kind == kind_barrier && site.operation != 0) {
    subgroup.state = SubgroupState::at_barrier;
    leave_to_scheduler();
  }
}

// Called at the head of every loop and of every function: where a launch that was told to stop does so.
XE_API void xe_tick() { obey_stop(); }

XE_API void xe_trap(int32_t index) { fault(index, "the kernel came to where it gives up"); }

XE_API void xe_missing() { fault(-1, "the kernel needs a function of the compiler's runtime library that is not here"); }

XE_API void* xe_local() { return worker->local; }

XE_API uint64_t* xe_instructions() { return &worker->instructions; }

XE_API int64_t xe_query(int32_t what, int32_t dimension) {
  const Launch& launch = *worker->launch;
  const Subgroup& subgroup = *worker->subgroup;
  bool in_range = dimension >= 0 && dimension < 3;
  int64_t local_size = dimension == 0 ? int64_t{1} * launch.subgroups * launch.lanes : 1;
  int64_t local_id = dimension == 0 ? int64_t{1} * subgroup.id * launch.lanes + subgroup.running : 0;
  switch (what) {
    case 0: return in_range ? worker->group[dimension] : 0;
    case 1: return in_range ? launch.grid[dimension] : 1;
    case 2: return local_id;
    case 3: return local_size;
    case 4: return (in_range ? worker->group[dimension] * local_size : 0) + local_id;
    case 5: return (in_range ? launch.grid[dimension] : 1) * local_size;
    case 6: return subgroup.id;
    case 7: return launch.subgroups;
    case 8: return subgroup.running;
    default: return launch.lanes;
  }
}
