// RUN: dotload-opt %s --convert-staged-operands-to-llvm --split-input-file | FileCheck %s

// COM: In all tiles of this file the columns are contiguous, and a word of a fragment needs four rows of one column. A
// COM: lane that reads four columns of a row exchanges the two row bits with the two column bits, by one permutation
// COM: per word for each bit.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0]]}, alignment = 16>
#words = #ttg.linear<{register = [[1, 0], [2, 0], [0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [], block = []}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: A lane reads four words, 128 bytes apart, and permutes them into a word for each of its columns: 8 permutations.
// CHECK-LABEL:   @four_rows_of_four_columns
// CHECK:           %[[I4:.*]] = arith.constant 4 : i32
// CHECK-NEXT:      %[[ROOM:.*]] = llvm.alloca %[[I4]] x i32
// CHECK-NEXT:      %[[ROOM1:.*]] = llvm.getelementptr %[[ROOM]][4]
// CHECK-NEXT:      %[[ROOM2:.*]] = llvm.getelementptr %[[ROOM]][8]
// CHECK-NEXT:      %[[ROOM3:.*]] = llvm.getelementptr %[[ROOM]][12]
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
// COM: Then the words of columns 0 to 3.
// CHECK-DAG:       %[[COLUMN0:.*]] = llvm.shufflevector %[[EVEN01]], %[[EVEN23]] [0, 1, 4, 5]
// CHECK-DAG:       %[[COLUMN2:.*]] = llvm.shufflevector %[[EVEN01]], %[[EVEN23]] [2, 3, 6, 7]
// CHECK-DAG:       %[[COLUMN1:.*]] = llvm.shufflevector %[[ODD01]], %[[ODD23]] [0, 1, 4, 5]
// CHECK-DAG:       %[[COLUMN3:.*]] = llvm.shufflevector %[[ODD01]], %[[ODD23]] [2, 3, 6, 7]
// CHECK-NOT:       llvm.shufflevector
// COM: In register order: rows 0 to 3 of column 0, then of column 1, ... The thread stores the words to private memory
// COM: and loads elements; LLVM turns this back into registers.
// CHECK:           llvm.store %[[COLUMN0]], %[[ROOM]] {alignment = 4 : i64} : vector<4xi8>, !llvm.ptr{{$}}
// CHECK-NEXT:      llvm.store %[[COLUMN1]], %[[ROOM1]]
// CHECK-NEXT:      llvm.store %[[COLUMN2]], %[[ROOM2]]
// CHECK-NEXT:      llvm.store %[[COLUMN3]], %[[ROOM3]]
// CHECK-NEXT:      %[[S:.*]] = llvm.load %[[ROOM]] {alignment = 4 : i64} : !llvm.ptr -> !llvm.struct<(i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8)>
// CHECK-NEXT:      %[[V:.*]] = builtin.unrealized_conversion_cast %[[S]]
// CHECK-NOT:       ttg.local_load
// CHECK:           tt.return %[[V]]
tt.func @four_rows_of_four_columns(%t: tensor<4x128xi8, #blocked>) -> tensor<4x128xi8, #words> {
  %raw = ttg.local_alloc %t : (tensor<4x128xi8, #blocked>) -> !ttg.memdesc<4x128xi8, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<4x128xi8, #raw, #smem> -> tensor<4x128xi8, #words>
  tt.return %v : tensor<4x128xi8, #words>
}

}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0], [4, 0], [8, 0]]}, alignment = 16>
#words = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [], block = []}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Four transposes of 4x4 bytes: 16 words are loaded, with two permutations each.
// CHECK-LABEL:     @sixteen_rows_of_four_columns
// CHECK-NOT:         vector<{{[0-9]+}}xi32>
// CHECK-COUNT-16:    llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK-NOT:         llvm.load
// CHECK-COUNT-32:    llvm.shufflevector
// CHECK-NOT:         llvm.shufflevector
// CHECK-COUNT-16:    llvm.store %{{.*}} : vector<4xi8>, !llvm.ptr
// CHECK-NOT:         llvm.store
// CHECK:             tt.return
tt.func @sixteen_rows_of_four_columns(%t: tensor<16x128xi8, #blocked>) -> tensor<16x128xi8, #words> {
  %raw = ttg.local_alloc %t : (tensor<16x128xi8, #blocked>) -> !ttg.memdesc<16x128xi8, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<16x128xi8, #raw, #smem> -> tensor<16x128xi8, #words>
  tt.return %v : tensor<16x128xi8, #words>
}

}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128], [0, 256], [1, 0], [2, 0], [4, 0], [8, 0]]}, alignment = 16>
#words = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [0, 4], [0, 8]], lane = [[0, 16], [0, 32], [0, 64], [0, 128], [0, 256]], warp = [], block = []}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Reads of 16 bytes, 512 bytes apart: 64 words, with two permutations each.
// CHECK-LABEL:     @sixteen_rows_of_sixteen_columns
// CHECK:             %[[ROW0:.*]] = llvm.load %[[BASE:.*]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK:             %[[P1:.*]] = llvm.getelementptr %[[BASE]][512]
// CHECK:             llvm.load %[[P1]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-COUNT-14:    llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-NOT:         llvm.load
// COM: Word 0 of row 0 holds columns 0 to 3.
// CHECK:             %[[WORD0:.*]] = llvm.extractelement %[[ROW0]]
// CHECK:             %[[BYTES0:.*]] = llvm.bitcast %[[WORD0]]
// CHECK:             llvm.shufflevector %[[BYTES0]], %{{.*}} [0, 4, 2, 6]
// CHECK-COUNT-127:   llvm.shufflevector
// CHECK-NOT:         llvm.shufflevector
// CHECK-COUNT-64:    llvm.store %{{.*}} : vector<4xi8>, !llvm.ptr
// CHECK-NOT:         llvm.store
// CHECK:             tt.return
tt.func @sixteen_rows_of_sixteen_columns(%t: tensor<16x512xi8, #blocked>) -> tensor<16x512xi8, #words> {
  %raw = ttg.local_alloc %t : (tensor<16x512xi8, #blocked>) -> !ttg.memdesc<16x512xi8, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<16x512xi8, #raw, #smem> -> tensor<16x512xi8, #words>
  tt.return %v : tensor<16x512xi8, #words>
}

}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0]]}, alignment = 16>
#words = #ttg.linear<{register = [[0, 1], [0, 2], [1, 0], [2, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [], block = []}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The words are loaded as they are: no permutations.
// CHECK-LABEL:   @rows_of_four_bytes_need_no_transpose
// CHECK-COUNT-4:   llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK-NOT:       llvm.shufflevector
// CHECK:           tt.return
tt.func @rows_of_four_bytes_need_no_transpose(%t: tensor<4x128xi8, #blocked>) -> tensor<4x128xi8, #words> {
  %raw = ttg.local_alloc %t : (tensor<4x128xi8, #blocked>) -> !ttg.memdesc<4x128xi8, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<4x128xi8, #raw, #smem> -> tensor<4x128xi8, #words>
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
// CHECK:           %[[ROOM:.*]] = llvm.alloca
// CHECK-NEXT:      %[[ROOM1:.*]] = llvm.getelementptr %[[ROOM]][4]
// CHECK:           %[[W0:.*]] = llvm.load %[[BASE:.*]] : !llvm.ptr<3> -> i32
// CHECK:           %[[P1:.*]] = llvm.getelementptr %[[BASE]][128]
// CHECK:           %[[W1:.*]] = llvm.load %[[P1]] : !llvm.ptr<3> -> i32
// CHECK:           llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK:           llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK-NOT:       llvm.load
// CHECK-NOT:       llvm.shufflevector
// CHECK:           llvm.store %[[W0]], %[[ROOM]] {alignment = 4 : i64} : i32, !llvm.ptr
// CHECK-NEXT:      llvm.store %[[W1]], %[[ROOM1]]
// CHECK:           llvm.load %[[ROOM]] {alignment = 4 : i64} : !llvm.ptr -> !llvm.struct<(f32, f32, f32, f32)>
// CHECK:           builtin.unrealized_conversion_cast %{{.*}} : !llvm.struct<(f32, f32, f32, f32)> to tensor<4x32xf32
// CHECK-NOT:       llvm.shufflevector
// CHECK:           tt.return
tt.func @elements_of_32_bits(%t: tensor<4x32xf32, #blocked>) -> tensor<4x32xf32, #words> {
  %raw = ttg.local_alloc %t : (tensor<4x32xf32, #blocked>) -> !ttg.memdesc<4x32xf32, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<4x32xf32, #raw, #smem> -> tensor<4x32xf32, #words>
  tt.return %v : tensor<4x32xf32, #words>
}

}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0]]}, alignment = 16>
#pairs = #ttg.linear<{register = [[0, 1], [1, 0], [2, 0]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], warp = [], block = []}>
#apart = #ttg.linear<{register = [[1, 0], [0, 1], [2, 0]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], warp = [], block = []}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Elements that are neighbours in memory and in registers stay in the vector that one instruction loads.
// CHECK-LABEL:   @vectors_of_32_bits
// CHECK:           %[[ROOM:.*]] = llvm.alloca
// CHECK:           %[[ROOM2:.*]] = llvm.getelementptr %[[ROOM]][8]
// CHECK:           %[[ROW0:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> vector<2xi32>
// CHECK:           %[[ROW1:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> vector<2xi32>
// CHECK-NOT:       llvm.extractelement
// CHECK:           llvm.store %[[ROW0]], %[[ROOM]] {alignment = 4 : i64} : vector<2xi32>, !llvm.ptr
// CHECK-NEXT:      llvm.store %[[ROW1]], %[[ROOM2]]
// CHECK:           tt.return
tt.func @vectors_of_32_bits(%t: tensor<4x64xf32, #blocked>) -> tensor<4x64xf32, #pairs> {
  %raw = ttg.local_alloc %t : (tensor<4x64xf32, #blocked>) -> !ttg.memdesc<4x64xf32, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<4x64xf32, #raw, #smem> -> tensor<4x64xf32, #pairs>
  tt.return %v : tensor<4x64xf32, #pairs>
}

// COM: Elements that are not neighbours in registers are extracted: columns 0 and 1 of row 0 are registers 0 and 2.
// CHECK-LABEL:   @vectors_taken_apart
// CHECK:           %[[ROOM:.*]] = llvm.alloca
// CHECK:           %[[ROOM2:.*]] = llvm.getelementptr %[[ROOM]][8]
// CHECK:           %[[ROW0:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> vector<2xi32>
// CHECK:           %[[ROW1:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> vector<2xi32>
// CHECK:           %[[W0:.*]] = llvm.extractelement %[[ROW0]]
// CHECK:           %[[W1:.*]] = llvm.extractelement %[[ROW1]]
// CHECK:           %[[W2:.*]] = llvm.extractelement %[[ROW0]]
// CHECK:           llvm.store %[[W0]], %[[ROOM]]
// CHECK:           llvm.store %[[W2]], %[[ROOM2]]
// CHECK:           tt.return
tt.func @vectors_taken_apart(%t: tensor<4x64xf32, #blocked>) -> tensor<4x64xf32, #apart> {
  %raw = ttg.local_alloc %t : (tensor<4x64xf32, #blocked>) -> !ttg.memdesc<4x64xf32, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<4x64xf32, #raw, #smem> -> tensor<4x64xf32, #apart>
  tt.return %v : tensor<4x64xf32, #apart>
}

}
