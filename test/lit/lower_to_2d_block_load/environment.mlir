// RUN: env TRITON_INTEL_ENABLE_BLOCK_IO_ALL_LAYOUTS=0 dotload-opt %s --lower-to-2d-block-load --remarks 2>&1 | FileCheck %s --check-prefix=DPAS
// RUN: env TRITON_INTEL_ENABLE_BLOCK_IO_ALL_LAYOUTS=1 dotload-opt %s --lower-to-2d-block-load | FileCheck %s --check-prefix=ALL
// RUN: env TRITON_INTEL_ONE_MATRIX_PER_LOAD_BT=1 dotload-opt %s --lower-to-2d-block-load | FileCheck %s --check-prefix=ONE
// RUN: dotload-opt %s --lower-to-2d-block-load="one_matrix_per_load=1" | FileCheck %s --check-prefix=ONE
// RUN: dotload-opt %s --lower-to-2d-block-load="one_matrix_per_load_for_bt=true" | FileCheck %s --check-prefix=ONE
// RUN: not dotload-opt %s --lower-to-2d-block-load="one_matrix_per_load=2" 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: env TRITON_INTEL_ONE_MATRIX_PER_LOAD_BT=maybe not dotload-opt %s --lower-to-2d-block-load 2>&1 | FileCheck %s --check-prefix=WRONG

// COM: The environment variables of Intel's passes correspond to options of dotload's.
// DPAS: kept tt.load: only operands of DPAS become block loads, and the result has no such layout [NOT_FOR_DPAS]
// DPAS: ttig.2d_block_load
// DPAS: tt.load
// ALL-COUNT-2: ttig.2d_block_load
// ONE: ttig.2d_block_load {{.*}}ttig.one_matrix_per_load
// NUMBER: error: 'lower-to-2d-block-load': option one-matrix-per-load=2: expected true or false
// WRONG: error: TRITON_INTEL_ONE_MATRIX_PER_LOAD_BT=maybe: the value is 1 or 0

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @two_layouts(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i64 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %n = arith.constant 1024 : i64
    %a_ptr = tt.make_tensor_ptr %base, [%n, %n], [%pitch, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %a_ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    %b_ptr = tt.make_tensor_ptr %base, [%n, %n], [%pitch, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #blocked>>
    %b = tt.load %b_ptr : !tt.ptr<tensor<64x32xf16, #blocked>>
    tt.return
  }
}
