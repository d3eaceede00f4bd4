// RUN: dotload-opt %s --stage-dot-operands --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: dotload-opt %s --stage-dot-operands --convert-staged-operands-to-llvm --allocate-shared-memory-nv='compute-capability=80 ptx-version=81' --convert-triton-gpu-to-llvm='compute-capability=80 ptx-version=81' | FileCheck %s --check-prefix=LLVM

#keys = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#values = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#bt = #ttg.linear<{register = [[0, 1], [0, 2], [0, 16], [32, 0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>
#kt = #ttg.linear<{register = [[0, 1], [0, 2], [0, 16], [0, 32]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#small = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#xt = #ttg.linear<{register = [[0, 1], [0, 2], [0, 16]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [0, 0]], block = []}>
#rows = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns16 = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#square = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#sa = #ttg.dot_op<{opIdx = 0, parent = #square, kWidth = 4}>
#sb = #ttg.dot_op<{opIdx = 1, parent = #square, kWidth = 4}>
#sat = #ttg.linear<{register = [[1, 0], [2, 0], [0, 8], [16, 0], [32, 0], [0, 32]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0], [0, 16]], block = []}>
#sbt = #ttg.linear<{register = [[0, 1], [0, 2], [0, 16], [0, 32], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [0, 0]], block = []}>
!q = tensor<16x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
!p = tensor<16x32xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
!ph = tensor<16x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
!s = tensor<16x32xi32, #mma>
!o = tensor<16x64xi32, #mma>
!oh = tensor<16x64xf32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {

// COM: Keys and values are one tile, staged once: rows are read for the scores, columns for the values. Bit 1 of the
// COM: columns moves chunks as well as bit 3, so neither read has bank conflicts.
// CHECK-DAG:   #[[BOTH:.*]] = #ttg.shared_linear<{offset = {{.*}}, [0, 1], [32, 2], [16, 4], [32, 8], [0, 16]]}
// CHECK-LABEL: @values_are_keys
// CHECK:       %[[K:.*]] = tt.load
// CHECK-NEXT:  %[[RAW:.*]] = ttg.local_alloc %[[K]] : {{.*}} -> !ttg.memdesc<64x32xi8, #[[BOTH]], #smem>
// CHECK-NOT:   ttg.convert_layout %[[K]]
// CHECK:       %[[SCORES:.*]] = ttg.local_load %[[RAW]] : {{.*}} -> tensor<64x32xi8, #ttg.dot_op<{opIdx = 1
// CHECK:       tt.dot %{{.*}}, %[[SCORES]],
// CHECK:       %[[READ:.*]] = ttg.local_load %[[RAW]] {dotload.staged = "fragments"}
// CHECK:       %[[VALUES:.*]] = builtin.unrealized_conversion_cast %[[READ]] : {{.*}} to tensor<32x64xi8, #ttg.dot_op<{opIdx = 1
// CHECK:       tt.dot %{{.*}}, %[[VALUES]],
// REMARK:      row-major B (not K-major, 8 bits, tile 64x32) is staged through shared memory into registers
// LLVM-LABEL:  @values_are_keys
// LLVM-NOT:    llvm.load {{.*}} !llvm.ptr<3> -> i8
// LLVM:        ldmatrix.sync.aligned.m8n8.x4.trans.b16
// LLVM:        llvm.return
tt.func @values_are_keys(%q: !q, %p: !p, %keys: tensor<64x32x!tt.ptr<i8>, #keys>, %sp: tensor<16x32x!tt.ptr<i32>, #mma>, %op: tensor<16x64x!tt.ptr<i32>, #mma>) {
  %no_scores = arith.constant dense<0> : !s
  %nothing = arith.constant dense<0> : !o
  %k = tt.load %keys : tensor<64x32x!tt.ptr<i8>, #keys>
  %l = ttg.convert_layout %k : tensor<64x32xi8, #keys> -> tensor<64x32xi8, #bt>
  %kf = ttg.convert_layout %k : tensor<64x32xi8, #keys> -> tensor<64x32xi8, #b>
  %scores = tt.dot %q, %kf, %no_scores : !q * tensor<64x32xi8, #b> -> !s
  tt.store %sp, %scores : tensor<16x32x!tt.ptr<i32>, #mma>
  %v = tt.trans %l {order = array<i32: 1, 0>} : tensor<64x32xi8, #bt> -> tensor<32x64xi8, #b>
  %o = tt.dot %p, %v, %nothing : !p * tensor<32x64xi8, #b> -> !o
  tt.store %op, %o : tensor<16x64x!tt.ptr<i32>, #mma>
  tt.return
}

// COM: Elements are converted before the transpose; the pass converts fragments instead.
// CHECK-LABEL: @converted_above
// CHECK:       %[[RAW:.*]] = ttg.local_alloc
// CHECK:       ttg.local_load %[[RAW]] {dotload.staged = "fragments"}
// CHECK:       %[[BYTES:.*]] = builtin.unrealized_conversion_cast {{.*}} to tensor<32x64xi8, #ttg.dot_op<{opIdx = 1
// CHECK:       %[[VALUES:.*]] = arith.sitofp %[[BYTES]]
// CHECK-NOT:   tt.trans {{.*}}f16
// CHECK:       tt.dot %{{.*}}, %[[VALUES]],
// REMARK:      row-major B (not K-major, 8 bits, tile 64x32) is staged through shared memory into registers
tt.func @converted_above(%p: !ph, %keys: tensor<64x32x!tt.ptr<i8>, #keys>, %op: tensor<16x64x!tt.ptr<f32>, #mma>) {
  %nothing = arith.constant dense<0.0> : !oh
  %k = tt.load %keys : tensor<64x32x!tt.ptr<i8>, #keys>
  %l = ttg.convert_layout %k : tensor<64x32xi8, #keys> -> tensor<64x32xi8, #bt>
  %h = arith.sitofp %l : tensor<64x32xi8, #bt> to tensor<64x32xf16, #bt>
  %v = tt.trans %h {order = array<i32: 1, 0>} : tensor<64x32xf16, #bt> -> tensor<32x64xf16, #b>
  %o = tt.dot %p, %v, %nothing : !ph * tensor<32x64xf16, #b> -> !oh
  tt.store %op, %o : tensor<16x64x!tt.ptr<f32>, #mma>
  tt.return
}

// COM: The tile is loaded as the values, and is transposed twice before their dot. The keys are its transpose.
// CHECK-LABEL: @keys_are_values
// CHECK:       %[[V:.*]] = tt.load
// CHECK-NEXT:  %[[RAW:.*]] = ttg.local_alloc %[[V]]
// CHECK:       %[[READ:.*]] = ttg.local_load %[[RAW]] : {{.*}} -> tensor<32x64xi8, #linear
// CHECK:       %[[KEYS:.*]] = tt.trans %[[READ]]
// CHECK:       tt.dot %{{.*}}, %[[KEYS]],
// CHECK:       ttg.local_load %[[RAW]] {dotload.staged = "fragments"}
// CHECK:       %[[VALUES:.*]] = arith.sitofp
// CHECK:       tt.dot %{{.*}}, %[[VALUES]],
// REMARK:      row-major B (not K-major, 8 bits, tile 32x64) is staged through shared memory into registers
tt.func @keys_are_values(%q: !q, %p: !ph, %values: tensor<32x64x!tt.ptr<i8>, #values>, %sp: tensor<16x32x!tt.ptr<i32>, #mma>, %op: tensor<16x64x!tt.ptr<f32>, #mma>) {
  %no_scores = arith.constant dense<0> : !s
  %nothing = arith.constant dense<0.0> : !oh
  %v = tt.load %values : tensor<32x64x!tt.ptr<i8>, #values>
  %r = ttg.convert_layout %v : tensor<32x64xi8, #values> -> tensor<32x64xi8, #kt>
  %k = tt.trans %r {order = array<i32: 1, 0>} : tensor<32x64xi8, #kt> -> tensor<64x32xi8, #b>
  %scores = tt.dot %q, %k, %no_scores : !q * tensor<64x32xi8, #b> -> !s
  tt.store %sp, %scores : tensor<16x32x!tt.ptr<i32>, #mma>
  %t = ttg.convert_layout %v : tensor<32x64xi8, #values> -> tensor<32x64xi8, #kt>
  %u = tt.trans %t {order = array<i32: 1, 0>} : tensor<32x64xi8, #kt> -> tensor<64x32xi8, #b>
  %h = arith.sitofp %u : tensor<64x32xi8, #b> to tensor<64x32xf16, #b>
  %l = ttg.convert_layout %h : tensor<64x32xf16, #b> -> tensor<64x32xf16, #bt>
  %w = tt.trans %l {order = array<i32: 1, 0>} : tensor<64x32xf16, #bt> -> tensor<32x64xf16, #b>
  %o = tt.dot %p, %w, %nothing : !ph * tensor<32x64xf16, #b> -> !oh
  tt.store %op, %o : tensor<16x64x!tt.ptr<f32>, #mma>
  tt.return
}

// COM: The tile is also stored elsewhere, so it is needed in the layout of its load.
// CHECK-LABEL: @stored_too
// CHECK-NOT:   ttg.local_alloc
// CHECK:       tt.trans
// CHECK-NOT:   ttg.local_alloc
// CHECK:       tt.return
// REMARK:      kept tt.load: {{.*}}: row-major B (not K-major, 8 bits, tile 64x32) [OTHER_USES]
tt.func @stored_too(%p: !p, %keys: tensor<64x32x!tt.ptr<i8>, #keys>, %copy: tensor<64x32x!tt.ptr<i8>, #keys>, %op: tensor<16x64x!tt.ptr<i32>, #mma>) {
  %nothing = arith.constant dense<0> : !o
  %k = tt.load %keys : tensor<64x32x!tt.ptr<i8>, #keys>
  tt.store %copy, %k : tensor<64x32x!tt.ptr<i8>, #keys>
  %l = ttg.convert_layout %k : tensor<64x32xi8, #keys> -> tensor<64x32xi8, #bt>
  %v = tt.trans %l {order = array<i32: 1, 0>} : tensor<64x32xi8, #bt> -> tensor<32x64xi8, #b>
  %o = tt.dot %p, %v, %nothing : !p * tensor<32x64xi8, #b> -> !o
  tt.store %op, %o : tensor<16x64x!tt.ptr<i32>, #mma>
  tt.return
}

// COM: Two dots read columns of the tile, each in its own layout: one of them would have to read single bytes.
// CHECK-LABEL: @twice_by_columns
// CHECK-NOT:   ttg.local_alloc
// CHECK:       tt.return
// REMARK:      [OTHER_USES]
// REMARK:      [OTHER_USES]
tt.func @twice_by_columns(%p: !p, %values: tensor<32x64x!tt.ptr<i8>, #values>, %wide: tensor<16x32xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 8}>>, %op: tensor<16x64x!tt.ptr<i32>, #mma>) {
  %nothing = arith.constant dense<0> : !o
  %v = tt.load %values : tensor<32x64x!tt.ptr<i8>, #values>
  %f = ttg.convert_layout %v : tensor<32x64xi8, #values> -> tensor<32x64xi8, #b>
  %o = tt.dot %p, %f, %nothing : !p * tensor<32x64xi8, #b> -> !o
  %g = ttg.convert_layout %v : tensor<32x64xi8, #values> -> tensor<32x64xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 8}>>
  %d = tt.dot %wide, %g, %o : tensor<16x32xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 8}>> * tensor<32x64xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 8}>> -> !o
  tt.store %op, %d : tensor<16x64x!tt.ptr<i32>, #mma>
  tt.return
}

