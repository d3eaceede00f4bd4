// RUN: dotload-opt %s --intel-allocate-shared-memory --convert-triton-intel-gpu-to-llvm | FileCheck %s
// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm -convert-tritongen-to-llvm | FileCheck %s --check-prefix=LLVM

// COM: A lane holds 2 neighbouring elements; 8 lanes hold a row, 2 rows a warp, 2 warps. Masked accesses are
// COM: predicated.
// CHECK: ttg.shared = 0 : i32
// CHECK-LABEL: llvm.func spir_kernelcc @copy(%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr<1>, %arg2: i32, %arg3: !llvm.ptr<1>, %arg4: !llvm.ptr<1>) attributes {intel_reqd_sub_group_size = 16 : i32, triton_gen.max_work_group_size = array<i32: 32, 1, 1>}
// COM: The row index: bit 3 of the lane, plus twice the warp.
// CHECK:      %[[LANE:.*]] = llvm.call spir_funccc @_Z22get_sub_group_local_id()
// CHECK-NEXT: %[[C3:.*]] = llvm.mlir.constant(3 : i32) : i32
// CHECK-NEXT: llvm.lshr %[[LANE]], %[[C3]] : i32
// CHECK:      llvm.call spir_funccc @_Z16get_sub_group_id()
// CHECK-DAG:  %[[IN0:.*]] = llvm.icmp "slt" %[[O0:.*]], %arg2 : i32
// CHECK-DAG:  %[[P0:.*]] = llvm.getelementptr %arg0[%[[O0]]] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
// CHECK:      %[[ZERO:.*]] = llvm.mlir.constant(0.000000e+00 : f32) : f32
// CHECK-NEXT: %[[X:.*]] = triton_gen.predicated_load %[[P0]], %{{.*}}, %[[IN0]], %[[ZERO]] {cache_control = Default} : (!llvm.ptr<1>, i64, i1, f32) -> f32
// CHECK:      %[[Y:.*]] = llvm.fadd %[[X]], %[[X]] : f32
// CHECK:      triton_gen.predicated_store %{{.*}}, %[[Y]], %{{.*}}, %[[IN0]]
// CHECK:      llvm.return
// LLVM-NOT:   triton_gen.predicated
// LLVM:       llvm.call spir_funccc @llvm.genx.GenISA.PredicatedLoad.f32.p1f32.f32(

#blocked = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 8], warpsPerCTA = [2, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func public @copy(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %n: i32) {
    %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %c = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %pid = tt.get_program_id x : i32
    %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<4xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<4x1xi32, #blocked>
    %c2 = tt.expand_dims %c {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x16xi32, #blocked>
    %s = arith.constant dense<16> : tensor<4x1xi32, #blocked>
    %rs = arith.muli %r2, %s : tensor<4x1xi32, #blocked>
    %rb = tt.broadcast %rs : tensor<4x1xi32, #blocked> -> tensor<4x16xi32, #blocked>
    %cb = tt.broadcast %c2 : tensor<1x16xi32, #blocked> -> tensor<4x16xi32, #blocked>
    %o = arith.addi %rb, %cb : tensor<4x16xi32, #blocked>
    %ns = tt.splat %n : i32 -> tensor<4x16xi32, #blocked>
    %m = arith.cmpi slt, %o, %ns : tensor<4x16xi32, #blocked>
    %as = tt.splat %a : !tt.ptr<f32> -> tensor<4x16x!tt.ptr<f32>, #blocked>
    %ap = tt.addptr %as, %o : tensor<4x16x!tt.ptr<f32>, #blocked>, tensor<4x16xi32, #blocked>
    %bs = tt.splat %b : !tt.ptr<f32> -> tensor<4x16x!tt.ptr<f32>, #blocked>
    %bp = tt.addptr %bs, %o : tensor<4x16x!tt.ptr<f32>, #blocked>, tensor<4x16xi32, #blocked>
    %x = tt.load %ap, %m : tensor<4x16x!tt.ptr<f32>, #blocked>
    %y = arith.addf %x, %x : tensor<4x16xf32, #blocked>
    tt.store %bp, %y, %m : tensor<4x16x!tt.ptr<f32>, #blocked>
    tt.return
  }
}
