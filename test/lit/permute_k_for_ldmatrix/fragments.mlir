// RUN: dotload-opt %s --permute-k-for-ldmatrix --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 16, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [2, 16], warpsPerCTA = [1, 4], order = [0, 1]}>
#column_major = #ttg.swizzled_shared<{vec = 8, perPhase = 4, maxPhase = 2, order = [0, 1]}>
#smem = #ttg.shared_memory
#batch = #ttg.blocked<{sizePerThread = [1, 1, 8], threadsPerWarp = [1, 4, 8], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>
#mma3 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 1, 2], instrShape = [1, 16, 8]}>
#shared3 = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [2, 1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Within each 32 k, bit 1 moves up, so the pairs of a lane that one mma.sync reads become adjacent.
// CHECK-DAG:   #[[RAW:.*]] = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
// CHECK-LABEL: @invariant
// CHECK-SAME:  (%[[Q:.*]]: tensor<16x64xf16, #blocked>, %[[B:.*]]: tensor<64x32xf16,
// CHECK-NOT:   !ttg.memdesc<16x64xf16, #shared
// CHECK:       %[[S:.*]] = tt.reshape %[[Q]] : {{.*}} -> tensor<16x2x8x2x2x
// CHECK:       %[[T:.*]] = tt.trans %[[S]] {order = array<i32: 0, 1, 3, 2, 4>}
// CHECK:       %[[P:.*]] = tt.reshape %[[T]] : {{.*}} -> tensor<16x64xf16
// CHECK:       %[[TILE:.*]] = ttg.local_alloc %[[P]] : {{.*}} -> !ttg.memdesc<16x64xf16, #[[RAW]], #smem>
// CHECK:       scf.for
// CHECK:         %[[A:.*]] = ttg.local_load %[[TILE]] : {{.*}} -> tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
// CHECK:         %[[V:.*]] = tt.reshape %[[B]] : {{.*}} -> tensor<2x8x2x2x32xf16
// CHECK:         tt.trans %[[V]] {order = array<i32: 0, 2, 1, 3, 4>}
// CHECK:         %[[C:.*]] = ttg.convert_layout {{.*}} -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
// CHECK:         tt.dot %[[A]], %[[C]]
// REMARK:      remark: permute-k-for-ldmatrix: k of both operands is permuted so that ldmatrix reads A
tt.func @invariant(%q: tensor<16x64xf16, #blocked>, %b: tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>, %n: i32) -> tensor<16x32xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x32xf32, #mma>
  %tile = ttg.local_alloc %q : (tensor<16x64xf16, #blocked>) -> !ttg.memdesc<16x64xf16, #shared, #smem>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x32xf32, #mma>) : i32 {
    %a = ttg.local_load %tile : !ttg.memdesc<16x64xf16, #shared, #smem> -> tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    %d = tt.dot %a, %b, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<16x32xf32, #mma>
    scf.yield %d : tensor<16x32xf32, #mma>
  }
  tt.return %r : tensor<16x32xf32, #mma>
}

// COM: Probabilities are stored in the loop.
// CHECK-LABEL: @stored_in_the_loop
// CHECK:       scf.for
// CHECK:         %[[TILE:.*]] = ttg.local_alloc {{.*}} -> !ttg.memdesc<16x64xf16, #[[RAW]], #smem>
// CHECK:         ttg.local_load %[[TILE]] : {{.*}}kWidth = 2
tt.func @stored_in_the_loop(%q: tensor<16x64xf16, #blocked>, %b: tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>, %n: i32) -> tensor<16x32xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x32xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x32xf32, #mma>) : i32 {
    %tile = ttg.local_alloc %q : (tensor<16x64xf16, #blocked>) -> !ttg.memdesc<16x64xf16, #shared, #smem>
    %a = ttg.local_load %tile : !ttg.memdesc<16x64xf16, #shared, #smem> -> tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    %d = tt.dot %a, %b, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<16x32xf32, #mma>
    scf.yield %d : tensor<16x32xf32, #mma>
  }
  tt.return %r : tensor<16x32xf32, #mma>
}

