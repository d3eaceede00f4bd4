// RUN: dotload-opt %s --hoist-fragment-layouts --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: dotload-opt %s --hoist-fragment-layouts='num-stages=1' --remarks 2>&1 >%t.mlir | FileCheck %s --check-prefix=ALONE

// COM: With one stage there are no copies, and Triton brings packed tiles into the layout of fragments by wider accesses.
// ALONE-NOT: ACCESSED_BY_BYTES

#bytes = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#joined = #ttg.blocked<{sizePerThread = [16, 1, 2], threadsPerWarp = [4, 8, 1], warpsPerCTA = [1, 4, 1], order = [2, 0, 1]}>
#turned = #ttg.blocked<{sizePerThread = [16, 2, 1], threadsPerWarp = [4, 1, 8], warpsPerCTA = [1, 1, 4], order = [1, 0, 2]}>
#flat = #ttg.blocked<{sizePerThread = [32, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#across = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#words = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#quarters = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [0, 1]}>
#columns = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
#last = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 4, 8], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#shared1 = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>
#smem = #ttg.shared_memory
#three = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 1, 32], warpsPerCTA = [1, 2, 2], order = [2, 1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#b2 = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#b4 = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#b8 = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 8}>
!c = tensor<16x64xf32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: A byte packs two values: the packed tile is loaded in the layout from which tt.join makes that of the fragments.
// COM: The row of scales is loaded in the layout of fragments, where shifts are computed.
// CHECK-DAG:   #[[PACKED:.*]] = #ttg.linear<{register = {{\[\[}}1, 0], [2, 0], [16, 0], [0, 32]], lane = {{\[\[}}4, 0], [8, 0], [0, 1], [0, 2], [0, 4]],
// CHECK-LABEL: @two_of_a_byte
// CHECK:       scf.for
// CHECK:       %[[B:.*]] = tt.load {{.*}} : tensor<32x64x!tt.ptr<i8>, #blocked
// CHECK-NEXT:  %[[P:.*]] = ttg.convert_layout %[[B]] : {{.*}} -> tensor<32x64xi8, #[[PACKED]]>
// CHECK-NEXT:  %[[J:.*]] = tt.join %[[P]], %[[P]]
// CHECK:       %[[T:.*]] = tt.trans %[[J]]
// CHECK:       %[[R:.*]] = tt.reshape %[[T]] : {{.*}} -> tensor<64x64xi8, #ttg.dot_op
// CHECK:       %[[E:.*]] = arith.extui %[[R]]
// CHECK:       arith.shrui %[[E]], %{{.*}} : tensor<64x64xi32, #ttg.dot_op
// CHECK:       tt.load {{.*}} : tensor<1x64x!tt.ptr<bf16>, #ttg.dot_op
// CHECK-NOT:   tt.load
// CHECK:       %[[M:.*]] = arith.mulf {{.*}} : tensor<64x64xbf16, #ttg.dot_op
// CHECK:       tt.dot %{{.*}}, %[[M]],
// REMARK:      hoist-fragment-layouts: operand 64x64 is unpacked in the layout of fragments
tt.func @two_of_a_byte(%a: tensor<16x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 8}>>, %bp: tensor<32x64x!tt.ptr<i8>, #bytes>, %sp: !tt.ptr<bf16>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %two = arith.constant dense<2> : tensor<64x1xi32, #flat>
  %four = arith.constant dense<4> : tensor<64x1xi32, #flat>
  %mask = arith.constant dense<15> : tensor<64x64xi32, #flat>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #flat}>>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #flat}>> -> tensor<64x1xi32, #flat>
  %odd = arith.remsi %k1, %two : tensor<64x1xi32, #flat>
  %shift = arith.muli %odd, %four : tensor<64x1xi32, #flat>
  %shifts = tt.broadcast %shift : tensor<64x1xi32, #flat> -> tensor<64x64xi32, #flat>
  %col = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #flat}>>
  %col1 = tt.expand_dims %col {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #flat}>> -> tensor<1x64xi32, #flat>
  %sps = tt.splat %sp : !tt.ptr<bf16> -> tensor<1x64x!tt.ptr<bf16>, #flat>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<32x64x!tt.ptr<i8>, #bytes>
    %j = tt.join %b, %b : tensor<32x64xi8, #bytes> -> tensor<32x64x2xi8, #joined>
    %t = tt.trans %j {order = array<i32: 0, 2, 1>} : tensor<32x64x2xi8, #joined> -> tensor<32x2x64xi8, #turned>
    %f = tt.reshape %t : tensor<32x2x64xi8, #turned> -> tensor<64x64xi8, #flat>
    %e = arith.extui %f : tensor<64x64xi8, #flat> to tensor<64x64xi32, #flat>
    %h = arith.shrui %e, %shifts : tensor<64x64xi32, #flat>
    %v = arith.andi %h, %mask : tensor<64x64xi32, #flat>
    %w = arith.sitofp %v : tensor<64x64xi32, #flat> to tensor<64x64xbf16, #flat>
    %at0 = tt.splat %i : i32 -> tensor<1x64xi32, #flat>
    %at = arith.addi %at0, %col1 : tensor<1x64xi32, #flat>
    %ps = tt.addptr %sps, %at : tensor<1x64x!tt.ptr<bf16>, #flat>, tensor<1x64xi32, #flat>
    %s = tt.load %ps : tensor<1x64x!tt.ptr<bf16>, #flat>
    %ss = tt.broadcast %s : tensor<1x64xbf16, #flat> -> tensor<64x64xbf16, #flat>
    %m = arith.mulf %w, %ss : tensor<64x64xbf16, #flat>
    %o = ttg.convert_layout %m : tensor<64x64xbf16, #flat> -> tensor<64x64xbf16, #b8>
    %d = tt.dot %a, %o, %acc : tensor<16x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 8}>> * tensor<64x64xbf16, #b8> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: An integer packs eight values, of which each lane needs two.
