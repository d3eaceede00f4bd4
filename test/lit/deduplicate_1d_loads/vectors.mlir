// RUN: dotload-opt %s --deduplicate-1d-loads='num-stages=3' --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

#wide = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #wide}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:89", "ttg.threads-per-warp" = 32 : i32} {

// COM: A thread needs 64 scales side by side, which 8 loads of 16 bytes bring. An exchange would read them one by one.
// CHECK-LABEL: @in_vectors
// CHECK:         tt.load %{{.*}} : tensor<128x!tt.ptr<f16>, #ttg.slice<
tt.func @in_vectors(%a: tensor<16x64xf16, #a>, %bp: tensor<64x128x!tt.ptr<i8>, #wide>, %sp: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #row>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #wide>
    %bf = arith.sitofp %b : tensor<64x128xi8, #wide> to tensor<64x128xf16, #wide>
    %group = arith.muli %i, %c128 : i32
    %from = tt.addptr %sp, %group : !tt.ptr<f16>, i32
    %sps = tt.splat %from : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>, #row>
    %at = tt.addptr %sps, %range : tensor<128x!tt.ptr<f16>, #row>, tensor<128xi32, #row>
    %s = tt.load %at : tensor<128x!tt.ptr<f16>, #row>
    %s1 = tt.expand_dims %s {axis = 0 : i32} : tensor<128xf16, #row> -> tensor<1x128xf16, #wide>
    %sb = tt.broadcast %s1 : tensor<1x128xf16, #wide> -> tensor<64x128xf16, #wide>
    %bs = arith.mulf %bf, %sb : tensor<64x128xf16, #wide>
    %bo = ttg.convert_layout %bs : tensor<64x128xf16, #wide> -> tensor<64x128xf16, #b>
    %d = tt.dot %a, %bo, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: Not known to be aligned, they take 64 loads.
// CHECK-LABEL: @one_by_one
// CHECK:         tt.load %{{.*}} : tensor<128x!tt.ptr<f16>, #[[LINE:.*]]>
// CHECK:         ttg.convert_layout %{{.*}} : tensor<128xf16, #[[LINE]]> -> tensor<128xf16, #ttg.slice<
// REMARK-COUNT-1: remark: deduplicate-1d-loads: each thread loads 1 of its elements instead of 64
// REMARK-NOT:     remark
tt.func @one_by_one(%a: tensor<16x64xf16, #a>, %bp: tensor<64x128x!tt.ptr<i8>, #wide>, %sp: !tt.ptr<f16>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #row>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #wide>
    %bf = arith.sitofp %b : tensor<64x128xi8, #wide> to tensor<64x128xf16, #wide>
    %group = arith.muli %i, %c128 : i32
    %from = tt.addptr %sp, %group : !tt.ptr<f16>, i32
    %sps = tt.splat %from : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>, #row>
    %at = tt.addptr %sps, %range : tensor<128x!tt.ptr<f16>, #row>, tensor<128xi32, #row>
    %s = tt.load %at : tensor<128x!tt.ptr<f16>, #row>
    %s1 = tt.expand_dims %s {axis = 0 : i32} : tensor<128xf16, #row> -> tensor<1x128xf16, #wide>
    %sb = tt.broadcast %s1 : tensor<1x128xf16, #wide> -> tensor<64x128xf16, #wide>
    %bs = arith.mulf %bf, %sb : tensor<64x128xf16, #wide>
    %bo = ttg.convert_layout %bs : tensor<64x128xf16, #wide> -> tensor<64x128xf16, #b>
    %d = tt.dot %a, %bo, %acc : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}
}
