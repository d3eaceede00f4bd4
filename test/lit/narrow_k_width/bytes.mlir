// RUN: dotload-opt %s --narrow-k-width --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: dotload-opt %s --narrow-k-width --hoist-fragment-layouts='num-stages=3' | FileCheck %s --check-prefix=HOISTED

// REMARK-COUNT-3: narrow-k-width: ldmatrix reads the operand beside narrower weights: kWidth is 2
// REMARK-NOT:     narrow-k-width

#bytes = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#joined = #ttg.blocked<{sizePerThread = [16, 1, 2], threadsPerWarp = [4, 8, 1], warpsPerCTA = [1, 4, 1], order = [2, 0, 1]}>
#turned = #ttg.blocked<{sizePerThread = [16, 2, 1], threadsPerWarp = [4, 1, 8], warpsPerCTA = [1, 1, 4], order = [1, 0, 2]}>
#flat = #ttg.blocked<{sizePerThread = [32, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#across = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#three = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 1, 32], warpsPerCTA = [1, 2, 2], order = [2, 1, 0]}>
#flatter = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
!x = tensor<16x64xf16, #rows>
!c = tensor<16x64xf32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Both operands get the layout in which ldmatrix delivers A; then B is unpacked in it, from the packed tile.
// CHECK-LABEL: @two_of_a_byte
// CHECK:       %[[X:.*]] = tt.load {{.*}} : tensor<16x64x!tt.ptr<f16>, #blocked
// CHECK:       %[[W:.*]] = arith.sitofp {{.*}} to tensor<64x64xf16, #blocked
// CHECK:       %[[A:.*]] = ttg.convert_layout %[[X]] : {{.*}} -> tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
// CHECK:       %[[B:.*]] = ttg.convert_layout %[[W]] : {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
// CHECK:       tt.dot %[[A]], %[[B]],
// HOISTED-LABEL: @two_of_a_byte
// HOISTED:       ttg.local_load {{.*}} -> tensor<32x64xi8, #linear
// HOISTED:       arith.sitofp {{.*}} to tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
// HOISTED-NOT:   ttg.convert_layout {{.*}} -> tensor<64x64xf16
// HOISTED:       tt.dot
tt.func @two_of_a_byte(%ap: tensor<16x64x!tt.ptr<f16>, #rows>, %bp: tensor<32x64x!tt.ptr<i8>, #bytes>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : tensor<64x64xi8, #flat>
  %four = arith.constant dense<4> : tensor<64x64xi8, #flat>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %x = tt.load %ap : tensor<16x64x!tt.ptr<f16>, #rows>
    %a = ttg.convert_layout %x : !x -> tensor<16x64xf16, #a>
    %t = tt.load %bp : tensor<32x64x!tt.ptr<i8>, #bytes>
    %j = tt.join %t, %t : tensor<32x64xi8, #bytes> -> tensor<32x64x2xi8, #joined>
    %u = tt.trans %j {order = array<i32: 0, 2, 1>} : tensor<32x64x2xi8, #joined> -> tensor<32x2x64xi8, #turned>
    %f = tt.reshape %u : tensor<32x2x64xi8, #turned> -> tensor<64x64xi8, #flat>
    %h = arith.shrui %f, %four : tensor<64x64xi8, #flat>
    %v = arith.andi %h, %mask : tensor<64x64xi8, #flat>
    %w = arith.sitofp %v : tensor<64x64xi8, #flat> to tensor<64x64xf16, #flat>
    %b = ttg.convert_layout %w : tensor<64x64xf16, #flat> -> tensor<64x64xf16, #b>
    %d = tt.dot %a, %b, %acc : tensor<16x64xf16, #a> * tensor<64x64xf16, #b> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: Triton has converted the numbers to fragments before they are scaled. That conversion is part of the operand that
// COM: is unpacked anew, and goes with it.
// CHECK-LABEL: @scaled
// HOISTED-LABEL: @scaled
// HOISTED:       ttg.local_load {{.*}} -> tensor<32x64xi8, #linear
// HOISTED-NOT:   ttg.convert_layout {{.*}} -> tensor<64x64xf16
// HOISTED:       tt.dot
tt.func @scaled(%ap: tensor<16x64x!tt.ptr<f16>, #rows>, %bp: tensor<32x64x!tt.ptr<i8>, #bytes>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : tensor<64x64xi8, #flat>
  %scale = arith.constant dense<0.5> : tensor<64x64xf16, #b>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %x = tt.load %ap : tensor<16x64x!tt.ptr<f16>, #rows>
    %a = ttg.convert_layout %x : !x -> tensor<16x64xf16, #a>
    %t = tt.load %bp : tensor<32x64x!tt.ptr<i8>, #bytes>
    %j = tt.join %t, %t : tensor<32x64xi8, #bytes> -> tensor<32x64x2xi8, #joined>
    %u = tt.trans %j {order = array<i32: 0, 2, 1>} : tensor<32x64x2xi8, #joined> -> tensor<32x2x64xi8, #turned>
    %f = tt.reshape %u : tensor<32x2x64xi8, #turned> -> tensor<64x64xi8, #flat>
    %v = arith.andi %f, %mask : tensor<64x64xi8, #flat>
    %w = arith.sitofp %v : tensor<64x64xi8, #flat> to tensor<64x64xf16, #flat>
    %b = ttg.convert_layout %w : tensor<64x64xf16, #flat> -> tensor<64x64xf16, #b>
    %s = arith.mulf %b, %scale : tensor<64x64xf16, #b>
    %d = tt.dot %a, %s, %acc : tensor<16x64xf16, #a> * tensor<64x64xf16, #b> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: Packed bytes with columns contiguous are left to hoist-fragment-layouts, which may copy them with a swizzle.
// CHECK-LABEL: @columns_contiguous
// CHECK:       ttg.convert_layout {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma{{[0-9]*}}, kWidth = 2}>>
tt.func @columns_contiguous(%ap: tensor<64x64x!tt.ptr<f16>, #rows>, %bp: tensor<32x64x!tt.ptr<i8>, #across>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %mask = arith.constant dense<15> : tensor<64x64xi8, #flatter>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %x = tt.load %ap : tensor<64x64x!tt.ptr<f16>, #rows>
    %a = ttg.convert_layout %x : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #a>
    %t = tt.load %bp : tensor<32x64x!tt.ptr<i8>, #across>
    %l = ttg.convert_layout %t : tensor<32x64xi8, #across> -> tensor<32x64xi8, #ttg.slice<{dim = 1, parent = #three}>>
    %e = tt.expand_dims %l {axis = 1 : i32} : tensor<32x64xi8, #ttg.slice<{dim = 1, parent = #three}>> -> tensor<32x1x64xi8, #three>
    %u = tt.broadcast %e : tensor<32x1x64xi8, #three> -> tensor<32x2x64xi8, #three>
    %f = tt.reshape %u : tensor<32x2x64xi8, #three> -> tensor<64x64xi8, #flatter>
    %v = arith.andi %f, %mask : tensor<64x64xi8, #flatter>
    %w = arith.sitofp %v : tensor<64x64xi8, #flatter> to tensor<64x64xf16, #flatter>
    %b = ttg.convert_layout %w : tensor<64x64xf16, #flatter> -> tensor<64x64xf16, #b>
    %d = tt.dot %a, %b, %acc : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// COM: A lane reads four bytes of one number each as a word.
// CHECK-LABEL: @one_of_a_byte
// CHECK-NOT:   kWidth = 2
// CHECK:       tt.return
tt.func @one_of_a_byte(%ap: tensor<16x64x!tt.ptr<f16>, #rows>, %bp: tensor<64x64x!tt.ptr<i8>, #bytes>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<127> : tensor<64x64xi8, #bytes>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %x = tt.load %ap : tensor<16x64x!tt.ptr<f16>, #rows>
    %a = ttg.convert_layout %x : !x -> tensor<16x64xf16, #a>
    %t = tt.load %bp : tensor<64x64x!tt.ptr<i8>, #bytes>
    %v = arith.andi %t, %mask : tensor<64x64xi8, #bytes>
    %w = arith.sitofp %v : tensor<64x64xi8, #bytes> to tensor<64x64xf16, #bytes>
    %b = ttg.convert_layout %w : tensor<64x64xf16, #bytes> -> tensor<64x64xf16, #b>
    %d = tt.dot %a, %b, %acc : tensor<16x64xf16, #a> * tensor<64x64xf16, #b> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: ldmatrix has nothing to read: A is in registers already.
// CHECK-LABEL: @a_in_registers
// CHECK-NOT:   kWidth = 2
// CHECK:       tt.return
tt.func @a_in_registers(%a: tensor<16x64xf16, #a>, %bp: tensor<32x64x!tt.ptr<i8>, #bytes>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : tensor<64x64xi8, #flat>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %t = tt.load %bp : tensor<32x64x!tt.ptr<i8>, #bytes>
    %j = tt.join %t, %t : tensor<32x64xi8, #bytes> -> tensor<32x64x2xi8, #joined>
    %u = tt.trans %j {order = array<i32: 0, 2, 1>} : tensor<32x64x2xi8, #joined> -> tensor<32x2x64xi8, #turned>
    %f = tt.reshape %u : tensor<32x2x64xi8, #turned> -> tensor<64x64xi8, #flat>
    %v = arith.andi %f, %mask : tensor<64x64xi8, #flat>
    %w = arith.sitofp %v : tensor<64x64xi8, #flat> to tensor<64x64xf16, #flat>
    %b = ttg.convert_layout %w : tensor<64x64xf16, #flat> -> tensor<64x64xf16, #b>
    %d = tt.dot %a, %b, %acc : tensor<16x64xf16, #a> * tensor<64x64xf16, #b> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: The other dot would read A a second time.
// CHECK-LABEL: @a_of_two_dots
// CHECK-NOT:   kWidth = 2
// CHECK:       tt.return
tt.func @a_of_two_dots(%ap: tensor<16x64x!tt.ptr<f16>, #rows>, %bp: tensor<32x64x!tt.ptr<i8>, #bytes>, %e: tensor<64x64xf16, #b>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : tensor<64x64xi8, #flat>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %x = tt.load %ap : tensor<16x64x!tt.ptr<f16>, #rows>
    %a = ttg.convert_layout %x : !x -> tensor<16x64xf16, #a>
    %t = tt.load %bp : tensor<32x64x!tt.ptr<i8>, #bytes>
    %j = tt.join %t, %t : tensor<32x64xi8, #bytes> -> tensor<32x64x2xi8, #joined>
    %u = tt.trans %j {order = array<i32: 0, 2, 1>} : tensor<32x64x2xi8, #joined> -> tensor<32x2x64xi8, #turned>
    %f = tt.reshape %u : tensor<32x2x64xi8, #turned> -> tensor<64x64xi8, #flat>
    %v = arith.andi %f, %mask : tensor<64x64xi8, #flat>
    %w = arith.sitofp %v : tensor<64x64xi8, #flat> to tensor<64x64xf16, #flat>
    %b = ttg.convert_layout %w : tensor<64x64xf16, #flat> -> tensor<64x64xf16, #b>
    %d = tt.dot %a, %b, %acc : tensor<16x64xf16, #a> * tensor<64x64xf16, #b> -> !c
    %s = tt.dot %a, %e, %d : tensor<16x64xf16, #a> * tensor<64x64xf16, #b> -> !c
    scf.yield %s : !c
  }
  tt.return %r : !c
}
}
