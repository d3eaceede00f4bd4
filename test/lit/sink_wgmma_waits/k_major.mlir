// RUN: dotload-opt %s --sink-wgmma-waits --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: Dots of K-major bytes, of which no operand is staged.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked_b = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#columns = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!a = !ttg.memdesc<64x64xf8E4M3FN, #rows, #smem, mutable>
!as = !ttg.memdesc<2x64x64xf8E4M3FN, #rows, #smem, mutable>
!b = !ttg.memdesc<64x64xf8E4M3FN, #columns, #smem, mutable>
!bs = !ttg.memdesc<2x64x64xf8E4M3FN, #columns, #smem, mutable>
!a_ptrs = tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>
!b_ptrs = tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked_b>
!acc = tensor<64x64xf32, #mma>
!column_scales = tensor<64xf32, #ttg.slice<{dim = 0, parent = #mma}>>
!column_ptrs = tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The next tiles are loaded while the dot runs. Scales are exchanged before the wait, after these loads.
// CHECK-LABEL: @scaled
// CHECK:           ttng.warp_group_dot %
// CHECK:           ttg.async_copy_global_to_local
// CHECK:           ttg.async_copy_global_to_local
// CHECK-NEXT:      ttg.async_commit_group
// CHECK-NEXT:      %[[LOADED:.*]] = tt.load
// CHECK-NEXT:      %[[SCALES:.*]] = ttg.convert_layout %[[LOADED]]
// CHECK-NEXT:      ttng.warp_group_dot_wait
// CHECK-NEXT:      tt.expand_dims %[[SCALES]]
// CHECK:           arith.mulf
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      scf.yield
// REMARK:      k_major.mlir:{{[0-9]+}}:{{.*}}: remark: sink-wgmma-waits: the next tiles are loaded while the dot runs
tt.func @scaled(%ap: !a_ptrs, %bp: !b_ptrs, %n: i32, %cp: tensor<64x!tt.ptr<f32>, #line>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %as = ttg.local_alloc : () -> !as
  %bs = ttg.local_alloc : () -> !bs
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (!acc, i32, i32) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%at] : !as -> !a
    %b = ttg.memdesc_index %bs[%at] : !bs -> !b
    %d = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %one_each = tt.load %cp : tensor<64x!tt.ptr<f32>, #line>
    %scales = ttg.convert_layout %one_each : tensor<64xf32, #line> -> !column_scales
    %row = tt.expand_dims %scales {axis = 0 : i32} : !column_scales -> tensor<1x64xf32, #mma>
    %all = tt.broadcast %row : tensor<1x64xf32, #mma> -> !acc
    %scaled = arith.mulf %done, %all : !acc
    %s = arith.addf %acc, %scaled : !acc
    %a_to = ttg.memdesc_index %as[%to] : !as -> !a
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : !a_ptrs -> <64x64xf8E4M3FN, #rows, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !bs -> !b
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : !b_ptrs -> <64x64xf8E4M3FN, #columns, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    scf.yield %s, %to, %at : !acc, i32, i32
  }
  tt.return %sum : !acc
}

// COM: The result is added, not scaled.
// CHECK-LABEL: @added
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait
// CHECK:           ttg.async_copy_global_to_local
// REMARK-NOT:  remark
tt.func @added(%ap: !a_ptrs, %bp: !b_ptrs, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %as = ttg.local_alloc : () -> !as
  %bs = ttg.local_alloc : () -> !bs
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (!acc, i32, i32) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%at] : !as -> !a
    %b = ttg.memdesc_index %bs[%at] : !bs -> !b
    %d = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %s = arith.addf %acc, %done : !acc
    %a_to = ttg.memdesc_index %as[%to] : !as -> !a
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : !a_ptrs -> <64x64xf8E4M3FN, #rows, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !bs -> !b
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : !b_ptrs -> <64x64xf8E4M3FN, #columns, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    scf.yield %s, %to, %at : !acc, i32, i32
  }
  tt.return %sum : !acc
}

// COM: The exchanged values are not for the result only.
// CHECK-LABEL: @exchanged_for_others
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait
// CHECK:           ttg.async_copy_global_to_local
// REMARK:      remark: sink-wgmma-waits: kept scf.for: reads or waits cannot move past ttg.convert_layout, which needs shared memory or has other side effects [EFFECTS]
tt.func @exchanged_for_others(%ap: !a_ptrs, %bp: !b_ptrs, %n: i32, %cp: tensor<64x!tt.ptr<f32>, #line>, %op: !column_ptrs) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %as = ttg.local_alloc : () -> !as
  %bs = ttg.local_alloc : () -> !bs
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (!acc, i32, i32) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%at] : !as -> !a
    %b = ttg.memdesc_index %bs[%at] : !bs -> !b
    %d = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %one_each = tt.load %cp : tensor<64x!tt.ptr<f32>, #line>
    %scales = ttg.convert_layout %one_each : tensor<64xf32, #line> -> !column_scales
    %row = tt.expand_dims %scales {axis = 0 : i32} : !column_scales -> tensor<1x64xf32, #mma>
    %all = tt.broadcast %row : tensor<1x64xf32, #mma> -> !acc
    %scaled = arith.mulf %done, %all : !acc
    %s = arith.addf %acc, %scaled : !acc
    %a_to = ttg.memdesc_index %as[%to] : !as -> !a
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : !a_ptrs -> <64x64xf8E4M3FN, #rows, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !bs -> !b
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : !b_ptrs -> <64x64xf8E4M3FN, #columns, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    tt.store %op, %scales : !column_ptrs
    scf.yield %s, %to, %at : !acc, i32, i32
  }
  tt.return %sum : !acc
}

// COM: As in a kernel that is not pipelined by Triton: the next tiles take the buffers that the dot reads.
// CHECK-LABEL: @same_buffers
// CHECK:           ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait
// CHECK:           ttg.async_copy_global_to_local
// REMARK:      remark: sink-wgmma-waits: kept scf.for: the next copy may overwrite a buffer that the dot still reads [OVERWRITTEN]
tt.func @same_buffers(%ap: !a_ptrs, %bp: !b_ptrs, %n: i32, %scales: !acc) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %as = ttg.local_alloc : () -> !as
  %bs = ttg.local_alloc : () -> !bs
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%c0] : !as -> !a
    %b = ttg.memdesc_index %bs[%c0] : !bs -> !b
    %d = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !b -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %scaled = arith.mulf %done, %scales : !acc
    %s = arith.addf %acc, %scaled : !acc
    %a_copy = ttg.async_copy_global_to_local %ap, %a {contiguity = 16 : i32} : !a_ptrs -> <64x64xf8E4M3FN, #rows, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b {contiguity = 16 : i32} : !b_ptrs -> <64x64xf8E4M3FN, #columns, #smem, mutable>
    %group = ttg.async_commit_group tokens %a_copy, %b_copy
    scf.yield %s : !acc
  }
  tt.return %sum : !acc
}
}
