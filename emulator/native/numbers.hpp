// Number formats as they lie in registers, to and from float.
#pragma once

#include <cstdint>
#include <cstring>

namespace xe {

enum NumberType : int32_t {
  type_i8 = 0, type_u8 = 1, type_i16 = 2, type_u16 = 3, type_i32 = 4, type_u32 = 5, type_i64 = 6, type_u64 = 7,
  type_f16 = 8, type_bf16 = 9, type_f32 = 10, type_f64 = 11,
};

inline float bits_to_float(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline uint32_t float_to_bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// IEEE binary16. Shifting the fields into place leaves the exponent 112 too small, which a multiplication repairs for
// normal and subnormal numbers alike; infinities and NaNs get the largest exponent instead. No branch: it vectorises.
inline float half_to_float(uint16_t half) {
  uint32_t magnitude = (half & 0x7fffu) << 13;
  uint32_t sign = (half & 0x8000u) << 16;
  uint32_t finite = float_to_bits(bits_to_float(magnitude) * 0x1p112f);
  uint32_t special = magnitude | 0x7f800000u;
  return bits_to_float(((half & 0x7c00u) == 0x7c00u ? special : finite) | sign);
}

inline float bfloat_to_float(uint16_t bfloat) { return bits_to_float(uint32_t{bfloat} << 16); }

// Round to nearest, ties to even; NaN stays NaN.
inline uint16_t float_to_bfloat(float value) {
  uint32_t bits = float_to_bits(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>(bits >> 16 | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

uint16_t float_to_half(float value);

// 10 bits of mantissa are kept, round to nearest even; the format keeps the width of a float.
inline float round_to_tf32(float value) {
  uint32_t bits = float_to_bits(value);
  if ((bits & 0x7f800000u) == 0x7f800000u) return value;
  return bits_to_float((bits + 0xfffu + (bits >> 13 & 1)) & ~0x1fffu);
}

// The matrix unit reads only the upper 19 bits of a tf32 operand.
inline float truncate_to_tf32(float value) { return bits_to_float(float_to_bits(value) & ~0x1fffu); }

float e4m3_to_float(uint8_t bits);
inline float e5m2_to_float(uint8_t bits) { return half_to_float(static_cast<uint16_t>(bits << 8)); }

}  // namespace xe
