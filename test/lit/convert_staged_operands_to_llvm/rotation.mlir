// RUN: dotload-opt %s --convert-staged-operands-to-llvm | FileCheck %s
// RUN: dotload-opt %s --convert-staged-operands-to-llvm='local-waits=true' | FileCheck %s --check-prefix=LOCAL

// COM: Loops as Triton's pipeliner leaves them: both operands come as raw tiles, A goes to registers, B is copied K-major
// COM: into two tiles in turn. Where one tile less may be under way, the copy is made an iteration ahead.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#runs = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1]], lane = [[16, 0], [32, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#parts = #ttg.linear<{register = [[0, 0, 1], [0, 0, 2], [8, 0, 0], [0, 0, 16], [0, 1, 0]], lane = [[0, 0, 4], [0, 0, 8], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#turned = #ttg.linear<{register = [[0, 1, 0], [0, 2, 0], [8, 0, 0], [0, 16, 0], [0, 0, 1]], lane = [[0, 4, 0], [0, 8, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#part = #ttg.linear<{register = [[0, 1], [0, 2], [8, 0], [0, 16]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#raw_a = #ttg.shared_linear<{offset = [[8, 0], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32]]}, alignment = 16>
#raw_b = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 16], [32, 32]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#partner = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#mma_words = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 8]}>
#dot_words = #ttg.dot_op<{opIdx = 0, parent = #mma_words, kWidth = 1}>
#raw_words = #ttg.shared_linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]}, alignment = 16>
#shared_words = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The first copy is made before the loop. In it, the only meeting is the wait for the next tile: before it, product
// COM: and stores of the last iteration are made sure of and this tile's fragments are read (behind the product, as ptxas
// COM: takes registers in flight to be free); behind it come this product and the next copy.
// COM: Where Triton asks for it, the wait says that the block need not meet there: it does below.
// LOCAL-LABEL: @a_copy_is_made_ahead
// LOCAL:           ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32, warpGroupLocal}
// LOCAL:           ttg.async_wait
// CHECK-LABEL: @a_copy_is_made_ahead
// CHECK:         ttg.async_wait {num = 4 : i32}
// CHECK:         llvm.nvvm.ldmatrix
// CHECK:         llvm.store
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %[[STEP:.*]] iter_args(%[[ACC:[^ ]*]] =
// CHECK:           %[[SLOT:.*]] = arith.select
// CHECK:           ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32} : tensor<2xi32
// CHECK:           ttng.fence_async_shared
// CHECK:           arith.muli %[[SLOT]], %c4096_i32
// CHECK:           llvm.nvvm.ldmatrix
// CHECK:           %[[NEXT:.*]] = arith.addi %[[I]], %[[STEP]]
// CHECK:           ttg.async_wait {num = 2 : i32}
// CHECK:           %[[A:.*]] = builtin.unrealized_conversion_cast %{{.*}} to tensor<64x64xi8, #ttg.dot_op
// CHECK:           %[[UP:.*]] = arith.addi %[[SLOT]]
// CHECK:           %[[LATER:.*]] = arith.select %{{.*}}, %[[UP]]
// CHECK:           arith.muli %[[LATER]], %c4096_i32
// CHECK:           llvm.nvvm.ldmatrix
// CHECK:           %[[D:.*]] = ttng.warp_group_dot %[[A]], %[[K:.*]], %[[ACC]] {{.*}}isAsync = true
// CHECK-NOT:       ttng.warp_group_dot_wait
// CHECK:           %[[TURN:.*]] = arith.andi %[[NEXT]]
// CHECK:           arith.muli %[[TURN]], %c4096_i32
// CHECK:           llvm.store
// CHECK-NOT:       gpu.barrier
// CHECK:           ttg.async_copy_global_to_local
// CHECK-NOT:       ldmatrix
// CHECK:           scf.yield %[[D]],
// CHECK:         ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32}
// CHECK-NEXT:    ttg.async_wait {num = 0 : i32}
tt.func @a_copy_is_made_ahead(%ap: tensor<64x64x!tt.ptr<i8>, #blocked>, %bp: tensor<64x64x!tt.ptr<i8>, #blocked>, %n: i32) -> tensor<64x64xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %slots = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
  %sum, %end, %end_to = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %before, %to = %c0) -> (tensor<64x64xi32, #mma>, i32, i32) : i32 {
    %up = arith.addi %at, %c1 : i32
    %over = arith.cmpi sge, %up, %slots : i32
    %slot = arith.select %over, %c0, %up : i32
    %there = ttg.async_wait {num = 4 : i32}
    %b = ttg.memdesc_index %bs[%slot] : !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
    %bv = ttg.local_load %b : !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable> -> tensor<64x64xi8, #runs>
    %turn = arith.andi %i, %c1 : i32
    %k = ttg.memdesc_index %copies[%turn] : !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    ttg.local_store %bv, %k : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a = ttg.memdesc_index %as[%slot] : !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable> -> tensor<64x64xi8, #dot>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %av, %k, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xi8, #dot> * !ttg.memdesc<64x64xi8, #shared, #smem, mutable> -> tensor<64x64xi32, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %k {pendings = 0 : i32} : tensor<64x64xi32, #mma>, !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw_a, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw_b, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    %to_up = arith.addi %to, %c1 : i32
    %to_over = arith.cmpi sge, %to_up, %slots : i32
    %to_next = arith.select %to_over, %c0, %to_up : i32
    scf.yield %done, %slot, %to_next : tensor<64x64xi32, #mma>, i32, i32
  }
  %all = ttg.async_wait {num = 0 : i32}
  ttg.local_dealloc %copies : !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
  tt.return %sum : tensor<64x64xi32, #mma>
}

