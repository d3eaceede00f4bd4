// RUN: dotload-opt %s | FileCheck %s
// RUN: dotload-opt %s --mlir-print-op-generic | dotload-opt - | FileCheck %s
// RUN: sed -e 's/ttig\./triton_intel_gpu./' %s | dotload-opt - | sed -e 's/triton_intel_gpu\./ttig./' | FileCheck %s

module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @pieces(%a: tensor<8x16xf16>, %p: !tt.ptr<tensor<16x16xf16>>) {
    // CHECK: ttig.glue %a, %a : (tensor<8x16xf16>, tensor<8x16xf16>) -> tensor<16x16xf16>
    %0 = ttig.glue %a, %a : (tensor<8x16xf16>, tensor<8x16xf16>) -> tensor<16x16xf16>
    // CHECK: ttig.extract %{{.*}}[1] : tensor<16x16xf16> -> tensor<8x16xf16>
    %1 = ttig.extract %0[1] : tensor<16x16xf16> -> tensor<8x16xf16>
    // CHECK: ttig.extract %p[1] {note
    %2 = ttig.extract %p[1] {note = "a block pointer"} : !tt.ptr<tensor<16x16xf16>> -> !tt.ptr<tensor<8x16xf16>>
    // CHECK: ttig.glue %{{.*}}, %{{.*}} : (!tt.ptr<tensor<8x16xf16>>, !tt.ptr<tensor<8x16xf16>>) -> !tt.ptr<tensor<16x16xf16>>
    %3 = ttig.glue %2, %2 : (!tt.ptr<tensor<8x16xf16>>, !tt.ptr<tensor<8x16xf16>>) -> !tt.ptr<tensor<16x16xf16>>
    tt.return
  }
  tt.func @transposed(%column: tensor<16x1xf16>) {
    // CHECK: ttig.broadcast %column : tensor<16x1xf16> -> tensor<16x16xf16>
    %0 = ttig.broadcast %column : tensor<16x1xf16> -> tensor<16x16xf16>
    // CHECK: ttig.alloc : <f16, 3>
    %1 = ttig.alloc : <f16, 3>
    // CHECK: ttig.sub_group_transpose %{{.*}}, %{{.*}} : tensor<16x16xf16>
    %2 = ttig.sub_group_transpose %1, %0 : tensor<16x16xf16>
    tt.return
  }
}
