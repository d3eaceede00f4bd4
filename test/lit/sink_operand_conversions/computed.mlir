// RUN: dotload-opt %s --sink-operand-conversions --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: dotload-opt %s --sink-operand-conversions --await-register-operands | FileCheck %s --check-prefix=FLIGHT
// RUN: dotload-opt %s --sink-operand-conversions --convert-staged-operands-to-llvm | FileCheck %s --check-prefix=LLVM

// COM: Parts that several ops compute, from other operands besides the fragments.

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 16], [4, 32], [8, 0], [16, 0]]}, alignment = 16>
#held = #ttg.linear<{register = [[1, 0], [0, 1], [8, 0], [16, 0]], lane = [[2, 0], [4, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#cut4 = #ttg.linear<{register = [[0, 0, 1], [8, 0, 0], [0, 0, 8], [0, 1, 0]], lane = [[0, 0, 2], [0, 0, 4], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#cut3 = #ttg.linear<{register = [[0, 1, 0], [8, 0, 0], [0, 8, 0], [0, 0, 1]], lane = [[0, 2, 0], [0, 4, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#cut2 = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#packed = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#named = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#raw2 = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 16], [4, 32], [8, 0]]}, alignment = 16>
#held2 = #ttg.linear<{register = [[0, 1], [4, 0], [8, 0]], lane = [[1, 0], [2, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
!b = !ttg.memdesc<32x128xbf16, #shared, #smem, mutable>
!half = !ttg.memdesc<16x128xbf16, #shared, #smem, mutable, 32x128>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Zero points and scales: the scales are split like the bytes, and each part takes its own constant. A layout that
// COM: only differs in its name is the same layout.
// CHECK-LABEL: @scaled
// CHECK:       scf.for
// CHECK-NOT:     arith.sitofp
// CHECK:         %[[LO:.*]], %[[HI:.*]] = tt.split %{{.*}} : tensor<64x16x2xi8, {{.*}}> -> tensor<64x16xi8
// CHECK:         %[[SLO:.*]], %[[SHI:.*]] = tt.split %{{.*}} : tensor<64x16x2xbf16, {{.*}}> -> tensor<64x16xbf16
// CHECK:         %[[P0:.*]] = ttg.convert_layout %[[LO]]
// CHECK:         %[[S0:.*]] = ttg.convert_layout %[[SLO]]
// CHECK:         %[[P1:.*]] = ttg.convert_layout %[[HI]]
// CHECK:         %[[S1:.*]] = ttg.convert_layout %[[SHI]]
// CHECK:         %[[W0:.*]] = arith.sitofp %[[P0]] : tensor<64x16xi8
// CHECK-NEXT:    %[[X0:.*]] = arith.subf %[[W0]], %{{.*}} : tensor<64x16xbf16
// CHECK-NEXT:    %[[A0:.*]] = arith.mulf %[[X0]], %[[S0]] : tensor<64x16xbf16
// CHECK-NEXT:    %[[D0:.*]] = ttng.warp_group_dot %[[A0]]
// CHECK-NEXT:    ttng.warp_group_dot_wait %[[D0]]
// CHECK-NEXT:    %[[W1:.*]] = arith.sitofp %[[P1]]
// CHECK-NEXT:    %[[X1:.*]] = arith.subf %[[W1]], %{{.*}}
// CHECK-NEXT:    %[[A1:.*]] = arith.mulf %[[X1]], %[[S1]]
// CHECK-NEXT:    ttng.warp_group_dot %[[A1]]
// CHECK:         scf.yield
// REMARK:      remark: sink-operand-conversions: each part of the operand is converted right before its dot
// COM: The last part may stay in flight, and each part is permuted separately.
// FLIGHT-LABEL:  @scaled
// FLIGHT-COUNT-2: ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// LLVM-LABEL:  @scaled
// LLVM-COUNT-2: llvm.shufflevector {{.*}} [0, 2, 1, 3]
// LLVM-NOT:    llvm.shufflevector
// LLVM:        arith.sitofp
// LLVM:        ttng.warp_group_dot
// LLVM-COUNT-2: llvm.shufflevector {{.*}} [0, 2, 1, 3]
// LLVM:        arith.sitofp
tt.func @scaled(%tiles: !ttg.memdesc<2x32x64xi8, #raw, #smem, mutable>, %scales: tensor<64x32xbf16, #dot>, %b: !b, %init: tensor<64x128xf32, #mma>, %n: i32) -> tensor<64x128xf32, #mma> {
  %eight = arith.constant dense<8.0> : tensor<64x32xbf16, #named>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<64x128xf32, #mma>) : i32 {
    %at = arith.andi %i, %c1 : i32
    %tile = ttg.memdesc_index %tiles[%at] : !ttg.memdesc<2x32x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<32x64xi8, #raw, #smem, mutable>
    %read = ttg.local_load %tile {dotload.staged = "fragments"} : !ttg.memdesc<32x64xi8, #raw, #smem, mutable> -> tensor<32x64xi8, #held>
    %bytes = builtin.unrealized_conversion_cast %read : tensor<32x64xi8, #held> to tensor<64x32xi8, #dot>
    %w = arith.sitofp %bytes : tensor<64x32xi8, #dot> to tensor<64x32xbf16, #dot>
    %same = ttg.convert_layout %w : tensor<64x32xbf16, #dot> -> tensor<64x32xbf16, #named>
    %x = arith.subf %same, %eight : tensor<64x32xbf16, #named>
    %y = ttg.convert_layout %x : tensor<64x32xbf16, #named> -> tensor<64x32xbf16, #dot>
    %a = arith.mulf %y, %scales : tensor<64x32xbf16, #dot>
    %s = tt.reshape %a : tensor<64x32xbf16, #dot> -> tensor<64x2x16xbf16, #cut4>
    %t = tt.trans %s {order = array<i32: 0, 2, 1>} : tensor<64x2x16xbf16, #cut4> -> tensor<64x16x2xbf16, #cut3>
    %lo, %hi = tt.split %t : tensor<64x16x2xbf16, #cut3> -> tensor<64x16xbf16, #cut2>
    %a0 = ttg.convert_layout %lo : tensor<64x16xbf16, #cut2> -> tensor<64x16xbf16, #dot>
    %a1 = ttg.convert_layout %hi : tensor<64x16xbf16, #cut2> -> tensor<64x16xbf16, #dot>
    %b0 = ttg.memdesc_subslice %b[0, 0] : !b -> !half
    %b1 = ttg.memdesc_subslice %b[16, 0] : !b -> !half
    %d0 = ttng.warp_group_dot %a0, %b0, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x16xbf16, #dot> * !half -> tensor<64x128xf32, #mma>
    %w0 = ttng.warp_group_dot_wait %d0 {pendings = 1 : i32} : tensor<64x128xf32, #mma>
    %d1 = ttng.warp_group_dot %a1, %b1, %w0 {inputPrecision = 0 : i32, isAsync = true} : tensor<64x16xbf16, #dot> * !half -> tensor<64x128xf32, #mma>
    %w1 = ttng.warp_group_dot_wait %d1 {pendings = 1 : i32} : tensor<64x128xf32, #mma>
    scf.yield %w1 : tensor<64x128xf32, #mma>
  }
  tt.return %r : tensor<64x128xf32, #mma>
}