// COM: Triton has cut the product in two along k. It is whole again: nothing is read or permuted between its parts.
// COM: Behind the loop, Triton's wait is enough.
// CHECK-LABEL: @parts_are_joined
// CHECK:         scf.for
// CHECK-NOT:       tt.split
// CHECK-NOT:       ttg.memdesc_subslice
// CHECK:           ttng.warp_group_dot %{{.*}} : tensor<64x64xf8E4M3FN, {{.*}} * !ttg.memdesc<64x64xf8E4M3FN
// CHECK-NOT:       ttng.warp_group_dot
// CHECK:           scf.yield
// CHECK:         %[[ALL:.*]] = ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32}
// CHECK-NOT:     ttng.warp_group_dot_wait
// CHECK:         tt.return %[[ALL]]
tt.func @parts_are_joined(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %slots = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #raw_a, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #raw_b, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable>
  %sum, %end, %end_to = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %before, %to = %c0) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %up = arith.addi %at, %c1 : i32
    %over = arith.cmpi sge, %up, %slots : i32
    %slot = arith.select %over, %c0, %up : i32
    %there = ttg.async_wait {num = 4 : i32}
    %b = ttg.memdesc_index %bs[%slot] : !ttg.memdesc<3x64x64xf8E4M3FN, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw_b, #smem, mutable>
    %bv = ttg.local_load %b : !ttg.memdesc<64x64xf8E4M3FN, #raw_b, #smem, mutable> -> tensor<64x64xf8E4M3FN, #runs>
    %turn = arith.andi %i, %c1 : i32
    %k = ttg.memdesc_index %copies[%turn] : !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    ttg.local_store %bv, %k : tensor<64x64xf8E4M3FN, #runs> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %a = ttg.memdesc_index %as[%slot] : !ttg.memdesc<3x64x64xf8E4M3FN, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw_a, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x64xf8E4M3FN, #raw_a, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    ttng.fence_async_shared {bCluster = false}
    %cut = tt.reshape %av : tensor<64x64xf8E4M3FN, #dot> -> tensor<64x2x32xf8E4M3FN, #parts>
    %turned = tt.trans %cut {order = array<i32: 0, 2, 1>} : tensor<64x2x32xf8E4M3FN, #parts> -> tensor<64x32x2xf8E4M3FN, #turned>
    %h0, %h1 = tt.split %turned : tensor<64x32x2xf8E4M3FN, #turned> -> tensor<64x32xf8E4M3FN, #part>
    %a0 = ttg.convert_layout %h0 : tensor<64x32xf8E4M3FN, #part> -> tensor<64x32xf8E4M3FN, #dot>
    %k0 = ttg.memdesc_subslice %k[0, 0] : !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64>
    %a1 = ttg.convert_layout %h1 : tensor<64x32xf8E4M3FN, #part> -> tensor<64x32xf8E4M3FN, #dot>
    %k1 = ttg.memdesc_subslice %k[32, 0] : !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64>
    %d0 = ttng.warp_group_dot %a0, %k0, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x32xf8E4M3FN, #dot> * !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64> -> tensor<64x64xf32, #mma>
    %w0, %w0_k = ttng.warp_group_dot_wait %d0, %k0 {pendings = 1 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64>
    %d1 = ttng.warp_group_dot %a1, %k1, %w0 {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x32xf8E4M3FN, #dot> * !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64> -> tensor<64x64xf32, #mma>
    %done, %done_k = ttng.warp_group_dot_wait %d1, %k1 {pendings = 1 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw_a, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw_a, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw_b, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw_b, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    %to_up = arith.addi %to, %c1 : i32
    %to_over = arith.cmpi sge, %to_up, %slots : i32
    %to_next = arith.select %to_over, %c0, %to_up : i32
    scf.yield %done, %slot, %to_next : tensor<64x64xf32, #mma>, i32, i32
  }
  %finished = ttng.warp_group_dot_wait %sum {pendings = 0 : i32} : tensor<64x64xf32, #mma>
  %all = ttg.async_wait {num = 0 : i32}
  ttg.local_dealloc %copies : !ttg.memdesc<2x64x64xf8E4M3FN, #shared, #smem, mutable>
  tt.return %finished : tensor<64x64xf32, #mma>
}

// COM: B is K-major already, and wgmma reads it where it has been loaded to. There are tiles enough that none is loaded
// COM: to while it may be read.
// CHECK-LABEL: @the_partner_is_read_in_place
// CHECK:         scf.for
// CHECK:           ttng.warp_group_dot_wait
// CHECK:           llvm.nvvm.ldmatrix
// CHECK:           ttg.async_wait {num = 2 : i32}
// CHECK:           ttng.warp_group_dot
// CHECK-NOT:       ttng.warp_group_dot_wait
// CHECK:           scf.yield
tt.func @the_partner_is_read_in_place(%ap: tensor<64x64x!tt.ptr<i8>, #blocked>, %bp: tensor<64x64x!tt.ptr<i8>, #blocked>, %n: i32) -> tensor<64x64xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %slots = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<4x64x64xi8, #shared, #smem, mutable>
  %sum, %end, %end_to = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %before, %to = %c0) -> (tensor<64x64xi32, #mma>, i32, i32) : i32 {
    %up = arith.addi %at, %c1 : i32
    %over = arith.cmpi sge, %up, %slots : i32
    %slot = arith.select %over, %c0, %up : i32
    %there = ttg.async_wait {num = 4 : i32}
    %b = ttg.memdesc_index %bs[%slot] : !ttg.memdesc<4x64x64xi8, #shared, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a = ttg.memdesc_index %as[%slot] : !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable> -> tensor<64x64xi8, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xi8, #dot> * !ttg.memdesc<64x64xi8, #shared, #smem, mutable> -> tensor<64x64xi32, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xi32, #mma>, !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw_a, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<4x64x64xi8, #shared, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #shared, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    %to_up = arith.addi %to, %c1 : i32
    %to_over = arith.cmpi sge, %to_up, %slots : i32
    %to_next = arith.select %to_over, %c0, %to_up : i32
    scf.yield %done, %slot, %to_next : tensor<64x64xi32, #mma>, i32, i32
  }
  %all = ttg.async_wait {num = 0 : i32}
  tt.return %sum : tensor<64x64xi32, #mma>
}

