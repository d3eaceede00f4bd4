// The kernel's own loads and stores: every one is checked against the arrays, and counted.

#include <cinttypes>

#include "machine.hpp"

namespace xe {

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
  if (nearest == nullptr)
    fault(site, "%s of %" PRIu64 " bytes at address 0x%" PRIx64 ": the kernel was given no array", what, bytes, address);
  fault(site,
        "%s of %" PRIu64 " bytes at address 0x%" PRIx64 " is outside every array: byte %" PRId64
        " of argument %d, which has %" PRIu64 " bytes",
        what, bytes, address, static_cast<int64_t>(address - nearest->begin), nearest->argument, nearest->bytes);
}

namespace {

bool on_own_stack(uint64_t address) {
  const Subgroup& subgroup = *worker->subgroup;
  return address >= reinterpret_cast<uint64_t>(subgroup.stacks.bottom(subgroup.running)) &&
         address < reinterpret_cast<uint64_t>(subgroup.stacks.top(subgroup.running));
}

bool in_local_memory(uint64_t address, uint64_t bytes) {
  uint64_t offset = address - reinterpret_cast<uint64_t>(worker->local);
  uint64_t size = static_cast<uint64_t>(worker->launch->local_bytes);
  return offset < size && bytes <= size - offset;
}

}  // namespace
}  // namespace xe

using namespace xe;

// Before a load or store of global or generic memory.
XE_API void xe_touch_global(const void* pointer, int32_t index) {
  Worker* self = worker;
  const Site& site = self->launch->sites[index];
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  uint64_t bytes = static_cast<uint64_t>(site.type);
  const Range* range = self->last_range;
  if (range == nullptr || address - range->begin >= range->bytes || bytes > range->bytes - (address - range->begin)) {
    range = find_range(address, bytes);
    if (range == nullptr) {
      if (on_own_stack(address) || in_local_memory(address, bytes)) return;
      out_of_bounds(index, site.kind == kind_store ? "store" : "load", address, bytes);
    }
    self->last_range = range;
  }
  if (site.kind == kind_store && !range->writable)
    fault(index, "store to argument %d, which is a read-only array", range->argument);
  Subgroup& subgroup = *self->subgroup;
  ++subgroup.touches[static_cast<size_t>(index) * self->launch->lanes + subgroup.running];
}

// Before a load or store of local memory; those are no messages to memory and are not counted.
XE_API void xe_touch_local(const void* pointer, int32_t index) {
  const Site& site = site_at(index);
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  if (in_local_memory(address, static_cast<uint64_t>(site.type))) return;
  fault(index, "%s of %d bytes at byte %" PRId64 " of local memory, which has %" PRId64 " bytes",
        site.kind == kind_store ? "store" : "load", site.type,
        static_cast<int64_t>(address - reinterpret_cast<uint64_t>(worker->local)), worker->launch->local_bytes);
}
