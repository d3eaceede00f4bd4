// RUN: dotload-opt %s --lower-to-2d-block-load --split-input-file | FileCheck %s

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#dot_b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: 1024 columns of 2 bytes give a width and a pitch of 2048 bytes. x is the offset along the contiguous dim.
  // CHECK-LABEL: @row_major
  // CHECK-SAME: %[[BASE:[a-z0-9_]+]]: !tt.ptr<f16> {{.*}}, %[[Y:[a-z0-9_]+]]: i32
  tt.func @row_major(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: i32) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %rows = arith.constant 512 : i64
    %columns = arith.constant 1024 : i64
    %ptr = tt.make_tensor_ptr %base, [%rows, %columns], [%columns, %one], [%y, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    // CHECK: %[[X:[a-z0-9_]+]] = arith.constant 0 : i32
    // CHECK: %[[W:[a-z0-9_]+]] = arith.constant 2048 : i32
    // CHECK: %[[H:[a-z0-9_]+]] = arith.constant 512 : i32
    // CHECK: %[[P:[a-z0-9_]+]] = arith.constant 2048 : i32
    // CHECK-NOT: tt.load
    // CHECK: ttig.2d_block_load %[[BASE]], %[[W]], %[[H]], %[[P]][%[[X]], %[[Y]]] {row_major} {ttig.guard = array<i32: 0>} : !tt.ptr<f16> -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0
    %a = tt.load %ptr {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: The stride of 1 is that of dim 0, so x and the width are those of dim 0.
  // CHECK-LABEL: @column_major
  // CHECK-SAME: %[[BASE:[a-z0-9_]+]]: !tt.ptr<f16> {{.*}}, %[[K:[a-z0-9_]+]]: i32 {{.*}}, %[[N:[a-z0-9_]+]]: i32
  tt.func @column_major(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %k: i32 {tt.divisibility = 16 : i32}, %n: i32) -> tensor<32x64xf16, #dot_b> {
    %one = arith.constant 1 : i64
    %depth = arith.constant 1024 : i64
    %columns = arith.constant 512 : i64
    %ptr = tt.make_tensor_ptr %base, [%depth, %columns], [%one, %depth], [%k, %n] {order = array<i32: 0, 1>} : <tensor<32x64xf16, #dot_b>>
    // CHECK: %[[W:[a-z0-9_]+]] = arith.constant 2048 : i32
    // CHECK: %[[H:[a-z0-9_]+]] = arith.constant 512 : i32
    // CHECK: ttig.2d_block_load %[[BASE]], %[[W]], %[[H]], %{{.*}}[%[[K]], %[[N]]] {column_major}
    %b = tt.load %ptr : !tt.ptr<tensor<32x64xf16, #dot_b>>
    tt.return %b : tensor<32x64xf16, #dot_b>
  }

  // CHECK-LABEL: @sizes_at_run_time
  // CHECK-SAME: %{{.*}}: !tt.ptr<f16> {{.*}}, %[[ROWS:[a-z0-9_]+]]: i64, %[[COLUMNS:[a-z0-9_]+]]: i64 {{.*}}, %[[STRIDE:[a-z0-9_]+]]: i64
  tt.func @sizes_at_run_time(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %rows: i64, %columns: i64 {tt.divisibility = 16 : i32}, %stride: i64 {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %ptr = tt.make_tensor_ptr %base, [%rows, %columns], [%stride, %one], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    // CHECK: %[[W32:[a-z0-9_]+]] = arith.trunci %[[COLUMNS]] : i64 to i32
    // CHECK: %[[W:[a-z0-9_]+]] = arith.muli %[[W32]], %{{.*}} : i32
    // CHECK: %[[H:[a-z0-9_]+]] = arith.trunci %[[ROWS]] : i64 to i32
    // CHECK: %[[P32:[a-z0-9_]+]] = arith.trunci %[[STRIDE]] : i64 to i32
    // CHECK: %[[P:[a-z0-9_]+]] = arith.muli %[[P32]], %{{.*}} : i32
    // CHECK: ttig.2d_block_load %{{.*}}, %[[W]], %[[H]], %[[P]][
    %a = tt.load %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: Only the offset along K moves: the loop carries that one, and the other is a value from outside the loop.
  // CHECK-LABEL: @carried_by_a_loop
  // CHECK-SAME: %[[M:[a-z0-9_]+]]: i32
  tt.func @carried_by_a_loop(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 1024 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size], [%size, %one], [%m, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[X:[a-z0-9_]+]] = %{{.*}}) -> (!tt.ptr<{{.*}}>, i32)
    // CHECK: ttig.2d_block_load %{{.*}}[%[[X]], %[[M]]] {row_major}
    // CHECK: %[[NEXT:[a-z0-9_]+]] = arith.addi %[[X]], %{{.*}} : i32
    // CHECK: scf.yield %{{.*}}, %[[NEXT]]
    %end = scf.for %i = %c0 to %n step %c1 iter_args(%p = %ptr) -> (!tt.ptr<tensor<64x32xf16, #dot_a>>) : i32 {
      %a = tt.load %p : !tt.ptr<tensor<64x32xf16, #dot_a>>
      %next = tt.advance %p, [%c0, %c32] : <tensor<64x32xf16, #dot_a>>
      scf.yield %next : !tt.ptr<tensor<64x32xf16, #dot_a>>
    }
    tt.return
  }

  // COM: The pointer after a loop needs its final offset, here through an inner and an outer loop.
  // CHECK-LABEL: @after_nested_loops
  tt.func @after_nested_loops(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 1024 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size], [%size, %one], [%m, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    // CHECK: %[[OUT:[a-z0-9_]+]]:2 = scf.for
    // CHECK:   %[[IN:[a-z0-9_]+]]:2 = scf.for
    // CHECK:   scf.yield %[[IN]]#0, %[[IN]]#1
    // CHECK: ttig.2d_block_load %{{.*}}[%[[OUT]]#1, %{{.*}}] {row_major}
    %end = scf.for %i = %c0 to %n step %c1 iter_args(%p = %ptr) -> (!tt.ptr<tensor<64x32xf16, #dot_a>>) : i32 {
      %inner = scf.for %j = %c0 to %n step %c1 iter_args(%q = %p) -> (!tt.ptr<tensor<64x32xf16, #dot_a>>) : i32 {
        %next = tt.advance %q, [%c0, %c32] : <tensor<64x32xf16, #dot_a>>
        scf.yield %next : !tt.ptr<tensor<64x32xf16, #dot_a>>
      }
      scf.yield %inner : !tt.ptr<tensor<64x32xf16, #dot_a>>
    }
    %a = tt.load %end : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: The pointer moves along both dims: the loop carries and returns both offsets.
  // CHECK-LABEL: @after_a_loop_along_both_dims
  // CHECK-SAME: %[[M:m]]: i32
  tt.func @after_a_loop_along_both_dims(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %c1 = arith.constant 1 : i64
    %rows = arith.constant 512 : i64
    %p = tt.make_tensor_ptr %base, [%rows, %rows], [%rows, %c1], [%m, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    // CHECK: %[[END:[a-z0-9_]+]]:3 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %[[M]], %{{.*}} = %c0)
    // CHECK: scf.yield
    %end = scf.for %i = %c0 to %n step %c32 iter_args(%q = %p) -> (!tt.ptr<tensor<64x32xf16, #dot_a>>) : i32 {
      %next = tt.advance %q, [%c32, %c32] : <tensor<64x32xf16, #dot_a>>
      scf.yield %next : !tt.ptr<tensor<64x32xf16, #dot_a>>
    }
    // CHECK: ttig.2d_block_load %{{.*}}[%[[END]]#2, %[[END]]#1] {row_major}
    %a = tt.load %end : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: The loop exchanges two pointers, and with them their offsets.
  // CHECK-LABEL: @exchanged_in_a_loop
  tt.func @exchanged_in_a_loop(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %c1 = arith.constant 1 : i64
    %rows = arith.constant 512 : i64
    %p0 = tt.make_tensor_ptr %base, [%rows, %rows], [%rows, %c1], [%m, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %p1 = tt.advance %p0, [%c0, %c32] : <tensor<64x32xf16, #dot_a>>
    // CHECK: scf.for {{.*}} %[[X0:[a-z0-9_]+]] = %c0, %[[X1:[a-z0-9_]+]] = %{{[a-z0-9_]+}})
    %end:2 = scf.for %i = %c0 to %n step %c32 iter_args(%q0 = %p0, %q1 = %p1) -> (!tt.ptr<tensor<64x32xf16, #dot_a>>, !tt.ptr<tensor<64x32xf16, #dot_a>>) : i32 {
      // CHECK: ttig.2d_block_load %{{.*}}[%[[X0]], %{{.*}}] {row_major}
      // CHECK: %[[NEXT:.*]] = arith.addi %[[X0]], %c32
      // CHECK: scf.yield %{{.*}}, %{{.*}}, %[[X1]], %[[NEXT]] :
      %a = tt.load %q0 : !tt.ptr<tensor<64x32xf16, #dot_a>>
      %next = tt.advance %q0, [%c0, %c32] : <tensor<64x32xf16, #dot_a>>
      scf.yield %q1, %next : !tt.ptr<tensor<64x32xf16, #dot_a>>, !tt.ptr<tensor<64x32xf16, #dot_a>>
    }
    tt.return
  }

  // CHECK-LABEL: @padded_with_nan
  tt.func @padded_with_nan(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 1024 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size], [%size, %one], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    // CHECK: ttig.2d_block_load {{.*}} {row_major, pad_nan}
    %a = tt.load %ptr {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }
}

// -----

// COM: The older name of the dialect, up to Triton 3.3.
#mma = #triton_intel_gpu.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 4, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 32], B = [32, 32], C = [32, 32]}>
#dot_b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, triton_intel_gpu.support_sg_2d_block} {
  // CHECK-LABEL: @older_name
  tt.func @older_name(%base: !tt.ptr<i8> {tt.divisibility = 16 : i32}) -> tensor<32x64xi8, #dot_b> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 1024 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size], [%size, %one], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<32x64xi8, #dot_b>>
    // CHECK: ttig.2d_block_load {{.*}} {row_major} : !tt.ptr<i8> -> tensor<32x64xi8, #ttg.dot_op<{opIdx = 1
    %b = tt.load %ptr : !tt.ptr<tensor<32x64xi8, #dot_b>>
    tt.return %b : tensor<32x64xi8, #dot_b>
  }
}
