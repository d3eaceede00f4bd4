// The kernel's own loads and stores: every one is checked against the arrays, and counted.

#include <cinttypes>

#include "machine.hpp"

namespace xe {
namespace {

constexpr uint64_t far_away = uint64_t{1} << 40;  // bytes: an access that far away did not just miss an array

bool on_own_stack(uint64_t address) {
  const Subgroup& subgroup = *worker->subgroup;
  return address >= reinterpret_cast<uint64_t>(subgroup.stacks.bottom(subgroup.running)) &&
         address < reinterpret_cast<uint64_t>(subgroup.stacks.top(subgroup.running));
}

}  // namespace

const Range* find_range(uint64_t address, uint64_t bytes) {
  const Launch& launch = *worker->launch;
  for (const Range* range = launch.ranges; range != launch.ranges + launch.range_count; ++range)
    if (address - range->begin < range->bytes && bytes <= range->bytes - (address - range->begin)) return range;
  return nullptr;
}

void out_of_bounds(int32_t site, const char* what, uint64_t address, uint64_t bytes) {
  const Launch& launch = *worker->launch;
  const Range* nearest = nullptr;
  uint64_t distance = UINT64_MAX;
  for (const Range* range = launch.ranges; range != launch.ranges + launch.range_count; ++range) {
    if (range->argument < 0) continue;
    uint64_t end = range->begin + range->bytes;
    uint64_t away = address < range->begin ? range->begin - address : address >= end ? address - end : 0;
    if (away < distance) {
      distance = away;
      nearest = range;
    }
  }
  if (on_own_stack(address))
    fault(site, "%s of %" PRIu64 " bytes at address 0x%" PRIx64 " is outside the lane's own variables", what, bytes, address);
  if (nearest == nullptr)
    fault(site, "%s of %" PRIu64 " bytes at address 0x%" PRIx64 ": the kernel was given no array", what, bytes, address);
  if (distance > far_away)
    fault(site, "%s of %" PRIu64 " bytes at address 0x%" PRIx64 " is outside every array", what, bytes, address);
  fault(site,
        "%s of %" PRIu64 " bytes at address 0x%" PRIx64 " is outside every array: byte %" PRId64
        " of argument %d, which has %" PRIu64 " bytes",
        what, bytes, address, static_cast<int64_t>(address - nearest->begin), nearest->argument, nearest->bytes);
}

namespace {

// The running lane's own variables, the latest first: a loop most likely accesses these.
bool in_own_variable(uint64_t address, uint64_t bytes) {
  const std::vector<Range>& variables = worker->subgroup->variables[worker->subgroup->running];
  for (auto range = variables.rbegin(); range != variables.rend(); ++range)
    if (address - range->begin < range->bytes && bytes <= range->bytes - (address - range->begin)) return true;
  return false;
}

bool in_local_memory(uint64_t address, uint64_t bytes) {
  uint64_t offset = address - reinterpret_cast<uint64_t>(worker->local);
  uint64_t size = static_cast<uint64_t>(worker->launch->local_bytes);
  return offset < size && bytes <= size - offset;
}

}  // namespace
}  // namespace xe

using namespace xe;

namespace {

// Stops unless the access is inside an array, local memory or one of the lane's own variables.
// Returns whether it is in an array, and hence a message to memory.
bool check_access(uint64_t address, uint64_t bytes, int32_t index) {
  Worker* self = worker;
  const Site& site = self->launch->sites[index];
  const Range* range = self->last_range;
  if (range == nullptr || address - range->begin >= range->bytes || bytes > range->bytes - (address - range->begin)) {
    range = find_range(address, bytes);
    if (range == nullptr) {
      if (in_own_variable(address, bytes) || in_local_memory(address, bytes)) return false;
      out_of_bounds(index, site.kind == kind_store ? "store" : "load", address, bytes);
    }
    self->last_range = range;
  }
  if (site.kind != kind_store || range->writable) return true;
  if (range->argument < 0) fault(index, "store to a global variable of the kernel's, which are read-only here");
  fault(index, "store to argument %d, which is a read-only array", range->argument);
}

void count_touch(int32_t index) {
  Subgroup& subgroup = *worker->subgroup;
  ++subgroup.touches[static_cast<size_t>(index) * worker->launch->lanes + subgroup.running];
}

}  // namespace

// Before a load or store of global or generic memory.
XE_API void xe_touch_global(const void* pointer, int32_t index) {
  if (check_access(reinterpret_cast<uint64_t>(pointer), static_cast<uint64_t>(site_at(index).type), index)) count_touch(index);
}

// Before one element of a masked access.
XE_API void xe_touch_masked(const void* pointer, int32_t mask, int32_t index) {
  if (mask != 0) xe_touch_global(pointer, index);
}

// Before an access whose length only the kernel knows.
XE_API void xe_touch_bytes(const void* pointer, uint64_t bytes, int32_t index) {
  if (bytes == 0 || !check_access(reinterpret_cast<uint64_t>(pointer), bytes, index)) return;
  count_touch(index);
  worker->counters[index].bytes_asked += bytes;
  worker->counters[index].bytes_used += bytes;
}

// Before a message that writes or reads the lane's own memory.
XE_API void xe_check(const void* pointer, uint64_t bytes, int32_t index) {
  check_access(reinterpret_cast<uint64_t>(pointer), bytes, index);
}

// Registers a variable of the running lane that pointers may reach. The latest are released first.
XE_API void xe_private(const void* pointer, uint64_t bytes) {
  Subgroup& subgroup = *worker->subgroup;
  subgroup.variables[subgroup.running].push_back({reinterpret_cast<uint64_t>(pointer), bytes, 1, -1});
}

XE_API uint64_t xe_private_mark() { return worker->subgroup->variables[worker->subgroup->running].size(); }

XE_API void xe_private_release(uint64_t mark) { worker->subgroup->variables[worker->subgroup->running].resize(mark); }

// Before a load or store of local memory; those are not messages to memory and are not counted.
XE_API void xe_touch_local(const void* pointer, int32_t index) {
  const Site& site = site_at(index);
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  if (in_local_memory(address, static_cast<uint64_t>(site.type))) return;
  fault(index, "%s of %d bytes at byte %" PRId64 " of local memory, which has %" PRId64 " bytes",
        site.kind == kind_store ? "store" : "load", site.type,
        static_cast<int64_t>(address - reinterpret_cast<uint64_t>(worker->local)), worker->launch->local_bytes);
}
