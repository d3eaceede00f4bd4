// RUN: dotload-opt %s --hoist-async-copies --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: dotload-opt %s --hoist-async-copies --convert-staged-operands-to-llvm --check-shared-memory-hazards -o /dev/null

// COM: Loops that wait for their tiles right after they request them, as Triton's pipeliner leaves them.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.slice<{dim = 1, parent = #blocked}>
#runs = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1]], lane = [[16, 0], [32, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 16], [32, 32]]}, alignment = 16>
#vector = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#bytes = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#halves = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!ptrs = tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>
!loaded = tensor<64x64xf8E4M3FN, #blocked>
!converted = tensor<64x64xbf16, #blocked>
!runs = tensor<64x64xf8E4M3FN, #runs>
!p = tensor<64x64xf8E4M3FN, #dot>
!acc = tensor<64x64xf32, #mma>
!raws = !ttg.memdesc<1x64x64xf8E4M3FN, #raw, #smem, mutable>
!raw = !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
!bytes = !ttg.memdesc<64x64xf8E4M3FN, #bytes, #smem>
!two = !ttg.memdesc<2x64x64xf8E4M3FN, #bytes, #smem, mutable>
!one = !ttg.memdesc<64x64xf8E4M3FN, #bytes, #smem, mutable>
!halves = !ttg.memdesc<64x64xbf16, #halves, #smem>
!slots = !ttg.memdesc<1x64xi32, #vector, #smem, mutable>
!slot = !ttg.memdesc<64xi32, #vector, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Attention: K is converted, V copied K-major. Each load moves above the first dot after its memory is free; loads
// COM: keep their order, and all of them are waited for.
// CHECK-LABEL: @attention
// CHECK:         scf.for
// CHECK-NEXT:      ttg.async_wait {num = 0 : i32}
// CHECK-NEXT:      %[[K:.*]] = ttg.local_load %[[KS:.*]] :
// CHECK-NEXT:      tt.fp_to_fp %[[K]]
// CHECK-NEXT:      ttg.local_alloc
// CHECK-NEXT:      ttng.fence_async_shared
// CHECK-NEXT:      %[[K_COPY:.*]] = ttg.async_copy_global_to_local %{{.*}}, %[[KS]] {
// CHECK-NEXT:      %[[K_GROUP:.*]] = ttg.async_commit_group tokens %[[K_COPY]]
// CHECK-NEXT:      %[[S:.*]] = ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait %[[S]]
// CHECK-NEXT:      ttg.local_load %[[VS:.*]] {dotload.staged = "copy"}
// CHECK:           ttng.fence_async_shared
// CHECK-NEXT:      %[[V_COPY:.*]] = ttg.async_copy_global_to_local %{{.*}}, %[[VS]] {
// CHECK-NEXT:      %[[V_GROUP:.*]] = ttg.async_commit_group tokens %[[V_COPY]]
// CHECK-NEXT:      %[[D:.*]] = ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait %[[D]]
// CHECK-NEXT:      scf.yield
// REMARK:      copies.mlir:[[#@LINE+15]]:{{.*}}: remark: hoist-async-copies: the next tiles are loaded as soon as their buffers are free
tt.func @attention(%kp: !ptrs, %vp: !ptrs, %q: !halves, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ks = ttg.local_alloc : () -> !raws
  %vs = ttg.local_alloc : () -> !raws
  %k = ttg.memdesc_index %ks[%c0] : !raws -> !raw
  %v = ttg.memdesc_index %vs[%c0] : !raws -> !raw
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %k8 = ttg.local_load %k : !raw -> !loaded
    %k16 = tt.fp_to_fp %k8 : !loaded -> !converted
    %keys = ttg.local_alloc %k16 : (!converted) -> !halves
    ttng.fence_async_shared {bCluster = false}
    %s = ttng.warp_group_dot %q, %keys, %zero {inputPrecision = 0 : i32, isAsync = true} : !halves * !halves -> !acc
    %scores = ttng.warp_group_dot_wait %s {pendings = 0 : i32} : !acc
    %v8 = ttg.local_load %v {dotload.staged = "copy"} : !raw -> !runs
    %values = ttg.local_alloc %v8 : (!runs) -> !bytes
    %p8 = tt.fp_to_fp %scores, rounding = rtne : !acc -> tensor<64x64xf8E4M3FN, #mma>
    %p = ttg.convert_layout %p8 : tensor<64x64xf8E4M3FN, #mma> -> !p
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %p, %values, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !p * !bytes -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %k_copy = ttg.async_copy_global_to_local %kp, %k {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %k_group = ttg.async_commit_group tokens %k_copy
    %v_copy = ttg.async_copy_global_to_local %vp, %v {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %v_group = ttg.async_commit_group tokens %v_copy
    scf.yield %done : !acc
  }
  tt.return %sum : !acc
}

// COM: The dot itself reads the tile, but from another buffer than the load writes.
// CHECK-LABEL: @two_buffers
// CHECK:         scf.for
// CHECK-NEXT:      ttg.async_wait {num = 0 : i32}
// CHECK-NEXT:      ttng.fence_async_shared
// CHECK-NEXT:      ttg.memdesc_index
// CHECK-NEXT:      %[[TO:.*]] = ttg.memdesc_index
// CHECK-NEXT:      ttg.async_copy_global_to_local %{{.*}}, %[[TO]] {
// CHECK-NEXT:      ttg.async_commit_group
// CHECK-NEXT:      ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait
// CHECK-NEXT:      scf.yield
tt.func @two_buffers(%kp: !ptrs, %q: !p, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ks = ttg.local_alloc : () -> !two
  %sum, %at_end, %to_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0, %to = %c1) -> (!acc, i32, i32) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    ttng.fence_async_shared {bCluster = false}
    %k = ttg.memdesc_index %ks[%at] : !two -> !one
    %d = ttng.warp_group_dot %q, %k, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !p * !one -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %k_to = ttg.memdesc_index %ks[%to] : !two -> !one
    %k_copy = ttg.async_copy_global_to_local %kp, %k_to {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #bytes, #smem, mutable>
    %k_group = ttg.async_commit_group tokens %k_copy
    scf.yield %done, %to, %at : !acc, i32, i32
  }
  tt.return %sum : !acc
}