// CHECK-LABEL: @eight_of_an_integer
// CHECK:       %[[B:.*]] = tt.load {{.*}} : tensor<8x64x!tt.ptr<i32>, #blocked
// CHECK-NEXT:  %[[P:.*]] = ttg.convert_layout %[[B]] : {{.*}} -> tensor<8x64xi32, #ttg.slice<{dim = 1, parent = #linear
// CHECK:       tt.expand_dims %[[P]]
// CHECK:       tt.reshape {{.*}} -> tensor<64x64xi32, #ttg.dot_op
// CHECK:       %[[H:.*]] = arith.sitofp {{.*}} to tensor<64x64xf16, #ttg.dot_op
// CHECK:       tt.dot %{{.*}}, %[[H]],
tt.func @eight_of_an_integer(%a: tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %bp: tensor<8x64x!tt.ptr<i32>, #words>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : tensor<64x64xi32, #rows>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<8x64x!tt.ptr<i32>, #words>
    %l = ttg.convert_layout %b : tensor<8x64xi32, #words> -> tensor<8x64xi32, #ttg.slice<{dim = 1, parent = #three}>>
    %x = tt.expand_dims %l {axis = 1 : i32} : tensor<8x64xi32, #ttg.slice<{dim = 1, parent = #three}>> -> tensor<8x1x64xi32, #three>
    %y = tt.broadcast %x : tensor<8x1x64xi32, #three> -> tensor<8x8x64xi32, #three>
    %f = tt.reshape %y : tensor<8x8x64xi32, #three> -> tensor<64x64xi32, #rows>
    %v = arith.andi %f, %mask : tensor<64x64xi32, #rows>
    %w = arith.sitofp %v : tensor<64x64xi32, #rows> to tensor<64x64xf16, #rows>
    %o = ttg.convert_layout %w : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #b2>
    %d = tt.dot %a, %o, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * tensor<64x64xf16, #b2> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: A tile of scales, one for each group of 32, has elements of 16 bits: what counts is that words hold the numbers.
// CHECK-LABEL: @scales_of_groups
// CHECK:       ttg.convert_layout {{.*}} -> tensor<8x64xi32, #ttg.slice<{dim = 1, parent = #linear
// CHECK:       ttg.convert_layout {{.*}} -> tensor<2x64xf16, #ttg.slice<{dim = 1, parent = #linear
// CHECK:       %[[M:.*]] = arith.mulf {{.*}} : tensor<64x64xf16, #ttg.dot_op
// CHECK:       tt.dot %{{.*}}, %[[M]],
tt.func @scales_of_groups(%a: tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %bp: tensor<8x64x!tt.ptr<i32>, #words>, %sp: tensor<2x64x!tt.ptr<f16>, #words>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : tensor<64x64xi32, #rows>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<8x64x!tt.ptr<i32>, #words>
    %l = ttg.convert_layout %b : tensor<8x64xi32, #words> -> tensor<8x64xi32, #ttg.slice<{dim = 1, parent = #three}>>
    %x = tt.expand_dims %l {axis = 1 : i32} : tensor<8x64xi32, #ttg.slice<{dim = 1, parent = #three}>> -> tensor<8x1x64xi32, #three>
    %y = tt.broadcast %x : tensor<8x1x64xi32, #three> -> tensor<8x8x64xi32, #three>
    %f = tt.reshape %y : tensor<8x8x64xi32, #three> -> tensor<64x64xi32, #rows>
    %v = arith.andi %f, %mask : tensor<64x64xi32, #rows>
    %w = arith.sitofp %v : tensor<64x64xi32, #rows> to tensor<64x64xf16, #rows>
    %s = tt.load %sp : tensor<2x64x!tt.ptr<f16>, #words>
    %sl = ttg.convert_layout %s : tensor<2x64xf16, #words> -> tensor<2x64xf16, #ttg.slice<{dim = 1, parent = #three}>>
    %sx = tt.expand_dims %sl {axis = 1 : i32} : tensor<2x64xf16, #ttg.slice<{dim = 1, parent = #three}>> -> tensor<2x1x64xf16, #three>
    %sy = tt.broadcast %sx : tensor<2x1x64xf16, #three> -> tensor<2x32x64xf16, #three>
    %sf = tt.reshape %sy : tensor<2x32x64xf16, #three> -> tensor<64x64xf16, #rows>
    %m = arith.mulf %w, %sf : tensor<64x64xf16, #rows>
    %o = ttg.convert_layout %m : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #b2>
    %d = tt.dot %a, %o, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * tensor<64x64xf16, #b2> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: Weights whose rows lie along N are transposed through shared memory, before the dot: they are unpacked in the
// COM: layout whose transpose is that of the fragments.
// CHECK-LABEL: @transposed
// CHECK:       %[[P:.*]] = ttg.convert_layout {{.*}} -> tensor<64x8xi32, #ttg.slice<{dim = 2, parent = #linear
// CHECK:       tt.expand_dims %[[P]]
// CHECK:       %[[H:.*]] = arith.sitofp {{.*}} to tensor<64x64xf16, #linear
// CHECK:       %[[T:.*]] = tt.trans %[[H]] {order = array<i32: 1, 0>} : tensor<64x64xf16, #linear{{.*}}> -> tensor<64x64xf16, #ttg.dot_op
// CHECK-NOT:   ttg.local_alloc
// CHECK:       tt.dot %{{.*}}, %[[T]],
tt.func @transposed(%a: tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %bp: tensor<64x8x!tt.ptr<i32>, #columns>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : tensor<64x64xi32, #rows>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<64x8x!tt.ptr<i32>, #columns>
    %l = ttg.convert_layout %b : tensor<64x8xi32, #columns> -> tensor<64x8xi32, #ttg.slice<{dim = 2, parent = #last}>>
    %x = tt.expand_dims %l {axis = 2 : i32} : tensor<64x8xi32, #ttg.slice<{dim = 2, parent = #last}>> -> tensor<64x8x1xi32, #last>
    %y = tt.broadcast %x : tensor<64x8x1xi32, #last> -> tensor<64x8x8xi32, #last>
    %f = tt.reshape %y : tensor<64x8x8xi32, #last> -> tensor<64x64xi32, #rows>
    %v = arith.andi %f, %mask : tensor<64x64xi32, #rows>
    %w = arith.sitofp %v : tensor<64x64xi32, #rows> to tensor<64x64xf16, #rows>
    %m = ttg.local_alloc %w : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %t = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #shared, #smem> -> !ttg.memdesc<64x64xf16, #shared1, #smem>
    %o = ttg.local_load %t : !ttg.memdesc<64x64xf16, #shared1, #smem> -> tensor<64x64xf16, #b2>
    %d = tt.dot %a, %o, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * tensor<64x64xf16, #b2> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: Scales are multiplied in the layout of fragments, but broadcast before they are converted to it.
// CHECK-LABEL: @rows_alone
// CHECK:       %[[B:.*]] = ttg.convert_layout {{.*}} -> tensor<64x64xi8, #ttg.dot_op
// CHECK:       %[[S:.*]] = tt.load {{.*}} : tensor<1x64x!tt.ptr<bf16>, #ttg.dot_op
// CHECK-NEXT:  %[[T:.*]] = tt.broadcast %[[S]]
// CHECK:       arith.mulf %{{.*}}, %[[T]] : tensor<64x64xbf16, #ttg.dot_op
tt.func @rows_alone(%a: tensor<16x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x64x!tt.ptr<i8>, #bytes>, %sp: !tt.ptr<bf16>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %sps = tt.splat %sp : !tt.ptr<bf16> -> tensor<1x64x!tt.ptr<bf16>, #bytes>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<64x64x!tt.ptr<i8>, #bytes>
    %f = ttg.convert_layout %b : tensor<64x64xi8, #bytes> -> tensor<64x64xi8, #b4>
    %w = arith.uitofp %f : tensor<64x64xi8, #b4> to tensor<64x64xbf16, #b4>
    %s = tt.load %sps : tensor<1x64x!tt.ptr<bf16>, #bytes>
    %ss = tt.broadcast %s : tensor<1x64xbf16, #bytes> -> tensor<64x64xbf16, #bytes>
    %sf = ttg.convert_layout %ss : tensor<64x64xbf16, #bytes> -> tensor<64x64xbf16, #b4>
    %m = arith.mulf %w, %sf : tensor<64x64xbf16, #b4>
    %d = tt.dot %a, %m, %acc : tensor<16x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x64xbf16, #b4> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: A byte packs two neighbours along K, and bytes are contiguous along N: a thread reads single bytes, with a
// COM: remark.
// CHECK-LABEL: @two_of_a_byte_along_n
// CHECK:       %[[B:.*]] = tt.load {{.*}} : tensor<32x64x!tt.ptr<i8>, #blocked
// CHECK-NEXT:  %[[P:.*]] = ttg.convert_layout %[[B]] : {{.*}} -> tensor<32x64xi8, #ttg.slice<{dim = 1, parent = #linear
// CHECK:       tt.expand_dims %[[P]]
// CHECK:       tt.reshape {{.*}} -> tensor<64x64xi8, #ttg.dot_op
// REMARK:      hoist-fragment-layouts: threads read the packed tile from shared memory by single bytes; {{.*}}: B (not K-major, 8 bits, tile 32x64) [ACCESSED_BY_BYTES]
tt.func @two_of_a_byte_along_n(%a: tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<32x64x!tt.ptr<i8>, #across>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : tensor<64x64xi8, #rows>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<32x64x!tt.ptr<i8>, #across>
    %l = ttg.convert_layout %b : tensor<32x64xi8, #across> -> tensor<32x64xi8, #ttg.slice<{dim = 1, parent = #three}>>
    %x = tt.expand_dims %l {axis = 1 : i32} : tensor<32x64xi8, #ttg.slice<{dim = 1, parent = #three}>> -> tensor<32x1x64xi8, #three>
    %y = tt.broadcast %x : tensor<32x1x64xi8, #three> -> tensor<32x2x64xi8, #three>
    %f = tt.reshape %y : tensor<32x2x64xi8, #three> -> tensor<64x64xi8, #rows>
    %v = arith.andi %f, %mask : tensor<64x64xi8, #rows>
    %w = arith.sitofp %v : tensor<64x64xi8, #rows> to tensor<64x64xf16, #rows>
    %o = ttg.convert_layout %w : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #b4>
    %d = tt.dot %a, %o, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x64xf16, #b4> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: A byte packs four neighbours along K, all of which a thread has: it reads single bytes even if K is contiguous,
// COM: and the remark does not advise what the kernel does already.
// CHECK-LABEL: @four_of_a_byte
// CHECK:       tt.reshape {{.*}} -> tensor<64x64xi8, #ttg.dot_op
// REMARK:      hoist-fragment-layouts: threads read the packed tile from shared memory by single bytes; pack more numbers along K in an integer: B (K-major, 8 bits, tile 16x64) [ACCESSED_BY_BYTES]
tt.func @four_of_a_byte(%a: tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<16x64x!tt.ptr<i8>, #quarters>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<3> : tensor<64x64xi8, #rows>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<16x64x!tt.ptr<i8>, #quarters>
    %l = ttg.convert_layout %b : tensor<16x64xi8, #quarters> -> tensor<16x64xi8, #ttg.slice<{dim = 1, parent = #three}>>
    %x = tt.expand_dims %l {axis = 1 : i32} : tensor<16x64xi8, #ttg.slice<{dim = 1, parent = #three}>> -> tensor<16x1x64xi8, #three>
    %y = tt.broadcast %x : tensor<16x1x64xi8, #three> -> tensor<16x4x64xi8, #three>
    %f = tt.reshape %y : tensor<16x4x64xi8, #three> -> tensor<64x64xi8, #rows>
    %v = arith.andi %f, %mask : tensor<64x64xi8, #rows>
    %w = arith.sitofp %v : tensor<64x64xi8, #rows> to tensor<64x64xf16, #rows>
    %o = ttg.convert_layout %w : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #b4>
    %d = tt.dot %a, %o, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x64xf16, #b4> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: Bytes whose columns are contiguous would be read one by one.
// CHECK-LABEL: @along_n
// CHECK:       %[[M:.*]] = arith.mulf {{.*}} : tensor<64x64xbf16, #blocked
// CHECK:       ttg.convert_layout %[[M]]
tt.func @along_n(%a: tensor<16x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x64x!tt.ptr<i8>, #across>, %sp: !tt.ptr<bf16>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %sps = tt.splat %sp : !tt.ptr<bf16> -> tensor<1x64x!tt.ptr<bf16>, #across>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<64x64x!tt.ptr<i8>, #across>
    %w = arith.uitofp %b : tensor<64x64xi8, #across> to tensor<64x64xbf16, #across>
    %s = tt.load %sps : tensor<1x64x!tt.ptr<bf16>, #across>
    %ss = tt.broadcast %s : tensor<1x64xbf16, #across> -> tensor<64x64xbf16, #across>
    %m = arith.mulf %w, %ss : tensor<64x64xbf16, #across>
    %f = ttg.convert_layout %m : tensor<64x64xbf16, #across> -> tensor<64x64xbf16, #b4>
    %d = tt.dot %a, %f, %acc : tensor<16x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x64xbf16, #b4> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: A scalar that is loaded in each iteration has no layout.
// CHECK-LABEL: @scale_of_an_iteration
// CHECK:       ttg.convert_layout {{.*}} -> tensor<64x64xi8, #ttg.dot_op
// CHECK:       %[[S:.*]] = tt.load %{{.*}} : !tt.ptr<bf16>
// CHECK:       tt.splat %[[S]] : bf16 -> tensor<1x64xbf16, #ttg.dot_op
tt.func @scale_of_an_iteration(%a: tensor<16x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x64x!tt.ptr<i8>, #bytes>, %sp: !tt.ptr<bf16>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<64x64x!tt.ptr<i8>, #bytes>
    %w = arith.uitofp %b : tensor<64x64xi8, #bytes> to tensor<64x64xbf16, #bytes>
    %s = tt.load %sp : !tt.ptr<bf16>
    %ss = tt.splat %s : bf16 -> tensor<1x64xbf16, #bytes>
    %sb = tt.broadcast %ss : tensor<1x64xbf16, #bytes> -> tensor<64x64xbf16, #bytes>
    %m = arith.mulf %w, %sb : tensor<64x64xbf16, #bytes>
    %o = ttg.convert_layout %m : tensor<64x64xbf16, #bytes> -> tensor<64x64xbf16, #b4>
    %d = tt.dot %a, %o, %acc : tensor<16x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x64xbf16, #b4> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: The addresses of the scales are a function argument: the scales stay in their layout.
// CHECK-LABEL: @pointers_of_the_caller
// CHECK-NOT:   ttg.convert_layout {{.*}}i8
// CHECK:       tt.return
tt.func @pointers_of_the_caller(%a: tensor<16x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x64x!tt.ptr<i8>, #bytes>, %sp: tensor<1x64x!tt.ptr<bf16>, #bytes>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<64x64x!tt.ptr<i8>, #bytes>
    %w = arith.uitofp %b : tensor<64x64xi8, #bytes> to tensor<64x64xbf16, #bytes>
    %s = tt.load %sp : tensor<1x64x!tt.ptr<bf16>, #bytes>
    %ss = tt.broadcast %s : tensor<1x64xbf16, #bytes> -> tensor<64x64xbf16, #bytes>
    %m = arith.mulf %w, %ss : tensor<64x64xbf16, #bytes>
    
    %o = ttg.convert_layout %m : tensor<64x64xbf16, #bytes> -> tensor<64x64xbf16, #b4>
    %d = tt.dot %a, %o, %acc : tensor<16x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x64xbf16, #b4> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}


// COM: With a tile of scales, more bytes would be read than the operand has.
// CHECK-LABEL: @as_many_bytes
// CHECK-NOT:   ttg.convert_layout {{.*}}i8
// CHECK:       tt.return
tt.func @as_many_bytes(%a: tensor<16x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x64x!tt.ptr<i8>, #bytes>, %sp: tensor<64x64x!tt.ptr<bf16>, #bytes>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<64x64x!tt.ptr<i8>, #bytes>
    %w = arith.uitofp %b : tensor<64x64xi8, #bytes> to tensor<64x64xbf16, #bytes>
    
    %ss = tt.load %sp : tensor<64x64x!tt.ptr<bf16>, #bytes>
    %m = arith.mulf %w, %ss : tensor<64x64xbf16, #bytes>
    
    %o = ttg.convert_layout %m : tensor<64x64xbf16, #bytes> -> tensor<64x64xbf16, #b4>
    %d = tt.dot %a, %o, %acc : tensor<16x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x64xbf16, #b4> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: Volatile scales stay.
// CHECK-LABEL: @volatile_scales
// CHECK-NOT:   ttg.convert_layout {{.*}}i8
// CHECK:       tt.return
tt.func @volatile_scales(%a: tensor<16x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x64x!tt.ptr<i8>, #bytes>, %p: !tt.ptr<bf16>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<64x64x!tt.ptr<i8>, #bytes>
    %w = arith.uitofp %b : tensor<64x64xi8, #bytes> to tensor<64x64xbf16, #bytes>
    %sp = tt.splat %p : !tt.ptr<bf16> -> tensor<1x64x!tt.ptr<bf16>, #bytes>
    %s = tt.load %sp {isVolatile = true} : tensor<1x64x!tt.ptr<bf16>, #bytes>
    %ss = tt.broadcast %s : tensor<1x64xbf16, #bytes> -> tensor<64x64xbf16, #bytes>
    %m = arith.mulf %w, %ss : tensor<64x64xbf16, #bytes>
    
    %o = ttg.convert_layout %m : tensor<64x64xbf16, #bytes> -> tensor<64x64xbf16, #b4>
    %d = tt.dot %a, %o, %acc : tensor<16x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x64xbf16, #b4> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: A constant whose elements differ depends on its layout.
// CHECK-LABEL: @different_numbers
// CHECK-NOT:   ttg.convert_layout {{.*}}i8
// CHECK:       tt.return
tt.func @different_numbers(%a: tensor<16x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x64x!tt.ptr<i8>, #bytes>, %sp: tensor<1x64x!tt.ptr<bf16>, #bytes>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<64x64x!tt.ptr<i8>, #bytes>
    %w = arith.uitofp %b : tensor<64x64xi8, #bytes> to tensor<64x64xbf16, #bytes>
    %s = arith.constant dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 30.0, 31.0, 32.0, 33.0, 34.0, 35.0, 36.0, 37.0, 38.0, 39.0, 40.0, 41.0, 42.0, 43.0, 44.0, 45.0, 46.0, 47.0, 48.0, 49.0, 50.0, 51.0, 52.0, 53.0, 54.0, 55.0, 56.0, 57.0, 58.0, 59.0, 60.0, 61.0, 62.0, 63.0]]> : tensor<1x64xbf16, #bytes>
    %ss = tt.broadcast %s : tensor<1x64xbf16, #bytes> -> tensor<64x64xbf16, #bytes>
    %m = arith.mulf %w, %ss : tensor<64x64xbf16, #bytes>
    
    %o = ttg.convert_layout %m : tensor<64x64xbf16, #bytes> -> tensor<64x64xbf16, #b4>
    %d = tt.dot %a, %o, %acc : tensor<16x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x64xbf16, #b4> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: A reshape that may reorder elements depends on its layout.
// CHECK-LABEL: @any_order
// CHECK-NOT:   ttg.convert_layout {{.*}}i8
// CHECK:       tt.return
tt.func @any_order(%a: tensor<16x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x64x!tt.ptr<i8>, #bytes>, %p: bf16, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b0 = tt.load %bp : tensor<64x64x!tt.ptr<i8>, #bytes>
    %b = tt.reshape %b0 allow_reorder : tensor<64x64xi8, #bytes> -> tensor<64x64xi8, #bytes>
    %w = arith.uitofp %b : tensor<64x64xi8, #bytes> to tensor<64x64xbf16, #bytes>
    %s = tt.splat %p : bf16 -> tensor<1x64xbf16, #bytes>
    %ss = tt.broadcast %s : tensor<1x64xbf16, #bytes> -> tensor<64x64xbf16, #bytes>
    %m = arith.mulf %w, %ss : tensor<64x64xbf16, #bytes>
    
    %o = ttg.convert_layout %m : tensor<64x64xbf16, #bytes> -> tensor<64x64xbf16, #b4>
    %d = tt.dot %a, %o, %acc : tensor<16x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x64xbf16, #b4> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}
}
