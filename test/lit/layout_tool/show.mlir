// COM: The listing of the block-load layout document, register by register: 16 lanes per line, warp 0 first.
// RUN: dotload-layout -i %s -a dpas_a -t 'tensor<256x32xf16>' --use-hw-view | FileCheck %s --check-prefix=A --match-full-lines
// A:      Warp0:
// A-NEXT: (  0, 0), (  0, 1), (  0, 2), (  0, 3), (  0, 4), (  0, 5), (  0, 6), (  0, 7), (  0, 8), (  0, 9), (  0,10), (  0,11), (  0,12), (  0,13), (  0,14), (  0,15)
// A-NEXT: (  1, 0), (  1, 1), (  1, 2), (  1, 3), (  1, 4), (  1, 5), (  1, 6), (  1, 7), (  1, 8), (  1, 9), (  1,10), (  1,11), (  1,12), (  1,13), (  1,14), (  1,15)
// A:      ( 31, 0), ( 31, 1), ( 31, 2), ( 31, 3), ( 31, 4), ( 31, 5), ( 31, 6), ( 31, 7), ( 31, 8), ( 31, 9), ( 31,10), ( 31,11), ( 31,12), ( 31,13), ( 31,14), ( 31,15)
// A-NEXT: (  0,16), (  0,17), (  0,18), (  0,19), (  0,20), (  0,21), (  0,22), (  0,23), (  0,24), (  0,25), (  0,26), (  0,27), (  0,28), (  0,29), (  0,30), (  0,31)
// A:      Warp1:

// COM: Operand B of the same document: two columns of 16 are followed by those of the second cluster, 128 further.
// RUN: dotload-layout -i %s -a '#dpas_b' -t 'tensor<32x256xf16>' --use-hw-view | FileCheck %s --check-prefix=B --match-full-lines
// B:      Warp0:
// B-NEXT: ( 0,  0), ( 0,  1), ( 0,  2), ( 0,  3), ( 0,  4), ( 0,  5), ( 0,  6), ( 0,  7), ( 0,  8), ( 0,  9), ( 0, 10), ( 0, 11), ( 0, 12), ( 0, 13), ( 0, 14), ( 0, 15)
// B:      (15,  0), (15,  1), (15,  2), (15,  3), (15,  4), (15,  5), (15,  6), (15,  7), (15,  8), (15,  9), (15, 10), (15, 11), (15, 12), (15, 13), (15, 14), (15, 15)
// B-NEXT: ( 0, 16), ( 0, 17), ( 0, 18), ( 0, 19), ( 0, 20), ( 0, 21), ( 0, 22), ( 0, 23), ( 0, 24), ( 0, 25), ( 0, 26), ( 0, 27), ( 0, 28), ( 0, 29), ( 0, 30), ( 0, 31)
// B:      (31, 16), (31, 17), (31, 18), (31, 19), (31, 20), (31, 21), (31, 22), (31, 23), (31, 24), (31, 25), (31, 26), (31, 27), (31, 28), (31, 29), (31, 30), (31, 31)
// B-NEXT: ( 0,128), ( 0,129), ( 0,130), ( 0,131), ( 0,132), ( 0,133), ( 0,134), ( 0,135), ( 0,136), ( 0,137), ( 0,138), ( 0,139), ( 0,140), ( 0,141), ( 0,142), ( 0,143)

// COM: The plan for A in three layouts, and the bounds of each iteration.
// RUN: dotload-layout block-load -l '#ttg.dot_op<{opIdx = 0, parent = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [8, 4], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>, kWidth = 1}>' -t 'tensor<256x32xf16>' | FileCheck %s --check-prefix=PLAN
// PLAN:      Block load tile layout after adding loads:
// PLAN-NEXT: - offset=1 -> (0, 1)
// PLAN:      - iteration=1 -> (8, 0)
// PLAN-NEXT: iteration=2 -> (16, 0)
// PLAN-NEXT: iteration=4 -> (0, 16)
// PLAN-NEXT: - load is a size 1 dimension
// PLAN-NEXT: where out dims are: [dim0 (size 32), dim1 (size 32)]
// PLAN:      0, 0 : 0, 0
// PLAN-NEXT: 0, 127 : 7, 15
// PLAN-NEXT: 1, 0 : 8, 0
// PLAN:      4, 0 : 0, 16
// PLAN:      7, 127 : 31, 31

// COM: A swizzled shared layout, as the element at each address; row 2 of a 64-byte swizzle starts with its chunk 1.
// RUN: dotload-layout -i %s -a shared -t 'tensor<8x32xf16>' --view tensor | FileCheck %s --check-prefix=SHARED
// SHARED:      {{^\[\[}}(0: 0),(0: 1)
// SHARED-NEXT: {{^}}[ (1: 0),(1: 1)
// SHARED-NEXT: {{^}}[ (2: 8),(2: 9)

// COM: Write and read through shared memory: stock's staging of an fp8 operand, and its cost.
// RUN: dotload-layout -i %s -a coalesced -t 'tensor<64x128xf8E4M3FN>' --against '#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>' | FileCheck %s --check-prefix=COST
// COST: st.shared.b8: 64 a warp x 8 wavefronts x 4 warps = 2048, 8-way conflict   <- what Triton's lowering picks

// COM: A conversion between two register layouts.
// RUN: dotload-layout -i %s -a coalesced -t 'tensor<64x128xf16>' --against '#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>' | FileCheck %s --check-prefix=CONVERT
// CONVERT: moved between warps: through shared memory
// CONVERT: where out dims are: [register (size 64), lane (size 32), warp (size 4), block (size 1)]

#dpas = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [8, 4], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dpas_a = #ttg.dot_op<{opIdx = 0, parent = #dpas, kWidth = 1}>
#dpas_b = #ttg.dot_op<{opIdx = 1, parent = #dpas, kWidth = 2}>
#coalesced = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
