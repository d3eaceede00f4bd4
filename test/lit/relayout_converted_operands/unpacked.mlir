// RUN: dotload-opt %s --relayout-converted-operands='num-stages=3' --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

#words = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#down = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [2, 16], warpsPerCTA = [1, 4], order = [0, 1]}>
#three = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 1, 32], warpsPerCTA = [1, 1, 4], order = [2, 1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#three8 = #ttg.blocked<{sizePerThread = [1, 8, 8], threadsPerWarp = [2, 1, 16], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>
#rows8 = #ttg.blocked<{sizePerThread = [8, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#three_k = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 8, 4], warpsPerCTA = [1, 1, 4], order = [2, 1, 0]}>
#rows_k = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#sharedt = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!a = !ttg.memdesc<64x64xf16, #shared, #smem>
!c = tensor<64x128xf32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Eight values of an integer, stored by single elements: with the pass a thread has 8 columns of 8 rows. Registers
// COM: count rows first, lanes columns.
// CHECK-DAG:   #[[VECTORS:.*]] = #ttg.linear<{register = {{\[\[}}1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], lane = {{\[\[}}0, 8], [0, 16], [0, 32], [0, 64], [8, 0]], warp = {{\[\[}}16, 0], [32, 0]],
// CHECK-LABEL: @integers
// CHECK:       %[[B:.*]] = tt.load {{.*}} : tensor<8x128x!tt.ptr<i32>, #
// CHECK-NEXT:  %[[P:.*]] = ttg.convert_layout %[[B]]
// CHECK:       tt.expand_dims %[[P]]
// CHECK:       %[[H:.*]] = arith.sitofp {{.*}} to tensor<64x128xf16, #[[VECTORS]]>
// CHECK:       %[[M:.*]] = ttg.local_alloc %[[H]] :
// CHECK:       ttng.warp_group_dot %{{.*}}, %[[M]],
// REMARK:      relayout-converted-operands: operand 64x128 is unpacked in vectors of 16 bytes
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
    %m = ttg.local_alloc %w : (tensor<64x128xf16, #rows>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !ttg.memdesc<64x128xf16, #shared, #smem> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: Integers that lie one below the other would be read one by one.
// CHECK-LABEL: @along_k
// CHECK:       arith.sitofp {{.*}} to tensor<64x128xf16, #blocked
tt.func @along_k(%a: !a, %bp: tensor<8x128x!tt.ptr<i32>, #down>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : tensor<64x128xi32, #rows>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<8x128x!tt.ptr<i32>, #down>
    %l = ttg.convert_layout %b : tensor<8x128xi32, #down> -> tensor<8x128xi32, #ttg.slice<{dim = 1, parent = #three}>>
    %x = tt.expand_dims %l {axis = 1 : i32} : tensor<8x128xi32, #ttg.slice<{dim = 1, parent = #three}>> -> tensor<8x1x128xi32, #three>
    %y = tt.broadcast %x : tensor<8x1x128xi32, #three> -> tensor<8x8x128xi32, #three>
    %f = tt.reshape %y : tensor<8x8x128xi32, #three> -> tensor<64x128xi32, #rows>
    %v = arith.andi %f, %mask : tensor<64x128xi32, #rows>
    %w = arith.sitofp %v : tensor<64x128xi32, #rows> to tensor<64x128xf16, #rows>
    %m = ttg.local_alloc %w : (tensor<64x128xf16, #rows>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !ttg.memdesc<64x128xf16, #shared, #smem> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: A layout that stores vectors already stays.
// CHECK-LABEL: @stored_by_vectors
// CHECK:       arith.sitofp {{.*}} to tensor<64x128xf16, #blocked
tt.func @stored_by_vectors(%a: !a, %bp: tensor<8x128x!tt.ptr<i32>, #words>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : tensor<64x128xi32, #rows8>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<8x128x!tt.ptr<i32>, #words>
    %l = ttg.convert_layout %b : tensor<8x128xi32, #words> -> tensor<8x128xi32, #ttg.slice<{dim = 1, parent = #three8}>>
    %x = tt.expand_dims %l {axis = 1 : i32} : tensor<8x128xi32, #ttg.slice<{dim = 1, parent = #three8}>> -> tensor<8x1x128xi32, #three8>
    %y = tt.broadcast %x : tensor<8x1x128xi32, #three8> -> tensor<8x8x128xi32, #three8>
    %f = tt.reshape %y : tensor<8x8x128xi32, #three8> -> tensor<64x128xi32, #rows8>
    %v = arith.andi %f, %mask : tensor<64x128xi32, #rows8>
    %w = arith.sitofp %v : tensor<64x128xi32, #rows8> to tensor<64x128xf16, #rows8>
    %m = ttg.local_alloc %w : (tensor<64x128xf16, #rows8>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !ttg.memdesc<64x128xf16, #shared, #smem> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}

// COM: So does one whose memory has K contiguous, however it is stored.
// CHECK-LABEL: @k_contiguous
// CHECK:       arith.sitofp {{.*}} to tensor<64x128xf16, #blocked
tt.func @k_contiguous(%a: !a, %bp: tensor<8x128x!tt.ptr<i32>, #words>, %n: i32) -> !c {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !c
  %mask = arith.constant dense<15> : tensor<64x128xi32, #rows_k>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) : i32 {
    %b = tt.load %bp : tensor<8x128x!tt.ptr<i32>, #words>
    %l = ttg.convert_layout %b : tensor<8x128xi32, #words> -> tensor<8x128xi32, #ttg.slice<{dim = 1, parent = #three_k}>>
    %x = tt.expand_dims %l {axis = 1 : i32} : tensor<8x128xi32, #ttg.slice<{dim = 1, parent = #three_k}>> -> tensor<8x1x128xi32, #three_k>
    %y = tt.broadcast %x : tensor<8x1x128xi32, #three_k> -> tensor<8x8x128xi32, #three_k>
    %f = tt.reshape %y : tensor<8x8x128xi32, #three_k> -> tensor<64x128xi32, #rows_k>
    %v = arith.andi %f, %mask : tensor<64x128xi32, #rows_k>
    %w = arith.sitofp %v : tensor<64x128xi32, #rows_k> to tensor<64x128xf16, #rows_k>
    %m = ttg.local_alloc %w : (tensor<64x128xf16, #rows_k>) -> !ttg.memdesc<64x128xf16, #sharedt, #smem>
    %d = ttng.warp_group_dot %a, %m, %acc {inputPrecision = 0 : i32} : !a * !ttg.memdesc<64x128xf16, #sharedt, #smem> -> !c
    scf.yield %d : !c
  }
  tt.return %r : !c
}
}
