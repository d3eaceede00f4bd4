// RUN: dotload-opt %s -split-input-file -tritonintelgpu-materialize-block-pointer --remarks 2>&1 | FileCheck %s

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
// CHECK-DAG: remark: materialize-block-pointer: tt.descriptor_load is not marked: the number of elements in a row is known to be a multiple of 1 only, must be one of 2
// CHECK-DAG: remark: materialize-block-pointer: tt.descriptor_load is not marked: the ops that make its descriptor are not known
// CHECK-DAG: remark: materialize-block-pointer: tt.descriptor_load stays marked column_major: it transposes the block
// CHECK-DAG: remark: materialize-block-pointer: tt.descriptor_load is not marked: the last dimension is not contiguous in memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: Base and stride are known only at run time: the pass relies on the contract of descriptors.
  // CHECK-LABEL: @by_contract
  // CHECK: tt.descriptor_load %desc[%c0, %c0] {ttig.block_io = "row_major", ttig.desc_padding = 1 : i32}
  tt.func @by_contract(%base: !tt.ptr<f16>, %rows: i32, %columns: i32 {tt.divisibility = 16 : i32}, %stride: i64) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %desc = tt.make_tensor_descriptor %base, [%rows, %columns], [%stride, %c1] : !tt.ptr<f16>, !tt.tensordesc<64x32xf16>
    %a = tt.descriptor_load %desc[%c0, %c0] : !tt.tensordesc<64x32xf16> -> tensor<64x32xf16, #dot_a>
    tt.return
  }

  // CHECK-LABEL: @odd_rows
  // CHECK-NOT: block_io
  // CHECK: tt.return
  tt.func @odd_rows(%base: !tt.ptr<f16>, %rows: i32, %columns: i32, %stride: i64) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %desc = tt.make_tensor_descriptor %base, [%rows, %columns], [%stride, %c1] : !tt.ptr<f16>, !tt.tensordesc<64x32xf16>
    %a = tt.descriptor_load %desc[%c0, %c0] : !tt.tensordesc<64x32xf16> -> tensor<64x32xf16, #dot_a>
    tt.return
  }

  // CHECK-LABEL: @made_elsewhere
  // CHECK-NOT: block_io
  // CHECK: tt.return
  tt.func @made_elsewhere(%desc: !tt.tensordesc<64x32xf16>) {
    %c0 = arith.constant 0 : i32
    %a = tt.descriptor_load %desc[%c0, %c0] : !tt.tensordesc<64x32xf16> -> tensor<64x32xf16, #dot_a>
    tt.return
  }
  // CHECK-LABEL: @every_other_element
  // CHECK-NOT: block_io
  // CHECK: tt.return
  tt.func @every_other_element(%base: !tt.ptr<f16>, %rows: i32, %columns: i32 {tt.divisibility = 16 : i32}, %stride: i64) {
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i64
    %desc = tt.make_tensor_descriptor %base, [%rows, %columns], [%stride, %c2] : !tt.ptr<f16>, !tt.tensordesc<64x32xf16>
    %a = tt.descriptor_load %desc[%c0, %c0] : !tt.tensordesc<64x32xf16> -> tensor<64x32xf16, #dot_a>
    tt.return
  }
  // COM: The mark by columns says that the load transposes the block.
  // CHECK-LABEL: @transposed
  // CHECK: tt.descriptor_load %desc[%c0, %c0] {ttig.block_io = "column_major"}
  tt.func @transposed(%base: !tt.ptr<f16>, %rows: i32, %columns: i32 {tt.divisibility = 16 : i32}, %stride: i64) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %desc = tt.make_tensor_descriptor %base, [%rows, %columns], [%stride, %c1] : !tt.ptr<f16>, !tt.tensordesc<32x64xf16>
    %a = tt.descriptor_load %desc[%c0, %c0] {ttig.block_io = "column_major"} : !tt.tensordesc<32x64xf16> -> tensor<64x32xf16, #dot_a>
    tt.return
  }
}
