// RUN: dotload-opt %s --unpack-operands-in-registers --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: A byte packs two values, and 32 values along K have one scale, as in MXFP4. Remarks name the packed tile: advice
// COM: on the scales would change nothing.

#down = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [2, 16], warpsPerCTA = [1, 8], order = [0, 1]}>
#scales = #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 8], order = [0, 1]}>
#joined = #ttg.blocked<{sizePerThread = [16, 1, 2], threadsPerWarp = [2, 16, 1], warpsPerCTA = [1, 8, 1], order = [2, 0, 1]}>
#turned = #ttg.blocked<{sizePerThread = [16, 2, 1], threadsPerWarp = [2, 1, 16], warpsPerCTA = [1, 1, 8], order = [1, 0, 2]}>
#groups = #ttg.blocked<{sizePerThread = [1, 32, 1], threadsPerWarp = [2, 1, 16], warpsPerCTA = [1, 1, 8], order = [1, 0, 2]}>
#flat = #ttg.blocked<{sizePerThread = [32, 1], threadsPerWarp = [2, 16], warpsPerCTA = [1, 8], order = [0, 1]}>
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 2], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#sharedt = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!a = !ttg.memdesc<64x64xf16, #shared, #smem>
!b = !ttg.memdesc<64x128xf16, #sharedt, #smem>
!p = tensor<32x128xi8, #down>
!h = tensor<32x128xf16, #down>
!c = tensor<64x128xf32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: @scaled
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<128x64xf32,
// REMARK:      operand 64x128 is unpacked in registers
// REMARK-NOT:  tile 2x128
// REMARK:      by single bytes; {{.*}}: B (K-major, 8 bits, tile 32x128) [ACCESSED_BY_BYTES]
// REMARK-NOT:  tile 2x128
tt.func @scaled(%ap: tensor<64x64x!tt.ptr<f16>, #rows>, %bp: tensor<32x128x!tt.ptr<i8>, #down>, %sp: tensor<2x128x!tt.ptr<i8>, #scales>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : !p
  %four = arith.constant dense<4> : !p
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %al = tt.load %ap : tensor<64x64x!tt.ptr<f16>, #rows>
    %a = ttg.local_alloc %al : (tensor<64x64xf16, #rows>) -> !a
    %s = tt.load %sp : tensor<2x128x!tt.ptr<i8>, #scales>
    %sf = arith.uitofp %s : tensor<2x128xi8, #scales> to tensor<2x128xf16, #scales>
    %sl = ttg.convert_layout %sf : tensor<2x128xf16, #scales> -> tensor<2x128xf16, #ttg.slice<{dim = 1, parent = #groups}>>
    %s1 = tt.expand_dims %sl {axis = 1 : i32} : tensor<2x128xf16, #ttg.slice<{dim = 1, parent = #groups}>> -> tensor<2x1x128xf16, #groups>
    %sb = tt.broadcast %s1 : tensor<2x1x128xf16, #groups> -> tensor<2x32x128xf16, #groups>
    %b = tt.load %bp : tensor<32x128x!tt.ptr<i8>, #down>
    %l = arith.andi %b, %mask : !p
    %u = arith.shrui %b, %four : !p
    %lf = arith.uitofp %l : !p to !h
    %uf = arith.uitofp %u : !p to !h
    %j = tt.join %lf, %uf : !h -> tensor<32x128x2xf16, #joined>
    %t = tt.trans %j {order = array<i32: 0, 2, 1>} : tensor<32x128x2xf16, #joined> -> tensor<32x2x128xf16, #turned>
    %g = tt.reshape %t : tensor<32x2x128xf16, #turned> -> tensor<2x32x128xf16, #groups>
    %w = arith.mulf %sb, %g : tensor<2x32x128xf16, #groups>
    %f = tt.reshape %w : tensor<2x32x128xf16, #groups> -> tensor<64x128xf16, #flat>
    %m = ttg.local_alloc %f : (tensor<64x128xf16, #flat>) -> !b
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !b -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// CHECK-LABEL: @other_use
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<64x128xf32,
// REMARK:      kept tt.load: the tile has other uses than this dot; {{.*}}: B (K-major, 8 bits, tile 32x128) [OTHER_USES]
tt.func @other_use(%ap: tensor<64x64x!tt.ptr<f16>, #rows>, %bp: tensor<32x128x!tt.ptr<i8>, #down>, %sp: tensor<2x128x!tt.ptr<i8>, #scales>, %sum: !p, %n: i32) -> (!c, !p) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : !p
  %four = arith.constant dense<4> : !p
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %e = %sum) -> (!c, !p) : i32 {
    %al = tt.load %ap : tensor<64x64x!tt.ptr<f16>, #rows>
    %a = ttg.local_alloc %al : (tensor<64x64xf16, #rows>) -> !a
    %s = tt.load %sp : tensor<2x128x!tt.ptr<i8>, #scales>
    %sf = arith.uitofp %s : tensor<2x128xi8, #scales> to tensor<2x128xf16, #scales>
    %sl = ttg.convert_layout %sf : tensor<2x128xf16, #scales> -> tensor<2x128xf16, #ttg.slice<{dim = 1, parent = #groups}>>
    %s1 = tt.expand_dims %sl {axis = 1 : i32} : tensor<2x128xf16, #ttg.slice<{dim = 1, parent = #groups}>> -> tensor<2x1x128xf16, #groups>
    %sb = tt.broadcast %s1 : tensor<2x1x128xf16, #groups> -> tensor<2x32x128xf16, #groups>
    %b = tt.load %bp : tensor<32x128x!tt.ptr<i8>, #down>
    %l = arith.andi %b, %mask : !p
    %u = arith.shrui %b, %four : !p
    %lf = arith.uitofp %l : !p to !h
    %uf = arith.uitofp %u : !p to !h
    %j = tt.join %lf, %uf : !h -> tensor<32x128x2xf16, #joined>
    %t = tt.trans %j {order = array<i32: 0, 2, 1>} : tensor<32x128x2xf16, #joined> -> tensor<32x2x128xf16, #turned>
    %g = tt.reshape %t : tensor<32x2x128xf16, #turned> -> tensor<2x32x128xf16, #groups>
    %w = arith.mulf %sb, %g : tensor<2x32x128xf16, #groups>
    %f = tt.reshape %w : tensor<2x32x128xf16, #groups> -> tensor<64x128xf16, #flat>
    %m = ttg.local_alloc %f : (tensor<64x128xf16, #flat>) -> !b
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !b -> !c
    %more = arith.addi %e, %b : !p
    scf.yield %d, %more : !c, !p
  }
  tt.return %r#0, %r#1 : !c, !p
}
}
