// RUN: dotload-opt %s -split-input-file -tritongpu-coalesce | FileCheck %s --check-prefix=COALESCE
// RUN: dotload-opt %s -split-input-file -tritongpu-remove-layout-conversions -cse | FileCheck %s --check-prefix=REMOVE
// RUN: dotload-opt %s -split-input-file -tritongpu-assign-latencies=num-stages=3 -tritongpu-schedule-loops -tritongpu-pipeline=num-stages=3 -canonicalize | FileCheck %s --check-prefix=PIPELINE
// RUN: dotload-opt %s -split-input-file -tritongpu-assign-latencies=num-stages=3 -tritongpu-schedule-loops -tritongpu-test-pipeline-lower-loop | FileCheck %s --check-prefix=LOWER
// RUN: dotload-opt %s -split-input-file --pass-pipeline="builtin.module(tritongpu-accelerate-matmul,tritongpu-optimize-dot-operands{hoist-layout-conversion=true},tritongpu-reduce-data-duplication)" | FileCheck %s --check-prefix=MATMUL
// RUN: dotload-opt %s -split-input-file -tritongpu-F32DotTC="emu-tf32=true" | FileCheck %s --check-prefix=TF32
// RUN: dotload-opt %s -split-input-file --allocate-shared-memory -mlir-print-local-scope | FileCheck %s --check-prefix=SHARED

#narrow = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#wide = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#dotA = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#dotB = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // COALESCE:       #[[WIDE:.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
  // COALESCE-LABEL: @gemm
  // PIPELINE-LABEL: @gemm
  // PIPELINE-COUNT-4: ttg.async_copy_global_to_local
  // PIPELINE:       scf.for
  // PIPELINE:       ttg.async_wait
  // PIPELINE:       tt.dot
  // LOWER-LABEL:    @gemm
  // LOWER:          ttg.async_copy_global_to_local {{.*}}loop.stage = 0 : i32
  // LOWER:          tt.dot {{.*}}loop.stage = 2 : i32
  // SHARED-LABEL:   @gemm
  // SHARED:         ttg.convert_layout {{.*}}allocation.offset = {{[0-9]+}} : i32
  tt.func @gemm(%from: index, %to: index, %step: index,
                %pa: tensor<128x32x!tt.ptr<f16>, #wide> {tt.divisibility = dense<16> : tensor<2xi32>, tt.contiguity = dense<[1, 16]> : tensor<2xi32>},
                %pb: tensor<32x128x!tt.ptr<f16>, #wide> {tt.divisibility = dense<16> : tensor<2xi32>, tt.contiguity = dense<[1, 16]> : tensor<2xi32>}) -> tensor<128x128xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
    %r = scf.for %i = %from to %to step %step iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) {
      %a = tt.load %pa : tensor<128x32x!tt.ptr<f16>, #wide>
      %a_dot = ttg.convert_layout %a : tensor<128x32xf16, #wide> -> tensor<128x32xf16, #dotA>
      %b = tt.load %pb : tensor<32x128x!tt.ptr<f16>, #wide>
      %b_dot = ttg.convert_layout %b : tensor<32x128xf16, #wide> -> tensor<32x128xf16, #dotB>
      %c = tt.dot %a_dot, %b_dot, %acc : tensor<128x32xf16, #dotA> * tensor<32x128xf16, #dotB> -> tensor<128x128xf32, #mma>
      scf.yield %c : tensor<128x128xf32, #mma>
    }
    tt.return %r : tensor<128x128xf32, #mma>
  }

  // REMOVE-LABEL: @there_and_back
  // REMOVE-NOT:   ttg.convert_layout
  // REMOVE:       tt.return
  tt.func @there_and_back(%x: tensor<64x64xf32, #wide>) -> tensor<64x64xf32, #wide> {
    %0 = ttg.convert_layout %x : tensor<64x64xf32, #wide> -> tensor<64x64xf32, #narrow>
    %1 = ttg.convert_layout %0 : tensor<64x64xf32, #narrow> -> tensor<64x64xf32, #wide>
    tt.return %1 : tensor<64x64xf32, #wide>
  }
}

// -----

// MATMUL: #ttg.nvidia_mma<{versionMajor = 2
// MATMUL: tt.dot {{.*}} -> tensor<128x128xf32, #mma>
// TF32-LABEL: @dot
// TF32:       tt.dot
#blocked = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#opA = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#opB = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @dot(%a: tensor<128x32xf16, #opA>, %b: tensor<32x128xf16, #opB>, %c: tensor<128x128xf32, #blocked>) -> tensor<128x128xf32, #blocked> {
    %0 = tt.dot %a, %b, %c : tensor<128x32xf16, #opA> * tensor<32x128xf16, #opB> -> tensor<128x128xf32, #blocked>
    tt.return %0 : tensor<128x128xf32, #blocked>
  }
}