// COM: Tiles are found through an index: the read of the next slots moves along, followed by the load of later slots.
// CHECK-LABEL: @through_an_index
// CHECK:         scf.for
// CHECK-NEXT:      ttg.async_wait {num = 0 : i32}
// CHECK-NEXT:      ttg.local_load %[[KS:.*]] {dotload.staged = "copy"}
// CHECK-NEXT:      ttg.local_alloc
// CHECK-NEXT:      ttng.fence_async_shared
// CHECK-NEXT:      %[[SLOTS:.*]] = ttg.local_load %[[AT:.*]] :
// CHECK-NEXT:      %[[COLUMN:.*]] = tt.expand_dims %[[SLOTS]]
// CHECK-NEXT:      %[[OFFSETS:.*]] = tt.broadcast %[[COLUMN]]
// CHECK-NEXT:      %[[POINTERS:.*]] = tt.addptr %{{.*}}, %[[OFFSETS]]
// CHECK-NEXT:      ttg.async_copy_global_to_local %[[POINTERS]], %[[KS]] {
// CHECK-NEXT:      ttg.async_commit_group
// CHECK-NEXT:      ttg.async_copy_global_to_local %{{.*}}, %[[AT]] :
// CHECK-NEXT:      ttg.async_commit_group
// CHECK-NEXT:      ttng.warp_group_dot %
// CHECK-NEXT:      ttng.warp_group_dot_wait
// CHECK-NEXT:      scf.yield
tt.func @through_an_index(%kp: !ptrs, %sp: tensor<64x!tt.ptr<i32>, #rows>, %q: !p, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ks = ttg.local_alloc : () -> !raws
  %all = ttg.local_alloc : () -> !slots
  %k = ttg.memdesc_index %ks[%c0] : !raws -> !raw
  %slots = ttg.memdesc_index %all[%c0] : !slots -> !slot
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %k8 = ttg.local_load %k {dotload.staged = "copy"} : !raw -> !runs
    %keys = ttg.local_alloc %k8 : (!runs) -> !bytes
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %q, %keys, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !p * !bytes -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %next = ttg.local_load %slots : !slot -> tensor<64xi32, #rows>
    %column = tt.expand_dims %next {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #blocked>
    %offsets = tt.broadcast %column : tensor<64x1xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %pointers = tt.addptr %kp, %offsets : !ptrs, tensor<64x64xi32, #blocked>
    %k_copy = ttg.async_copy_global_to_local %pointers, %k {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %k_group = ttg.async_commit_group tokens %k_copy
    %s_copy = ttg.async_copy_global_to_local %sp, %slots : tensor<64x!tt.ptr<i32>, #rows> -> <64xi32, #vector, #smem, mutable>
    %s_group = ttg.async_commit_group tokens %s_copy
    scf.yield %done : !acc
  }
  tt.return %sum : !acc
}

// COM: Values from outside that the branches use move along with them.
// CHECK-LABEL: @address_from_a_branch
// CHECK:         ttng.fence_async_shared
// CHECK-NEXT:    arith.addi
// CHECK-NEXT:    scf.if
// CHECK:         ttg.async_copy_global_to_local
// CHECK:         ttng.warp_group_dot %
tt.func @address_from_a_branch(%kp: !ptrs, %q: !p, %n: i32, %flag: i1) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ks = ttg.local_alloc : () -> !raws
  %k = ttg.memdesc_index %ks[%c0] : !raws -> !raw
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %k8 = ttg.local_load %k {dotload.staged = "copy"} : !raw -> !runs
    %keys = ttg.local_alloc %k8 : (!runs) -> !bytes
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %q, %keys, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !p * !bytes -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %next = arith.addi %i, %c1 : i32
    %pointers = scf.if %flag -> (!ptrs) {
      %offsets = tt.splat %next : i32 -> tensor<64x64xi32, #blocked>
      %moved = tt.addptr %kp, %offsets : !ptrs, tensor<64x64xi32, #blocked>
      scf.yield %moved : !ptrs
    } else {
      scf.yield %kp : !ptrs
    }
    %k_copy = ttg.async_copy_global_to_local %pointers, %k {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %k_group = ttg.async_commit_group tokens %k_copy
    scf.yield %done : !acc
  }
  tt.return %sum : !acc
}
}
