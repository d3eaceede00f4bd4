// RUN: dotload-opt %s --stage-dot-operands --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: sed 's/cuda:120/cuda:90/' %s | dotload-opt --stage-dot-operands | FileCheck %s --check-prefix=HOPPER

// COM: From sm_100 on, ldmatrix can transpose matrices of 16 x 16 bytes. Stock reads tiles in TMA's layout this way.

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#mma1 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:120", "ttg.threads-per-warp" = 32 : i32} {

// REMARK:       kept tt.descriptor_load: stock Triton reads the tile by ldmatrix{{.*}} row-major B {{.*}} [READ_TRANSPOSED]
// CHECK-LABEL:  @all_warps_along_m
// CHECK-NOT:      dotload.staged
// HOPPER-LABEL: @all_warps_along_m
// HOPPER:         dotload.staged = "fragments"
tt.func @all_warps_along_m(%desc: !tt.tensordesc<64x64xf8E4M3FN, #shared>, %a: tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %x: i32, %acc: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %b = tt.descriptor_load %desc[%x, %x] : !tt.tensordesc<64x64xf8E4M3FN, #shared> -> tensor<64x64xf8E4M3FN, #blocked>
  %bo = ttg.convert_layout %b : tensor<64x64xf8E4M3FN, #blocked> -> tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
  %d = tt.dot %a, %bo, %acc : tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

// COM: Another warp holds the next eight columns, so there is no 16 x 16 matrix.
// REMARK:       row-major B {{.*}} is staged through shared memory into registers
// CHECK-LABEL:  @two_warps_along_n
// CHECK:          dotload.staged = "fragments"
tt.func @two_warps_along_n(%desc: !tt.tensordesc<64x64xf8E4M3FN, #shared>, %a: tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma1, kWidth = 4}>>, %x: i32, %acc: tensor<64x64xf32, #mma1>) -> tensor<64x64xf32, #mma1> {
  %b = tt.descriptor_load %desc[%x, %x] : !tt.tensordesc<64x64xf8E4M3FN, #shared> -> tensor<64x64xf8E4M3FN, #blocked>
  %bo = ttg.convert_layout %b : tensor<64x64xf8E4M3FN, #blocked> -> tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 1, parent = #mma1, kWidth = 4}>>
  %d = tt.dot %a, %bo, %acc : tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma1, kWidth = 4}>> * tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 1, parent = #mma1, kWidth = 4}>> -> tensor<64x64xf32, #mma1>
  tt.return %d : tensor<64x64xf32, #mma1>
}

// COM: A fragment of A has rows m and m + 8.
// REMARK:       kept tt.descriptor_load: stock Triton reads the tile by ldmatrix{{.*}} column-major A {{.*}} [READ_TRANSPOSED]
// CHECK-LABEL:  @operand_a
// CHECK-NOT:      dotload.staged
tt.func @operand_a(%desc: !tt.tensordesc<64x64xf8E4M3FN, #shared>, %b: tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 1, parent = #mma1, kWidth = 4}>>, %x: i32, %acc: tensor<64x64xf32, #mma1>) -> tensor<64x64xf32, #mma1> {
  %a = tt.descriptor_load %desc[%x, %x] : !tt.tensordesc<64x64xf8E4M3FN, #shared> -> tensor<64x64xf8E4M3FN, #blocked>
  %t = tt.trans %a {order = array<i32: 1, 0>} : tensor<64x64xf8E4M3FN, #blocked> -> tensor<64x64xf8E4M3FN, #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>>
  %ao = ttg.convert_layout %t : tensor<64x64xf8E4M3FN, #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>> -> tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma1, kWidth = 4}>>
  %d = tt.dot %ao, %b, %acc : tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #mma1, kWidth = 4}>> * tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 1, parent = #mma1, kWidth = 4}>> -> tensor<64x64xf32, #mma1>
  tt.return %d : tensor<64x64xf32, #mma1>
}

// COM: Likewise where the bytes are converted afterwards, unless a thread has two k only, as in fragments of 16 bits.
// REMARK:       kept tt.descriptor_load: stock Triton reads the tile by ldmatrix{{.*}} row-major B {{.*}} [READ_TRANSPOSED]
// CHECK-LABEL:  @converted
// CHECK-NOT:      dotload.staged
tt.func @converted(%desc: !tt.tensordesc<64x64xf8E4M3FN, #shared>, %a: tensor<64x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %x: i32, %acc: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %b = tt.descriptor_load %desc[%x, %x] : !tt.tensordesc<64x64xf8E4M3FN, #shared> -> tensor<64x64xf8E4M3FN, #blocked>
  %bo = ttg.convert_layout %b : tensor<64x64xf8E4M3FN, #blocked> -> tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
  %w = tt.fp_to_fp %bo : tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<64x64xbf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
  %d = tt.dot %a, %w, %acc : tensor<64x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x64xbf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

// REMARK:       row-major B {{.*}} is staged through shared memory into registers
// CHECK-LABEL:  @converted_pairs
// CHECK:          dotload.staged = "fragments"
tt.func @converted_pairs(%desc: !tt.tensordesc<64x64xf8E4M3FN, #shared>, %a: tensor<64x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %x: i32, %acc: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %b = tt.descriptor_load %desc[%x, %x] : !tt.tensordesc<64x64xf8E4M3FN, #shared> -> tensor<64x64xf8E4M3FN, #blocked>
  %bo = ttg.convert_layout %b : tensor<64x64xf8E4M3FN, #blocked> -> tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
  %w = tt.fp_to_fp %bo : tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> tensor<64x64xbf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
  %d = tt.dot %a, %w, %acc : tensor<64x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * tensor<64x64xbf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}

// COM: Staging lets ldmatrix read the other operand, if that is loaded.
// REMARK:       row-major B {{.*}} is staged through shared memory into registers
// CHECK-LABEL:  @converted_beside_a_load
// CHECK:          dotload.staged = "fragments"
tt.func @converted_beside_a_load(%desc: !tt.tensordesc<64x64xf8E4M3FN, #shared>, %p: tensor<64x64x!tt.ptr<bf16>, #blocked>, %x: i32, %acc: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %t = tt.load %p : tensor<64x64x!tt.ptr<bf16>, #blocked>
  %a = ttg.convert_layout %t : tensor<64x64xbf16, #blocked> -> tensor<64x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
  %b = tt.descriptor_load %desc[%x, %x] : !tt.tensordesc<64x64xf8E4M3FN, #shared> -> tensor<64x64xf8E4M3FN, #blocked>
  %bo = ttg.convert_layout %b : tensor<64x64xf8E4M3FN, #blocked> -> tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
  %w = tt.fp_to_fp %bo : tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<64x64xbf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
  %d = tt.dot %a, %w, %acc : tensor<64x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x64xbf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}
}
