// RUN: dotload-opt %s --hoist-fragment-layouts | FileCheck %s
// RUN: dotload-opt %s --hoist-fragment-layouts --remarks 2>&1 >%t | FileCheck %s --check-prefix=REMARK

#bytes = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#joined = #ttg.blocked<{sizePerThread = [16, 1, 2], threadsPerWarp = [4, 8, 1], warpsPerCTA = [1, 4, 1], order = [2, 0, 1]}>
#turned = #ttg.blocked<{sizePerThread = [16, 2, 1], threadsPerWarp = [4, 1, 8], warpsPerCTA = [1, 1, 4], order = [1, 0, 2]}>
#flat = #ttg.blocked<{sizePerThread = [32, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#line = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
!a = tensor<16x64xbf16, #a>
!bp = tensor<64x128x!tt.ptr<i8>, #bytes>
!c = tensor<16x128xf32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Triton has converted the tile and its scales to the layout of fragments. The pass loads the row in that layout.
// CHECK-LABEL: @scales
// CHECK:       %[[S:.*]] = tt.load %{{.*}} : tensor<1x128x!tt.ptr<bf16>, #ttg.dot_op
// CHECK:       tt.broadcast %[[S]]
// CHECK-NOT:   ttg.convert_layout
// CHECK:       tt.return
tt.func @scales(%a: !a, %bp: !bp, %sp: !tt.ptr<bf16>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %p = tt.splat %sp : !tt.ptr<bf16> -> tensor<1x128x!tt.ptr<bf16>, #line>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %t = tt.load %bp : !bp
    %y = ttg.convert_layout %t : tensor<64x128xi8, #bytes> -> tensor<64x128xi8, #b>
    %l = tt.load %p : tensor<1x128x!tt.ptr<bf16>, #line>
    // REMARK: rows.mlir:[[@LINE+1]]:{{.*}} row 1x128 of an unpacked operand is loaded in the layout of fragments
    %s = ttg.convert_layout %l : tensor<1x128xbf16, #line> -> tensor<1x128xbf16, #b>
    %w = arith.sitofp %y : tensor<64x128xi8, #b> to tensor<64x128xbf16, #b>
    %q = tt.broadcast %s : tensor<1x128xbf16, #b> -> tensor<64x128xbf16, #b>
    %h = arith.mulf %w, %q : tensor<64x128xbf16, #b>
    %d = tt.dot %a, %h, %acc : !a * tensor<64x128xbf16, #b> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: Words that are unpacked in fragments count like bytes.
// CHECK-LABEL: @scales_of_words
// CHECK:       tt.load %{{.*}} : tensor<1x128x!tt.ptr<bf16>, #ttg.dot_op
tt.func @scales_of_words(%a: !a, %bp: tensor<64x128x!tt.ptr<i32>, #bytes>, %sp: !tt.ptr<bf16>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %p = tt.splat %sp : !tt.ptr<bf16> -> tensor<1x128x!tt.ptr<bf16>, #line>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %t = tt.load %bp : tensor<64x128x!tt.ptr<i32>, #bytes>
    %y = ttg.convert_layout %t : tensor<64x128xi32, #bytes> -> tensor<64x128xi32, #b>
    %l = tt.load %p : tensor<1x128x!tt.ptr<bf16>, #line>
    %s = ttg.convert_layout %l : tensor<1x128xbf16, #line> -> tensor<1x128xbf16, #b>
    %w = arith.sitofp %y : tensor<64x128xi32, #b> to tensor<64x128xbf16, #b>
    %q = tt.broadcast %s : tensor<1x128xbf16, #b> -> tensor<64x128xbf16, #b>
    %h = arith.mulf %w, %q : tensor<64x128xbf16, #b>
    %d = tt.dot %a, %h, %acc : !a * tensor<64x128xbf16, #b> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: The addresses are a function argument in another layout: the row stays.
// CHECK-LABEL: @addresses_in_another_layout
// CHECK:       %[[L:.*]] = tt.load %{{.*}} : tensor<1x128x!tt.ptr<bf16>, #blocked
// CHECK:       ttg.convert_layout %[[L]]
tt.func @addresses_in_another_layout(%a: !a, %bp: !bp, %p: tensor<1x128x!tt.ptr<bf16>, #line>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %t = tt.load %bp : !bp
    %y = ttg.convert_layout %t : tensor<64x128xi8, #bytes> -> tensor<64x128xi8, #b>
    %l = tt.load %p : tensor<1x128x!tt.ptr<bf16>, #line>
    %s = ttg.convert_layout %l : tensor<1x128xbf16, #line> -> tensor<1x128xbf16, #b>
    %w = arith.sitofp %y : tensor<64x128xi8, #b> to tensor<64x128xbf16, #b>
    %q = tt.broadcast %s : tensor<1x128xbf16, #b> -> tensor<64x128xbf16, #b>
    %h = arith.mulf %w, %q : tensor<64x128xbf16, #b>
    %d = tt.dot %a, %h, %acc : !a * tensor<64x128xbf16, #b> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: The tile that the scales multiply is loaded in 16 bits: the row stays.
// CHECK-LABEL: @of_16_bits
// CHECK:       %[[L:.*]] = tt.load %{{.*}} : tensor<1x128x!tt.ptr<bf16>, #blocked
// CHECK:       ttg.convert_layout %[[L]]
tt.func @of_16_bits(%a: !a, %bp: tensor<64x128x!tt.ptr<bf16>, #bytes>, %sp: !tt.ptr<bf16>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %p = tt.splat %sp : !tt.ptr<bf16> -> tensor<1x128x!tt.ptr<bf16>, #line>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %t = tt.load %bp : tensor<64x128x!tt.ptr<bf16>, #bytes>
    %w = ttg.convert_layout %t : tensor<64x128xbf16, #bytes> -> tensor<64x128xbf16, #b>
    %l = tt.load %p : tensor<1x128x!tt.ptr<bf16>, #line>
    %s = ttg.convert_layout %l : tensor<1x128xbf16, #line> -> tensor<1x128xbf16, #b>
    %q = tt.broadcast %s : tensor<1x128xbf16, #b> -> tensor<64x128xbf16, #b>
    %h = arith.mulf %w, %q : tensor<64x128xbf16, #b>
    %d = tt.dot %a, %h, %acc : !a * tensor<64x128xbf16, #b> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: The row has fewer elements than there are threads: it stays, in a layout that Triton does not propagate.
// CHECK-LABEL: @short
// CHECK:       %[[L:.*]] = tt.load %{{.*}} : tensor<1x64x!tt.ptr<bf16>, #blocked
// CHECK:       ttg.convert_layout %[[L]]
tt.func @short(%a: !a, %bp: tensor<64x64x!tt.ptr<i8>, #bytes>, %sp: !tt.ptr<bf16>, %n: i32) -> tensor<16x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x64xf32, #mma>
  %p = tt.splat %sp : !tt.ptr<bf16> -> tensor<1x64x!tt.ptr<bf16>, #line>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32, #mma>) : i32 {
    %t = tt.load %bp : tensor<64x64x!tt.ptr<i8>, #bytes>
    %y = ttg.convert_layout %t : tensor<64x64xi8, #bytes> -> tensor<64x64xi8, #b>
    %l = tt.load %p : tensor<1x64x!tt.ptr<bf16>, #line>
    %s = ttg.convert_layout %l : tensor<1x64xbf16, #line> -> tensor<1x64xbf16, #b>
    %w = arith.sitofp %y : tensor<64x64xi8, #b> to tensor<64x64xbf16, #b>
    %q = tt.broadcast %s : tensor<1x64xbf16, #b> -> tensor<64x64xbf16, #b>
    %h = arith.mulf %w, %q : tensor<64x64xbf16, #b>
    %d = tt.dot %a, %h, %acc : !a * tensor<64x64xbf16, #b> -> tensor<16x64xf32, #mma>
    scf.yield %d : tensor<16x64xf32, #mma>
  }
  tt.return %r : tensor<16x64xf32, #mma>
}

// COM: Two numbers share a byte. The pass brings the tile to the layout that the fragments have before the join.
// CHECK-LABEL: @scales_of_packed_bytes
// CHECK:       scf.for
// CHECK:       ttg.convert_layout {{.*}} -> tensor<32x128xi8, #linear
// CHECK:       %[[S:.*]] = tt.load %{{.*}} : tensor<1x128x!tt.ptr<bf16>, #ttg.dot_op
// CHECK:       tt.broadcast %[[S]]
// CHECK-NOT:   ttg.convert_layout
// CHECK:       tt.return
tt.func @scales_of_packed_bytes(%a: !a, %bp: tensor<32x128x!tt.ptr<i8>, #bytes>, %sp: !tt.ptr<bf16>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %p = tt.splat %sp : !tt.ptr<bf16> -> tensor<1x128x!tt.ptr<bf16>, #line>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %t = tt.load %bp : tensor<32x128x!tt.ptr<i8>, #bytes>
    %j = tt.join %t, %t : tensor<32x128xi8, #bytes> -> tensor<32x128x2xi8, #joined>
    %u = tt.trans %j {order = array<i32: 0, 2, 1>} : tensor<32x128x2xi8, #joined> -> tensor<32x2x128xi8, #turned>
    %f = tt.reshape %u : tensor<32x2x128xi8, #turned> -> tensor<64x128xi8, #flat>
    %w = arith.sitofp %f : tensor<64x128xi8, #flat> to tensor<64x128xbf16, #flat>
    %y = ttg.convert_layout %w : tensor<64x128xbf16, #flat> -> tensor<64x128xbf16, #b>
    %l = tt.load %p : tensor<1x128x!tt.ptr<bf16>, #line>
    %s = ttg.convert_layout %l : tensor<1x128xbf16, #line> -> tensor<1x128xbf16, #b>
    %q = tt.broadcast %s : tensor<1x128xbf16, #b> -> tensor<64x128xbf16, #b>
    %h = arith.mulf %y, %q : tensor<64x128xbf16, #b>
    %d = tt.dot %a, %h, %acc : !a * tensor<64x128xbf16, #b> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}
}
