// RUN: dotload-opt %s --lower-to-2d-block-load --remarks --split-input-file 2>&1 | FileCheck %s
// RUN: dotload-opt %s --lower-to-2d-block-load='versions=false' --split-input-file | FileCheck %s --check-prefix=NEVER

// COM: The kernel decides at run time whether these loads may be block loads.
// NEVER-NOT: 2d_block_load

// CHECK-COUNT-2: tt.load becomes 1 x 16b_32r16x2c, proved, if a check at run time allows it, else a gather
// CHECK: tt.load becomes 1 x 16b_32r16x2c, proved, if a check at run time allows it, else a gather
// CHECK: tt.load becomes 1 x 16b_32r16x2c, proved, guarded, if a check at run time allows it, else a gather
// CHECK: tt.load becomes 1 x 16b_32r16x2c, proved, if a check at run time allows it, else a gather
// CHECK: tt.load becomes 1 x 16b_32r16x1c, proved, if a check at run time allows it, else a gather
// CHECK: kept tt.load: {{.*}} [PITCH_ALIGNMENT]
// CHECK: kept tt.load: {{.*}} [PITCH_ALIGNMENT]
// CHECK: tt.load becomes {{.*}} if a check at run time allows it, else a gather

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#m = #ttg.slice<{dim = 1, parent = #a}>
#k = #ttg.slice<{dim = 0, parent = #a}>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#bm = #ttg.slice<{dim = 1, parent = #blocked}>
#bk = #ttg.slice<{dim = 0, parent = #blocked}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: The stride must be a multiple of 8 elements of 2 bytes, between 64 bytes and 2^24. This is computed once,
  // COM: before the loop, for both loads.
  // CHECK-LABEL: @stride
  // CHECK-SAME: %stride: i32
  // CHECK: %[[LOW:.*]] = arith.andi %stride, %c7_i32 : i32
  // CHECK: %[[ALIGNED:.*]] = arith.cmpi eq, %[[LOW]], %c0_i32
  // CHECK: %[[ABOVE:.*]] = arith.subi %stride, %c32_i32 : i32
  // CHECK: %[[IN:.*]] = arith.cmpi ule, %[[ABOVE]], %c8388576_i32
  // CHECK: %[[MAY:.*]] = arith.andi %[[ALIGNED]], %[[IN]] : i1
  // CHECK-NOT: arith.cmpi
  // CHECK: scf.for {{.*}} iter_args(%[[PTRS:[a-z0-9_]+]] = %ptrs)
  // CHECK: %[[X:.*]] = scf.if %[[MAY]]
  // CHECK: %pitch = arith.muli %stride, %c2
  // CHECK: %[[BLOCK:.*]] = ttig.2d_block_load_from_ptr %[[PTRS]], %pitch {row_major}
  // CHECK-NEXT: scf.yield %[[BLOCK]]
  // CHECK: else
  // CHECK-NEXT: %[[GATHER:.*]] = tt.load %[[PTRS]] :
  // CHECK-NEXT: scf.yield %[[GATHER]]
  // CHECK: %[[Y:.*]] = scf.if %[[MAY]]
  // CHECK: arith.addf %[[X]], %[[Y]]
  tt.func @stride(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32, %depth: i32) {
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #m>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #k>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #m> -> tensor<64x1xi32, #a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #k> -> tensor<1x32xi32, #a>
    %strides = tt.splat %stride : i32 -> tensor<64x1xi32, #a>
    %row = arith.muli %m2, %strides : tensor<64x1xi32, #a>
    %rows = tt.broadcast %row : tensor<64x1xi32, #a> -> tensor<64x32xi32, #a>
    %columns = tt.broadcast %k2 : tensor<1x32xi32, #a> -> tensor<64x32xi32, #a>
    %offsets = arith.addi %rows, %columns : tensor<64x32xi32, #a>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #a>
    %ptrs = tt.addptr %bases, %offsets : tensor<64x32x!tt.ptr<f16>, #a>, tensor<64x32xi32, #a>
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %step = arith.constant dense<32> : tensor<64x32xi32, #a>
    %end = scf.for %i = %c0 to %depth step %c32 iter_args(%p = %ptrs) -> (tensor<64x32x!tt.ptr<f16>, #a>) : i32 {
      %x = tt.load %p : tensor<64x32x!tt.ptr<f16>, #a>
      %y = tt.load %p : tensor<64x32x!tt.ptr<f16>, #a>
      %z = arith.addf %x, %y : tensor<64x32xf16, #a>
      %next = tt.addptr %p, %step : tensor<64x32x!tt.ptr<f16>, #a>, tensor<64x32xi32, #a>
      scf.yield %next : tensor<64x32x!tt.ptr<f16>, #a>
    }
    tt.return
  }

  // COM: The address is known to be a multiple of 2 bytes and must be one of 4. In the other version, which gathers,
  // COM: the load has no mark, since a mark promises more.
  // CHECK-LABEL: @base
  // CHECK: %[[ADDRESS:.*]] = tt.ptr_to_int %base : !tt.ptr<f16> -> i64
  // CHECK: %[[LOW:.*]] = arith.andi %[[ADDRESS]], %c3_i64
  // CHECK: %[[ALIGNED:.*]] = arith.cmpi eq, %[[LOW]], %c0_i64
  // CHECK: %[[MAY:.*]] = arith.andi %[[ALIGNED]], %{{.*}} : i1
  // CHECK: scf.if %[[MAY]]
  // CHECK: 2d_block_load_from_ptr
  // CHECK: tt.load %ptrs : tensor
  tt.func @base(%base: !tt.ptr<f16>, %stride: i32 {tt.divisibility = 16 : i32}) {
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #m>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #k>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #m> -> tensor<64x1xi32, #a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #k> -> tensor<1x32xi32, #a>
    %strides = tt.splat %stride : i32 -> tensor<64x1xi32, #a>
    %row = arith.muli %m2, %strides : tensor<64x1xi32, #a>
    %rows = tt.broadcast %row : tensor<64x1xi32, #a> -> tensor<64x32xi32, #a>
    %columns = tt.broadcast %k2 : tensor<1x32xi32, #a> -> tensor<64x32xi32, #a>
    %offsets = arith.addi %rows, %columns : tensor<64x32xi32, #a>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #a>
    %ptrs = tt.addptr %bases, %offsets : tensor<64x32x!tt.ptr<f16>, #a>, tensor<64x32xi32, #a>
    %x = tt.load %ptrs {triton_intel_gpu.block_io = "row_major"} : tensor<64x32x!tt.ptr<f16>, #a>
    tt.return
  }

  // COM: The stride and the width of a block pointer's memory are checked.
  // CHECK-LABEL: @block_pointer
  // CHECK-SAME: %columns: i64, %stride: i64
  // CHECK: arith.andi %stride, %c7_i64
  // CHECK: arith.andi %columns, %c1_i64
  // CHECK: arith.subi %stride, %c32_i64
  // CHECK: arith.subi %columns, %c32_i64
  // CHECK: %[[X:.*]] = scf.if
  // CHECK: ttig.2d_block_load %base, %width
  // CHECK: tt.load %{{.*}} {boundaryCheck = array<i32: 0, 1>}
  tt.func @block_pointer(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %rows: i64, %columns: i64, %stride: i64) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %p = tt.make_tensor_ptr %base, [%rows, %columns], [%stride, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #a>>
    %x = tt.load %p {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<64x32xf16, #a>>
    tt.return
  }

  // COM: The loop loads the stride, so it is checked in the loop.
  // CHECK-LABEL: @stride_in_a_loop
  // CHECK: scf.for
  // CHECK: %[[STRIDE:.*]] = tt.load %strides_of
  // CHECK: arith.andi %[[STRIDE]], %c7_i32
  // CHECK: scf.if
  tt.func @stride_in_a_loop(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %strides_of: !tt.ptr<i32>, %count: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %count step %c1 : i32 {
      %stride = tt.load %strides_of : !tt.ptr<i32>
      %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #m>
      %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #k>
      %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #m> -> tensor<64x1xi32, #a>
      %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #k> -> tensor<1x32xi32, #a>
      %strides = tt.splat %stride : i32 -> tensor<64x1xi32, #a>
      %row = arith.muli %m2, %strides : tensor<64x1xi32, #a>
      %rows = tt.broadcast %row : tensor<64x1xi32, #a> -> tensor<64x32xi32, #a>
      %columns = tt.broadcast %k2 : tensor<1x32xi32, #a> -> tensor<64x32xi32, #a>
      %offsets = arith.addi %rows, %columns : tensor<64x32xi32, #a>
      %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #a>
      %ptrs = tt.addptr %bases, %offsets : tensor<64x32x!tt.ptr<f16>, #a>, tensor<64x32xi32, #a>
      %x = tt.load %ptrs : tensor<64x32x!tt.ptr<f16>, #a>
    }
    tt.return
  }

  // COM: Rows of 32 bytes do not imply that rows are 64 bytes apart: the kernel checks the pitch.
  // CHECK-LABEL: @short_rows
  // CHECK: arith.subi %stride, %c32_i32
  // CHECK: scf.if
  tt.func @short_rows(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}) {
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #m>
    %k = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #k>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #m> -> tensor<64x1xi32, #a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<16xi32, #k> -> tensor<1x16xi32, #a>
    %strides = tt.splat %stride : i32 -> tensor<64x1xi32, #a>
    %row = arith.muli %m2, %strides : tensor<64x1xi32, #a>
    %rows = tt.broadcast %row : tensor<64x1xi32, #a> -> tensor<64x16xi32, #a>
    %columns = tt.broadcast %k2 : tensor<1x16xi32, #a> -> tensor<64x16xi32, #a>
    %offsets = arith.addi %rows, %columns : tensor<64x16xi32, #a>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x16x!tt.ptr<f16>, #a>
    %ptrs = tt.addptr %bases, %offsets : tensor<64x16x!tt.ptr<f16>, #a>, tensor<64x16xi32, #a>
    %x = tt.load %ptrs : tensor<64x16x!tt.ptr<f16>, #a>
    tt.return
  }

  // COM: A layout that is not that of an operand: the load is fast lane by lane.
  // CHECK-LABEL: @not_an_operand
  // CHECK-NOT: scf.if
  // CHECK: tt.return
  tt.func @not_an_operand(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32) {
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #bm>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #bk>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #bm> -> tensor<64x1xi32, #blocked>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #bk> -> tensor<1x32xi32, #blocked>
    %strides = tt.splat %stride : i32 -> tensor<64x1xi32, #blocked>
    %row = arith.muli %m2, %strides : tensor<64x1xi32, #blocked>
    %rows = tt.broadcast %row : tensor<64x1xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %columns = tt.broadcast %k2 : tensor<1x32xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %offsets = arith.addi %rows, %columns : tensor<64x32xi32, #blocked>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #blocked>
    %ptrs = tt.addptr %bases, %offsets : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
    %x = tt.load %ptrs : tensor<64x32x!tt.ptr<f16>, #blocked>
    tt.return
  }
}