// COM: One tile too few for that: the tile that is loaded to next is the one that the product reads.
// CHECK-LABEL: @the_partner_is_loaded_to
// CHECK:         scf.for
// CHECK:           ttg.async_wait {num = 4 : i32}
// CHECK:           ttng.warp_group_dot %
// CHECK:           ttng.warp_group_dot_wait
// CHECK:           scf.yield
tt.func @the_partner_is_loaded_to(%ap: tensor<64x64x!tt.ptr<i8>, #blocked>, %bp: tensor<64x64x!tt.ptr<i8>, #blocked>, %n: i32) -> tensor<64x64xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %slots = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #shared, #smem, mutable>
  %sum, %end, %end_to = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %before, %to = %c0) -> (tensor<64x64xi32, #mma>, i32, i32) : i32 {
    %up = arith.addi %at, %c1 : i32
    %over = arith.cmpi sge, %up, %slots : i32
    %slot = arith.select %over, %c0, %up : i32
    %there = ttg.async_wait {num = 4 : i32}
    %b = ttg.memdesc_index %bs[%slot] : !ttg.memdesc<3x64x64xi8, #shared, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a = ttg.memdesc_index %as[%slot] : !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable> -> tensor<64x64xi8, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xi8, #dot> * !ttg.memdesc<64x64xi8, #shared, #smem, mutable> -> tensor<64x64xi32, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xi32, #mma>, !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw_a, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xi8, #shared, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #shared, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    %to_up = arith.addi %to, %c1 : i32
    %to_over = arith.cmpi sge, %to_up, %slots : i32
    %to_next = arith.select %to_over, %c0, %to_up : i32
    scf.yield %done, %slot, %to_next : tensor<64x64xi32, #mma>, i32, i32
  }
  %all = ttg.async_wait {num = 0 : i32}
  tt.return %sum : tensor<64x64xi32, #mma>
}

