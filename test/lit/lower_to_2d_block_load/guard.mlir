// RUN: dotload-opt %s --lower-to-2d-block-load | FileCheck %s
// RUN: dotload-opt %s --lower-to-2d-block-load='guard=checked' | FileCheck %s --check-prefix=CHECKED
// RUN: dotload-opt %s --lower-to-2d-block-load='guard=never' | FileCheck %s --check-prefix=NEVER
// RUN: not dotload-opt %s --lower-to-2d-block-load='guard=sometimes' 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: dotload-opt %s --lower-to-2d-block-load='emit=opencl' --remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// REMARK: tt.load becomes 2 x transpose 32b_32r8x1c, proved, guarded
// REMARK: tt.load becomes 2 x transpose 32b_32r8x1c, proved, guarded
// REMARK: tt.load becomes 2 x transpose 32b_32r8x1c, proved{{$}}

// BAD: unknown guard 'sometimes'; known are gathers, checked, never

// NEVER-NOT: ttig.guard

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#dot_b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#rows = #ttg.slice<{dim = 1, parent = #dot_a}>
#columns = #ttg.slice<{dim = 0, parent = #dot_a}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: Column-major A: Intel's lowering gathers it, marked or not.
  // CHECK-LABEL: @a_by_columns
  // CHECK: ttig.2d_block_load {{.*}} {column_major} {ttig.guard = array<i32: 0, 1>}
  // CHECKED-LABEL: @a_by_columns
  // CHECKED: ttig.2d_block_load {{.*}} {column_major} {ttig.guard = array<i32: 0, 1>}
  tt.func @a_by_columns(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i64 {tt.divisibility = 16 : i32}, %k: i64, %pitch: i64 {tt.divisibility = 16 : i32}, %x: i32 {tt.divisibility = 16 : i32}, %y: i32) -> tensor<64x32xf16, #dot_a> {
    %one = arith.constant 1 : i64
    %ptr = tt.make_tensor_ptr %base, [%m, %k], [%one, %pitch], [%x, %y] {order = array<i32: 0, 1>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr {boundaryCheck = array<i32: 0, 1>, ttig.block_io = "column_major"} : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: Only checked dims are guarded.
  // CHECK-LABEL: @one_dim
  // CHECK: ttig.2d_block_load {{.*}} {column_major} {ttig.guard = array<i32: 1>}
  tt.func @one_dim(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i64 {tt.divisibility = 16 : i32}, %k: i64, %pitch: i64 {tt.divisibility = 16 : i32}, %x: i32 {tt.divisibility = 16 : i32}, %y: i32) -> tensor<64x32xf16, #dot_a> {
    %one = arith.constant 1 : i64
    %ptr = tt.make_tensor_ptr %base, [%m, %k], [%one, %pitch], [%x, %y] {order = array<i32: 0, 1>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr {boundaryCheck = array<i32: 1>, ttig.block_io = "column_major"} : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: No dim is checked, so no element may be out of bounds.
  // CHECK-LABEL: @unchecked
  // CHECK: ttig.2d_block_load {{.*}} {column_major} :
  // CHECKED-LABEL: @unchecked
  // CHECKED: ttig.2d_block_load {{.*}} {column_major} :
  tt.func @unchecked(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i64 {tt.divisibility = 16 : i32}, %k: i64, %pitch: i64 {tt.divisibility = 16 : i32}, %x: i32 {tt.divisibility = 16 : i32}, %y: i32) -> tensor<64x32xf16, #dot_a> {
    %one = arith.constant 1 : i64
    %ptr = tt.make_tensor_ptr %base, [%m, %k], [%one, %pitch], [%x, %y] {order = array<i32: 0, 1>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: 64 columns from column 448 end at 512; of 64 columns from 450, two are out of bounds.
  // CHECK-LABEL: @inside_for_sure
  // CHECK: ttig.2d_block_load {{.*}} {column_major} :
  // CHECK: ttig.2d_block_load {{.*}} {column_major} {ttig.guard = array<i32: 0>}
  tt.func @inside_for_sure(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> (tensor<64x32xf16, #dot_a>, tensor<64x32xf16, #dot_a>) {
    %one = arith.constant 1 : i64
    %size = arith.constant 512 : i64
    %x = arith.constant 448 : i32
    %right = arith.constant 450 : i32
    %y = arith.constant 480 : i32
    %ptr = tt.make_tensor_ptr %base, [%size, %size], [%one, %size], [%x, %y] {order = array<i32: 0, 1>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<64x32xf16, #dot_a>>
    %ptr2 = tt.make_tensor_ptr %base, [%size, %size], [%one, %size], [%right, %y] {order = array<i32: 0, 1>} : <tensor<64x32xf16, #dot_a>>
    %b = tt.load %ptr2 {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a, %b : tensor<64x32xf16, #dot_a>, tensor<64x32xf16, #dot_a>
  }

  // COM: Column-major B with the mark: Intel's lowering reads it by block messages without a guard.
  // CHECK-LABEL: @b_by_columns
  // CHECK: ttig.2d_block_load {{.*}} {column_major} :
  // CHECK: ttig.2d_block_load {{.*}} {column_major} {ttig.guard = array<i32: 0, 1>}
  // CHECKED-LABEL: @b_by_columns
  // CHECKED: ttig.2d_block_load {{.*}} {column_major} {ttig.guard = array<i32: 0, 1>}
  // CHECKED: ttig.2d_block_load {{.*}} {column_major} {ttig.guard = array<i32: 0, 1>}
  tt.func @b_by_columns(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %k: i64 {tt.divisibility = 16 : i32}, %n: i64, %pitch: i64 {tt.divisibility = 16 : i32}, %x: i32 {tt.divisibility = 16 : i32}, %y: i32) -> (tensor<32x64xf16, #dot_b>, tensor<32x64xf16, #dot_b>) {
    %one = arith.constant 1 : i64
    %ptr = tt.make_tensor_ptr %base, [%k, %n], [%one, %pitch], [%x, %y] {order = array<i32: 0, 1>} : <tensor<32x64xf16, #dot_b>>
    %a = tt.load %ptr {boundaryCheck = array<i32: 0, 1>, ttig.block_io = "column_major"} : !tt.ptr<tensor<32x64xf16, #dot_b>>
    %b = tt.load %ptr {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<32x64xf16, #dot_b>>
    tt.return %a, %b : tensor<32x64xf16, #dot_b>, tensor<32x64xf16, #dot_b>
  }

  // COM: Intel's lowering gathers 8-bit floats, but not 8-bit integers.
  // CHECK-LABEL: @bytes_by_columns
  // CHECK: ttig.2d_block_load {{.*}} {column_major} {ttig.guard = array<i32: 0, 1>} : !tt.ptr<f8E5M2>
  // CHECK: ttig.2d_block_load {{.*}} {column_major} : !tt.ptr<i8>
  tt.func @bytes_by_columns(%floats: !tt.ptr<f8E5M2> {tt.divisibility = 16 : i32}, %bytes: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %k: i64 {tt.divisibility = 16 : i32}, %n: i64, %pitch: i64 {tt.divisibility = 16 : i32}, %x: i32 {tt.divisibility = 16 : i32}, %y: i32) -> (tensor<64x64xf8E5M2, #dot_b>, tensor<64x64xi8, #dot_b>) {
    %one = arith.constant 1 : i64
    %ptr = tt.make_tensor_ptr %floats, [%k, %n], [%one, %pitch], [%x, %y] {order = array<i32: 0, 1>} : <tensor<64x64xf8E5M2, #dot_b>>
    %a = tt.load %ptr {boundaryCheck = array<i32: 0, 1>, ttig.block_io = "column_major"} : !tt.ptr<tensor<64x64xf8E5M2, #dot_b>>
    %ptr2 = tt.make_tensor_ptr %bytes, [%k, %n], [%one, %pitch], [%x, %y] {order = array<i32: 0, 1>} : <tensor<64x64xi8, #dot_b>>
    %b = tt.load %ptr2 {boundaryCheck = array<i32: 0, 1>, ttig.block_io = "column_major"} : !tt.ptr<tensor<64x64xi8, #dot_b>>
    tt.return %a, %b : tensor<64x64xf8E5M2, #dot_b>, tensor<64x64xi8, #dot_b>
  }

  // COM: A descriptor is checked along every dim.
  // CHECK-LABEL: @descriptor
  // CHECK: ttig.2d_block_load {{.*}} {row_major} :
  // CHECK: ttig.2d_block_load {{.*}} {row_major} {ttig.guard = array<i32: 0, 1>}
  // CHECKED-LABEL: @descriptor
  // CHECKED: ttig.2d_block_load {{.*}} {row_major} {ttig.guard = array<i32: 0, 1>}
  tt.func @descriptor(%desc: !tt.tensordesc<tensor<64x32xf16>>, %x: i32 {tt.divisibility = 16 : i32}, %y: i32) -> (tensor<64x32xf16, #dot_a>, tensor<64x32xf16, #dot_a>) {
    %a = tt.descriptor_load %desc[%y, %x] {ttig.block_io = "row_major"} : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #dot_a>
    %b = tt.descriptor_load %desc[%y, %x] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #dot_a>
    tt.return %a, %b : tensor<64x32xf16, #dot_a>, tensor<64x32xf16, #dot_a>
  }

  // COM: For pointers, the mask is the guard; without a mask there is none.
  // CHECK-LABEL: @pointers
  // CHECK: ttig.2d_block_load_from_ptr %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} {row_major} {base_height = 32 : i32, base_width = 32 : i32} :
  // CHECK: ttig.2d_block_load_from_ptr {{.*}} {row_major} {base_height = 32 : i32, base_width = 32 : i32, ttig.guard = array<i32: 0, 1>} :
  // CHECKED-LABEL: @pointers
  // CHECKED: ttig.2d_block_load_from_ptr %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} {row_major} {base_height = 32 : i32, base_width = 32 : i32} :
  tt.func @pointers(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %all: i1) -> (tensor<64x32xf16, #dot_a>, tensor<64x32xf16, #dot_a>) {
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #columns>
    %m2 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #dot_a>
    %k2 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #columns> -> tensor<1x32xi32, #dot_a>
    %stride = arith.constant dense<512> : tensor<64x1xi32, #dot_a>
    %row = arith.muli %m2, %stride : tensor<64x1xi32, #dot_a>
    %row_wide = tt.broadcast %row : tensor<64x1xi32, #dot_a> -> tensor<64x32xi32, #dot_a>
    %column_wide = tt.broadcast %k2 : tensor<1x32xi32, #dot_a> -> tensor<64x32xi32, #dot_a>
    %offset = arith.addi %row_wide, %column_wide : tensor<64x32xi32, #dot_a>
    %splat = tt.splat %base : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #dot_a>
    %ptr = tt.addptr %splat, %offset : tensor<64x32x!tt.ptr<f16>, #dot_a>, tensor<64x32xi32, #dot_a>
    %mask = tt.splat %all : i1 -> tensor<64x32xi1, #dot_a>
    %a = tt.load %ptr : tensor<64x32x!tt.ptr<f16>, #dot_a>
    %b = tt.load %ptr, %mask : tensor<64x32x!tt.ptr<f16>, #dot_a>
    tt.return %a, %b : tensor<64x32xf16, #dot_a>, tensor<64x32xf16, #dot_a>
  }
}
