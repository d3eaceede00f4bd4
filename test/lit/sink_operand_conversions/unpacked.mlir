// RUN: dotload-opt %s --sink-operand-conversions --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: dotload-opt %s --sink-operand-conversions --await-register-operands | FileCheck %s --check-prefix=FLIGHT
// RUN: dotload-opt %s --await-register-operands | FileCheck %s --check-prefix=WHOLE

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#half = #ttg.linear<{register = [[8, 0], [0, 4], [0, 8]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#pair = #ttg.linear<{register = [[0, 0, 1], [8, 0, 0], [0, 4, 0], [0, 8, 0]], lane = [[0, 1, 0], [0, 2, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#whole = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#cut4 = #ttg.linear<{register = [[0, 0, 1], [8, 0, 0], [0, 0, 8], [0, 1, 0]], lane = [[0, 0, 2], [0, 0, 4], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#cut3 = #ttg.linear<{register = [[0, 1, 0], [8, 0, 0], [0, 8, 0], [0, 0, 1]], lane = [[0, 2, 0], [0, 4, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp = [[16, 0, 0], [32, 0, 0]], block = []}>
#cut2 = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Numbers that the kernel unpacks are split before they are converted. Each part is converted after the wait before
// COM: its dot, so the last one may stay in flight. Converted as a whole above the waits, it may not.
// CHECK-LABEL: @unpacked
// CHECK:       %[[NUMBERS:.*]] = builtin.unrealized_conversion_cast
// CHECK-NOT:   arith.sitofp
// CHECK:       %[[LO:.*]], %[[HI:.*]] = tt.split %{{.*}} : tensor<64x16x2xi8, {{.*}}> -> tensor<64x16xi8
// CHECK:       %[[P1:.*]] = ttg.convert_layout %[[HI]]
// CHECK:       ttng.warp_group_dot %
// CHECK-NEXT:  ttng.warp_group_dot_wait
// CHECK-NEXT:  %[[A1:.*]] = arith.sitofp %[[P1]]
// CHECK-NEXT:  ttng.warp_group_dot %[[A1]]
// REMARK:      remark: sink-operand-conversions: each part of the operand is converted right before its dot
// FLIGHT-LABEL:  @unpacked
// FLIGHT-COUNT-2: ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// WHOLE-LABEL: @unpacked
// WHOLE:       ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// WHOLE:       ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
tt.func @unpacked(%packed: tensor<64x16xi8, #half>, %b: !ttg.memdesc<32x128xf16, #shared, #smem, mutable>, %init: tensor<64x128xf32, #mma>, %n: i32) -> tensor<64x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %four = arith.constant dense<4> : tensor<64x16xi8, #half>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<64x128xf32, #mma>) : i32 {
    %high = arith.shrui %packed, %four : tensor<64x16xi8, #half>
    %both = tt.join %packed, %high : tensor<64x16xi8, #half> -> tensor<64x16x2xi8, #pair>
    %flat = tt.reshape %both : tensor<64x16x2xi8, #pair> -> tensor<64x32xi8, #whole>
    %numbers = builtin.unrealized_conversion_cast %flat : tensor<64x32xi8, #whole> to tensor<64x32xi8, #dot>
    %a = arith.sitofp %numbers : tensor<64x32xi8, #dot> to tensor<64x32xf16, #dot>
    %s = tt.reshape %a : tensor<64x32xf16, #dot> -> tensor<64x2x16xf16, #cut4>
    %t = tt.trans %s {order = array<i32: 0, 2, 1>} : tensor<64x2x16xf16, #cut4> -> tensor<64x16x2xf16, #cut3>
    %lo, %hi = tt.split %t : tensor<64x16x2xf16, #cut3> -> tensor<64x16xf16, #cut2>
    %a0 = ttg.convert_layout %lo : tensor<64x16xf16, #cut2> -> tensor<64x16xf16, #dot>
    %a1 = ttg.convert_layout %hi : tensor<64x16xf16, #cut2> -> tensor<64x16xf16, #dot>
    %b0 = ttg.memdesc_subslice %b[0, 0] : !ttg.memdesc<32x128xf16, #shared, #smem, mutable> -> !ttg.memdesc<16x128xf16, #shared, #smem, mutable, 32x128>
    %b1 = ttg.memdesc_subslice %b[16, 0] : !ttg.memdesc<32x128xf16, #shared, #smem, mutable> -> !ttg.memdesc<16x128xf16, #shared, #smem, mutable, 32x128>
    %d0 = ttng.warp_group_dot %a0, %b0, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x16xf16, #dot> * !ttg.memdesc<16x128xf16, #shared, #smem, mutable, 32x128> -> tensor<64x128xf32, #mma>
    %w0 = ttng.warp_group_dot_wait %d0 {pendings = 1 : i32} : tensor<64x128xf32, #mma>
    %d1 = ttng.warp_group_dot %a1, %b1, %w0 {inputPrecision = 0 : i32, isAsync = true} : tensor<64x16xf16, #dot> * !ttg.memdesc<16x128xf16, #shared, #smem, mutable, 32x128> -> tensor<64x128xf32, #mma>
    %w1 = ttng.warp_group_dot_wait %d1 {pendings = 1 : i32} : tensor<64x128xf32, #mma>
    scf.yield %w1 : tensor<64x128xf32, #mma>
  }
  tt.return %r : tensor<64x128xf32, #mma>
}