// COM: The product starts anew in each iteration, which waits for it and goes on with it. The next copy is made in the
// COM: meantime: read before the product starts, stored while it runs. What was stored is fenced at the start of the next
// COM: iteration, in front of the meeting.
// CHECK-LABEL: @it_is_over_when_the_iteration_is
// CHECK:         ttg.async_wait {num = 4 : i32}
// CHECK:         llvm.nvvm.ldmatrix
// CHECK:         llvm.store
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %[[STEP:.*]] iter_args
// CHECK-NOT:       ttng.warp_group_dot_wait
// CHECK:           ttng.fence_async_shared
// CHECK-NEXT:      %[[NEXT:.*]] = arith.addi %[[I]], %[[STEP]]
// CHECK-NEXT:      ttg.async_wait {num = 2 : i32}
// CHECK:           %[[TURN:.*]] = arith.andi %[[I]]
// CHECK:           %[[K:.*]] = ttg.memdesc_index %{{.*}}[%[[TURN]]]
// CHECK:           llvm.nvvm.ldmatrix
// CHECK-NOT:       llvm.store
// CHECK:           %[[D:.*]] = ttng.warp_group_dot %{{.*}}, %[[K]],
// CHECK:           %[[OTHER:.*]] = arith.andi %[[NEXT]]
// CHECK:           arith.muli %[[OTHER]], %c4096_i32
// CHECK:           llvm.store
// CHECK-NOT:       gpu.barrier
// CHECK:           %[[DONE:.*]] = ttng.warp_group_dot_wait %[[D]] {pendings = 0 : i32}
// CHECK-NEXT:      arith.muli %[[DONE]]
// CHECK-NOT:       ldmatrix
// CHECK:           scf.yield
// CHECK:         ttg.async_wait {num = 0 : i32}
tt.func @it_is_over_when_the_iteration_is(%ap: tensor<64x64x!tt.ptr<i8>, #blocked>, %bp: tensor<64x64x!tt.ptr<i8>, #blocked>, %scale: tensor<64x64xi32, #mma>, %n: i32) -> tensor<64x64xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a_slots = arith.constant 4 : i32
  %b_slots = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<4x64x64xi8, #partner, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
  %sum, %a_end, %b_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %a_at = %before, %b_at = %before) -> (tensor<64x64xi32, #mma>, i32, i32) : i32 {
    %a_up = arith.addi %a_at, %c1 : i32
    %a_over = arith.cmpi sge, %a_up, %a_slots : i32
    %a_slot = arith.select %a_over, %c0, %a_up : i32
    %b_up = arith.addi %b_at, %c1 : i32
    %b_over = arith.cmpi sge, %b_up, %b_slots : i32
    %b_slot = arith.select %b_over, %c0, %b_up : i32
    %there = ttg.async_wait {num = 4 : i32}
    %b = ttg.memdesc_index %bs[%b_slot] : !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
    %bv = ttg.local_load %b : !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable> -> tensor<64x64xi8, #runs>
    %turn = arith.andi %i, %c1 : i32
    %k = ttg.memdesc_index %copies[%turn] : !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    ttg.local_store %bv, %k : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a = ttg.memdesc_index %as[%a_slot] : !ttg.memdesc<4x64x64xi8, #partner, #smem, mutable> -> !ttg.memdesc<64x64xi8, #partner, #smem, mutable>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %a, %k, %zero {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xi8, #partner, #smem, mutable> * !ttg.memdesc<64x64xi8, #shared, #smem, mutable> -> tensor<64x64xi32, #mma>
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x64xi32, #mma>
    %scaled = arith.muli %done, %scale : tensor<64x64xi32, #mma>
    %next = arith.addi %acc, %scaled : tensor<64x64xi32, #mma>
    %a_to = ttg.memdesc_index %as[%a_at] : !ttg.memdesc<4x64x64xi8, #partner, #smem, mutable> -> !ttg.memdesc<64x64xi8, #partner, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #partner, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%b_at] : !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw_b, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    scf.yield %next, %a_slot, %b_slot : tensor<64x64xi32, #mma>, i32, i32
  }
  %all = ttg.async_wait {num = 0 : i32}
  ttg.local_dealloc %copies : !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
  tt.return %sum : tensor<64x64xi32, #mma>
}

// COM: Another product of the loop reads the copy too.
// CHECK-LABEL: @another_product_follows
// CHECK:         scf.for
// CHECK:           ttg.async_wait {num = 4 : i32}
// CHECK:           llvm.store
// CHECK:           ttng.warp_group_dot %
// CHECK-NOT:       llvm.store
// CHECK:           scf.yield
tt.func @another_product_follows(%ap: tensor<64x64x!tt.ptr<i8>, #blocked>, %bp: tensor<64x64x!tt.ptr<i8>, #blocked>, %scale: tensor<64x64xi32, #mma>, %n: i32) -> tensor<64x64xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a_slots = arith.constant 4 : i32
  %b_slots = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<4x64x64xi8, #partner, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
  %sum, %a_end, %b_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %a_at = %before, %b_at = %before) -> (tensor<64x64xi32, #mma>, i32, i32) : i32 {
    %a_up = arith.addi %a_at, %c1 : i32
    %a_over = arith.cmpi sge, %a_up, %a_slots : i32
    %a_slot = arith.select %a_over, %c0, %a_up : i32
    %b_up = arith.addi %b_at, %c1 : i32
    %b_over = arith.cmpi sge, %b_up, %b_slots : i32
    %b_slot = arith.select %b_over, %c0, %b_up : i32
    %there = ttg.async_wait {num = 4 : i32}
    %b = ttg.memdesc_index %bs[%b_slot] : !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
    %bv = ttg.local_load %b : !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable> -> tensor<64x64xi8, #runs>
    %turn = arith.andi %i, %c1 : i32
    %k = ttg.memdesc_index %copies[%turn] : !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    ttg.local_store %bv, %k : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a = ttg.memdesc_index %as[%a_slot] : !ttg.memdesc<4x64x64xi8, #partner, #smem, mutable> -> !ttg.memdesc<64x64xi8, #partner, #smem, mutable>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %a, %k, %zero {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xi8, #partner, #smem, mutable> * !ttg.memdesc<64x64xi8, #shared, #smem, mutable> -> tensor<64x64xi32, #mma>
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x64xi32, #mma>
    %e = ttng.warp_group_dot %a, %k, %done {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xi8, #partner, #smem, mutable> * !ttg.memdesc<64x64xi8, #shared, #smem, mutable> -> tensor<64x64xi32, #mma>
    %both = ttng.warp_group_dot_wait %e {pendings = 0 : i32} : tensor<64x64xi32, #mma>
    %scaled = arith.muli %both, %scale : tensor<64x64xi32, #mma>
    %next = arith.addi %acc, %scaled : tensor<64x64xi32, #mma>
    %a_to = ttg.memdesc_index %as[%a_at] : !ttg.memdesc<4x64x64xi8, #partner, #smem, mutable> -> !ttg.memdesc<64x64xi8, #partner, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #partner, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%b_at] : !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw_b, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    scf.yield %next, %a_slot, %b_slot : tensor<64x64xi32, #mma>, i32, i32
  }
  %all = ttg.async_wait {num = 0 : i32}
  ttg.local_dealloc %copies : !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
  tt.return %sum : tensor<64x64xi32, #mma>
}

