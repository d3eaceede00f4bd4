// RUN: dotload-opt %s --deduplicate-1d-loads='num-stages=3' | FileCheck %s

// COM: The index of a tile that is spread over a cluster of two CTAs stays: it cannot take a layout of one CTA.

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], CGALayout = [[0, 0]], instrShape = [16, 8]}>
#rows = #ttg.slice<{dim = 1, parent = #blocked}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @cluster
// CHECK:         tt.load %{{.*}} : tensor<64x!tt.ptr<i32>, #ttg.slice<
tt.func @cluster(%a: tensor<16x64xf16, #a>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: !tt.ptr<i32>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #rows>
  %ips = tt.splat %ip : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #rows>
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %first = tt.splat %i : i32 -> tensor<64xi32, #rows>
    %tokens = arith.addi %first, %range : tensor<64xi32, #rows>
    %at = tt.addptr %ips, %tokens : tensor<64x!tt.ptr<i32>, #rows>, tensor<64xi32, #rows>
    %s = tt.load %at : tensor<64x!tt.ptr<i32>, #rows>
    %s1 = tt.expand_dims %s {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #blocked>
    %s2 = tt.broadcast %s1 : tensor<64x1xi32, #blocked> -> tensor<64x128xi32, #blocked>
    %bat = tt.addptr %bp, %s2 : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    %b = tt.load %bat : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
    %bf = arith.sitofp %bo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
    %d = tt.dot %a, %bf, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}
}
