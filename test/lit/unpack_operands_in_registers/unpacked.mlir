// RUN: dotload-opt %s --unpack-operands-in-registers --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: dotload-opt %s --unpack-operands-in-registers='num-stages=1' | FileCheck %s --check-prefix=UNPIPELINED
// UNPIPELINED-NOT: tensor<128x64xf32
// RUN: dotload-opt %s --unpack-operands-in-registers='num-stages=3' | FileCheck %s --check-prefix=PIPELINED
// PIPELINED-LABEL: @integers
// PIPELINED:       %[[B:.*]] = tt.load {{.*}} : tensor<8x128x!tt.ptr<i32>
// PIPELINED-NEXT:  ttg.convert_layout %[[B]]

#words = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#pairs = #ttg.blocked<{sizePerThread = [1, 4, 2], threadsPerWarp = [1, 32, 1], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>
#joined = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#down = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#across = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#acrosst = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#downt = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#downt8 = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#ones = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#three = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 1, 32], warpsPerCTA = [1, 1, 4], order = [2, 1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#sharedt = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#mma8 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#shared8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#shared8t = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
!a = !ttg.memdesc<64x64xf16, #shared, #smem>
!b = !ttg.memdesc<64x128xf16, #shared, #smem>
!bt = !ttg.memdesc<64x128xf16, #sharedt, #smem>
!c = tensor<64x128xf32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: An integer packs eight values. Integers are brought to a layout equal to that of fragments, and cast to fragments
// COM: before element by element computations; the transposed dot takes these as A, and the transpose of the kernel's A
// COM: from shared memory.
// CHECK-DAG:   #[[MMA:.*]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
// CHECK-DAG:   #[[FRAGMENTS:.*]] = #ttg.linear<{register = {{\[\[}}1, 0], [0, 8], [8, 0], [16, 0], [32, 0], [0, 64]], lane = {{\[\[}}2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = {{\[\[}}0, 16], [0, 32]], block = []}>
// CHECK-LABEL: @integers
// CHECK-SAME:  %[[A:.*]]: !ttg.memdesc<64x64xf16,
// CHECK:       scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (tensor<128x64xf32, #[[MMA]]>)
// CHECK:       %[[B:.*]] = tt.load {{.*}} : tensor<8x128x!tt.ptr<i32>, #
// CHECK-NEXT:  %[[P:.*]] = ttg.convert_layout %[[B]]
// CHECK:       tt.expand_dims %[[P]]
// CHECK:       %[[F:.*]] = tt.reshape {{.*}} -> tensor<64x128xi32, #[[FRAGMENTS]]>
// CHECK:       %[[T:.*]] = tt.trans %[[F]] {order = array<i32: 1, 0>}
// CHECK-NEXT:  %[[N:.*]] = builtin.unrealized_conversion_cast %[[T]] : {{.*}} to tensor<128x64xi32, #ttg.dot_op<{opIdx = 0, parent = #[[MMA]], kWidth = 2}>>
// CHECK:       %[[V:.*]] = arith.andi %[[N]]
// CHECK:       %[[BT:.*]] = arith.sitofp %[[V]] : {{.*}} to tensor<128x64xf16, #ttg.dot_op
// CHECK-NOT:   ttg.local_alloc
// CHECK:       %[[AT:.*]] = ttg.memdesc_trans %[[A]] {order = array<i32: 1, 0>}
// CHECK:       %[[D:.*]] = ttng.warp_group_dot %[[BT]], %[[AT]], %[[ACC]] {{.*}} -> tensor<128x64xf32, #[[MMA]]>
// CHECK:       scf.yield %[[D]]
// CHECK:       tt.return %{{.*}} : tensor<64x128xf32,
// REMARK:      unpack-operands-in-registers: operand 64x128 is unpacked in registers, for the transposed dot
tt.func @integers(%a: !a, %bp: tensor<8x128x!tt.ptr<i32>, #words>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : tensor<64x128xi32, #rows>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<8x128x!tt.ptr<i32>, #words>
    %l = ttg.convert_layout %b : tensor<8x128xi32, #words> -> tensor<8x128xi32, #ttg.slice<{dim = 1, parent = #three}>>
    %x = tt.expand_dims %l {axis = 1 : i32} : tensor<8x128xi32, #ttg.slice<{dim = 1, parent = #three}>> -> tensor<8x1x128xi32, #three>
    %y = tt.broadcast %x : tensor<8x1x128xi32, #three> -> tensor<8x8x128xi32, #three>
    %f = tt.reshape %y : tensor<8x8x128xi32, #three> -> tensor<64x128xi32, #rows>
    %v = arith.andi %f, %mask : tensor<64x128xi32, #rows>
    %w = arith.sitofp %v : tensor<64x128xi32, #rows> to tensor<64x128xf16, #rows>
    %m = ttg.local_alloc %w : (tensor<64x128xf16, #rows>) -> !b
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !b -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: Bytes with a scale for each column, K contiguous. The row of scales is loaded in the layout of fragments as
// COM: well. The tile is brought to fragments as bytes.
// CHECK-LABEL: @bytes_with_scales
// CHECK:       tt.load %{{.*}} : tensor<1x128x!tt.ptr<f16>, #[[FRAGMENTS]]>
// CHECK:       tt.trans %{{.*}} : {{.*}} -> tensor<128x64xi8, #ttg.dot_op<{opIdx = 0, parent = #[[MMA]], kWidth = 2}>>
// CHECK-NOT:   ttg.local_alloc
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<128x64xf32, #[[MMA]]>
tt.func @bytes_with_scales(%a: !a, %bp: tensor<64x128x!tt.ptr<i8>, #down>, %sp: !tt.ptr<f16>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %p = tt.splat %sp : !tt.ptr<f16> -> tensor<1x128x!tt.ptr<f16>, #down>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #down>
    %s = tt.load %p : tensor<1x128x!tt.ptr<f16>, #down>
    %w = arith.sitofp %b : tensor<64x128xi8, #down> to tensor<64x128xf16, #down>
    %t = tt.broadcast %s : tensor<1x128xf16, #down> -> tensor<64x128xf16, #down>
    %h = arith.mulf %w, %t : tensor<64x128xf16, #down>
    %m = ttg.local_alloc %h : (tensor<64x128xf16, #down>) -> !bt
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !bt -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: Bytes with elementwise ops: they are brought to the layout of fragments, and stage-dot-operands stages them and
// COM: reads them by ldmatrix. Columns of scales are loaded in that layout.
// REMARK:      unpack-operands-in-registers: operand 64x128 is unpacked in registers, for the transposed dot
// CHECK-LABEL: @bytes_along_n
// CHECK:       %[[B:.*]] = tt.load %arg1 : tensor<64x128x!tt.ptr<i8>
// CHECK-NEXT:  %[[L:.*]] = ttg.convert_layout %[[B]] : tensor<64x128xi8, #{{.*}}> -> tensor<64x128xi8, #[[FRAGMENTS]]>
// CHECK:       %[[S:.*]] = tt.load %{{.*}} : tensor<1x128x!tt.ptr<f16>, #[[FRAGMENTS]]>
// CHECK:       %[[T:.*]] = tt.broadcast %[[S]]
// CHECK:       %[[F:.*]] = tt.trans %[[L]] {order = array<i32: 1, 0>} : {{.*}} -> tensor<128x64xi8, #ttg.dot_op<{opIdx = 0, parent = #[[MMA]], kWidth = 2}>>
// CHECK:       %[[W:.*]] = arith.sitofp %[[F]]
// CHECK:       %[[U:.*]] = tt.trans %[[T]]
// CHECK:       %[[H:.*]] = arith.mulf %[[W]], %[[U]] : tensor<128x64xf16, #ttg.dot_op
// CHECK-NOT:   ttg.local_alloc
// CHECK:       ttng.warp_group_dot %[[H]], {{.*}} -> tensor<128x64xf32,
tt.func @bytes_along_n(%a: !a, %bp: tensor<64x128x!tt.ptr<i8>, #across>, %sp: !tt.ptr<f16>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %p = tt.splat %sp : !tt.ptr<f16> -> tensor<1x128x!tt.ptr<f16>, #across>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #across>
    %s = tt.load %p : tensor<1x128x!tt.ptr<f16>, #across>
    %w = arith.sitofp %b : tensor<64x128xi8, #across> to tensor<64x128xf16, #across>
    %t = tt.broadcast %s : tensor<1x128xf16, #across> -> tensor<64x128xf16, #across>
    %h = arith.mulf %w, %t : tensor<64x128xf16, #across>
    %m = ttg.local_alloc %h : (tensor<64x128xf16, #across>) -> !b
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !b -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: The tile is loaded element by element, which Triton does not copy asynchronously.
// REMARK:      kept tt.load: the operand is unpacked from this tile, whose fragments would be read element by element; {{.*}} [SINGLE_ELEMENTS]
// CHECK-LABEL: @bytes_one_by_one
// CHECK:       ttg.local_alloc
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<64x128xf32,
tt.func @bytes_one_by_one(%a: !a, %bp: tensor<64x128x!tt.ptr<i8>, #ones>, %sp: !tt.ptr<f16>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %p = tt.splat %sp : !tt.ptr<f16> -> tensor<1x128x!tt.ptr<f16>, #ones>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #ones>
    %s = tt.load %p : tensor<1x128x!tt.ptr<f16>, #ones>
    %w = arith.sitofp %b : tensor<64x128xi8, #ones> to tensor<64x128xf16, #ones>
    %t = tt.broadcast %s : tensor<1x128xf16, #ones> -> tensor<64x128xf16, #ones>
    %h = arith.mulf %w, %t : tensor<64x128xf16, #ones>
    %m = ttg.local_alloc %h : (tensor<64x128xf16, #ones>) -> !b
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !b -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: The kernel transposes the tile before it is converted: the conversion is repeated on fragments of the tile as it
// COM: is loaded, which two transposes bring back.
// CHECK-LABEL: @bytes_that_are_turned
// CHECK:       %[[B:.*]] = tt.load %arg1 : tensor<128x64x!tt.ptr<i8>
// CHECK-NEXT:  %[[L:.*]] = ttg.convert_layout %[[B]]
// CHECK:       %[[F:.*]] = ttg.convert_layout %[[L]] : {{.*}} -> tensor<128x64xi8, #ttg.dot_op<{opIdx = 0, parent = #[[MMA]], kWidth = 2}>>
// CHECK:       arith.sitofp %[[F]]
// CHECK-NOT:   ttg.local_alloc
// CHECK:       ttng.warp_group_dot {{.*}} {dotload.transposed, {{.*}}} {{.*}} -> tensor<128x64xf32,
tt.func @bytes_that_are_turned(%a: !a, %bp: tensor<128x64x!tt.ptr<i8>, #downt8>, %sp: !tt.ptr<f16>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %p = tt.splat %sp : !tt.ptr<f16> -> tensor<1x128x!tt.ptr<f16>, #across>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b0 = tt.load %bp : tensor<128x64x!tt.ptr<i8>, #downt8>
    %b = tt.trans %b0 {order = array<i32: 1, 0>} : tensor<128x64xi8, #downt8> -> tensor<64x128xi8, #across>
    %s = tt.load %p : tensor<1x128x!tt.ptr<f16>, #across>
    %w = arith.sitofp %b : tensor<64x128xi8, #across> to tensor<64x128xf16, #across>
    %t = tt.broadcast %s : tensor<1x128xf16, #across> -> tensor<64x128xf16, #across>
    %h = arith.mulf %w, %t : tensor<64x128xf16, #across>
    %m = ttg.local_alloc %h : (tensor<64x128xf16, #across>) -> !b
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !b -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: Conversions only: stage-dot-operands reads such a tile by ldmatrix.
// CHECK-LABEL: @converted
// CHECK:       ttg.local_alloc
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<64x128xf32,
tt.func @converted(%a: !a, %bp: tensor<64x128x!tt.ptr<i8>, #down>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #down>
    %w = arith.sitofp %b : tensor<64x128xi8, #down> to tensor<64x128xf16, #down>
    %m = ttg.local_alloc %w : (tensor<64x128xf16, #down>) -> !bt
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !bt -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: The loop uses the sum: each thread would hold a part of its columns, and need other values of rows.
// CHECK-LABEL: @partial
// CHECK:       ttg.local_alloc
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<64x128xf32,
tt.func @partial(%a: !a, %bp: tensor<8x128x!tt.ptr<i32>, #words>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : tensor<64x128xi32, #rows>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<8x128x!tt.ptr<i32>, #words>
    %l = ttg.convert_layout %b : tensor<8x128xi32, #words> -> tensor<8x128xi32, #ttg.slice<{dim = 1, parent = #three}>>
    %x = tt.expand_dims %l {axis = 1 : i32} : tensor<8x128xi32, #ttg.slice<{dim = 1, parent = #three}>> -> tensor<8x1x128xi32, #three>
    %y = tt.broadcast %x : tensor<8x1x128xi32, #three> -> tensor<8x8x128xi32, #three>
    %f = tt.reshape %y : tensor<8x8x128xi32, #three> -> tensor<64x128xi32, #rows>
    %v = arith.andi %f, %mask : tensor<64x128xi32, #rows>
    %w = arith.sitofp %v : tensor<64x128xi32, #rows> to tensor<64x128xf16, #rows>
    %m = ttg.local_alloc %w : (tensor<64x128xf16, #rows>) -> !b
    %d = ttng.warp_group_dot %a, %m, %zero {inputPrecision = 0 : i32} : !a * !b -> !c
    %sum = arith.addf %acc, %d : !c
    scf.yield %sum : !c
  }
  tt.return %r : !c
}

// COM: The loaded tile has as many bytes as the operand: it is stored for the dot as before.
// CHECK-LABEL: @not_packed
// CHECK:       ttg.local_alloc
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<64x128xf32,
tt.func @not_packed(%a: !a, %bp: tensor<64x128x!tt.ptr<f16>, #down>, %sp: !tt.ptr<f16>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %p = tt.splat %sp : !tt.ptr<f16> -> tensor<1x128x!tt.ptr<f16>, #down>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<f16>, #down>
    %s = tt.load %p : tensor<1x128x!tt.ptr<f16>, #down>
    %t = tt.broadcast %s : tensor<1x128xf16, #down> -> tensor<64x128xf16, #down>
    %h = arith.mulf %b, %t : tensor<64x128xf16, #down>
    %m = ttg.local_alloc %h : (tensor<64x128xf16, #down>) -> !bt
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !bt -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: The tile has another use, a reduction.
// CHECK-LABEL: @other_use
// CHECK:       ttg.local_alloc
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<64x128xf32,
// REMARK:      kept tt.load: the tile has other uses than this dot; load it once for each use{{.*}}: B (not K-major, 32 bits, tile 8x128) [OTHER_USES]
tt.func @other_use(%a: !a, %bp: tensor<8x128x!tt.ptr<i32>, #words>, %sum: tensor<8x128xi32, #words>, %n: i32) -> (!c, tensor<8x128xi32, #words>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : tensor<64x128xi32, #rows>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %t = %sum) -> (!c, tensor<8x128xi32, #words>) : i32 {
    %b = tt.load %bp : tensor<8x128x!tt.ptr<i32>, #words>
    %l = ttg.convert_layout %b : tensor<8x128xi32, #words> -> tensor<8x128xi32, #ttg.slice<{dim = 1, parent = #three}>>
    %x = tt.expand_dims %l {axis = 1 : i32} : tensor<8x128xi32, #ttg.slice<{dim = 1, parent = #three}>> -> tensor<8x1x128xi32, #three>
    %y = tt.broadcast %x : tensor<8x1x128xi32, #three> -> tensor<8x8x128xi32, #three>
    %f = tt.reshape %y : tensor<8x8x128xi32, #three> -> tensor<64x128xi32, #rows>
    %v = arith.andi %f, %mask : tensor<64x128xi32, #rows>
    %w = arith.sitofp %v : tensor<64x128xi32, #rows> to tensor<64x128xf16, #rows>
    %m = ttg.local_alloc %w : (tensor<64x128xf16, #rows>) -> !b
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !b -> !c
    %u = arith.addi %t, %b : tensor<8x128xi32, #words>
    scf.yield %d, %u : !c, tensor<8x128xi32, #words>
  }
  tt.return %r#0, %r#1 : !c, tensor<8x128xi32, #words>
}

// COM: The values computed from the tile have another use.
// CHECK-LABEL: @other_use_further_on
// CHECK:       ttg.local_alloc
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<64x128xf32,
tt.func @other_use_further_on(%a: !a, %bp: tensor<8x128x!tt.ptr<i32>, #words>, %sum: tensor<64x128xi32, #rows>, %n: i32) -> (!c, tensor<64x128xi32, #rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : tensor<64x128xi32, #rows>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %t = %sum) -> (!c, tensor<64x128xi32, #rows>) : i32 {
    %b = tt.load %bp : tensor<8x128x!tt.ptr<i32>, #words>
    %l = ttg.convert_layout %b : tensor<8x128xi32, #words> -> tensor<8x128xi32, #ttg.slice<{dim = 1, parent = #three}>>
    %x = tt.expand_dims %l {axis = 1 : i32} : tensor<8x128xi32, #ttg.slice<{dim = 1, parent = #three}>> -> tensor<8x1x128xi32, #three>
    %y = tt.broadcast %x : tensor<8x1x128xi32, #three> -> tensor<8x8x128xi32, #three>
    %f = tt.reshape %y : tensor<8x8x128xi32, #three> -> tensor<64x128xi32, #rows>
    %v = arith.andi %f, %mask : tensor<64x128xi32, #rows>
    %w = arith.sitofp %v : tensor<64x128xi32, #rows> to tensor<64x128xf16, #rows>
    %m = ttg.local_alloc %w : (tensor<64x128xf16, #rows>) -> !b
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !b -> !c
    %u = arith.addi %t, %v : tensor<64x128xi32, #rows>
    scf.yield %d, %u : !c, tensor<64x128xi32, #rows>
  }
  tt.return %r#0, %r#1 : !c, tensor<64x128xi32, #rows>
}

// COM: A row that is a transposed column: Triton infers the layout of a row, which is equal to that of the fragments. A
// COM: conversion of layouts would be removed with that of the fragments.
// CHECK-LABEL: @transposed_row
// CHECK:       %[[S:.*]] = tt.load %{{.*}} : tensor<128x1x!tt.ptr<f16>, #[[COLUMN:.*]]>
// CHECK:       %[[T:.*]] = tt.trans %[[S]] {order = array<i32: 1, 0>} : tensor<128x1xf16, #[[COLUMN]]> -> tensor<1x128xf16, #[[ROW:.*]]>
// CHECK:       builtin.unrealized_conversion_cast %[[T]] : tensor<1x128xf16, #[[ROW]]> to tensor<1x128xf16, #[[FRAGMENTS]]>
// CHECK-NOT:   ttg.local_alloc
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<128x64xf32,
tt.func @transposed_row(%a: !a, %bp: tensor<64x128x!tt.ptr<i8>, #down>, %sp: !tt.ptr<f16>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %p = tt.splat %sp : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>, #across>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #down>
    %sc = tt.load %p : tensor<128x1x!tt.ptr<f16>, #across>
    %st = tt.trans %sc {order = array<i32: 1, 0>} : tensor<128x1xf16, #across> -> tensor<1x128xf16, #acrosst>
    %s = ttg.convert_layout %st : tensor<1x128xf16, #acrosst> -> tensor<1x128xf16, #down>
    %w = arith.sitofp %b : tensor<64x128xi8, #down> to tensor<64x128xf16, #down>
    %t = tt.broadcast %s : tensor<1x128xf16, #down> -> tensor<64x128xf16, #down>
    %h = arith.mulf %w, %t : tensor<64x128xf16, #down>
    %m = ttg.local_alloc %h : (tensor<64x128xf16, #down>) -> !bt
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !bt -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: Bytes pack columns: each is joined with itself. A thread has one number of a byte, and the byte is broadcast.
// CHECK-LABEL: @packed_along_n
// CHECK:       %[[B:.*]] = tt.load {{.*}} : tensor<64x64x!tt.ptr<i8>
// CHECK-NEXT:  %[[P:.*]] = ttg.convert_layout %[[B]]
// CHECK-NEXT:  %[[R:.*]] = tt.reshape %[[P]] : {{.*}} -> tensor<64x64x1xi8,
// CHECK:       %[[T:.*]] = tt.broadcast %{{.*}} : tensor<64x64x1xi8, {{.*}}> -> tensor<64x64x2xi8,
// CHECK-NOT:   tt.join
// CHECK:       tt.reshape %[[T]] : {{.*}} -> tensor<64x128xi8, #[[FRAGMENTS]]>
// CHECK-NOT:   ttg.local_alloc
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<128x64xf32,
tt.func @packed_along_n(%a: !a, %bp: tensor<64x64x!tt.ptr<i8>, #words>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : tensor<64x128xi8, #joined>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<64x64x!tt.ptr<i8>, #words>
    %j = tt.join %b, %b : tensor<64x64xi8, #words> -> tensor<64x64x2xi8, #pairs>
    %f = tt.reshape %j : tensor<64x64x2xi8, #pairs> -> tensor<64x128xi8, #joined>
    %v = arith.andi %f, %mask : tensor<64x128xi8, #joined>
    %w = arith.sitofp %v : tensor<64x128xi8, #joined> to tensor<64x128xf16, #joined>
    %m = ttg.local_alloc %w : (tensor<64x128xf16, #joined>) -> !b
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !b -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: B is stored N x K and transposed by a view: it is unpacked in the order that it is stored in.
// CHECK-LABEL: @stored_transposed
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<128x64xf32,
tt.func @stored_transposed(%a: !a, %bp: tensor<8x128x!tt.ptr<i32>, #words>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : tensor<64x128xi32, #rows>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<8x128x!tt.ptr<i32>, #words>
    %l = ttg.convert_layout %b : tensor<8x128xi32, #words> -> tensor<8x128xi32, #ttg.slice<{dim = 1, parent = #three}>>
    %x = tt.expand_dims %l {axis = 1 : i32} : tensor<8x128xi32, #ttg.slice<{dim = 1, parent = #three}>> -> tensor<8x1x128xi32, #three>
    %y = tt.broadcast %x : tensor<8x1x128xi32, #three> -> tensor<8x8x128xi32, #three>
    %f = tt.reshape %y : tensor<8x8x128xi32, #three> -> tensor<64x128xi32, #rows>
    %v = arith.andi %f, %mask : tensor<64x128xi32, #rows>
    %w = arith.sitofp %v : tensor<64x128xi32, #rows> to tensor<64x128xf16, #rows>
    %k = ttg.convert_layout %w : tensor<64x128xf16, #rows> -> tensor<64x128xf16, #down>
    %kt = tt.trans %k {order = array<i32: 1, 0>} : tensor<64x128xf16, #down> -> tensor<128x64xf16, #downt>
    %mt = ttg.local_alloc %kt : (tensor<128x64xf16, #downt>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
    %m = ttg.memdesc_trans %mt {order = array<i32: 1, 0>} : !ttg.memdesc<128x64xf16, #shared, #smem> -> !bt
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !bt -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: Two dots read B, which is stored once for both.
// CHECK-LABEL: @shared_by_two
// CHECK:       ttg.local_alloc
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<64x128xf32,
tt.func @shared_by_two(%a: !a, %bp: tensor<8x128x!tt.ptr<i32>, #words>, %n: i32) -> (!c, !c) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : tensor<64x128xi32, #rows>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %acc1 = %zero) -> (!c, !c) : i32 {
    %b = tt.load %bp : tensor<8x128x!tt.ptr<i32>, #words>
    %l = ttg.convert_layout %b : tensor<8x128xi32, #words> -> tensor<8x128xi32, #ttg.slice<{dim = 1, parent = #three}>>
    %x = tt.expand_dims %l {axis = 1 : i32} : tensor<8x128xi32, #ttg.slice<{dim = 1, parent = #three}>> -> tensor<8x1x128xi32, #three>
    %y = tt.broadcast %x : tensor<8x1x128xi32, #three> -> tensor<8x8x128xi32, #three>
    %f = tt.reshape %y : tensor<8x8x128xi32, #three> -> tensor<64x128xi32, #rows>
    %v = arith.andi %f, %mask : tensor<64x128xi32, #rows>
    %w = arith.sitofp %v : tensor<64x128xi32, #rows> to tensor<64x128xf16, #rows>
    %m = ttg.local_alloc %w : (tensor<64x128xf16, #rows>) -> !b
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !b -> !c
    %d1 = ttng.warp_group_dot %a, %m, %acc1 {inputPrecision = 0 : i32} : !a * !b -> !c
    scf.yield %d, %d1 : !c, !c
  }
  tt.return %r#0, %r#1 : !c, !c
}

// COM: An initial value of the sum other than zeros is transposed before the loop.
// CHECK-LABEL: @begins_with_a_sum
// CHECK:       tt.trans %{{.*}} : tensor<64x128xf32,
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<128x64xf32,
tt.func @begins_with_a_sum(%a: !a, %bp: tensor<8x128x!tt.ptr<i32>, #words>, %n: i32, %zero: !c) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %mask = arith.constant dense<15> : tensor<64x128xi32, #rows>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<8x128x!tt.ptr<i32>, #words>
    %l = ttg.convert_layout %b : tensor<8x128xi32, #words> -> tensor<8x128xi32, #ttg.slice<{dim = 1, parent = #three}>>
    %x = tt.expand_dims %l {axis = 1 : i32} : tensor<8x128xi32, #ttg.slice<{dim = 1, parent = #three}>> -> tensor<8x1x128xi32, #three>
    %y = tt.broadcast %x : tensor<8x1x128xi32, #three> -> tensor<8x8x128xi32, #three>
    %f = tt.reshape %y : tensor<8x8x128xi32, #three> -> tensor<64x128xi32, #rows>
    %v = arith.andi %f, %mask : tensor<64x128xi32, #rows>
    %w = arith.sitofp %v : tensor<64x128xi32, #rows> to tensor<64x128xf16, #rows>
    %m = ttg.local_alloc %w : (tensor<64x128xf16, #rows>) -> !b
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !b -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: A tile that is loaded before the loop is unpacked there by Triton, and has no copy in shared memory.
// CHECK-LABEL: @loaded_before_the_loop
// CHECK:       ttg.local_alloc
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<64x128xf32,
tt.func @loaded_before_the_loop(%a: !a, %bp: tensor<8x128x!tt.ptr<i32>, #words>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : tensor<64x128xi32, #rows>
  %b = tt.load %bp : tensor<8x128x!tt.ptr<i32>, #words>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %l = ttg.convert_layout %b : tensor<8x128xi32, #words> -> tensor<8x128xi32, #ttg.slice<{dim = 1, parent = #three}>>
    %x = tt.expand_dims %l {axis = 1 : i32} : tensor<8x128xi32, #ttg.slice<{dim = 1, parent = #three}>> -> tensor<8x1x128xi32, #three>
    %y = tt.broadcast %x : tensor<8x1x128xi32, #three> -> tensor<8x8x128xi32, #three>
    %f = tt.reshape %y : tensor<8x8x128xi32, #three> -> tensor<64x128xi32, #rows>
    %v = arith.andi %f, %mask : tensor<64x128xi32, #rows>
    %w = arith.sitofp %v : tensor<64x128xi32, #rows> to tensor<64x128xf16, #rows>
    %m = ttg.local_alloc %w : (tensor<64x128xf16, #rows>) -> !b
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !b -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: 8-bit operands that are unpacked from 4 bits are not for this pass: fragments of 8 bits have another layout.
// CHECK-LABEL: @to_8_bits
// CHECK:       ttg.local_alloc
// CHECK:       ttng.warp_group_dot {{.*}} -> tensor<64x128xi32,
tt.func @to_8_bits(%a: !ttg.memdesc<64x64xi8, #shared8, #smem>, %bp: tensor<8x128x!tt.ptr<i32>, #words>, %n: i32) -> tensor<64x128xi32, #mma8> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<64x128xi32, #mma8>
  %mask = arith.constant dense<15> : tensor<64x128xi32, #rows>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xi32, #mma8>) : i32 {
    %b = tt.load %bp : tensor<8x128x!tt.ptr<i32>, #words>
    %l = ttg.convert_layout %b : tensor<8x128xi32, #words> -> tensor<8x128xi32, #ttg.slice<{dim = 1, parent = #three}>>
    %x = tt.expand_dims %l {axis = 1 : i32} : tensor<8x128xi32, #ttg.slice<{dim = 1, parent = #three}>> -> tensor<8x1x128xi32, #three>
    %y = tt.broadcast %x : tensor<8x1x128xi32, #three> -> tensor<8x8x128xi32, #three>
    %f = tt.reshape %y : tensor<8x8x128xi32, #three> -> tensor<64x128xi32, #rows>
    %v = arith.andi %f, %mask : tensor<64x128xi32, #rows>
    %w = arith.trunci %v : tensor<64x128xi32, #rows> to tensor<64x128xi8, #rows>
    %m = ttg.local_alloc %w : (tensor<64x128xi8, #rows>) -> !ttg.memdesc<64x128xi8, #shared8t, #smem>
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xi8, #shared8, #smem> * !ttg.memdesc<64x128xi8, #shared8t, #smem> -> tensor<64x128xi32, #mma8>
    scf.yield %d : tensor<64x128xi32, #mma8>
  }
  tt.return %r : tensor<64x128xi32, #mma8>
}
}
