// RUN: dotload-opt %s --convert-staged-operands-to-llvm --split-input-file | FileCheck %s

// COM: K-major copies: words are stored right after the permutations, without becoming a tensor.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#runs = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1]], lane = [[16, 0], [32, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 16], [32, 32]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: A lane has two runs of 16 k, for n and n + 1, which are a row of 64 bytes apart: two stores. Lanes two apart
// COM: would conflict in one half of the banks, so every other lane permutes and stores n + 1 first. Reads and stores
// COM: stay where the ops were.
// CHECK-LABEL: @into_memory_that_is_there
// CHECK-NOT:     ttg.memdesc_index
// CHECK:         %[[R:.*]] = builtin.unrealized_conversion_cast %{{.*}} to !llvm.struct<(ptr<3>, i32, i32)>
// CHECK:         %[[FROM:.*]] = llvm.extractvalue %[[R]][0]
// CHECK:         llvm.getelementptr %[[FROM]][%{{.*}}]
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3"
// CHECK:         %[[BY_TWO:.*]] = arith.shrui %{{.*}}, %c2_i32
// CHECK:         %[[ODD:.*]] = arith.andi %[[BY_TWO]], %c1_i32
// CHECK:         %[[FLIP:.*]] = arith.muli %[[ODD]], %c4369_i32
// CHECK:         %[[FIRST:.*]] = arith.xori %[[FLIP]], %c25632_i32
// CHECK:         %[[E0:.*]] = llvm.call_intrinsic "llvm.nvvm.prmt"(%{{.*}}, %{{.*}}, %[[FIRST]])
// CHECK:         %[[SECOND:.*]] = arith.xori %[[FLIP]], %c30001_i32
// CHECK:         llvm.call_intrinsic "llvm.nvvm.prmt"(%{{.*}}, %{{.*}}, %[[SECOND]])
// CHECK:         %[[E1:.*]] = llvm.call_intrinsic "llvm.nvvm.prmt"(%{{.*}}, %{{.*}}, %[[FIRST]])
// CHECK:         llvm.call_intrinsic "llvm.nvvm.prmt"(%{{.*}}, %{{.*}}, %[[SECOND]])
// CHECK:         %[[E2:.*]] = llvm.call_intrinsic "llvm.nvvm.prmt"(%{{.*}}, %{{.*}}, %[[FIRST]])
// CHECK:         llvm.call_intrinsic "llvm.nvvm.prmt"(%{{.*}}, %{{.*}}, %[[SECOND]])
// CHECK:         %[[E3:.*]] = llvm.call_intrinsic "llvm.nvvm.prmt"(%{{.*}}, %{{.*}}, %[[FIRST]])
// CHECK:         llvm.call_intrinsic "llvm.nvvm.prmt"(%{{.*}}, %{{.*}}, %[[SECOND]])
// CHECK-NOT:     llvm.nvvm.prmt
// CHECK-NOT:     to tensor<
// CHECK:         %[[SLOT:.*]] = ttg.memdesc_index
// CHECK:         %[[S:.*]] = builtin.unrealized_conversion_cast %[[SLOT]] : {{.*}} to !llvm.struct<(ptr<3>, i32, i32)>
// CHECK:         %[[TO:.*]] = llvm.extractvalue %[[S]][0]
// CHECK:         %[[P:.*]] = llvm.getelementptr %[[TO]][%[[AT:.*]]]
// CHECK:         %[[V0:.*]] = llvm.insertelement %[[E0]],
// CHECK-NEXT:    %[[V1:.*]] = llvm.insertelement %[[E1]], %[[V0]]
// CHECK-NEXT:    %[[V2:.*]] = llvm.insertelement %[[E2]], %[[V1]]
// CHECK-NEXT:    %[[V3:.*]] = llvm.insertelement %[[E3]], %[[V2]]
// CHECK-NEXT:    llvm.store %[[V3]], %[[P]] {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK-NEXT:    %[[AWAY:.*]] = arith.xori %[[AT]], %c64_i32
// CHECK-NEXT:    %[[NEXT:.*]] = llvm.getelementptr %[[TO]][%[[AWAY]]]
// CHECK-COUNT-4: llvm.insertelement
// CHECK-NEXT:    llvm.store %{{.*}}, %[[NEXT]] {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK-NOT:     llvm.store
// CHECK-NOT:     ttg.local_store
// CHECK-NOT:     ttg.local_load
// CHECK-NOT:     to tensor<
// CHECK:         ttng.warp_group_dot %{{.*}}, %[[SLOT]]
tt.func @into_memory_that_is_there(%t: tensor<64x64xi8, #blocked>, %a: !ttg.memdesc<64x64xi8, #shared, #smem>, %ring: !ttg.memdesc<2x64x64xi8, #shared1, #smem, mutable>, %i: i32) -> tensor<64x64xi32, #mma> {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %raw = ttg.local_alloc %t : (tensor<64x64xi8, #blocked>) -> !ttg.memdesc<64x64xi8, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !ttg.memdesc<64x64xi8, #raw, #smem> -> tensor<64x64xi8, #runs>
  %slot = ttg.memdesc_index %ring[%i] {dotload.double_buffer} : !ttg.memdesc<2x64x64xi8, #shared1, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>
  ttg.local_store %v, %slot : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>
  ttng.fence_async_shared {bCluster = false}
  %d = ttng.warp_group_dot %a, %slot, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xi8, #shared, #smem> * !ttg.memdesc<64x64xi8, #shared1, #smem, mutable> -> tensor<64x64xi32, #mma>
  tt.return %d : tensor<64x64xi32, #mma>
}

