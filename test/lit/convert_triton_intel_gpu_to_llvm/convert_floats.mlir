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

  // CHECK-LABEL: @as_llvm_does
  // CHECK: llvm.fptrunc %{{.*}} : f64 to f32
  tt.func @as_llvm_does(%a: f64) -> f32 {
    %0 = tt.fp_to_fp %a : f64 -> f32
    tt.return %0 : f32
  }

  // CHECK-LABEL: @wider
  // CHECK: llvm.fpext %{{.*}} : f16 to f32
  tt.func @wider(%a: f16) -> f32 {
    %0 = tt.fp_to_fp %a : f16 -> f32
    tt.return %0 : f32
  }
}

// -----

module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @of_8_bits(%a: f8E5M2) -> f16 {
    // expected-error @+1 {{'tt.fp_to_fp' from f8E5M2 to f16 is not lowered here}}
    %0 = tt.fp_to_fp %a : f8E5M2 -> f16
    tt.return %0 : f16
  }
}

// -----

module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @of_the_same_size(%a: bf16) -> f16 {
    // expected-error @+1 {{'tt.fp_to_fp' from bf16 to f16 is not lowered here}}
    %0 = tt.fp_to_fp %a : bf16 -> f16
    tt.return %0 : f16
  }
}
