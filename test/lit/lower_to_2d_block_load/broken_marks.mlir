// RUN: dotload-opt %s --lower-to-2d-block-load --remarks 2>&1 | FileCheck %s
// RUN: dotload-opt %s -tritonintelgpu-lower-to-2d-block-load | FileCheck %s --check-prefix=INTEL

// COM: Intel's lowering sends messages for whatever is marked. Under its name, the pass leaves all marks.
// INTEL-COUNT-9: block_io =

// CHECK: remark: lower-to-2d-block-load: tt.load loses ttig.block_io, by which Intel's lowering would send invalid messages: pitch 48 B < 64 B [PITCH_TOO_SMALL]
// CHECK-NEXT: tt.load loses ttig.block_io, {{.*}}: x is known to be a multiple of 2 B only, must be one of 4 B [X_ALIGNMENT]
// CHECK-NEXT: tt.load loses triton_intel_gpu.block_io, {{.*}}: ttig.block_io says column_major, the strides say row_major [LAYOUT_MARK]
// CHECK-NEXT: tt.load loses ttig.block_io, {{.*}}: pitch is known to be a multiple of 8 B only, must be one of 16 B [PITCH_ALIGNMENT]
// CHECK-NEXT: tt.descriptor_load loses ttig.block_io, {{.*}}: width 60 B < 64 B [WIDTH_TOO_SMALL]
// CHECK-NEXT: ttig.prefetch loses ttig.block_io, {{.*}}: pitch 48 B < 64 B [PITCH_TOO_SMALL]

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#dot_b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: 24 elements of 2 bytes.
  // CHECK-LABEL: @pitch_below_64_bytes
  // CHECK: tt.load %{{[a-z0-9_]+}} :
  tt.func @pitch_below_64_bytes(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %c24 = arith.constant 24 : i64
    %ptr = tt.make_tensor_ptr %base, [%c24, %c24], [%c24, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr {ttig.block_io = "row_major"} : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // CHECK-LABEL: @odd_column
  // CHECK: tt.load %{{[a-z0-9_]+}} :
  tt.func @odd_column(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %one = arith.constant 1 : i64
    %c64 = arith.constant 64 : i64
    %ptr = tt.make_tensor_ptr %base, [%c64, %c64], [%c64, %one], [%c0, %c1] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr {ttig.block_io = "row_major"} : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // CHECK-LABEL: @wrong_memory_order
  // CHECK: tt.load %{{[a-z0-9_]+}} :
  tt.func @wrong_memory_order(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %c64 = arith.constant 64 : i64
    %ptr = tt.make_tensor_ptr %base, [%c64, %c64], [%c64, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr {triton_intel_gpu.block_io = "column_major"} : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: A row of pointers every 36 elements of 2 bytes.
  // CHECK-LABEL: @pointers
  // CHECK: tt.load %{{[a-z0-9_]+}} :
  tt.func @pointers(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<16x64xf16, #blocked> {
    %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %row = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<16x1xi32, #blocked>
    %column = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %s = arith.constant dense<36> : tensor<16x1xi32, #blocked>
    %start = arith.muli %row, %s : tensor<16x1xi32, #blocked>
    %starts = tt.broadcast %start : tensor<16x1xi32, #blocked> -> tensor<16x64xi32, #blocked>
    %steps = tt.broadcast %column : tensor<1x64xi32, #blocked> -> tensor<16x64xi32, #blocked>
    %offset = arith.addi %starts, %steps : tensor<16x64xi32, #blocked>
    %bases = tt.splat %base : !tt.ptr<f16> -> tensor<16x64x!tt.ptr<f16>, #blocked>
    %ptr = tt.addptr %bases, %offset : tensor<16x64x!tt.ptr<f16>, #blocked>, tensor<16x64xi32, #blocked>
    %a = tt.load %ptr {ttig.block_io = "row_major"} : tensor<16x64x!tt.ptr<f16>, #blocked>
    tt.return %a : tensor<16x64xf16, #blocked>
  }

  // COM: 30 elements of 2 bytes.
  // CHECK-LABEL: @descriptor
  // CHECK: tt.descriptor_load %{{[a-z0-9_]+}}[{{.*}}] :
  tt.func @descriptor(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i64) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %c30 = arith.constant 30 : i32
    %desc = tt.make_tensor_descriptor %base, [%c30, %c30], [%stride, %c1] : <f16>, <tensor<64x32xf16>>
    %a = tt.descriptor_load %desc[%c0, %c0] {ttig.block_io = "row_major"} : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // CHECK-LABEL: @prefetch
  // CHECK: ttig.prefetch
  // CHECK-NOT: block_io
  // CHECK: tt.return
  tt.func @prefetch(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %c24 = arith.constant 24 : i64
    %ptr = tt.make_tensor_ptr %base, [%c24, %c24], [%c24, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    ttig.prefetch %ptr {cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>, ttig.block_io = "row_major"} : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return
  }

  // COM: A pitch of 64 bytes is valid, and one that is known at run time only is taken on trust.
  // CHECK-LABEL: @valid_numbers
  // CHECK-COUNT-2: ttig.block_io = "row_major"
  tt.func @valid_numbers(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i64) -> (tensor<64x32xf16, #dot_a>, tensor<64x32xf16, #dot_a>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %c32 = arith.constant 32 : i64
    %known = tt.make_tensor_ptr %base, [%c32, %c32], [%c32, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %known {isVolatile = true, ttig.block_io = "row_major"} : !tt.ptr<tensor<64x32xf16, #dot_a>>
    %unknown = tt.make_tensor_ptr %base, [%c32, %stride], [%stride, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %b = tt.load %unknown {isVolatile = true, ttig.block_io = "row_major"} : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a, %b : tensor<64x32xf16, #dot_a>, tensor<64x32xf16, #dot_a>
  }
  // COM: The mark of a descriptor's load by columns says that it transposes the block.
  // CHECK-LABEL: @transposed
  // CHECK: tt.descriptor_load {{.*}} {ttig.block_io = "column_major"}
  tt.func @transposed(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<32x32xf16, #dot_b> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %n = arith.constant 24 : i32
    %stride = arith.constant 24 : i64
    %desc = tt.make_tensor_descriptor %base, [%n, %n], [%stride, %c1] : <f16>, <32x32xf16>
    %b = tt.descriptor_load %desc[%c0, %c0] {ttig.block_io = "column_major"} : !tt.tensordesc<32x32xf16> -> tensor<32x32xf16, #dot_b>
    tt.return %b : tensor<32x32xf16, #dot_b>
  }
}
