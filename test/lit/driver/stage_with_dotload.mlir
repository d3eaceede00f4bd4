// RUN: dotload-opt %s --stage=ttgir --target=cuda:90 --num-warps=8 --remarks 2>&1 | FileCheck %s
// RUN: dotload-opt %s --stage=ttgir --target=cuda:90 --num-warps=8 --remarks --no-dotload 2>&1 | FileCheck %s --check-prefix=STOCK
// RUN: dotload-opt %s --stage=ttgir --target=cuda:90 --num-warps=8 --diff | FileCheck %s --check-prefix=DIFF
// RUN: dotload-opt %s --stage=sass --target=cuda:90 --num-warps=8 | FileCheck %s --check-prefix=SASS
// RUN: dotload-opt %s --stage=ptx --target=cuda:90 --num-warps=64 2>/dev/null | FileCheck %s --check-prefix=REFUSED

// COM: ptxas rejects 64 warps with dotload's layouts: only stock's PTX is printed.
// REFUSED-NOT: ====
// REFUSED:     .version
// REFUSED-NOT: ====

// COM: fp8, both operands row-major: wgmma reads 8-bit operands K-major only, so dotload stages B.
// CHECK:     remark: stage-dot-operands:
// CHECK:     ttng.warp_group_dot
// STOCK-NOT: remark
// STOCK:     ttng.warp_group_dot
// DIFF:      {{^}}--- ttgir (stock)
// DIFF:      {{^}}+{{.*}}llvm.nvvm.ldmatrix
// SASS:      QGMMA
module {
  tt.func public @gemm(%arg0: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %arg1: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %arg2: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg3: i32 {tt.divisibility = 16 : i32}, %arg4: i32 {tt.divisibility = 16 : i32}, %arg5: i32 {tt.divisibility = 16 : i32}, %arg6: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %cst = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant dense<128> : tensor<128x128xi32>
    %c128_i32 = arith.constant 128 : i32
    %0 = tt.get_program_id x : i32
    %1 = tt.get_program_id y : i32
    %2 = arith.muli %0, %c128_i32 : i32
    %3 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %4 = tt.splat %2 : i32 -> tensor<128xi32>
    %5 = arith.addi %4, %3 : tensor<128xi32>
    %6 = arith.muli %1, %c128_i32 : i32
    %7 = tt.splat %6 : i32 -> tensor<128xi32>
    %8 = arith.addi %7, %3 : tensor<128xi32>
    %9 = tt.expand_dims %5 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %10 = tt.splat %arg4 : i32 -> tensor<128x1xi32>
    %11 = arith.muli %9, %10 : tensor<128x1xi32>
    %12 = tt.splat %arg0 : !tt.ptr<f8E4M3FN> -> tensor<128x1x!tt.ptr<f8E4M3FN>>
    %13 = tt.addptr %12, %11 : tensor<128x1x!tt.ptr<f8E4M3FN>>, tensor<128x1xi32>
    %14 = tt.expand_dims %3 {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %15 = tt.broadcast %13 : tensor<128x1x!tt.ptr<f8E4M3FN>> -> tensor<128x128x!tt.ptr<f8E4M3FN>>
    %16 = tt.broadcast %14 : tensor<1x128xi32> -> tensor<128x128xi32>
    %17 = tt.addptr %15, %16 : tensor<128x128x!tt.ptr<f8E4M3FN>>, tensor<128x128xi32>
    %18 = tt.expand_dims %3 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %19 = tt.splat %arg5 : i32 -> tensor<128x1xi32>
    %20 = arith.muli %18, %19 : tensor<128x1xi32>
    %21 = tt.splat %arg1 : !tt.ptr<f8E4M3FN> -> tensor<128x1x!tt.ptr<f8E4M3FN>>
    %22 = tt.addptr %21, %20 : tensor<128x1x!tt.ptr<f8E4M3FN>>, tensor<128x1xi32>
    %23 = tt.expand_dims %8 {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %24 = tt.broadcast %22 : tensor<128x1x!tt.ptr<f8E4M3FN>> -> tensor<128x128x!tt.ptr<f8E4M3FN>>
    %25 = tt.broadcast %23 : tensor<1x128xi32> -> tensor<128x128xi32>
    %26 = tt.addptr %24, %25 : tensor<128x128x!tt.ptr<f8E4M3FN>>, tensor<128x128xi32>
    %27:3 = scf.for %arg7 = %c0_i32 to %arg3 step %c128_i32 iter_args(%arg8 = %17, %arg9 = %26, %arg10 = %cst) -> (tensor<128x128x!tt.ptr<f8E4M3FN>>, tensor<128x128x!tt.ptr<f8E4M3FN>>, tensor<128x128xf32>)  : i32 {
      %34 = tt.load %arg8 : tensor<128x128x!tt.ptr<f8E4M3FN>>
      %35 = tt.load %arg9 : tensor<128x128x!tt.ptr<f8E4M3FN>>
      %36 = tt.dot %34, %35, %arg10, inputPrecision = tf32 {maxNumImpreciseAcc = 1073741824 : i32} : tensor<128x128xf8E4M3FN> * tensor<128x128xf8E4M3FN> -> tensor<128x128xf32>
      %37 = tt.addptr %arg8, %cst_0 : tensor<128x128x!tt.ptr<f8E4M3FN>>, tensor<128x128xi32>
      %38 = arith.muli %arg5, %c128_i32 : i32
      %39 = tt.splat %38 : i32 -> tensor<128x128xi32>
      %40 = tt.addptr %arg9, %39 : tensor<128x128x!tt.ptr<f8E4M3FN>>, tensor<128x128xi32>
      scf.yield %37, %40, %36 : tensor<128x128x!tt.ptr<f8E4M3FN>>, tensor<128x128x!tt.ptr<f8E4M3FN>>, tensor<128x128xf32>
    }
    %28 = tt.splat %arg6 : i32 -> tensor<128x1xi32>
    %29 = arith.muli %9, %28 : tensor<128x1xi32>
    %30 = tt.splat %arg2 : !tt.ptr<f32> -> tensor<128x1x!tt.ptr<f32>>
    %31 = tt.addptr %30, %29 : tensor<128x1x!tt.ptr<f32>>, tensor<128x1xi32>
    %32 = tt.broadcast %31 : tensor<128x1x!tt.ptr<f32>> -> tensor<128x128x!tt.ptr<f32>>
    %33 = tt.addptr %32, %25 : tensor<128x128x!tt.ptr<f32>>, tensor<128x128xi32>
    tt.store %33, %27#2 : tensor<128x128x!tt.ptr<f32>>
    tt.return
  }
}
