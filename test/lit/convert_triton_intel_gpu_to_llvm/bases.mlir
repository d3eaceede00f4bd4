// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm | FileCheck %s
// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm=cut-surfaces=true | FileCheck %s --check-prefix=CUT
// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm=emit=spirv | FileCheck %s --check-prefix=SPIRV
// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm --convert-tritongen-to-llvm | FileCheck %s --check-prefix=BOTH
// RUN: not dotload-opt %s --convert-2d-block-load-to-llvm='align-bases=false emit=opencl' 2>&1 | FileCheck %s --check-prefix=OPENCL

#dpas = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [4, 2]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #dpas, kWidth = 1}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: As in Intel's pass, the message gets the op's own operands: convert-tritongen-to-llvm aligns the base.
  // CHECK-LABEL: @region
  // CHECK-NOT: llvm.ptrtoint
  // CHECK: triton_gen.2Dblockload %arg0, %arg1, %arg2, %arg3, %arg4, %arg5 {elem_size_in_bits = 16, tile_width = 16, tile_height = 32, v_blocks = 2,
  // CHECK-NOT: llvm.select
  // CUT: %[[ADDRESS:.*]] = llvm.ptrtoint %arg0
  // CUT: triton_gen.2Dblockload %{{[0-9]+}}, %{{[0-9]+}}, %arg2, %arg3,
  // SPIRV: llvm.ptrtoint %arg0
  // SPIRV: llvm.call {{.*}}Subgroup2DBlockLoadINTEL
  // BOTH: llvm.ptrtoint %arg0
  // BOTH: llvm.call spir_funccc @_Z32__spirv_Subgroup2DBlockLoadINTEL
  // OPENCL: emit=opencl: bases of messages of this spelling are aligned here, or not at all
  tt.func public @region(%p: !tt.ptr<f16>, %w: i32, %h: i32, %pitch: i32, %x: i32, %y: i32) {
    %0 = ttig.2d_block_load %p, %w, %h, %pitch[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<32x32xf16, #dot_a>
    tt.return
  }

  // COM: The same for a prefetch.
  // CHECK-LABEL: @prefetch
  // CHECK: triton_gen.2Dblockprefetch %arg0,
  // CUT-LABEL: @prefetch
  // CUT: llvm.ptrtoint %arg0
  // CUT: triton_gen.2Dblockprefetch %{{[0-9]+}},
  tt.func public @prefetch(%base: !tt.ptr<f16> {tt.divisibility = 4 : i32}, %n: i64 {tt.divisibility = 16 : i32}, %pitch: i64 {tt.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %p = tt.make_tensor_ptr %base, [%n, %n], [%pitch, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<32x32xf16, #dot_a>>
    ttig.prefetch %p {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<32x32xf16, #dot_a>>
    tt.return
  }
}
