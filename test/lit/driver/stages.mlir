// RUN: dotload-opt %s --stage=ttgir --target=sm_90 --num-warps=8 --no-dotload | FileCheck %s --check-prefix=TTGIR
// RUN: dotload-opt %s --stage=llir --target=cuda:90 --no-dotload | FileCheck %s --check-prefix=LLIR
// RUN: dotload-opt %s --stage=ptx --target=cuda:80 --no-dotload | FileCheck %s --check-prefix=PTX
// RUN: dotload-opt %s --stage=sass --target=cuda:90 --no-dotload | FileCheck %s --check-prefix=SASS
// RUN: dotload-opt %s --stage=ttgir --target=cuda:90 | dotload-opt - --stage=ptx | FileCheck %s --check-prefix=PTX90
// RUN: dotload-opt %s --stage=ttgir --target=cuda:90 --diff | FileCheck %s --allow-empty --check-prefix=SAME
// RUN: not dotload-opt %s --stage=ttgir 2>&1 | FileCheck %s --check-prefix=NOTARGET
// RUN: not dotload-opt %s --stage=amdgcn --target=cuda:90 2>&1 | FileCheck %s --check-prefix=NOSTAGE
// RUN: dotload-opt %s --stage=ttgir --target=cuda:90 | not dotload-opt --stage=ptx --num-warps=8 2>&1 | FileCheck %s --check-prefix=WARPS

// TTGIR: #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>
// TTGIR: "ttg.num-warps" = 8 : i32
// LLIR:  target datalayout
// LLIR:  define ptx_kernel void @twice
// PTX:   .target sm_80
// PTX90: .target sm_90a
// PTX90: ld.global.v4.b32
// SASS:  LDG.E.128
// SASS:  EXIT
// COM: This kernel has nothing for dotload to do.
// SAME-NOT: {{.}}
// NOTARGET: dotload-opt: error: --stage needs a target, and the file names none; give one, such as --target=cuda:90
// NOSTAGE: dotload-opt: error: cuda:90 has no stage 'amdgcn', but ttir, ttgir, llir, ptx, cubin, sass
// WARPS: dotload-opt: error: --num-warps=8, but the TTGIR file was made for 4
tt.func public @twice(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %ys = tt.splat %y : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %px = tt.addptr %xs, %range : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %py = tt.addptr %ys, %range : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %v = tt.load %px : tensor<1024x!tt.ptr<f16>>
  %w = arith.addf %v, %v : tensor<1024xf16>
  tt.store %py, %w : tensor<1024x!tt.ptr<f16>>
  tt.return
}
