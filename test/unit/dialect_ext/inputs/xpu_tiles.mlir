module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32} {
  tt.func @pieces(%a: tensor<8x16xf16> loc(unknown), %p: !tt.ptr<tensor<16x16xf16>> loc(unknown)) {
    %0 = triton_intel_gpu.glue %a, %a : (tensor<8x16xf16>, tensor<8x16xf16>) -> tensor<16x16xf16> loc(unknown)
    %1 = triton_intel_gpu.extract %0[1] : tensor<16x16xf16> -> tensor<8x16xf16> loc(unknown)
    %2 = triton_intel_gpu.extract %p[1] {note = "a block pointer"} : !tt.ptr<tensor<16x16xf16>> -> !tt.ptr<tensor<8x16xf16>> loc(unknown)
    %3 = triton_intel_gpu.glue %2, %2 : (!tt.ptr<tensor<8x16xf16>>, !tt.ptr<tensor<8x16xf16>>) -> !tt.ptr<tensor<16x16xf16>> loc(unknown)
    tt.return loc(unknown)
  } loc(unknown)
  tt.func @transposed(%column: tensor<16x1xf16> loc(unknown)) {
    %0 = triton_intel_gpu.broadcast %column : tensor<16x1xf16> -> tensor<16x16xf16> loc(unknown)
    %1 = triton_intel_gpu.alloc : <f16, 3> loc(unknown)
    %2 = triton_intel_gpu.sub_group_transpose %1, %0 : tensor<16x16xf16> loc(unknown)
    tt.return loc(unknown)
  } loc(unknown)
} loc(unknown)