// COM: Its partner's next tile but two would be loaded over the one that it reads.
// CHECK-LABEL: @its_partner_is_loaded_to
// CHECK:         scf.for
// CHECK:           ttg.async_wait {num = 4 : i32}
// CHECK:           llvm.store
// CHECK:           ttng.warp_group_dot %
// CHECK-NOT:       llvm.store
// CHECK:           scf.yield
tt.func @its_partner_is_loaded_to(%ap: tensor<64x64x!tt.ptr<i8>, #blocked>, %bp: tensor<64x64x!tt.ptr<i8>, #blocked>, %scale: tensor<64x64xi32, #mma>, %n: i32) -> tensor<64x64xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a_slots = arith.constant 3 : i32
  %b_slots = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #partner, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
  %sum, %a_end, %b_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %a_at = %before, %b_at = %before) -> (tensor<64x64xi32, #mma>, i32, i32) : i32 {
    %a_up = arith.addi %a_at, %c1 : i32
    %a_over = arith.cmpi sge, %a_up, %a_slots : i32
    %a_slot = arith.select %a_over, %c0, %a_up : i32
    %b_up = arith.addi %b_at, %c1 : i32
    %b_over = arith.cmpi sge, %b_up, %b_slots : i32
    %b_slot = arith.select %b_over, %c0, %b_up : i32
    %there = ttg.async_wait {num = 4 : i32}
    %b = ttg.memdesc_index %bs[%b_slot] : !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
    %bv = ttg.local_load %b : !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable> -> tensor<64x64xi8, #runs>
    %turn = arith.andi %i, %c1 : i32
    %k = ttg.memdesc_index %copies[%turn] : !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    ttg.local_store %bv, %k : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a = ttg.memdesc_index %as[%a_slot] : !ttg.memdesc<3x64x64xi8, #partner, #smem, mutable> -> !ttg.memdesc<64x64xi8, #partner, #smem, mutable>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %a, %k, %zero {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xi8, #partner, #smem, mutable> * !ttg.memdesc<64x64xi8, #shared, #smem, mutable> -> tensor<64x64xi32, #mma>
    %done = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x64xi32, #mma>
    %scaled = arith.muli %done, %scale : tensor<64x64xi32, #mma>
    %next = arith.addi %acc, %scaled : tensor<64x64xi32, #mma>
    %a_to = ttg.memdesc_index %as[%a_at] : !ttg.memdesc<3x64x64xi8, #partner, #smem, mutable> -> !ttg.memdesc<64x64xi8, #partner, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #partner, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%b_at] : !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw_b, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    scf.yield %next, %a_slot, %b_slot : tensor<64x64xi32, #mma>, i32, i32
  }
  %all = ttg.async_wait {num = 0 : i32}
  ttg.local_dealloc %copies : !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
  tt.return %sum : tensor<64x64xi32, #mma>
}

// COM: The wait leaves a product running, maybe this one.
// CHECK-LABEL: @it_may_not_be_over
// CHECK:         scf.for
// CHECK:           ttg.async_wait {num = 4 : i32}
// CHECK:           llvm.store
// CHECK:           ttng.warp_group_dot %
// CHECK-NOT:       llvm.store
// CHECK:           scf.yield
tt.func @it_may_not_be_over(%ap: tensor<64x64x!tt.ptr<i8>, #blocked>, %bp: tensor<64x64x!tt.ptr<i8>, #blocked>, %scale: tensor<64x64xi32, #mma>, %n: i32) -> tensor<64x64xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a_slots = arith.constant 4 : i32
  %b_slots = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<4x64x64xi8, #partner, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
  %sum, %a_end, %b_end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %a_at = %before, %b_at = %before) -> (tensor<64x64xi32, #mma>, i32, i32) : i32 {
    %a_up = arith.addi %a_at, %c1 : i32
    %a_over = arith.cmpi sge, %a_up, %a_slots : i32
    %a_slot = arith.select %a_over, %c0, %a_up : i32
    %b_up = arith.addi %b_at, %c1 : i32
    %b_over = arith.cmpi sge, %b_up, %b_slots : i32
    %b_slot = arith.select %b_over, %c0, %b_up : i32
    %there = ttg.async_wait {num = 4 : i32}
    %b = ttg.memdesc_index %bs[%b_slot] : !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
    %bv = ttg.local_load %b : !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable> -> tensor<64x64xi8, #runs>
    %turn = arith.andi %i, %c1 : i32
    %k = ttg.memdesc_index %copies[%turn] : !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    ttg.local_store %bv, %k : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a = ttg.memdesc_index %as[%a_slot] : !ttg.memdesc<4x64x64xi8, #partner, #smem, mutable> -> !ttg.memdesc<64x64xi8, #partner, #smem, mutable>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %a, %k, %zero {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xi8, #partner, #smem, mutable> * !ttg.memdesc<64x64xi8, #shared, #smem, mutable> -> tensor<64x64xi32, #mma>
    %done = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : tensor<64x64xi32, #mma>
    %scaled = arith.muli %done, %scale : tensor<64x64xi32, #mma>
    %next = arith.addi %acc, %scaled : tensor<64x64xi32, #mma>
    %a_to = ttg.memdesc_index %as[%a_at] : !ttg.memdesc<4x64x64xi8, #partner, #smem, mutable> -> !ttg.memdesc<64x64xi8, #partner, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #partner, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%b_at] : !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw_b, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    scf.yield %next, %a_slot, %b_slot : tensor<64x64xi32, #mma>, i32, i32
  }
  %all = ttg.async_wait {num = 0 : i32}
  ttg.local_dealloc %copies : !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
  tt.return %sum : tensor<64x64xi32, #mma>
}

