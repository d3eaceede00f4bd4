// RUN: dotload-opt %s --sink-operand-conversions | FileCheck %s --check-prefix=PARTS
// RUN: dotload-opt %s --sink-operand-conversions='whole-columns=63' | FileCheck %s --check-prefix=PARTS
// RUN: dotload-opt %s --sink-operand-conversions='whole-columns=64' --remarks 2>%t | FileCheck %s --check-prefix=WHOLE
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// COM: With the option, unpacked numbers for few columns are converted as a whole.

#narrow = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#ndot = #ttg.dot_op<{opIdx = 0, parent = #narrow, kWidth = 2}>
#half = #ttg.linear<{register = [[8, 0], [0, 4], [0, 8]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#pair = #ttg.linear<{register = [[0, 0, 1], [8, 0, 0], [0, 4, 0], [0, 8, 0]], lane = [[0, 1, 0], [0, 2, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#whole = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#cut4 = #ttg.linear<{register = [[0, 0, 1], [8, 0, 0], [0, 0, 8], [0, 1, 0]], lane = [[0, 0, 2], [0, 0, 4], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#cut3 = #ttg.linear<{register = [[0, 1, 0], [8, 0, 0], [0, 8, 0], [0, 0, 1]], lane = [[0, 2, 0], [0, 4, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#cut2 = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// PARTS-LABEL:   @few_columns
// PARTS-COUNT-2: arith.sitofp {{.*}} to tensor<64x16xf16
// WHOLE-LABEL: @few_columns
// WHOLE:       %[[A:.*]] = arith.sitofp {{.*}} to tensor<64x32xf16
// WHOLE:       tt.reshape %[[A]]
// REMARK: remark: sink-operand-conversions: kept arith.sitofp: the dot has 64 columns; with 64 or fewer it is memory-bound [FEW_COLUMNS]
tt.func @few_columns(%packed: tensor<64x16xi8, #half>, %b: !ttg.memdesc<32x64xf16, #shared, #smem, mutable>, %init: tensor<64x64xf32, #narrow>, %n: i32) -> tensor<64x64xf32, #narrow> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %four = arith.constant dense<4> : tensor<64x16xi8, #half>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<64x64xf32, #narrow>) : i32 {
    %high = arith.shrui %packed, %four : tensor<64x16xi8, #half>
    %both = tt.join %packed, %high : tensor<64x16xi8, #half> -> tensor<64x16x2xi8, #pair>
    %flat = tt.reshape %both : tensor<64x16x2xi8, #pair> -> tensor<64x32xi8, #whole>
    %numbers = builtin.unrealized_conversion_cast %flat : tensor<64x32xi8, #whole> to tensor<64x32xi8, #ndot>
    %a = arith.sitofp %numbers : tensor<64x32xi8, #ndot> to tensor<64x32xf16, #ndot>
    %s = tt.reshape %a : tensor<64x32xf16, #ndot> -> tensor<64x2x16xf16, #cut4>
    %t = tt.trans %s {order = array<i32: 0, 2, 1>} : tensor<64x2x16xf16, #cut4> -> tensor<64x16x2xf16, #cut3>
    %lo, %hi = tt.split %t : tensor<64x16x2xf16, #cut3> -> tensor<64x16xf16, #cut2>
    %a0 = ttg.convert_layout %lo : tensor<64x16xf16, #cut2> -> tensor<64x16xf16, #ndot>
    %a1 = ttg.convert_layout %hi : tensor<64x16xf16, #cut2> -> tensor<64x16xf16, #ndot>
    %b0 = ttg.memdesc_subslice %b[0, 0] : !ttg.memdesc<32x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<16x64xf16, #shared, #smem, mutable, 32x64>
    %b1 = ttg.memdesc_subslice %b[16, 0] : !ttg.memdesc<32x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<16x64xf16, #shared, #smem, mutable, 32x64>
    %d0 = ttng.warp_group_dot %a0, %b0, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x16xf16, #ndot> * !ttg.memdesc<16x64xf16, #shared, #smem, mutable, 32x64> -> tensor<64x64xf32, #narrow>
    %w0 = ttng.warp_group_dot_wait %d0 {pendings = 1 : i32} : tensor<64x64xf32, #narrow>
    %d1 = ttng.warp_group_dot %a1, %b1, %w0 {inputPrecision = 0 : i32, isAsync = true} : tensor<64x16xf16, #ndot> * !ttg.memdesc<16x64xf16, #shared, #smem, mutable, 32x64> -> tensor<64x64xf32, #narrow>
    %w1 = ttng.warp_group_dot_wait %d1 {pendings = 1 : i32} : tensor<64x64xf32, #narrow>
    scf.yield %w1 : tensor<64x64xf32, #narrow>
  }
  tt.return %r : tensor<64x64xf32, #narrow>
}
}
