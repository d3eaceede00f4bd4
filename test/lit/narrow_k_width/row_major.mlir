// RUN: dotload-opt %s --narrow-k-width | FileCheck %s
// RUN: dotload-opt %s --narrow-k-width --stage-dot-operands | FileCheck %s --check-prefix=STAGED

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#across = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#along = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
!b = tensor<64x64xf16, #b>
!c = tensor<64x64xf32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {

// COM: Bytes are converted anew from the tile on, with their scale; ldmatrix then transposes them.
// CHECK-LABEL: @row_major
// CHECK:       %[[X:.*]] = tt.load {{.*}} : tensor<64x64x!tt.ptr<f16>, #blocked
// CHECK:       %[[T:.*]] = tt.load {{.*}} : tensor<64x64x!tt.ptr<i8>, #blocked
// CHECK-NEXT:  %[[R:.*]] = ttg.convert_layout %[[T]] : {{.*}} -> tensor<64x64xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
// CHECK-NEXT:  arith.sitofp %[[R]]
// CHECK-NEXT:  %[[B:.*]] = arith.mulf
// CHECK-NEXT:  %[[A:.*]] = ttg.convert_layout %[[X]] : {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
// CHECK-NEXT:  tt.dot %[[A]], %[[B]],
// CHECK-NOT:   kWidth = 4
// STAGED-LABEL: @row_major
// STAGED:       ttg.local_load {{.*}} {dotload.staged = "fragments"} : {{.*}} -> tensor<64x64xi8, #linear
// STAGED:       tt.dot {{.*}}kWidth = 2
tt.func @row_major(%ap: tensor<64x64x!tt.ptr<f16>, #rows>, %bp: tensor<64x64x!tt.ptr<i8>, #across> {tt.divisibility = dense<[1, 16]> : tensor<2xi32>, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %scale = arith.constant dense<0.5> : !b
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %x = tt.load %ap : tensor<64x64x!tt.ptr<f16>, #rows>
    %a = ttg.convert_layout %x : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #a>
    %t = tt.load %bp : tensor<64x64x!tt.ptr<i8>, #across>
    %y = ttg.convert_layout %t : tensor<64x64xi8, #across> -> tensor<64x64xi8, #b>
    %w = arith.sitofp %y : tensor<64x64xi8, #b> to !b
    %s = arith.mulf %w, %scale : !b
    %d = tt.dot %a, %s, %acc : tensor<64x64xf16, #a> * !b -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: Lanes read four bytes along K as one word.
// CHECK-LABEL: @k_major
// CHECK-NOT:   kWidth = 2
// CHECK:       tt.return
tt.func @k_major(%ap: tensor<64x64x!tt.ptr<f16>, #rows>, %bp: tensor<64x64x!tt.ptr<i8>, #along>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %x = tt.load %ap : tensor<64x64x!tt.ptr<f16>, #rows>
    %a = ttg.convert_layout %x : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #a>
    %t = tt.load %bp : tensor<64x64x!tt.ptr<i8>, #along>
    %y = ttg.convert_layout %t : tensor<64x64xi8, #along> -> tensor<64x64xi8, #b>
    %w = arith.sitofp %y : tensor<64x64xi8, #b> to !b
    %d = tt.dot %a, %w, %acc : tensor<64x64xf16, #a> * !b -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: A loop of few rows waits for memory.
// CHECK-LABEL: @few_rows
// CHECK-NOT:   kWidth = 2
// CHECK:       tt.return
tt.func @few_rows(%ap: tensor<16x64x!tt.ptr<f16>, #rows>, %bp: tensor<64x64x!tt.ptr<i8>, #across>, %n: i32) -> tensor<16x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x64xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32, #mma>) : i32 {
    %x = tt.load %ap : tensor<16x64x!tt.ptr<f16>, #rows>
    %a = ttg.convert_layout %x : tensor<16x64xf16, #rows> -> tensor<16x64xf16, #a>
    %t = tt.load %bp : tensor<64x64x!tt.ptr<i8>, #across>
    %y = ttg.convert_layout %t : tensor<64x64xi8, #across> -> tensor<64x64xi8, #b>
    %w = arith.sitofp %y : tensor<64x64xi8, #b> to !b
    %d = tt.dot %a, %w, %acc : tensor<16x64xf16, #a> * !b -> tensor<16x64xf32, #mma>
    scf.yield %d : tensor<16x64xf32, #mma>
  }
  tt.return %r : tensor<16x64xf32, #mma>
}

// COM: So they do if the tile of weights, [N, K], is transposed in the kernel.
// CHECK-LABEL: @transposed
// CHECK-NOT:   kWidth = 2
// CHECK:       tt.return
tt.func @transposed(%ap: tensor<64x64x!tt.ptr<f16>, #rows>, %bp: tensor<64x64x!tt.ptr<i8>, #across>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %x = tt.load %ap : tensor<64x64x!tt.ptr<f16>, #rows>
    %a = ttg.convert_layout %x : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #a>
    %t = tt.load %bp : tensor<64x64x!tt.ptr<i8>, #across>
    %u = tt.trans %t {order = array<i32: 1, 0>} : tensor<64x64xi8, #across> -> tensor<64x64xi8, #along>
    %w = arith.sitofp %u : tensor<64x64xi8, #along> to tensor<64x64xf16, #along>
    %y = ttg.convert_layout %w : tensor<64x64xf16, #along> -> !b
    %d = tt.dot %a, %y, %acc : tensor<64x64xf16, #a> * !b -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: Weights may be A, in the order of which M is contiguous.
// CHECK-LABEL: @weights_are_a
// CHECK:       tt.dot {{.*}} : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
tt.func @weights_are_a(%ap: tensor<64x64x!tt.ptr<i8>, #along>, %bp: tensor<64x64x!tt.ptr<f16>, #rows>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %t = tt.load %ap : tensor<64x64x!tt.ptr<i8>, #along>
    %y = ttg.convert_layout %t : tensor<64x64xi8, #along> -> tensor<64x64xi8, #a>
    %w = arith.sitofp %y : tensor<64x64xi8, #a> to tensor<64x64xf16, #a>
    %x = tt.load %bp : tensor<64x64x!tt.ptr<f16>, #rows>
    %b = ttg.convert_layout %x : tensor<64x64xf16, #rows> -> !b
    %d = tt.dot %w, %b, %acc : tensor<64x64xf16, #a> * !b -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: Without a loop, A is read once.
// CHECK-LABEL: @no_loop
// CHECK-NOT:   kWidth = 2
// CHECK:       tt.return
tt.func @no_loop(%ap: tensor<64x64x!tt.ptr<f16>, #rows>, %bp: tensor<64x64x!tt.ptr<i8>, #across>) -> !c {
  %zero = arith.constant dense<0.0> : !c
  %x = tt.load %ap : tensor<64x64x!tt.ptr<f16>, #rows>
  %a = ttg.convert_layout %x : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #a>
  %t = tt.load %bp : tensor<64x64x!tt.ptr<i8>, #across>
  %y = ttg.convert_layout %t : tensor<64x64xi8, #across> -> tensor<64x64xi8, #b>
  %w = arith.sitofp %y : tensor<64x64xi8, #b> to !b
  %d = tt.dot %a, %w, %zero : tensor<64x64xf16, #a> * !b -> !c
  tt.return %d : !c
}
}
