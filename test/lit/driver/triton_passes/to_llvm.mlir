// RUN: dotload-opt %s -split-input-file --allocate-shared-memory-nv='compute-capability=90 ptx-version=81' --convert-triton-gpu-to-llvm='compute-capability=90 ptx-version=81' -reconcile-unrealized-casts 2>/dev/null | FileCheck %s --dump-input-context 20
// RUN: dotload-opt %s -split-input-file --allocate-shared-memory-nv --convert-triton-gpu-to-llvm --convert-nv-gpu-to-llvm --convert-nvvm-to-llvm | FileCheck %s
// RUN: dotload-opt %s -split-input-file --convert-scf-to-cf --allocate-shared-memory --convert-triton-amdgpu-to-llvm="gfx-arch=gfx942" --convert-builtin-func-to-llvm="gfx-arch=gfx942 ftz=true" | FileCheck %s --check-prefix=AMD
// RUN: dotload-opt %s -split-input-file --convert-scf-to-cf --allocate-shared-memory --convert-triton-amdgpu-to-llvm="arch=gfx942" | FileCheck %s --check-prefix=AMD
// RUN: dotload-opt %s -split-input-file --allocate-shared-memory-nv --convert-triton-gpu-to-llvm --enable-line-info --mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s --check-prefix=LINES

// CHECK: llvm.func @load_one(%{{.*}}: !llvm.ptr<1>{{.*}}) {{.*}}nvvm.kernel = 1 : ui1{{.*}}nvvm.reqntid = array<i32: 128>
// CHECK: llvm.inline_asm {{.*}}ld.global
// AMD:   llvm.func @load_one
// AMD:   llvm.load %{{.*}} : !llvm.ptr<1>
// LINES: llvm.inline_asm {{.*}}loc("{{.*}}to_llvm.mlir":[[#@LINE+5]]:10)
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @load_one(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #blocked>
    %v = tt.load %ps : tensor<128x!tt.ptr<f32>, #blocked>
    tt.store %ps, %v : tensor<128x!tt.ptr<f32>, #blocked>
    tt.return
  }
}

// -----

// CHECK-LABEL: llvm.func @if_else
// CHECK:       llvm.cond_br
// AMD-LABEL:   llvm.func @if_else
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @if_else(%c: i1, %p: !tt.ptr<i32>) {
    cf.cond_br %c, ^then, ^end
  ^then:
    %one = arith.constant 1 : i32
    tt.store %p, %one : !tt.ptr<i32>
    cf.br ^end
  ^end:
    tt.return
  }
}
