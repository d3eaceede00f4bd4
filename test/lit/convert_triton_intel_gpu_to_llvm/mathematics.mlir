// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [16], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32} {
  // COM: Functions that the device has an instruction for become intrinsics, one for each of a lane's registers.
  // CHECK-LABEL: @intrinsics
  // CHECK-COUNT-2: llvm.intr.exp2(%{{.*}}) : (f16) -> f16
  // CHECK-COUNT-2: llvm.intr.fma(%{{.*}}, %{{.*}}, %{{.*}}) : (f16, f16, f16) -> f16
  // CHECK-COUNT-2: llvm.intr.fabs(
  // CHECK-COUNT-2: llvm.intr.maximum(
  tt.func @intrinsics(%x: tensor<32xf16, #blocked>) -> tensor<32xf16, #blocked> {
    %0 = math.exp2 %x : tensor<32xf16, #blocked>
    %1 = math.fma %0, %x, %x : tensor<32xf16, #blocked>
    %2 = math.absf %1 : tensor<32xf16, #blocked>
    %3 = arith.maximumf %2, %x : tensor<32xf16, #blocked>
    tt.return %3 : tensor<32xf16, #blocked>
  }

  // CHECK-LABEL: @of_integers
  // CHECK: llvm.intr.smin(%arg0, %arg1) : (i32, i32) -> i32
  // CHECK: "llvm.intr.abs"(%{{.*}}) <{is_int_min_poison = false}> : (i32) -> i32
  // CHECK: "llvm.intr.ctlz"(%{{.*}}) <{is_zero_poison = false}> : (i32) -> i32
  // CHECK: llvm.call spir_funccc @__imf_umulhi(%{{.*}}, %arg1) : (i32, i32) -> i32
  tt.func @of_integers(%a: i32, %b: i32) -> i32 {
    %0 = arith.minsi %a, %b : i32
    %1 = math.absi %0 : i32
    %2 = math.ctlz %1 : i32
    %3 = tt.mulhiui %2, %b : i32
    tt.return %3 : i32
  }

  // COM: exp(x) is computed as exp2(x * log2(e)).
  // CHECK-LABEL: @exponential
  // CHECK: %[[LOG2E:.*]] = llvm.mlir.constant(1.44269502 : f32) : f32
  // CHECK: %[[SCALED:.*]] = llvm.fmul %arg0, %[[LOG2E]] : f32
  // CHECK: llvm.intr.exp2(%[[SCALED]]) : (f32) -> f32
  tt.func @exponential(%x: f32) -> f32 {
    %0 = math.exp %x : f32
    tt.return %0 : f32
  }

  // CHECK-LABEL: @opencl
  // CHECK: %[[SINE:.*]] = llvm.call spir_funccc @_Z15__spirv_ocl_sinf(%arg0) : (f32) -> f32
  // CHECK: llvm.call spir_funccc @_Z15__spirv_ocl_logf(%[[SINE]]) : (f32) -> f32
  tt.func @opencl(%x: f32) -> f32 {
    %0 = math.sin %x : f32
    %1 = math.log %0 : f32
    tt.return %1 : f32
  }

  // COM: The builtins do not take 16-bit floats.
  // CHECK-LABEL: @through_f32
  // CHECK: %[[WIDE:.*]] = llvm.fpext %arg0 : bf16 to f32
  // CHECK: %[[ERF:.*]] = llvm.call spir_funccc @__imf_erff(%[[WIDE]]) : (f32) -> f32
  // CHECK: llvm.fptrunc %[[ERF]] : f32 to bf16
  tt.func @through_f32(%x: bf16) -> bf16 {
    %0 = math.erf %x : bf16
    tt.return %0 : bf16
  }

  // CHECK-LABEL: @of_64_bits
  // CHECK: %[[POWER:.*]] = llvm.call spir_funccc @__imf_pow(%arg0, %arg0) : (f64, f64) -> f64
  // CHECK: llvm.call spir_funccc @__imf_dsqrt_rn(%[[POWER]]) : (f64) -> f64
  tt.func @of_64_bits(%x: f64) -> f64 {
    %0 = math.powf %x, %x : f64
    %1 = tt.precise_sqrt %0 : f64
    tt.return %1 : f64
  }

  // CHECK-LABEL: @clamped
  // CHECK: %[[NAN:.*]] = llvm.fcmp "une" %arg0, %arg0 : f32
  // CHECK: llvm.select %[[NAN]], %arg0, %{{.*}} : i1, f32
  tt.func @clamped(%x: f32, %low: f32, %high: f32) -> f32 {
    %0 = tt.clampf %x, %low, %high, propagateNan = all : f32
    tt.return %0 : f32
  }

  // CHECK-LABEL: @of_a_library
  // CHECK: llvm.call spir_funccc @__imf_fmaf_rz(%arg0, %arg0, %arg0) : (f32, f32, f32) -> f32
  tt.func @of_a_library(%x: f32) -> f32 {
    %0 = tt.extern_elementwise %x, %x, %x {libname = "", libpath = "", pure = true, symbol = "__imf_fmaf_rz"} : (f32, f32, f32) -> f32
    tt.return %0 : f32
  }

  // CHECK-LABEL: @negated
  // CHECK: llvm.fneg %arg0 : f32
  tt.func @negated(%x: f32) -> f32 {
    %0 = arith.negf %x : f32
    tt.return %0 : f32
  }

  // COM: Without propagateNan = all, a NaN is what minnum and maxnum make of it.
  // CHECK-LABEL: @clamped_numbers
  // CHECK: %[[LEAST:.*]] = llvm.intr.maxnum(%arg0, %arg1)
  // CHECK: %[[MOST:.*]] = llvm.intr.minnum(%[[LEAST]], %arg2)
  // CHECK-NEXT: llvm.return %[[MOST]]
  tt.func @clamped_numbers(%x: f32, %low: f32, %high: f32) -> f32 {
    %0 = tt.clampf %x, %low, %high, propagateNan = none : f32
    tt.return %0 : f32
  }
}
