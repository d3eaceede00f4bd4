// RUN: dotload-opt %s --lower-staged-reads | FileCheck %s

// COM: Tiles that TMA has written, read in place. Eight rows of k lie in different banks if they differ in k mod 8,
// COM: which the rows of one ldmatrix do not: half of the lanes read the other word of each permutation.

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#fragments = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#raw = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#k_major = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>
#held = #ttg.linear<{register = [[1, 0], [2, 0], [0, 1], [16, 0], [32, 0], [64, 0]], lane = [[4, 0], [8, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#copied = #ttg.linear<{register = [[1, 0], [2, 0], [0, 1], [16, 0], [32, 0], [64, 0]], lane = [[4, 0], [8, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#k_first = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @fragments_of_a_tile_of_tma
// CHECK:         %[[TILE:.*]] = ttg.memdesc_index
// CHECK:         %[[M:.*]] = ttg.memdesc_reinterpret %[[TILE]] : {{.*}} -> !ttg.memdesc<128x32xi16, {{.*}}, mutable>
// CHECK-NEXT:    %[[P:.*]] = ttg.local_load %[[M]]
// CHECK-NEXT:    %{{.*}}:2 = tt.elementwise_inline_asm "{ .reg .b32 lane, bit, change, selector; mov.u32 lane, %laneid; mov.b32 change, 0; bfe.u32 bit, lane, 1, 1; mad.lo.u32 change, bit, 0x4444, change; xor.b32 selector, change, 0x6420; prmt.b32 $0, $2, $3, selector; xor.b32 selector, change, 0x7531; prmt.b32 $1, $2, $3, selector; }"
// CHECK:         ttng.warp_group_dot
tt.func @fragments_of_a_tile_of_tma(%ring: !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable>, %i: i32, %b: !ttg.memdesc<128x64xi8, #k_major, #smem, mutable>) -> tensor<64x64xi32, #mma> {
  %tile = ttg.memdesc_index %ring[%i] : !ttg.memdesc<3x128x64xi8, #raw, #smem, mutable> -> !ttg.memdesc<128x64xi8, #raw, #smem, mutable>
  %zero = arith.constant dense<0> : tensor<64x64xi32, #mma>
  %vr = ttg.local_load %tile {dotload.staged = "fragments"} : !ttg.memdesc<128x64xi8, #raw, #smem, mutable> -> tensor<128x64xi8, #held>
  %v = builtin.unrealized_conversion_cast %vr : tensor<128x64xi8, #held> to tensor<64x128xi8, #fragments>
  %d = ttng.warp_group_dot %v, %b, %zero {inputPrecision = 0 : i32} : tensor<64x128xi8, #fragments> * !ttg.memdesc<128x64xi8, #k_major, #smem, mutable> -> tensor<64x64xi32, #mma>
  tt.return %d : tensor<64x64xi32, #mma>
}

}
