// RUN: dotload-opt %s --lower-staged-reads | FileCheck %s
// RUN: dotload-opt %s --lower-staged-reads --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// COM: A tile of bytes with n contiguous, as stage-dot-operands stages it. Two neighbouring n form one element of 16
// COM: bits; the two n of a pair are n and n + 8 of the fragments.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 16], [8, 32], [16, 0], [32, 0]]}, alignment = 16>
#held = #ttg.linear<{register = [[1, 0], [2, 0], [0, 1], [16, 0], [32, 0]], lane = [[4, 0], [8, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// REMARK:      remark: lower-staged-reads: the tile is read by ldmatrix.m8n8.x4.trans.shared.b16, bank-conflict-free, one byte permutation per word
// CHECK-DAG:     #[[PAIRS_OF_RAW:.*]] = #ttg.shared_linear<{offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 8], [8, 16], [16, 0], [32, 0]]}, alignment = 16>
// CHECK-LABEL: @into_the_fragments_of_wgmma
// CHECK:         %[[RAW:.*]] = ttg.local_alloc
// CHECK:         %[[M:.*]] = ttg.memdesc_reinterpret %[[RAW]] : !ttg.memdesc<64x64xf8E4M3FN, {{.*}}> -> !ttg.memdesc<64x32xi16, #[[PAIRS_OF_RAW]], #smem>
// CHECK-NEXT:    %[[P:.*]] = ttg.local_load %[[M]] : {{.*}} -> tensor<64x32xi16, #[[PAIRS:.*]]>
// CHECK-NEXT:    %[[B:.*]]:2 = tt.elementwise_inline_asm "prmt.b32 $0, $2, $3, 0x6420; prmt.b32 $1, $2, $3, 0x7531;"
// CHECK-SAME:      packed_element = 4
// CHECK-SAME:      tensor<64x32xi16, #[[PAIRS]]> -> tensor<64x32xf8E4M3FN, #[[PAIRS]]>, tensor<64x32xf8E4M3FN, #[[PAIRS]]>
// CHECK-NEXT:    %[[J:.*]] = tt.join %[[B]]#0, %[[B]]#1
// CHECK-NEXT:    %[[N:.*]] = builtin.unrealized_conversion_cast %[[J]] : tensor<64x32x2xf8E4M3FN, {{.*}}> to tensor<64x64xf8E4M3FN, {{.*}}>
// CHECK-NEXT:    %[[F:.*]] = ttg.convert_layout %[[N]] : {{.*}} -> tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, {{.*}}, kWidth = 4}>>
// CHECK-NOT:     dotload.staged
// CHECK:         ttng.warp_group_dot %[[F]]
tt.func @into_the_fragments_of_wgmma(%t: tensor<64x64xf8E4M3FN, #blocked>, %b: !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem>) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %raw = ttg.local_alloc %t : (tensor<64x64xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem>
  %r = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem> -> tensor<64x64xf8E4M3FN, #held>
  %v = builtin.unrealized_conversion_cast %r : tensor<64x64xf8E4M3FN, #held> to tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
  %d = ttng.warp_group_dot %v, %b, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

}
