// RUN: dotload-opt %s --convert-staged-operands-to-llvm | FileCheck %s

// COM: Triton 3.6 splits the k of a product whose A comes from registers into products of one wgmma each. Their parts
// COM: come out of reshape, trans, split and convert_layout, which move no data. Here n is renamed in the raw tile's
// COM: layout itself; a warp's part of 32 k is one ldmatrix.

#blocked = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#halves = #ttg.linear<{register = [[0, 0, 1], [0, 0, 2], [8, 0, 0], [0, 0, 16], [0, 1, 0]], lane = [[0, 0, 4], [0, 0, 8], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#halves_last = #ttg.linear<{register = [[0, 1, 0], [0, 2, 0], [8, 0, 0], [0, 16, 0], [0, 0, 1]], lane = [[0, 4, 0], [0, 8, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#quarters = #ttg.linear<{register = [[0, 0, 0, 1], [0, 0, 0, 2], [8, 0, 0, 0], [0, 0, 0, 16], [0, 0, 1, 0], [0, 1, 0, 0]], lane = [[0, 0, 0, 4], [0, 0, 0, 8], [1, 0, 0, 0], [2, 0, 0, 0], [4, 0, 0, 0]], warp = [[16, 0, 0, 0], [32, 0, 0, 0]], block = []}>
#quarters_last = #ttg.linear<{register = [[0, 1, 0, 0], [0, 2, 0, 0], [8, 0, 0, 0], [0, 16, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], lane = [[0, 4, 0, 0], [0, 8, 0, 0], [1, 0, 0, 0], [2, 0, 0, 0], [4, 0, 0, 0]], warp = [[16, 0, 0, 0], [32, 0, 0, 0]], block = []}>
#part = #ttg.linear<{register = [[0, 1], [0, 2], [8, 0], [0, 16]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#raw64 = #ttg.shared_linear<{offset = [[8, 0], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32]]}, alignment = 16>
#raw128 = #ttg.shared_linear<{offset = [[8, 0], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 1], [0, 2], [16, 4], [32, 8], [0, 16], [0, 32], [0, 64]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The second half is read before the product of the first half; both before the first product.
// CHECK-LABEL: @two_parts
// CHECK-NOT:     tt.reshape
// CHECK-NOT:     tt.trans
// CHECK:         %[[M0:.*]] = llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3"(%[[P:[0-9a-z_]+]])
// CHECK-COUNT-4: llvm.shufflevector
// CHECK-NOT:     llvm.shufflevector
// CHECK:         %[[A0:.*]] = builtin.unrealized_conversion_cast {{.*}} to tensor<64x32xi8, #ttg.dot_op<{opIdx = 0
// CHECK-NOT:     tt.split
// CHECK:         %[[P1:.*]] = llvm.getelementptr %[[P]][2048]
// CHECK:         llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3"(%[[P1]])
// CHECK-COUNT-4: llvm.shufflevector
// CHECK-NOT:     llvm.shufflevector
// CHECK:         %[[A1:.*]] = builtin.unrealized_conversion_cast {{.*}} to tensor<64x32xi8, #ttg.dot_op<{opIdx = 0
// CHECK-NOT:     ttg.convert_layout
// CHECK:         %[[D0:.*]] = ttng.warp_group_dot %[[A0]],
// CHECK-NOT:     llvm.
// CHECK:         ttng.warp_group_dot %[[A1]], %{{.*}}, %[[D0]]
// CHECK:         tt.return
tt.func @two_parts(%t: tensor<64x64xi8, #blocked>, %b: !ttg.memdesc<64x64xi8, #shared, #smem>) -> tensor<64x64xi32, #mma> {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %raw = ttg.local_alloc %t : (tensor<64x64xi8, #blocked>) -> !ttg.memdesc<64x64xi8, #raw64, #smem>
  %v = ttg.local_load %raw : !ttg.memdesc<64x64xi8, #raw64, #smem> -> tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
  %r = tt.reshape %v : tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> -> tensor<64x2x32xi8, #halves>
  %l = tt.trans %r {order = array<i32: 0, 2, 1>} : tensor<64x2x32xi8, #halves> -> tensor<64x32x2xi8, #halves_last>
  %s0, %s1 = tt.split %l : tensor<64x32x2xi8, #halves_last> -> tensor<64x32xi8, #part>
  %a0 = ttg.convert_layout %s0 : tensor<64x32xi8, #part> -> tensor<64x32xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
  %a1 = ttg.convert_layout %s1 : tensor<64x32xi8, #part> -> tensor<64x32xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
  %b0 = ttg.memdesc_subslice %b[0, 0] : !ttg.memdesc<64x64xi8, #shared, #smem> -> !ttg.memdesc<32x64xi8, #shared, #smem, 64x64>
  %b1 = ttg.memdesc_subslice %b[32, 0] : !ttg.memdesc<64x64xi8, #shared, #smem> -> !ttg.memdesc<32x64xi8, #shared, #smem, 64x64>
  %d0 = ttng.warp_group_dot %a0, %b0, %zero {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * !ttg.memdesc<32x64xi8, #shared, #smem, 64x64> -> tensor<64x64xi32, #mma>
  %d1 = ttng.warp_group_dot %a1, %b1, %d0 {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * !ttg.memdesc<32x64xi8, #shared, #smem, 64x64> -> tensor<64x64xi32, #mma>
  %w = ttng.warp_group_dot_wait %d1 {pendings = 0 : i32} : tensor<64x64xi32, #mma>
  tt.return %w : tensor<64x64xi32, #mma>
}

// COM: Each part is read one product ahead of its own. The tile is free behind the last read, for the next copy too.
// CHECK-LABEL: @four_parts
// CHECK:         ttg.async_wait
// CHECK-NOT:     tt.reshape
// CHECK-NOT:     tt.split
// CHECK-NOT:     ttg.convert_layout
// CHECK:         llvm.call_intrinsic {{.*}}ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3"(%[[P:[0-9a-z_]+]])
// CHECK:         %[[A0:.*]] = builtin.unrealized_conversion_cast {{.*}} to tensor<64x32xi8
// CHECK:         %[[P1:.*]] = llvm.getelementptr %[[P]][2048]
// CHECK:         llvm.call_intrinsic {{.*}}ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3"(%[[P1]])
// CHECK:         %[[A1:.*]] = builtin.unrealized_conversion_cast {{.*}} to tensor<64x32xi8
// CHECK-NOT:     llvm.
// CHECK:         ttng.warp_group_dot %[[A0]],
// CHECK:         %[[P2:.*]] = llvm.getelementptr %[[P]][4096]
// CHECK:         llvm.call_intrinsic {{.*}}ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3"(%[[P2]])
// CHECK:         %[[A2:.*]] = builtin.unrealized_conversion_cast {{.*}} to tensor<64x32xi8
// CHECK-NOT:     llvm.
// CHECK:         ttng.warp_group_dot %[[A1]],
// CHECK:         %[[P3:.*]] = llvm.getelementptr %[[P]][6144]
// CHECK:         llvm.call_intrinsic {{.*}}ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3"(%[[P3]])
// CHECK:         %[[A3:.*]] = builtin.unrealized_conversion_cast {{.*}} to tensor<64x32xi8
// CHECK-NOT:     llvm.
// CHECK:         ttng.warp_group_dot %[[A2]],
// CHECK-NOT:     llvm.
// CHECK:         ttng.warp_group_dot %[[A3]],
// CHECK:         gpu.barrier
// CHECK-NEXT:    ttg.async_copy_global_to_local
// CHECK:         tt.return
tt.func @four_parts(%ring: !ttg.memdesc<2x64x128xi8, #raw128, #smem, mutable>, %i: i32, %p: tensor<64x128x!tt.ptr<i8>, #blocked>, %b: !ttg.memdesc<128x64xi8, #shared, #smem>) -> tensor<64x64xi32, #mma> {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %done = ttg.async_wait {num = 0 : i32}
  %raw = ttg.memdesc_index %ring[%i] : !ttg.memdesc<2x64x128xi8, #raw128, #smem, mutable> -> !ttg.memdesc<64x128xi8, #raw128, #smem, mutable>
  %v = ttg.local_load %raw token %done : !ttg.memdesc<64x128xi8, #raw128, #smem, mutable> -> tensor<64x128xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
  %r = tt.reshape %v : tensor<64x128xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> -> tensor<64x2x2x32xi8, #quarters>
  %l = tt.trans %r {order = array<i32: 0, 3, 2, 1>} : tensor<64x2x2x32xi8, #quarters> -> tensor<64x32x2x2xi8, #quarters_last>
  %h0, %h1 = tt.split %l : tensor<64x32x2x2xi8, #quarters_last> -> tensor<64x32x2xi8, #halves_last>
  %s0, %s1 = tt.split %h0 : tensor<64x32x2xi8, #halves_last> -> tensor<64x32xi8, #part>
  %s2, %s3 = tt.split %h1 : tensor<64x32x2xi8, #halves_last> -> tensor<64x32xi8, #part>
  %a0 = ttg.convert_layout %s0 : tensor<64x32xi8, #part> -> tensor<64x32xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
  %a1 = ttg.convert_layout %s1 : tensor<64x32xi8, #part> -> tensor<64x32xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
  %a2 = ttg.convert_layout %s2 : tensor<64x32xi8, #part> -> tensor<64x32xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
  %a3 = ttg.convert_layout %s3 : tensor<64x32xi8, #part> -> tensor<64x32xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
  %b0 = ttg.memdesc_subslice %b[0, 0] : !ttg.memdesc<128x64xi8, #shared, #smem> -> !ttg.memdesc<32x64xi8, #shared, #smem, 128x64>
  %b1 = ttg.memdesc_subslice %b[32, 0] : !ttg.memdesc<128x64xi8, #shared, #smem> -> !ttg.memdesc<32x64xi8, #shared, #smem, 128x64>
  %b2 = ttg.memdesc_subslice %b[64, 0] : !ttg.memdesc<128x64xi8, #shared, #smem> -> !ttg.memdesc<32x64xi8, #shared, #smem, 128x64>
  %b3 = ttg.memdesc_subslice %b[96, 0] : !ttg.memdesc<128x64xi8, #shared, #smem> -> !ttg.memdesc<32x64xi8, #shared, #smem, 128x64>
  %d0 = ttng.warp_group_dot %a0, %b0, %zero {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * !ttg.memdesc<32x64xi8, #shared, #smem, 128x64> -> tensor<64x64xi32, #mma>
  %w0:2 = ttng.warp_group_dot_wait %d0, %b0 {pendings = 3 : i32} : tensor<64x64xi32, #mma>, !ttg.memdesc<32x64xi8, #shared, #smem, 128x64>
  %d1 = ttng.warp_group_dot %a1, %b1, %w0#0 {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * !ttg.memdesc<32x64xi8, #shared, #smem, 128x64> -> tensor<64x64xi32, #mma>
  %w1:2 = ttng.warp_group_dot_wait %d1, %b1 {pendings = 3 : i32} : tensor<64x64xi32, #mma>, !ttg.memdesc<32x64xi8, #shared, #smem, 128x64>
  %d2 = ttng.warp_group_dot %a2, %b2, %w1#0 {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * !ttg.memdesc<32x64xi8, #shared, #smem, 128x64> -> tensor<64x64xi32, #mma>
  %w2:2 = ttng.warp_group_dot_wait %d2, %b2 {pendings = 3 : i32} : tensor<64x64xi32, #mma>, !ttg.memdesc<32x64xi8, #shared, #smem, 128x64>
  %d3 = ttng.warp_group_dot %a3, %b3, %w2#0 {inputPrecision = 0 : i32, isAsync = true} : tensor<64x32xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * !ttg.memdesc<32x64xi8, #shared, #smem, 128x64> -> tensor<64x64xi32, #mma>
  %w3:2 = ttng.warp_group_dot_wait %d3, %b3 {pendings = 0 : i32} : tensor<64x64xi32, #mma>, !ttg.memdesc<32x64xi8, #shared, #smem, 128x64>
  %copy = ttg.async_copy_global_to_local %p, %raw : tensor<64x128x!tt.ptr<i8>, #blocked> -> <64x128xi8, #raw128, #smem, mutable>
  tt.return %w3#0 : tensor<64x64xi32, #mma>
}

// COM: The tensor has another use: it is read as a whole, and the chain stays.
// CHECK-LABEL: @parts_of_a_tensor_that_is_used_elsewhere
// CHECK:         %[[V:.*]] = builtin.unrealized_conversion_cast {{.*}} to tensor<64x64xi8
// CHECK-NOT:     llvm.
// CHECK:         tt.reshape %[[V]]
// CHECK:         tt.split
// CHECK-COUNT-2: ttg.convert_layout
// CHECK-COUNT-2: ttng.warp_group_dot %
// CHECK:         tt.return
tt.func @parts_of_a_tensor_that_is_used_elsewhere(%t: tensor<64x64xi8, #blocked>, %b: !ttg.memdesc<64x64xi8, #shared, #smem>) -> (tensor<64x64xi32, #mma>, tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>) {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %raw = ttg.local_alloc %t : (tensor<64x64xi8, #blocked>) -> !ttg.memdesc<64x64xi8, #raw64, #smem>
  %v = ttg.local_load %raw : !ttg.memdesc<64x64xi8, #raw64, #smem> -> tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
  %r = tt.reshape %v : tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> -> tensor<64x2x32xi8, #halves>
  %l = tt.trans %r {order = array<i32: 0, 2, 1>} : tensor<64x2x32xi8, #halves> -> tensor<64x32x2xi8, #halves_last>
  %s0, %s1 = tt.split %l : tensor<64x32x2xi8, #halves_last> -> tensor<64x32xi8, #part>
  %a0 = ttg.convert_layout %s0 : tensor<64x32xi8, #part> -> tensor<64x32xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
  %a1 = ttg.convert_layout %s1 : tensor<64x32xi8, #part> -> tensor<64x32xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
  %b0 = ttg.memdesc_subslice %b[0, 0] : !ttg.memdesc<64x64xi8, #shared, #smem> -> !ttg.memdesc<32x64xi8, #shared, #smem, 64x64>
  %b1 = ttg.memdesc_subslice %b[32, 0] : !ttg.memdesc<64x64xi8, #shared, #smem> -> !ttg.memdesc<32x64xi8, #shared, #smem, 64x64>
  %d0 = ttng.warp_group_dot %a0, %b0, %zero {inputPrecision = 0 : i32} : tensor<64x32xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * !ttg.memdesc<32x64xi8, #shared, #smem, 64x64> -> tensor<64x64xi32, #mma>
  %d1 = ttng.warp_group_dot %a1, %b1, %d0 {inputPrecision = 0 : i32} : tensor<64x32xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * !ttg.memdesc<32x64xi8, #shared, #smem, 64x64> -> tensor<64x64xi32, #mma>
  tt.return %d1, %v : tensor<64x64xi32, #mma>, tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
}

}
