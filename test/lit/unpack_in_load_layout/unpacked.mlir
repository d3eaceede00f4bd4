// RUN: dotload-opt %s --unpack-in-load-layout --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

#loaded = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#repeated = #ttg.blocked<{sizePerThread = [8, 2, 1], threadsPerWarp = [1, 1, 32], warpsPerCTA = [4, 1, 1], order = [1, 0, 2]}>
#unpacked = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [0, 1]}>
#down = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 32, 16]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!a = !ttg.memdesc<64x64xf16, #shared, #smem>
!b = !ttg.memdesc<64x32xf16, #shared1, #smem>
!c = tensor<64x32xf32, #mma>
!a2 = tensor<32x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 2}>>
!b2 = tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma2, kWidth = 2}>>
!c2 = tensor<32x32xf32, #mma2>
!p = tensor<32x32x!tt.ptr<i8>, #loaded>
!s = tensor<1x32x!tt.ptr<f16>, #unpacked>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: A thread has 8 columns of a row of bytes, and of both rows of numbers that these pack.
// CHECK:       #[[UNPACKED:.*]] = #ttg.linear<{register = {{\[\[}}0, 1], [0, 2], [0, 4], [1, 0]], lane = {{\[\[}}0, 8], [0, 16], [2, 0], [4, 0], [8, 0]], warp = {{\[\[}}16, 0], [32, 0]], block = []}>
// CHECK-LABEL: @stored
// CHECK:       %[[P:.*]] = tt.load {{.*}} : tensor<32x32x!tt.ptr<i8>, #blocked
// CHECK:       %[[R:.*]] = tt.reshape {{.*}} -> tensor<64x32xi8, #[[UNPACKED]]>
// CHECK:       arith.andi {{.*}} : tensor<64x32xi8, #[[UNPACKED]]>
// CHECK:       tt.load {{.*}} : tensor<1x32x!tt.ptr<f16>, #[[UNPACKED]]>
// CHECK:       %[[W:.*]] = arith.mulf {{.*}} : tensor<64x32xf16, #[[UNPACKED]]>
// CHECK:       ttg.local_alloc %[[W]] : (tensor<64x32xf16, #[[UNPACKED]]>) ->
// CHECK:       ttng.warp_group_dot
// REMARK:      unpacked.mlir:[[#@LINE+18]]:{{.*}} remark: unpack-in-load-layout: operand 64x32 is unpacked in the layout in which it is loaded
tt.func @stored(%a: !a, %p: !p, %scales: !tt.ptr<f16>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : tensor<64x32xi8, #unpacked>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %w = tt.load %p : !p
    %l = ttg.convert_layout %w : tensor<32x32xi8, #loaded> -> tensor<32x32xi8, #ttg.slice<{dim = 1, parent = #repeated}>>
    %e = tt.expand_dims %l {axis = 1 : i32} : tensor<32x32xi8, #ttg.slice<{dim = 1, parent = #repeated}>> -> tensor<32x1x32xi8, #repeated>
    %t = tt.broadcast %e : tensor<32x1x32xi8, #repeated> -> tensor<32x2x32xi8, #repeated>
    %f = tt.reshape %t : tensor<32x2x32xi8, #repeated> -> tensor<64x32xi8, #unpacked>
    %m = arith.andi %f, %mask : tensor<64x32xi8, #unpacked>
    %h = arith.uitofp %m : tensor<64x32xi8, #unpacked> to tensor<64x32xf16, #unpacked>
    %sp = tt.splat %scales : !tt.ptr<f16> -> !s
    %s = tt.load %sp : !s
    %sb = tt.broadcast %s : tensor<1x32xf16, #unpacked> -> tensor<64x32xf16, #unpacked>
    %v = arith.mulf %h, %sb : tensor<64x32xf16, #unpacked>
    %b = ttg.local_alloc %v : (tensor<64x32xf16, #unpacked>) -> !b
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32} : !a * !b -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: Fragments that several warps have are unpacked once, and exchanged.
// CHECK-LABEL: @converted
// CHECK:       %[[H:.*]] = arith.uitofp {{.*}} to tensor<64x32xf16, #[[UNPACKED]]>
// CHECK:       ttg.convert_layout %[[H]] : tensor<64x32xf16, #[[UNPACKED]]> -> tensor<64x32xf16, #ttg.dot_op<
// CHECK:       tt.dot
tt.func @converted(%a: !a2, %p: !p, %n: i32) -> !c2 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c2
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c2) : i32 {
    %w = tt.load %p : !p
    %l = ttg.convert_layout %w : tensor<32x32xi8, #loaded> -> tensor<32x32xi8, #ttg.slice<{dim = 1, parent = #repeated}>>
    %e = tt.expand_dims %l {axis = 1 : i32} : tensor<32x32xi8, #ttg.slice<{dim = 1, parent = #repeated}>> -> tensor<32x1x32xi8, #repeated>
    %t = tt.broadcast %e : tensor<32x1x32xi8, #repeated> -> tensor<32x2x32xi8, #repeated>
    %f = tt.reshape %t : tensor<32x2x32xi8, #repeated> -> tensor<64x32xi8, #unpacked>
    %h = arith.uitofp %f : tensor<64x32xi8, #unpacked> to tensor<64x32xf16, #unpacked>
    %b = ttg.convert_layout %h : tensor<64x32xf16, #unpacked> -> !b2
    %d = tt.dot %a, %b, %acc : !a2 * !b2 -> !c2
    scf.yield %d : !c2
  }
  tt.return %r : !c2
}
}