// -----

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 4, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 32], B = [32, 32], C = [32, 32]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#m = #ttg.slice<{dim = 1, parent = #a}>
#k = #ttg.slice<{dim = 0, parent = #a}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: The stride must be a multiple of 16 one-byte elements. Triton would mark such an argument, so the load stays.
  // CHECK-LABEL: @argument_of_bytes
  // CHECK-NOT: scf.if
  // CHECK: tt.return
  tt.func @argument_of_bytes(%base: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %stride: i32) {
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #m>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #k>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #m> -> tensor<64x1xi32, #a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #k> -> tensor<1x32xi32, #a>
    %strides = tt.splat %stride : i32 -> tensor<64x1xi32, #a>
    %row = arith.muli %m2, %strides : tensor<64x1xi32, #a>
    %rows = tt.broadcast %row : tensor<64x1xi32, #a> -> tensor<64x32xi32, #a>
    %columns = tt.broadcast %k2 : tensor<1x32xi32, #a> -> tensor<64x32xi32, #a>
    %offsets = arith.addi %rows, %columns : tensor<64x32xi32, #a>
    %bases = tt.splat %base : !tt.ptr<i8> -> tensor<64x32x!tt.ptr<i8>, #a>
    %ptrs = tt.addptr %bases, %offsets : tensor<64x32x!tt.ptr<i8>, #a>, tensor<64x32xi32, #a>
    %x = tt.load %ptrs : tensor<64x32x!tt.ptr<i8>, #a>
    tt.return
  }

  // COM: A stride that is loaded from memory has no such mark, so the kernel checks it.
  // CHECK-LABEL: @loaded_stride_of_bytes
  // CHECK: arith.andi %stride, %c15_i32
  // CHECK: scf.if
  tt.func @loaded_stride_of_bytes(%base: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %strides_of: !tt.ptr<i32>) {
    %stride = tt.load %strides_of : !tt.ptr<i32>
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #m>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #k>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #m> -> tensor<64x1xi32, #a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #k> -> tensor<1x32xi32, #a>
    %strides = tt.splat %stride : i32 -> tensor<64x1xi32, #a>
    %row = arith.muli %m2, %strides : tensor<64x1xi32, #a>
    %rows = tt.broadcast %row : tensor<64x1xi32, #a> -> tensor<64x32xi32, #a>
    %columns = tt.broadcast %k2 : tensor<1x32xi32, #a> -> tensor<64x32xi32, #a>
    %offsets = arith.addi %rows, %columns : tensor<64x32xi32, #a>
    %bases = tt.splat %base : !tt.ptr<i8> -> tensor<64x32x!tt.ptr<i8>, #a>
    %ptrs = tt.addptr %bases, %offsets : tensor<64x32x!tt.ptr<i8>, #a>, tensor<64x32xi32, #a>
    %x = tt.load %ptrs : tensor<64x32x!tt.ptr<i8>, #a>
    tt.return
  }
}