// COM: A product of a tile and its own transpose reads columns for both operands.
// CHECK-LABEL: @by_its_transpose
// CHECK-NOT:   ttg.local_alloc
// CHECK:       tt.return
// REMARK:      kept tt.load: {{.*}}: row-major B (not K-major, 8 bits, tile 16x32) [OTHER_USES]
tt.func @by_its_transpose(%tile: tensor<16x32x!tt.ptr<i8>, #columns>, %op: tensor<16x16x!tt.ptr<i32>, #small>) {
  %nothing = arith.constant dense<0> : tensor<16x16xi32, #small>
  %x = tt.load %tile : tensor<16x32x!tt.ptr<i8>, #columns>
  %a = ttg.convert_layout %x : tensor<16x32xi8, #columns> -> tensor<16x32xi8, #ttg.dot_op<{opIdx = 0, parent = #small, kWidth = 4}>>
  %l = ttg.convert_layout %x : tensor<16x32xi8, #columns> -> tensor<16x32xi8, #xt>
  %b = tt.trans %l {order = array<i32: 1, 0>} : tensor<16x32xi8, #xt> -> tensor<32x16xi8, #ttg.dot_op<{opIdx = 1, parent = #small, kWidth = 4}>>
  %d = tt.dot %a, %b, %nothing : tensor<16x32xi8, #ttg.dot_op<{opIdx = 0, parent = #small, kWidth = 4}>> * tensor<32x16xi8, #ttg.dot_op<{opIdx = 1, parent = #small, kWidth = 4}>> -> tensor<16x16xi32, #small>
  tt.store %op, %d : tensor<16x16x!tt.ptr<i32>, #small>
  tt.return
}

