// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm | FileCheck %s

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [4, 2]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#blocked = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: A descriptor is a struct of shapes, strides and base.
  // CHECK-LABEL: llvm.func spir_kernelcc @block_load(%arg0: !llvm.struct<(i64, i64, i64, i64, ptr<1>)>, %arg1: i32, %arg2: !llvm.ptr<1>, %arg3: !llvm.ptr<1>)
  // CHECK: llvm.extractvalue %arg0[1] : !llvm.struct<(i64, i64, i64, i64, ptr<1>)>
  // CHECK: triton_gen.2Dblockload
  tt.func public @block_load(%desc: !tt.tensordesc<tensor<32x32xf16>>, %y: i32) -> tensor<32x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %a = tt.descriptor_load %desc[%y, %c0] {ttig.block_io = "row_major"} : !tt.tensordesc<tensor<32x32xf16>> -> tensor<32x32xf16, #dot_a>
    tt.return %a : tensor<32x32xf16, #dot_a>
  }

  // COM: A load without the mark is lowered lane by lane, under the condition that row and column are within the shape.
  // CHECK-LABEL: llvm.func spir_kernelcc @gather
  // CHECK: %[[ROWS:.*]] = llvm.extractvalue %arg0[0]
  // CHECK: %[[COLUMNS:.*]] = llvm.extractvalue %arg0[1]
  // CHECK: %[[STRIDE:.*]] = llvm.extractvalue %arg0[2]
  // CHECK: %[[ONE:.*]] = llvm.extractvalue %arg0[3]
  // CHECK: %[[BASE:.*]] = llvm.extractvalue %arg0[4]
  // CHECK: %[[DOWN:.*]] = llvm.mul %[[ROW:.*]], %[[STRIDE]] : i64
  // CHECK: %[[IN_ROWS:.*]] = llvm.icmp "ult" %[[ROW]], %[[ROWS]] : i64
  // CHECK: %[[ALONG:.*]] = llvm.mul %[[COLUMN:.*]], %[[ONE]] : i64
  // CHECK: %[[IN_COLUMNS:.*]] = llvm.icmp "ult" %[[COLUMN]], %[[COLUMNS]] : i64
  // CHECK: %[[OFFSET:.*]] = llvm.add %[[DOWN]], %[[ALONG]] : i64
  // CHECK: %[[INSIDE:.*]] = llvm.and %[[IN_ROWS]], %[[IN_COLUMNS]] : i1
  // CHECK: %[[AT:.*]] = llvm.getelementptr %[[BASE]][%[[OFFSET]]]
  // CHECK: triton_gen.predicated_load %[[AT]], %{{.*}}, %[[INSIDE]], %{{.*}} {cache_control = Default}
  // CHECK-NOT: triton_gen.2Dblockload
  // CHECK: llvm.return
  tt.func public @gather(%desc: !tt.tensordesc<tensor<4x16xf16>>, %y: i32, %x: i32) -> tensor<4x16xf16, #blocked> {
    %a = tt.descriptor_load %desc[%y, %x] : !tt.tensordesc<tensor<4x16xf16>> -> tensor<4x16xf16, #blocked>
    tt.return %a : tensor<4x16xf16, #blocked>
  }
}
