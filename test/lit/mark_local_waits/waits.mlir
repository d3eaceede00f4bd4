// RUN: dotload-opt %s --mark-local-waits | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 16], [4, 32], [8, 0]]}, alignment = 16>
#held = #ttg.linear<{register = [[1, 0], [0, 1], [8, 0]], lane = [[2, 0], [4, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!raw = !ttg.memdesc<16x64xi8, #raw, #smem, mutable>
!a = !ttg.memdesc<64x16xf16, #rows, #smem, mutable>
!b = !ttg.memdesc<16x128xf16, #shared, #smem, mutable>
!c = tensor<64x128xf32, #mma>
!bytes = tensor<16x64xi8, #held>
!fragments = tensor<64x16xi8, #dot>
!halves = tensor<64x16xf16, #dot>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The wait in the loop is marked; after the loop, nothing is gained.
// CHECK-LABEL: @whole
// CHECK:         scf.for
// CHECK:           ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32, warpGroupLocal}
// CHECK:         ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
tt.func @whole(%tile: !raw, %b: !b, %p: !tt.ptr<i32>, %init: !c, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (!c) : i32 {
    %read = ttg.local_load %tile {dotload.staged = "fragments"} : !raw -> !bytes
    %bytes = builtin.unrealized_conversion_cast %read : !bytes to !fragments
    %a = arith.sitofp %bytes : !fragments to !halves
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : !halves * !b -> !c
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !c
    scf.yield %w : !c
  }
  %out = ttng.warp_group_dot_wait %r {pendings = 0 : i32} : !c
  tt.return %out : !c
}

// COM: The wait leaves a dot in flight, whose A is converted right before it: its barrier stays.
// CHECK-LABEL: @converted_part
// CHECK:           ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32} :
tt.func @converted_part(%tile: !raw, %b: !b, %p: !tt.ptr<i32>, %init: !c, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (!c) : i32 {
    %read = ttg.local_load %tile {dotload.staged = "fragments"} : !raw -> !bytes
    %bytes = builtin.unrealized_conversion_cast %read : !bytes to !fragments
    %a = arith.sitofp %bytes : !fragments to !halves
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : !halves * !b -> !c
    %w = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : !c
    scf.yield %w : !c
  }
  %out = ttng.warp_group_dot_wait %r {pendings = 0 : i32} : !c
  tt.return %out : !c
}

// COM: Such a loop that also loads scales: no load moves above a barrier.
// CHECK-LABEL: @converted_part_and_loads
// CHECK:           tt.load
// CHECK:           ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32, warpGroupLocal}
tt.func @converted_part_and_loads(%tile: !raw, %b: !b, %p: !tt.ptr<i32>, %init: !c, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (!c) : i32 {
    %scale = tt.load %p : !tt.ptr<i32>
    %read = ttg.local_load %tile {dotload.staged = "fragments"} : !raw -> !bytes
    %bytes = builtin.unrealized_conversion_cast %read : !bytes to !fragments
    %a = arith.sitofp %bytes : !fragments to !halves
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : !halves * !b -> !c
    %w = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : !c
    scf.yield %w : !c
  }
  %out = ttng.warp_group_dot_wait %r {pendings = 0 : i32} : !c
  tt.return %out : !c
}

// COM: The part is read as it is.
// CHECK-LABEL: @part
// CHECK:           ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32, warpGroupLocal}
tt.func @part(%tile: !raw, %before: !halves, %b: !b, %init: !c, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (!c) : i32 {
    %read = ttg.local_load %tile {dotload.staged = "fragments"} : !raw -> !bytes
    %d = ttng.warp_group_dot %before, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : !halves * !b -> !c
    %w = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : !c
    scf.yield %w : !c
  }
  %out = ttng.warp_group_dot_wait %r {pendings = 0 : i32} : !c
  tt.return %out : !c
}

// COM: A loop without a staged tile is Triton's.
// CHECK-LABEL: @not_staged
// CHECK:           ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32} :
// CHECK:           scf.yield
tt.func @not_staged(%a: !a, %b: !b, %init: !c, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (!c) : i32 {
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : !a * !b -> !c
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !c
    scf.yield %w : !c
  }
  %out = ttng.warp_group_dot_wait %r {pendings = 0 : i32} : !c
  tt.return %out : !c
}
}