// COM: The scores are computed in a branch, where the pipeliner would not find the read.
// CHECK-LABEL: @in_a_branch
// CHECK-NOT:   ttg.local_alloc
// CHECK:       tt.return
// REMARK:      kept tt.load: {{.*}}: row-major B (not K-major, 8 bits, tile 64x32) [OTHER_USES]
tt.func @in_a_branch(%q: !q, %p: !p, %keys: tensor<64x32x!tt.ptr<i8>, #keys>, %is_wanted: i1, %sp: tensor<16x32x!tt.ptr<i32>, #mma>, %op: tensor<16x64x!tt.ptr<i32>, #mma>) {
  %no_scores = arith.constant dense<0> : !s
  %nothing = arith.constant dense<0> : !o
  %k = tt.load %keys : tensor<64x32x!tt.ptr<i8>, #keys>
  scf.if %is_wanted {
    %kf = ttg.convert_layout %k : tensor<64x32xi8, #keys> -> tensor<64x32xi8, #b>
    %scores = tt.dot %q, %kf, %no_scores : !q * tensor<64x32xi8, #b> -> !s
    tt.store %sp, %scores : tensor<16x32x!tt.ptr<i32>, #mma>
  }
  %l = ttg.convert_layout %k : tensor<64x32xi8, #keys> -> tensor<64x32xi8, #bt>
  %v = tt.trans %l {order = array<i32: 1, 0>} : tensor<64x32xi8, #bt> -> tensor<32x64xi8, #b>
  %o = tt.dot %p, %v, %nothing : !p * tensor<32x64xi8, #b> -> !o
  tt.store %op, %o : tensor<16x64x!tt.ptr<i32>, #mma>
  tt.return
}

