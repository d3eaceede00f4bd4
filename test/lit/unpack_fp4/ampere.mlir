// RUN: dotload-opt %s --unpack-fp4 | FileCheck %s

// COM: Before capability 90 there is no product of bf16. The products are fma of pairs: LLVM would take the words apart.
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#packed = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#fragments = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: @scaled
// CHECK:         %[[R:.*]] = tt.reshape {{.*}} -> tensor<64x64xbf16, #ttg.dot_op<{opIdx = 0
// CHECK:         %[[F:.*]] = arith.constant dense<8.507050e+37> : tensor<64x64xbf16
// CHECK-NEXT:    %[[N:.*]] = tt.elementwise_inline_asm "{{.*}}fma.rn.bf16x2{{.*}}"{{.*}} %[[R]], %[[F]]
// CHECK-NEXT:    %[[Y:.*]] = tt.elementwise_inline_asm "{{.*}}fma.rn.bf16x2{{.*}}"{{.*}} %[[N]], %arg1
// CHECK-NEXT:    tt.return %[[Y]]
tt.func @scaled(%x: tensor<64x32xi8, #packed>, %scales: tensor<64x64xbf16, #fragments>) -> tensor<64x64xbf16, #fragments> {
  %y = ttg.fp4_to_fp %x {axis = 1 : i32} : tensor<64x32xi8, #packed> -> tensor<64x64xbf16, #fragments>
  %z = arith.mulf %y, %scales : tensor<64x64xbf16, #fragments>
  tt.return %z : tensor<64x64xbf16, #fragments>
}

// COM: f16 has products.
// CHECK-LABEL: @f16
// CHECK:         arith.mulf
tt.func @f16(%x: tensor<64x32xi8, #packed>) -> tensor<64x64xf16, #fragments> {
  %y = ttg.fp4_to_fp %x {axis = 1 : i32} : tensor<64x32xi8, #packed> -> tensor<64x64xf16, #fragments>
  tt.return %y : tensor<64x64xf16, #fragments>
}
}
