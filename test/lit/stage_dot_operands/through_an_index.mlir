// RUN: dotload-opt %s --stage-dot-operands='num-stages=4' | FileCheck %s
// RUN: dotload-opt %s --stage-dot-operands='num-stages=2' | FileCheck %s --check-prefix=TWO
// RUN: dotload-opt %s --stage-dot-operands | FileCheck %s --check-prefix=UNKNOWN
// RUN: dotload-opt %s --stage-dot-operands='num-stages=6' | FileCheck %s --check-prefix=SIX
// RUN: sed 's/cuda:90/cuda:89/' %s | dotload-opt --stage-dot-operands='num-stages=6' | FileCheck %s --check-prefix=SMALL
// RUN: sed 's/cuda:90/cuda:89/; s/64x128/64x256/g; s/16x128/16x256/g; s/<1x128/<1x256/g; s/<128xi/<256xi/g; s/end = 128/end = 256/' %s | dotload-opt --stage-dot-operands='num-stages=6' | FileCheck %s --check-prefix=LARGE
// RUN: sed 's/cuda:90/cuda:89/; s/64x128/64x256/g; s/16x128/16x256/g; s/<1x128/<1x256/g; s/<128xi/<256xi/g; s/end = 128/end = 256/' %s | dotload-opt --stage-dot-operands='num-stages=2' | FileCheck %s --check-prefix=NO-ROOM

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#narrow = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#wgmma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#halves = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: A tile that is found through an index, as in a paged cache. With 4 stages, Triton would load both one iteration
// COM: ahead; the pass loads the tile as far ahead as one without an index.
// CHECK-LABEL: @one_level
// CHECK:       tt.load {{.*}} {tt.latency = 3 : i32} : tensor<64x!tt.ptr<i32>
// CHECK:       tt.load {{.*}} {tt.latency = 3 : i32} : tensor<64x128x!tt.ptr<i8>
// COM: With 2 stages, Triton would load one iteration ahead; the pass loads two ahead, since that costs no resident
// COM: block.
// TWO-LABEL:   @one_level
// TWO:         tt.load {{.*}} {tt.latency = 2 : i32} : tensor<64x!tt.ptr<i32>
// TWO:         tt.load {{.*}} {tt.latency = 2 : i32} : tensor<64x128x!tt.ptr<i8>
// NO-ROOM-LABEL: @one_level
// NO-ROOM:     tt.load {{.*}} {tt.latency = 1 : i32} : tensor<64x!tt.ptr<i32>
// NO-ROOM:     tt.load {{.*}} {tt.latency = 1 : i32} : tensor<64x256x!tt.ptr<i8>
// UNKNOWN-LABEL: @one_level
// UNKNOWN-NOT: tt.latency
// UNKNOWN:     tt.return
// COM: With 100 KB of shared memory per multiprocessor, three blocks of 4 warps have room for 3 tiles each. Larger
// COM: tiles do not fit further ahead than Triton loads them: 2 iterations with 6 stages.
// SIX-LABEL:   @one_level
// SIX:         tt.load {{.*}} {tt.latency = 5 : i32} : tensor<64x128x!tt.ptr<i8>
// SMALL-LABEL: @one_level
// SMALL:       tt.load {{.*}} {tt.latency = 3 : i32} : tensor<64x!tt.ptr<i32>
// SMALL:       tt.load {{.*}} {tt.latency = 3 : i32} : tensor<64x128x!tt.ptr<i8>
// LARGE-LABEL: @one_level
// LARGE:       tt.load {{.*}} {tt.latency = 2 : i32} : tensor<64x!tt.ptr<i32>
// LARGE:       tt.load {{.*}} {tt.latency = 2 : i32} : tensor<64x256x!tt.ptr<i8>
tt.func @one_level(%a: tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %rows = tt.load %ip : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>
    %at1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %at = tt.broadcast %at1 : tensor<64x1xi32, #blocked> -> tensor<64x128xi32, #blocked>
    %atp = tt.addptr %bp, %at : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    %b = tt.load %atp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %bf = arith.sitofp %bo : tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> to tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %d = tt.dot %a, %bf, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: One index for the whole tile.
// CHECK-LABEL: @a_scalar
// CHECK:       tt.load {{.*}} {tt.latency = 3 : i32} : !tt.ptr<i32>
// CHECK:       tt.load {{.*}} {tt.latency = 3 : i32} : tensor<64x128x!tt.ptr<i8>
tt.func @a_scalar(%a: tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>, %n: i32, %tp: !tt.ptr<i32>) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %page = tt.load %tp : !tt.ptr<i32>
    %at = tt.splat %page : i32 -> tensor<64x128xi32, #blocked>
    %atp = tt.addptr %bp, %at : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    %b = tt.load %atp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %bf = arith.sitofp %bo : tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> to tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %d = tt.dot %a, %bf, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: The mask of the tile is loaded, and is treated like an index.
// CHECK-LABEL: @a_mask
// CHECK:       tt.load {{.*}} {tt.latency = 3 : i32} : tensor<64x!tt.ptr<i32>
// CHECK:       tt.load {{.*}} {tt.latency = 3 : i32} : tensor<64x128x!tt.ptr<i8>
tt.func @a_mask(%a: tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %rows = tt.load %ip : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>
    %none = arith.constant dense<0> : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %live = arith.cmpi sgt, %rows, %none : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %live1 = tt.expand_dims %live {axis = 1 : i32} : tensor<64xi1, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi1, #blocked>
    %mask = tt.broadcast %live1 : tensor<64x1xi1, #blocked> -> tensor<64x128xi1, #blocked>
    %b = tt.load %bp, %mask : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %bf = arith.sitofp %bo : tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> to tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %d = tt.dot %a, %bf, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: A mask of dims, as in real kernels: it changes at most every 4 elements, as many as the smallest copy has.
// CHECK-LABEL: @a_mask_of_dims
// CHECK:       tt.load {{.*}} {tt.latency = 3 : i32} : tensor<64x!tt.ptr<i32>
// CHECK:       tt.load {{.*}} {tt.latency = 3 : i32} : tensor<64x128x!tt.ptr<i8>
tt.func @a_mask_of_dims(%a: tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>, %live: tensor<64x128xi1, #blocked>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %dims = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %head = arith.constant dense<116> : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %is_dim = arith.cmpi slt, %dims, %head : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %mask1 = tt.expand_dims %is_dim {axis = 0 : i32} : tensor<128xi1, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x128xi1, #blocked>
  %mask = tt.broadcast %mask1 : tensor<1x128xi1, #blocked> -> tensor<64x128xi1, #blocked>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %rows = tt.load %ip : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>
    %at1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %at = tt.broadcast %at1 : tensor<64x1xi32, #blocked> -> tensor<64x128xi32, #blocked>
    %atp = tt.addptr %bp, %at : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    %b = tt.load %atp, %mask : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %bf = arith.sitofp %bo : tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> to tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %d = tt.dot %a, %bf, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: If the mask may change every 2 elements, or is unknown, the tile is loaded byte by byte.
// CHECK-LABEL: @a_mask_of_two_dims
// CHECK-NOT:   tt.latency
// CHECK-LABEL: @any_mask
// CHECK-NOT:   tt.latency
tt.func @a_mask_of_two_dims(%a: tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>, %live: tensor<64x128xi1, #blocked>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %dims = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %head = arith.constant dense<118> : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %is_dim = arith.cmpi slt, %dims, %head : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %mask1 = tt.expand_dims %is_dim {axis = 0 : i32} : tensor<128xi1, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x128xi1, #blocked>
  %mask = tt.broadcast %mask1 : tensor<1x128xi1, #blocked> -> tensor<64x128xi1, #blocked>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %rows = tt.load %ip : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>
    %at1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %at = tt.broadcast %at1 : tensor<64x1xi32, #blocked> -> tensor<64x128xi32, #blocked>
    %atp = tt.addptr %bp, %at : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    %b = tt.load %atp, %mask : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %bf = arith.sitofp %bo : tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> to tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %d = tt.dot %a, %bf, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

tt.func @any_mask(%a: tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>, %live: tensor<64x128xi1, #blocked>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %dims = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %head = arith.constant dense<116> : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %is_dim = arith.cmpi slt, %dims, %head : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
  %mask1 = tt.expand_dims %is_dim {axis = 0 : i32} : tensor<128xi1, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x128xi1, #blocked>
  %mask = tt.broadcast %mask1 : tensor<1x128xi1, #blocked> -> tensor<64x128xi1, #blocked>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %rows = tt.load %ip : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>
    %at1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %at = tt.broadcast %at1 : tensor<64x1xi32, #blocked> -> tensor<64x128xi32, #blocked>
    %atp = tt.addptr %bp, %at : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    %b = tt.load %atp, %live : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %bf = arith.sitofp %bo : tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> to tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %d = tt.dot %a, %bf, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: Triton decides for an index that is found through another one, for a tile that is not copied asynchronously, and
// COM: for a tile without an index.
// CHECK-LABEL: @two_levels
// CHECK-NOT:   tt.latency
// CHECK-LABEL: @in_small_pieces
// CHECK-NOT:   tt.latency
// CHECK-LABEL: @direct
// CHECK-NOT:   tt.latency
// CHECK:       tt.return
tt.func @two_levels(%a: tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %rows = tt.load %ip : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>
    %jp = tt.addptr %ip, %rows : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>, tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %slots = tt.load %jp : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>
    %at1 = tt.expand_dims %slots {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %at = tt.broadcast %at1 : tensor<64x1xi32, #blocked> -> tensor<64x128xi32, #blocked>
    %atp = tt.addptr %bp, %at : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    %b = tt.load %atp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %bf = arith.sitofp %bo : tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> to tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %d = tt.dot %a, %bf, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

tt.func @in_small_pieces(%a: tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x128x!tt.ptr<i8>, #narrow>, %ip: tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #narrow}>>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %rows = tt.load %ip : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #narrow}>>
    %at1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #narrow}>> -> tensor<64x1xi32, #narrow>
    %at = tt.broadcast %at1 : tensor<64x1xi32, #narrow> -> tensor<64x128xi32, #narrow>
    %atp = tt.addptr %bp, %at : tensor<64x128x!tt.ptr<i8>, #narrow>, tensor<64x128xi32, #narrow>
    %b = tt.load %atp : tensor<64x128x!tt.ptr<i8>, #narrow>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #narrow> -> tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %bf = arith.sitofp %bo : tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> to tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %d = tt.dot %a, %bf, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

tt.func @direct(%a: tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>, %n: i32) -> tensor<16x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bo = ttg.convert_layout %b : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %bf = arith.sitofp %bo : tensor<64x128xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> to tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %d = tt.dot %a, %bf, %acc : tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<16x128xf32, #mma>
    scf.yield %d : tensor<16x128xf32, #mma>
  }
  tt.return %r : tensor<16x128xf32, #mma>
}

// COM: wgmma, with room for two blocks: 4 tiles and the copy take more than a third of a multiprocessor's memory.
// CHECK-LABEL: @copied
// SIX-LABEL:   @copied
// SIX:         tt.load {{.*}} {tt.latency = 5 : i32} : tensor<64x256x!tt.ptr<f8E4M3FN>
tt.func @copied(%as: !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem>, %bp: tensor<64x256x!tt.ptr<f8E4M3FN>, #blocked>, %ip: tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>, %n: i32) -> tensor<64x256xf32, #wgmma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x256xf32, #wgmma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x256xf32, #wgmma>) : i32 {
    %rows = tt.load %ip : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>
    %at1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %at = tt.broadcast %at1 : tensor<64x1xi32, #blocked> -> tensor<64x256xi32, #blocked>
    %atp = tt.addptr %bp, %at : tensor<64x256x!tt.ptr<f8E4M3FN>, #blocked>, tensor<64x256xi32, #blocked>
    %b = tt.load %atp : tensor<64x256x!tt.ptr<f8E4M3FN>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x256xf8E4M3FN, #blocked>) -> !ttg.memdesc<64x256xf8E4M3FN, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<64x64xf8E4M3FN, #shared, #smem> * !ttg.memdesc<64x256xf8E4M3FN, #shared1, #smem> -> tensor<64x256xf32, #wgmma>
    %sum = arith.addf %acc, %d : tensor<64x256xf32, #wgmma>
    scf.yield %sum : tensor<64x256xf32, #wgmma>
  }
  tt.return %r : tensor<64x256xf32, #wgmma>
}

// COM: The same for tiles that are converted for wgmma. If the kernel sets the index's latency, it stays.
// CHECK-LABEL: @converted
// CHECK:       tt.load {{.*}} {tt.latency = 3 : i32} : tensor<64x!tt.ptr<i32>
// CHECK:       tt.load {{.*}} {tt.latency = 3 : i32} : tensor<64x128x!tt.ptr<i8>
// CHECK-LABEL: @latency_of_its_own
// CHECK:       tt.load {{.*}} {tt.latency = 1 : i32} : tensor<64x!tt.ptr<i32>
// CHECK:       tt.load %{{[0-9]+}} : tensor<64x128x!tt.ptr<i8>
tt.func @converted(%as: !ttg.memdesc<64x64xf16, #halves, #smem>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>, %s: tensor<64x128xf16, #blocked>, %n: i32) -> tensor<64x128xf32, #wgmma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #wgmma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32, #wgmma>) : i32 {
    %rows = tt.load %ip : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>
    %at1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %at = tt.broadcast %at1 : tensor<64x1xi32, #blocked> -> tensor<64x128xi32, #blocked>
    %atp = tt.addptr %bp, %at : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    %b = tt.load %atp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %f = arith.sitofp %b : tensor<64x128xi8, #blocked> to tensor<64x128xf16, #blocked>
    %w = arith.mulf %f, %s : tensor<64x128xf16, #blocked>
    %bs = ttg.local_alloc %w : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #halves, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #halves, #smem> * !ttg.memdesc<64x128xf16, #halves, #smem> -> tensor<64x128xf32, #wgmma>
    scf.yield %d : tensor<64x128xf32, #wgmma>
  }
  tt.return %r : tensor<64x128xf32, #wgmma>
}

tt.func @latency_of_its_own(%as: !ttg.memdesc<64x64xf16, #halves, #smem>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %ip: tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>, %s: tensor<64x128xf16, #blocked>, %n: i32) -> tensor<64x128xf32, #wgmma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #wgmma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32, #wgmma>) : i32 {
    %rows = tt.load %ip {tt.latency = 1 : i32} : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>
    %at1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %at = tt.broadcast %at1 : tensor<64x1xi32, #blocked> -> tensor<64x128xi32, #blocked>
    %atp = tt.addptr %bp, %at : tensor<64x128x!tt.ptr<i8>, #blocked>, tensor<64x128xi32, #blocked>
    %b = tt.load %atp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %f = arith.sitofp %b : tensor<64x128xi8, #blocked> to tensor<64x128xf16, #blocked>
    %w = arith.mulf %f, %s : tensor<64x128xf16, #blocked>
    %bs = ttg.local_alloc %w : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #halves, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #halves, #smem> * !ttg.memdesc<64x128xf16, #halves, #smem> -> tensor<64x128xf32, #wgmma>
    scf.yield %d : tensor<64x128xf32, #wgmma>
  }
  tt.return %r : tensor<64x128xf32, #wgmma>
}
// COM: Room for two blocks: the tile stored for the second dot takes the place of what the first dot has read, so two
// COM: tiles of 16 KB each are loaded ahead.
// CHECK-LABEL: @one_after_the_other
// CHECK-COUNT-2: tt.load {{.*}} {tt.latency = 2 : i32} : tensor<64x256x!tt.ptr<i8>
tt.func @one_after_the_other(%as: !ttg.memdesc<64x64xf16, #halves, #smem>, %bp: tensor<64x256x!tt.ptr<i8>, #blocked>, %cp: tensor<64x256x!tt.ptr<i8>, #blocked>, %ip: tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>, %s: tensor<64x256xf16, #blocked>, %n: i32) -> tensor<64x256xf32, #wgmma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x256xf32, #wgmma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x256xf32, #wgmma>) : i32 {
    %rows = tt.load %ip : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>
    %at1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %at = tt.broadcast %at1 : tensor<64x1xi32, #blocked> -> tensor<64x256xi32, #blocked>
    %at0p = tt.addptr %bp, %at : tensor<64x256x!tt.ptr<i8>, #blocked>, tensor<64x256xi32, #blocked>
    %at1p = tt.addptr %cp, %at : tensor<64x256x!tt.ptr<i8>, #blocked>, tensor<64x256xi32, #blocked>
    %b0 = tt.load %at0p : tensor<64x256x!tt.ptr<i8>, #blocked>
    %f0 = arith.sitofp %b0 : tensor<64x256xi8, #blocked> to tensor<64x256xf16, #blocked>
    %w0 = arith.mulf %f0, %s : tensor<64x256xf16, #blocked>
    %bs0 = ttg.local_alloc %w0 : (tensor<64x256xf16, #blocked>) -> !ttg.memdesc<64x256xf16, #halves, #smem>
    %d0 = ttng.warp_group_dot %as, %bs0, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #halves, #smem> * !ttg.memdesc<64x256xf16, #halves, #smem> -> tensor<64x256xf32, #wgmma>
    %b1 = tt.load %at1p : tensor<64x256x!tt.ptr<i8>, #blocked>
    %f1 = arith.sitofp %b1 : tensor<64x256xi8, #blocked> to tensor<64x256xf16, #blocked>
    %w1 = arith.mulf %f1, %s : tensor<64x256xf16, #blocked>
    %bs1 = ttg.local_alloc %w1 : (tensor<64x256xf16, #blocked>) -> !ttg.memdesc<64x256xf16, #halves, #smem>
    %d1 = ttng.warp_group_dot %as, %bs1, %d0 {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #halves, #smem> * !ttg.memdesc<64x256xf16, #halves, #smem> -> tensor<64x256xf32, #wgmma>
    scf.yield %d1 : tensor<64x256xf32, #wgmma>
  }
  tt.return %r : tensor<64x256xf32, #wgmma>
}

// COM: Both tiles are stored before the first dot: there is room for one.
// CHECK-LABEL: @both_at_once
// CHECK-COUNT-2: tt.load {{.*}} {tt.latency = 1 : i32} : tensor<64x256x!tt.ptr<i8>
tt.func @both_at_once(%as: !ttg.memdesc<64x64xf16, #halves, #smem>, %bp: tensor<64x256x!tt.ptr<i8>, #blocked>, %cp: tensor<64x256x!tt.ptr<i8>, #blocked>, %ip: tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>, %s: tensor<64x256xf16, #blocked>, %n: i32) -> tensor<64x256xf32, #wgmma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x256xf32, #wgmma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x256xf32, #wgmma>) : i32 {
    %rows = tt.load %ip : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #blocked}>>
    %at1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %at = tt.broadcast %at1 : tensor<64x1xi32, #blocked> -> tensor<64x256xi32, #blocked>
    %at0p = tt.addptr %bp, %at : tensor<64x256x!tt.ptr<i8>, #blocked>, tensor<64x256xi32, #blocked>
    %at1p = tt.addptr %cp, %at : tensor<64x256x!tt.ptr<i8>, #blocked>, tensor<64x256xi32, #blocked>
    %b0 = tt.load %at0p : tensor<64x256x!tt.ptr<i8>, #blocked>
    %f0 = arith.sitofp %b0 : tensor<64x256xi8, #blocked> to tensor<64x256xf16, #blocked>
    %w0 = arith.mulf %f0, %s : tensor<64x256xf16, #blocked>
    %bs0 = ttg.local_alloc %w0 : (tensor<64x256xf16, #blocked>) -> !ttg.memdesc<64x256xf16, #halves, #smem>
    %b1 = tt.load %at1p : tensor<64x256x!tt.ptr<i8>, #blocked>
    %f1 = arith.sitofp %b1 : tensor<64x256xi8, #blocked> to tensor<64x256xf16, #blocked>
    %w1 = arith.mulf %f1, %s : tensor<64x256xf16, #blocked>
    %bs1 = ttg.local_alloc %w1 : (tensor<64x256xf16, #blocked>) -> !ttg.memdesc<64x256xf16, #halves, #smem>
    %d0 = ttng.warp_group_dot %as, %bs0, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #halves, #smem> * !ttg.memdesc<64x256xf16, #halves, #smem> -> tensor<64x256xf32, #wgmma>
    %d1 = ttng.warp_group_dot %as, %bs1, %d0 {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #halves, #smem> * !ttg.memdesc<64x256xf16, #halves, #smem> -> tensor<64x256xf32, #wgmma>
    scf.yield %d1 : tensor<64x256xf32, #wgmma>
  }
  tt.return %r : tensor<64x256xf32, #wgmma>
}
}