// COM: The gradient of a weight, x.T @ y, in e5m2: A is staged as the transpose that it is, beside a row-major B.
// CHECK-LABEL: @beside_another
// CHECK-NOT:   ttg.convert_layout %{{.*}} : tensor<64x64xf8E5M2
// CHECK:       tt.dot
// REMARK:      row-major B (not K-major, 8 bits, tile 64x64) is staged through shared memory into registers
// REMARK-NEXT: column-major A (not K-major, 8 bits, tile 64x64) is staged through shared memory into registers
// REMARK-NOT:  kept
tt.func @beside_another(%x: tensor<64x64x!tt.ptr<f8E5M2>, #rows>, %y: tensor<64x64x!tt.ptr<f8E5M2>, #rows>, %op: tensor<64x64x!tt.ptr<f32>, #square>) {
  %nothing = arith.constant dense<0.0> : tensor<64x64xf32, #square>
  %xt = tt.load %x : tensor<64x64x!tt.ptr<f8E5M2>, #rows>
  %l = ttg.convert_layout %xt : tensor<64x64xf8E5M2, #rows> -> tensor<64x64xf8E5M2, #sat>
  %yt = tt.load %y : tensor<64x64x!tt.ptr<f8E5M2>, #rows>
  %b = ttg.convert_layout %yt : tensor<64x64xf8E5M2, #rows> -> tensor<64x64xf8E5M2, #sb>
  %a = tt.trans %l {order = array<i32: 1, 0>} : tensor<64x64xf8E5M2, #sat> -> tensor<64x64xf8E5M2, #sa>
  %ah = tt.fp_to_fp %a : tensor<64x64xf8E5M2, #sa> -> tensor<64x64xf16, #sa>
  %bh = tt.fp_to_fp %b : tensor<64x64xf8E5M2, #sb> -> tensor<64x64xf16, #sb>
  %o = tt.dot %ah, %bh, %nothing : tensor<64x64xf16, #sa> * tensor<64x64xf16, #sb> -> tensor<64x64xf32, #square>
  tt.store %op, %o : tensor<64x64x!tt.ptr<f32>, #square>
  tt.return
}

