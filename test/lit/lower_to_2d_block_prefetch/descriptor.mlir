// RUN: dotload-opt %s --lower-to-2d-block-prefetch --remarks 2>&1 | FileCheck %s

// CHECK: ttig.descriptor_prefetch becomes 4 x 16b_16r16x2c, over all warps
// CHECK: ttig.descriptor_prefetch becomes 4 x 16b_16r16x2c, over all warps
// CHECK: kept ttig.descriptor_prefetch: pitch 48 B < 64 B [PITCH_TOO_SMALL]
// CHECK: kept ttig.descriptor_prefetch: x is known to be a multiple of 2 B only, must be one of 4 B [X_ALIGNMENT]
// CHECK: kept ttig.descriptor_prefetch: a message would span several planes of dimension 0, and it has only two dimensions [BATCH]
// CHECK: kept ttig.descriptor_prefetch: the ops that make the descriptor are not known [UNKNOWN_DESCRIPTOR]
// CHECK: kept ttig.descriptor_prefetch: {{.*}} [SCALAR]

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: The surface is that of the descriptor: shapes, row stride, base. Warp w starts at row 16w of the tile.
  // CHECK-LABEL: @rows_and_columns
  // CHECK-SAME: (%desc: {{.*}}, %y: i32, %x: i32
  // CHECK: %[[COLUMNS:.*]] = ttig.extract_desc %desc[1]
  // CHECK: %width = arith.muli %{{.*}}, %c2
  // CHECK: %[[ROWS:.*]] = ttig.extract_desc %desc[0]
  // CHECK: %[[HEIGHT:.*]] = arith.trunci %[[ROWS]] : i64 to i32
  // CHECK: %[[STRIDE:.*]] = ttig.extract_desc %desc[2]
  // CHECK: %pitch = arith.muli %{{.*}}, %c2
  // CHECK: %[[BASE:.*]] = ttig.extract_desc %desc[4]
  // CHECK: %[[POINTER:.*]] = builtin.unrealized_conversion_cast %[[BASE]] : !tt.ptr<f16> to !llvm.ptr<1>
  // CHECK: llvm.ptrtoint %[[POINTER]]
  // CHECK: %[[ADDRESS:.*]] = llvm.inttoptr
  // CHECK: %[[WIDTH:.*]] = arith.addi %width,
  // CHECK: %[[CUT:.*]] = arith.select %{{.*}}, %pitch, %[[WIDTH]]
  // CHECK: %[[X:.*]] = arith.addi %x,
  // CHECK: %[[ROW:.*]] = arith.muli %{{.*}}, %c16
  // CHECK: %[[Y:.*]] = arith.addi %y, %[[ROW]]
  // CHECK: triton_gen.2Dblockprefetch %[[ADDRESS]], %[[CUT]], %[[HEIGHT]], %pitch, %[[X]], %[[Y]] {elem_size_in_bits = 16, tile_width = 16, tile_height = 16, v_blocks = 2, cache_control = L1C_L3C}
  // CHECK-NOT: ttig.descriptor_prefetch
  // CHECK: tt.return
  tt.func @rows_and_columns(%desc: !tt.tensordesc<tensor<64x32xf16>>, %y: i32, %x: i32 {tt.divisibility = 16 : i32}) {
    ttig.descriptor_prefetch %desc[%y, %x] : !tt.tensordesc<tensor<64x32xf16>>
    tt.return
  }

  // COM: One of several planes: the base is that of the plane; for a plane that does not exist, y is below all rows.
  // CHECK-LABEL: @plane
  // CHECK: %[[BASE:.*]] = tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f16>, i64
  // CHECK: %[[EXISTS:.*]] = arith.cmpi ult
  // CHECK: %[[START:.*]] = arith.select %[[EXISTS]], %y, %{{.*}} : i32
  // CHECK: %[[POINTER:.*]] = builtin.unrealized_conversion_cast %[[BASE]]
  // CHECK: llvm.ptrtoint %[[POINTER]]
  // CHECK: %[[ADDRESS:.*]] = llvm.inttoptr
  // CHECK: %[[Y:.*]] = arith.addi %[[START]], %{{.*}}
  // CHECK: triton_gen.2Dblockprefetch %[[ADDRESS]], {{.*}}, %[[Y]] {
  tt.func @plane(%desc: !tt.tensordesc<tensor<1x64x32xf16>>, %z: i32, %y: i32, %x: i32 {tt.divisibility = 16 : i32}) {
    ttig.descriptor_prefetch %desc[%z, %y, %x] : !tt.tensordesc<tensor<1x64x32xf16>>
    tt.return
  }

  // CHECK-LABEL: @pitch_too_small
  // CHECK: ttig.descriptor_prefetch
  tt.func @pitch_too_small(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %k = arith.constant 24 : i32
    %stride = arith.constant 24 : i64
    %desc = tt.make_tensor_descriptor %base, [%m, %k], [%stride, %c1] : <f16>, <tensor<64x32xf16>>
    ttig.descriptor_prefetch %desc[%c0, %c0] : !tt.tensordesc<tensor<64x32xf16>>
    tt.return
  }

  // CHECK-LABEL: @odd_column
  // CHECK: ttig.descriptor_prefetch
  tt.func @odd_column(%desc: !tt.tensordesc<tensor<64x32xf16>>, %y: i32, %x: i32) {
    ttig.descriptor_prefetch %desc[%y, %x] : !tt.tensordesc<tensor<64x32xf16>>
    tt.return
  }

  // CHECK-LABEL: @two_planes
  // CHECK: ttig.descriptor_prefetch
  tt.func @two_planes(%desc: !tt.tensordesc<tensor<2x64x32xf16>>, %z: i32) {
    %c0 = arith.constant 0 : i32
    ttig.descriptor_prefetch %desc[%z, %c0, %c0] : !tt.tensordesc<tensor<2x64x32xf16>>
    tt.return
  }

  // CHECK-LABEL: @unknown_maker
  // CHECK: ttig.descriptor_prefetch
  tt.func @unknown_maker() {
    %c0 = arith.constant 0 : i32
    %desc = "test.make"() : () -> !tt.tensordesc<tensor<64x32xf16>>
    ttig.descriptor_prefetch %desc[%c0, %c0] : !tt.tensordesc<tensor<64x32xf16>>
    tt.return
  }

  // CHECK-LABEL: @rank_1
  // CHECK: ttig.descriptor_prefetch
  tt.func @rank_1(%desc: !tt.tensordesc<tensor<64xf16>>) {
    %c0 = arith.constant 0 : i32
    ttig.descriptor_prefetch %desc[%c0] : !tt.tensordesc<tensor<64xf16>>
    tt.return
  }
}
