// D = C + A * B on the matrix unit (vISA DPAS; cl_intel_subgroup_matrix_multiply_accumulate and its tf32 sibling).
// Read as whole registers the operands are plain: element i of lane l lies at i * lanes + l, and in that order A is
// row-major M x K, B is rows of packed K (low bits first) times 16 columns, C and D are row-major M x 16.

#include <cstring>

#include "machine.hpp"
#include "numbers.hpp"

#if defined(__x86_64__) && defined(__gnu_linux__)
#define XE_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define XE_CLONES
#endif

namespace xe {
namespace {

enum Precision : int32_t {
  precision_u8 = 0, precision_s8 = 1, precision_f16 = 2, precision_bf16 = 3, precision_tf32 = 4, precision_e4m3 = 5,
  precision_e5m2 = 6, precision_f32 = 7, precision_s32 = 8,
};

constexpr int columns = 16;       // N, the execution size
constexpr int systolic_depth = 8;
constexpr int max_rows = 8;
constexpr int max_depth = 32;     // K of 8-bit operands

int bytes_of(int precision) {
  switch (precision) {
    case precision_f16:
    case precision_bf16: return 2;
    case precision_tf32:
    case precision_f32:
    case precision_s32: return 4;
    default: return 1;
  }
}

// Element i of every lane, for all i: the registers as the matrix unit reads them.
template <typename T>
void gather(const Subgroup& subgroup, int operand_index, int count, std::byte* out_bytes) {
  auto* out = reinterpret_cast<T*>(out_bytes);
  int lanes = worker->launch->lanes;
  for (int lane = 0; lane < lanes; ++lane) {
    const std::byte* in = subgroup.calls[lane].operands + operand_index * slot_bytes;
    for (int element = 0; element < count; ++element) std::memcpy(out + element * lanes + lane, in + element * sizeof(T), sizeof(T));
  }
}

template <typename T>
void scatter(const Subgroup& subgroup, int count, const std::byte* in_bytes) {
  auto* in = reinterpret_cast<const T*>(in_bytes);
  int lanes = worker->launch->lanes;
  for (int lane = 0; lane < lanes; ++lane)
    for (int element = 0; element < count; ++element)
      std::memcpy(subgroup.calls[lane].result + element * sizeof(T), in + element * lanes + lane, sizeof(T));
}

float to_float(int precision, const std::byte* bytes, int index) {
  uint16_t half;
  float single;
  switch (precision) {
    case precision_f16: std::memcpy(&half, bytes + index * 2, 2); return half_to_float(half);
    case precision_bf16: std::memcpy(&half, bytes + index * 2, 2); return bfloat_to_float(half);
    case precision_tf32: std::memcpy(&single, bytes + index * 4, 4); return truncate_to_tf32(single);
    case precision_f32: std::memcpy(&single, bytes + index * 4, 4); return single;
    case precision_e4m3: return e4m3_to_float(static_cast<uint8_t>(bytes[index]));
    default: return e5m2_to_float(static_cast<uint8_t>(bytes[index]));
  }
}

int32_t to_int(int precision, const std::byte* bytes, int index) {
  auto byte = static_cast<uint8_t>(bytes[index]);
  return precision == precision_s8 ? static_cast<int8_t>(byte) : byte;
}

// Accumulates in place. Integers wrap: they are kept unsigned here, where that is defined.
template <typename T>
inline void accumulate(int rows, int depth, const T (*a)[max_depth], const T (*b)[columns], T (*c)[columns]) {
  for (int m = 0; m < rows; ++m) {
    T row[columns];
    for (int n = 0; n < columns; ++n) row[n] = c[m][n];
    for (int k = 0; k < depth; ++k)
      for (int n = 0; n < columns; ++n) row[n] += a[m][k] * b[k][n];
    for (int n = 0; n < columns; ++n) c[m][n] = row[n];
  }
}

XE_CLONES void accumulate_floats(int rows, int depth, const float (*a)[max_depth], const float (*b)[columns], float (*c)[columns]) {
  accumulate<float>(rows, depth, a, b, c);
}

XE_CLONES void accumulate_ints(int rows, int depth, const uint32_t (*a)[max_depth], const uint32_t (*b)[columns], uint32_t (*c)[columns]) {
  accumulate<uint32_t>(rows, depth, a, b, c);
}

XE_CLONES void halves_to_floats(const uint16_t* in, float* out, int count) {
  for (int index = 0; index < count; ++index) out[index] = half_to_float(in[index]);
}

struct Operands {
  alignas(64) std::byte a[max_rows * max_depth];
  alignas(64) std::byte b[systolic_depth * columns * 4];
  alignas(64) std::byte c[max_rows * columns * 4];
};

// Index of B[k][n] among the elements of B's registers: `packed` of them share 32 bits.
int b_index(int k, int n, int packed) { return (k / packed * columns + n) * packed + k % packed; }

void multiply_floats(const Site& site, int rows, Operands& io) {
  int packed = 4 / bytes_of(site.type);
  int depth = systolic_depth * packed;
  float a[max_rows][max_depth], b[max_depth][columns], c[max_rows][columns];
  if (site.operation == precision_f16 && site.type == precision_f16) {
    float wide[max_depth * columns];
    halves_to_floats(reinterpret_cast<const uint16_t*>(io.a), wide, rows * depth);
    for (int m = 0; m < rows; ++m) std::memcpy(a[m], wide + m * depth, depth * sizeof(float));
    halves_to_floats(reinterpret_cast<const uint16_t*>(io.b), wide, depth * columns);
    for (int k = 0; k < depth; k += 2)
      for (int n = 0; n < columns; ++n) {
        b[k][n] = wide[k * columns + 2 * n];
        b[k + 1][n] = wide[k * columns + 2 * n + 1];
      }
  } else {
    for (int m = 0; m < rows; ++m)
      for (int k = 0; k < depth; ++k) a[m][k] = to_float(site.operation, io.a, m * depth + k);
    for (int k = 0; k < depth; ++k)
      for (int n = 0; n < columns; ++n) b[k][n] = to_float(site.type, io.b, b_index(k, n, packed));
  }
  for (int m = 0; m < rows; ++m)
    for (int n = 0; n < columns; ++n) c[m][n] = to_float(site.result_bytes, io.c, m * columns + n);
  accumulate_floats(rows, depth, a, b, c);
  for (int m = 0; m < rows; ++m)
    for (int n = 0; n < columns; ++n) {
      int index = m * columns + n;
      if (site.result_bytes == precision_f32) {
        std::memcpy(io.c + index * 4, &c[m][n], 4);
        continue;
      }
      uint16_t half = site.result_bytes == precision_f16 ? float_to_half(c[m][n]) : float_to_bfloat(c[m][n]);
      std::memcpy(io.c + index * 2, &half, 2);
    }
}

void multiply_ints(const Site& site, int rows, Operands& io) {
  constexpr int packed = 4;
  constexpr int depth = systolic_depth * packed;
  uint32_t a[max_rows][max_depth], b[max_depth][columns], c[max_rows][columns];
  for (int m = 0; m < rows; ++m)
    for (int k = 0; k < depth; ++k) a[m][k] = static_cast<uint32_t>(to_int(site.operation, io.a, m * depth + k));
  for (int k = 0; k < depth; ++k)
    for (int n = 0; n < columns; ++n) b[k][n] = static_cast<uint32_t>(to_int(site.type, io.b, b_index(k, n, packed)));
  std::memcpy(c, io.c, rows * sizeof c[0]);
  accumulate_ints(rows, depth, a, b, c);
  std::memcpy(io.c, c, rows * sizeof c[0]);
}

// Lanes past the end of a short register hold nothing: with M = 1, tf32 A fills lanes 0 to 7 only.
int per_lane(int total_bytes, int element_bytes) {
  int per_register = worker->launch->lanes * element_bytes;
  return (total_bytes + per_register - 1) / per_register;
}

}  // namespace

void multiply_accumulate(const Subgroup& subgroup, const Site& site) {
  int rows = site.rows;
  int depth_bytes = systolic_depth * 4;
  int a_bytes = rows * depth_bytes;
  int c_element = bytes_of(site.result_bytes);
  Operands io{};
  if (site.operation == precision_tf32)
    gather<uint32_t>(subgroup, 0, per_lane(a_bytes, 4), io.a);
  else
    gather<uint16_t>(subgroup, 0, per_lane(a_bytes, 2), io.a);
  gather<uint32_t>(subgroup, 1, per_lane(systolic_depth * columns * 4, 4), io.b);
  int c_count = per_lane(rows * columns * c_element, c_element);
  c_element == 4 ? gather<uint32_t>(subgroup, 2, c_count, io.c) : gather<uint16_t>(subgroup, 2, c_count, io.c);
  site.result_bytes == precision_s32 ? multiply_ints(site, rows, io) : multiply_floats(site, rows, io);
  c_element == 4 ? scatter<uint32_t>(subgroup, c_count, io.c) : scatter<uint16_t>(subgroup, c_count, io.c);
}

}  // namespace xe
