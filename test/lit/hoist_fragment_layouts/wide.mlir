// RUN: dotload-opt %s --hoist-fragment-layouts | FileCheck %s

#bytes = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#joined = #ttg.blocked<{sizePerThread = [16, 1, 2], threadsPerWarp = [4, 8, 1], warpsPerCTA = [1, 4, 1], order = [2, 0, 1]}>
#turned = #ttg.blocked<{sizePerThread = [16, 2, 1], threadsPerWarp = [4, 1, 8], warpsPerCTA = [1, 1, 4], order = [1, 0, 2]}>
#flat = #ttg.blocked<{sizePerThread = [32, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a4 = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b4 = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
!c = tensor<16x64xf32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Two numbers share a byte: with four consecutive k, a thread has two bytes of the packed tile, with eight a word.
// COM: Both operands get them.
// CHECK-DAG:   #[[PACKED:.*]] = #ttg.linear<{register = {{\[\[}}1, 0], [2, 0], [16, 0],
// CHECK-LABEL: @words
// CHECK:       ttg.convert_layout %{{.*}} : tensor<32x64xi8, #{{.*}}> -> tensor<32x64xi8, #[[PACKED]]>
// CHECK:       %[[A:.*]] = ttg.convert_layout %arg0 : {{.*}} -> tensor<16x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 8}>>
// CHECK:       tt.dot %[[A]], %{{.*}} tensor<64x64xbf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 8}>>
tt.func @words(%as: tensor<16x64xbf16, #rows>, %bp: tensor<32x64x!tt.ptr<i8>, #bytes>, %sp: !tt.ptr<bf16>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %two = arith.constant dense<2> : tensor<64x1xi32, #flat>
  %four = arith.constant dense<4> : tensor<64x1xi32, #flat>
  %mask = arith.constant dense<15> : tensor<64x64xi32, #flat>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #flat}>>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #flat}>> -> tensor<64x1xi32, #flat>
  %odd = arith.remsi %k1, %two : tensor<64x1xi32, #flat>
  %shift = arith.muli %odd, %four : tensor<64x1xi32, #flat>
  %shifts = tt.broadcast %shift : tensor<64x1xi32, #flat> -> tensor<64x64xi32, #flat>
  %col = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #flat}>>
  %col1 = tt.expand_dims %col {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #flat}>> -> tensor<1x64xi32, #flat>
  %sps = tt.splat %sp : !tt.ptr<bf16> -> tensor<1x64x!tt.ptr<bf16>, #flat>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %a = ttg.convert_layout %as : tensor<16x64xbf16, #rows> -> tensor<16x64xbf16, #a4>
    %b = tt.load %bp : tensor<32x64x!tt.ptr<i8>, #bytes>
    %j = tt.join %b, %b : tensor<32x64xi8, #bytes> -> tensor<32x64x2xi8, #joined>
    %t = tt.trans %j {order = array<i32: 0, 2, 1>} : tensor<32x64x2xi8, #joined> -> tensor<32x2x64xi8, #turned>
    %f = tt.reshape %t : tensor<32x2x64xi8, #turned> -> tensor<64x64xi8, #flat>
    %e = arith.extui %f : tensor<64x64xi8, #flat> to tensor<64x64xi32, #flat>
    %h = arith.shrui %e, %shifts : tensor<64x64xi32, #flat>
    %v = arith.andi %h, %mask : tensor<64x64xi32, #flat>
    %w = arith.sitofp %v : tensor<64x64xi32, #flat> to tensor<64x64xbf16, #flat>
    %at0 = tt.splat %i : i32 -> tensor<1x64xi32, #flat>
    %at = arith.addi %at0, %col1 : tensor<1x64xi32, #flat>
    %ps = tt.addptr %sps, %at : tensor<1x64x!tt.ptr<bf16>, #flat>, tensor<1x64xi32, #flat>
    %s = tt.load %ps : tensor<1x64x!tt.ptr<bf16>, #flat>
    %ss = tt.broadcast %s : tensor<1x64xbf16, #flat> -> tensor<64x64xbf16, #flat>
    %m = arith.mulf %w, %ss : tensor<64x64xbf16, #flat>
    %o = ttg.convert_layout %m : tensor<64x64xbf16, #flat> -> tensor<64x64xbf16, #b4>
    %d = tt.dot %a, %o, %acc : tensor<16x64xbf16, #a4> * tensor<64x64xbf16, #b4> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: What another op computes in the layout of fragments would be moved between threads.
// CHECK-LABEL: @the_other_operand_stays
// CHECK-NOT:   kWidth = 8
// CHECK:       tt.return
tt.func @the_other_operand_stays(%a: tensor<16x64xbf16, #a4>, %bp: tensor<32x64x!tt.ptr<i8>, #bytes>, %sp: !tt.ptr<bf16>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %two = arith.constant dense<2> : tensor<64x1xi32, #flat>
  %four = arith.constant dense<4> : tensor<64x1xi32, #flat>
  %mask = arith.constant dense<15> : tensor<64x64xi32, #flat>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #flat}>>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #flat}>> -> tensor<64x1xi32, #flat>
  %odd = arith.remsi %k1, %two : tensor<64x1xi32, #flat>
  %shift = arith.muli %odd, %four : tensor<64x1xi32, #flat>
  %shifts = tt.broadcast %shift : tensor<64x1xi32, #flat> -> tensor<64x64xi32, #flat>
  %col = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #flat}>>
  %col1 = tt.expand_dims %col {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #flat}>> -> tensor<1x64xi32, #flat>
  %sps = tt.splat %sp : !tt.ptr<bf16> -> tensor<1x64x!tt.ptr<bf16>, #flat>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<32x64x!tt.ptr<i8>, #bytes>
    %j = tt.join %b, %b : tensor<32x64xi8, #bytes> -> tensor<32x64x2xi8, #joined>
    %t = tt.trans %j {order = array<i32: 0, 2, 1>} : tensor<32x64x2xi8, #joined> -> tensor<32x2x64xi8, #turned>
    %f = tt.reshape %t : tensor<32x2x64xi8, #turned> -> tensor<64x64xi8, #flat>
    %e = arith.extui %f : tensor<64x64xi8, #flat> to tensor<64x64xi32, #flat>
    %h = arith.shrui %e, %shifts : tensor<64x64xi32, #flat>
    %v = arith.andi %h, %mask : tensor<64x64xi32, #flat>
    %w = arith.sitofp %v : tensor<64x64xi32, #flat> to tensor<64x64xbf16, #flat>
    %at0 = tt.splat %i : i32 -> tensor<1x64xi32, #flat>
    %at = arith.addi %at0, %col1 : tensor<1x64xi32, #flat>
    %ps = tt.addptr %sps, %at : tensor<1x64x!tt.ptr<bf16>, #flat>, tensor<1x64xi32, #flat>
    %s = tt.load %ps : tensor<1x64x!tt.ptr<bf16>, #flat>
    %ss = tt.broadcast %s : tensor<1x64xbf16, #flat> -> tensor<64x64xbf16, #flat>
    %m = arith.mulf %w, %ss : tensor<64x64xbf16, #flat>
    %o = ttg.convert_layout %m : tensor<64x64xbf16, #flat> -> tensor<64x64xbf16, #b4>
    %d = tt.dot %a, %o, %acc : tensor<16x64xbf16, #a4> * tensor<64x64xbf16, #b4> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}
}
