// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm | FileCheck %s

#a = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [16], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32} {
  // COM: A tensor that a branch yields is the struct of a lane's registers. If one side unpacks a struct from outside,
  // COM: the other side unpacks it for itself.
  // CHECK-LABEL: llvm.func spir_kernelcc @either
  // CHECK: %[[SUM:.*]] = scf.if %{{.*}} -> (!llvm.struct<(f32, f32)>) {
  // CHECK: llvm.extractvalue
  // CHECK: llvm.fadd
  // CHECK: %[[ONE:.*]] = llvm.insertvalue
  // CHECK: scf.yield %{{.*}} : !llvm.struct<(f32, f32)>
  // CHECK: } else {
  // CHECK: llvm.extractvalue
  // CHECK: llvm.fmul
  // CHECK: scf.yield %{{.*}} : !llvm.struct<(f32, f32)>
  // CHECK: llvm.extractvalue %[[SUM]]
  // CHECK: llvm.store
  tt.func public @either(%c: i1, %n: i32, %out: !tt.ptr<f32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<32xf32, #a>
    %x = scf.for %i = %c0 to %n step %c1 iter_args(%v = %zero) -> (tensor<32xf32, #a>) : i32 {
      scf.yield %v : tensor<32xf32, #a>
    }
    %r = scf.if %c -> (tensor<32xf32, #a>) {
      %y = arith.addf %x, %x : tensor<32xf32, #a>
      scf.yield %y : tensor<32xf32, #a>
    } else {
      %y = arith.mulf %x, %x : tensor<32xf32, #a>
      scf.yield %y : tensor<32xf32, #a>
    }
    %m = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #a>
    %p = tt.splat %out : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #a>
    %q = tt.addptr %p, %m : tensor<32x!tt.ptr<f32>, #a>, tensor<32xi32, #a>
    tt.store %q, %r : tensor<32x!tt.ptr<f32>, #a>
    tt.return
  }
}
