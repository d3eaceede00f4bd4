// RUN: dotload-opt %s --convert-2d-block-load-to-llvm --remarks -o /dev/null 2>&1 | FileCheck %s
// RUN: dotload-opt %s --convert-2d-block-load-to-llvm='target=xe3p' --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=XE3P

// COM: 512 x 32 elements of 16 bits for one warp: each iteration needs 16 messages of 32 registers of 64 bytes.
// CHECK: 16 x 16b_32r16x2c, proved, 512 registers
// XE3P: the block loads of this loop take 512 registers per thread, more than 256: compile for 512 registers [REGISTERS]
// COM: A quarter of that fits the smallest register file.
// CHECK: 4 x 16b_32r16x2c, proved, 128 registers
// CHECK: remark: convert-2d-block-load-to-llvm: the block loads of this loop take 512 registers per thread, more than 256: xe2 has no more than 256 [REGISTERS]
// CHECK-NOT: REGISTERS
#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [4, 2]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @too_many(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %n: i32, %y: i32, %init: tensor<512x32xf16, #dot_a>) -> tensor<512x32xf16, #dot_a> {
    %zero = arith.constant 0 : i32
    %step = arith.constant 32 : i32
    %last = scf.for %x = %zero to %n step %step iter_args(%before = %init) -> (tensor<512x32xf16, #dot_a>) : i32 {
      %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<512x32xf16, #dot_a>
      scf.yield %a : tensor<512x32xf16, #dot_a>
    }
    tt.return %last : tensor<512x32xf16, #dot_a>
  }

  tt.func @that_fit(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %n: i32, %y: i32, %init: tensor<128x32xf16, #dot_a>) -> tensor<128x32xf16, #dot_a> {
    %zero = arith.constant 0 : i32
    %step = arith.constant 32 : i32
    %last = scf.for %x = %zero to %n step %step iter_args(%before = %init) -> (tensor<128x32xf16, #dot_a>) : i32 {
      %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<128x32xf16, #dot_a>
      scf.yield %a : tensor<128x32xf16, #dot_a>
    }
    tt.return %last : tensor<128x32xf16, #dot_a>
  }
}
