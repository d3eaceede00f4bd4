// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm | FileCheck %s
// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm="one_matrix_per_load_for_bt=1" | FileCheck %s --check-prefix=ONE
// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm="use_tile_load_linear_layout=0 advanced_path=false" | FileCheck %s
// RUN: not dotload-opt %s --convert-triton-intel-gpu-to-llvm=advanced_path=true 2>&1 | FileCheck %s --check-prefix=PATH
// RUN: not dotload-opt %s --intel-allocate-shared-memory=advanced_path=0 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: env TRITON_INTEL_ENABLE_BLOCK_IO_ALL_LAYOUTS=0 dotload-opt %s --convert-triton-intel-gpu-to-llvm | FileCheck %s --check-prefix=DPAS
// RUN: env TRITON_INTEL_ONE_MATRIX_PER_LOAD_BT=1 dotload-opt %s --convert-triton-intel-gpu-to-llvm | FileCheck %s --check-prefix=ONE
// RUN: not dotload-opt %s --convert-triton-intel-gpu-to-llvm="one_matrix_per_loads=1" 2>&1 | FileCheck %s --check-prefix=WRONG

// COM: A load with the mark becomes a block load, as in Intel's pass.
// CHECK-LABEL: llvm.func spir_kernelcc @marked
// CHECK: triton_gen.2Dblockload {{.*}} {elem_size_in_bits = 16, tile_width = 16, tile_height = 32, v_blocks = 2
// CHECK-NOT: tt.load

// COM: For layouts other than those of DPAS, a variable of Intel's backend decides.
// CHECK-LABEL: llvm.func spir_kernelcc @blocked
// CHECK: triton_gen.2Dblockload
// DPAS-LABEL: llvm.func spir_kernelcc @marked
// DPAS: triton_gen.2Dblockload
// DPAS-LABEL: llvm.func spir_kernelcc @blocked
// DPAS-NOT: triton_gen.2Dblockload

// COM: One operand of DPAS in each message.
// ONE-COUNT-8: triton_gen.2Dblockload {{.*}} {elem_size_in_bits = 16, tile_width = 16, tile_height = 8, v_blocks = 1
// WRONG: marked.mlir:1:1: error: 'convert-triton-intel-gpu-to-llvm' has no option 'one_matrix_per_loads'; did you mean one-matrix-per-load?

// COM: Former options that change nothing here are accepted.
// PATH: error: 'convert-triton-intel-gpu-to-llvm' has no option 'advanced_path'
// OTHER: error: 'intel-allocate-shared-memory' {{.*}}no option{{.*}}
#dpas = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [4, 2]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 16], warpsPerCTA = [1, 1], order = [1, 0]}>
#dot0 = #ttg.dot_op<{opIdx = 0, parent = #dpas, kWidth = 1}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func public @marked(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %rows: i64, %columns: i64 {tt.divisibility = 16 : i32}, %stride: i64 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %p = tt.make_tensor_ptr %base, [%rows, %columns], [%stride, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<32x32xf16, #dot0>>
    %a = tt.load %p {boundaryCheck = array<i32: 0, 1>, ttig.block_io = "row_major"} : !tt.ptr<tensor<32x32xf16, #dot0>>
    tt.return
  }  tt.func public @blocked(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %rows: i64, %columns: i64 {tt.divisibility = 16 : i32}, %stride: i64 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %p = tt.make_tensor_ptr %base, [%rows, %columns], [%stride, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<32x32xf16, #blocked>>
    %a = tt.load %p {ttig.block_io = "row_major"} : !tt.ptr<tensor<32x32xf16, #blocked>>
    tt.return
  }
}
