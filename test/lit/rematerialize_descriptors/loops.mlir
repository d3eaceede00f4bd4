// RUN: dotload-opt %s -split-input-file --rematerialize-descriptors --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: One remark for each loop that is rewritten.
// REMARK:      remark: rematerialize-descriptors: 16 wgmma descriptors are computed in the loop
// REMARK:      remark: rematerialize-descriptors: 16 wgmma descriptors are computed in the loop
// REMARK-NOT:  remark

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 2], instrShape = [16, 256, 16]}>
#q = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#k = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [8, 1], order = [1, 0]}>
#smem = #ttg.shared_memory
!x = tensor<64x256xbf16, #blocked>
!q = !ttg.memdesc<64x256xbf16, #q, #smem>
!k = !ttg.memdesc<256x512xbf16, #k, #smem, mutable>
!ks = !ttg.memdesc<2x256x512xbf16, #k, #smem, mutable>
!c = tensor<64x512xf32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: 256 elements of 16 bits take 16 descriptors of A; those of B are computed in each iteration anyway.
// CHECK-LABEL: @fixed_a
// CHECK:       %[[Q:.*]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x256xbf16, #shared, #smem>
// CHECK:       scf.for
// CHECK-NEXT:    %[[KNOWN:.*]] = arith.constant 0 : i32
// CHECK-NEXT:    %[[ZERO:.*]] = tt.elementwise_inline_asm "mov.b32 $0, $1;" {{{.*}}pure = false} %[[KNOWN]] : i32 -> i32
// CHECK-NEXT:    %[[K:.*]] = ttg.memdesc_index
// CHECK-NEXT:    %[[QS:.*]] = ttg.memdesc_reinterpret %[[Q]] : !ttg.memdesc<64x256xbf16, #shared, #smem> -> !ttg.memdesc<1x64x256xbf16, #shared, #smem>
// CHECK-NEXT:    %[[A:.*]] = ttg.memdesc_index %[[QS]][%[[ZERO]]] : !ttg.memdesc<1x64x256xbf16, #shared, #smem> -> !ttg.memdesc<64x256xbf16, #shared, #smem>
// CHECK-NEXT:    ttng.warp_group_dot %[[A]], %[[K]]
tt.func @fixed_a(%x: !x, %init: !c, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %q = ttg.local_alloc %x : (!x) -> !q
  %ks = ttg.local_alloc : () -> !ks
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (!c) : i32 {
    %k = ttg.memdesc_index %ks[%i] : !ks -> !k
    %d = ttng.warp_group_dot %q, %k, %acc {inputPrecision = 0 : i32, isAsync = true} : !q * !k -> !c
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !c
    scf.yield %w : !c
  }
  tt.return %sum : !c
}

// COM: A copy that is made in each iteration has a fixed address as well, also behind a transpose.
// CHECK-LABEL: @fixed_copy
// CHECK:       scf.for
// CHECK:         %[[ZERO:.*]] = tt.elementwise_inline_asm
// CHECK:         %[[T:.*]] = ttg.memdesc_trans
// CHECK-NOT:     memdesc_reinterpret %{{.*}} -> !ttg.memdesc<1x64x256
// CHECK:         ttg.memdesc_reinterpret %[[T]] : {{.*}} -> !ttg.memdesc<1x256x512xbf16, #shared1, #smem, mutable>
// CHECK-NEXT:    ttg.memdesc_index %{{.*}}[%[[ZERO]]]
tt.func @fixed_copy(%qs: !ttg.memdesc<2x64x256xbf16, #q, #smem, mutable>, %init: !c, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (!c) : i32 {
    %q = ttg.memdesc_index %qs[%i] : !ttg.memdesc<2x64x256xbf16, #q, #smem, mutable> -> !ttg.memdesc<64x256xbf16, #q, #smem, mutable>
    %copy = ttg.local_alloc : () -> !ttg.memdesc<512x256xbf16, #q, #smem, mutable>
    %k = ttg.memdesc_trans %copy {order = array<i32: 1, 0>} : !ttg.memdesc<512x256xbf16, #q, #smem, mutable> -> !k
    %d = ttng.warp_group_dot %q, %k, %acc {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x256xbf16, #q, #smem, mutable> * !k -> !c
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !c
    scf.yield %w : !c
  }
  tt.return %sum : !c
}
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 2], instrShape = [16, 128, 16]}>
#q = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#k = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [8, 1], order = [1, 0]}>
#smem = #ttg.shared_memory
!x = tensor<64x256xbf16, #blocked>
!q = !ttg.memdesc<64x256xbf16, #q, #smem>
!k = !ttg.memdesc<256x256xbf16, #k, #smem, mutable>
!ks = !ttg.memdesc<2x256x256xbf16, #k, #smem, mutable>
!c = tensor<64x256xf32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// COM: The result takes 64 registers, which leaves enough for descriptors.
// CHECK-LABEL: @registers_are_left
// CHECK:       %[[Q:.*]] = ttg.local_alloc %{{.*}} : (tensor
// CHECK:       ttng.warp_group_dot %[[Q]], %
tt.func @registers_are_left(%x: !x, %init: !c, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %q = ttg.local_alloc %x : (!x) -> !q
  %ks = ttg.local_alloc : () -> !ks
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (!c) : i32 {
    %k = ttg.memdesc_index %ks[%i] : !ks -> !k
    %d = ttng.warp_group_dot %q, %k, %acc {inputPrecision = 0 : i32, isAsync = true} : !q * !k -> !c
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !c
    scf.yield %w : !c
  }
  tt.return %sum : !c
}
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 2], instrShape = [16, 256, 16]}>
#q = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#k = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [8, 1], order = [1, 0]}>
#smem = #ttg.shared_memory
!x = tensor<64x128xbf16, #blocked>
!q = !ttg.memdesc<64x128xbf16, #q, #smem>
!k = !ttg.memdesc<128x512xbf16, #k, #smem, mutable>
!ks = !ttg.memdesc<2x128x512xbf16, #k, #smem, mutable>
!c = tensor<64x512xf32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// COM: Only 8 descriptors.
// CHECK-LABEL: @few_descriptors
// CHECK:       %[[Q:.*]] = ttg.local_alloc %{{.*}} : (tensor
// CHECK:       ttng.warp_group_dot %[[Q]], %
tt.func @few_descriptors(%x: !x, %init: !c, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %q = ttg.local_alloc %x : (!x) -> !q
  %ks = ttg.local_alloc : () -> !ks
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (!c) : i32 {
    %k = ttg.memdesc_index %ks[%i] : !ks -> !k
    %d = ttng.warp_group_dot %q, %k, %acc {inputPrecision = 0 : i32, isAsync = true} : !q * !k -> !c
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !c
    scf.yield %w : !c
  }
  tt.return %sum : !c
}
}