// COM: Two dots read one A: k of both other operands is permuted.
// CHECK-LABEL: @of_two_dots
// CHECK-COUNT-1: ttg.local_load
// CHECK-COUNT-2: ttg.convert_layout {{.*}} -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
// CHECK-NOT:   kWidth = 4
// CHECK:       tt.return
tt.func @of_two_dots(%q: tensor<16x64xf16, #blocked>, %b: tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>, %n: i32, %c: tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>) -> tensor<16x32xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x32xf32, #mma>
  %tile = ttg.local_alloc %q : (tensor<16x64xf16, #blocked>) -> !ttg.memdesc<16x64xf16, #shared, #smem>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x32xf32, #mma>) : i32 {
    %a = ttg.local_load %tile : !ttg.memdesc<16x64xf16, #shared, #smem> -> tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    %e = tt.dot %a, %b, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<16x32xf32, #mma>
    %d = tt.dot %a, %c, %e : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<16x32xf32, #mma>
    scf.yield %d : tensor<16x32xf32, #mma>
  }
  tt.return %r : tensor<16x32xf32, #mma>
}

// COM: Two loops read the tile: it is stored once, permuted.
// CHECK-LABEL: @of_two_loops
// CHECK-COUNT-1: ttg.local_alloc
// CHECK-NOT:   ttg.local_alloc
// CHECK:       ttg.local_load {{.*}}kWidth = 2
// CHECK:       ttg.local_load {{.*}}kWidth = 2
// CHECK:       tt.return
tt.func @of_two_loops(%q: tensor<16x64xf16, #blocked>, %b: tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>, %n: i32) -> tensor<16x32xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x32xf32, #mma>
  %tile = ttg.local_alloc %q : (tensor<16x64xf16, #blocked>) -> !ttg.memdesc<16x64xf16, #shared, #smem>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x32xf32, #mma>) : i32 {
    %a = ttg.local_load %tile : !ttg.memdesc<16x64xf16, #shared, #smem> -> tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    %d = tt.dot %a, %b, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<16x32xf32, #mma>
    scf.yield %d : tensor<16x32xf32, #mma>
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %r) -> (tensor<16x32xf32, #mma>) : i32 {
    %a = ttg.local_load %tile : !ttg.memdesc<16x64xf16, #shared, #smem> -> tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    %d = tt.dot %a, %b, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<16x32xf32, #mma>
    scf.yield %d : tensor<16x32xf32, #mma>
  }
  tt.return %s : tensor<16x32xf32, #mma>
}

// COM: Another op reads the tile with its k in order.
// CHECK-LABEL: @read_otherwise
// CHECK-NOT:   kWidth = 2
// CHECK:       tt.return
tt.func @read_otherwise(%q: tensor<16x64xf16, #blocked>, %b: tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>, %n: i32) -> (tensor<16x32xf32, #mma>, tensor<16x64xf16, #blocked>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x32xf32, #mma>
  %tile = ttg.local_alloc %q : (tensor<16x64xf16, #blocked>) -> !ttg.memdesc<16x64xf16, #shared, #smem>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x32xf32, #mma>) : i32 {
    %a = ttg.local_load %tile : !ttg.memdesc<16x64xf16, #shared, #smem> -> tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    %d = tt.dot %a, %b, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<16x32xf32, #mma>
    scf.yield %d : tensor<16x32xf32, #mma>
  }
  %o = ttg.local_load %tile : !ttg.memdesc<16x64xf16, #shared, #smem> -> tensor<16x64xf16, #blocked>
  tt.return %r, %o : tensor<16x32xf32, #mma>, tensor<16x64xf16, #blocked>
}

// COM: An op other than a dot uses the fragments.
// CHECK-LABEL: @computed_with
// CHECK-NOT:   kWidth = 2
// CHECK:       tt.return
tt.func @computed_with(%q: tensor<16x64xf16, #blocked>, %b: tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>, %n: i32) -> tensor<16x32xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x32xf32, #mma>
  %tile = ttg.local_alloc %q : (tensor<16x64xf16, #blocked>) -> !ttg.memdesc<16x64xf16, #shared, #smem>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x32xf32, #mma>) : i32 {
    %a = ttg.local_load %tile : !ttg.memdesc<16x64xf16, #shared, #smem> -> tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    %e = tt.dot %a, %b, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<16x32xf32, #mma>
    %x = arith.addf %a, %a : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    %d = tt.dot %x, %b, %e : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<16x32xf32, #mma>
    scf.yield %d : tensor<16x32xf32, #mma>
  }
  tt.return %r : tensor<16x32xf32, #mma>
}

