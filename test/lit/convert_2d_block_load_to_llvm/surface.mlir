// RUN: dotload-opt %s --convert-2d-block-load-to-llvm='emit=opencl' | FileCheck %s

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#dot_b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: The base is aligned down to a multiple of 64 bytes, and the width and x grow by the difference: 2 bytes are 1
  // COM: of x. The width never exceeds the pitch. Warps 2 and 3 start 32 rows further down: bit 1 of the warp index,
  // COM: shifted by 4, is 32.
  // CHECK-LABEL: @base_and_warp
  // CHECK-DAG: %[[C63:[a-z0-9_]+]] = arith.constant 63 : i32
  // CHECK-DAG: %[[CM64:[a-z0-9_-]+]] = arith.constant -64 : i64
  // CHECK-DAG: %[[C1:[a-z0-9_]+]] = arith.constant 1 : i32
  // CHECK-DAG: %[[C2:[a-z0-9_]+]] = arith.constant 2 : i32
  // CHECK-DAG: %[[C4:[a-z0-9_]+]] = arith.constant 4 : i32
  // CHECK-DAG: %[[WARP:[a-z0-9_]+]] = llvm.call spir_funccc @_Z16get_sub_group_id() : () -> i32
  // CHECK: %[[BIT:[a-z0-9_]+]] = arith.andi %[[WARP]], %[[C2]] : i32
  // CHECK: %[[ROWS:[a-z0-9_]+]] = arith.shli %[[BIT]], %[[C4]] : i32
  // CHECK: %[[Y:[a-z0-9_]+]] = arith.addi %y, %[[ROWS]] : i32
  // CHECK: %[[PTR:[a-z0-9_]+]] = builtin.unrealized_conversion_cast %base : !tt.ptr<f16> to !llvm.ptr<1>
  // CHECK: %[[ADDRESS:[a-z0-9_]+]] = llvm.ptrtoint %[[PTR]] : !llvm.ptr<1> to i64
  // CHECK: %[[LOW:[a-z0-9_]+]] = arith.trunci %[[ADDRESS]] : i64 to i32
  // CHECK: %[[SKEW:[a-z0-9_]+]] = arith.andi %[[LOW]], %[[C63]] : i32
  // CHECK: %[[DOWN:[a-z0-9_]+]] = arith.andi %[[ADDRESS]], %[[CM64]] : i64
  // CHECK: %[[BASE:[a-z0-9_]+]] = llvm.inttoptr %[[DOWN]] : i64 to !llvm.ptr<1>
  // CHECK: %[[SKEW_X:[a-z0-9_]+]] = arith.shrui %[[SKEW]], %[[C1]] : i32
  // CHECK: %[[WIDTH:[a-z0-9_]+]] = arith.addi %w, %[[SKEW]] : i32
  // CHECK: %[[WIDER:[a-z0-9_]+]] = arith.cmpi ult, %p, %[[WIDTH]] : i32
  // CHECK: %[[CUT:[a-z0-9_]+]] = arith.select %[[WIDER]], %p, %[[WIDTH]] : i32
  // CHECK: %[[X:[a-z0-9_]+]] = arith.addi %x, %[[SKEW_X]] : i32
  // CHECK: %[[AT0:[a-z0-9_]+]] = llvm.insertelement %[[X]], %{{.*}} : vector<2xi32>
  // CHECK: %[[AT:[a-z0-9_]+]] = llvm.insertelement %[[Y]], %[[AT0]]{{.*}} : vector<2xi32>
  // CHECK: llvm.call {{.*}}(%[[BASE]], %[[CUT]], %h, %p, %[[AT]],
  tt.func @base_and_warp(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<64x32xf16, #dot_a> {
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: A message's address is that of its first element, taken from lane 0. A masked message starts at row 32 of 32.
  // CHECK-LABEL: @pointers
  // CHECK-DAG: %[[C0:[a-z0-9_]+]] = arith.constant 0 : i32
  // CHECK-DAG: %[[C32:[a-z0-9_]+]] = arith.constant 32 : i32
  // CHECK: %[[PTRS:[a-z0-9_]+]] = builtin.unrealized_conversion_cast %ptrs : tensor<64x32x!tt.ptr<f16>, {{.*}}> to !llvm.struct<(ptr<1>,
  // CHECK: %[[MASK:[a-z0-9_]+]] = builtin.unrealized_conversion_cast %mask : tensor<64x32xi1, {{.*}}> to !llvm.struct<(i1,
  // CHECK: %[[FIRST:[a-z0-9_]+]] = llvm.extractvalue %[[PTRS]][0]
  // CHECK: %[[OWN:[a-z0-9_]+]] = llvm.ptrtoint %[[FIRST]]
  // CHECK: %[[ADDRESS:[a-z0-9_]+]] = llvm.call spir_funccc @_Z17sub_group_shufflelj(%[[OWN]], %[[C0]]) : (i64, i32) -> i64
  // CHECK: llvm.inttoptr %[[ADDRESS]]
  // CHECK: %[[ON:[a-z0-9_]+]] = llvm.extractvalue %[[MASK]][0]
  // CHECK: arith.select %[[ON]], %[[C0]], %[[C32]] : i32
  // CHECK: llvm.call spir_funccc @_Z42intel_sub_group_2d_block_read_16b_32r16x2c
  // CHECK-NOT: arith.select {{.*}} : f16
  // CHECK: tt.return
  tt.func @pointers(%ptrs: tensor<64x32x!tt.ptr<f16>, #dot_a>, %p: i32, %mask: tensor<64x32xi1, #dot_a>) -> tensor<64x32xf16, #dot_a> {
    %other = arith.constant dense<0.000000e+00> : tensor<64x32xf16, #dot_a>
    %a = ttig.2d_block_load_from_ptr %ptrs, %p, %mask, %other {row_major} {base_height = 32 : i32, base_width = 32 : i32} : (tensor<64x32x!tt.ptr<f16>, #dot_a>, i32, tensor<64x32xi1, #dot_a>, tensor<64x32xf16, #dot_a>) -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: Masked elements with a value other than zero are selected one by one.
  // CHECK-LABEL: @other
  // CHECK: %[[OTHER:[a-z0-9_]+]] = builtin.unrealized_conversion_cast %other
  // CHECK: %[[O0:[a-z0-9_]+]] = llvm.extractvalue %[[OTHER]][0]
  // CHECK: arith.select %{{.*}}, %{{.*}}, %[[O0]] : f16
  // CHECK-COUNT-63: arith.select
  tt.func @other(%ptrs: tensor<64x32x!tt.ptr<f16>, #dot_a>, %p: i32, %mask: tensor<64x32xi1, #dot_a>, %other: tensor<64x32xf16, #dot_a>) -> tensor<64x32xf16, #dot_a> {
    %a = ttig.2d_block_load_from_ptr %ptrs, %p, %mask, %other {row_major} {base_height = 32 : i32, base_width = 32 : i32} : (tensor<64x32x!tt.ptr<f16>, #dot_a>, i32, tensor<64x32xi1, #dot_a>, tensor<64x32xf16, #dot_a>) -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: An element is inside if row < height and column < width / 2 bytes, as unsigned numbers.
  // CHECK-LABEL: @pad_nan
  // CHECK-DAG: %[[LANE:[a-z0-9_]+]] = llvm.call spir_funccc @_Z22get_sub_group_local_id() : () -> i32
  // CHECK-DAG: %[[NAN:[a-z0-9_]+]] = arith.constant 0x7E00 : f16
  // CHECK: %[[COLUMNS:[a-z0-9_]+]] = arith.shrui %w
  // CHECK: %[[IN_ROW:[a-z0-9_]+]] = arith.cmpi ult, %{{.*}}, %h : i32
  // CHECK: %[[IN_COLUMN:[a-z0-9_]+]] = arith.cmpi ult, %{{.*}}, %[[COLUMNS]] : i32
  // CHECK: %[[INSIDE:[a-z0-9_]+]] = arith.andi %[[IN_ROW]], %[[IN_COLUMN]] : i1
  // CHECK: arith.select %[[INSIDE]], %{{.*}}, %[[NAN]] : f16
  tt.func @pad_nan(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<64x32xf16, #dot_a> {
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major, pad_nan} : !tt.ptr<f16> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: The memory that the call writes to is allocated once, not in every iteration.
  // CHECK-LABEL: @in_a_loop
  // CHECK: llvm.alloca
  // CHECK: scf.for
  // CHECK-NOT: llvm.alloca
  // CHECK: llvm.call
  tt.func @in_a_loop(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %h step %c1 : i32 {
      %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<64x32xf16, #dot_a>
    }
    tt.return
  }
}
