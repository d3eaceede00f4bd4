// RUN: dotload-opt %s --convert-staged-operands-to-llvm --split-input-file | FileCheck %s

// COM: In all tiles of this file the columns are contiguous, and a word of a fragment wants four rows of one column.
// COM: A lane that reads four columns of a row swaps the two bits of the row with the two of the column: one
// COM: permutation a word for each.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0]]}, alignment = 16>
#words = #ttg.linear<{register = [[1, 0], [2, 0], [0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [], block = []}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Four words of a lane, 128 bytes apart, become the four words of its columns: 8 permutations.
// CHECK-LABEL:   @four_rows_of_four_columns
// CHECK-DAG:       %[[I0:.*]] = arith.constant 0 : i32
// CHECK-DAG:       %[[I1:.*]] = arith.constant 1 : i32
// CHECK-DAG:       %[[I2:.*]] = arith.constant 2 : i32
// CHECK-DAG:       %[[I3:.*]] = arith.constant 3 : i32
// CHECK:           %[[ROW0:.*]] = llvm.load %[[BASE:.*]] : !llvm.ptr<3> -> i32
// CHECK:           %[[P1:.*]] = llvm.getelementptr %[[BASE]][128]
// CHECK:           %[[ROW1:.*]] = llvm.load %[[P1]] : !llvm.ptr<3> -> i32
// CHECK:           %[[P2:.*]] = llvm.getelementptr %[[BASE]][256]
// CHECK:           %[[ROW2:.*]] = llvm.load %[[P2]] : !llvm.ptr<3> -> i32
// CHECK:           %[[P3:.*]] = llvm.getelementptr %[[BASE]][384]
// CHECK:           %[[ROW3:.*]] = llvm.load %[[P3]] : !llvm.ptr<3> -> i32
// COM: Columns 0 and 2 of rows 0 and 1, then columns 1 and 3.
// CHECK:           %[[A0:.*]] = llvm.bitcast %[[ROW0]] : i32 to vector<4xi8>
// CHECK:           %[[A1:.*]] = llvm.bitcast %[[ROW1]] : i32 to vector<4xi8>
// CHECK:           %[[EVEN01:.*]] = llvm.shufflevector %[[A0]], %[[A1]] [0, 4, 2, 6]
// CHECK-NEXT:      %[[ODD01:.*]] = llvm.shufflevector %[[A0]], %[[A1]] [1, 5, 3, 7]
// CHECK:           %[[C2:.*]] = llvm.bitcast %[[ROW2]] : i32 to vector<4xi8>
// CHECK:           %[[C3:.*]] = llvm.bitcast %[[ROW3]] : i32 to vector<4xi8>
// CHECK:           %[[EVEN23:.*]] = llvm.shufflevector %[[C2]], %[[C3]] [0, 4, 2, 6]
// CHECK-NEXT:      %[[ODD23:.*]] = llvm.shufflevector %[[C2]], %[[C3]] [1, 5, 3, 7]
// COM: And the words of columns 0 to 3.
// CHECK-DAG:       %[[COLUMN0:.*]] = llvm.shufflevector %[[EVEN01]], %[[EVEN23]] [0, 1, 4, 5]
// CHECK-DAG:       %[[COLUMN2:.*]] = llvm.shufflevector %[[EVEN01]], %[[EVEN23]] [2, 3, 6, 7]
// CHECK-DAG:       %[[COLUMN1:.*]] = llvm.shufflevector %[[ODD01]], %[[ODD23]] [0, 1, 4, 5]
// CHECK-DAG:       %[[COLUMN3:.*]] = llvm.shufflevector %[[ODD01]], %[[ODD23]] [2, 3, 6, 7]
// CHECK-NOT:       llvm.shufflevector
// COM: In the order of the registers: rows 0 to 3 of column 0, then of column 1, ...
// CHECK:           %[[E00:.*]] = llvm.extractelement %[[COLUMN0]][%[[I0]] : i32]
// CHECK-NEXT:      %[[E01:.*]] = llvm.extractelement %[[COLUMN0]][%[[I1]] : i32]
// CHECK-NEXT:      %[[E02:.*]] = llvm.extractelement %[[COLUMN0]][%[[I2]] : i32]
// CHECK-NEXT:      %[[E03:.*]] = llvm.extractelement %[[COLUMN0]][%[[I3]] : i32]
// CHECK-NEXT:      %[[E10:.*]] = llvm.extractelement %[[COLUMN1]][%[[I0]] : i32]
// CHECK-NEXT:      %[[E11:.*]] = llvm.extractelement %[[COLUMN1]][%[[I1]] : i32]
// CHECK-NEXT:      %[[E12:.*]] = llvm.extractelement %[[COLUMN1]][%[[I2]] : i32]
// CHECK-NEXT:      %[[E13:.*]] = llvm.extractelement %[[COLUMN1]][%[[I3]] : i32]
// CHECK-NEXT:      %[[E20:.*]] = llvm.extractelement %[[COLUMN2]][%[[I0]] : i32]
// CHECK-NEXT:      %[[E21:.*]] = llvm.extractelement %[[COLUMN2]][%[[I1]] : i32]
// CHECK-NEXT:      %[[E22:.*]] = llvm.extractelement %[[COLUMN2]][%[[I2]] : i32]
// CHECK-NEXT:      %[[E23:.*]] = llvm.extractelement %[[COLUMN2]][%[[I3]] : i32]
// CHECK-NEXT:      %[[E30:.*]] = llvm.extractelement %[[COLUMN3]][%[[I0]] : i32]
// CHECK-NEXT:      %[[E31:.*]] = llvm.extractelement %[[COLUMN3]][%[[I1]] : i32]
// CHECK-NEXT:      %[[E32:.*]] = llvm.extractelement %[[COLUMN3]][%[[I2]] : i32]
// CHECK-NEXT:      %[[E33:.*]] = llvm.extractelement %[[COLUMN3]][%[[I3]] : i32]
// CHECK-NEXT:      %{{.*}} = llvm.mlir.undef
// CHECK-NEXT:      %{{.*}} = llvm.insertvalue %[[E00]], %{{.*}}[0]
// CHECK-NEXT:      %{{.*}} = llvm.insertvalue %[[E01]], %{{.*}}[1]
// CHECK-NEXT:      %{{.*}} = llvm.insertvalue %[[E02]], %{{.*}}[2]
// CHECK-NEXT:      %{{.*}} = llvm.insertvalue %[[E03]], %{{.*}}[3]
// CHECK-NEXT:      %{{.*}} = llvm.insertvalue %[[E10]], %{{.*}}[4]
// CHECK-NEXT:      %{{.*}} = llvm.insertvalue %[[E11]], %{{.*}}[5]
// CHECK-NEXT:      %{{.*}} = llvm.insertvalue %[[E12]], %{{.*}}[6]
// CHECK-NEXT:      %{{.*}} = llvm.insertvalue %[[E13]], %{{.*}}[7]
// CHECK-NEXT:      %{{.*}} = llvm.insertvalue %[[E20]], %{{.*}}[8]
// CHECK-NEXT:      %{{.*}} = llvm.insertvalue %[[E21]], %{{.*}}[9]
// CHECK-NEXT:      %{{.*}} = llvm.insertvalue %[[E22]], %{{.*}}[10]
// CHECK-NEXT:      %{{.*}} = llvm.insertvalue %[[E23]], %{{.*}}[11]
// CHECK-NEXT:      %{{.*}} = llvm.insertvalue %[[E30]], %{{.*}}[12]
// CHECK-NEXT:      %{{.*}} = llvm.insertvalue %[[E31]], %{{.*}}[13]
// CHECK-NEXT:      %{{.*}} = llvm.insertvalue %[[E32]], %{{.*}}[14]
// CHECK-NEXT:      %{{.*}} = llvm.insertvalue %[[E33]], %{{.*}}[15]
// CHECK:           %[[V:.*]] = builtin.unrealized_conversion_cast %{{.*}} : !llvm.struct<(i8, {{.*}})> to tensor<4x128xi8
// CHECK-NOT:       ttg.local_load
// CHECK:           tt.return %[[V]]
tt.func @four_rows_of_four_columns(%t: tensor<4x128xi8, #blocked>) -> tensor<4x128xi8, #words> {
  %raw = ttg.local_alloc %t : (tensor<4x128xi8, #blocked>) -> !ttg.memdesc<4x128xi8, #raw, #smem>
  %v = ttg.local_load %raw : !ttg.memdesc<4x128xi8, #raw, #smem> -> tensor<4x128xi8, #words>
  tt.return %v : tensor<4x128xi8, #words>
}

}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0], [4, 0], [8, 0]]}, alignment = 16>
#words = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [], block = []}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Four transposes of 4x4 bytes: 16 words come from memory, two permutations for each.
// CHECK-LABEL:     @sixteen_rows_of_four_columns
// CHECK-NOT:         vector<{{[0-9]+}}xi32>
// CHECK-COUNT-16:    llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK-NOT:         llvm.load
// CHECK-COUNT-32:    llvm.shufflevector
// CHECK-NOT:         llvm.shufflevector
// CHECK-COUNT-64:    llvm.extractelement
// CHECK-NOT:         llvm.extractelement
// CHECK:             tt.return
tt.func @sixteen_rows_of_four_columns(%t: tensor<16x128xi8, #blocked>) -> tensor<16x128xi8, #words> {
  %raw = ttg.local_alloc %t : (tensor<16x128xi8, #blocked>) -> !ttg.memdesc<16x128xi8, #raw, #smem>
  %v = ttg.local_load %raw : !ttg.memdesc<16x128xi8, #raw, #smem> -> tensor<16x128xi8, #words>
  tt.return %v : tensor<16x128xi8, #words>
}

}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128], [0, 256], [1, 0], [2, 0], [4, 0], [8, 0]]}, alignment = 16>
#words = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [0, 4], [0, 8]], lane = [[0, 16], [0, 32], [0, 64], [0, 128], [0, 256]], warp = [], block = []}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Reads of 16 bytes, 512 bytes apart, each four words: 64 words, two permutations for each.
// CHECK-LABEL:     @sixteen_rows_of_sixteen_columns
// CHECK:             %[[ROW0:.*]] = llvm.load %[[BASE:.*]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-COUNT-4:     llvm.extractelement %[[ROW0]]
// CHECK:             %[[P1:.*]] = llvm.getelementptr %[[BASE]][512]
// CHECK:             llvm.load %[[P1]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-COUNT-14:    llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-NOT:         llvm.load
// CHECK-COUNT-128:   llvm.shufflevector
// CHECK-NOT:         llvm.shufflevector
// CHECK-COUNT-256:   llvm.extractelement %{{.*}} : vector<4xi8>
// CHECK-NOT:         llvm.extractelement
// CHECK:             tt.return
tt.func @sixteen_rows_of_sixteen_columns(%t: tensor<16x512xi8, #blocked>) -> tensor<16x512xi8, #words> {
  %raw = ttg.local_alloc %t : (tensor<16x512xi8, #blocked>) -> !ttg.memdesc<16x512xi8, #raw, #smem>
  %v = ttg.local_load %raw : !ttg.memdesc<16x512xi8, #raw, #smem> -> tensor<16x512xi8, #words>
  tt.return %v : tensor<16x512xi8, #words>
}

}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0]]}, alignment = 16>
#words = #ttg.linear<{register = [[0, 1], [0, 2], [1, 0], [2, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [], block = []}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The words are those of memory: no permutations.
// CHECK-LABEL:   @rows_of_four_bytes_need_no_transpose
// CHECK-COUNT-4:   llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK-NOT:       llvm.shufflevector
// CHECK:           tt.return
tt.func @rows_of_four_bytes_need_no_transpose(%t: tensor<4x128xi8, #blocked>) -> tensor<4x128xi8, #words> {
  %raw = ttg.local_alloc %t : (tensor<4x128xi8, #blocked>) -> !ttg.memdesc<4x128xi8, #raw, #smem>
  %v = ttg.local_load %raw : !ttg.memdesc<4x128xi8, #raw, #smem> -> tensor<4x128xi8, #words>
  tt.return %v : tensor<4x128xi8, #words>
}

}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0]]}, alignment = 16>
#words = #ttg.linear<{register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [], block = []}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: An element of 32 bits is a word.
// CHECK-LABEL:   @elements_of_32_bits
// CHECK:           %[[W0:.*]] = llvm.load %[[BASE:.*]] : !llvm.ptr<3> -> i32
// CHECK:           %[[P1:.*]] = llvm.getelementptr %[[BASE]][128]
// CHECK:           %[[W1:.*]] = llvm.load %[[P1]] : !llvm.ptr<3> -> i32
// CHECK:           llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK:           llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK-NOT:       llvm.load
// CHECK-NOT:       llvm.shufflevector
// CHECK:           %[[F0:.*]] = llvm.bitcast %[[W0]] : i32 to f32
// CHECK:           %[[F1:.*]] = llvm.bitcast %[[W1]] : i32 to f32
// CHECK:           llvm.insertvalue %[[F0]], %{{.*}}[0] : !llvm.struct<(f32, f32, f32, f32)>
// CHECK:           llvm.insertvalue %[[F1]], %{{.*}}[1] : !llvm.struct<(f32, f32, f32, f32)>
// CHECK:           builtin.unrealized_conversion_cast %{{.*}} : !llvm.struct<(f32, f32, f32, f32)> to tensor<4x32xf32
// CHECK-NOT:       llvm.shufflevector
// CHECK:           tt.return
tt.func @elements_of_32_bits(%t: tensor<4x32xf32, #blocked>) -> tensor<4x32xf32, #words> {
  %raw = ttg.local_alloc %t : (tensor<4x32xf32, #blocked>) -> !ttg.memdesc<4x32xf32, #raw, #smem>
  %v = ttg.local_load %raw : !ttg.memdesc<4x32xf32, #raw, #smem> -> tensor<4x32xf32, #words>
  tt.return %v : tensor<4x32xf32, #words>
}

}
