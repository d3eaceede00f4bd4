// RUN: dotload-opt %s --load-scales-ahead='num-stages=4' | FileCheck %s

// COM: The tiles get a latency with the scale. Triton's pipeliner would overwrite A, which wgmma reads in place, if its
// COM: load had another use (`lacks_buffer`): then none gets one.

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!half = tensor<64x64xf16, #rows>
!memory = !ttg.memdesc<64x64xf16, #shared, #smem>
!c = tensor<64x64xf32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @read_in_place
// CHECK-COUNT-2: tt.latency = 3
// CHECK:         tt.latency = 1
tt.func @read_in_place(%ap: tensor<64x64x!tt.ptr<f16>, #rows>, %bp: tensor<64x64x!tt.ptr<i8>, #rows>, %sp: !tt.ptr<f16>, %n: i32) -> (!c, !half) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %none = arith.constant dense<0.0> : !half
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %all = %none) -> (!c, !half) : i32 {
    %a = tt.load %ap : tensor<64x64x!tt.ptr<f16>, #rows>
    %as = ttg.local_alloc %a : (!half) -> !memory
    %b = tt.load %bp : tensor<64x64x!tt.ptr<i8>, #rows>
    %h = arith.sitofp %b : tensor<64x64xi8, #rows> to !half
    %s = tt.load %sp : !tt.ptr<f16>
    %t = tt.splat %s : f16 -> !half
    %m = arith.mulf %h, %t : !half
    %bs = ttg.local_alloc %m : (!half) -> !memory
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !memory * !memory -> !c
    %o = arith.addf %all, %none : !half
    scf.yield %d, %o : !c, !half
  }
  tt.return %r#0, %r#1 : !c, !half
}

// CHECK-LABEL: @read_in_place_and_otherwise
// CHECK-NOT:   tt.latency
// CHECK:       tt.return
tt.func @read_in_place_and_otherwise(%ap: tensor<64x64x!tt.ptr<f16>, #rows>, %bp: tensor<64x64x!tt.ptr<i8>, #rows>, %sp: !tt.ptr<f16>, %n: i32) -> (!c, !half) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %none = arith.constant dense<0.0> : !half
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %all = %none) -> (!c, !half) : i32 {
    %a = tt.load %ap : tensor<64x64x!tt.ptr<f16>, #rows>
    %as = ttg.local_alloc %a : (!half) -> !memory
    %b = tt.load %bp : tensor<64x64x!tt.ptr<i8>, #rows>
    %h = arith.sitofp %b : tensor<64x64xi8, #rows> to !half
    %s = tt.load %sp : !tt.ptr<f16>
    %t = tt.splat %s : f16 -> !half
    %m = arith.mulf %h, %t : !half
    %bs = ttg.local_alloc %m : (!half) -> !memory
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !memory * !memory -> !c
    %o = arith.addf %all, %a : !half
    scf.yield %d, %o : !c, !half
  }
  tt.return %r#0, %r#1 : !c, !half
}
}
