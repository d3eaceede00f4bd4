// RUN: dotload-opt %s --single-buffer-operand-copies --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: Attention as Triton's pipeliner leaves it: Q K reads its tile in place, and V is copied K-major into two buffers
// COM: for P V. That dot is in flight when its iteration ends, and is waited for after the next Q K. A tile is 4 KB;
// COM: with 28 tiles, two blocks of 4 warps share the multiprocessor, with 29 they do not.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#runs = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1]], lane = [[16, 0], [32, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 16], [32, 32]]}, alignment = 16>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The second buffer costs a resident block. With one buffer, a CTA barrier precedes the copy, since all warps must
// COM: have completed the previous dot.
// REMARK:        attention.mlir:[[#@LINE+29]]:{{.*}}: remark: single-buffer-operand-copies: the K-major copy takes one buffer instead of two and is made between them; 2 blocks are resident
// CHECK-LABEL: @room_for_another_block
// CHECK:         ttg.local_alloc : () -> !ttg.memdesc<1x64x64xf8E4M3FN, #shared1,
// CHECK:         scf.for
// CHECK-NOT:       ttng.warp_group_dot_wait
// CHECK:           %{{.*}} = ttg.async_wait
// CHECK:           ttng.warp_group_dot %{{.*}}memdesc<64x64xf8E4M3FN, #shared1
// CHECK:           ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32} : tensor<64x64xf32
// CHECK:           gpu.barrier
// CHECK-NEXT:      %[[V:.*]] = ttg.local_load
// CHECK:           %[[FIRST:.*]] = arith.constant 0 : i32
// CHECK:           %[[COPY:.*]] = ttg.memdesc_index %{{.*}}[%[[FIRST]]] : !ttg.memdesc<1x64x64xf8E4M3FN
// CHECK-NEXT:      ttg.local_store %[[V]], %[[COPY]]
// CHECK:           ttng.fence_async_shared
// CHECK:           ttng.warp_group_dot %{{.*}}, %[[COPY]],
tt.func @room_for_another_block(%kp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %vp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
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
    %bytes = ttg.local_load %v {dotload.staged = "copy"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #runs>
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

// COM: The iteration's parity, of a loop whose variable has 64 bits.
// REMARK:        remark: single-buffer-operand-copies: {{.*}}; 2 blocks are resident
// CHECK-LABEL: @counted_by_64_bits
// CHECK:         ttg.local_alloc : () -> !ttg.memdesc<1x64x64xf8E4M3FN
// CHECK:         scf.for {{.*}} : i64
tt.func @counted_by_64_bits(%kp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %vp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i64) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %first = arith.constant 0 : i64
  %step = arith.constant 2 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %q = ttg.local_alloc : () -> !ttg.memdesc<64x64xf8E4M3FN, #rows, #smem, mutable>
  %ks = ttg.local_alloc : () -> !ttg.memdesc<24x64x64xf8E4M3FN, #shared, #smem, mutable>
  %vs = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable>
  %sum, %end = scf.for %i = %first to %n step %step iter_args(%acc = %zero, %at = %c0) -> (tensor<64x64xf32, #mma>, i32) : i64 {
    %there = ttg.async_wait {num = 2 : i32}
    %k = ttg.memdesc_index %ks[%at] : !ttg.memdesc<24x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %s = ttng.warp_group_dot %q, %k, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<64x64xf8E4M3FN, #rows, #smem, mutable> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %scores, %last = ttng.warp_group_dot_wait %s, %acc {pendings = 0 : i32} : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
    %v = ttg.memdesc_index %vs[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %bytes = ttg.local_load %v {dotload.staged = "copy"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #runs>
    %distance = arith.subi %i, %first : i64
    %count = arith.divui %distance, %step : i64
    %number = arith.trunci %count : i64 to i32
    %turn = arith.andi %number, %c1 : i32
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

// COM: With one tile fewer, there is room for two blocks anyway.
// REMARK-NOT:  remark: {{.*}}resident
// CHECK-LABEL: @room_for_two_blocks_anyway
// CHECK:         ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #shared1,
// CHECK:         scf.for
// CHECK-NOT:       gpu.barrier
// CHECK:           scf.yield
tt.func @room_for_two_blocks_anyway(%kp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %vp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %q = ttg.local_alloc : () -> !ttg.memdesc<64x64xf8E4M3FN, #rows, #smem, mutable>
  %ks = ttg.local_alloc : () -> !ttg.memdesc<23x64x64xf8E4M3FN, #shared, #smem, mutable>
  %vs = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable>
  %sum, %end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0) -> (tensor<64x64xf32, #mma>, i32) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %k = ttg.memdesc_index %ks[%at] : !ttg.memdesc<23x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %s = ttng.warp_group_dot %q, %k, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<64x64xf8E4M3FN, #rows, #smem, mutable> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %scores, %last = ttng.warp_group_dot_wait %s, %acc {pendings = 0 : i32} : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
    %v = ttg.memdesc_index %vs[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %bytes = ttg.local_load %v {dotload.staged = "copy"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #runs>
    %turn = arith.andi %i, %c1 : i32
    %copy = ttg.memdesc_index %copies[%turn] {dotload.double_buffer} : !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    ttg.local_store %bytes, %copy : tensor<64x64xf8E4M3FN, #runs> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %p = tt.fp_to_fp %scores, rounding = rtne : tensor<64x64xf32, #mma> -> tensor<64x64xf8E4M3FN, #mma>
    %pa = ttg.convert_layout %p : tensor<64x64xf8E4M3FN, #mma> -> tensor<64x64xf8E4M3FN, #dot>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %pa, %copy, %last {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %to = arith.xori %at, %c1 : i32
    %k_to = ttg.memdesc_index %ks[%to] : !ttg.memdesc<23x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
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

// COM: Memory that is free again before the loop does not count.
// CHECK-LABEL: @freed_before_the_loop
// CHECK:         ttg.local_alloc : () -> !ttg.memdesc<21x64x64xf8E4M3FN
// CHECK-NOT:     ttg.local_alloc : () -> !ttg.memdesc<1x64x64xf8E4M3FN
// CHECK:         scf.for
tt.func @freed_before_the_loop(%kp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %vp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %before = ttg.local_alloc : () -> !ttg.memdesc<21x64x64xf8E4M3FN, #shared, #smem, mutable>
  ttg.local_dealloc %before : !ttg.memdesc<21x64x64xf8E4M3FN, #shared, #smem, mutable>
  %q = ttg.local_alloc : () -> !ttg.memdesc<64x64xf8E4M3FN, #rows, #smem, mutable>
  %ks = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
  %vs = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable>
  %sum, %end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0) -> (tensor<64x64xf32, #mma>, i32) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %k = ttg.memdesc_index %ks[%at] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %s = ttng.warp_group_dot %q, %k, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<64x64xf8E4M3FN, #rows, #smem, mutable> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %scores, %last = ttng.warp_group_dot_wait %s, %acc {pendings = 0 : i32} : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
    %v = ttg.memdesc_index %vs[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %bytes = ttg.local_load %v {dotload.staged = "copy"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #runs>
    %turn = arith.andi %i, %c1 : i32
    %copy = ttg.memdesc_index %copies[%turn] {dotload.double_buffer} : !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    ttg.local_store %bytes, %copy : tensor<64x64xf8E4M3FN, #runs> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %p = tt.fp_to_fp %scores, rounding = rtne : tensor<64x64xf32, #mma> -> tensor<64x64xf8E4M3FN, #mma>
    %pa = ttg.convert_layout %p : tensor<64x64xf8E4M3FN, #mma> -> tensor<64x64xf8E4M3FN, #dot>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %pa, %copy, %last {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %to = arith.xori %at, %c1 : i32
    %k_to = ttg.memdesc_index %ks[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
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

// COM: With one buffer or two, a single block is resident.
// CHECK-LABEL: @no_room_with_one_buffer_either
// CHECK-NOT:     ttg.local_alloc : () -> !ttg.memdesc<1x64x64xf8E4M3FN
// CHECK:         scf.for
tt.func @no_room_with_one_buffer_either(%kp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %vp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %q = ttg.local_alloc : () -> !ttg.memdesc<64x64xf8E4M3FN, #rows, #smem, mutable>
  %ks = ttg.local_alloc : () -> !ttg.memdesc<25x64x64xf8E4M3FN, #shared, #smem, mutable>
  %vs = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable>
  %sum, %end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0) -> (tensor<64x64xf32, #mma>, i32) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %k = ttg.memdesc_index %ks[%at] : !ttg.memdesc<25x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %s = ttng.warp_group_dot %q, %k, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<64x64xf8E4M3FN, #rows, #smem, mutable> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %scores, %last = ttng.warp_group_dot_wait %s, %acc {pendings = 0 : i32} : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
    %v = ttg.memdesc_index %vs[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %bytes = ttg.local_load %v {dotload.staged = "copy"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #runs>
    %turn = arith.andi %i, %c1 : i32
    %copy = ttg.memdesc_index %copies[%turn] {dotload.double_buffer} : !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    ttg.local_store %bytes, %copy : tensor<64x64xf8E4M3FN, #runs> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %p = tt.fp_to_fp %scores, rounding = rtne : tensor<64x64xf32, #mma> -> tensor<64x64xf8E4M3FN, #mma>
    %pa = ttg.convert_layout %p : tensor<64x64xf8E4M3FN, #mma> -> tensor<64x64xf8E4M3FN, #dot>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %pa, %copy, %last {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %to = arith.xori %at, %c1 : i32
    %k_to = ttg.memdesc_index %ks[%to] : !ttg.memdesc<25x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
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

// COM: A dot may be in flight during the copy: it reads the other buffer.
// CHECK-LABEL: @dot_in_flight_when_the_copy_is_made
// CHECK-NOT:     ttg.local_alloc : () -> !ttg.memdesc<1x64x64xf8E4M3FN
// CHECK:         scf.for
tt.func @dot_in_flight_when_the_copy_is_made(%kp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %vp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
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
    %scores, %last = ttng.warp_group_dot_wait %s, %acc {pendings = 1 : i32} : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
    %v = ttg.memdesc_index %vs[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %bytes = ttg.local_load %v {dotload.staged = "copy"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #runs>
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

// COM: Accumulators take 256 registers: the copy is made before there are scores, after the previous dot and the wait
// COM: for V.
// REMARK:        single-buffer-operand-copies: the K-major copy takes one buffer instead of two and is made before the loop's dots; 2 blocks are resident
// CHECK-LABEL: @accumulators_take_all_registers
// CHECK:         ttg.local_alloc : () -> !ttg.memdesc<1x64x64xf8E4M3FN, #shared1,
// CHECK:         scf.for %{{.*}} iter_args(%[[ACC:[^ ]*]] =
// CHECK-NEXT:      %[[BEFORE:.*]] = ttng.warp_group_dot_wait %[[ACC]] {pendings = 0 : i32} : tensor<256x64xf32
// CHECK-NEXT:      ttg.async_wait
// CHECK-NOT:       gpu.barrier
// CHECK:           %[[V:.*]] = ttg.local_load
// CHECK:           ttg.local_store %[[V]]
// CHECK:           ttng.warp_group_dot %
// CHECK:           %[[W:.*]]:2 = ttng.warp_group_dot_wait %{{.*}}, %[[BEFORE]] {pendings = 0 : i32}
// CHECK-NOT:       ttg.local_store
// CHECK:           ttng.fence_async_shared
// CHECK:           ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[W]]#1
tt.func @accumulators_take_all_registers(%kp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %vp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> tensor<256x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<256x64xf32, #mma>
  %q = ttg.local_alloc : () -> !ttg.memdesc<256x64xf8E4M3FN, #rows, #smem, mutable>
  %ks = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable>
  %vs = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable>
  %sum, %end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0) -> (tensor<256x64xf32, #mma>, i32) : i32 {
    %there = ttg.async_wait {num = 2 : i32}
    %k = ttg.memdesc_index %ks[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %s = ttng.warp_group_dot %q, %k, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<256x64xf8E4M3FN, #rows, #smem, mutable> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<256x64xf32, #mma>
    %scores, %last = ttng.warp_group_dot_wait %s, %acc {pendings = 0 : i32} : tensor<256x64xf32, #mma>, tensor<256x64xf32, #mma>
    %v = ttg.memdesc_index %vs[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %bytes = ttg.local_load %v {dotload.staged = "copy"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable> -> tensor<64x64xf8E4M3FN, #runs>
    %turn = arith.andi %i, %c1 : i32
    %copy = ttg.memdesc_index %copies[%turn] {dotload.double_buffer} : !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    ttg.local_store %bytes, %copy : tensor<64x64xf8E4M3FN, #runs> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %p = tt.fp_to_fp %scores, rounding = rtne : tensor<256x64xf32, #mma> -> tensor<256x64xf8E4M3FN, #mma>
    %pa = ttg.convert_layout %p : tensor<256x64xf8E4M3FN, #mma> -> tensor<256x64xf8E4M3FN, #dot>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %pa, %copy, %last {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<256x64xf8E4M3FN, #dot> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> tensor<256x64xf32, #mma>
    %to = arith.xori %at, %c1 : i32
    %k_to = ttg.memdesc_index %ks[%to] : !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %k_copy = ttg.async_copy_global_to_local %kp, %k_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %k_group = ttg.async_commit_group tokens %k_copy
    %v_to = ttg.memdesc_index %vs[%at] : !ttg.memdesc<2x64x64xf8E4M3FN, #raw, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
    %v_copy = ttg.async_copy_global_to_local %vp, %v_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %v_group = ttg.async_commit_group tokens %v_copy
    scf.yield %d, %to : tensor<256x64xf32, #mma>, i32
  }
  %result = ttng.warp_group_dot_wait %sum {pendings = 0 : i32} : tensor<256x64xf32, #mma>
  %all = ttg.async_wait {num = 0 : i32}
  ttg.local_dealloc %copies : !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable>
  tt.return %result : tensor<256x64xf32, #mma>
}
}