// COM: With one tile under way besides the present one, no load would be left to wait for while the product runs.
// CHECK-LABEL: @too_few_tiles_are_under_way
// CHECK:         scf.for
// CHECK:           ttg.async_wait {num = 2 : i32}
// CHECK:           llvm.store
// CHECK:           ttng.fence_async_shared
// CHECK:           gpu.barrier
// CHECK:           ttng.warp_group_dot %
// CHECK:           ttng.warp_group_dot_wait
// CHECK:           scf.yield
tt.func @too_few_tiles_are_under_way(%ap: tensor<64x64x!tt.ptr<i8>, #blocked>, %bp: tensor<64x64x!tt.ptr<i8>, #blocked>, %n: i32) -> tensor<64x64xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %slots = arith.constant 2 : i32
  %before = arith.constant -1 : i32
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xi8, #raw_a, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xi8, #raw_b, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
  %sum, %end, %end_to = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %before, %to = %c0) -> (tensor<64x64xi32, #mma>, i32, i32) : i32 {
    %up = arith.addi %at, %c1 : i32
    %over = arith.cmpi sge, %up, %slots : i32
    %slot = arith.select %over, %c0, %up : i32
    %there = ttg.async_wait {num = 2 : i32}
    %b = ttg.memdesc_index %bs[%slot] : !ttg.memdesc<2x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
    %bv = ttg.local_load %b : !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable> -> tensor<64x64xi8, #runs>
    %turn = arith.andi %i, %c1 : i32
    %k = ttg.memdesc_index %copies[%turn] : !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    ttg.local_store %bv, %k : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a = ttg.memdesc_index %as[%slot] : !ttg.memdesc<2x64x64xi8, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable> -> tensor<64x64xi8, #dot>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %av, %k, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xi8, #dot> * !ttg.memdesc<64x64xi8, #shared, #smem, mutable> -> tensor<64x64xi32, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %k {pendings = 0 : i32} : tensor<64x64xi32, #mma>, !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<2x64x64xi8, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw_a, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<2x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw_b, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    %to_up = arith.addi %to, %c1 : i32
    %to_over = arith.cmpi sge, %to_up, %slots : i32
    %to_next = arith.select %to_over, %c0, %to_up : i32
    scf.yield %done, %slot, %to_next : tensor<64x64xi32, #mma>, i32, i32
  }
  %all = ttg.async_wait {num = 0 : i32}
  ttg.local_dealloc %copies : !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
  tt.return %sum : tensor<64x64xi32, #mma>
}

// COM: Something else in the loop writes shared memory for its own use; it keeps its place between the barriers.
// CHECK-LABEL: @another_op_needs_memory
// CHECK:         scf.for
// CHECK:           ttg.async_wait {num = 4 : i32}
// CHECK:           tt.reduce
// CHECK:           ttng.warp_group_dot %
// CHECK:           ttng.warp_group_dot_wait
// CHECK:           scf.yield
tt.func @another_op_needs_memory(%ap: tensor<64x64x!tt.ptr<i8>, #blocked>, %bp: tensor<64x64x!tt.ptr<i8>, #blocked>, %n: i32) -> tensor<64x64xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %slots = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
  %sum, %end, %end_to = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %before, %to = %c0) -> (tensor<64x64xi32, #mma>, i32, i32) : i32 {
    %up = arith.addi %at, %c1 : i32
    %over = arith.cmpi sge, %up, %slots : i32
    %slot = arith.select %over, %c0, %up : i32
    %there = ttg.async_wait {num = 4 : i32}
    %b = ttg.memdesc_index %bs[%slot] : !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
    %bv = ttg.local_load %b : !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable> -> tensor<64x64xi8, #runs>
    %turn = arith.andi %i, %c1 : i32
    %k = ttg.memdesc_index %copies[%turn] : !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    ttg.local_store %bv, %k : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a = ttg.memdesc_index %as[%slot] : !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable> -> tensor<64x64xi8, #dot>
    %most = "tt.reduce"(%av) <{axis = 1 : i32}> ({
    ^bb0(%x: i8, %y: i8):
      %m = arith.maxsi %x, %y : i8
      tt.reduce.return %m : i8
    }) : (tensor<64x64xi8, #dot>) -> tensor<64xi8, #ttg.slice<{dim = 1, parent = #dot}>>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %av, %k, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xi8, #dot> * !ttg.memdesc<64x64xi8, #shared, #smem, mutable> -> tensor<64x64xi32, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %k {pendings = 0 : i32} : tensor<64x64xi32, #mma>, !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw_a, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw_b, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    %to_up = arith.addi %to, %c1 : i32
    %to_over = arith.cmpi sge, %to_up, %slots : i32
    %to_next = arith.select %to_over, %c0, %to_up : i32
    scf.yield %done, %slot, %to_next : tensor<64x64xi32, #mma>, i32, i32
  }
  %all = ttg.async_wait {num = 0 : i32}
  ttg.local_dealloc %copies : !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
  tt.return %sum : tensor<64x64xi32, #mma>
}

