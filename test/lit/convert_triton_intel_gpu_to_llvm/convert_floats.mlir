// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm --split-input-file --verify-diagnostics | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [16], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32} {
  // COM: The op's rounding mode is passed on to LLVM.
  // CHECK-LABEL: @toward_zero
  // CHECK-COUNT-2: llvm.intr.experimental.constrained.fptrunc %{{.*}} towardzero ignore : f32 to f16
  tt.func @toward_zero(%a: tensor<32xf32, #blocked>) -> tensor<32xf16, #blocked> {
    %0 = tt.fp_to_fp %a, rounding = rtz : tensor<32xf32, #blocked> -> tensor<32xf16, #blocked>
    tt.return %0 : tensor<32xf16, #blocked>
  }

  // CHECK-LABEL: @to_nearest
  // CHECK: llvm.intr.experimental.constrained.fptrunc %{{.*}} tonearest ignore : f32 to bf16
  tt.func @to_nearest(%a: f32) -> bf16 {
    %0 = tt.fp_to_fp %a, rounding = rtne : f32 -> bf16
    tt.return %0 : bf16
  }

  // CHECK-LABEL: @from_f64
  // CHECK: llvm.intr.experimental.constrained.fptrunc %{{.*}} tonearest {{.*}} : f64 to f32
  tt.func @from_f64(%a: f64) -> f32 {
    %0 = tt.fp_to_fp %a, rounding = rtne : f64 -> f32
    tt.return %0 : f32
  }

  // CHECK-LABEL: @wider
  // CHECK: llvm.fpext %{{.*}} : f16 to f32
  tt.func @wider(%a: f16) -> f32 {
    %0 = tt.fp_to_fp %a : f16 -> f32
    tt.return %0 : f32
  }

  // COM: f32 holds the numbers of both, so that only one step rounds.
  // CHECK-LABEL: @of_the_same_size
  // CHECK: %[[WIDE:.*]] = llvm.fpext %{{.*}} : bf16 to f32
  // CHECK: llvm.fptrunc %[[WIDE]] : f32 to f16
  tt.func @of_the_same_size(%a: bf16) -> f16 {
    %0 = tt.fp_to_fp %a : bf16 -> f16
    tt.return %0 : f16
  }

  // COM: The upper byte of f16.
  // CHECK-LABEL: @of_8_bits
  // CHECK: %[[WORD:.*]] = llvm.zext %{{.*}} : i8 to i16
  // CHECK: %[[EIGHT:.*]] = llvm.mlir.constant(8 : i16) : i16
  // CHECK: %[[BITS:.*]] = llvm.shl %[[WORD]], %[[EIGHT]]
  // CHECK: llvm.bitcast %[[BITS]] : i16 to f16
  // CHECK-NEXT: llvm.return
  tt.func @of_8_bits(%a: f8E5M2) -> f16 {
    %0 = tt.fp_to_fp %a : f8E5M2 -> f16
    tt.return %0 : f16
  }

  // COM: 2^8 times the number with the same bits of exponent and fraction, unless the byte is NaN; then the sign.
  // CHECK-LABEL: @of_8_bits_e4m3
  // CHECK: llvm.and
  // CHECK: %[[SCALE:.*]] = llvm.mlir.constant(2.560000e+02 : f16) : f16
  // CHECK: llvm.fmul %{{.*}}, %[[SCALE]] : f16
  // CHECK: llvm.select
  // CHECK: llvm.or
  // CHECK: %[[HALF:.*]] = llvm.bitcast %{{.*}} : i16 to f16
  // CHECK: %[[WIDE:.*]] = llvm.fpext %[[HALF]] : f16 to f32
  // CHECK: llvm.fptrunc %[[WIDE]] : f32 to bf16
  tt.func @of_8_bits_e4m3(%a: f8E4M3FN) -> bf16 {
    %0 = tt.fp_to_fp %a : f8E4M3FN -> bf16
    tt.return %0 : bf16
  }
}

// -----

module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @to_8_bits(%a: f16) -> f8E5M2 {
    // expected-error @+1 {{'tt.fp_to_fp' from f16 to f8E5M2 is not lowered here}}
    %0 = tt.fp_to_fp %a, rounding = rtne : f16 -> f8E5M2
    tt.return %0 : f8E5M2
  }
}
