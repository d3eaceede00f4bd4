// RUN: dotload-opt %s --unpack-fp4 --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 16, 16]}>
#packed = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#fragments = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#blocked = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#rows = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Both numbers of a byte go to the halves of a word: exponent and mantissa at bits 6 to 8, the sign at bit 15. The
// COM: product by 2^126 corrects the bias.
// CHECK-LABEL: @bf16
// CHECK:         %[[W:.*]] = arith.extui %arg0 : tensor<64x32xi8, #{{.*}}> to tensor<64x32xi32, #
// CHECK-NEXT:    %[[C1:.*]] = arith.constant dense<262208> : tensor<64x32xi32
// CHECK-NEXT:    %[[M1:.*]] = arith.muli %[[W]], %[[C1]]
// CHECK-NEXT:    %[[C2:.*]] = arith.constant dense<29360576> : tensor<64x32xi32
// CHECK-NEXT:    %[[M:.*]] = arith.andi %[[M1]], %[[C2]]
// CHECK-NEXT:    %[[C3:.*]] = arith.constant dense<16781312> : tensor<64x32xi32
// CHECK-NEXT:    %[[S1:.*]] = arith.muli %[[W]], %[[C3]]
// CHECK-NEXT:    %[[C4:.*]] = arith.constant dense<-2147450880> : tensor<64x32xi32
// CHECK-NEXT:    %[[S:.*]] = arith.andi %[[S1]], %[[C4]]
// CHECK-NEXT:    %[[P:.*]] = arith.ori %[[M]], %[[S]]
// CHECK-NEXT:    %[[C5:.*]] = arith.constant dense<16> : tensor<64x32xi32
// CHECK-NEXT:    %[[U:.*]] = arith.shrui %[[P]], %[[C5]]
// CHECK-NEXT:    %[[LT:.*]] = arith.trunci %[[P]] : {{.*}} to tensor<64x32xi16
// CHECK-NEXT:    %[[L:.*]] = tt.bitcast %[[LT]] : {{.*}} -> tensor<64x32xbf16
// CHECK-NEXT:    %[[UT:.*]] = arith.trunci %[[U]] : {{.*}} to tensor<64x32xi16
// CHECK-NEXT:    %[[H:.*]] = tt.bitcast %[[UT]] : {{.*}} -> tensor<64x32xbf16
// CHECK-NEXT:    %[[J:.*]] = tt.join %[[L]], %[[H]] : tensor<64x32xbf16, #{{.*}}> -> tensor<64x32x2xbf16, #
// CHECK-NEXT:    %[[R:.*]] = tt.reshape %[[J]] : {{.*}} -> tensor<64x64xbf16, #ttg.dot_op<{opIdx = 0
// CHECK-NEXT:    %[[F:.*]] = arith.constant dense<8.507050e+37> : tensor<64x64xbf16
// CHECK-NEXT:    %[[Y:.*]] = arith.mulf %[[R]], %[[F]]
// CHECK-NEXT:    tt.return %[[Y]]
// REMARK:      remark: unpack-fp4: 4-bit numbers are unpacked two at a time
tt.func @bf16(%x: tensor<64x32xi8, #packed>) -> tensor<64x64xbf16, #fragments> {
  %y = ttg.fp4_to_fp %x {axis = 1 : i32} : tensor<64x32xi8, #packed> -> tensor<64x64xbf16, #fragments>
  tt.return %y : tensor<64x64xbf16, #fragments>
}

// COM: f16 has ten bits of mantissa, and its bias differs by 14: 2^14.
// CHECK-LABEL: @f16
// CHECK:         arith.constant dense<2097664> : tensor<64x32xi32
// CHECK:         arith.constant dense<234884608> : tensor<64x32xi32
// CHECK:         arith.constant dense<16781312> : tensor<64x32xi32
// CHECK:         arith.constant dense<1.638400e+04> : tensor<64x64xf16
tt.func @f16(%x: tensor<64x32xi8, #packed>) -> tensor<64x64xf16, #fragments> {
  %y = ttg.fp4_to_fp %x {axis = 1 : i32} : tensor<64x32xi8, #packed> -> tensor<64x64xf16, #fragments>
  tt.return %y : tensor<64x64xf16, #fragments>
}

// COM: Numbers that are packed along the first dim are joined along a new last dim, which is then moved next to the
// COM: first.
// CHECK-LABEL: @axis_0
// CHECK:         %[[J:.*]] = tt.join %{{.*}} -> tensor<64x32x2xbf16, #
// CHECK-NEXT:    %[[T:.*]] = tt.trans %[[J]] {order = array<i32: 0, 2, 1>} : {{.*}} -> tensor<64x2x32xbf16, #
// CHECK-NEXT:    tt.reshape %[[T]] : {{.*}} -> tensor<128x32xbf16, #blocked
tt.func @axis_0(%x: tensor<64x32xi8, #blocked>) -> tensor<128x32xbf16, #rows> {
  %y = ttg.fp4_to_fp %x {axis = 0 : i32} : tensor<64x32xi8, #blocked> -> tensor<128x32xbf16, #rows>
  tt.return %y : tensor<128x32xbf16, #rows>
}
}
