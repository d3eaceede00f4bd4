// RUN: dotload-opt %s --stage-dot-operands --remarks 2>&1 >%t | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#whole_columns = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#pairs = #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#mma_v3 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 8]}>
#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#nvmma_t = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#nvmma8_t = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#mma8_v3 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#a_v3 = #ttg.dot_op<{opIdx = 0, parent = #mma8_v3, kWidth = 4}>
#blocked3 = #ttg.blocked<{sizePerThread = [1, 1, 8], threadsPerWarp = [1, 2, 16], warpsPerCTA = [1, 4, 1], order = [2, 1, 0]}>
#mma3 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 1, 2], instrShape = [1, 16, 8]}>
#a3 = #ttg.dot_op<{opIdx = 0, parent = #mma3, kWidth = 4}>
#b3 = #ttg.dot_op<{opIdx = 1, parent = #mma3, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The operand is computed from two 8-bit tiles.
// CHECK:      unstaged.mlir:[[@LINE+2]]:{{.*}} kept tt.load: stock Triton transposes the tile element by element, and {{.*}} combines it with another; {{.*}}: B (not K-major, 8 bits, tile 64x128) [COMPUTED_WITH]
tt.func @two_tiles(%x: tensor<16x64xf16, #a>, %wp: tensor<64x128x!tt.ptr<i8>, #blocked>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %w = tt.load %wp : tensor<64x128x!tt.ptr<i8>, #blocked>
  %wo = ttg.convert_layout %w : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
  %v = tt.load %wp : tensor<64x128x!tt.ptr<i8>, #blocked>
  %vo = ttg.convert_layout %v : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
  %f = arith.sitofp %wo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
  %h = arith.sitofp %vo : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
  %g = arith.mulf %f, %h : tensor<64x128xf16, #b>
  %d = tt.dot %x, %g, %c : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %d : tensor<16x128xf32, #mma>
}

