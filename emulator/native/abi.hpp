// Structures shared by Python and the native library: emulator/library.py restates them field by field.
#pragma once

#include <cstdint>

#define XE_API extern "C" __attribute__((visibility("default")))

namespace xe {

constexpr int max_lanes = 32;
constexpr int slot_bytes = 64;  // one operand of a collective builtin, as its wrapper in the JIT lays it out

// What happens at a site: a call of a builtin, or one of the kernel's own loads and stores.
enum Kind : int32_t {
  kind_block_read = 0,
  kind_block_write = 1,
  kind_block_prefetch = 2,
  kind_dpas = 3,
  kind_shuffle = 4,
  kind_reduce = 5,
  kind_vote = 6,
  kind_barrier = 7,
  kind_row_read = 8,   // 1D sub-group block read
  kind_row_write = 9,  // 1D sub-group block write
  kind_load = 10,
  kind_store = 11,
};

struct Site {
  int32_t kind;
  int32_t operation;      // block read: BlockForm; shuffle, reduce, vote, barrier: their enums; dpas: Precision of A
  int32_t element_bytes;  // of memory (blocks, rows), of the value (shuffle, reduce)
  int32_t rows;           // block height; dpas: M
  int32_t columns;        // block width in elements; rows: elements per lane; dpas: lane vector length of A
  int32_t blocks;         // blocks side by side; reduce: GroupOperation; dpas: lane vector length of C
  int32_t result_bytes;   // of one element of the lane's vector; dpas: Precision of C and D
  int32_t type;           // reduce: NumberType; dpas: Precision of B; load, store: bytes a lane
};

struct Counter {
  uint64_t messages;     // times a subgroup executed the site
  uint64_t bytes_asked;  // payload of those messages
  uint64_t bytes_used;   // the part of it inside the surface or the array
};

struct Range {
  uint64_t begin;
  uint64_t bytes;
  int32_t writable;
  int32_t argument;  // index of the kernel argument; -1: a constant of the module
};

struct Launch {
  void (*entry)(const void* arguments);
  const void* arguments;
  int32_t grid[3];
  int32_t subgroups;  // per work-group
  int32_t lanes;      // per subgroup
  int32_t threads;
  const Site* sites;
  Counter* counters;
  int64_t site_count;
  const Range* ranges;
  int64_t range_count;
  int64_t local_bytes;
  int64_t stack_bytes;
  // Read and written while the launch runs.
  uint64_t groups_done;
  int32_t stop;  // nonzero: every lane stops at its next loop or collective builtin
  int32_t failed;
  uint64_t lane_instructions;
  int32_t error_site;  // -1: not at a site
  char error[1012];
};

}  // namespace xe
