// RUN: dotload-opt %s --lower-to-2d-block-load --remarks 2>&1 | FileCheck %s

// COM: Planes of a tensor of rank 3 begin at multiples of the first stride; a message's base must be a multiple of 4
// COM: bytes.

// CHECK: remark: lower-to-2d-block-load: tt.load becomes 1 x 16b_32r16x2c, proved
// CHECK: remark: lower-to-2d-block-load: kept tt.load: base is known to be a multiple of 2 B only, must be one of 4 B [BASE_ALIGNMENT]
// CHECK: remark: lower-to-2d-block-load: tt.load becomes 1 x 16b_32r16x2c, proved
// CHECK: remark: lower-to-2d-block-load: tt.descriptor_load becomes 1 x 16b_32r16x2c, proved
// CHECK: remark: lower-to-2d-block-load: kept tt.descriptor_load: base is known to be a multiple of 2 B only, must be one of 4 B [BASE_ALIGNMENT]

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 2, 2], repCluster = [1, 4, 2]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // CHECK-LABEL: @planes_of_known_divisibility(
  // CHECK: tt.addptr
  // CHECK: ttig.2d_block_load
  tt.func @planes_of_known_divisibility(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %plane: i64 {tt.divisibility = 16 : i32}, %z: i32) -> tensor<1x64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 512 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size, %size], [%plane, %size, %one], [%z, %c0, %c0] {order = array<i32: 2, 1, 0>} : <tensor<1x64x32xf16, #dot_a>>
    %a = tt.load %ptr {boundaryCheck = array<i32: 1, 2>} : !tt.ptr<tensor<1x64x32xf16, #dot_a>>
    tt.return %a : tensor<1x64x32xf16, #dot_a>
  }

  // CHECK-LABEL: @planes_of_unknown_divisibility(
  // CHECK-NOT: ttig.2d_block_load
  // CHECK: tt.load
  tt.func @planes_of_unknown_divisibility(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %plane: i64, %z: i32) -> tensor<1x64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 512 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size, %size], [%plane, %size, %one], [%z, %c0, %c0] {order = array<i32: 2, 1, 0>} : <tensor<1x64x32xf16, #dot_a>>
    %a = tt.load %ptr {boundaryCheck = array<i32: 1, 2>} : !tt.ptr<tensor<1x64x32xf16, #dot_a>>
    tt.return %a : tensor<1x64x32xf16, #dot_a>
  }

  // COM: An even index makes the offset of a plane even, although the stride may be odd.
  // CHECK-LABEL: @even_planes(
  // CHECK: ttig.2d_block_load
  tt.func @even_planes(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %plane: i64, %z: i32 {tt.divisibility = 2 : i32}) -> tensor<1x64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 512 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size, %size], [%plane, %size, %one], [%z, %c0, %c0] {order = array<i32: 2, 1, 0>} : <tensor<1x64x32xf16, #dot_a>>
    %a = tt.load %ptr {boundaryCheck = array<i32: 1, 2>} : !tt.ptr<tensor<1x64x32xf16, #dot_a>>
    tt.return %a : tensor<1x64x32xf16, #dot_a>
  }

  // COM: The strides of a descriptor are assumed to be multiples of 16 bytes where they are not known.
  // CHECK-LABEL: @described_planes(
  // CHECK: ttig.2d_block_load
  tt.func @described_planes(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %plane: i64, %z: i32) -> tensor<1x64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %rows = arith.constant 512 : i32
    %size = arith.constant 512 : i64
    %desc = tt.make_tensor_descriptor %base, [%rows, %rows, %rows], [%plane, %size, %one] : <f16>, <tensor<1x64x32xf16>>
    %a = tt.descriptor_load %desc[%z, %c0, %c0] : !tt.tensordesc<tensor<1x64x32xf16>> -> tensor<1x64x32xf16, #dot_a>
    tt.return %a : tensor<1x64x32xf16, #dot_a>
  }

  // CHECK-LABEL: @described_planes_at_odd_elements(
  // CHECK-NOT: ttig.2d_block_load
  // CHECK: tt.descriptor_load
  tt.func @described_planes_at_odd_elements(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %z: i32) -> tensor<1x64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %rows = arith.constant 512 : i32
    %size = arith.constant 512 : i64
    %plane = arith.constant 262145 : i64
    %desc = tt.make_tensor_descriptor %base, [%rows, %rows, %rows], [%plane, %size, %one] : <f16>, <tensor<1x64x32xf16>>
    %a = tt.descriptor_load %desc[%z, %c0, %c0] : !tt.tensordesc<tensor<1x64x32xf16>> -> tensor<1x64x32xf16, #dot_a>
    tt.return %a : tensor<1x64x32xf16, #dot_a>
  }
}