// COM: 8-bit fragments that are scaled, and rounded to 8 bits again, are combined with no other tile.
// CHECK:      unstaged.mlir:[[@LINE+2]]:{{.*}} kept tt.load: {{.*}} and tt.fp_to_fp is not supported between the load and the dot; load it from a K-major matrix: A (not K-major, 8 bits, tile 64x64) [NOT_FOLLOWED]
tt.func @rounded_again(%xp: tensor<64x64x!tt.ptr<f8E4M3FN>, #columns>, %s: tensor<64x64xf32, #a_v3>, %w: !ttg.memdesc<64x128xf8E4M3FN, #nvmma8_t, #ttg.shared_memory>, %c: tensor<64x128xf32, #mma8_v3>) -> tensor<64x128xf32, #mma8_v3> {
  %x = tt.load %xp : tensor<64x64x!tt.ptr<f8E4M3FN>, #columns>
  %xo = ttg.convert_layout %x : tensor<64x64xf8E4M3FN, #columns> -> tensor<64x64xf8E4M3FN, #a_v3>
  %f = tt.fp_to_fp %xo : tensor<64x64xf8E4M3FN, #a_v3> -> tensor<64x64xf32, #a_v3>
  %scaled = arith.mulf %f, %s : tensor<64x64xf32, #a_v3>
  %r = tt.fp_to_fp %scaled, rounding = rtne : tensor<64x64xf32, #a_v3> -> tensor<64x64xf8E4M3FN, #a_v3>
  %d = ttng.warp_group_dot %r, %w, %c {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #a_v3> * !ttg.memdesc<64x128xf8E4M3FN, #nvmma8_t, #ttg.shared_memory> -> tensor<64x128xf32, #mma8_v3>
  tt.return %d : tensor<64x128xf32, #mma8_v3>
}

// COM: An op between the load and the fragments.
// CHECK:      kept tt.load: stock Triton transposes the tile element by element, and arith.andi is not supported between the load and the dot; load it from a K-major matrix: B (not K-major, 8 bits, tile 64x128) [NOT_FOLLOWED]
tt.func @masked_bits(%x: tensor<16x64xi8, #a>, %wp: tensor<64x128x!tt.ptr<i8>, #blocked>, %m: tensor<64x128xi8, #blocked>, %c: tensor<16x128xi32, #mma>) -> tensor<16x128xi32, #mma> {
  %w = tt.load %wp : tensor<64x128x!tt.ptr<i8>, #blocked>
  %low = arith.andi %w, %m : tensor<64x128xi8, #blocked>
  %wo = ttg.convert_layout %low : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
  %d = tt.dot %x, %wo, %c : tensor<16x64xi8, #a> * tensor<64x128xi8, #b> -> tensor<16x128xi32, #mma>
  tt.return %d : tensor<16x128xi32, #mma>
}

// COM: A multiplication by a row may be left to the result; the row gets no remark.
// CHECK-NEXT: kept tt.load: {{.*}} and arith.muli between the load and the dot is not supported; multiply the result of the dot instead {{.*}}: B (not K-major, 8 bits, tile 64x128) [MULTIPLIED]
tt.func @scaled_by_a_row(%x: tensor<16x64xi8, #a>, %wp: tensor<64x128x!tt.ptr<i8>, #blocked>, %rp: tensor<1x128x!tt.ptr<i8>, #blocked>, %c: tensor<16x128xi32, #mma>) -> tensor<16x128xi32, #mma> {
  %w = tt.load %wp : tensor<64x128x!tt.ptr<i8>, #blocked>
  %r = tt.load %rp : tensor<1x128x!tt.ptr<i8>, #blocked>
  %rs = tt.broadcast %r : tensor<1x128xi8, #blocked> -> tensor<64x128xi8, #blocked>
  %scaled = arith.muli %w, %rs : tensor<64x128xi8, #blocked>
  %wo = ttg.convert_layout %scaled : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
  %d = tt.dot %x, %wo, %c : tensor<16x64xi8, #a> * tensor<64x128xi8, #b> -> tensor<16x128xi32, #mma>
  tt.return %d : tensor<16x128xi32, #mma>
}

// COM: Bytes that become tf32: a conversion cannot be left to the result, so neither can the multiplication after it.
// CHECK-NEXT: kept tt.load: {{.*}} and arith.sitofp is not supported between the load and the dot; load it from a K-major matrix: B (not K-major, 8 bits, tile 64x128) [NOT_FOLLOWED]
tt.func @converted_and_scaled(%x: !ttg.memdesc<64x64xf32, #nvmma, #ttg.shared_memory>, %wp: tensor<64x128x!tt.ptr<i8>, #blocked>, %s: tensor<64x128xf32, #blocked>, %c: tensor<64x128xf32, #mma_v3>) -> tensor<64x128xf32, #mma_v3> {
  %w = tt.load %wp : tensor<64x128x!tt.ptr<i8>, #blocked>
  %f = arith.sitofp %w : tensor<64x128xi8, #blocked> to tensor<64x128xf32, #blocked>
  %scaled = arith.mulf %f, %s : tensor<64x128xf32, #blocked>
  %m = ttg.local_alloc %scaled : (tensor<64x128xf32, #blocked>) -> !ttg.memdesc<64x128xf32, #nvmma_t, #ttg.shared_memory>
  %d = ttng.warp_group_dot %x, %m, %c {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf32, #nvmma, #ttg.shared_memory> * !ttg.memdesc<64x128xf32, #nvmma_t, #ttg.shared_memory> -> tensor<64x128xf32, #mma_v3>
  tt.return %d : tensor<64x128xf32, #mma_v3>
}

// COM: The same for mma.sync, which reads words one by one in either order: K-major memory would change nothing.
// CHECK-NEXT: kept tt.load: mma.sync reads 32-bit operands one by one in either order: nothing to gain: B (not K-major, 8 bits, tile 64x128) [WORDS_OF_MMA]
tt.func @converted_to_words(%x: tensor<16x64xf32, #a>, %wp: tensor<64x128x!tt.ptr<i8>, #blocked>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %w = tt.load %wp : tensor<64x128x!tt.ptr<i8>, #blocked>
  %f = arith.sitofp %w : tensor<64x128xi8, #blocked> to tensor<64x128xf32, #blocked>
  %wo = ttg.convert_layout %f : tensor<64x128xf32, #blocked> -> tensor<64x128xf32, #b>
  %d = tt.dot %x, %wo, %c, inputPrecision = tf32 : tensor<16x64xf32, #a> * tensor<64x128xf32, #b> -> tensor<16x128xf32, #mma>
  tt.return %d : tensor<16x128xf32, #mma>
}

// COM: A block-scaled dot of sm_120.
// CHECK-NEXT: kept tt.load: stock Triton transposes the tile element by element, and block-scaled dots of the hardware are not supported; {{.*}}: B (not K-major, 8 bits, tile 64x128) [SCALED_DOT]
tt.func @scaled_in_hardware(%x: tensor<16x64xf8E4M3FN, #a>, %wp: tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>, %xs: tensor<16x2xi8, #blocked>, %ws: tensor<128x2xi8, #blocked>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %w = tt.load %wp : tensor<64x128x!tt.ptr<f8E4M3FN>, #blocked>
  %wo = ttg.convert_layout %w : tensor<64x128xf8E4M3FN, #blocked> -> tensor<64x128xf8E4M3FN, #b>
  %d = tt.dot_scaled %x scale %xs, %wo scale %ws, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<16x64xf8E4M3FN, #a>, tensor<16x2xi8, #blocked> * tensor<64x128xf8E4M3FN, #b>, tensor<128x2xi8, #blocked> -> tensor<16x128xf32, #mma>
  tt.return %d : tensor<16x128xf32, #mma>
}

// COM: The same with a K-major tile: no remark.
// CHECK-NOT:  unstaged.mlir:[[@LINE+2]]:
tt.func @scaled_in_hardware_k_major(%x: tensor<16x64xf8E4M3FN, #a>, %wp: tensor<64x128x!tt.ptr<f8E4M3FN>, #columns>, %xs: tensor<16x2xi8, #blocked>, %ws: tensor<128x2xi8, #blocked>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %w = tt.load %wp : tensor<64x128x!tt.ptr<f8E4M3FN>, #columns>
  %wo = ttg.convert_layout %w : tensor<64x128xf8E4M3FN, #columns> -> tensor<64x128xf8E4M3FN, #b>
  %d = tt.dot_scaled %x scale %xs, %wo scale %ws, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<16x64xf8E4M3FN, #a>, tensor<16x2xi8, #blocked> * tensor<64x128xf8E4M3FN, #b>, tensor<128x2xi8, #blocked> -> tensor<16x128xf32, #mma>
  tt.return %d : tensor<16x128xf32, #mma>
}

// COM: K-major tiles are read in words, whatever op is in between: no remark.
// CHECK-NOT:  unstaged.mlir:[[@LINE+2]]:
tt.func @k_major(%x: tensor<16x64xi8, #a>, %wp: tensor<64x128x!tt.ptr<i8>, #columns>, %m: tensor<64x128xi8, #columns>, %c: tensor<16x128xi32, #mma>) -> tensor<16x128xi32, #mma> {
  %w = tt.load %wp : tensor<64x128x!tt.ptr<i8>, #columns>
  %low = arith.andi %w, %m : tensor<64x128xi8, #columns>
  %wo = ttg.convert_layout %low : tensor<64x128xi8, #columns> -> tensor<64x128xi8, #b>
  %d = tt.dot %x, %wo, %c : tensor<16x64xi8, #a> * tensor<64x128xi8, #b> -> tensor<16x128xi32, #mma>
  tt.return %d : tensor<16x128xi32, #mma>
}

// COM: A thread holds whole columns, which Triton stores in vectors: no remark, whatever the order of the encoding is.
// CHECK-NOT:  unstaged.mlir:[[@LINE+2]]:
tt.func @columns_of_a_thread(%x: tensor<16x64xi8, #a>, %wp: tensor<64x128x!tt.ptr<i8>, #whole_columns>, %m: tensor<64x128xi8, #whole_columns>, %c: tensor<16x128xi32, #mma>) -> tensor<16x128xi32, #mma> {
  %w = tt.load %wp : tensor<64x128x!tt.ptr<i8>, #whole_columns>
  %low = arith.andi %w, %m : tensor<64x128xi8, #whole_columns>
  %wo = ttg.convert_layout %low : tensor<64x128xi8, #whole_columns> -> tensor<64x128xi8, #b>
  %d = tt.dot %x, %wo, %c : tensor<16x64xi8, #a> * tensor<64x128xi8, #b> -> tensor<16x128xi32, #mma>
  tt.return %d : tensor<16x128xi32, #mma>
}

// COM: A thread holds pairs along k, half a word.
// CHECK:      unstaged.mlir:[[@LINE+2]]:{{.*}} kept tt.load: stock Triton transposes the tile element by element, and arith.andi {{.*}} [NOT_FOLLOWED]
tt.func @pairs_of_a_thread(%x: tensor<16x64xi8, #a>, %wp: tensor<64x128x!tt.ptr<i8>, #pairs>, %m: tensor<64x128xi8, #pairs>, %c: tensor<16x128xi32, #mma>) -> tensor<16x128xi32, #mma> {
  %w = tt.load %wp : tensor<64x128x!tt.ptr<i8>, #pairs>
  %low = arith.andi %w, %m : tensor<64x128xi8, #pairs>
  %wo = ttg.convert_layout %low : tensor<64x128xi8, #pairs> -> tensor<64x128xi8, #b>
  %d = tt.dot %x, %wo, %c : tensor<16x64xi8, #a> * tensor<64x128xi8, #b> -> tensor<16x128xi32, #mma>
  tt.return %d : tensor<16x128xi32, #mma>
}

// COM: A dot of three-dimensional tiles.
// CHECK:      kept tt.load: stock Triton transposes the tile element by element, and tiles of 3 dimensions are not supported; {{.*}}: B (not K-major, 8 bits, tile 2x64x128) [BATCHED]
tt.func @batched(%x: tensor<2x16x64xi8, #a3>, %wp: tensor<2x64x128x!tt.ptr<i8>, #blocked3>, %c: tensor<2x16x128xi32, #mma3>) -> tensor<2x16x128xi32, #mma3> {
  %w = tt.load %wp : tensor<2x64x128x!tt.ptr<i8>, #blocked3>
  %wo = ttg.convert_layout %w : tensor<2x64x128xi8, #blocked3> -> tensor<2x64x128xi8, #b3>
  %d = tt.dot %x, %wo, %c : tensor<2x16x64xi8, #a3> * tensor<2x64x128xi8, #b3> -> tensor<2x16x128xi32, #mma3>
  tt.return %d : tensor<2x16x128xi32, #mma3>
}

// COM: The tile is loaded in both branches, with a mask and without one.
// CHECK:      unstaged.mlir:[[@LINE+8]]:{{.*}} kept tt.load: stock Triton transposes the tile element by element, and a branch loads it; {{.*}}: B (not K-major, 8 bits, tile 64x128) [BRANCHED]
// CHECK:      unstaged.mlir:[[@LINE+4]]:{{.*}} [BRANCHED]
// CHECK-NOT:  unstaged.mlir:[[@LINE+1]]:
tt.func @branches(%x: tensor<16x64xi8, #a>, %wp: tensor<64x128x!tt.ptr<i8>, #blocked>, %m: tensor<64x128xi1, #blocked>, %last: i1, %c: tensor<16x128xi32, #mma>) -> tensor<16x128xi32, #mma> {
  %w = scf.if %last -> (tensor<64x128xi8, #blocked>) {
    %masked = tt.load %wp, %m : tensor<64x128x!tt.ptr<i8>, #blocked>
    scf.yield %masked : tensor<64x128xi8, #blocked>
  } else {
    %whole = tt.load %wp : tensor<64x128x!tt.ptr<i8>, #blocked>
    scf.yield %whole : tensor<64x128xi8, #blocked>
  }
  %wo = ttg.convert_layout %w : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
  %d = tt.dot %x, %wo, %c : tensor<16x64xi8, #a> * tensor<64x128xi8, #b> -> tensor<16x128xi32, #mma>
  tt.return %d : tensor<16x128xi32, #mma>
}

// COM: The loop carries the next iteration's tile: remarks for the loads before and in the loop.
// CHECK:      unstaged.mlir:[[@LINE+4]]:{{.*}} kept tt.load: stock Triton transposes the tile element by element, and the loop carries it {{.*}}: B (not K-major, 8 bits, tile 64x128) [CARRIED]
// CHECK:      unstaged.mlir:[[@LINE+7]]:{{.*}} [CARRIED]
// CHECK-NOT:  remark
tt.func @loaded_ahead(%x: tensor<16x64xi8, #a>, %wp: tensor<64x128x!tt.ptr<i8>, #blocked>, %k: i32, %c: tensor<16x128xi32, #mma>) -> tensor<16x128xi32, #mma> {
  %w = tt.load %wp : tensor<64x128x!tt.ptr<i8>, #blocked>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %d:2 = scf.for %i = %zero to %k step %one iter_args(%acc = %c, %now = %w) -> (tensor<16x128xi32, #mma>, tensor<64x128xi8, #blocked>) : i32 {
    %next = tt.load %wp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %wo = ttg.convert_layout %now : tensor<64x128xi8, #blocked> -> tensor<64x128xi8, #b>
    %sum = tt.dot %x, %wo, %acc : tensor<16x64xi8, #a> * tensor<64x128xi8, #b> -> tensor<16x128xi32, #mma>
    scf.yield %sum, %next : tensor<16x128xi32, #mma>, tensor<64x128xi8, #blocked>
  }
  tt.return %d#0 : tensor<16x128xi32, #mma>
}
}