// COM: B in place, and parts of which the last one runs on: nothing to gain, and more loads are under way as it is.
// CHECK-LABEL: @the_last_part_runs_on
// CHECK:         scf.for
// CHECK:           ttg.async_wait {num = 4 : i32}
// CHECK:           ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// CHECK:           ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// CHECK:           scf.yield
tt.func @the_last_part_runs_on(%ap: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %bp: tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %slots = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf8E4M3FN, #raw_a, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<4x64x64xf8E4M3FN, #shared, #smem, mutable>
  %sum, %end, %end_to = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %before, %to = %c0) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %up = arith.addi %at, %c1 : i32
    %over = arith.cmpi sge, %up, %slots : i32
    %slot = arith.select %over, %c0, %up : i32
    %there = ttg.async_wait {num = 4 : i32}
    %b = ttg.memdesc_index %bs[%slot] : !ttg.memdesc<4x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %a = ttg.memdesc_index %as[%slot] : !ttg.memdesc<3x64x64xf8E4M3FN, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw_a, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x64xf8E4M3FN, #raw_a, #smem, mutable> -> tensor<64x64xf8E4M3FN, #dot>
    %cut = tt.reshape %av : tensor<64x64xf8E4M3FN, #dot> -> tensor<64x2x32xf8E4M3FN, #parts>
    %turned = tt.trans %cut {order = array<i32: 0, 2, 1>} : tensor<64x2x32xf8E4M3FN, #parts> -> tensor<64x32x2xf8E4M3FN, #turned>
    %h0, %h1 = tt.split %turned : tensor<64x32x2xf8E4M3FN, #turned> -> tensor<64x32xf8E4M3FN, #part>
    %a0 = ttg.convert_layout %h0 : tensor<64x32xf8E4M3FN, #part> -> tensor<64x32xf8E4M3FN, #dot>
    %k0 = ttg.memdesc_subslice %b[0, 0] : !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64>
    %a1 = ttg.convert_layout %h1 : tensor<64x32xf8E4M3FN, #part> -> tensor<64x32xf8E4M3FN, #dot>
    %k1 = ttg.memdesc_subslice %b[32, 0] : !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64>
    %d0 = ttng.warp_group_dot %a0, %k0, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x32xf8E4M3FN, #dot> * !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64> -> tensor<64x64xf32, #mma>
    %w0, %w0_k = ttng.warp_group_dot_wait %d0, %k0 {pendings = 1 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64>
    %d1 = ttng.warp_group_dot %a1, %k1, %w0 {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x32xf8E4M3FN, #dot> * !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64> -> tensor<64x64xf32, #mma>
    %done, %done_k = ttng.warp_group_dot_wait %d1, %k1 {pendings = 1 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf8E4M3FN, #shared, #smem, mutable, 64x64>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<3x64x64xf8E4M3FN, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #raw_a, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #raw_a, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<4x64x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<f8E4M3FN>, #blocked> -> <64x64xf8E4M3FN, #shared, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    %to_up = arith.addi %to, %c1 : i32
    %to_over = arith.cmpi sge, %to_up, %slots : i32
    %to_next = arith.select %to_over, %c0, %to_up : i32
    scf.yield %done, %slot, %to_next : tensor<64x64xf32, #mma>, i32, i32
  }
  %all = ttg.async_wait {num = 0 : i32}
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: 32-bit words need no permutation, and ptxas reads them straight into registers that the product before may still
// COM: be reading. The loop waits for it.
// CHECK-LABEL: @words_are_not_read_into_registers_in_flight
// CHECK:         scf.for
// CHECK:           llvm.load
// CHECK:           ttng.warp_group_dot
// CHECK:           ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32}
tt.func @words_are_not_read_into_registers_in_flight(%as: !ttg.memdesc<2x64x32xf32, #raw_words, #smem, mutable>, %b: !ttg.memdesc<32x64xf32, #shared_words, #smem>, %n: i32) -> tensor<64x64xf32, #mma_words> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma_words>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma_words>) : i32 {
    %slot = arith.andi %i, %c1 : i32
    %there = ttg.async_wait {num = 0 : i32}
    %a = ttg.memdesc_index %as[%slot] : !ttg.memdesc<2x64x32xf32, #raw_words, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw_words, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw_words, #smem, mutable> -> tensor<64x32xf32, #dot_words>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot_words> * !ttg.memdesc<32x64xf32, #shared_words, #smem> -> tensor<64x64xf32, #mma_words>
    %done = ttng.warp_group_dot_wait %d {pendings = 1 : i32} : tensor<64x64xf32, #mma_words>
    scf.yield %done : tensor<64x64xf32, #mma_words>
  }
  %all = ttng.warp_group_dot_wait %sum {pendings = 0 : i32} : tensor<64x64xf32, #mma_words>
  tt.return %all : tensor<64x64xf32, #mma_words>
}

// COM: The copied tile has another use, so that its copy is not lowered here, and cannot move.
// CHECK-LABEL: @somebody_else_wants_the_tile
// CHECK:         scf.for
// CHECK:           ttg.async_wait {num = 4 : i32}
// CHECK:           ttng.warp_group_dot %
// CHECK:           ttng.warp_group_dot_wait
// CHECK:           scf.yield
tt.func @somebody_else_wants_the_tile(%ap: tensor<64x64x!tt.ptr<i8>, #blocked>, %bp: tensor<64x64x!tt.ptr<i8>, #blocked>, %n: i32) -> tensor<64x64xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %slots = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
  %sum, %end, %end_to = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %before, %to = %c0) -> (tensor<64x64xi32, #mma>, i32, i32) : i32 {
    %up = arith.addi %at, %c1 : i32
    %over = arith.cmpi sge, %up, %slots : i32
    %slot = arith.select %over, %c0, %up : i32
    %there = ttg.async_wait {num = 4 : i32}
    %b = ttg.memdesc_index %bs[%slot] : !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
    %bv = ttg.local_load %b : !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable> -> tensor<64x64xi8, #runs>
    %turn = arith.andi %i, %c1 : i32
    %k = ttg.memdesc_index %copies[%turn] : !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    ttg.local_store %bv, %k : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a = ttg.memdesc_index %as[%slot] : !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable> -> tensor<64x64xi8, #dot>
    %wide = arith.extsi %bv : tensor<64x64xi8, #runs> to tensor<64x64xi16, #runs>
    ttng.fence_async_shared {bCluster = false}
    %d = ttng.warp_group_dot %av, %k, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xi8, #dot> * !ttg.memdesc<64x64xi8, #shared, #smem, mutable> -> tensor<64x64xi32, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %k {pendings = 0 : i32} : tensor<64x64xi32, #mma>, !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw_a, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw_b, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    %to_up = arith.addi %to, %c1 : i32
    %to_over = arith.cmpi sge, %to_up, %slots : i32
    %to_next = arith.select %to_over, %c0, %to_up : i32
    scf.yield %done, %slot, %to_next : tensor<64x64xi32, #mma>, i32, i32
  }
  %all = ttg.async_wait {num = 0 : i32}
  ttg.local_dealloc %copies : !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
  tt.return %sum : tensor<64x64xi32, #mma>
}

