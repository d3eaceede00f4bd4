// RUN: dotload-opt %s --sink-operand-conversions --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: dotload-opt %s --sink-operand-conversions --await-register-operands | FileCheck %s --check-prefix=FLIGHT
// RUN: dotload-opt %s --sink-operand-conversions --convert-staged-operands-to-llvm | FileCheck %s --check-prefix=LLVM

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#narrow = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 32, 16]}>
#ndot = #ttg.dot_op<{opIdx = 0, parent = #narrow, kWidth = 2}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 16], [4, 32], [8, 0], [16, 0]]}, alignment = 16>
#held = #ttg.linear<{register = [[1, 0], [0, 1], [8, 0], [16, 0]], lane = [[2, 0], [4, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#cut4 = #ttg.linear<{register = [[0, 0, 1], [8, 0, 0], [0, 0, 8], [0, 1, 0]], lane = [[0, 0, 2], [0, 0, 4], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#cut3 = #ttg.linear<{register = [[0, 1, 0], [8, 0, 0], [0, 8, 0], [0, 0, 1]], lane = [[0, 2, 0], [0, 4, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#cut2 = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The bytes are split before the conversion, and each part is converted after the wait before its dot.
// CHECK-LABEL: @parts
// CHECK:       scf.for
// CHECK:         %[[BYTES:.*]] = builtin.unrealized_conversion_cast
// CHECK-NOT:     arith.sitofp
// CHECK:         %[[LO:.*]], %[[HI:.*]] = tt.split %{{.*}} : tensor<64x16x2xi8, {{.*}}> -> tensor<64x16xi8
// CHECK:         %[[P0:.*]] = ttg.convert_layout %[[LO]]
// CHECK:         %[[P1:.*]] = ttg.convert_layout %[[HI]]
// CHECK:         %[[A0:.*]] = arith.sitofp %[[P0]]
// CHECK-NEXT:    %[[D0:.*]] = ttng.warp_group_dot %[[A0]]
// CHECK-NEXT:    ttng.warp_group_dot_wait %[[D0]]
// CHECK-NEXT:    %[[A1:.*]] = arith.sitofp %[[P1]]
// CHECK-NEXT:    %[[D1:.*]] = ttng.warp_group_dot %[[A1]]
// CHECK-NEXT:    ttng.warp_group_dot_wait %[[D1]]
// CHECK-NOT:     tt.split
// CHECK:         scf.yield
// REMARK:      remark: sink-operand-conversions: each part of the operand is converted right before its dot
// COM: The last part may then stay in flight when its iteration ends.
// FLIGHT-LABEL:  @parts
// FLIGHT-COUNT-2: ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// COM: A word of ldmatrix has two k at two rows: the bytes of each word are permuted part by part.
// LLVM-LABEL:  @parts
// LLVM-COUNT-2: llvm.shufflevector {{.*}} [0, 2, 1, 3]
// LLVM-NOT:    llvm.shufflevector
// LLVM:        arith.sitofp
// LLVM-NEXT:   ttng.warp_group_dot
// LLVM-COUNT-2: llvm.shufflevector {{.*}} [0, 2, 1, 3]
// LLVM-NOT:    llvm.shufflevector
// LLVM:        arith.sitofp
// LLVM-NEXT:   ttng.warp_group_dot
tt.func @parts(%tiles: !ttg.memdesc<2x32x64xi8, #raw, #smem, mutable>, %b: !ttg.memdesc<32x128xf16, #shared, #smem, mutable>, %p: !tt.ptr<i32>, %init: tensor<64x128xf32, #mma>, %n: i32) -> tensor<64x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<64x128xf32, #mma>) : i32 {
    %at = arith.andi %i, %c1 : i32
    %tile = ttg.memdesc_index %tiles[%at] : !ttg.memdesc<2x32x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<32x64xi8, #raw, #smem, mutable>
    %read = ttg.local_load %tile {dotload.staged = "fragments"} : !ttg.memdesc<32x64xi8, #raw, #smem, mutable> -> tensor<32x64xi8, #held>
    %bytes = builtin.unrealized_conversion_cast %read : tensor<32x64xi8, #held> to tensor<64x32xi8, #dot>
    %a = arith.sitofp %bytes : tensor<64x32xi8, #dot> to tensor<64x32xf16, #dot>
    %s = tt.reshape %a : tensor<64x32xf16, #dot> -> tensor<64x2x16xf16, #cut4>
    %t = tt.trans %s {order = array<i32: 0, 2, 1>} : tensor<64x2x16xf16, #cut4> -> tensor<64x16x2xf16, #cut3>
    %lo, %hi = tt.split %t : tensor<64x16x2xf16, #cut3> -> tensor<64x16xf16, #cut2>
    %a0 = ttg.convert_layout %lo : tensor<64x16xf16, #cut2> -> tensor<64x16xf16, #dot>
    %a1 = ttg.convert_layout %hi : tensor<64x16xf16, #cut2> -> tensor<64x16xf16, #dot>
    %b0 = ttg.memdesc_subslice %b[0, 0] : !ttg.memdesc<32x128xf16, #shared, #smem, mutable> -> !ttg.memdesc<16x128xf16, #shared, #smem, mutable, 32x128>
    %b1 = ttg.memdesc_subslice %b[16, 0] : !ttg.memdesc<32x128xf16, #shared, #smem, mutable> -> !ttg.memdesc<16x128xf16, #shared, #smem, mutable, 32x128>
    %d0 = ttng.warp_group_dot %a0, %b0, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x16xf16, #dot> * !ttg.memdesc<16x128xf16, #shared, #smem, mutable, 32x128> -> tensor<64x128xf32, #mma>
    %w0 = ttng.warp_group_dot_wait %d0 {pendings = 1 : i32} : tensor<64x128xf32, #mma>
    %d1 = ttng.warp_group_dot %a1, %b1, %w0 {inputPrecision = 0 : i32, isAsync = true} : tensor<64x16xf16, #dot> * !ttg.memdesc<16x128xf16, #shared, #smem, mutable, 32x128> -> tensor<64x128xf32, #mma>
    %w1 = ttng.warp_group_dot_wait %d1 {pendings = 1 : i32} : tensor<64x128xf32, #mma>
    scf.yield %w1 : tensor<64x128xf32, #mma>
  }
  tt.return %r : tensor<64x128xf32, #mma>
}

