// RUN: dotload-opt %s --lower-to-2d-block-load --remarks 2>&1 | FileCheck %s

// COM: Block pointers that branches, selects and loops of any kind forward. Their offsets are forwarded beside them.

// CHECK-COUNT-5: remark: lower-to-2d-block-load: tt.load becomes 1 x 16b_32r16x2c, proved
// CHECK-COUNT-2: remark: lower-to-2d-block-load: kept tt.load: the block pointer does not come from one tt.make_tensor_ptr by tt.advance and control flow alone [UNKNOWN_POINTER]

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // CHECK-LABEL: @moved_in_one_branch
  // CHECK-SAME: %[[M:m]]: i32
  tt.func @moved_in_one_branch(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %moves: i1) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 1024 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size], [%size, %one], [%m, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    // CHECK: %[[P:[a-z0-9_]+]]:2 = scf.if %{{.*}} -> (!tt.ptr<{{.*}}>, i32)
    // CHECK: %[[X:offset]] = arith.addi %c0, %c32
    // CHECK: scf.yield %{{.*}}, %[[X]] :
    // CHECK: scf.yield %{{.*}}, %c0 :
    // CHECK: ttig.2d_block_load %{{.*}}[%[[P]]#1, %[[M]]] {row_major}
    %p = scf.if %moves -> (!tt.ptr<tensor<64x32xf16, #dot_a>>) {
      %next = tt.advance %ptr, [%c0, %c32] : <tensor<64x32xf16, #dot_a>>
      scf.yield %next : !tt.ptr<tensor<64x32xf16, #dot_a>>
    } else {
      scf.yield %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    }
    %a = tt.load %p : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // CHECK-LABEL: @selected
  tt.func @selected(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %moves: i1) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 1024 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size], [%size, %one], [%m, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %next = tt.advance %ptr, [%c0, %c32] : <tensor<64x32xf16, #dot_a>>
    // CHECK: %[[NEXT:[a-z0-9_]+]] = arith.addi %c0, %c32
    // CHECK: %[[X:[a-z0-9_]+]] = arith.select %{{.*}}, %[[NEXT]], %c0 : i32
    // CHECK: ttig.2d_block_load %{{.*}}[%[[X]], %m] {row_major}
    %p = arith.select %moves, %next, %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    %a = tt.load %p : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: The condition hands the values on in another order than it receives them.
  // CHECK-LABEL: @in_a_while
  tt.func @in_a_while(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 1024 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size], [%size, %one], [%m, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    // CHECK: %[[R:[a-z0-9_]+]]:3 = scf.while (%{{.*}} = %ptr, %{{.*}} = %c0, %[[BEFORE:[a-z0-9_]+]] = %c0)
    // CHECK: scf.condition(%{{.*}}) %{{.*}}, %{{.*}}, %[[BEFORE]] : i32, !tt.ptr<{{.*}}>, i32
    // CHECK: ^bb0(%{{.*}}: i32, %{{.*}}: !tt.ptr<{{.*}}>, %[[X:[a-z0-9_]+]]: i32):
    // CHECK: ttig.2d_block_load %{{.*}}[%[[X]], %m] {row_major}
    // CHECK: %[[NEXT:[a-z0-9_]+]] = arith.addi %[[X]], %c32
    // CHECK: scf.yield %{{.*}}, %{{.*}}, %[[NEXT]] :
    // CHECK: ttig.2d_block_load %{{.*}}[%[[R]]#2, %m] {row_major}
    %r:2 = scf.while (%p = %ptr, %i = %c0) : (!tt.ptr<tensor<64x32xf16, #dot_a>>, i32) -> (i32, !tt.ptr<tensor<64x32xf16, #dot_a>>) {
      %goes_on = arith.cmpi slt, %i, %n : i32
      scf.condition(%goes_on) %i, %p : i32, !tt.ptr<tensor<64x32xf16, #dot_a>>
    } do {
    ^bb0(%i: i32, %p: !tt.ptr<tensor<64x32xf16, #dot_a>>):
      %a = tt.load %p : !tt.ptr<tensor<64x32xf16, #dot_a>>
      %next = tt.advance %p, [%c0, %c32] : <tensor<64x32xf16, #dot_a>>
      %following = arith.addi %i, %c32 : i32
      scf.yield %next, %following : !tt.ptr<tensor<64x32xf16, #dot_a>>, i32
    }
    %b = tt.load %r#1 : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %b : tensor<64x32xf16, #dot_a>
  }

  // COM: An scf.if in an scf.while in an scf.for, each of which forwards what the one inside yields.
  // CHECK-LABEL: @nested
  tt.func @nested(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 1024 : i64
    %ptr = tt.make_tensor_ptr %base, [%size, %size], [%size, %one], [%m, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    // CHECK: %[[OUT:[a-z0-9_]+]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %ptr, %[[FOR:[a-z0-9_]+]] = %c0)
    // CHECK:   %[[WHILE:[a-z0-9_]+]]:2 = scf.while (%{{.*}} = %{{.*}}, %[[IN:[a-z0-9_]+]] = %[[FOR]])
    // CHECK:     scf.condition(%{{.*}}) %{{.*}}, %[[IN]] :
    // CHECK:   ^bb0(%{{.*}}, %[[X:[a-z0-9_]+]]: i32):
    // CHECK:     %[[IF:[a-z0-9_]+]]:2 = scf.if
    // CHECK:       %[[NEXT:[a-z0-9_]+]] = arith.addi %[[X]], %c32
    // CHECK:       scf.yield %{{.*}}, %[[NEXT]] :
    // CHECK:       scf.yield %{{.*}}, %[[X]] :
    // CHECK:     scf.yield %[[IF]]#0, %[[IF]]#1 :
    // CHECK:   scf.yield %[[WHILE]]#0, %[[WHILE]]#1 :
    // CHECK: ttig.2d_block_load %{{.*}}[%[[OUT]]#1, %m] {row_major}
    %end = scf.for %i = %c0 to %n step %c32 iter_args(%p = %ptr) -> (!tt.ptr<tensor<64x32xf16, #dot_a>>) : i32 {
      %inner = scf.while (%q = %p) : (!tt.ptr<tensor<64x32xf16, #dot_a>>) -> (!tt.ptr<tensor<64x32xf16, #dot_a>>) {
        %goes_on = arith.cmpi slt, %i, %m : i32
        scf.condition(%goes_on) %q : !tt.ptr<tensor<64x32xf16, #dot_a>>
      } do {
      ^bb0(%q: !tt.ptr<tensor<64x32xf16, #dot_a>>):
        %moves = arith.cmpi eq, %i, %m : i32
        %moved = scf.if %moves -> (!tt.ptr<tensor<64x32xf16, #dot_a>>) {
          %next = tt.advance %q, [%c0, %c32] : <tensor<64x32xf16, #dot_a>>
          scf.yield %next : !tt.ptr<tensor<64x32xf16, #dot_a>>
        } else {
          scf.yield %q : !tt.ptr<tensor<64x32xf16, #dot_a>>
        }
        scf.yield %moved : !tt.ptr<tensor<64x32xf16, #dot_a>>
      }
      scf.yield %inner : !tt.ptr<tensor<64x32xf16, #dot_a>>
    }
    %a = tt.load %end : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: Two matrices.
  // CHECK-LABEL: @one_of_two
  // CHECK: tt.load
  tt.func @one_of_two(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %other: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %c: i1) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 1024 : i64
    %p = tt.make_tensor_ptr %base, [%size, %size], [%size, %one], [%m, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %q = tt.make_tensor_ptr %other, [%size, %size], [%size, %one], [%m, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %ptr = arith.select %c, %p, %q : !tt.ptr<tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: What a loop makes is not visible behind it.
  // CHECK-LABEL: @made_in_a_while
  // CHECK: tt.load
  tt.func @made_in_a_while(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 1024 : i64
    %last = scf.while (%i = %c0) : (i32) -> (!tt.ptr<tensor<64x32xf16, #dot_a>>) {
      %p = tt.make_tensor_ptr %base, [%size, %size], [%size, %one], [%i, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
      %goes_on = arith.cmpi slt, %i, %n : i32
      scf.condition(%goes_on) %p : !tt.ptr<tensor<64x32xf16, #dot_a>>
    } do {
    ^bb0(%p: !tt.ptr<tensor<64x32xf16, #dot_a>>):
      scf.yield %m : i32
    }
    %a = tt.load %last : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }
}
