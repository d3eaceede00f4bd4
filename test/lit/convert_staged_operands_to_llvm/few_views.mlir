// RUN: dotload-opt %s --convert-staged-operands-to-llvm=few-views=true | FileCheck %s
// RUN: dotload-opt %s --convert-staged-operands-to-llvm | FileCheck %s --check-prefix=VIEWS

// COM: Triton 3.9 writes down each address of each view of shared memory. What a view would turn is filled turned, and a
// COM: wait hands on no memory that nobody uses behind it.

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 8]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#raw = #ttg.shared_linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]}, alignment = 16>
#square = #ttg.shared_linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#turned = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#padded = #ttg.padded_shared<[32:+4] {order = [1, 0], shape = [32, 64]}>
#padded1 = #ttg.padded_shared<[32:+4] {order = [0, 1], shape = [64, 32]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-DAG:   #[[TURNED:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
// CHECK-DAG:   #[[PLAIN:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
// CHECK-DAG:   #[[LINEAR:.*]] = #ttg.linear<{register = {{\[\[}}1, 0], [2, 0], [0, 16], [0, 32]], lane = {{\[\[}}4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = {{\[\[}}0, 4], [0, 8]], block = []}>

// CHECK-LABEL: @a_tile
// CHECK:         %[[X:.*]] = tt.trans %{{.*}} {order = array<i32: 1, 0>} : tensor<64x32xf32, #{{.*}}> -> tensor<32x64xf32, #[[LINEAR]]>
// CHECK-NEXT:    %[[B:.*]] = ttg.local_alloc %[[X]] : (tensor<32x64xf32, #[[LINEAR]]>) -> !ttg.memdesc<32x64xf32, #[[TURNED]], #smem>
// CHECK-NOT:     ttg.memdesc_trans
// CHECK:         ttng.warp_group_dot %{{.*}}, %[[B]],
// VIEWS-LABEL: @a_tile
// VIEWS:         ttg.memdesc_trans
tt.func @a_tile(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<64x32xf32, #blocked>, %i: i32) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
  %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
  %m = ttg.local_alloc %x : (tensor<64x32xf32, #blocked>) -> !ttg.memdesc<64x32xf32, #shared, #smem>
  %b = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf32, #shared, #smem> -> !ttg.memdesc<32x64xf32, #turned, #smem>
  %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #turned, #smem> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

// COM: Of tiles that are used in turn, all turn. Asynchronous copies keep their registers: pointers, mask, and the rest.
// CHECK-LABEL: @tiles_in_turn
// CHECK:         %[[RING:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x32x64xf32, #[[TURNED]], #smem, mutable>
// CHECK:         %[[TO:.*]] = ttg.memdesc_index %[[RING]][%{{.*}}] : !ttg.memdesc<2x32x64xf32, #[[TURNED]], #smem, mutable> -> !ttg.memdesc<32x64xf32, #[[TURNED]], #smem, mutable>
// CHECK:         %[[P:.*]] = tt.trans %{{.*}} -> tensor<32x64x!tt.ptr<f32>, #[[LINEAR]]>
// CHECK:         %[[MASK:.*]] = tt.trans %{{.*}} -> tensor<32x64xi1, #[[LINEAR]]>
// CHECK:         %[[OTHER:.*]] = tt.trans %{{.*}} -> tensor<32x64xf32, #[[LINEAR]]>
// CHECK:         ttg.async_copy_global_to_local %[[P]], %[[TO]] mask %[[MASK]] other %[[OTHER]] {contiguity = 4 : i32} : tensor<32x64x!tt.ptr<f32>, #[[LINEAR]]> -> <32x64xf32, #[[TURNED]], #smem, mutable>
// CHECK:         %[[FROM:.*]] = ttg.memdesc_index %[[RING]]
// CHECK-NOT:     ttg.memdesc_trans
// CHECK:         ttng.warp_group_dot %{{.*}}, %[[FROM]],
// CHECK:         ttg.local_dealloc %[[RING]] : !ttg.memdesc<2x32x64xf32, #[[TURNED]], #smem, mutable>
tt.func @tiles_in_turn(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %p: tensor<64x32x!tt.ptr<f32>, #blocked>, %mask: tensor<64x32xi1, #blocked>, %other: tensor<64x32xf32, #blocked>, %i: i32, %j: i32) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %ring = ttg.local_alloc : () -> !ttg.memdesc<2x64x32xf32, #shared, #smem, mutable>
  %to = ttg.memdesc_index %ring[%i] : !ttg.memdesc<2x64x32xf32, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf32, #shared, #smem, mutable>
  %copy = ttg.async_copy_global_to_local %p, %to mask %mask other %other {contiguity = 4 : i32} : tensor<64x32x!tt.ptr<f32>, #blocked> -> <64x32xf32, #shared, #smem, mutable>
  %there = ttg.async_wait %copy {num = 0 : i32}
  %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
  %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
  %from = ttg.memdesc_index %ring[%j] : !ttg.memdesc<2x64x32xf32, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf32, #shared, #smem, mutable>
  %b = ttg.memdesc_trans %from {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf32, #shared, #smem, mutable> -> !ttg.memdesc<32x64xf32, #turned, #smem, mutable>
  %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #turned, #smem, mutable> -> tensor<64x64xf32, #mma>
  ttg.local_dealloc %ring : !ttg.memdesc<2x64x32xf32, #shared, #smem, mutable>
  tt.return %d : tensor<64x64xf32, #mma>
}

// COM: What is read as it lies as well stays so.
// CHECK-LABEL: @read_both_ways
// CHECK:         ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x32xf32, #[[PLAIN]], #smem>
// CHECK:         ttg.memdesc_trans
tt.func @read_both_ways(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<64x32xf32, #blocked>, %i: i32) -> (tensor<64x64xf32, #mma>, tensor<64x32xf32, #blocked>) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
  %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
  %m = ttg.local_alloc %x : (tensor<64x32xf32, #blocked>) -> !ttg.memdesc<64x32xf32, #shared, #smem>
  %b = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf32, #shared, #smem> -> !ttg.memdesc<32x64xf32, #turned, #smem>
  %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #turned, #smem> -> tensor<64x64xf32, #mma>
  %again = ttg.local_load %m : !ttg.memdesc<64x32xf32, #shared, #smem> -> tensor<64x32xf32, #blocked>
  tt.return %d, %again : tensor<64x64xf32, #mma>, tensor<64x32xf32, #blocked>
}

// COM: Of several tiles, one that is read as it lies keeps the others.
// CHECK-LABEL: @one_of_two_read_both_ways
// CHECK:         ttg.local_alloc : () -> !ttg.memdesc<2x64x32xf32, #[[PLAIN]], #smem, mutable>
// CHECK:         ttg.memdesc_trans
tt.func @one_of_two_read_both_ways(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %p: tensor<64x32x!tt.ptr<f32>, #blocked>, %i: i32, %j: i32) -> (tensor<64x64xf32, #mma>, tensor<64x32xf32, #blocked>) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %ring = ttg.local_alloc : () -> !ttg.memdesc<2x64x32xf32, #shared, #smem, mutable>
  %to = ttg.memdesc_index %ring[%i] : !ttg.memdesc<2x64x32xf32, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf32, #shared, #smem, mutable>
  %copy = ttg.async_copy_global_to_local %p, %to : tensor<64x32x!tt.ptr<f32>, #blocked> -> <64x32xf32, #shared, #smem, mutable>
  %there = ttg.async_wait %copy {num = 0 : i32}
  %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
  %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
  %from = ttg.memdesc_index %ring[%j] : !ttg.memdesc<2x64x32xf32, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf32, #shared, #smem, mutable>
  %b = ttg.memdesc_trans %from {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf32, #shared, #smem, mutable> -> !ttg.memdesc<32x64xf32, #turned, #smem, mutable>
  %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #turned, #smem, mutable> -> tensor<64x64xf32, #mma>
  %again = ttg.local_load %to : !ttg.memdesc<64x32xf32, #shared, #smem, mutable> -> tensor<64x32xf32, #blocked>
  tt.return %d, %again : tensor<64x64xf32, #mma>, tensor<64x32xf32, #blocked>
}

// COM: Tiles of one memory that some may write and others not stay as they are.
// CHECK-LABEL: @tiles_of_two_types
// CHECK:         ttg.local_alloc : () -> !ttg.memdesc<2x64x32xf32, #[[PLAIN]], #smem, mutable>
// CHECK:         ttg.memdesc_trans
tt.func @tiles_of_two_types(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %p: tensor<64x32x!tt.ptr<f32>, #blocked>, %i: i32, %j: i32) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %ring = ttg.local_alloc : () -> !ttg.memdesc<2x64x32xf32, #shared, #smem, mutable>
  %to = ttg.memdesc_index %ring[%i] : !ttg.memdesc<2x64x32xf32, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf32, #shared, #smem, mutable>
  %copy = ttg.async_copy_global_to_local %p, %to : tensor<64x32x!tt.ptr<f32>, #blocked> -> <64x32xf32, #shared, #smem, mutable>
  %there = ttg.async_wait %copy {num = 0 : i32}
  %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
  %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
  %from = ttg.memdesc_index %ring[%j] : !ttg.memdesc<2x64x32xf32, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf32, #shared, #smem>
  %b = ttg.memdesc_trans %from {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf32, #shared, #smem> -> !ttg.memdesc<32x64xf32, #turned, #smem>
  %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #turned, #smem> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

// COM: The tile stays taken up to where all warps meet behind the wait.
// CHECK-LABEL: @a_wait_hands_on_no_memory
// CHECK:         scf.for
// CHECK:           %[[B:.*]] = ttg.local_alloc
// CHECK:           ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32} : tensor<64x64xf32
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      ttg.local_dealloc %[[B]]
// VIEWS-LABEL: @a_wait_hands_on_no_memory
// VIEWS:           ttng.warp_group_dot_wait %{{.*}}, %{{.*}} {pendings = 0 : i32}
tt.func @a_wait_hands_on_no_memory(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<32x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %b = ttg.local_alloc %x : (tensor<32x64xf32, #blocked>) -> !ttg.memdesc<32x64xf32, #turned, #smem>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #turned, #smem> -> tensor<64x64xf32, #mma>
    %done, %free = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #turned, #smem>
    gpu.barrier
    scf.yield %done : tensor<64x64xf32, #mma>
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: Where other memory is taken before the warps meet, it must not be this.
// CHECK-LABEL: @taken_before_the_meeting
// CHECK:           ttng.warp_group_dot_wait %{{.*}}, %{{.*}} {pendings = 0 : i32}
tt.func @taken_before_the_meeting(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<32x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %b = ttg.local_alloc %x : (tensor<32x64xf32, #blocked>) -> !ttg.memdesc<32x64xf32, #turned, #smem>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #turned, #smem> -> tensor<64x64xf32, #mma>
    %done, %free = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #turned, #smem>
    %scratch = ttg.convert_layout %x : tensor<32x64xf32, #blocked> -> tensor<32x64xf32, #mma>
    gpu.barrier
    scf.yield %done : tensor<64x64xf32, #mma>
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: What is filled in two ways is not turned in one of them.
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
  %b = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf32, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf32, #turned, #smem, mutable>
  %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32} : tensor<64x64xf32, #dot> * !ttg.memdesc<64x64xf32, #turned, #smem, mutable> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

// COM: Memory in a layout that dotload does not know stays; the rest of the kernel is rewritten.
// CHECK-LABEL: @an_unknown_layout
// CHECK:         ttg.memdesc_trans
// CHECK-NOT:     ttg.local_load
// CHECK:         ttng.warp_group_dot
tt.func @an_unknown_layout(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<32x64xf32, #blocked>, %b: !ttg.memdesc<32x64xf32, #turned, #smem>, %i: i32) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %padded = ttg.local_alloc %x : (tensor<32x64xf32, #blocked>) -> !ttg.memdesc<32x64xf32, #padded, #smem>
  %view = ttg.memdesc_trans %padded {order = array<i32: 1, 0>} : !ttg.memdesc<32x64xf32, #padded, #smem> -> !ttg.memdesc<64x32xf32, #padded1, #smem>
  %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
  %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
  %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #turned, #smem> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

// COM: Memory that is taken now and written behind the meeting must not be this one either.
// CHECK-LABEL: @taken_for_later
// CHECK:           ttng.warp_group_dot_wait %{{.*}}, %{{.*}} {pendings = 0 : i32}
tt.func @taken_for_later(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<32x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %b = ttg.local_alloc %x : (tensor<32x64xf32, #blocked>) -> !ttg.memdesc<32x64xf32, #turned, #smem>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #turned, #smem> -> tensor<64x64xf32, #mma>
    %done, %free = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #turned, #smem>
    %later = ttg.local_alloc : () -> !ttg.memdesc<32x64xf32, #turned, #smem, mutable>
    gpu.barrier
    ttg.local_store %x, %later : tensor<32x64xf32, #blocked> -> !ttg.memdesc<32x64xf32, #turned, #smem, mutable>
    scf.yield %done : tensor<64x64xf32, #mma>
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: Where only some warps meet, others may still be at their product.
// CHECK-LABEL: @not_all_warps_meet
// CHECK:           ttng.warp_group_dot_wait %{{.*}}, %{{.*}} {pendings = 0 : i32}
// CHECK-NEXT:      gpu.barrier scope <subgroup>
tt.func @not_all_warps_meet(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<32x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %b = ttg.local_alloc %x : (tensor<32x64xf32, #blocked>) -> !ttg.memdesc<32x64xf32, #turned, #smem>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #turned, #smem> -> tensor<64x64xf32, #mma>
    %done, %free = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #turned, #smem>
    gpu.barrier scope <subgroup>
    scf.yield %done : tensor<64x64xf32, #mma>
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: Nor do all see what was written to shared memory where global memory alone is fenced.
// CHECK-LABEL: @fenced_elsewhere
// CHECK:           ttng.warp_group_dot_wait %{{.*}}, %{{.*}} {pendings = 0 : i32}
// CHECK-NEXT:      gpu.barrier memfence
tt.func @fenced_elsewhere(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<32x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %b = ttg.local_alloc %x : (tensor<32x64xf32, #blocked>) -> !ttg.memdesc<32x64xf32, #turned, #smem>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #turned, #smem> -> tensor<64x64xf32, #mma>
    %done, %free = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #turned, #smem>
    gpu.barrier memfence [#gpu.address_space<global>]
    scf.yield %done : tensor<64x64xf32, #mma>
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: A wait that leaves a product running is not the end of its tiles.
// CHECK-LABEL: @still_running
// CHECK:           ttng.warp_group_dot_wait %{{.*}}, %{{.*}} {pendings = 1 : i32}
tt.func @still_running(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<32x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %b = ttg.local_alloc %x : (tensor<32x64xf32, #blocked>) -> !ttg.memdesc<32x64xf32, #turned, #smem>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #turned, #smem> -> tensor<64x64xf32, #mma>
    %done, %free = ttng.warp_group_dot_wait %acc, %b {pendings = 1 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #turned, #smem>
    gpu.barrier
    %late = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x64xf32, #mma>
    scf.yield %late : tensor<64x64xf32, #mma>
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: A tile that a later wait hands on, too, stays taken up to that one.
// CHECK-LABEL: @two_waits
// CHECK:           ttng.warp_group_dot_wait %{{.*}}, %[[B:[^ ]*]] {pendings = 0 : i32}
// CHECK:           ttng.warp_group_dot_wait %{{.*}}, %[[B]] {pendings = 0 : i32}
// CHECK-NOT:       ttg.local_dealloc
// CHECK:           scf.yield
tt.func @two_waits(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<32x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %b = ttg.local_alloc %x : (tensor<32x64xf32, #blocked>) -> !ttg.memdesc<32x64xf32, #turned, #smem>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #turned, #smem> -> tensor<64x64xf32, #mma>
    %done, %free = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #turned, #smem>
    gpu.barrier
    %d2 = ttng.warp_group_dot %av, %b, %done {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #turned, #smem> -> tensor<64x64xf32, #mma>
    %done2, %free2 = ttng.warp_group_dot_wait %d2, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #turned, #smem>
    scf.yield %done2 : tensor<64x64xf32, #mma>
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: A wait needs registers to hand on.
// CHECK-LABEL: @memory_alone
// CHECK:           ttng.warp_group_dot_wait %{{[^,]*}} {pendings = 0 : i32} : !ttg.memdesc
tt.func @memory_alone(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<32x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %b = ttg.local_alloc %x : (tensor<32x64xf32, #blocked>) -> !ttg.memdesc<32x64xf32, #turned, #smem>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #turned, #smem> -> tensor<64x64xf32, #mma>
    %free = ttng.warp_group_dot_wait %b {pendings = 0 : i32} : !ttg.memdesc<32x64xf32, #turned, #smem>
    gpu.barrier
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %sum : tensor<64x64xf32, #mma>
}

// COM: Tiles that a loop uses in turn stay taken all through it.
// CHECK-LABEL: @tiles_of_a_loop
// CHECK:         %[[RING:.*]] = ttg.local_alloc
// CHECK:           ttng.warp_group_dot_wait %{{[^,]*}} {pendings = 0 : i32}
// CHECK-NOT:       ttg.local_dealloc
// CHECK:           scf.yield
// CHECK:         ttg.local_dealloc %[[RING]]
tt.func @tiles_of_a_loop(%as: !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>, %x: tensor<32x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %ring = ttg.local_alloc : () -> !ttg.memdesc<2x32x64xf32, #turned, #smem, mutable>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %a = ttg.memdesc_index %as[%i] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
    %b = ttg.memdesc_index %ring[%i] : !ttg.memdesc<2x32x64xf32, #turned, #smem, mutable> -> !ttg.memdesc<32x64xf32, #turned, #smem, mutable>
    %av = ttg.local_load %a : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
    %d = ttng.warp_group_dot %av, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #turned, #smem, mutable> -> tensor<64x64xf32, #mma>
    %done, %free = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<32x64xf32, #turned, #smem, mutable>
    scf.yield %done : tensor<64x64xf32, #mma>
  }
  ttg.local_dealloc %ring : !ttg.memdesc<2x32x64xf32, #turned, #smem, mutable>
  tt.return %sum : tensor<64x64xf32, #mma>
}

}
