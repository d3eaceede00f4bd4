// RUN: dotload-opt %s --convert-2d-block-load-to-llvm='cut-surfaces=false' | FileCheck %s

// COM: The base is aligned down to 64 bytes, so a column below 0 would lie inside the surface.
#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: x is not negative: the bytes between the aligned base and the base are added to x.
  // CHECK-LABEL: @constant
  // CHECK-NOT: arith.cmpi
  // CHECK-NOT: arith.select
  // CHECK: tt.return
  tt.func @constant(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %y: i32) -> tensor<64x32xf16, #dot_a> {
    %x = arith.constant 0 : i32
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: x is computed from a program id, a loop counter and non-negative constants.
  // CHECK-LABEL: @tiles
  // CHECK-COUNT-2: triton_gen.2Dblockload
  // CHECK-NOT: arith.select
  // CHECK: tt.return
  tt.func @tiles(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %y: i32) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %c24 = arith.constant 24 : i32
    %pid = tt.get_program_id x : i32
    %first = arith.muli %pid, %c24 : i32
    %zero = arith.constant dense<0.0> : tensor<64x32xf16, #dot_a>
    %r:2 = scf.for %i = %c0 to %h step %c24 iter_args(%x = %first, %sum = %zero) -> (i32, tensor<64x32xf16, #dot_a>) : i32 {
      %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<64x32xf16, #dot_a>
      %b = ttig.2d_block_load %base, %w, %h, %p[%i, %y] {row_major} : !tt.ptr<f16> -> tensor<64x32xf16, #dot_a>
      %c = arith.addf %a, %b : tensor<64x32xf16, #dot_a>
      %all = arith.addf %sum, %c : tensor<64x32xf16, #dot_a>
      %next = arith.addi %x, %c24 : i32
      scf.yield %next, %all : i32, tensor<64x32xf16, #dot_a>
    }
    tt.return %r#1 : tensor<64x32xf16, #dot_a>
  }

  // COM: A term of x may be negative.
  // CHECK-LABEL: @difference
  // CHECK: triton_gen.2Dblockload
  // CHECK: arith.select
  // CHECK: tt.return
  tt.func @difference(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %y: i32) -> tensor<64x32xf16, #dot_a> {
    %c24 = arith.constant 24 : i32
    %pid = tt.get_program_id x : i32
    %x = arith.subi %pid, %c24 : i32
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: x is a multiple of the message's 32 columns: a message lies left of the base as a whole or not at all. Then x
  // COM: is kept.
  // CHECK-LABEL: @multiple
  // CHECK: %[[SKEW:.*]] = arith.shrui
  // CHECK: %[[RIGHT:.*]] = arith.cmpi sge, %x, %[[C0:.*]] : i32
  // CHECK: %[[BY:.*]] = arith.select %[[RIGHT]], %[[SKEW]], %[[C0]] : i32
  // CHECK: %[[X:.*]] = arith.addi %x, %[[BY]] : i32
  // CHECK: triton_gen.2Dblockload %{{.*}}, %{{.*}}, %h, %p, %[[X]], %{{.*}} {elem_size_in_bits = 16, tile_width = 16, tile_height = 32, v_blocks = 2
  // CHECK-NOT: arith.select
  // CHECK: tt.return
  tt.func @multiple(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %x: i32 {tt.divisibility = 32 : i32}, %y: i32) -> tensor<64x32xf16, #dot_a> {
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: x is a multiple of 16 columns only. Registers of columns below 0 become zeros: there are 64.
  // CHECK-LABEL: @within
  // CHECK-DAG: %[[LANE:.*]] = llvm.call spir_funccc @_Z22get_sub_group_local_id()
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f16
  // CHECK: triton_gen.2Dblockload
  // CHECK: %[[COLUMNS:.*]] = arith.shrui %w
  // CHECK: %[[COLUMN:.*]] = arith.addi %x, %{{.*}} : i32
  // CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[COLUMN]], %[[COLUMNS]] : i32
  // CHECK: arith.select %[[INSIDE]], %{{.*}}, %[[ZERO]] : f16
  // CHECK-COUNT-63: arith.select
  // CHECK-NOT: arith.select
  // CHECK: tt.return
  tt.func @within(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %x: i32 {tt.divisibility = 16 : i32}, %y: i32) -> tensor<64x32xf16, #dot_a> {
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }
}

// COM: A device that takes any base: the base is not aligned.
// RUN: sed -e 's/ttig.support_2d_block_io}/ttig.support_2d_block_io, ttig.2d_block_io_base_alignment = 4 : i32}/' %s | dotload-opt - --convert-2d-block-load-to-llvm='cut-surfaces=false' | FileCheck %s --check-prefix=ANY
// ANY-NOT: arith.select