// COM: One condition for the whole tile cannot be split.
// CHECK-LABEL: @scalar
// CHECK-COUNT-2: arith.select %{{.*}} : tensor<64x16xbf16
// CHECK:         scf.yield
// REMARK:      remark: sink-operand-conversions: each part of the operand is converted right before its dot
tt.func @scalar(%tiles: !ttg.memdesc<2x32x64xi8, #raw, #smem, mutable>, %scales: tensor<64x32xbf16, #dot>, %b: !b, %init: tensor<64x128xf32, #mma>, %n: i32, %flag: i1) -> tensor<64x128xf32, #mma> {
  %eight = arith.constant dense<8.0> : tensor<64x32xbf16, #named>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<64x128xf32, #mma>) : i32 {
    %at = arith.andi %i, %c1 : i32
    %tile = ttg.memdesc_index %tiles[%at] : !ttg.memdesc<2x32x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<32x64xi8, #raw, #smem, mutable>
    %read = ttg.local_load %tile {dotload.staged = "fragments"} : !ttg.memdesc<32x64xi8, #raw, #smem, mutable> -> tensor<32x64xi8, #held>
    %bytes = builtin.unrealized_conversion_cast %read : tensor<32x64xi8, #held> to tensor<64x32xi8, #dot>
    %w = arith.sitofp %bytes : tensor<64x32xi8, #dot> to tensor<64x32xbf16, #dot>
    %same = ttg.convert_layout %w : tensor<64x32xbf16, #dot> -> tensor<64x32xbf16, #named>
    %x = arith.subf %same, %eight : tensor<64x32xbf16, #named>
    %y = ttg.convert_layout %x : tensor<64x32xbf16, #named> -> tensor<64x32xbf16, #dot>
    %a = arith.select %flag, %y, %scales : tensor<64x32xbf16, #dot>
    %s = tt.reshape %a : tensor<64x32xbf16, #dot> -> tensor<64x2x16xbf16, #cut4>
    %t = tt.trans %s {order = array<i32: 0, 2, 1>} : tensor<64x2x16xbf16, #cut4> -> tensor<64x16x2xbf16, #cut3>
    %lo, %hi = tt.split %t : tensor<64x16x2xbf16, #cut3> -> tensor<64x16xbf16, #cut2>
    %a0 = ttg.convert_layout %lo : tensor<64x16xbf16, #cut2> -> tensor<64x16xbf16, #dot>
    %a1 = ttg.convert_layout %hi : tensor<64x16xbf16, #cut2> -> tensor<64x16xbf16, #dot>
    %b0 = ttg.memdesc_subslice %b[0, 0] : !b -> !half
    %b1 = ttg.memdesc_subslice %b[16, 0] : !b -> !half
    %d0 = ttng.warp_group_dot %a0, %b0, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x16xbf16, #dot> * !half -> tensor<64x128xf32, #mma>
    %w0 = ttng.warp_group_dot_wait %d0 {pendings = 1 : i32} : tensor<64x128xf32, #mma>
    %d1 = ttng.warp_group_dot %a1, %b1, %w0 {inputPrecision = 0 : i32, isAsync = true} : tensor<64x16xbf16, #dot> * !half -> tensor<64x128xf32, #mma>
    %w1 = ttng.warp_group_dot_wait %d1 {pendings = 1 : i32} : tensor<64x128xf32, #mma>
    scf.yield %w1 : tensor<64x128xf32, #mma>
  }
  tt.return %r : tensor<64x128xf32, #mma>
}

