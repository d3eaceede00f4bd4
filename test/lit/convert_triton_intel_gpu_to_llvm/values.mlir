// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [16], warpsPerCTA = [1], order = [0]}>
#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [16], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32} {
  // COM: An index is an i32.
  // CHECK-LABEL: @indices
  // CHECK: %[[C3:.*]] = llvm.mlir.constant(3 : i32) : i32
  // CHECK: %[[LOW:.*]] = llvm.trunc %arg0 : i64 to i32
  // CHECK: %[[SUM:.*]] = llvm.add %[[LOW]], %[[C3]] : i32
  // CHECK: llvm.sext %[[SUM]] : i32 to i64
  tt.func @indices(%n: i64) -> i64 {
    %three = arith.constant 3 : index
    %low = arith.index_cast %n : i64 to index
    %sum = arith.addi %low, %three : index
    %wide = arith.index_cast %sum : index to i64
    tt.return %wide : i64
  }

  // COM: An 8-bit float is an integer of the same bits.
  // CHECK-LABEL: @float_8
  // CHECK: %[[ONE:.*]] = llvm.mlir.constant(56 : i8) : i8
  // CHECK: llvm.insertvalue %[[ONE]], %{{.*}}[1] : !llvm.struct<(i8, i8)>
  tt.func @float_8() -> tensor<32xf8E4M3FN, #blocked> {
    %one = arith.constant dense<1.0> : tensor<32xf8E4M3FN, #blocked>
    tt.return %one : tensor<32xf8E4M3FN, #blocked>
  }

  // CHECK-LABEL: @unsplat
  // CHECK: %[[FIRST:.*]] = llvm.extractvalue %arg0[0]
  // CHECK: llvm.return %[[FIRST]] : f16
  tt.func @unsplat(%x: tensor<1xf16, #one>) -> f16 {
    %0 = tt.unsplat %x : tensor<1xf16, #one>
    tt.return %0 : f16
  }

  // CHECK-LABEL: @poison
  // CHECK: %[[ANY:.*]] = llvm.mlir.poison : f16
  // CHECK: llvm.insertvalue %[[ANY]], %{{.*}}[0]
  // CHECK: llvm.insertvalue %[[ANY]], %{{.*}}[1] : !llvm.struct<(f16, f16)>
  tt.func @poison() -> tensor<32xf16, #blocked> {
    %0 = ub.poison : tensor<32xf16, #blocked>
    tt.return %0 : tensor<32xf16, #blocked>
  }
}
