// Subgroup functions: shuffles, reductions and scans, votes, and 1D block reads and writes.

#include <cinttypes>
#include <cmath>
#include <cstring>

#include "machine.hpp"
#include "numbers.hpp"

namespace xe {
namespace {

enum ShuffleOperation : int32_t { shuffle_indexed = 0, shuffle_up = 1, shuffle_down = 2, shuffle_xor = 3 };
enum ReduceOperation : int32_t { reduce_add = 0, reduce_multiply = 1, reduce_min = 2, reduce_max = 3, reduce_and = 4, reduce_or = 5, reduce_xor = 6 };
enum GroupOperation : int32_t { group_reduce = 0, group_inclusive_scan = 1, group_exclusive_scan = 2, group_clustered = 3 };
enum VoteOperation : int32_t { vote_all = 0, vote_any = 1, vote_ballot = 2, vote_elect = 3 };

// Lane that `lane` reads from; one outside the subgroup leaves the result undefined, and this machine returns the
// lane's own value then.
int source_lane(int operation, int lane, int32_t argument, int lanes) {
  int64_t source = argument;
  if (operation == shuffle_up) source = int64_t{lane} - argument;
  if (operation == shuffle_down) source = int64_t{lane} + argument;
  if (operation == shuffle_xor) source = int64_t{lane} ^ argument;
  return source < 0 || source >= lanes ? lane : static_cast<int>(source);
}

template <typename T>
T combine_numbers(int operation, T left, T right) {
  switch (operation) {
    case reduce_add: return left + right;
    case reduce_multiply: return left * right;
    case reduce_min: return right < left ? right : left;
    default: return left < right ? right : left;
  }
}

template <typename T>
struct Integer {
  using Value = T;
  static T identity(int operation) {
    constexpr bool is_signed = T(-1) < T(0);
    constexpr T all_ones = T(~T(0));
    constexpr T lowest = is_signed ? T(T(1) << (sizeof(T) * 8 - 1)) : T(0);
    switch (operation) {
      case reduce_multiply: return 1;
      case reduce_min: return T(~lowest);
      case reduce_max: return lowest;
      case reduce_and: return all_ones;
      default: return 0;
    }
  }
  static T combine(int operation, T left, T right) {
    using Wide = uint64_t;  // wraps, where signed overflow would be undefined
    switch (operation) {
      case reduce_add: return static_cast<T>(Wide(left) + Wide(right));
      case reduce_multiply: return static_cast<T>(Wide(left) * Wide(right));
      case reduce_and: return left & right;
      case reduce_or: return left | right;
      case reduce_xor: return left ^ right;
      default: return combine_numbers<T>(operation, left, right);
    }
  }
};

template <typename T>
struct Floating {
  using Value = T;
  static T identity(int operation) {
    if (operation == reduce_min) return static_cast<T>(INFINITY);
    if (operation == reduce_max) return static_cast<T>(-INFINITY);
    return operation == reduce_multiply ? 1 : 0;
  }
  static T combine(int operation, T left, T right) {
    if (operation == reduce_min) return std::fmin(left, right);
    if (operation == reduce_max) return std::fmax(left, right);
    return combine_numbers<T>(operation, left, right);
  }
};

struct Raw16 {
  uint16_t bits;
};

// 16-bit floats: each step is rounded to the format.
template <float (*widen)(uint16_t), uint16_t (*narrow)(float)>
struct Short {
  using Value = Raw16;
  static Raw16 identity(int operation) { return {narrow(Floating<float>::identity(operation))}; }
  static Raw16 combine(int operation, Raw16 left, Raw16 right) {
    return {narrow(Floating<float>::combine(operation, widen(left.bits), widen(right.bits)))};
  }
};

template <typename Number>
void reduce_as(const Subgroup& subgroup, const Site& site) {
  using T = typename Number::Value;
  int lanes = worker->launch->lanes;
  int cluster = lanes;
  if (site.blocks == group_clustered) {
    cluster = uniform<int32_t>(subgroup, 1, "cluster size");
    if (cluster < 1 || cluster > lanes || (cluster & (cluster - 1)) != 0)
      fault(subgroup.calls[0].site, "the cluster size must be a power of two up to the %d lanes of a subgroup, got %d", lanes, cluster);
  }
  for (int first = 0; first < lanes; first += cluster) {
    T total = Number::identity(site.operation);
    for (int lane = first; lane < first + cluster; ++lane) {
      const Call& call = subgroup.calls[lane];
      T before = total;
      // The first value is not added to zero, which would lose the sign of minus zero.
      T value = operand<T>(call, 0);
      total = lane == first ? value : Number::combine(site.operation, total, value);
      if (site.blocks == group_inclusive_scan) std::memcpy(call.result, &total, sizeof(T));
      if (site.blocks == group_exclusive_scan) std::memcpy(call.result, &before, sizeof(T));
    }
    if (site.blocks == group_reduce || site.blocks == group_clustered)
      for (int lane = first; lane < first + cluster; ++lane) std::memcpy(subgroup.calls[lane].result, &total, sizeof(T));
  }
}

// The bytes of a 1D block access, all in one array or in local memory.
std::byte* row_memory(const Subgroup& subgroup, const Site& site, bool writes) {
  int32_t index = subgroup.calls[0].site;
  auto address = uniform<uint64_t>(subgroup, 0, "address");
  auto bytes = static_cast<uint64_t>(worker->launch->lanes) * site.columns * site.element_bytes;
  uint64_t local_offset = address - reinterpret_cast<uint64_t>(worker->local);
  auto local_bytes = static_cast<uint64_t>(worker->launch->local_bytes);
  // cl_intel_subgroups: reads are aligned to 4 bytes, writes to 16.
  uint64_t alignment = writes ? 16 : 4;
  if (address % alignment != 0)
    fault(index, "a subgroup block %s needs an address that is a multiple of %" PRIu64 " bytes, got 0x%" PRIx64,
          writes ? "write" : "read", alignment, address);
  if (local_offset < local_bytes && bytes <= local_bytes - local_offset) return reinterpret_cast<std::byte*>(address);
  const Range* range = find_range(address, bytes);
  if (range == nullptr) out_of_bounds(index, writes ? "block write" : "block read", address, bytes);
  if (writes && !range->writable) fault(index, "block write to argument %d, which is a read-only array", range->argument);
  return reinterpret_cast<std::byte*>(address);
}

uint64_t row_bytes(const Site& site) { return static_cast<uint64_t>(worker->launch->lanes) * site.columns * site.element_bytes; }

}  // namespace

void shuffle(const Subgroup& subgroup, const Site& site) {
  int lanes = worker->launch->lanes;
  for (int lane = 0; lane < lanes; ++lane) {
    const Call& call = subgroup.calls[lane];
    int source = source_lane(site.operation, lane, operand<int32_t>(call, 1), lanes);
    std::memcpy(call.result, subgroup.calls[source].operands, site.element_bytes);
  }
}

void reduce(const Subgroup& subgroup, const Site& site) {
  switch (site.type) {
    case type_i8: return reduce_as<Integer<int8_t>>(subgroup, site);
    case type_u8: return reduce_as<Integer<uint8_t>>(subgroup, site);
    case type_i16: return reduce_as<Integer<int16_t>>(subgroup, site);
    case type_u16: return reduce_as<Integer<uint16_t>>(subgroup, site);
    case type_i32: return reduce_as<Integer<int32_t>>(subgroup, site);
    case type_u32: return reduce_as<Integer<uint32_t>>(subgroup, site);
    case type_i64: return reduce_as<Integer<int64_t>>(subgroup, site);
    case type_u64: return reduce_as<Integer<uint64_t>>(subgroup, site);
    case type_f16: return reduce_as<Short<half_to_float, float_to_half>>(subgroup, site);
    case type_bf16: return reduce_as<Short<bfloat_to_float, float_to_bfloat>>(subgroup, site);
    case type_f32: return reduce_as<Floating<float>>(subgroup, site);
    default: return reduce_as<Floating<double>>(subgroup, site);
  }
}

void vote(const Subgroup& subgroup, const Site& site) {
  int lanes = worker->launch->lanes;
  uint32_t ballot[4] = {0, 0, 0, 0};
  uint32_t full = lanes == 32 ? ~0u : (1u << lanes) - 1;
  if (site.operation != vote_elect)
    for (int lane = 0; lane < lanes; ++lane) ballot[0] |= (operand<uint8_t>(subgroup.calls[lane], 0) & 1u) << lane;
  for (int lane = 0; lane < lanes; ++lane) {
    std::byte* result = subgroup.calls[lane].result;
    uint8_t answer = site.operation == vote_all ? ballot[0] == full : site.operation == vote_any ? ballot[0] != 0 : lane == 0;
    if (site.operation == vote_ballot)
      std::memcpy(result, ballot, sizeof ballot);
    else
      std::memcpy(result, &answer, 1);
  }
}

void row_read(const Subgroup& subgroup, const Site& site, Counter& counter) {
  const std::byte* memory = row_memory(subgroup, site, false);
  int lanes = worker->launch->lanes;
  int size = site.element_bytes;
  for (int lane = 0; lane < lanes; ++lane)
    for (int element = 0; element < site.columns; ++element)
      std::memcpy(subgroup.calls[lane].result + element * size, memory + (element * lanes + lane) * size, size);
  counter.bytes_asked += row_bytes(site);
  counter.bytes_used += row_bytes(site);
}

void row_write(const Subgroup& subgroup, const Site& site, Counter& counter) {
  std::byte* memory = row_memory(subgroup, site, true);
  int lanes = worker->launch->lanes;
  int size = site.element_bytes;
  for (int lane = 0; lane < lanes; ++lane)
    for (int element = 0; element < site.columns; ++element)
      std::memcpy(memory + (element * lanes + lane) * size, subgroup.calls[lane].operands + slot_bytes + element * size, size);
  counter.bytes_asked += row_bytes(site);
  counter.bytes_used += row_bytes(site);
}

}  // namespace xe