// COM: Both operands are such transposes.
// CHECK-LABEL: @both_transposed
// CHECK-NOT:   ttg.convert_layout %{{.*}} : tensor<64x64xf8E5M2
// CHECK:       tt.dot
// REMARK:      row-major B (not K-major, 8 bits, tile 64x64) is staged through shared memory into registers
// REMARK-NEXT: column-major A (not K-major, 8 bits, tile 64x64) is staged through shared memory into registers
// REMARK-NOT:  kept
tt.func @both_transposed(%x: tensor<64x64x!tt.ptr<f8E5M2>, #rows>, %y: tensor<64x64x!tt.ptr<f8E5M2>, #columns16>, %op: tensor<64x64x!tt.ptr<f32>, #square>) {
  %nothing = arith.constant dense<0.0> : tensor<64x64xf32, #square>
  %xt = tt.load %x : tensor<64x64x!tt.ptr<f8E5M2>, #rows>
  %l = ttg.convert_layout %xt : tensor<64x64xf8E5M2, #rows> -> tensor<64x64xf8E5M2, #sat>
  %yt = tt.load %y : tensor<64x64x!tt.ptr<f8E5M2>, #columns16>
  %m = ttg.convert_layout %yt : tensor<64x64xf8E5M2, #columns16> -> tensor<64x64xf8E5M2, #sbt>
  %a = tt.trans %l {order = array<i32: 1, 0>} : tensor<64x64xf8E5M2, #sat> -> tensor<64x64xf8E5M2, #sa>
  %b = tt.trans %m {order = array<i32: 1, 0>} : tensor<64x64xf8E5M2, #sbt> -> tensor<64x64xf8E5M2, #sb>
  %ah = tt.fp_to_fp %a : tensor<64x64xf8E5M2, #sa> -> tensor<64x64xf16, #sa>
  %bh = tt.fp_to_fp %b : tensor<64x64xf8E5M2, #sb> -> tensor<64x64xf16, #sb>
  %o = tt.dot %ah, %bh, %nothing : tensor<64x64xf16, #sa> * tensor<64x64xf16, #sb> -> tensor<64x64xf32, #square>
  tt.store %op, %o : tensor<64x64x!tt.ptr<f32>, #square>
  tt.return
}

