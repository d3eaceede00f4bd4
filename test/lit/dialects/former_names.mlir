// RUN: dotload-opt %s -split-input-file | FileCheck %s
// RUN: dotload-opt %s -split-input-file --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: dotload-opt %s -split-input-file -cse | FileCheck %s --check-prefix=CSE

// COM: Up to Triton 3.2, ttg was triton_gpu. Modules are read under that name, and printed under today's; libtriton, which
// COM: reads today's only, runs its passes on them.
// CHECK: #[[B:.*]] = #ttg.blocked<{
// CHECK: #[[S:.*]] = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
// CHECK: module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32}
// CHECK: ttg.convert_layout %{{.*}} : tensor<32x32xf16, #[[B]]> -> tensor<32x32xf16, #ttg.dot_op<{opIdx = 0, parent = #[[B]]}>>
// CHECK: ttg.local_alloc %{{.*}} : (tensor<32x32xf16, #[[B]]>) -> !ttg.memdesc<32x32xf16, #[[S]], #
// GENERIC: "ttg.convert_layout"
// CSE: ttg.convert_layout
// CSE-NOT: ttg.convert_layout
#blocked = #triton_gpu.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #triton_gpu.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
module attributes {"triton_gpu.num-warps" = 4 : i32, triton_gpu.target = "cuda:80", "triton_gpu.threads-per-warp" = 32 : i32} {
  tt.func @nvidia(%a: tensor<32x32xf16, #blocked>) -> (tensor<32x32xf16, #triton_gpu.dot_op<{opIdx = 0, parent = #blocked}>>, tensor<32x32xf16, #triton_gpu.dot_op<{opIdx = 0, parent = #blocked}>>) {
    %0 = triton_gpu.convert_layout %a : tensor<32x32xf16, #blocked> -> tensor<32x32xf16, #triton_gpu.dot_op<{opIdx = 0, parent = #blocked}>>
    %1 = "triton_gpu.convert_layout"(%a) : (tensor<32x32xf16, #blocked>) -> tensor<32x32xf16, #triton_gpu.dot_op<{opIdx = 0, parent = #blocked}>>
    %2 = triton_gpu.local_alloc %a : (tensor<32x32xf16, #blocked>) -> !triton_gpu.memdesc<32x32xf16, #shared, #triton_gpu.shared_memory>
    tt.return %0, %1 : tensor<32x32xf16, #triton_gpu.dot_op<{opIdx = 0, parent = #blocked}>>, tensor<32x32xf16, #triton_gpu.dot_op<{opIdx = 0, parent = #blocked}>>
  }
}

// -----

// COM: Beside Intel's dialect of that time, which keeps its name. A name in a comment or a string changes nothing.
// CHECK: #triton_intel_gpu.dpas<{
// CHECK: module attributes {triton_intel_gpu.support_sg_2d_block, tt.note = "triton_gpu.x", "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32}
// CHECK: tt.load %{{.*}} {triton_intel_gpu.block_io = "row_major"} : !tt.ptr<tensor<32x32xf16, #ttg.dot_op<{
#dpas = #triton_intel_gpu.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [1, 1]}>
module attributes {tt.note = "triton_gpu.x", "triton_gpu.num-warps" = 1 : i32, "triton_gpu.threads-per-warp" = 16 : i32, triton_intel_gpu.support_sg_2d_block} {
  tt.func @intel(%p: !tt.ptr<tensor<32x32xf16, #triton_gpu.dot_op<{opIdx = 0, parent = #dpas, kWidth = 2}>>>) {
    %a = tt.load %p {triton_intel_gpu.block_io = "row_major"} : !tt.ptr<tensor<32x32xf16, #triton_gpu.dot_op<{opIdx = 0, parent = #dpas, kWidth = 2}>>>
    tt.return
  }
}
