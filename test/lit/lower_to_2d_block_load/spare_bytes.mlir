// RUN: dotload-opt %s --lower-to-2d-block-load --remarks 2>&1 | FileCheck %s

// COM: Two warps alternate every 16 bytes along a row. Rows of 64 bytes hold two pieces for each of them. Messages of
// COM: whole rows, half of which is unread, halve the number of messages and of cache lines.
// CHECK: tt.load becomes 2 x 8b_4r16x4c, proved
// COM: With 32 rows, 2 KB would be unread, more than an eighth of the smallest register file.
// CHECK: tt.load becomes 4 x 8b_32r16x1c, proved
// COM: Warps alternate along DPAS operands as well, but accumulators need the registers.
// CHECK: tt.load becomes 2 x transform 8b_32r16x1c, proved

#turns = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 16], warpsPerCTA = [1, 2], order = [1, 0]}>
#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 4, threadsPerWarp = 16, warpsPerCTA = [1, 2], repCluster = [1, 1]}>
#dot_b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @few_unread(%base: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %size: i64 {tt.divisibility = 16 : i32}, %x: i32 {tt.divisibility = 16 : i32}, %y: i32) -> tensor<4x128xi8, #turns> {
    %one = arith.constant 1 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size], [%size, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<4x128xi8, #turns>>
    %a = tt.load %ptr {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<4x128xi8, #turns>>
    tt.return %a : tensor<4x128xi8, #turns>
  }

  tt.func @many_unread(%base: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %size: i64 {tt.divisibility = 16 : i32}, %x: i32 {tt.divisibility = 16 : i32}, %y: i32) -> tensor<32x128xi8, #turns> {
    %one = arith.constant 1 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size], [%size, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<32x128xi8, #turns>>
    %a = tt.load %ptr {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<32x128xi8, #turns>>
    tt.return %a : tensor<32x128xi8, #turns>
  }

  tt.func @operand(%base: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %size: i64 {tt.divisibility = 16 : i32}, %x: i32 {tt.divisibility = 16 : i32}, %y: i32) -> tensor<32x64xi8, #dot_b> {
    %one = arith.constant 1 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size], [%size, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<32x64xi8, #dot_b>>
    %a = tt.load %ptr {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<32x64xi8, #dot_b>>
    tt.return %a : tensor<32x64xi8, #dot_b>
  }
}