// COM: The waits leave as many dots in flight as A has parts: the previous iteration's dot may still read this part. So
// COM: they leave one fewer.
// FLIGHT-LABEL: @more_in_flight
// FLIGHT-COUNT-2: ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// FLIGHT:         scf.yield
tt.func @more_in_flight(%packed: tensor<64x16xi8, #half>, %b: !ttg.memdesc<32x128xf16, #shared, #smem, mutable>, %init: tensor<64x128xf32, #mma>, %n: i32) -> tensor<64x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %four = arith.constant dense<4> : tensor<64x16xi8, #half>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<64x128xf32, #mma>) : i32 {
    %high = arith.shrui %packed, %four : tensor<64x16xi8, #half>
    %both = tt.join %packed, %high : tensor<64x16xi8, #half> -> tensor<64x16x2xi8, #pair>
    %flat = tt.reshape %both : tensor<64x16x2xi8, #pair> -> tensor<64x32xi8, #whole>
    %numbers = builtin.unrealized_conversion_cast %flat : tensor<64x32xi8, #whole> to tensor<64x32xi8, #dot>
    %a = arith.sitofp %numbers : tensor<64x32xi8, #dot> to tensor<64x32xf16, #dot>
    %s = tt.reshape %a : tensor<64x32xf16, #dot> -> tensor<64x2x16xf16, #cut4>
    %t = tt.trans %s {order = array<i32: 0, 2, 1>} : tensor<64x2x16xf16, #cut4> -> tensor<64x16x2xf16, #cut3>
    %lo, %hi = tt.split %t : tensor<64x16x2xf16, #cut3> -> tensor<64x16xf16, #cut2>
    %a0 = ttg.convert_layout %lo : tensor<64x16xf16, #cut2> -> tensor<64x16xf16, #dot>
    %a1 = ttg.convert_layout %hi : tensor<64x16xf16, #cut2> -> tensor<64x16xf16, #dot>
    %b0 = ttg.memdesc_subslice %b[0, 0] : !ttg.memdesc<32x128xf16, #shared, #smem, mutable> -> !ttg.memdesc<16x128xf16, #shared, #smem, mutable, 32x128>
    %b1 = ttg.memdesc_subslice %b[16, 0] : !ttg.memdesc<32x128xf16, #shared, #smem, mutable> -> !ttg.memdesc<16x128xf16, #shared, #smem, mutable, 32x128>
    %d0 = ttng.warp_group_dot %a0, %b0, %acc {inputPrecision = 0 : i32, isAsync = true} : tensor<64x16xf16, #dot> * !ttg.memdesc<16x128xf16, #shared, #smem, mutable, 32x128> -> tensor<64x128xf32, #mma>
    %w0 = ttng.warp_group_dot_wait %d0 {pendings = 2 : i32} : tensor<64x128xf32, #mma>
    %d1 = ttng.warp_group_dot %a1, %b1, %w0 {inputPrecision = 0 : i32, isAsync = true} : tensor<64x16xf16, #dot> * !ttg.memdesc<16x128xf16, #shared, #smem, mutable, 32x128> -> tensor<64x128xf32, #mma>
    %w1 = ttng.warp_group_dot_wait %d1 {pendings = 2 : i32} : tensor<64x128xf32, #mma>
    scf.yield %w1 : tensor<64x128xf32, #mma>
  }
  tt.return %r : tensor<64x128xf32, #mma>
}
}
