// RUN: dotload-opt %s --lower-to-2d-block-load --remarks 2>&1 | FileCheck %s
// RUN: dotload-opt %s --tritonintelgpu-lower-to-2d-block-load --remarks 2>&1 | FileCheck %s --check-prefix=INTEL

// COM: Tensors of several planes: two warps along dim 0, and two planes per warp. A message reads one plane; the op
// COM: also holds the number of planes and their distance in bytes.

// CHECK: remark: lower-to-2d-block-load: tt.load becomes 2 x 16b_32r16x2c, proved
// CHECK: remark: lower-to-2d-block-load: tt.load becomes 2 x 16b_32r16x2c, proved
// CHECK: remark: lower-to-2d-block-load: tt.descriptor_load becomes 2 x 16b_32r16x2c, proved
// CHECK: remark: lower-to-2d-block-load: kept tt.load: base is known to be a multiple of 2 B only, must be one of 4 B [BASE_ALIGNMENT]
// CHECK: remark: lower-to-2d-block-load: kept tt.descriptor_load: base is known to be a multiple of 2 B only, must be one of 4 B [BASE_ALIGNMENT]
// CHECK: remark: lower-to-2d-block-load: tt.load becomes 1 x 16b_32r16x2c, proved

// COM: Intel's pass leaves these loads, since its op has no operands for planes.
// INTEL: kept tt.load: a message would span several planes of dimension 0, and it has only two dimensions [BATCH]
// INTEL-NOT: planes(

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2, 1], repCluster = [1, 4, 2]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // CHECK-LABEL: @checked(
  // CHECK: %[[Z:.*]] = arith.extsi %z : i32 to i64
  // CHECK: %[[TWO:.*]] = arith.constant 2 : i64
  // CHECK: %[[BYTES:.*]] = arith.muli %plane, %[[TWO]] : i64
  // CHECK: ttig.2d_block_load %base, {{.*}} {row_major, pad_nan} planes(%[[Z]], %depth, %[[BYTES]])
  tt.func @checked(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %depth: i64, %plane: i64 {tt.divisibility = 16 : i32}, %z: i32) -> tensor<4x64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 512 : i64
    %ptr = tt.make_tensor_ptr %base, [%depth, %size, %size], [%plane, %size, %one], [%z, %c0, %c0] {order = array<i32: 2, 1, 0>} : <tensor<4x64x32xf16, #dot_a>>
    %a = tt.load %ptr {boundaryCheck = array<i32: 0, 1, 2>, padding = 2 : i32, ttig.block_io = "row_major"} : !tt.ptr<tensor<4x64x32xf16, #dot_a>>
    tt.return %a : tensor<4x64x32xf16, #dot_a>
  }

  // COM: Along a dim that is not checked, the kernel promises that all elements exist, whatever the shape says.
  // CHECK-LABEL: @not_checked(
  // CHECK: %[[START:.*]] = tt.addptr %base
  // CHECK: %[[NONE:.*]] = arith.constant 0 : i64
  // CHECK: %[[ALL:.*]] = arith.constant 4 : i64
  // CHECK: ttig.2d_block_load %[[START]], {{.*}} {row_major} planes(%[[NONE]], %[[ALL]], %{{.*}})
  tt.func @not_checked(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %depth: i64, %plane: i64 {tt.divisibility = 16 : i32}, %z: i32) -> tensor<4x64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 512 : i64
    %ptr = tt.make_tensor_ptr %base, [%depth, %size, %size], [%plane, %size, %one], [%z, %c0, %c0] {order = array<i32: 2, 1, 0>} : <tensor<4x64x32xf16, #dot_a>>
    %a = tt.load %ptr : !tt.ptr<tensor<4x64x32xf16, #dot_a>>
    tt.return %a : tensor<4x64x32xf16, #dot_a>
  }

  // COM: A descriptor is checked along every dim.
  // CHECK-LABEL: @described(
  // CHECK-DAG: %[[DEPTH:.*]] = ttig.extract_desc %desc[0]
  // CHECK-DAG: %[[STRIDE:.*]] = ttig.extract_desc %desc[3]
  // CHECK: %[[Z:.*]] = arith.extsi %z : i32 to i64
  // CHECK: %[[BYTES:.*]] = arith.muli %[[STRIDE]], %{{.*}} : i64
  // CHECK: ttig.2d_block_load {{.*}} planes(%[[Z]], %[[DEPTH]], %[[BYTES]])
  tt.func @described(%desc: !tt.tensordesc<tensor<4x64x32xf16>>, %z: i32) -> tensor<4x64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %a = tt.descriptor_load %desc[%z, %c0, %c0] : !tt.tensordesc<tensor<4x64x32xf16>> -> tensor<4x64x32xf16, #dot_a>
    tt.return %a : tensor<4x64x32xf16, #dot_a>
  }

  // COM: The first plane's index may be even, but the next one is odd.
  // CHECK-LABEL: @odd_strides(
  // CHECK: tt.load
  // CHECK-NEXT: tt.return
  tt.func @odd_strides(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %plane: i64, %z: i32 {tt.divisibility = 2 : i32}) -> tensor<4x64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 512 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size, %size], [%plane, %size, %one], [%z, %c0, %c0] {order = array<i32: 2, 1, 0>} : <tensor<4x64x32xf16, #dot_a>>
    %a = tt.load %ptr {boundaryCheck = array<i32: 1, 2>} : !tt.ptr<tensor<4x64x32xf16, #dot_a>>
    tt.return %a : tensor<4x64x32xf16, #dot_a>
  }

  // CHECK-LABEL: @described_odd_strides(
  // CHECK: tt.descriptor_load
  // CHECK-NEXT: tt.return
  tt.func @described_odd_strides(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %z: i32 {tt.divisibility = 2 : i32}) -> tensor<4x64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %rows = arith.constant 512 : i32
    %size = arith.constant 512 : i64
    %plane = arith.constant 262145 : i64
    %desc = tt.make_tensor_descriptor %base, [%rows, %rows, %rows], [%plane, %size, %one] : <f16>, <tensor<4x64x32xf16>>
    %a = tt.descriptor_load %desc[%z, %c0, %c0] : !tt.tensordesc<tensor<4x64x32xf16>> -> tensor<4x64x32xf16, #dot_a>
    tt.return %a : tensor<4x64x32xf16, #dot_a>
  }

  // COM: With one plane, the base is that of the plane; for a plane that does not exist, y is below all rows.
  // CHECK-LABEL: @one_plane_checked(
  // CHECK: %[[BASE:.*]] = tt.addptr %base
  // CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %{{.*}}, %depth : i64
  // CHECK: %[[Y:.*]] = arith.select %[[EXISTS]], %c0, %height : i32
  // CHECK: ttig.2d_block_load %[[BASE]], {{.*}}[%c0, %[[Y]]] {row_major} :
  tt.func @one_plane_checked(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %depth: i64, %z: i32) -> tensor<1x64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 512 : i64
    %ptr = tt.make_tensor_ptr %base, [%depth, %size, %size], [%size, %size, %one], [%z, %c0, %c0] {order = array<i32: 2, 1, 0>} : <tensor<1x64x32xf16, #dot_a>>
    %a = tt.load %ptr {boundaryCheck = array<i32: 0, 1, 2>, ttig.block_io = "row_major"} : !tt.ptr<tensor<1x64x32xf16, #dot_a>>
    tt.return %a : tensor<1x64x32xf16, #dot_a>
  }
}
