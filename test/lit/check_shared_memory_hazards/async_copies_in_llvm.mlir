// RUN: not dotload-opt %s --check-shared-memory-hazards 2>&1 | FileCheck %s --implicit-check-not=error:

// COM: Loads in the LLVM dialect: membar places no CTA barriers for them.

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!b = !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
!bs = !ttg.memdesc<2x64x64xi8, #shared, #smem, mutable>
!address = !llvm.struct<(ptr<3>, i32, i32, i32)>
#rows = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Other warps may still read the buffer.
// CHECK: :[[#@LINE+9]]:3: error: 'llvm.inline_asm' writes shared memory that other warps may still be reading: no CTA barrier in between [READ_BY_OTHERS]
// CHECK: :[[#@LINE+5]]:8: note: read here, by 'ttg.local_load'
tt.func @same_buffer(%from: !llvm.ptr<1>) -> tensor<64x64xi8, #rows> {
  %c0 = arith.constant 0 : i32
  %bs = ttg.local_alloc : () -> !bs
  %b = ttg.memdesc_index %bs[%c0] : !bs -> !b
  %t = ttg.local_load %b : !b -> tensor<64x64xi8, #rows>
  %m = builtin.unrealized_conversion_cast %bs : !bs to !address
  %first = llvm.extractvalue %m[0] : !address
  llvm.inline_asm has_side_effects "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10;", "r,l" %first, %from : (!llvm.ptr<3>, !llvm.ptr<1>) -> ()
  ttg.async_commit_group
  ttg.async_wait {num = 0 : i32}
  tt.return %t : tensor<64x64xi8, #rows>
}

// COM: The other buffer, 4 KB further on, is free.
tt.func @other_buffer(%from: !llvm.ptr<1>) -> tensor<64x64xi8, #rows> {
  %c0 = arith.constant 0 : i32
  %bs = ttg.local_alloc : () -> !bs
  %b = ttg.memdesc_index %bs[%c0] : !bs -> !b
  %t = ttg.local_load %b : !b -> tensor<64x64xi8, #rows>
  %m = builtin.unrealized_conversion_cast %bs : !bs to !address
  %first = llvm.extractvalue %m[0] : !address
  %second = llvm.getelementptr %first[4096] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  llvm.inline_asm has_side_effects "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10;", "r,l" %second, %from : (!llvm.ptr<3>, !llvm.ptr<1>) -> ()
  ttg.async_commit_group
  ttg.async_wait {num = 0 : i32}
  tt.return %t : tensor<64x64xi8, #rows>
}

// COM: The wait leaves the group of the copy in flight.
// CHECK: error: 'ttg.local_load' reads shared memory that cp.async of words may still be writing [NOT_ARRIVED]
// CHECK: note: written here, by 'llvm.inline_asm'
tt.func @in_flight(%from: !llvm.ptr<1>) -> tensor<64x64xi8, #rows> {
  %c0 = arith.constant 0 : i32
  %bs = ttg.local_alloc : () -> !bs
  %b = ttg.memdesc_index %bs[%c0] : !bs -> !b
  %m = builtin.unrealized_conversion_cast %bs : !bs to !address
  %first = llvm.extractvalue %m[0] : !address
  llvm.inline_asm has_side_effects "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10;", "r,l" %first, %from : (!llvm.ptr<3>, !llvm.ptr<1>) -> ()
  ttg.async_commit_group
  ttg.async_wait {num = 1 : i32}
  %t = ttg.local_load %b : !b -> tensor<64x64xi8, #rows>
  tt.return %t : tensor<64x64xi8, #rows>
}
// COM: The wait is for this group.
tt.func @awaited(%from: !llvm.ptr<1>) -> tensor<64x64xi8, #rows> {
  %c0 = arith.constant 0 : i32
  %bs = ttg.local_alloc : () -> !bs
  %b = ttg.memdesc_index %bs[%c0] : !bs -> !b
  %m = builtin.unrealized_conversion_cast %bs : !bs to !address
  %first = llvm.extractvalue %m[0] : !address
  llvm.inline_asm has_side_effects "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10;", "r,l" %first, %from : (!llvm.ptr<3>, !llvm.ptr<1>) -> ()
  ttg.async_commit_group
  ttg.async_wait {num = 0 : i32}
  %t = ttg.local_load %b : !b -> tensor<64x64xi8, #rows>
  tt.return %t : tensor<64x64xi8, #rows>
}
}