// COM: A byte packs two numbers: the bytes are split with half of k, and each part is unpacked.
// CHECK-LABEL: @two_numbers_a_byte
// CHECK:       scf.for
// CHECK-NOT:     ttg.fp4_to_fp
// CHECK:         tt.reshape %{{.*}} : tensor<64x16xi8, {{.*}}> -> tensor<64x2x8xi8
// CHECK:         %[[LO:.*]], %[[HI:.*]] = tt.split %{{.*}} : tensor<64x8x2xi8, {{.*}}> -> tensor<64x8xi8
// CHECK:         %[[P0:.*]] = ttg.convert_layout %[[LO]] : {{.*}} -> tensor<64x8xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>>
// CHECK:         %[[W0:.*]] = ttg.fp4_to_fp %[[P0]] {axis = 1 : i32} : {{.*}} -> tensor<64x16xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
// CHECK-NEXT:    %[[A0:.*]] = arith.mulf %[[W0]]
// CHECK-NEXT:    ttng.warp_group_dot %[[A0]]
// CHECK:         ttg.fp4_to_fp
// CHECK:         scf.yield
// REMARK:      remark: sink-operand-conversions: each part of the operand is converted right before its dot
// FLIGHT-LABEL:  @two_numbers_a_byte
// FLIGHT-COUNT-2: ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
tt.func @two_numbers_a_byte(%tiles: !ttg.memdesc<2x16x64xi8, #raw2, #smem, mutable>, %scales: tensor<64x32xbf16, #dot>, %b: !b, %init: tensor<64x128xf32, #mma>, %n: i32) -> tensor<64x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<64x128xf32, #mma>) : i32 {
    %at = arith.andi %i, %c1 : i32
    %tile = ttg.memdesc_index %tiles[%at] : !ttg.memdesc<2x16x64xi8, #raw2, #smem, mutable> -> !ttg.memdesc<16x64xi8, #raw2, #smem, mutable>
    %read = ttg.local_load %tile {dotload.staged = "fragments"} : !ttg.memdesc<16x64xi8, #raw2, #smem, mutable> -> tensor<16x64xi8, #held2>
    %bytes = builtin.unrealized_conversion_cast %read : tensor<16x64xi8, #held2> to tensor<64x16xi8, #packed>
    %w = ttg.fp4_to_fp %bytes {axis = 1 : i32} : tensor<64x16xi8, #packed> -> tensor<64x32xbf16, #dot>
    %a = arith.mulf %w, %scales : tensor<64x32xbf16, #dot>
    %s = tt.reshape %a : tensor<64x32xbf16, #dot> -> tensor<64x2x16xbf16, #cut4>
    %t = tt.trans %s {order = array<i32: 0, 2, 1>} : tensor<64x2x16xbf16, #cut4> -> tensor<64x16x2xbf16, #cut3>
    %lo, %hi = tt.split %t : tensor<64x16x2xbf16, #cut3> -> tensor<64x16xbf16, #cut2>
    %a0 = ttg.convert_layout %lo : tensor<64x16xbf16, #cut2> -> tensor<64x16xbf16, #dot>
    %a1 = ttg.convert_layout %hi : tensor<64x16xbf16, #cut2> -> tensor<64x16xbf16, #dot>
    %b0 = ttg.memdesc_subslice %b[0, 0] : !b -> !half
    %b1 = ttg.memdesc_subslice %b[16, 0] : !b -> !half
    %d0 = ttng.warp_group_dot %a0, %b0, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x16xbf16, #dot> * !half -> tensor<64x128xf32, #mma>
    %w0 = ttng.warp_group_dot_wait %d0 {pendings = 1 : i32} : tensor<64x128xf32, #mma>
    %d1 = ttng.warp_group_dot %a1, %b1, %w0 {inputPrecision = 0 : i32, isAsync = true} : tensor<64x16xbf16, #dot> * !half -> tensor<64x128xf32, #mma>
    %w1 = ttng.warp_group_dot_wait %d1 {pendings = 1 : i32} : tensor<64x128xf32, #mma>
    scf.yield %w1 : tensor<64x128xf32, #mma>
  }
  tt.return %r : tensor<64x128xf32, #mma>
}

