// RUN: dotload-opt %s --single-buffer-operand-copies | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#runs = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1]], lane = [[16, 0], [32, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 16], [32, 32]]}, alignment = 16>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: A skewed loop makes the copy while a dot runs, so it needs the second buffer.
// CHECK-LABEL: @skewed_loop
// CHECK-NOT:     ttg.local_alloc : () -> !ttg.memdesc<1x64x64xf8E4M3FN
// CHECK:         scf.for
tt.func @skewed_loop(%kp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %vp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %q = ttg.local_alloc : () -> !ttg.memdesc<64x64xf8E4M3FN, #rows, #smem, mutable>
  %ks = ttg.local_alloc : () -> !ttg.memdesc<24x64x64xf8E4M3FN, #shared, #smem, mutable>
  %vs = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable>
  %sum, %end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0) -> (tensor<64x64xf32, #mma>, i32) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %k = ttg.memdesc_index %ks[%at] : !ttg.memdesc<24x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %s = ttng.warp_group_dot %q, %k, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<64x64xf8E4M3FN, #rows, #smem, mutable> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %scores, %last = ttng.warp_group_dot_wait %s, %acc {pendings = 0 : i32} : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
    %v = ttg.memdesc_index %vs[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %bytes = ttg.local_load %v {dotload.barriers_placed, dotload.staged = "copy"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #runs>
    %turn = arith.andi %i, %c1 : i32
    %copy = ttg.memdesc_index %copies[%turn] {dotload.double_buffer} : !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    ttg.local_store %bytes, %copy : tensor<64x64xf8E4M3FN, #runs> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %p = tt.fp_to_fp %scores, rounding = rtne : tensor<64x64xf32, #mma> -> tensor<64x64xf8E4M3FN, #mma>
    %pa = ttg.convert_layout %p : tensor<64x64xf8E4M3FN, #mma> -> tensor<64x64xf8E4M3FN, #dot>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %pa, %copy, %last {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %to = arith.xori %at, %c1 : i32
    %k_to = ttg.memdesc_index %ks[%to] : !ttg.memdesc<24x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %k_copy = ttg.async_copy_global_to_local %kp, %k_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %k_group = ttg.async_commit_group tokens %k_copy
    %v_to = ttg.memdesc_index %vs[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %v_copy = ttg.async_copy_global_to_local %vp, %v_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %v_group = ttg.async_commit_group tokens %v_copy
    scf.yield %d, %to : tensor<64x64xf32, #mma>, i32
  }
  %result = ttng.warp_group_dot_wait %sum {pendings = 0 : i32} : tensor<64x64xf32, #mma>
  %all = ttg.async_wait {num = 0 : i32}
  ttg.local_dealloc %copies : !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable>
  tt.return %result : tensor<64x64xf32, #mma>
}
}