// COM: The converted operand has another use: it stays whole, and the loop waits for the whole dot.
// CHECK-LABEL: @another_use
// CHECK:       %[[A:.*]] = arith.sitofp {{.*}} to tensor<64x32xf16
// CHECK:       tt.reshape %[[A]]
// CHECK:       tt.return
// FLIGHT-LABEL: @another_use
// FLIGHT:      ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// FLIGHT:      ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
tt.func @another_use(%tiles: !ttg.memdesc<2x32x64xi8, #raw, #smem, mutable>, %b: !ttg.memdesc<32x128xf16, #shared, #smem, mutable>, %p: !tt.ptr<i32>, %init: tensor<64x128xf32, #mma>, %n: i32) -> tensor<64x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<64x128xf32, #mma>) : i32 {
    %at = arith.andi %i, %c1 : i32
    %tile = ttg.memdesc_index %tiles[%at] : !ttg.memdesc<2x32x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<32x64xi8, #raw, #smem, mutable>
    %read = ttg.local_load %tile {dotload.staged = "fragments"} : !ttg.memdesc<32x64xi8, #raw, #smem, mutable> -> tensor<32x64xi8, #held>
    %bytes = builtin.unrealized_conversion_cast %read : tensor<32x64xi8, #held> to tensor<64x32xi8, #dot>
    %a = arith.sitofp %bytes : tensor<64x32xi8, #dot> to tensor<64x32xf16, #dot>
    %largest = "tt.reduce"(%a) <{axis = 1 : i32}> ({
    ^bb0(%x: f16, %y: f16):
      %z = arith.maximumf %x, %y : f16
      tt.reduce.return %z : f16
    }) : (tensor<64x32xf16, #dot>) -> tensor<64xf16, #ttg.slice<{dim = 1, parent = #dot}>>
    %s = tt.reshape %a : tensor<64x32xf16, #dot> -> tensor<64x2x16xf16, #cut4>
    %t = tt.trans %s {order = array<i32: 0, 2, 1>} : tensor<64x2x16xf16, #cut4> -> tensor<64x16x2xf16, #cut3>
    %lo, %hi = tt.split %t : tensor<64x16x2xf16, #cut3> -> tensor<64x16xf16, #cut2>
    %a0 = ttg.convert_layout %lo : tensor<64x16xf16, #cut2> -> tensor<64x16xf16, #dot>
    %a1 = ttg.convert_layout %hi : tensor<64x16xf16, #cut2> -> tensor<64x16xf16, #dot>
    %b0 = ttg.memdesc_subslice %b[0, 0] : !ttg.memdesc<32x128xf16, #shared, #smem, mutable> -> !ttg.memdesc<16x128xf16, #shared, #smem, mutable, 32x128>
    %b1 = ttg.memdesc_subslice %b[16, 0] : !ttg.memdesc<32x128xf16, #shared, #smem, mutable> -> !ttg.memdesc<16x128xf16, #shared, #smem, mutable, 32x128>
    %d0 = ttng.warp_group_dot %a0, %b0, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x16xf16, #dot> * !ttg.memdesc<16x128xf16, #shared, #smem, mutable, 32x128> -> tensor<64x128xf32, #mma>
    %w0 = ttng.warp_group_dot_wait %d0 {pendings = 1 : i32} : tensor<64x128xf32, #mma>
    %d1 = ttng.warp_group_dot %a1, %b1, %w0 {inputPrecision = 0 : i32, isAsync = true} : tensor<64x16xf16, #dot> * !ttg.memdesc<16x128xf16, #shared, #smem, mutable, 32x128> -> tensor<64x128xf32, #mma>
    %w1 = ttng.warp_group_dot_wait %d1 {pendings = 1 : i32} : tensor<64x128xf32, #mma>
    scf.yield %w1 : tensor<64x128xf32, #mma>
  }
  tt.return %r : tensor<64x128xf32, #mma>
}

