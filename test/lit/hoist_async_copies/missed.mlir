// RUN: dotload-opt %s --hoist-async-copies --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: Loops that wait for their next tiles at once, but whose loads cannot move above the dot.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.slice<{dim = 1, parent = #blocked}>
#runs = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1]], lane = [[16, 0], [32, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 16], [32, 32]]}, alignment = 16>
#bytes = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#vector = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#words = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
!ptrs = tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>
!runs = tensor<64x64xf8E4M3FN, #runs>
!a = tensor<64x64xf8E4M3FN, #dot>
!acc = tensor<64x64xf32, #mma>
!raws = !ttg.memdesc<1x64x64xf8E4M3FN, #raw, #smem, mutable>
!raw = !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem, mutable>
!bytes = !ttg.memdesc<64x64xf8E4M3FN, #bytes, #smem>
!words = !ttg.memdesc<64x32xi16, #words, #smem, mutable>
!slots = !ttg.memdesc<64xi32, #vector, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The load may read what the loop stores.
// CHECK-LABEL: @stores
// CHECK-NOT:     ttg.async_copy_global_to_local
// CHECK:         ttng.warp_group_dot %
// CHECK:         ttg.async_copy_global_to_local
// REMARK:      missed.mlir:[[#@LINE+7]]:{{.*}}: remark: hoist-async-copies: kept scf.for: reads or waits cannot move past tt.store, which needs shared memory or has other side effects [EFFECTS]
tt.func @stores(%p: !ptrs, %q: !a, %n: i32, %r: tensor<64x64x!tt.ptr<f32>, #mma>) -> !acc {
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
    %d = ttng.warp_group_dot %q, %keys, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !bytes -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    tt.store %r, %done : tensor<64x64x!tt.ptr<f32>, #mma>
    %copy = ttg.async_copy_global_to_local %p, %k {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %group = ttg.async_commit_group tokens %copy
    scf.yield %done : !acc
  }
  tt.return %sum : !acc
}

// COM: The effects of tt.print are not known.
// CHECK-LABEL: @prints
// CHECK-NOT:     ttg.async_copy_global_to_local
// CHECK:         ttng.warp_group_dot %
// CHECK:         ttg.async_copy_global_to_local
// REMARK:      missed.mlir:[[#@LINE+7]]:{{.*}}: remark: hoist-async-copies: kept scf.for: reads or waits cannot move past tt.print, which needs shared memory or has other side effects [EFFECTS]
tt.func @prints(%p: !ptrs, %q: !a, %n: i32) -> !acc {
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
    %d = ttng.warp_group_dot %q, %keys, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !bytes -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    tt.print " i: " {hex = false, isSigned = array<i32: 1>} : %i : i32
    %copy = ttg.async_copy_global_to_local %p, %k {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %group = ttg.async_commit_group tokens %copy
    scf.yield %done : !acc
  }
  tt.return %sum : !acc
}

// COM: A volatile load keeps its order among the others.
// CHECK-LABEL: @volatile_load_in_between
// CHECK-NOT:     ttg.async_copy_global_to_local
// CHECK:         ttng.warp_group_dot %
// CHECK:         ttg.async_copy_global_to_local
// REMARK:      missed.mlir:[[#@LINE+7]]:{{.*}}: remark: hoist-async-copies: kept scf.for: reads or waits cannot move past tt.load, which needs shared memory or has other side effects [EFFECTS]
tt.func @volatile_load_in_between(%p: !ptrs, %q: !a, %n: i32, %r: !tt.ptr<i32>) -> !acc {
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
    %d = ttng.warp_group_dot %q, %keys, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !bytes -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %ready = tt.load %r {isVolatile = true} : !tt.ptr<i32>
    %copy = ttg.async_copy_global_to_local %p, %k {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %group = ttg.async_commit_group tokens %copy
    scf.yield %done : !acc
  }
  tt.return %sum : !acc
}

