// RUN: dotload-opt %s --intel-allocate-shared-memory -split-input-file -verify-diagnostics | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [16], warpsPerCTA = [2], order = [0]}>
#wide = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [16], warpsPerCTA = [2], order = [0]}>
// CHECK: module attributes {"ttg.num-warps" = 2 : i32, ttg.shared = 0 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io}
module attributes {"ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @nothing_moves(%x: tensor<64xf32, #blocked>) -> tensor<64xf32, #blocked> {
    %y = arith.addf %x, %x : tensor<64xf32, #blocked>
    tt.return %y : tensor<64xf32, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [16], warpsPerCTA = [2], order = [0]}>
#wide = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [16], warpsPerCTA = [2], order = [0]}>
module attributes {"ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @between_lanes(%x: tensor<64xf32, #blocked>) -> tensor<64xf32, #wide> {
    // expected-error @+1 {{'ttg.convert_layout' needs shared memory, which is not allocated here}}
    %y = ttg.convert_layout %x : tensor<64xf32, #blocked> -> tensor<64xf32, #wide>
    tt.return %y : tensor<64xf32, #wide>
  }
}
