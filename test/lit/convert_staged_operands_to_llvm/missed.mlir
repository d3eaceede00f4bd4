// RUN: dotload-opt %s --convert-staged-operands-to-llvm --split-input-file | FileCheck %s
// RUN: dotload-opt %s --convert-staged-operands-to-llvm --split-input-file --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0]]}, alignment = 16>
#swizzled = #ttg.swizzled_shared<{vec = 16, perPhase = 1, maxPhase = 2, order = [1, 0]}>
#words = #ttg.linear<{register = [[1, 0], [2, 0], [0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [], block = []}>
#bytes = #ttg.linear<{register = [[1, 0], [2, 0], [0, 32], [0, 64]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [], block = []}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: A read without the attribute is Triton's own: no remark.
// REMARK-NOT:  remark
// CHECK-LABEL: @read_that_is_not_marked
// CHECK-NOT:     gpu.barrier
// CHECK-NOT:     llvm.
// CHECK:         ttg.local_load
// CHECK-NEXT:    tt.return
tt.func @read_that_is_not_marked(%t: tensor<4x128xi8, #blocked>) -> tensor<4x128xi8, #words> {
  %raw = ttg.local_alloc %t : (tensor<4x128xi8, #blocked>) -> !ttg.memdesc<4x128xi8, #swizzled, #smem>
  %v = ttg.local_load %raw : !ttg.memdesc<4x128xi8, #swizzled, #smem> -> tensor<4x128xi8, #words>
  tt.return %v : tensor<4x128xi8, #words>
}

// REMARK:      missed.mlir:[[#@LINE+8]]:{{.*}}: remark: convert-staged-operands-to-llvm: kept ttg.local_load: elements of 16 bits are not read in words; 8 and 32 bits are [ELEMENTS]
// CHECK-LABEL: @elements_of_16_bits
// CHECK-NOT:     gpu.barrier
// CHECK-NOT:     llvm.
// CHECK:         ttg.local_load
// CHECK-NEXT:    tt.return
tt.func @elements_of_16_bits(%t: tensor<4x128xf16, #blocked>) -> tensor<4x128xf16, #words> {
  %raw = ttg.local_alloc %t : (tensor<4x128xf16, #blocked>) -> !ttg.memdesc<4x128xf16, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<4x128xf16, #raw, #smem> -> tensor<4x128xf16, #words>
  tt.return %v : tensor<4x128xf16, #words>
}

// COM: Neighbouring bytes belong to different lanes.
// REMARK:      missed.mlir:[[#@LINE+9]]:{{.*}}: remark: convert-staged-operands-to-llvm: kept ttg.local_load: its registers do not hold whole words of shared memory; if the other dim {{.*}}, ldmatrix can read it [NO_WORDS]
// CHECK-LABEL: @a_lane_without_words
// CHECK:         ttg.local_alloc
// CHECK-NEXT:    ttg.local_load
// CHECK-NEXT:    tt.return
// CHECK-NOT:     gpu.barrier
// CHECK-NOT:     llvm.
tt.func @a_lane_without_words(%t: tensor<4x128xi8, #blocked>) -> tensor<4x128xi8, #bytes> {
  %raw = ttg.local_alloc %t : (tensor<4x128xi8, #blocked>) -> !ttg.memdesc<4x128xi8, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<4x128xi8, #raw, #smem> -> tensor<4x128xi8, #bytes>
  tt.return %v : tensor<4x128xi8, #bytes>
}

// COM: Control: the same tile, with words in a lane's registers.
// REMARK:      missed.mlir:[[#@LINE+6]]:{{.*}}: remark: convert-staged-operands-to-llvm: the tile is read by ld.shared.b32, bank-conflict-free, 2 byte permutations per word
// CHECK-LABEL: @a_lane_of_words
// CHECK-NOT:     ttg.local_load
// CHECK:         tt.return
tt.func @a_lane_of_words(%t: tensor<4x128xi8, #blocked>) -> tensor<4x128xi8, #words> {
  %raw = ttg.local_alloc %t : (tensor<4x128xi8, #blocked>) -> !ttg.memdesc<4x128xi8, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<4x128xi8, #raw, #smem> -> tensor<4x128xi8, #words>
  tt.return %v : tensor<4x128xi8, #words>
}

}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0], [4, 0], [8, 0]]}, alignment = 16>
#words = #ttg.linear<{register = [[1, 0], [2, 0], [0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [[4, 0], [8, 0]], block = []}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: In a partition, threads are numbered otherwise, and the CTA barriers of the default region do not include it.
// REMARK-COUNT-2: remark: convert-staged-operands-to-llvm: kept ttg.local_load: in a warp-specialized partition, a warp cannot tell its position from the thread ID [PARTITION]
// REMARK-NOT:  remark
// CHECK-LABEL: @warp_specialized
// CHECK-NOT:     gpu.barrier
// CHECK-NOT:     llvm.
// CHECK:         ttg.local_load
// CHECK:         ttg.warp_specialize
// CHECK:         ttg.local_load
// CHECK-NOT:     llvm.
// CHECK:         tt.return
tt.func @warp_specialized(%t: tensor<16x128xi8, #blocked>) {
  %raw = ttg.local_alloc %t : (tensor<16x128xi8, #blocked>) -> !ttg.memdesc<16x128xi8, #raw, #smem, mutable>
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !ttg.memdesc<16x128xi8, #raw, #smem, mutable> -> tensor<16x128xi8, #words>
  ttg.local_store %v, %raw : tensor<16x128xi8, #words> -> !ttg.memdesc<16x128xi8, #raw, #smem, mutable>
  ttg.warp_specialize(%raw)
  default {
    ttg.warp_yield
  }
  partition0(%inner: !ttg.memdesc<16x128xi8, #raw, #smem, mutable>) num_warps(4) {
    %w = ttg.local_load %inner {dotload.staged = "copy"} : !ttg.memdesc<16x128xi8, #raw, #smem, mutable> -> tensor<16x128xi8, #words>
    ttg.local_store %w, %inner : tensor<16x128xi8, #words> -> !ttg.memdesc<16x128xi8, #raw, #smem, mutable>
    ttg.warp_return
  } : (!ttg.memdesc<16x128xi8, #raw, #smem, mutable>) -> ()
  tt.return
}

}
