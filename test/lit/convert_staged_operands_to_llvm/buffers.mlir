// RUN: dotload-opt %s --convert-staged-operands-to-llvm | FileCheck %s

// COM: The address of a buffer is computed in bytes from the first one, without ttg.memdesc_index.

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 8]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#raw = #ttg.shared_linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]}, alignment = 16>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @one_of_several
// CHECK:         %[[TILES:.*]] = ttg.local_alloc
// CHECK:         %[[FIRST:.*]] = builtin.unrealized_conversion_cast %[[TILES]] : !ttg.memdesc<2x64x32xf32, {{.*}}> to !llvm.struct<(ptr<3>, i32, i32, i32)>
// CHECK:         %[[POINTER:.*]] = llvm.extractvalue %[[FIRST]][0]
// CHECK:         %[[BYTES:.*]] = arith.muli %{{.*}}, %c8192_i32
// CHECK:         llvm.getelementptr %[[POINTER]][%[[BYTES]]]
// CHECK-NOT:     ttg.memdesc_index
// CHECK:         ttng.warp_group_dot
tt.func @one_of_several(%b: !ttg.memdesc<32x64xf32, #shared, #smem>, %at: i32) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %as = ttg.local_alloc : () -> !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable>
  %there = ttg.async_wait {num = 0 : i32}
  %a = ttg.memdesc_index %as[%at] : !ttg.memdesc<2x64x32xf32, #raw, #smem, mutable> -> !ttg.memdesc<64x32xf32, #raw, #smem, mutable>
  %av = ttg.local_load %a {dotload.staged = "fragments"} : !ttg.memdesc<64x32xf32, #raw, #smem, mutable> -> tensor<64x32xf32, #dot>
  %d = ttng.warp_group_dot %av, %b, %zero {inputPrecision = 0 : i32} : tensor<64x32xf32, #dot> * !ttg.memdesc<32x64xf32, #shared, #smem> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

}