// COM: The tile of A is also stored elsewhere: B is staged alone.
// CHECK-LABEL: @only_b
// CHECK:       tt.trans {{.*}} -> tensor<64x64xf8E5M2, #ttg.dot_op<{opIdx = 0
// CHECK-NOT:   tt.trans
// CHECK:       tt.dot
// REMARK:      row-major B (not K-major, 8 bits, tile 64x64) is staged through shared memory into registers
tt.func @only_b(%x: tensor<64x64x!tt.ptr<f8E5M2>, #rows>, %y: tensor<64x64x!tt.ptr<f8E5M2>, #columns16>, %copy: tensor<64x64x!tt.ptr<f8E5M2>, #rows>, %op: tensor<64x64x!tt.ptr<f32>, #square>) {
  %nothing = arith.constant dense<0.0> : tensor<64x64xf32, #square>
  %xt = tt.load %x : tensor<64x64x!tt.ptr<f8E5M2>, #rows>
  tt.store %copy, %xt : tensor<64x64x!tt.ptr<f8E5M2>, #rows>
  %l = ttg.convert_layout %xt : tensor<64x64xf8E5M2, #rows> -> tensor<64x64xf8E5M2, #sat>
  %yt = tt.load %y : tensor<64x64x!tt.ptr<f8E5M2>, #columns16>
  %m = ttg.convert_layout %yt : tensor<64x64xf8E5M2, #columns16> -> tensor<64x64xf8E5M2, #sbt>
  %a = tt.trans %l {order = array<i32: 1, 0>} : tensor<64x64xf8E5M2, #sat> -> tensor<64x64xf8E5M2, #sa>
  %b = tt.trans %m {order = array<i32: 1, 0>} : tensor<64x64xf8E5M2, #sbt> -> tensor<64x64xf8E5M2, #sb>
  %ah = tt.fp_to_fp %a : tensor<64x64xf8E5M2, #sa> -> tensor<64x64xf16, #sa>
  %bh = tt.fp_to_fp %b : tensor<64x64xf8E5M2, #sb> -> tensor<64x64xf16, #sb>
  %o = tt.dot %ah, %bh, %nothing : tensor<64x64xf16, #sa> * tensor<64x64xf16, #sb> -> tensor<64x64xf32, #square>
  tt.store %op, %o : tensor<64x64x!tt.ptr<f32>, #square>
  tt.return
}

// COM: The tile of B is also stored elsewhere: A is staged alone.
// CHECK-LABEL: @only_a
// CHECK:       tt.trans {{.*}} -> tensor<64x64xf8E5M2, #ttg.dot_op<{opIdx = 1
// CHECK-NOT:   tt.trans
// CHECK:       tt.dot
// REMARK:      column-major A (not K-major, 8 bits, tile 64x64) is staged through shared memory into registers
// REMARK-NEXT: kept tt.load: {{.*}}: A (not K-major, 8 bits, tile 64x64) [OTHER_USES]
// REMARK-NEXT: kept tt.load: {{.*}}: B (not K-major, 8 bits, tile 64x64) [OTHER_USES]
tt.func @only_a(%x: tensor<64x64x!tt.ptr<f8E5M2>, #rows>, %y: tensor<64x64x!tt.ptr<f8E5M2>, #columns16>, %copy: tensor<64x64x!tt.ptr<f8E5M2>, #columns16>, %op: tensor<64x64x!tt.ptr<f32>, #square>) {
  %nothing = arith.constant dense<0.0> : tensor<64x64xf32, #square>
  %xt = tt.load %x : tensor<64x64x!tt.ptr<f8E5M2>, #rows>
  %l = ttg.convert_layout %xt : tensor<64x64xf8E5M2, #rows> -> tensor<64x64xf8E5M2, #sat>
  %yt = tt.load %y : tensor<64x64x!tt.ptr<f8E5M2>, #columns16>
  tt.store %copy, %yt : tensor<64x64x!tt.ptr<f8E5M2>, #columns16>
  %m = ttg.convert_layout %yt : tensor<64x64xf8E5M2, #columns16> -> tensor<64x64xf8E5M2, #sbt>
  %a = tt.trans %l {order = array<i32: 1, 0>} : tensor<64x64xf8E5M2, #sat> -> tensor<64x64xf8E5M2, #sa>
  %b = tt.trans %m {order = array<i32: 1, 0>} : tensor<64x64xf8E5M2, #sbt> -> tensor<64x64xf8E5M2, #sb>
  %ah = tt.fp_to_fp %a : tensor<64x64xf8E5M2, #sa> -> tensor<64x64xf16, #sa>
  %bh = tt.fp_to_fp %b : tensor<64x64xf8E5M2, #sb> -> tensor<64x64xf16, #sb>
  %o = tt.dot %ah, %bh, %nothing : tensor<64x64xf16, #sa> * tensor<64x64xf16, #sb> -> tensor<64x64xf32, #square>
  tt.store %op, %o : tensor<64x64x!tt.ptr<f32>, #square>
  tt.return
}

}