// COM: The local_alloc loses its contents and becomes mutable; so do its views, which stay subviews.
// CHECK-LABEL: @into_memory_of_its_own
// CHECK:         %[[RAW:.*]] = ttg.local_alloc %{{.*}} : (tensor<64x64xi8
// CHECK-NOT:     to tensor<
// CHECK:         builtin.unrealized_conversion_cast %[[RAW]]
// CHECK:         %[[TILE:.*]] = ttg.local_alloc : () -> !ttg.memdesc<64x64xi8, #[[T:.*]], #smem, mutable>
// CHECK:         builtin.unrealized_conversion_cast %[[TILE]]
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK-NOT:     llvm.store
// CHECK-NOT:     to tensor<
// CHECK:         %[[AT:.*]] = ttg.memdesc_trans %[[TILE]] {{.*}} : !ttg.memdesc<64x64xi8, #[[T]], #smem, mutable> -> !ttg.memdesc<64x64xi8, #{{.*}}, #smem, mutable>
// CHECK:         %[[PART:.*]] = ttg.memdesc_subslice %[[AT]][0, 0] : {{.*}} -> !ttg.memdesc<64x32xi8, #{{.*}}, #smem, mutable, 64x64>
// CHECK:         ttng.warp_group_dot %[[PART]], {{.*}} : !ttg.memdesc<64x32xi8, #{{.*}}, #smem, mutable, 64x64> *
tt.func @into_memory_of_its_own(%t: tensor<64x64xi8, #blocked>, %b: !ttg.memdesc<32x64xi8, #shared1, #smem, 64x64>) -> tensor<64x64xi32, #mma> {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %raw = ttg.local_alloc %t : (tensor<64x64xi8, #blocked>) -> !ttg.memdesc<64x64xi8, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !ttg.memdesc<64x64xi8, #raw, #smem> -> tensor<64x64xi8, #runs>
  %tile = ttg.local_alloc %v : (tensor<64x64xi8, #runs>) -> !ttg.memdesc<64x64xi8, #shared1, #smem>
  %at = ttg.memdesc_trans %tile {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xi8, #shared1, #smem> -> !ttg.memdesc<64x64xi8, #shared, #smem>
  %part = ttg.memdesc_subslice %at[0, 0] : !ttg.memdesc<64x64xi8, #shared, #smem> -> !ttg.memdesc<64x32xi8, #shared, #smem, 64x64>
  %d = ttng.warp_group_dot %part, %b, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x32xi8, #shared, #smem, 64x64> * !ttg.memdesc<32x64xi8, #shared1, #smem, 64x64> -> tensor<64x64xi32, #mma>
  tt.return %d : tensor<64x64xi32, #mma>
}

// COM: A dot reads the raw tile later: it stays allocated until then.
// CHECK-LABEL: @a_raw_tile_that_is_read_again
// CHECK:         %[[RAW:.*]] = ttg.local_alloc %{{.*}} : (tensor<64x64xi8
// CHECK:         llvm.store
// CHECK:         ttng.warp_group_dot
// CHECK-NOT:     ttg.local_dealloc %[[RAW]]
// CHECK:         %[[T:.*]] = ttg.memdesc_trans %[[RAW]]
// CHECK:         ttng.warp_group_dot %{{.*}}, %[[T]]
// CHECK-NEXT:    ttg.local_dealloc %[[RAW]]
tt.func @a_raw_tile_that_is_read_again(%t: tensor<64x64xi8, #blocked>, %a: !ttg.memdesc<64x64xi8, #shared, #smem>) -> (tensor<64x64xi32, #mma>, tensor<64x64xi32, #mma>) {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %raw = ttg.local_alloc %t : (tensor<64x64xi8, #blocked>) -> !ttg.memdesc<64x64xi8, #shared, #smem>
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !ttg.memdesc<64x64xi8, #shared, #smem> -> tensor<64x64xi8, #runs>
  %tile = ttg.local_alloc %v : (tensor<64x64xi8, #runs>) -> !ttg.memdesc<64x64xi8, #shared1, #smem>
  %d = ttng.warp_group_dot %a, %tile, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xi8, #shared, #smem> * !ttg.memdesc<64x64xi8, #shared1, #smem> -> tensor<64x64xi32, #mma>
  %r = ttg.memdesc_trans %raw {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xi8, #shared, #smem> -> !ttg.memdesc<64x64xi8, #shared1, #smem>
  %e = ttng.warp_group_dot %a, %r, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xi8, #shared, #smem> * !ttg.memdesc<64x64xi8, #shared1, #smem> -> tensor<64x64xi32, #mma>
  tt.return %d, %e : tensor<64x64xi32, #mma>, tensor<64x64xi32, #mma>
}

// COM: The value has another use, so it becomes a tensor, which Triton stores.
// CHECK-LABEL: @a_value_that_is_used_twice
// CHECK:         %[[V:.*]] = builtin.unrealized_conversion_cast %{{.*}} to tensor<64x64xi8
// CHECK-NOT:     llvm.store
// CHECK:         ttg.local_store %[[V]]
// CHECK:         ttg.local_store %[[V]]
// CHECK:         tt.return
tt.func @a_value_that_is_used_twice(%t: tensor<64x64xi8, #blocked>, %one: !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>, %two: !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>) {
  %raw = ttg.local_alloc %t : (tensor<64x64xi8, #blocked>) -> !ttg.memdesc<64x64xi8, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !ttg.memdesc<64x64xi8, #raw, #smem> -> tensor<64x64xi8, #runs>
  ttg.local_store %v, %one : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>
  ttg.local_store %v, %two : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared1, #smem, mutable>
  tt.return
}

// COM: In a tile with n contiguous, k does not run: Triton stores it byte by byte.
// CHECK-LABEL: @a_target_without_vectors
// CHECK:         %[[V:.*]] = builtin.unrealized_conversion_cast %{{.*}} to tensor<64x64xi8
// CHECK-NOT:     llvm.store
// CHECK:         ttg.local_store %[[V]]
// CHECK:         tt.return
tt.func @a_target_without_vectors(%t: tensor<64x64xi8, #blocked>, %n_major: !ttg.memdesc<64x64xi8, #shared, #smem, mutable>) {
  %raw = ttg.local_alloc %t : (tensor<64x64xi8, #blocked>) -> !ttg.memdesc<64x64xi8, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !ttg.memdesc<64x64xi8, #raw, #smem> -> tensor<64x64xi8, #runs>
  ttg.local_store %v, %n_major : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
  tt.return
}

}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#runs = #ttg.linear<{register = [[1, 0], [2, 0], [16, 0]], lane = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], warp = [[0, 8], [0, 16]], block = []}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 8], [8, 16], [16, 0]]}, alignment = 16>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Elements of 32 bits: four words of k make a vector.
// CHECK-LABEL: @words_of_32_bits
// CHECK-COUNT-8: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK-NOT:     llvm.store
// CHECK-NOT:     llvm.shufflevector
// CHECK-NOT:     ttg.local_store
// CHECK:         tt.return
tt.func @words_of_32_bits(%t: tensor<32x32xf32, #blocked>, %slot: !ttg.memdesc<32x32xf32, #shared1, #smem, mutable>) {
  %raw = ttg.local_alloc %t : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !ttg.memdesc<32x32xf32, #raw, #smem> -> tensor<32x32xf32, #runs>
  ttg.local_store %v, %slot : tensor<32x32xf32, #runs> -> !ttg.memdesc<32x32xf32, #shared1, #smem, mutable>
  tt.return
}

}
