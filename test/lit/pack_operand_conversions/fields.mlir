// RUN: dotload-opt %s --pack-operand-conversions | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#along_k = #ttg.linear<{register = [[0, 1, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0], [0, 0, 32]], lane = [[0, 2, 0], [0, 4, 0], [0, 0, 1], [0, 0, 2], [0, 0, 4]], warp = [[0, 0, 8], [0, 0, 16]], block = []}>
#along_n = #ttg.linear<{register = [[1, 0, 0], [8, 0, 0], [16, 0, 0], [32, 0, 0], [0, 4, 0]], lane = [[2, 0, 0], [4, 0, 0], [0, 0, 1], [0, 0, 2], [0, 0, 4]], warp = [[0, 1, 0], [0, 2, 0]], block = []}>
!a = tensor<16x64xf16, #a>
!n = tensor<64x64xi32, #b>
!f = tensor<64x64xf16, #b>
!c = tensor<16x64xf32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Neighbours are 16 bits apart, as in AWQ's order: one shift and one mask extract both.
// CHECK-LABEL: @sixteen_bits_apart
// CHECK:       tt.elementwise_inline_asm "{ .reg .b32 t, u, w; shr.b32 t, $1, $3; {{.*}}lop3.b32 w, t, 0xf000f, 0x64006400, 0xea; {{.*}}sub.f16x2 $0, w, c; }"
tt.func @sixteen_bits_apart(%a: !a, %w: tensor<8x64xi32, #ttg.slice<{dim = 1, parent = #along_k}>>, %c: !c) -> !c {
  %two = arith.constant dense<2> : tensor<64x1xi32, #b>
  %four = arith.constant dense<4> : tensor<64x1xi32, #b>
  %eight = arith.constant dense<8> : tensor<64x1xi32, #b>
  %mask = arith.constant dense<15> : !n
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<64x1xi32, #b>
  %at = arith.remsi %k1, %eight : tensor<64x1xi32, #b>
  %half = arith.divsi %at, %two : tensor<64x1xi32, #b>
  %odd = arith.remsi %at, %two : tensor<64x1xi32, #b>
  %odd4 = arith.muli %odd, %four : tensor<64x1xi32, #b>
  %place = arith.addi %half, %odd4 : tensor<64x1xi32, #b>
  %place4 = arith.muli %place, %four : tensor<64x1xi32, #b>
  %shift = tt.broadcast %place4 : tensor<64x1xi32, #b> -> !n
  %x = tt.expand_dims %w {axis = 1 : i32} : tensor<8x64xi32, #ttg.slice<{dim = 1, parent = #along_k}>> -> tensor<8x1x64xi32, #along_k>
  %y = tt.broadcast %x : tensor<8x1x64xi32, #along_k> -> tensor<8x8x64xi32, #along_k>
  %f = tt.reshape %y : tensor<8x8x64xi32, #along_k> -> !n
  %h = arith.shrsi %f, %shift : !n
  %v = arith.andi %h, %mask : !n
  %g = arith.sitofp %v : !n to !f
  %d = tt.dot %a, %g, %c : !a * !f -> !c
  tt.return %d : !c
}

// COM: Words pack columns: neighbours along k are the same field of two words. One permutation brings both bytes together.
// CHECK-LABEL: @of_two_words
// CHECK:       tt.elementwise_inline_asm "{{.*}}mul.lo.u32 s, s, 0x101; or.b32 s, s, 0x400; prmt.b32 t, $1, $2, s; and.b32 at, $3, 7; shr.b32 t, t, at; {{.*}}lop3.b32 w, t, 0xf000f, 0x64006400, 0xea;
tt.func @of_two_words(%a: !a, %w: tensor<64x8xi32, #ttg.slice<{dim = 2, parent = #along_n}>>, %c: !c) -> !c {
  %four = arith.constant dense<4> : tensor<1x64xi32, #b>
  %eight = arith.constant dense<8> : tensor<1x64xi32, #b>
  %mask = arith.constant dense<15> : !n
  %n = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %n1 = tt.expand_dims %n {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
  %at = arith.remsi %n1, %eight : tensor<1x64xi32, #b>
  %place = arith.muli %at, %four : tensor<1x64xi32, #b>
  %shift = tt.broadcast %place : tensor<1x64xi32, #b> -> !n
  %x = tt.expand_dims %w {axis = 2 : i32} : tensor<64x8xi32, #ttg.slice<{dim = 2, parent = #along_n}>> -> tensor<64x8x1xi32, #along_n>
  %y = tt.broadcast %x : tensor<64x8x1xi32, #along_n> -> tensor<64x8x8xi32, #along_n>
  %f = tt.reshape %y : tensor<64x8x8xi32, #along_n> -> !n
  %h = arith.shrsi %f, %shift : !n
  %v = arith.andi %h, %mask : !n
  %g = arith.sitofp %v : !n to !f
  %d = tt.dot %a, %g, %c : !a * !f -> !c
  tt.return %d : !c
}

// COM: Fields of 3 bits that begin at any bit may straddle two bytes: each word is shifted.
// CHECK-LABEL: @across_bytes
// CHECK:       arith.shrsi
// CHECK:       tt.elementwise_inline_asm "{{.*}}prmt.b32 w, $1, $2, 0x5410;
tt.func @across_bytes(%a: !a, %w: tensor<64x8xi32, #ttg.slice<{dim = 2, parent = #along_n}>>, %c: !c) -> !c {
  %three = arith.constant dense<3> : tensor<1x64xi32, #b>
  %eight = arith.constant dense<8> : tensor<1x64xi32, #b>
  %mask = arith.constant dense<7> : !n
  %n = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %n1 = tt.expand_dims %n {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
  %at = arith.remsi %n1, %eight : tensor<1x64xi32, #b>
  %place = arith.muli %at, %three : tensor<1x64xi32, #b>
  %shift = tt.broadcast %place : tensor<1x64xi32, #b> -> !n
  %x = tt.expand_dims %w {axis = 2 : i32} : tensor<64x8xi32, #ttg.slice<{dim = 2, parent = #along_n}>> -> tensor<64x8x1xi32, #along_n>
  %y = tt.broadcast %x : tensor<64x8x1xi32, #along_n> -> tensor<64x8x8xi32, #along_n>
  %f = tt.reshape %y : tensor<64x8x8xi32, #along_n> -> !n
  %h = arith.shrsi %f, %shift : !n
  %v = arith.andi %h, %mask : !n
  %g = arith.sitofp %v : !n to !f
  %d = tt.dot %a, %g, %c : !a * !f -> !c
  tt.return %d : !c
}
}
