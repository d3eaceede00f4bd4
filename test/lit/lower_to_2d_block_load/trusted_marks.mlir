// RUN: dotload-opt %s -tritonintelgpu-lower-to-2d-block-load | FileCheck %s
// RUN: dotload-opt %s --lower-to-2d-block-load='versions=false' | FileCheck %s --check-prefix=DERIVED
// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm | FileCheck %s --check-prefix=LLVM

// COM: Nothing is known of the pitch, in a module of Triton 3.3. Under Intel's name its mark vouches for the pitch, as in
// COM: Intel's lowering; dotload's own name asks for more, since 3.3 set the mark without a check of the base.
// CHECK-LABEL: @marked
// CHECK: ttig.2d_block_load
// DERIVED-LABEL: @marked
// DERIVED: tt.load
// LLVM-LABEL: llvm.func spir_kernelcc @marked
// LLVM: triton_gen.2Dblockload {{.*}} {elem_size_in_bits = 16, tile_width = 16, tile_height = 32, v_blocks = 2
#dpas = #triton_intel_gpu.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [4, 2]}>
#dot0 = #ttg.dot_op<{opIdx = 0, parent = #dpas, kWidth = 1}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32, triton_intel_gpu.support_sg_2d_block} {
  tt.func public @marked(%base: !tt.ptr<f16>, %rows: i64, %columns: i64, %stride: i64) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %p = tt.make_tensor_ptr %base, [%rows, %columns], [%stride, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<32x32xf16, #dot0>>
    %a = tt.load %p {triton_intel_gpu.block_io = "row_major"} : !tt.ptr<tensor<32x32xf16, #dot0>>
    tt.return
  }

  // COM: The numbers are known, and wrong: 72 bytes are no multiple of 16.
  // CHECK-LABEL: @known_pitch
  // CHECK-NOT: ttig.2d_block_load
  tt.func public @known_pitch(%base: !tt.ptr<f16>, %rows: i64, %columns: i64) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %c36 = arith.constant 36 : i64
    %p = tt.make_tensor_ptr %base, [%rows, %columns], [%c36, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<32x32xf16, #dot0>>
    %a = tt.load %p {triton_intel_gpu.block_io = "row_major"} : !tt.ptr<tensor<32x32xf16, #dot0>>
    tt.return
  }
  // COM: Rows of 32 bytes do not say that the pitch has the 64 bytes that the hardware wants. Intel's lowering does not ask.
  // CHECK-LABEL: @short_rows
  // CHECK: ttig.2d_block_load
  // DERIVED-LABEL: @short_rows
  // DERIVED: tt.load
  // LLVM-LABEL: llvm.func spir_kernelcc @short_rows
  // LLVM: triton_gen.2Dblockload {{.*}} {elem_size_in_bits = 16, tile_width = 16, tile_height = 32, v_blocks = 1
  tt.func public @short_rows(%base: !tt.ptr<f16>, %rows: i64, %columns: i64, %stride: i64) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %p = tt.make_tensor_ptr %base, [%rows, %columns], [%stride, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<32x16xf16, #dot0>>
    %a = tt.load %p {ttig.block_io = "row_major"} : !tt.ptr<tensor<32x16xf16, #dot0>>
    tt.return
  }
}
