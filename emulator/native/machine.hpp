// The machine: worker threads run work-groups; a work-group's subgroups take turns between barriers; a subgroup's
// lanes are fibers that meet at every collective builtin, where the last to arrive does the work for all of them.
#pragma once

#include <memory>
#include <vector>

#include "abi.hpp"
#include "fiber.hpp"

namespace xe {

enum class LaneState : uint8_t { ready, waiting, finished };
enum class SubgroupState : uint8_t { idle, ready, at_barrier, finished };

// The call of a lane that waits at a collective builtin.
struct Call {
  int32_t site;
  const std::byte* operands;  // operand i at i * slot_bytes
  std::byte* result;
};

struct Subgroup {
  explicit Subgroup(int lanes, size_t stack_bytes, int64_t site_count);

  int id = 0;
  SubgroupState state = SubgroupState::idle;
  int running = 0;   // lane
  int waiting = 0;   // lanes at a collective
  int finished = 0;  // lanes
  LaneState lanes[max_lanes];
  Call calls[max_lanes];
  Fiber fibers[max_lanes];
  Stacks stacks;
  std::vector<Range> variables[max_lanes];  // the lane's own variables that pointers may reach
  std::vector<uint32_t> touches;  // [site][lane]: plain loads and stores executed
};

struct Worker {
  Launch* launch;
  Subgroup* subgroup = nullptr;  // the running one; null: the scheduler runs
  Fiber scheduler;
  int32_t group[3] = {0, 0, 0};
  int64_t index = 0;  // of the work-group, in the order in which they start
  uint64_t instructions = 0;
  std::byte* local = nullptr;
  const Range* last_range = nullptr;
  std::vector<Counter> counters;
  std::vector<std::unique_ptr<Subgroup>> pool;
};

extern thread_local Worker* worker;

inline const Site& site_at(int32_t index) { return worker->launch->sites[index]; }

// Ends the launch with this message, from inside a lane. Frames on the lanes' stacks are abandoned, not unwound.
[[noreturn]] void fault(int32_t site, const char* format, ...) __attribute__((format(printf, 2, 3)));

// Throws the launch's stop request, if there is one.
void obey_stop();

// The array that holds all of [address, address + bytes), or null.
const Range* find_range(uint64_t address, uint64_t bytes);
// Stops with a message on the access's position relative to the nearest array.
[[noreturn]] void out_of_bounds(int32_t site, const char* what, uint64_t address, uint64_t bytes);

// The operations, each for all lanes of `subgroup` at once.
void block_read(const Subgroup& subgroup, const Site& site, Counter& counter);
void block_write(const Subgroup& subgroup, const Site& site, Counter& counter);
void block_prefetch(const Subgroup& subgroup, const Site& site, Counter& counter);
void multiply_accumulate(const Subgroup& subgroup, const Site& site);
void shuffle(const Subgroup& subgroup, const Site& site);
void reduce(const Subgroup& subgroup, const Site& site);
void vote(const Subgroup& subgroup, const Site& site);
void row_read(const Subgroup& subgroup, const Site& site, Counter& counter);
void row_write(const Subgroup& subgroup, const Site& site, Counter& counter);

template <typename T>
inline T operand(const Call& call, int index) {
  T value;
  __builtin_memcpy(&value, call.operands + index * slot_bytes, sizeof(T));
  return value;
}

// The operand of lane 0; the rules want it to be the same in every lane, and a message names it when it is not.
template <typename T>
inline T uniform(const Subgroup& subgroup, int index, const char* name) {
  T first = operand<T>(subgroup.calls[0], index);
  for (int lane = 1; lane < worker->launch->lanes; ++lane) {
    T other = operand<T>(subgroup.calls[lane], index);
    if (__builtin_memcmp(&first, &other, sizeof(T)) != 0)
      fault(subgroup.calls[0].site, "the %s of a subgroup message must be the same in every lane; lanes 0 and %d differ",
            name, lane);
  }
  return first;
}

}  // namespace xe
