// RUN: dotload-opt %s -split-input-file --tritonamdgpu-accelerate-matmul='gfx-arch=gfx942 matrix-instruction-size=16' | FileCheck %s --check-prefix=MFMA
// RUN: dotload-opt %s -split-input-file --tritonamdgpu-accelerate-matmul='arch-generation-name=gfx942 matrix-instruction-size=32' | FileCheck %s --check-prefix=MFMA32
// RUN: dotload-opt %s -split-input-file -tritonamdgpu-canonicalize-pointers="enable-large-tensor-ptr-canon=true" -canonicalize | FileCheck %s --check-prefix=POINTERS
// RUN: dotload-opt %s -split-input-file -tritonamdgpu-schedule-loops="num_stages=2" -tritonamdgpu-pipeline="use_async_copy=0" | FileCheck %s --check-prefix=SAME

#blocked = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#opA = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#opB = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // MFMA:   #ttg.amd_mfma<{version = 3, warpsPerCTA = [{{.*}}], instrShape = [16, 16
  // MFMA32: #ttg.amd_mfma<{version = 3, warpsPerCTA = [{{.*}}], instrShape = [32, 32
  // SAME-LABEL: @dot
  tt.func @dot(%a: tensor<128x64xf16, #opA>, %b: tensor<64x128xf16, #opB>, %c: tensor<128x128xf32, #blocked>) -> tensor<128x128xf32, #blocked> {
    %0 = tt.dot %a, %b, %c : tensor<128x64xf16, #opA> * tensor<64x128xf16, #opB> -> tensor<128x128xf32, #blocked>
    tt.return %0 : tensor<128x128xf32, #blocked>
  }
}

// -----

#row = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
  // POINTERS-LABEL: @uniform_part_stays_scalar
  // POINTERS:       %[[BASE:.*]] = tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f32>, i32
  // POINTERS:       tt.splat %[[BASE]]
  tt.func public @uniform_part_stays_scalar(%p: !tt.ptr<f32>) -> tensor<1024xf32, #row> {
    %size = arith.constant 1024 : i32
    %id = tt.get_program_id x : i32
    %start = arith.muli %id, %size : i32
    %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #row>
    %starts = tt.splat %start : i32 -> tensor<1024xi32, #row>
    %offsets = arith.addi %starts, %range : tensor<1024xi32, #row>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #row>
    %q = tt.addptr %ps, %offsets : tensor<1024x!tt.ptr<f32>, #row>, tensor<1024xi32, #row>
    %v = tt.load %q : tensor<1024x!tt.ptr<f32>, #row>
    tt.return %v : tensor<1024xf32, #row>
  }
}
