// RUN: dotload-opt %s --convert-staged-operands-to-llvm --split-input-file | FileCheck %s

// COM: A tile of bytes with n contiguous, as stage-dot-operands stages it. A cast maps the registers that are read to
// COM: those of a fragment: the two n of a pair become n and n + 8.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 16], [8, 32], [16, 0], [32, 0]]}, alignment = 16>
#held = #ttg.linear<{register = [[1, 0], [2, 0], [0, 1], [16, 0], [32, 0]], lane = [[4, 0], [8, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: ldmatrix.trans gives a lane words of two neighbouring n at two k. One permutation per word splits the pairs: the
// COM: even bytes of two words are n at four k, the odd ones n + 8 at four k.
// CHECK-LABEL: @into_the_fragments_of_wgmma
// CHECK:         %[[ROOM:.*]] = llvm.alloca
// CHECK-NEXT:    %[[ROOM1:.*]] = llvm.getelementptr %[[ROOM]][4]
// CHECK-NEXT:    %[[ROOM2:.*]] = llvm.getelementptr %[[ROOM]][8]
// CHECK:         %[[RAW:.*]] = ttg.local_alloc
// CHECK:         %[[S:.*]] = builtin.unrealized_conversion_cast %[[RAW]] : !ttg.memdesc<64x64xf8E4M3FN, {{.*}}> to !llvm.struct<(ptr<3>, i32, i32)>
// CHECK:         llvm.extractvalue %[[S]][0]
// CHECK:         %[[M0:.*]] = llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3"(%{{.*}}) : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
// CHECK-DAG:     %[[W0:.*]] = llvm.extractvalue %[[M0]][0]
// CHECK-DAG:     %[[W1:.*]] = llvm.extractvalue %[[M0]][1]
// CHECK-DAG:     %[[W2:.*]] = llvm.extractvalue %[[M0]][2]
// CHECK-DAG:     %[[W3:.*]] = llvm.extractvalue %[[M0]][3]
// CHECK:         llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3"
// CHECK-NOT:     llvm.call_intrinsic
// CHECK:         %[[A0:.*]] = llvm.bitcast %[[W0]] : i32 to vector<4xi8>
// CHECK:         %[[A1:.*]] = llvm.bitcast %[[W1]] : i32 to vector<4xi8>
// CHECK:         %[[N0:.*]] = llvm.shufflevector %[[A0]], %[[A1]] [0, 2, 4, 6]
// CHECK-NEXT:    %[[N8:.*]] = llvm.shufflevector %[[A0]], %[[A1]] [1, 3, 5, 7]
// CHECK:         %[[C2:.*]] = llvm.bitcast %[[W2]] : i32 to vector<4xi8>
// CHECK:         %[[C3:.*]] = llvm.bitcast %[[W3]] : i32 to vector<4xi8>
// CHECK:         %[[N0K16:.*]] = llvm.shufflevector %[[C2]], %[[C3]] [0, 2, 4, 6]
// CHECK-COUNT-5: llvm.shufflevector
// CHECK-NOT:     llvm.shufflevector
// COM: Registers in wgmma's order: k 0 to 3 of a row, then of the row 8 below, then k 16 to 19.
// CHECK:         llvm.store %[[N0]], %[[ROOM]] {{.*}} : vector<4xi8>, !llvm.ptr{{$}}
// CHECK-NEXT:    llvm.store %[[N8]], %[[ROOM1]]
// CHECK-NEXT:    llvm.store %[[N0K16]], %[[ROOM2]]
// CHECK:         %[[V:.*]] = builtin.unrealized_conversion_cast %{{.*}} to tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, {{.*}}, kWidth = 4}>>
// CHECK-NOT:     ttg.local_load
// CHECK:         ttng.warp_group_dot %[[V]]
tt.func @into_the_fragments_of_wgmma(%t: tensor<64x64xf8E4M3FN, #blocked>, %b: !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem>) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %raw = ttg.local_alloc %t : (tensor<64x64xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem>
  %r = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem> -> tensor<64x64xf8E4M3FN, #held>
  %v = builtin.unrealized_conversion_cast %r : tensor<64x64xf8E4M3FN, #held> to tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
  %d = ttng.warp_group_dot %v, %b, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

// COM: Two dots read the same registers: the words are permuted once.
// CHECK-LABEL: @two_dots
// CHECK:         %[[V:.*]] = builtin.unrealized_conversion_cast %{{.*}} to tensor<64x64xf8E4M3FN
// CHECK:         %[[D:.*]] = ttng.warp_group_dot %[[V]]
// CHECK-NEXT:    ttng.warp_group_dot %[[V]], %{{.*}}, %[[D]]
tt.func @two_dots(%t: tensor<64x64xf8E4M3FN, #blocked>, %b: !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem>) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %raw = ttg.local_alloc %t : (tensor<64x64xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem>
  %r = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<64x64xf8E4M3FN, #raw, #smem> -> tensor<64x64xf8E4M3FN, #held>
  %v = builtin.unrealized_conversion_cast %r : tensor<64x64xf8E4M3FN, #held> to tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
  %d = ttng.warp_group_dot %v, %b, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem> -> tensor<64x64xf32, #mma>
  %d2 = ttng.warp_group_dot %v, %b, %d {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem> -> tensor<64x64xf32, #mma>
  tt.return %d2 : tensor<64x64xf32, #mma>
}

}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 2], warpsPerCTA = [1, 1], order = [1, 0]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]}, alignment = 16>
#low = #ttg.linear<{register = [[4, 0], [8, 0], [0, 1]], lane = [[1, 0], [2, 0], [0, 2], [0, 4], [0, 8]], warp = [], block = []}>
#high = #ttg.linear<{register = [[8, 0], [4, 0], [0, 1]], lane = [[1, 0], [2, 0], [0, 2], [0, 4], [0, 8]], warp = [], block = []}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Two words per lane. Rows r, r + 1 .. r + 7 of 16 bytes cover all banks once: the rows of a matrix are given by
// COM: the two lane bits and the low register bit.
// CHECK-LABEL:   @two_matrices
// CHECK:           %[[M:.*]] = llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3"(%{{.*}}) : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
// CHECK-DAG:       llvm.extractvalue %[[M]][0]
// CHECK-DAG:       llvm.extractvalue %[[M]][1]
// CHECK:           llvm.shufflevector {{.*}} [0, 2, 4, 6]
// CHECK:           llvm.shufflevector {{.*}} [1, 3, 5, 7]
// CHECK-NOT:       llvm.shufflevector
// CHECK:           tt.return
tt.func @two_matrices(%t: tensor<16x16xi8, #blocked>) -> tensor<16x16xi8, #low> {
  %raw = ttg.local_alloc %t : (tensor<16x16xi8, #blocked>) -> !ttg.memdesc<16x16xi8, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<16x16xi8, #raw, #smem> -> tensor<16x16xi8, #low>
  tt.return %v : tensor<16x16xi8, #low>
}

// COM: With the two register bits exchanged, the high one gives the rows that lie in different banks.
// CHECK-LABEL:   @the_other_neighbour
// CHECK:           llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3"
// CHECK:           llvm.shufflevector {{.*}} [0, 4, 2, 6]
// CHECK:           llvm.shufflevector {{.*}} [1, 5, 3, 7]
// CHECK-NOT:       llvm.shufflevector
// CHECK:           tt.return
tt.func @the_other_neighbour(%t: tensor<16x16xi8, #blocked>) -> tensor<16x16xi8, #high> {
  %raw = ttg.local_alloc %t : (tensor<16x16xi8, #blocked>) -> !ttg.memdesc<16x16xi8, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<16x16xi8, #raw, #smem> -> tensor<16x16xi8, #high>
  tt.return %v : tensor<16x16xi8, #high>
}

}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 16], [32, 32]]}, alignment = 16>
#runs = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1]], lane = [[16, 0], [32, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Runs of 16 k for a pair of n.
// CHECK-LABEL:   @into_a_linear_layout
// CHECK-COUNT-2:   llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3"
// CHECK-NOT:       llvm.call_intrinsic
// CHECK-COUNT-8:   llvm.shufflevector
// CHECK-NOT:       llvm.shufflevector
// CHECK:           %[[V:.*]] = builtin.unrealized_conversion_cast %{{.*}} to tensor<64x64xi8, #linear>
// CHECK:           tt.return %[[V]]
tt.func @into_a_linear_layout(%t: tensor<64x64xi8, #blocked>) -> tensor<64x64xi8, #runs> {
  %raw = ttg.local_alloc %t : (tensor<64x64xi8, #blocked>) -> !ttg.memdesc<64x64xi8, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<64x64xi8, #raw, #smem> -> tensor<64x64xi8, #runs>
  tt.return %v : tensor<64x64xi8, #runs>
}

}
