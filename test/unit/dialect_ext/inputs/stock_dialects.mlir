#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func private @decl(i32, !tt.ptr<f32>) -> (i32, f32)
  tt.func @f(%arg0: i32, %arg1: i32, %arg2: f32, %arg3: f32, %arg4: tensor<128xf32, #blocked>, %arg5: tensor<128xi32, #blocked>, %arg6: i1, %arg7: tensor<128xi1, #blocked>, %arg8: i64, %arg9: f16, %arg10: index, %arg11: !tt.ptr<f32>) -> (i32, f32) {
    %cst = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    %cst_0 = arith.constant dense<1.500000e+00> : tensor<128xf32, #blocked>
    %cst_1 = arith.constant 0x7F800000 : f32
    %cst_2 = arith.constant -1.250000e-01 : f64
    %true = arith.constant true
    %cst_3 = arith.constant dense<true> : tensor<128xi1, #blocked>
    %c3 = arith.constant 3 : index
    %0 = arith.addi %arg0, %arg1 overflow<nsw, nuw> : i32
    %1 = arith.addf %arg2, %arg3 fastmath<fast> : f32
    %2 = arith.cmpf olt, %arg4, %cst_0 fastmath<nnan> : tensor<128xf32, #blocked>
    %3 = arith.select %2, %arg4, %cst_0 : tensor<128xi1, #blocked>, tensor<128xf32, #blocked>
    %4 = arith.select %arg6, %arg4, %cst_0 : tensor<128xf32, #blocked>
    %5 = arith.truncf %arg2 : f32 to f16
    %6 = arith.extf %arg9 : f16 to f32
    %7 = arith.sitofp %arg5 : tensor<128xi32, #blocked> to tensor<128xf32, #blocked>
    %8 = arith.fptosi %arg4 : tensor<128xf32, #blocked> to tensor<128xi32, #blocked>
    %9 = arith.index_cast %arg0 : i32 to index
    %10 = arith.trunci %arg8 : i64 to i32
    %11 = arith.trunci %arg8 overflow<nsw> : i64 to i32
    %12 = arith.negf %arg2 : f32
    %13 = arith.remf %arg2, %arg3 : f32
    %14 = arith.maximumf %arg2, %arg3 : f32
    %15 = arith.maxnumf %arg4, %arg4 : tensor<128xf32, #blocked>
    %16 = arith.bitcast %arg2 : f32 to i32
    %17 = arith.shrsi %arg0, %arg1 : i32
    %low, %high = arith.mulsi_extended %arg0, %arg1 : i32
    %18 = math.exp2 %arg4 : tensor<128xf32, #blocked>
    %19 = math.fma %arg2, %arg3, %arg2 : f32
    %20 = math.rsqrt %arg4 : tensor<128xf32, #blocked>
    %21 = math.absi %arg5 : tensor<128xi32, #blocked>
    %22 = math.powf %arg2, %arg3 : f32
    %23 = math.log2 %arg2 fastmath<fast> : f32
    %24 = math.ctpop %arg0 : i32
    %25 = math.floor %arg2 : f32
    %26 = math.erf %arg2 : f32
    %27 = scf.for %arg12 = %arg0 to %arg1 step %arg0 iter_args(%arg13 = %arg2) -> (f32)  : i32 {
      scf.yield %arg13 : f32
    }
    scf.for %arg12 = %arg10 to %c3 step %c3 {
      scf.for %arg13 = %arg0 to %arg1 step %arg0  : i32 {
      } {tt.num_stages = 2 : i32}
    }
    %28:2 = scf.if %arg6 -> (i32, f32) {
      scf.yield %arg0, %arg2 : i32, f32
    } else {
      scf.yield %arg1, %arg3 : i32, f32
    } {async_task_id = 1 : i32}
    scf.if %arg6 {
      tt.store %arg11, %arg2 : !tt.ptr<f32>
    }
    %29:2 = scf.while (%arg12 = %arg0, %arg13 = %arg2) : (i32, f32) -> (i32, f32) {
      scf.condition(%arg6) %arg12, %arg13 : i32, f32
    } do {
    ^bb0(%arg12: i32, %arg13: f32):
      scf.yield %arg12, %arg13 : i32, f32
    }
    %30:2 = tt.call @decl(%arg0, %arg11) : (i32, !tt.ptr<f32>) -> (i32, f32)
    gpu.barrier
    %thread_id_x = gpu.thread_id x
    %block_id_y = gpu.block_id y
    %block_dim_z = gpu.block_dim z
    %31 = ub.poison : tensor<128xf32, #blocked>
    %32 = builtin.unrealized_conversion_cast %arg11 : !tt.ptr<f32> to !llvm.ptr<1>
    %33:2 = builtin.unrealized_conversion_cast %arg2, %arg3 : f32, f32 to i32, i32
    cf.assert %arg6, "boo"
    cf.cond_br %arg6, ^bb1(%arg0 : i32), ^bb2
  ^bb1(%34: i32):
    cf.br ^bb3(%34, %arg2 : i32, f32)
  ^bb2:
    cf.switch %arg0 : i32, [
      default: ^bb3(%arg0, %arg2 : i32, f32),
      42: ^bb3(%arg1, %arg3 : i32, f32)
    ]
  ^bb3(%35: i32, %36: f32):
    tt.return %35, %36 : i32, f32
  }
  tt.func @waits(%arg0: !tt.ptr<i32>, %arg1: i32) {
    scf.while : () -> () {
      %0 = tt.atomic_cas acq_rel, gpu, %arg0, %arg1, %arg1 : (!tt.ptr<i32>, i32, i32) -> i32
      %1 = arith.cmpi ne, %0, %arg1 : i32
      scf.condition(%1)
    } do {
      scf.yield
    } attributes {tt.num_stages = 1 : i32}
    %2 = scf.while : () -> i32 {
      %3 = arith.cmpi ne, %arg1, %arg1 : i32
      scf.condition(%3) %arg1 : i32
    } do {
    ^bb0(%4: i32):
      scf.yield
    }
    tt.return
  }
  llvm.mlir.global internal constant @text("caf\C3\A9\00") {addr_space = 0 : i32}
}
