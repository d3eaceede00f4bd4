// RUN: dotload-opt %s --lower-staged-reads | FileCheck %s
// RUN: dotload-opt %s --lower-staged-reads --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0]]}, alignment = 16>
#swizzled = #ttg.swizzled_shared<{vec = 16, perPhase = 1, maxPhase = 2, order = [1, 0]}>
#words = #ttg.linear<{register = [[1, 0], [2, 0], [0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [], block = []}>
#bytes = #ttg.linear<{register = [[1, 0], [2, 0], [0, 32], [0, 64]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [], block = []}>
#copies = #ttg.linear<{register = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [], block = []}>
#narrow = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [32, 1], warpsPerCTA = [1, 1], order = [1, 0]}>
#rows = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]}, alignment = 16>
#halves = #ttg.linear<{register = [[1, 0], [0, 1], [8, 0], [16, 0]], lane = [[2, 0], [4, 0], [0, 2], [0, 4], [0, 8]], warp = [], block = []}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: A read without the attribute is Triton's own: no remark.
// REMARK-NOT:  remark
// CHECK-LABEL: @read_that_is_not_marked
// CHECK-NOT:     ttg.memdesc_reinterpret
// CHECK:         ttg.local_load
// CHECK-NEXT:    tt.return
tt.func @read_that_is_not_marked(%t: tensor<4x128xi8, #blocked>) -> tensor<4x128xi8, #words> {
  %raw = ttg.local_alloc %t : (tensor<4x128xi8, #blocked>) -> !ttg.memdesc<4x128xi8, #swizzled, #smem>
  %v = ttg.local_load %raw : !ttg.memdesc<4x128xi8, #swizzled, #smem> -> tensor<4x128xi8, #words>
  tt.return %v : tensor<4x128xi8, #words>
}

// COM: 32-bit words need no permutation: Triton's lowering reads them.
// REMARK-NOT:  remark
// CHECK-LABEL: @elements_of_16_bits
// CHECK-NOT:     ttg.memdesc_reinterpret
// CHECK:         ttg.local_load
// CHECK-NEXT:    tt.return
tt.func @elements_of_16_bits(%t: tensor<4x128xf16, #blocked>) -> tensor<4x128xf16, #words> {
  %raw = ttg.local_alloc %t : (tensor<4x128xf16, #blocked>) -> !ttg.memdesc<4x128xf16, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<4x128xf16, #raw, #smem> -> tensor<4x128xf16, #words>
  tt.return %v : tensor<4x128xf16, #words>
}

// REMARK:      missed.mlir:[[#@LINE+7]]:{{.*}}: remark: lower-staged-reads: kept ttg.local_load: its registers do not hold pairs of bytes of shared memory: ldmatrix cannot bring them [NO_PAIRS]
// CHECK-LABEL: @a_lane_without_words
// CHECK-NOT:     ttg.memdesc_reinterpret
// CHECK:         ttg.local_load
// CHECK-NEXT:    tt.return
tt.func @a_lane_without_words(%t: tensor<4x128xi8, #blocked>) -> tensor<4x128xi8, #bytes> {
  %raw = ttg.local_alloc %t : (tensor<4x128xi8, #blocked>) -> !ttg.memdesc<4x128xi8, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<4x128xi8, #raw, #smem> -> tensor<4x128xi8, #bytes>
  tt.return %v : tensor<4x128xi8, #bytes>
}

// COM: Fragments of 16-bit elements, of bytes that are converted: ldmatrix delivers two k at two columns in one word,
// COM: and only the bytes within the word change places. There is no second word to make pairs with.
// REMARK:      remark: lower-staged-reads: kept ttg.local_load: {{.*}}: ldmatrix cannot bring them [NO_PAIRS]
// CHECK-LABEL: @bytes_of_one_word
// CHECK-NOT:     ttg.memdesc_reinterpret
// CHECK:         ttg.local_load
// CHECK-NEXT:    tt.return
tt.func @bytes_of_one_word(%t: tensor<32x16xi8, #narrow>) -> tensor<32x16xi8, #halves> {
  %raw = ttg.local_alloc %t : (tensor<32x16xi8, #narrow>) -> !ttg.memdesc<32x16xi8, #rows, #smem>
  %v = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<32x16xi8, #rows, #smem> -> tensor<32x16xi8, #halves>
  tt.return %v : tensor<32x16xi8, #halves>
}

}
