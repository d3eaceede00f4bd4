// RUN: dotload-opt %s --stage-dot-operands --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

#rows = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {

// COM: Triton converts e4m3b15 by assembly on sm_80, as kernels do that unpack weights. It is applied to fragments.
// CHECK-LABEL: @converted_by_assembly
// CHECK:       %[[RAW:.*]] = ttg.local_alloc
// CHECK:       ttg.local_load %[[RAW]] {dotload.staged = "fragments"}
// CHECK:       %[[BYTES:.*]] = builtin.unrealized_conversion_cast {{.*}} to tensor<64x64xi8, #ttg.dot_op<{opIdx = 1
// CHECK:       %[[B:.*]] = tt.elementwise_inline_asm "convert" {{.*}} %[[BYTES]]
// CHECK:       tt.dot %{{.*}}, %[[B]],
// REMARK:      row-major B (not K-major, 8 bits, tile 64x64) is staged through shared memory into registers
tt.func @converted_by_assembly(%x: tensor<64x64xf16, #a>, %y: tensor<64x64x!tt.ptr<i8>, #rows>, %op: tensor<64x64x!tt.ptr<f32>, #mma>) {
  %nothing = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %tile = tt.load %y : tensor<64x64x!tt.ptr<i8>, #rows>
  %bytes = ttg.convert_layout %tile : tensor<64x64xi8, #rows> -> tensor<64x64xi8, #b>
  %b = tt.elementwise_inline_asm "convert" {constraints = "=r,=r,r", packed_element = 4 : i32, pure = true} %bytes : tensor<64x64xi8, #b> -> tensor<64x64xf16, #b>
  %o = tt.dot %x, %b, %nothing : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
  tt.store %op, %o : tensor<64x64x!tt.ptr<f32>, #mma>
  tt.return
}

// COM: A function of libdevice is applied to fragments, too.
// CHECK-LABEL: @by_a_library
// CHECK:       ttg.local_load %{{.*}} {dotload.staged = "fragments"}
// CHECK:       tt.extern_elementwise
// REMARK:      row-major B (not K-major, 8 bits, tile 64x64) is staged through shared memory into registers
tt.func @by_a_library(%x: tensor<64x64xf16, #a>, %y: tensor<64x64x!tt.ptr<i8>, #rows>, %op: tensor<64x64x!tt.ptr<f32>, #mma>) {
  %nothing = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %tile = tt.load %y : tensor<64x64x!tt.ptr<i8>, #rows>
  %bytes = ttg.convert_layout %tile : tensor<64x64xi8, #rows> -> tensor<64x64xi8, #b>
  %wide = arith.sitofp %bytes : tensor<64x64xi8, #b> to tensor<64x64xf32, #b>
  %e = tt.extern_elementwise %wide {libname = "", libpath = "", pure = true, symbol = "__nv_fast_expf"} : (tensor<64x64xf32, #b>) -> tensor<64x64xf32, #b>
  %b = arith.truncf %e : tensor<64x64xf32, #b> to tensor<64x64xf16, #b>
  %o = tt.dot %x, %b, %nothing : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
  tt.store %op, %o : tensor<64x64x!tt.ptr<f32>, #mma>
  tt.return
}

// COM: Assembly with side effects may depend on which elements come together.
// CHECK-LABEL: @with_side_effects
// CHECK:       ttg.convert_layout %{{.*}} : tensor<64x64xi8, #blocked> -> tensor<64x64xi8, #ttg.dot_op
// REMARK:      kept tt.load: {{.*}}tt.elementwise_inline_asm that is not pure, or has several results, is not supported{{.*}} [NOT_FOLLOWED]
tt.func @with_side_effects(%x: tensor<64x64xf16, #a>, %y: tensor<64x64x!tt.ptr<i8>, #rows>, %op: tensor<64x64x!tt.ptr<f32>, #mma>) {
  %nothing = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %tile = tt.load %y : tensor<64x64x!tt.ptr<i8>, #rows>
  %bytes = ttg.convert_layout %tile : tensor<64x64xi8, #rows> -> tensor<64x64xi8, #b>
  %b = tt.elementwise_inline_asm "convert" {constraints = "=r,=r,r", packed_element = 4 : i32, pure = false} %bytes : tensor<64x64xi8, #b> -> tensor<64x64xf16, #b>
  %o = tt.dot %x, %b, %nothing : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
  tt.store %op, %o : tensor<64x64x!tt.ptr<f32>, #mma>
  tt.return
}

// COM: Several results may be computed from each other's elements.
// CHECK-LABEL: @of_several_results
// CHECK-NOT:   dotload.staged
// REMARK:      kept tt.load: {{.*}}tt.elementwise_inline_asm that is not pure, or has several results, is not supported{{.*}} [NOT_FOLLOWED]
tt.func @of_several_results(%x: tensor<64x64xf16, #a>, %y: tensor<64x64x!tt.ptr<i8>, #rows>, %op: tensor<64x64x!tt.ptr<f32>, #mma>) {
  %nothing = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %tile = tt.load %y : tensor<64x64x!tt.ptr<i8>, #rows>
  %bytes = ttg.convert_layout %tile : tensor<64x64xi8, #rows> -> tensor<64x64xi8, #b>
  %b:2 = tt.elementwise_inline_asm "convert" {constraints = "=r,=r,=r,=r,r", packed_element = 4 : i32, pure = true} %bytes : tensor<64x64xi8, #b> -> tensor<64x64xf16, #b>, tensor<64x64xf16, #b>
  %o = tt.dot %x, %b#0, %nothing : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
  tt.store %op, %o : tensor<64x64x!tt.ptr<f32>, #mma>
  tt.return
}

}
