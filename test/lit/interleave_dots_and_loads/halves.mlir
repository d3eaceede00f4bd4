// RUN: dotload-opt %s --interleave-dots-and-loads --remarks 2>&1 | FileCheck %s

// COM: Loops of one dot in two parts. Loads into free buffers need no barrier, and no wait.

#columns = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.shared_linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!pointers = tensor<64x64x!tt.ptr<f8E4M3FN>, #columns>
!acc = tensor<64x64xf32, #mma>
!a = !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
!b = !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
!as = !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
!as3 = !ttg.memdesc<3x64x64xf8E4M3FN, #raw, #smem, mutable>
!bs = !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
!fragments = tensor<64x64xf8E4M3FN, #dot>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The loads follow the first half of the dot.
// CHECK:       remark: interleave-dots-and-loads: the next tiles are loaded between the dots of the loop
// CHECK-LABEL: @halves
// CHECK:         scf.for
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait %{{.*}} {pendings = 1 : i32}
// CHECK-NEXT:      ttg.memdesc_index
// CHECK-NEXT:      ttg.async_copy_global_to_local
// CHECK-NEXT:      ttg.async_commit_group
// CHECK-NEXT:      ttg.memdesc_index
// CHECK-NEXT:      ttg.async_copy_global_to_local
// CHECK-NEXT:      ttg.async_commit_group
// CHECK-NEXT:      ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait %{{.*}} {pendings = 1 : i32}
// CHECK-NEXT:      scf.yield
tt.func @halves(%p: !pointers, %as: !as, %bs: !bs, %at: i32, %to: i32, %init: !acc, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %out = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %a = ttg.memdesc_index %as[%at] : !as -> !a
    %b = ttg.memdesc_index %bs[%at] : !bs -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %g = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %d = ttng.warp_group_dot %f, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !fragments * !b -> !acc
    %w = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : !acc
    %e = ttng.warp_group_dot %g, %b, %w {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !fragments * !b -> !acc
    %v = ttng.warp_group_dot_wait %e {pendings = 1 : i32} : !acc
    %a2 = ttg.memdesc_index %as[%to] : !as -> !a
    %ca = ttg.async_copy_global_to_local %p, %a2 {contiguity = 16 : i32, dotload.free_buffer} : !pointers -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %ga = ttg.async_commit_group tokens %ca
    %b2 = ttg.memdesc_index %bs[%to] : !bs -> !b
    %cb = ttg.async_copy_global_to_local %p, %b2 {contiguity = 16 : i32, dotload.free_buffer} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %gb = ttg.async_commit_group tokens %cb
    scf.yield %v : !acc
  }
  %fin = ttng.warp_group_dot_wait %out {pendings = 0 : i32} : !acc
  tt.return %fin : !acc
}

// COM: Of four parts, two.
// CHECK-LABEL: @quarters
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait
// CHECK-NEXT:      ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait
// CHECK-NEXT:      ttg.memdesc_index
// CHECK-NEXT:      ttg.async_copy_global_to_local
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait
// CHECK-NEXT:      ttng.warp_group_dot %
tt.func @quarters(%p: !pointers, %as: !as, %bs: !bs, %at: i32, %to: i32, %init: !acc, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %out = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %a = ttg.memdesc_index %as[%at] : !as -> !a
    %b = ttg.memdesc_index %bs[%at] : !bs -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %g = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %d = ttng.warp_group_dot %f, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !fragments * !b -> !acc
    %w = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : !acc
    %e = ttng.warp_group_dot %g, %b, %w {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !fragments * !b -> !acc
    %v = ttng.warp_group_dot_wait %e {pendings = 1 : i32} : !acc
    %h = ttng.warp_group_dot %f, %b, %v {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !fragments * !b -> !acc
    %x = ttng.warp_group_dot_wait %h {pendings = 1 : i32} : !acc
    %k = ttng.warp_group_dot %g, %b, %x {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !fragments * !b -> !acc
    %y = ttng.warp_group_dot_wait %k {pendings = 1 : i32} : !acc
    %a2 = ttg.memdesc_index %as[%to] : !as -> !a
    %ca = ttg.async_copy_global_to_local %p, %a2 {contiguity = 16 : i32, dotload.free_buffer} : !pointers -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %ga = ttg.async_commit_group tokens %ca
    %b2 = ttg.memdesc_index %bs[%to] : !bs -> !b
    %cb = ttg.async_copy_global_to_local %p, %b2 {contiguity = 16 : i32, dotload.free_buffer} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %gb = ttg.async_commit_group tokens %cb
    scf.yield %y : !acc
  }
  %fin = ttng.warp_group_dot_wait %out {pendings = 0 : i32} : !acc
  tt.return %fin : !acc
}

// COM: One load writes a buffer that is still read: all stay.
// CHECK-LABEL: @one_waits
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait
// CHECK-NEXT:      ttng.warp_group_dot %
// CHECK:           scf.yield
tt.func @one_waits(%p: !pointers, %as: !as, %bs: !bs, %at: i32, %to: i32, %init: !acc, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %out = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %a = ttg.memdesc_index %as[%at] : !as -> !a
    %b = ttg.memdesc_index %bs[%at] : !bs -> !b
    %f = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %g = ttg.local_load %a {dotload.staged = "fragments"} : !a -> !fragments
    %d = ttng.warp_group_dot %f, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !fragments * !b -> !acc
    %w = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : !acc
    %e = ttng.warp_group_dot %g, %b, %w {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !fragments * !b -> !acc
    %v = ttng.warp_group_dot_wait %e {pendings = 1 : i32} : !acc
    %a2 = ttg.memdesc_index %as[%to] : !as -> !a
    %ca = ttg.async_copy_global_to_local %p, %a2 {contiguity = 16 : i32, dotload.free_buffer} : !pointers -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %ga = ttg.async_commit_group tokens %ca
    %b2 = ttg.memdesc_index %bs[%to] : !bs -> !b
    %cb = ttg.async_copy_global_to_local %p, %b2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %gb = ttg.async_commit_group tokens %cb
    scf.yield %v : !acc
  }
  %fin = ttng.warp_group_dot_wait %out {pendings = 0 : i32} : !acc
  tt.return %fin : !acc
}
}
