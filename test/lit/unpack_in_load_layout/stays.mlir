// RUN: dotload-opt %s --unpack-in-load-layout --remarks 2>&1 | FileCheck %s --implicit-check-not=remark: --implicit-check-not=#ttg.linear

#loaded = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#down = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#repeated = #ttg.blocked<{sizePerThread = [8, 2, 1], threadsPerWarp = [1, 1, 32], warpsPerCTA = [4, 1, 1], order = [1, 0, 2]}>
#unpacked = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [0, 1]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
!a2 = tensor<32x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 2}>>
!b2 = tensor<64x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma2, kWidth = 2}>>
!c2 = tensor<32x32xf32, #mma2>
!p = tensor<32x32x!tt.ptr<i8>, #loaded>
!pd = tensor<32x32x!tt.ptr<i8>, #down>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Bytes whose contiguous dim is K: Triton already unpacks them as they are loaded.
// CHECK-LABEL: @packed_along_k
tt.func @packed_along_k(%a: !a2, %p: !pd, %n: i32) -> !c2 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c2
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c2) : i32 {
    %w = tt.load %p : !pd
    %l = ttg.convert_layout %w : tensor<32x32xi8, #down> -> tensor<32x32xi8, #ttg.slice<{dim = 1, parent = #repeated}>>
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

// COM: Bytes for a dot of bytes, which takes its operands K-major.
// CHECK-LABEL: @bytes
tt.func @bytes(%a: tensor<32x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 4}>>, %p: !p, %n: i32) -> tensor<32x32xi32, #mma2> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %mask = arith.constant dense<15> : tensor<64x32xi8, #unpacked>
  %zero = arith.constant dense<0> : tensor<32x32xi32, #mma2>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xi32, #mma2>) : i32 {
    %w = tt.load %p : !p
    %l = ttg.convert_layout %w : tensor<32x32xi8, #loaded> -> tensor<32x32xi8, #ttg.slice<{dim = 1, parent = #repeated}>>
    %e = tt.expand_dims %l {axis = 1 : i32} : tensor<32x32xi8, #ttg.slice<{dim = 1, parent = #repeated}>> -> tensor<32x1x32xi8, #repeated>
    %t = tt.broadcast %e : tensor<32x1x32xi8, #repeated> -> tensor<32x2x32xi8, #repeated>
    %f = tt.reshape %t : tensor<32x2x32xi8, #repeated> -> tensor<64x32xi8, #unpacked>
    %m = arith.andi %f, %mask : tensor<64x32xi8, #unpacked>
    %b = ttg.convert_layout %m : tensor<64x32xi8, #unpacked> -> tensor<64x32xi8, #ttg.dot_op<{opIdx = 1, parent = #mma2, kWidth = 4}>>
    %d = tt.dot %a, %b, %acc : tensor<32x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 4}>> * tensor<64x32xi8, #ttg.dot_op<{opIdx = 1, parent = #mma2, kWidth = 4}>> -> tensor<32x32xi32, #mma2>
    scf.yield %d : tensor<32x32xi32, #mma2>
  }
  tt.return %r : tensor<32x32xi32, #mma2>
}

// COM: The unpacked tile has another use.
// CHECK-LABEL: @stored_too
tt.func @stored_too(%a: !a2, %p: !p, %o: tensor<64x32x!tt.ptr<f16>, #unpacked>, %n: i32) -> !c2 {
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
    tt.store %o, %h : tensor<64x32x!tt.ptr<f16>, #unpacked>
    %b = ttg.convert_layout %h : tensor<64x32xf16, #unpacked> -> !b2
    %d = tt.dot %a, %b, %acc : !a2 * !b2 -> !c2
    scf.yield %d : !c2
  }
  tt.return %r : !c2
}

// COM: Two packed tiles, such as weights and zero points, may be loaded in two layouts.
// CHECK-LABEL: @two_tiles
tt.func @two_tiles(%a: !a2, %p: !p, %q: !p, %n: i32) -> !c2 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c2
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c2) : i32 {
    %u = tt.load %p : !p
    %z = tt.load %q : !p
    %w = arith.subi %u, %z : tensor<32x32xi8, #loaded>
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

// COM: No loop.
// CHECK-LABEL: @once
tt.func @once(%a: !a2, %p: !p, %c: !c2) -> !c2 {
  %w = tt.load %p : !p
  %l = ttg.convert_layout %w : tensor<32x32xi8, #loaded> -> tensor<32x32xi8, #ttg.slice<{dim = 1, parent = #repeated}>>
  %e = tt.expand_dims %l {axis = 1 : i32} : tensor<32x32xi8, #ttg.slice<{dim = 1, parent = #repeated}>> -> tensor<32x1x32xi8, #repeated>
  %t = tt.broadcast %e : tensor<32x1x32xi8, #repeated> -> tensor<32x2x32xi8, #repeated>
  %f = tt.reshape %t : tensor<32x2x32xi8, #repeated> -> tensor<64x32xi8, #unpacked>
  %h = arith.uitofp %f : tensor<64x32xi8, #unpacked> to tensor<64x32xf16, #unpacked>
  %b = ttg.convert_layout %h : tensor<64x32xf16, #unpacked> -> !b2
  %d = tt.dot %a, %b, %c : !a2 * !b2 -> !c2
  tt.return %d : !c2
}
}
