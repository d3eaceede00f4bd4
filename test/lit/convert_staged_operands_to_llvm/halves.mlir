// RUN: dotload-opt %s --convert-staged-operands-to-llvm --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [16, 2], warpsPerCTA = [1, 1], order = [1, 0]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]]}, alignment = 16>
#halves = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Fragments of 16-bit elements, read from a K-major tile of bytes: a word has two k of row r, and two of row r +
// COM: 8, which lies 8 * 32 bytes further. Each half is read separately, and one byte permutation joins them.
// CHECK-LABEL: @two_k_of_two_rows
// CHECK:         %[[P:.*]] = llvm.getelementptr %{{.*}} : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
// CHECK-NEXT:    %[[FAR:.*]] = llvm.getelementptr %[[P]][256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
// CHECK-NEXT:    %[[LOW:.*]] = llvm.load %[[P]] : !llvm.ptr<3> -> i16
// CHECK-NEXT:    %[[HIGH:.*]] = llvm.load %[[FAR]] : !llvm.ptr<3> -> i16
// CHECK-NEXT:    %[[A:.*]] = arith.extui %[[LOW]] : i16 to i32
// CHECK-NEXT:    %[[B:.*]] = arith.extui %[[HIGH]] : i16 to i32
// CHECK-NEXT:    %[[X:.*]] = llvm.bitcast %[[A]] : i32 to vector<4xi8>
// CHECK-NEXT:    %[[Y:.*]] = llvm.bitcast %[[B]] : i32 to vector<4xi8>
// CHECK-NEXT:    llvm.shufflevector %[[X]], %[[Y]] [0, 1, 4, 5] : vector<4xi8>
// CHECK-COUNT-6: llvm.load {{.*}} -> i16
// CHECK-NOT:     -> i16
// REMARK:      remark: convert-staged-operands-to-llvm: the tile is read by ld.shared.b16, {{.*}}, one byte permutation per word
tt.func @two_k_of_two_rows(%t: tensor<16x32xi8, #blocked>) -> tensor<16x32xi8, #halves> {
  %raw = ttg.local_alloc %t : (tensor<16x32xi8, #blocked>) -> !ttg.memdesc<16x32xi8, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<16x32xi8, #raw, #smem> -> tensor<16x32xi8, #halves>
  tt.return %v : tensor<16x32xi8, #halves>
}
}