// COM: Memory limits a dot of 32 columns: A is converted as a whole.
// CHECK-LABEL: @few_columns
// CHECK:       %[[A:.*]] = arith.sitofp {{.*}} to tensor<64x32xf16
// CHECK:       tt.reshape %[[A]]
// CHECK:       tt.return
// REMARK:      remark: sink-operand-conversions: kept arith.sitofp: the dot has 32 columns; with 32 or fewer it is memory-bound [FEW_COLUMNS]
tt.func @few_columns(%tiles: !ttg.memdesc<2x32x64xi8, #raw, #smem, mutable>, %b: !ttg.memdesc<32x32xf16, #shared, #smem, mutable>, %p: !tt.ptr<i32>, %init: tensor<64x32xf32, #narrow>, %n: i32) -> tensor<64x32xf32, #narrow> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<64x32xf32, #narrow>) : i32 {
    %at = arith.andi %i, %c1 : i32
    %tile = ttg.memdesc_index %tiles[%at] : !ttg.memdesc<2x32x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<32x64xi8, #raw, #smem, mutable>
    %read = ttg.local_load %tile {dotload.staged = "fragments"} : !ttg.memdesc<32x64xi8, #raw, #smem, mutable> -> tensor<32x64xi8, #held>
    %bytes = builtin.unrealized_conversion_cast %read : tensor<32x64xi8, #held> to tensor<64x32xi8, #ndot>
    %a = arith.sitofp %bytes : tensor<64x32xi8, #ndot> to tensor<64x32xf16, #ndot>
    %s = tt.reshape %a : tensor<64x32xf16, #ndot> -> tensor<64x2x16xf16, #cut4>
    %t = tt.trans %s {order = array<i32: 0, 2, 1>} : tensor<64x2x16xf16, #cut4> -> tensor<64x16x2xf16, #cut3>
    %lo, %hi = tt.split %t : tensor<64x16x2xf16, #cut3> -> tensor<64x16xf16, #cut2>
    %a0 = ttg.convert_layout %lo : tensor<64x16xf16, #cut2> -> tensor<64x16xf16, #ndot>
    %a1 = ttg.convert_layout %hi : tensor<64x16xf16, #cut2> -> tensor<64x16xf16, #ndot>
    %b0 = ttg.memdesc_subslice %b[0, 0] : !ttg.memdesc<32x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<16x32xf16, #shared, #smem, mutable, 32x32>
    %b1 = ttg.memdesc_subslice %b[16, 0] : !ttg.memdesc<32x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<16x32xf16, #shared, #smem, mutable, 32x32>
    %d0 = ttng.warp_group_dot %a0, %b0, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x16xf16, #ndot> * !ttg.memdesc<16x32xf16, #shared, #smem, mutable, 32x32> -> tensor<64x32xf32, #narrow>
    %w0 = ttng.warp_group_dot_wait %d0 {pendings = 1 : i32} : tensor<64x32xf32, #narrow>
    %d1 = ttng.warp_group_dot %a1, %b1, %w0 {inputPrecision = 0 : i32, isAsync = true} : tensor<64x16xf16, #ndot> * !ttg.memdesc<16x32xf16, #shared, #smem, mutable, 32x32> -> tensor<64x32xf32, #narrow>
    %w1 = ttng.warp_group_dot_wait %d1 {pendings = 1 : i32} : tensor<64x32xf32, #narrow>
    scf.yield %w1 : tensor<64x32xf32, #narrow>
  }
  tt.return %r : tensor<64x32xf32, #narrow>
}
}
