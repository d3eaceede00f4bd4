// RUN: dotload-opt %s --widen-wgmma --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: sed 's/module attributes {dotload.staged = "operands", /module attributes {/' %s | dotload-opt --widen-wgmma | FileCheck %s --check-prefix=STOCK

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 32, 16]}>
#apart = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 2], instrShape = [16, 32, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#mma8 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 32, 32]}>
#bytes = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#bytes1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {dotload.staged = "operands", "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: 64 rows and 64 columns, all of which both warpgroups compute: one instruction covers the 64 columns.
// CHECK-DAG:   #[[MMA:.*]] = #ttg.nvidia_mma<{{.*}}warpsPerCTA = [8, 1], instrShape = [16, 32, 16]}>
// CHECK-DAG:   #[[WIDE:.*]] = #ttg.nvidia_mma<{{.*}}warpsPerCTA = [8, 1], instrShape = [16, 64, 16]}>
// CHECK-LABEL: @scores
// CHECK:         %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #[[WIDE]]>
// CHECK-NEXT:    %[[D:.*]] = ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[ZERO]] {{.*}} -> tensor<64x64xf32, #[[WIDE]]>
// CHECK-NEXT:    %[[R:.*]] = ttg.convert_layout %[[D]] : tensor<64x64xf32, #[[WIDE]]> -> tensor<64x64xf32, #[[MMA]]>
// CHECK-NEXT:    tt.return %[[R]]
// REMARK:      remark: widen-wgmma: an instruction computes 64 columns instead of 32: A is read less often
// COM: Without the attribute dotload.staged, which stage-dot-operands sets, the dot stays.
// STOCK-NOT:   instrShape = [16, 64, 16]
tt.func @scores(%q: !ttg.memdesc<64x128xbf16, #shared, #smem>, %k: !ttg.memdesc<128x64xbf16, #shared1, #smem>) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %d = ttng.warp_group_dot %q, %k, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xbf16, #shared, #smem> * !ttg.memdesc<128x64xbf16, #shared1, #smem> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

// COM: The second dot accumulates on the result of the first, in its layout.
// CHECK-LABEL: @two_parts
// CHECK:         %[[D:.*]] = ttng.warp_group_dot {{.*}} -> tensor<64x64xf32, #[[WIDE]]>
// CHECK:         %[[E:.*]] = ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[D]] {{.*}} -> tensor<64x64xf32, #[[WIDE]]>
// CHECK-NEXT:    %[[R:.*]] = ttg.convert_layout %[[E]] : tensor<64x64xf32, #[[WIDE]]> -> tensor<64x64xf32, #[[MMA]]>
// CHECK-NEXT:    tt.return %[[R]]
tt.func @two_parts(%q: !ttg.memdesc<64x128xbf16, #shared, #smem>, %k: !ttg.memdesc<128x64xbf16, #shared1, #smem>) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %d = ttng.warp_group_dot %q, %k, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xbf16, #shared, #smem> * !ttg.memdesc<128x64xbf16, #shared1, #smem> -> tensor<64x64xf32, #mma>
  %e = ttng.warp_group_dot %q, %k, %d {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xbf16, #shared, #smem> * !ttg.memdesc<128x64xbf16, #shared1, #smem> -> tensor<64x64xf32, #mma>
  tt.return %e : tensor<64x64xf32, #mma>
}

// COM: Other initial values of the accumulator are converted. 128 columns take an instruction of 128.
// CHECK-LABEL: @more_columns
// CHECK:         %[[C:.*]] = ttg.convert_layout %{{.*}} : tensor<64x128xf32, #[[MMA]]> -> tensor<64x128xf32, #[[WIDER:.*]]>
// CHECK-NEXT:    ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[C]] {{.*}} -> tensor<64x128xf32, #[[WIDER]]>
// REMARK:      remark: widen-wgmma: an instruction computes 128 columns instead of 32
tt.func @more_columns(%q: !ttg.memdesc<64x128xbf16, #shared, #smem>, %k: !ttg.memdesc<128x128xbf16, #shared1, #smem>, %c: tensor<64x128xf32, #mma>) -> tensor<64x128xf32, #mma> {
  %d = ttng.warp_group_dot %q, %k, %c {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xbf16, #shared, #smem> * !ttg.memdesc<128x128xbf16, #shared1, #smem> -> tensor<64x128xf32, #mma>
  tt.return %d : tensor<64x128xf32, #mma>
}

// COM: No instruction has more than 256 columns.
// CHECK-LABEL: @most_columns
// CHECK:         ttng.warp_group_dot
// REMARK:      remark: widen-wgmma: an instruction computes 256 columns instead of 32
tt.func @most_columns(%q: !ttg.memdesc<64x64xbf16, #shared, #smem>, %k: !ttg.memdesc<64x512xbf16, #shared1, #smem>, %c: tensor<64x512xf32, #mma>) -> tensor<64x512xf32, #mma> {
  %d = ttng.warp_group_dot %q, %k, %c {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xbf16, #shared, #smem> * !ttg.memdesc<64x512xbf16, #shared1, #smem> -> tensor<64x512xf32, #mma>
  tt.return %d : tensor<64x512xf32, #mma>
}

// REMARK-NOT:  remark
// COM: Each warpgroup has its own columns, and one instruction covers all of them.
// CHECK-LABEL: @own_columns
// CHECK-NOT:     ttg.convert_layout
// CHECK:         tt.return
tt.func @own_columns(%q: !ttg.memdesc<64x128xbf16, #shared, #smem>, %k: !ttg.memdesc<128x64xbf16, #shared1, #smem>) -> tensor<64x64xf32, #apart> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #apart>
  %d = ttng.warp_group_dot %q, %k, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xbf16, #shared, #smem> * !ttg.memdesc<128x64xbf16, #shared1, #smem> -> tensor<64x64xf32, #apart>
  tt.return %d : tensor<64x64xf32, #apart>
}

// COM: A in registers is read once anyway.
// CHECK-LABEL: @in_registers
// CHECK-NOT:     ttg.convert_layout
// CHECK:         tt.return
tt.func @in_registers(%q: tensor<64x128xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %k: !ttg.memdesc<128x64xbf16, #shared1, #smem>) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %d = ttng.warp_group_dot %q, %k, %zero {inputPrecision = 0 : i32} : tensor<64x128xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * !ttg.memdesc<128x64xbf16, #shared1, #smem> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

// COM: 8-bit dots stay: neither width is faster in all kernels.
// CHECK-LABEL: @bytes
// CHECK-NOT:     ttg.convert_layout
// CHECK:         tt.return
tt.func @bytes(%q: !ttg.memdesc<64x128xf8E4M3FN, #bytes, #smem>, %k: !ttg.memdesc<128x64xf8E4M3FN, #bytes1, #smem>) -> tensor<64x64xf32, #mma8> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma8>
  %d = ttng.warp_group_dot %q, %k, %zero {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<64x128xf8E4M3FN, #bytes, #smem> * !ttg.memdesc<128x64xf8E4M3FN, #bytes1, #smem> -> tensor<64x64xf32, #mma8>
  tt.return %d : tensor<64x64xf32, #mma8>
}

}