// COM: A tile that is stored to again, like one that is copied asynchronously, keeps its order of k.
// CHECK-LABEL: @written_again
// CHECK-NOT:   kWidth = 2
// CHECK:       tt.return
tt.func @written_again(%q: tensor<16x64xf16, #blocked>, %b: tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>, %n: i32) -> tensor<16x32xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x32xf32, #mma>
  %tile = ttg.local_alloc %q : (tensor<16x64xf16, #blocked>) -> !ttg.memdesc<16x64xf16, #shared, #smem, mutable>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x32xf32, #mma>) : i32 {
    %a = ttg.local_load %tile : !ttg.memdesc<16x64xf16, #shared, #smem, mutable> -> tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    %d = tt.dot %a, %b, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<16x32xf32, #mma>
    ttg.local_store %q, %tile : tensor<16x64xf16, #blocked> -> !ttg.memdesc<16x64xf16, #shared, #smem, mutable>
    scf.yield %d : tensor<16x32xf32, #mma>
  }
  tt.return %r : tensor<16x32xf32, #mma>
}

// COM: 16 k are those of one mma.sync.
// CHECK-LABEL: @few_k
// CHECK-NOT:   kWidth = 2
// CHECK:       tt.return
tt.func @few_k(%q: tensor<16x16xf16, #blocked>, %b: tensor<16x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>, %n: i32) -> tensor<16x32xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x32xf32, #mma>
  %tile = ttg.local_alloc %q : (tensor<16x16xf16, #blocked>) -> !ttg.memdesc<16x16xf16, #shared, #smem>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x32xf32, #mma>) : i32 {
    %a = ttg.local_load %tile : !ttg.memdesc<16x16xf16, #shared, #smem> -> tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    %d = tt.dot %a, %b, %acc : tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<16x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<16x32xf32, #mma>
    scf.yield %d : tensor<16x32xf32, #mma>
  }
  tt.return %r : tensor<16x32xf32, #mma>
}

// COM: ldmatrix reads these fragments as they are.
// CHECK-LABEL: @not_converted
// CHECK-NOT:   tt.reshape
// CHECK:       tt.return
tt.func @not_converted(%q: tensor<16x64xf16, #blocked>, %b: tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>, %n: i32) -> tensor<16x32xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x32xf32, #mma>
  %tile = ttg.local_alloc %q : (tensor<16x64xf16, #blocked>) -> !ttg.memdesc<16x64xf16, #shared, #smem>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x32xf32, #mma>) : i32 {
    %a = ttg.local_load %tile : !ttg.memdesc<16x64xf16, #shared, #smem> -> tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %d = tt.dot %a, %b, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> tensor<16x32xf32, #mma>
    scf.yield %d : tensor<16x32xf32, #mma>
  }
  tt.return %r : tensor<16x32xf32, #mma>
}

// COM: A column-major tile: Triton reads it by ldmatrix, and its pieces of 8 rows would be stored in single elements.
// CHECK-LABEL: @column_major
// CHECK-NOT:   kWidth = 2
// CHECK:       tt.return
tt.func @column_major(%q: tensor<16x64xf16, #columns>, %b: tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>, %c: tensor<16x32xf32, #mma>) -> tensor<16x32xf32, #mma> {
  %tile = ttg.local_alloc %q : (tensor<16x64xf16, #columns>) -> !ttg.memdesc<16x64xf16, #column_major, #smem>
  %a = ttg.local_load %tile : !ttg.memdesc<16x64xf16, #column_major, #smem> -> tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
  %d = tt.dot %a, %b, %c : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<16x32xf32, #mma>
  tt.return %d : tensor<16x32xf32, #mma>
}

// COM: Tiles of three dims are not followed.
// CHECK-LABEL: @batched
// CHECK-NOT:   kWidth = 2
// CHECK:       tt.return
tt.func @batched(%q: tensor<2x16x64xf16, #batch>, %b: tensor<2x64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma3, kWidth = 4}>>) -> tensor<2x16x32xf32, #mma3> {
  %zero = arith.constant dense<0.0> : tensor<2x16x32xf32, #mma3>
  %tile = ttg.local_alloc %q : (tensor<2x16x64xf16, #batch>) -> !ttg.memdesc<2x16x64xf16, #shared3, #smem>
  %a = ttg.local_load %tile : !ttg.memdesc<2x16x64xf16, #shared3, #smem> -> tensor<2x16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma3, kWidth = 4}>>
  %d = tt.dot %a, %b, %zero : tensor<2x16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma3, kWidth = 4}>> * tensor<2x64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma3, kWidth = 4}>> -> tensor<2x16x32xf32, #mma3>
  tt.return %d : tensor<2x16x32xf32, #mma3>
}
}
