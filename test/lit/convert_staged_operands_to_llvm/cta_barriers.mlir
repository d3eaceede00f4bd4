// RUN: dotload-opt %s --convert-staged-operands-to-llvm | FileCheck %s

// COM: Which ops act as a CTA barrier, and which do not.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#runs = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1]], lane = [[16, 0], [32, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 16], [32, 32]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Each thread waits at an mbarrier for itself. Without a CTA barrier, a tile that may not come by TMA may not be
// COM: complete. The same barrier says that other warps no longer read the buffer that is stored to.
// CHECK-LABEL: @mbarrier
// CHECK:         ttng.wait_barrier
// CHECK-NEXT:    gpu.barrier
// CHECK:         llvm.call_intrinsic "llvm.nvvm.ldmatrix
// CHECK-NOT:     gpu.barrier
// CHECK:         llvm.store
// CHECK:         ttng.fence_async_shared
// CHECK:         gpu.barrier
// CHECK-NEXT:    ttng.warp_group_dot
tt.func @mbarrier(%tiles: !ttg.memdesc<2x64x64xi8, #raw, #smem, mutable>, %bar: !ttg.memdesc<1xi64, #bars, #smem, mutable>, %a: !ttg.memdesc<64x64xi8, #shared, #smem>, %ring: !ttg.memdesc<2x64x64xi8, #shared1, #smem, mutable>, %i: i32) -> tensor<64x64xi32, #mma> {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %raw = ttg.memdesc_index %tiles[%i] : !ttg.memdesc<2x64x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw, #smem, mutable>
  ttng.wait_barrier %bar, %i : !ttg.memdesc<1xi64, #bars, #smem, mutable>
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !ttg.memdesc<64x64xi8, #raw, #smem, mutable> -> tensor<64x64xi8, #runs>
  %slot = ttg.memdesc_index %ring[%i] {dotload.double_buffer} : !ttg.memdesc<2x64x64xi8, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>
  ttg.local_store %v, %slot : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>
  ttng.fence_async_shared {bCluster = false}
  %d = ttng.warp_group_dot %a, %slot, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xi8, #shared, #smem> * !ttg.memdesc<64x64xi8, #shared1, #smem, mutable> -> tensor<64x64xi32, #mma>
  tt.return %d : tensor<64x64xi32, #mma>
}

// COM: wgmma reads through the async proxy. Each thread fences its stores, and a CTA barrier follows the fence; a
// COM: barrier before the fence is not enough.
// CHECK-LABEL: @barrier_before_the_fence
// CHECK:         llvm.store
// CHECK:         ttg.async_wait
// CHECK:         ttng.fence_async_shared
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    ttng.warp_group_dot
tt.func @barrier_before_the_fence(%tiles: !ttg.memdesc<2x64x64xi8, #raw, #smem, mutable>, %a: !ttg.memdesc<64x64xi8, #shared, #smem>, %ring: !ttg.memdesc<2x64x64xi8, #shared1, #smem, mutable>, %i: i32) -> tensor<64x64xi32, #mma> {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %raw = ttg.memdesc_index %tiles[%i] : !ttg.memdesc<2x64x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw, #smem, mutable>
  %first = ttg.async_wait {num = 1 : i32}
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !ttg.memdesc<64x64xi8, #raw, #smem, mutable> -> tensor<64x64xi8, #runs>
  %slot = ttg.memdesc_index %ring[%i] {dotload.double_buffer} : !ttg.memdesc<2x64x64xi8, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>
  ttg.local_store %v, %slot : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>
  %second = ttg.async_wait {num = 0 : i32}
  ttng.fence_async_shared {bCluster = false}
  %d = ttng.warp_group_dot %a, %slot, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xi8, #shared, #smem> * !ttg.memdesc<64x64xi8, #shared1, #smem, mutable> -> tensor<64x64xi32, #mma>
  tt.return %d : tensor<64x64xi32, #mma>
}

// COM: Loads between the fence and the dot overwrite the tile that has been read: one barrier before the loads serves
// COM: both.
// CHECK-LABEL: @loads_behind_the_fence
// CHECK:         ttg.async_wait
// CHECK-NOT:     gpu.barrier
// CHECK:         ttng.fence_async_shared
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    ttg.async_copy_global_to_local
// CHECK-NEXT:    ttg.async_commit_group
// CHECK-NEXT:    ttng.warp_group_dot
tt.func @loads_behind_the_fence(%tiles: !ttg.memdesc<2x64x64xi8, #raw, #smem, mutable>, %a: !ttg.memdesc<64x64xi8, #shared, #smem>, %ring: !ttg.memdesc<2x64x64xi8, #shared1, #smem, mutable>, %i: i32, %p: tensor<64x64x!tt.ptr<i8>, #blocked>) -> tensor<64x64xi32, #mma> {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %raw = ttg.memdesc_index %tiles[%i] : !ttg.memdesc<2x64x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw, #smem, mutable>
  %wait = ttg.async_wait {num = 0 : i32}
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !ttg.memdesc<64x64xi8, #raw, #smem, mutable> -> tensor<64x64xi8, #runs>
  %slot = ttg.memdesc_index %ring[%i] {dotload.double_buffer} : !ttg.memdesc<2x64x64xi8, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>
  ttg.local_store %v, %slot : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>
  ttng.fence_async_shared {bCluster = false}
  %copy = ttg.async_copy_global_to_local %p, %raw : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw, #smem, mutable>
  %group = ttg.async_commit_group tokens %copy
  %d = ttng.warp_group_dot %a, %slot, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xi8, #shared, #smem> * !ttg.memdesc<64x64xi8, #shared1, #smem, mutable> -> tensor<64x64xi32, #mma>
  tt.return %d : tensor<64x64xi32, #mma>
}