// COM: Nothing makes the stores of a copy visible to wgmma, and rotation would not either.
// CHECK-LABEL: @there_is_no_fence
// CHECK:         scf.for
// CHECK:           ttg.async_wait {num = 4 : i32}
// CHECK:           ttng.warp_group_dot %
// CHECK:           ttng.warp_group_dot_wait
// CHECK:           scf.yield
tt.func @there_is_no_fence(%ap: tensor<64x64x!tt.ptr<i8>, #blocked>, %bp: tensor<64x64x!tt.ptr<i8>, #blocked>, %n: i32) -> tensor<64x64xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %slots = arith.constant 3 : i32
  %before = arith.constant -1 : i32
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable>
  %bs = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable>
  %copies = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
  %sum, %end, %end_to = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %before, %to = %c0) -> (tensor<64x64xi32, #mma>, i32, i32) : i32 {
    %up = arith.addi %at, %c1 : i32
    %over = arith.cmpi sge, %up, %slots : i32
    %slot = arith.select %over, %c0, %up : i32
    %there = ttg.async_wait {num = 4 : i32}
    %b = ttg.memdesc_index %bs[%slot] : !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
    %bv = ttg.local_load %b : !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable> -> tensor<64x64xi8, #runs>
    %turn = arith.andi %i, %c1 : i32
    %k = ttg.memdesc_index %copies[%turn] : !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    ttg.local_store %bv, %k : tensor<64x64xi8, #runs> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a = ttg.memdesc_index %as[%slot] : !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable> -> tensor<64x64xi8, #dot>
    %d = ttng.warp_group_dot %av, %k, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x64xi8, #dot> * !ttg.memdesc<64x64xi8, #shared, #smem, mutable> -> tensor<64x64xi32, #mma>
    %done, %kept = ttng.warp_group_dot_wait %d, %k {pendings = 0 : i32} : tensor<64x64xi32, #mma>, !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
    %a_to = ttg.memdesc_index %as[%to] : !ttg.memdesc<3x64x64xi8, #raw_a, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_a, #smem, mutable>
    %a_copy = ttg.async_copy_global_to_local %ap, %a_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw_a, #smem, mutable>
    %a_group = ttg.async_commit_group tokens %a_copy
    %b_to = ttg.memdesc_index %bs[%to] : !ttg.memdesc<3x64x64xi8, #raw_b, #smem, mutable> -> !ttg.memdesc<64x64xi8, #raw_b, #smem, mutable>
    %b_copy = ttg.async_copy_global_to_local %bp, %b_to {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #raw_b, #smem, mutable>
    %b_group = ttg.async_commit_group tokens %b_copy
    %to_up = arith.addi %to, %c1 : i32
    %to_over = arith.cmpi sge, %to_up, %slots : i32
    %to_next = arith.select %to_over, %c0, %to_up : i32
    scf.yield %done, %slot, %to_next : tensor<64x64xi32, #mma>, i32, i32
  }
  %all = ttg.async_wait {num = 0 : i32}
  ttg.local_dealloc %copies : !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
  tt.return %sum : tensor<64x64xi32, #mma>
}
}
