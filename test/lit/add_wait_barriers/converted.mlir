// RUN: dotload-opt %s --add-wait-barriers | FileCheck %s
// RUN: dotload-opt %s --add-wait-barriers --check-shared-memory-hazards -o /dev/null 2>&1 | FileCheck %s --check-prefix=CLEAN --allow-empty
// RUN: not dotload-opt %s --check-shared-memory-hazards -o /dev/null 2>&1 | FileCheck %s --check-prefix=HAZARD

// COM: No tile is staged, but A is converted in registers: its dot is in flight at the barrier of other tiles.

#rows = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!pointers = tensor<64x64x!tt.ptr<f8E4M3FN>, #rows>
!acc = tensor<128x64xf32, #mma>
!b = !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
!bs = !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
!fragments = tensor<128x64xf8E4M3FN, #dot>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, dotload.converted = "operands"} {

// CHECK-LABEL: @in_registers
// CHECK:         ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// CHECK-NEXT:    gpu.barrier
// CHECK:         ttg.async_copy_global_to_local
// CHECK:         scf.yield
// CLEAN-NOT:   error
// HAZARD:      error: 'ttg.async_copy_global_to_local' writes shared memory that other warps may still be reading: no CTA barrier in between [READ_BY_OTHERS]
tt.func @in_registers(%p: !pointers, %x: !fragments, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : !acc
  %bs = ttg.local_alloc : () -> !bs
  %out = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 1 : i32}
    %at = arith.remui %i, %c3 : i32
    %b = ttg.memdesc_index %bs[%at] : !bs -> !b
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %x, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !fragments * !b -> !acc
    %others = ttg.async_wait {num = 1 : i32}
    %w = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : !acc
    %next = arith.addi %i, %c2 : i32
    %to = arith.remui %next, %c3 : i32
    %b2 = ttg.memdesc_index %bs[%to] : !bs -> !b
    %c = ttg.async_copy_global_to_local %p, %b2 {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %g = ttg.async_commit_group tokens %c
    scf.yield %w : !acc
  }
  %done = ttng.warp_group_dot_wait %out {pendings = 0 : i32} : !acc
  tt.return %done : !acc
}
}