// COM: The buffer that is stored to was read after the wait, and another warp's wgmma may still read it. A barrier is
// COM: needed although another ttg.memdesc_index selects the buffer.
// CHECK-LABEL: @read_since_the_barrier
// CHECK:         ttg.async_wait
// CHECK:         ttng.warp_group_dot_wait
// CHECK:         gpu.barrier
// CHECK:         llvm.store
tt.func @read_since_the_barrier(%tiles: !ttg.memdesc<2x64x64xi8, #raw, #smem, mutable>, %a: !ttg.memdesc<64x64xi8, #shared, #smem>, %ring: !ttg.memdesc<2x64x64xi8, #shared1, #smem, mutable>, %i: i32, %j: i32) -> tensor<64x64xi32, #mma> {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %raw = ttg.memdesc_index %tiles[%i] : !ttg.memdesc<2x64x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw, #smem, mutable>
  %last = ttg.memdesc_index %ring[%j] : !ttg.memdesc<2x64x64xi8, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>
  %wait = ttg.async_wait {num = 0 : i32}
  %c = ttng.warp_group_dot %a, %last, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xi8, #shared, #smem> * !ttg.memdesc<64x64xi8, #shared1, #smem, mutable> -> tensor<64x64xi32, #mma>
  %d = ttng.warp_group_dot_wait %c {pendings = 0 : i32} : tensor<64x64xi32, #mma>
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !ttg.memdesc<64x64xi8, #raw, #smem, mutable> -> tensor<64x64xi8, #runs>
  %slot = ttg.memdesc_index %ring[%i] {dotload.double_buffer} : !ttg.memdesc<2x64x64xi8, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>
  ttg.local_store %v, %slot : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>
  tt.return %d : tensor<64x64xi32, #mma>
}

// COM: The raw tile is freed after the stores of its copy, since otherwise both might share memory.
// CHECK-LABEL: @freed_early
// CHECK:         %[[RAW:.*]] = ttg.local_alloc %{{.*}} : (tensor
// CHECK-NOT:     ttg.local_dealloc
// CHECK:         llvm.store
// CHECK:         llvm.store
// CHECK:         ttg.local_dealloc %[[RAW]]
// CHECK-NOT:     ttg.local_dealloc
// CHECK:         tt.return
tt.func @freed_early(%t: tensor<64x64xi8, #blocked>, %a: !ttg.memdesc<64x64xi8, #shared, #smem>) -> tensor<64x64xi32, #mma> {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %raw = ttg.local_alloc %t : (tensor<64x64xi8, #blocked>) -> !ttg.memdesc<64x64xi8, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !ttg.memdesc<64x64xi8, #raw, #smem> -> tensor<64x64xi8, #runs>
  ttg.local_dealloc %raw : !ttg.memdesc<64x64xi8, #raw, #smem>
  %copy = ttg.local_alloc %v : (tensor<64x64xi8, #runs>) -> !ttg.memdesc<64x64xi8, #shared1, #smem>
  %d = ttng.warp_group_dot %a, %copy, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xi8, #shared, #smem> * !ttg.memdesc<64x64xi8, #shared1, #smem> -> tensor<64x64xi32, #mma>
  tt.return %d : tensor<64x64xi32, #mma>
}

// COM: Memory that is stored to must be mutable, which its type says. If ops other than dots use the memory, the pass
// COM: leaves the store to Triton.
// CHECK-LABEL: @copy_is_returned
// CHECK:         llvm.call_intrinsic "llvm.nvvm.ldmatrix
// CHECK-NOT:     llvm.store {{.*}}!llvm.ptr<3>
// CHECK:         %[[COPY:.*]] = ttg.local_alloc %{{.*}} : (tensor
// CHECK:         tt.return %[[COPY]]
tt.func @copy_is_returned(%t: tensor<64x64xi8, #blocked>) -> !ttg.memdesc<64x64xi8, #shared1, #smem> {
  %raw = ttg.local_alloc %t : (tensor<64x64xi8, #blocked>) -> !ttg.memdesc<64x64xi8, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !ttg.memdesc<64x64xi8, #raw, #smem> -> tensor<64x64xi8, #runs>
  %copy = ttg.local_alloc %v : (tensor<64x64xi8, #runs>) -> !ttg.memdesc<64x64xi8, #shared1, #smem>
  tt.return %copy : !ttg.memdesc<64x64xi8, #shared1, #smem>
}
}