// COM: A layout conversion in between moves elements to other threads: A stays whole.
// CHECK-LABEL: @exchanged
// CHECK:       %[[W:.*]] = arith.sitofp {{.*}} to tensor<64x32xbf16
// CHECK:       arith.mulf {{.*}} : tensor<64x32xbf16
// CHECK:       tt.return
// REMARK-NOT:  remark
tt.func @exchanged(%tiles: !ttg.memdesc<2x32x64xi8, #raw, #smem, mutable>, %scales: tensor<64x32xbf16, #rows>, %b: !b, %init: tensor<64x128xf32, #mma>, %n: i32) -> tensor<64x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<64x128xf32, #mma>) : i32 {
    %at = arith.andi %i, %c1 : i32
    %tile = ttg.memdesc_index %tiles[%at] : !ttg.memdesc<2x32x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<32x64xi8, #raw, #smem, mutable>
    %read = ttg.local_load %tile {dotload.staged = "fragments"} : !ttg.memdesc<32x64xi8, #raw, #smem, mutable> -> tensor<32x64xi8, #held>
    %bytes = builtin.unrealized_conversion_cast %read : tensor<32x64xi8, #held> to tensor<64x32xi8, #dot>
    %w = arith.sitofp %bytes : tensor<64x32xi8, #dot> to tensor<64x32xbf16, #dot>
    %away = ttg.convert_layout %w : tensor<64x32xbf16, #dot> -> tensor<64x32xbf16, #rows>
    %x = arith.mulf %away, %scales : tensor<64x32xbf16, #rows>
    %a = ttg.convert_layout %x : tensor<64x32xbf16, #rows> -> tensor<64x32xbf16, #dot>
    %s = tt.reshape %a : tensor<64x32xbf16, #dot> -> tensor<64x2x16xbf16, #cut4>
    %t = tt.trans %s {order = array<i32: 0, 2, 1>} : tensor<64x2x16xbf16, #cut4> -> tensor<64x16x2xbf16, #cut3>
    %lo, %hi = tt.split %t : tensor<64x16x2xbf16, #cut3> -> tensor<64x16xbf16, #cut2>
    %a0 = ttg.convert_layout %lo : tensor<64x16xbf16, #cut2> -> tensor<64x16xbf16, #dot>
    %a1 = ttg.convert_layout %hi : tensor<64x16xbf16, #cut2> -> tensor<64x16xbf16, #dot>
    %b0 = ttg.memdesc_subslice %b[0, 0] : !b -> !half
    %b1 = ttg.memdesc_subslice %b[16, 0] : !b -> !half
    %d0 = ttng.warp_group_dot %a0, %b0, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x16xbf16, #dot> * !half -> tensor<64x128xf32, #mma>
    %w0 = ttng.warp_group_dot_wait %d0 {pendings = 1 : i32} : tensor<64x128xf32, #mma>
    %d1 = ttng.warp_group_dot %a1, %b1, %w0 {inputPrecision = 0 : i32, isAsync = true} : tensor<64x16xbf16, #dot> * !half -> tensor<64x128xf32, #mma>
    %w1 = ttng.warp_group_dot_wait %d1 {pendings = 1 : i32} : tensor<64x128xf32, #mma>
    scf.yield %w1 : tensor<64x128xf32, #mma>
  }
  tt.return %r : tensor<64x128xf32, #mma>
}
}