// COM: So does a volatile copy.
// CHECK-LABEL: @volatile_copy
// CHECK-NOT:     ttg.async_copy_global_to_local
// CHECK:         ttng.warp_group_dot %
// CHECK:         ttg.async_copy_global_to_local
// REMARK:      missed.mlir:[[#@LINE+7]]:{{.*}}: remark: hoist-async-copies: kept scf.for: reads or waits cannot move past ttg.async_copy_global_to_local, which needs shared memory or has other side effects [EFFECTS]
tt.func @volatile_copy(%p: !ptrs, %q: !a, %n: i32) -> !acc {
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
    %d = ttng.warp_group_dot %q, %keys, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !bytes -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %copy = ttg.async_copy_global_to_local %p, %k {contiguity = 16 : i32, isVolatile = true} : !ptrs -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %group = ttg.async_commit_group tokens %copy
    scf.yield %done : !acc
  }
  tt.return %sum : !acc
}

// COM: The memory that the addresses are loaded from is stored to in between, in a branch.
// CHECK-LABEL: @slots_are_stored
// CHECK-NOT:     ttg.async_copy_global_to_local
// CHECK:         ttng.warp_group_dot %
// CHECK:         ttg.async_copy_global_to_local
// REMARK:      missed.mlir:[[#@LINE+7]]:{{.*}}: remark: hoist-async-copies: kept scf.for: reads or waits cannot move past scf.if, which needs shared memory or has other side effects [EFFECTS]
tt.func @slots_are_stored(%p: !ptrs, %q: !a, %n: i32, %flag: i1, %new: tensor<64xi32, #rows>, %slots: !slots) -> !acc {
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
    %d = ttng.warp_group_dot %q, %keys, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !bytes -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    scf.if %flag {
      ttg.local_store %new, %slots : tensor<64xi32, #rows> -> !slots
    }
    %view = ttg.memdesc_subslice %slots[0] : !slots -> !slots
    %next = ttg.local_load %view : !slots -> tensor<64xi32, #rows>
    %column = tt.expand_dims %next {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #blocked>
    %offsets = tt.broadcast %column : tensor<64x1xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %pointers = tt.addptr %p, %offsets : !ptrs, tensor<64x64xi32, #blocked>
    %copy = ttg.async_copy_global_to_local %pointers, %k {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %group = ttg.async_commit_group tokens %copy
    scf.yield %done : !acc
  }
  tt.return %sum : !acc
}

// COM: A commit group without copies: it is not known which copies it completes.
// CHECK-LABEL: @group_of_no_copies
// CHECK-NOT:     ttg.async_copy_global_to_local
// CHECK:         ttng.warp_group_dot %
// CHECK:         ttg.async_copy_global_to_local
// REMARK:      missed.mlir:[[#@LINE+7]]:{{.*}}: remark: hoist-async-copies: kept scf.for: the loop has no asynchronous loads (num_stages=1), or it is not known how they complete [COMPLETION]
tt.func @group_of_no_copies(%p: !ptrs, %q: !a, %n: i32) -> !acc {
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
    %d = ttng.warp_group_dot %q, %keys, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !bytes -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %copy = ttg.async_copy_global_to_local %p, %k {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %group = ttg.async_commit_group
    scf.yield %done : !acc
  }
  tt.return %sum : !acc
}

// COM: A copy that no commit group names: the next group completes it.
// CHECK-LABEL: @copy_of_no_group
// CHECK-NOT:     ttg.async_copy_global_to_local
// CHECK:         ttng.warp_group_dot %
// CHECK:         ttg.async_copy_global_to_local
// REMARK:      missed.mlir:[[#@LINE+9]]:{{.*}}: remark: hoist-async-copies: kept scf.for: the loop has no asynchronous loads (num_stages=1), or it is not known how they complete [COMPLETION]
tt.func @copy_of_no_group(%p: !ptrs, %q: !a, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ks = ttg.local_alloc : () -> !raws
  %k = ttg.memdesc_index %ks[%c0] : !raws -> !raw
  %others = ttg.local_alloc : () -> !raws
  %other = ttg.memdesc_index %others[%c0] : !raws -> !raw
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %k8 = ttg.local_load %k {dotload.staged = "copy"} : !raw -> !runs
    %keys = ttg.local_alloc %k8 : (!runs) -> !bytes
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %q, %keys, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !bytes -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %alone = ttg.async_copy_global_to_local %p, %other {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %copy = ttg.async_copy_global_to_local %p, %k {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %group = ttg.async_commit_group tokens %copy
    scf.yield %done : !acc
  }
  tt.return %sum : !acc
}

// COM: The load writes memory that is not one of several buffers.
// CHECK-LABEL: @unknown_memory
// CHECK-NOT:     ttg.async_copy_global_to_local
// CHECK:         ttng.warp_group_dot %
// CHECK:         ttg.async_copy_global_to_local
// REMARK:      missed.mlir:[[#@LINE+7]]:{{.*}}: remark: hoist-async-copies: kept scf.for: the buffer of a staged tile is not known, or its index is not computed by arithmetic alone [ADDRESS]
tt.func @unknown_memory(%p: !ptrs, %q: !a, %n: i32, %memory: !raw) -> !acc {
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
    %d = ttng.warp_group_dot %q, %keys, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !bytes -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %copy = ttg.async_copy_global_to_local %p, %memory {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %group = ttg.async_commit_group tokens %copy
    scf.yield %done : !acc
  }
  tt.return %sum : !acc
}

// COM: The tile is read through a view of another type, maybe after the dot.
// CHECK-LABEL: @another_type
// CHECK-NOT:     ttg.async_copy_global_to_local
// CHECK:         ttng.warp_group_dot %
// CHECK:         ttg.async_copy_global_to_local
// REMARK:      missed.mlir:[[#@LINE+8]]:{{.*}}: remark: hoist-async-copies: kept scf.for: the buffer of a staged tile is not known, or its index is not computed by arithmetic alone [ADDRESS]
tt.func @another_type(%p: !ptrs, %q: !a, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ks = ttg.local_alloc : () -> !raws
  %k = ttg.memdesc_index %ks[%c0] : !raws -> !raw
  %words = ttg.memdesc_reinterpret %k : !raw -> !words
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %k8 = ttg.local_load %k {dotload.staged = "copy"} : !raw -> !runs
    %keys = ttg.local_alloc %k8 : (!runs) -> !bytes
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %q, %keys, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !bytes -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %again = ttg.local_load %words : !words -> tensor<64x32xi16, #blocked>
    %copy = ttg.async_copy_global_to_local %p, %k {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %group = ttg.async_commit_group tokens %copy
    scf.yield %done : !acc
  }
  tt.return %sum : !acc
}

// COM: The same for all buffers.
// CHECK-LABEL: @another_type_of_all
// CHECK-NOT:     ttg.async_copy_global_to_local
// CHECK:         ttng.warp_group_dot %
// CHECK:         ttg.async_copy_global_to_local
// REMARK:      missed.mlir:[[#@LINE+8]]:{{.*}}: remark: hoist-async-copies: kept scf.for: the buffer of a staged tile is not known, or its index is not computed by arithmetic alone [ADDRESS]
tt.func @another_type_of_all(%p: !ptrs, %q: !a, %n: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %ks = ttg.local_alloc : () -> !raws
  %k = ttg.memdesc_index %ks[%c0] : !raws -> !raw
  %all = ttg.memdesc_reinterpret %ks : !raws -> !words
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %there = ttg.async_wait {num = 0 : i32}
    %k8 = ttg.local_load %k {dotload.staged = "copy"} : !raw -> !runs
    %keys = ttg.local_alloc %k8 : (!runs) -> !bytes
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %q, %keys, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : !a * !bytes -> !acc
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    %again = ttg.local_load %all : !words -> tensor<64x32xi16, #blocked>
    %copy = ttg.async_copy_global_to_local %p, %k {contiguity = 16 : i32} : !ptrs -> <64x64xf8E4M3FN, #raw, #smem, mutable>
    %group = ttg.async_commit_group tokens %copy
    scf.yield %done : !acc
  }
  tt.return %sum : !acc
}
}
