// RUN: dotload-opt %s --convert-async-copies-to-llvm | FileCheck %s

#columns = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!pointers = tensor<64x64x!tt.ptr<f8E4M3FN>, #columns>
!mask = tensor<64x64xi1, #columns>
!b = !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem, mutable>
!bs = !ttg.memdesc<3x64x64xf8E4M3FN, #shared, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, dotload.staged = "operands"} {

// COM: A thread copies two vectors of 16 bytes: elements 0 to 15 of its pointers, and 16 to 31, 32 columns further on.
// COM: These are 2 KB further on in memory, with the same swizzle. The group is committed as before, without the token.
// CHECK-LABEL: @whole
// CHECK:         %[[BUFFERS:.*]] = builtin.unrealized_conversion_cast %{{.*}} : !ttg.memdesc<3x64x64xf8E4M3FN
// CHECK:         %[[FIRST:.*]] = llvm.extractvalue %[[BUFFERS]][0]
// CHECK:         %[[DISTANCE:.*]] = arith.muli %arg1, %c4096_i32
// CHECK:         %[[TILE:.*]] = llvm.getelementptr %[[FIRST]][%[[DISTANCE]]]
// CHECK:         %[[TO0:.*]] = llvm.getelementptr %[[TILE]][
// CHECK:         %[[FROM0:.*]] = llvm.extractvalue %[[POINTERS:.*]][0]
// CHECK-NEXT:    llvm.inline_asm has_side_effects "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10;", "r,l" %[[TO0]], %[[FROM0]]
// CHECK:         %[[TO1:.*]] = llvm.getelementptr %[[TO0]][2048]
// CHECK:         %[[FROM1:.*]] = llvm.extractvalue %[[POINTERS]][16]
// CHECK-NEXT:    llvm.inline_asm has_side_effects {{.*}} %[[TO1]], %[[FROM1]]
// CHECK-NEXT:    ttg.async_commit_group
// CHECK-NOT:     tokens
// CHECK:         tt.return
tt.func @whole(%p: !pointers, %i: i32) {
  %bs = ttg.local_alloc : () -> !bs
  %b = ttg.memdesc_index %bs[%i] : !bs -> !b
  %c = ttg.async_copy_global_to_local %p, %b {contiguity = 16 : i32, dotload.free_buffer} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
  %g = ttg.async_commit_group tokens %c
  tt.return
}

// COM: Where the mask is false, nothing is read, and zeros are written.
// CHECK-LABEL: @masked
// CHECK:         %[[IS_READ:.*]] = llvm.extractvalue %{{.*}}[16] : !llvm.struct<(i1,
// CHECK-NEXT:    %[[IS_MASKED:.*]] = arith.xori %[[IS_READ]], %true
// CHECK-NEXT:    llvm.inline_asm has_side_effects "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,b" %{{.*}}, %{{.*}}, %[[IS_MASKED]]
tt.func @masked(%p: !pointers, %m: !mask, %i: i32) {
  %bs = ttg.local_alloc : () -> !bs
  %b = ttg.memdesc_index %bs[%i] : !bs -> !b
  %c = ttg.async_copy_global_to_local %p, %b mask %m {contiguity = 16 : i32, dotload.free_buffer} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
  %g = ttg.async_commit_group tokens %c
  tt.return
}

// COM: A group keeps the token of another load.
// CHECK-LABEL: @group
// CHECK:         %[[TOKEN:.*]] = ttg.async_copy_global_to_local
// CHECK:         ttg.async_commit_group tokens %[[TOKEN]]{{$}}
tt.func @group(%p: !pointers, %i: i32, %j: i32) {
  %bs = ttg.local_alloc : () -> !bs
  %b = ttg.memdesc_index %bs[%i] : !bs -> !b
  %c = ttg.async_copy_global_to_local %p, %b {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
  %d = ttg.memdesc_index %bs[%j] : !bs -> !b
  %e = ttg.async_copy_global_to_local %p, %d {contiguity = 16 : i32, dotload.free_buffer} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
  %g = ttg.async_commit_group tokens %c, %e
  tt.return
}

// COM: Other loads stay.
// CHECK-LABEL: @not_marked
// CHECK:         ttg.async_copy_global_to_local
tt.func @not_marked(%p: !pointers, %i: i32) {
  %bs = ttg.local_alloc : () -> !bs
  %b = ttg.memdesc_index %bs[%i] : !bs -> !b
  %c = ttg.async_copy_global_to_local %p, %b {contiguity = 16 : i32} : !pointers -> <64x64xf8E4M3FN, #shared, #smem, mutable>
  %g = ttg.async_commit_group tokens %c
  tt.return
}
}
