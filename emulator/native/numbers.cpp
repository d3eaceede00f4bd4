#include "numbers.hpp"

#include <cmath>

#include "abi.hpp"

namespace xe {

uint16_t float_to_half(float value) {
  uint32_t bits = float_to_bits(value);
  uint32_t sign = bits >> 16 & 0x8000u;
  uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u | (magnitude >> 13 & 0x1ffu));
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // 65520 and up round to infinity
  if (magnitude < 0x38800000u) {  // below 2^-14: a subnormal, in units of 2^-24; nearbyint rounds ties to even
    auto units = static_cast<uint32_t>(std::nearbyint(bits_to_float(magnitude) * 0x1p24f));
    return static_cast<uint16_t>(sign | units);
  }
  uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1);
  return static_cast<uint16_t>(sign | (rounded - (112u << 23)) >> 13);
}

// 1 sign, 4 exponent (bias 7), 3 mantissa bits; no infinity, and only S.1111.111 is NaN (OCP 8-bit formats).
float e4m3_to_float(uint8_t bits) {
  int exponent = bits >> 3 & 15;
  int mantissa = bits & 7;
  float sign = bits & 0x80 ? -1.0f : 1.0f;
  if (exponent == 15 && mantissa == 7) return std::nanf("");
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -9);
  return sign * std::ldexp(static_cast<float>(8 + mantissa), exponent - 10);
}

namespace {

#if defined(__x86_64__)
// The compiler's helper for a half that the host cannot convert takes and returns it in the low bits of xmm0.
uint16_t low_half(float carrier) { return static_cast<uint16_t>(float_to_bits(carrier)); }
float carry(uint16_t half) { return bits_to_float(half); }
#endif

}  // namespace
}  // namespace xe

#if defined(__x86_64__)
XE_API float xe_extendhfsf2(float half) { return xe::half_to_float(xe::low_half(half)); }
XE_API float xe_truncsfhf2(float value) { return xe::carry(xe::float_to_half(value)); }
XE_API float xe_truncdfhf2(double value) { return xe::carry(xe::float_to_half(static_cast<float>(value))); }
XE_API float xe_truncsfbf2(float value) { return xe::carry(xe::float_to_bfloat(value)); }
XE_API float xe_truncdfbf2(double value) { return xe::carry(xe::float_to_bfloat(static_cast<float>(value))); }
#endif

XE_API uint16_t xe_float_to_bfloat(float value) { return xe::float_to_bfloat(value); }
XE_API float xe_bfloat_to_float(uint16_t bits) { return xe::bfloat_to_float(bits); }
XE_API float xe_round_to_tf32(float value) { return xe::round_to_tf32(value); }
XE_API float xe_half_to_float(uint16_t bits) { return xe::half_to_float(bits); }
XE_API uint16_t xe_float_to_half(float value) { return xe::float_to_half(value); }
