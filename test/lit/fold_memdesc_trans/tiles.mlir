// RUN: dotload-opt %s --fold-memdesc-trans | FileCheck %s

// COM: A transposed dot takes the other operand's tile through ttg.memdesc_trans. If that is the tile's only use, the
// COM: tile is filled under transposed indices instead.

// CHECK-DAG:   #[[TRANS:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
// CHECK-DAG:   #[[PLAIN:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
// CHECK-DAG:   #[[LINEAR:.*]] = #ttg.linear<{register = {{\[\[}}1, 0], [2, 0], [0, 16], [0, 32]], lane = {{\[\[}}4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = {{\[\[}}0, 4], [0, 8]], block = []}>

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 8]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#raw = #ttg.shared_linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]}, alignment = 16>
#square = #ttg.shared_linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#trans = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#padded = #ttg.padded_shared<[32:+4] {order = [1, 0], shape = [32, 64]}>
#padded1 = #ttg.padded_shared<[32:+4] {order = [0, 1], shape = [64, 32]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @tile
// CHECK:         %[[X:.*]] = tt.trans %{{.*}} {order = array<i32: 1, 0>} : tensor<64x32xf32, #{{.*}}> -> tensor<32x64xf32, #[[LINEAR]]>
// CHECK-NEXT:    %[[B:.*]] = ttg.local_alloc %[[X]] : (tensor<32x64xf32, #[[LINEAR]]>) -> !ttg.memdesc<32x64xf32, #[[TRANS]], #smem>
// CHECK-NOT:     ttg.memdesc_trans
// CHECK:         ttng.warp_group_dot %{{.*}}, %[[B]],
tt.func @tile(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<64x32xf32, #blocked>, %i: i32) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
  %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
  %m = ttg.local_alloc %x : (tensor<64x32xf32, #blocked>) -> !ttg.memdesc<64x32xf32, #shared, #smem>
  %b = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf32, #shared, #smem> -> !ttg.memdesc<32x64xf32, #trans, #smem>
  %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #trans, #smem> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

// COM: All buffers of an allocation are transposed. Asynchronous copies keep their register layouts: pointers and masks
// COM: stay.
// CHECK-LABEL: @buffers
// CHECK:         %[[BUFFERS:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x32x64xf32, #[[TRANS]], #smem, mutable>
// CHECK:         %[[TO:.*]] = ttg.memdesc_index %[[BUFFERS]][%{{.*}}] : !ttg.memdesc<2x32x64xf32, #[[TRANS]], #smem, mutable> -> !ttg.memdesc<32x64xf32, #[[TRANS]], #smem, mutable>
// CHECK:         %[[P:.*]] = tt.trans %{{.*}} -> tensor<32x64x!tt.ptr<f32>, #[[LINEAR]]>
// CHECK:         %[[MASK:.*]] = tt.trans %{{.*}} -> tensor<32x64xi1, #[[LINEAR]]>
// CHECK:         %[[OTHER:.*]] = tt.trans %{{.*}} -> tensor<32x64xf32, #[[LINEAR]]>
// CHECK:         ttg.async_copy_global_to_local %[[P]], %[[TO]] mask %[[MASK]] other %[[OTHER]] {contiguity = 4 : i32} : tensor<32x64x!tt.ptr<f32>, #[[LINEAR]]> -> <32x64xf32, #[[TRANS]], #smem, mutable>
// CHECK:         %[[FROM:.*]] = ttg.memdesc_index %[[BUFFERS]]
// CHECK-NOT:     ttg.memdesc_trans
// CHECK:         ttng.warp_group_dot %{{.*}}, %[[FROM]],
// CHECK:         ttg.local_dealloc %[[BUFFERS]] : !ttg.memdesc<2x32x64xf32, #[[TRANS]], #smem, mutable>
tt.func @buffers(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %p: tensor<64x32x!tt.ptr<f32>, #blocked>, %mask: tensor<64x32xi1, #blocked>, %other: tensor<64x32xf32, #blocked>, %i: i32, %j: i32) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %ring = ttg.local_alloc : () -> !ttg.memdesc<2x64x32xf32, #shared, #smem, mutable>
  %to = ttg.memdesc_index %ring[%i] : !ttg.memdesc<2x64x32xf32, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf32, #shared, #smem, mutable>
  %copy = ttg.async_copy_global_to_local %p, %to mask %mask other %other {contiguity = 4 : i32} : tensor<64x32x!tt.ptr<f32>, #blocked> -> <64x32xf32, #shared, #smem, mutable>
  %there = ttg.async_wait %copy {num = 0 : i32}
  %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
  %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
  %from = ttg.memdesc_index %ring[%j] : !ttg.memdesc<2x64x32xf32, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf32, #shared, #smem, mutable>
  %b = ttg.memdesc_trans %from {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf32, #shared, #smem, mutable> -> !ttg.memdesc<32x64xf32, #trans, #smem, mutable>
  %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #trans, #smem, mutable> -> tensor<64x64xf32, #mma>
  ttg.local_dealloc %ring : !ttg.memdesc<2x64x32xf32, #shared, #smem, mutable>
  tt.return %d : tensor<64x64xf32, #mma>
}

// COM: The tile is also read in its own order: it stays.
// CHECK-LABEL: @other_use_of_the_tile
// CHECK:         ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x32xf32, #[[PLAIN]], #smem>
// CHECK:         ttg.memdesc_trans
tt.func @other_use_of_the_tile(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<64x32xf32, #blocked>, %i: i32) -> (tensor<64x64xf32, #mma>, tensor<64x32xf32, #blocked>) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
  %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
  %m = ttg.local_alloc %x : (tensor<64x32xf32, #blocked>) -> !ttg.memdesc<64x32xf32, #shared, #smem>
  %b = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf32, #shared, #smem> -> !ttg.memdesc<32x64xf32, #trans, #smem>
  %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #trans, #smem> -> tensor<64x64xf32, #mma>
  %again = ttg.local_load %m : !ttg.memdesc<64x32xf32, #shared, #smem> -> tensor<64x32xf32, #blocked>
  tt.return %d, %again : tensor<64x64xf32, #mma>, tensor<64x32xf32, #blocked>
}

// COM: One buffer is read in its own order: all buffers stay.
// CHECK-LABEL: @other_use_of_one_buffer
// CHECK:         ttg.local_alloc : () -> !ttg.memdesc<2x64x32xf32, #[[PLAIN]], #smem, mutable>
// CHECK:         ttg.memdesc_trans
tt.func @other_use_of_one_buffer(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %p: tensor<64x32x!tt.ptr<f32>, #blocked>, %i: i32, %j: i32) -> (tensor<64x64xf32, #mma>, tensor<64x32xf32, #blocked>) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %ring = ttg.local_alloc : () -> !ttg.memdesc<2x64x32xf32, #shared, #smem, mutable>
  %to = ttg.memdesc_index %ring[%i] : !ttg.memdesc<2x64x32xf32, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf32, #shared, #smem, mutable>
  %copy = ttg.async_copy_global_to_local %p, %to : tensor<64x32x!tt.ptr<f32>, #blocked> -> <64x32xf32, #shared, #smem, mutable>
  %there = ttg.async_wait %copy {num = 0 : i32}
  %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
  %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
  %from = ttg.memdesc_index %ring[%j] : !ttg.memdesc<2x64x32xf32, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf32, #shared, #smem, mutable>
  %b = ttg.memdesc_trans %from {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf32, #shared, #smem, mutable> -> !ttg.memdesc<32x64xf32, #trans, #smem, mutable>
  %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #trans, #smem, mutable> -> tensor<64x64xf32, #mma>
  %again = ttg.local_load %to : !ttg.memdesc<64x32xf32, #shared, #smem, mutable> -> tensor<64x32xf32, #blocked>
  tt.return %d, %again : tensor<64x64xf32, #mma>, tensor<64x32xf32, #blocked>
}

// COM: Some buffers of the allocation are mutable and some are not: they stay.
// CHECK-LABEL: @buffers_of_two_types
// CHECK:         ttg.local_alloc : () -> !ttg.memdesc<2x64x32xf32, #[[PLAIN]], #smem, mutable>
// CHECK:         ttg.memdesc_trans
tt.func @buffers_of_two_types(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %p: tensor<64x32x!tt.ptr<f32>, #blocked>, %i: i32, %j: i32) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %ring = ttg.local_alloc : () -> !ttg.memdesc<2x64x32xf32, #shared, #smem, mutable>
  %to = ttg.memdesc_index %ring[%i] : !ttg.memdesc<2x64x32xf32, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf32, #shared, #smem, mutable>
  %copy = ttg.async_copy_global_to_local %p, %to : tensor<64x32x!tt.ptr<f32>, #blocked> -> <64x32xf32, #shared, #smem, mutable>
  %there = ttg.async_wait %copy {num = 0 : i32}
  %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
  %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
  %from = ttg.memdesc_index %ring[%j] : !ttg.memdesc<2x64x32xf32, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf32, #shared, #smem>
  %b = ttg.memdesc_trans %from {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf32, #shared, #smem> -> !ttg.memdesc<32x64xf32, #trans, #smem>
  %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #trans, #smem> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

// COM: The tile is filled by two ops: it stays.
// CHECK-LABEL: @filled_twice
// CHECK:         ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x64xf32, #[[PLAIN]], #smem, mutable>
// CHECK:         ttg.memdesc_trans
tt.func @filled_twice(%as: !ttg.memdesc<2x64x64xf32, #square, #smem, mutable>, %x: tensor<64x64xf32, #blocked>, %p: tensor<64x64x!tt.ptr<f32>, #blocked>, %i: i32) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x64xf32, #square, #smem, mutable> -> !ttg.memdesc<64x64xf32, #square, #smem, mutable>
  %av = ttg.local_load %a : !ttg.memdesc<64x64xf32, #square, #smem, mutable> -> tensor<64x64xf32, #dot>
  %m = ttg.local_alloc %x : (tensor<64x64xf32, #blocked>) -> !ttg.memdesc<64x64xf32, #shared, #smem, mutable>
  %copy = ttg.async_copy_global_to_local %p, %m : tensor<64x64x!tt.ptr<f32>, #blocked> -> <64x64xf32, #shared, #smem, mutable>
  %there = ttg.async_wait %copy {num = 0 : i32}
  %b = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf32, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf32, #trans, #smem, mutable>
  %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32} : tensor<64x64xf32, #dot> * !ttg.memdesc<64x64xf32, #trans, #smem, mutable> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

// COM: The memory has a layout that dotload does not know: it stays.
// CHECK-LABEL: @unknown_layout
// CHECK:         ttg.memdesc_trans
tt.func @unknown_layout(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<32x64xf32, #blocked>, %b: !ttg.memdesc<32x64xf32, #trans, #smem>, %i: i32) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %padded = ttg.local_alloc %x : (tensor<32x64xf32, #blocked>) -> !ttg.memdesc<32x64xf32, #padded, #smem>
  %view = ttg.memdesc_trans %padded {order = array<i32: 1, 0>} : !ttg.memdesc<32x64xf32, #padded, #smem> -> !ttg.memdesc<64x32xf32, #padded1, #smem>
  %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
  %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
  %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #trans, #smem> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}
}
