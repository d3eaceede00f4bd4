// RUN: dotload-opt %s --lower-to-2d-block-load | FileCheck %s

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#dot_b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: Fields of a descriptor of rank 2: shapes 0 and 1, strides 2 and 3, base 4.
  // CHECK-LABEL: @argument
  // CHECK-SAME: %[[DESC:[a-z0-9_]+]]: !tt.tensordesc<{{.*}}>, %[[Y:[a-z0-9_]+]]: i32, %[[X:[a-z0-9_]+]]: i32
  tt.func @argument(%desc: !tt.tensordesc<tensor<64x32xf16>>, %y: i32, %x: i32 {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    // CHECK: %[[W64:[a-z0-9_]+]] = ttig.extract_desc %[[DESC]][1]
    // CHECK: %[[W32:[a-z0-9_]+]] = arith.trunci %[[W64]] : i64 to i32
    // CHECK: %[[W:[a-z0-9_]+]] = arith.muli %[[W32]]
    // CHECK: %[[H64:[a-z0-9_]+]] = ttig.extract_desc %[[DESC]][0]
    // CHECK: %[[H:[a-z0-9_]+]] = arith.trunci %[[H64]] : i64 to i32
    // CHECK: ttig.extract_desc %[[DESC]][2]
    // CHECK: %[[P:[a-z0-9_]+]] = arith.muli
    // CHECK: %[[BASE:[a-z0-9_]+]] = ttig.extract_desc %[[DESC]][4] : {{.*}} -> !tt.ptr<f16>
    // CHECK: ttig.2d_block_load %[[BASE]], %[[W]], %[[H]], %[[P]][%[[X]], %[[Y]]] {row_major}
    %a = tt.descriptor_load %desc[%y, %x] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // CHECK-LABEL: @padded_with_nan
  tt.func @padded_with_nan(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %rows: i32, %columns: i32 {tt.divisibility = 16 : i32}, %stride: i64 {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %desc = tt.make_tensor_descriptor %base, [%rows, %columns], [%stride, %one] {padding = 2 : i32} : <f16>, <tensor<64x32xf16>>
    // CHECK: ttig.2d_block_load {{.*}} {row_major, pad_nan}
    %a = tt.descriptor_load %desc[%c0, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: The first index of a descriptor of rank 3 selects a plane: it moves the base by stride 0. A message does not
  // COM: check this index, so for a plane that does not exist, rows below the memory are read, which are zeros.
  // CHECK-LABEL: @leading_index
  // CHECK-SAME: %[[DESC:[a-z0-9_]+]]: !tt.tensordesc<{{.*}}>, %[[Z:[a-z0-9_]+]]: i32, %[[Y:[a-z0-9_]+]]: i32
  tt.func @leading_index(%desc: !tt.tensordesc<tensor<1x64x32xf16>>, %z: i32, %y: i32) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    // CHECK: ttig.extract_desc %[[DESC]][1]
    // CHECK: %[[H:[a-z0-9_]+]] = arith.trunci
    // CHECK: %[[BASE:[a-z0-9_]+]] = ttig.extract_desc %[[DESC]][6]
    // CHECK: %[[PLANES:[a-z0-9_]+]] = ttig.extract_desc %[[DESC]][0]
    // CHECK: %[[STRIDE:[a-z0-9_]+]] = ttig.extract_desc %[[DESC]][3]
    // CHECK: %[[Z64:[a-z0-9_]+]] = arith.extsi %[[Z]] : i32 to i64
    // CHECK: %[[OFFSET:[a-z0-9_]+]] = arith.muli %[[Z64]], %[[STRIDE]] : i64
    // CHECK: %[[PLANE:[a-z0-9_]+]] = tt.addptr %[[BASE]], %[[OFFSET]]
    // CHECK: %[[Z64:[a-z0-9_]+]] = arith.extsi %[[Z]] : i32 to i64
    // CHECK: %[[EXISTS:[a-z0-9_]+]] = arith.cmpi ult, %[[Z64]], %[[PLANES]] : i64
    // CHECK: %[[ROW:[a-z0-9_]+]] = arith.select %[[EXISTS]], %[[Y]], %[[H]] : i32
    // CHECK: ttig.2d_block_load %[[PLANE]], %{{.*}}, %[[H]], %{{.*}}[%{{.*}}, %[[ROW]]]
    %a = tt.descriptor_load %desc[%z, %y, %c0] : !tt.tensordesc<tensor<1x64x32xf16>> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: The load includes a transpose: the block is 64 x 32, the result 32 x 64.
  // CHECK-LABEL: @fused_transposition
  tt.func @fused_transposition(%desc: !tt.tensordesc<tensor<64x32xf16>>, %y: i32) -> tensor<32x64xf16, #dot_b> {
    %c0 = arith.constant 0 : i32
    // CHECK: ttig.2d_block_load {{.*}} {column_major}
    %b = tt.descriptor_load %desc[%y, %c0] {ttig.block_io = "column_major"} : !tt.tensordesc<tensor<64x32xf16>> -> tensor<32x64xf16, #dot_b>
    tt.return %b : tensor<32x64xf16, #dot_b>
  }

  // COM: All descriptors that may reach the load fit; the fields are read from the one that is selected at run time.
  // CHECK-LABEL: @one_of_two
  // CHECK: %[[D:[a-z0-9_]+]] = arith.select
  // CHECK: ttig.extract_desc %[[D]][1]
  // CHECK: ttig.2d_block_load
  tt.func @one_of_two(%first: !tt.tensordesc<tensor<64x32xf16>>, %second: !tt.tensordesc<tensor<64x32xf16>>, %which: i1, %y: i32) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %desc = arith.select %which, %first, %second : !tt.tensordesc<tensor<64x32xf16>>
    %a = tt.descriptor_load %desc[%y, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // CHECK-LABEL: @from_a_branch
  // CHECK: ttig.2d_block_load
  tt.func @from_a_branch(%desc: !tt.tensordesc<tensor<64x32xf16>>, %base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %which: i1, %rows: i32, %columns: i32 {tt.divisibility = 16 : i32}, %stride: i64) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %d = scf.if %which -> (!tt.tensordesc<tensor<64x32xf16>>) {
      scf.yield %desc : !tt.tensordesc<tensor<64x32xf16>>
    } else {
      %made = tt.make_tensor_descriptor %base, [%rows, %columns], [%stride, %one] : <f16>, <tensor<64x32xf16>>
      scf.yield %made : !tt.tensordesc<tensor<64x32xf16>>
    }
    %a = tt.descriptor_load %d[%c0, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: One of the two descriptors has rows of 24 elements, 48 bytes: the load stays.
  // CHECK-LABEL: @one_of_two_will_not_do
  // CHECK-NOT: ttig.2d_block_load
  // CHECK: tt.descriptor_load
  tt.func @one_of_two_will_not_do(%desc: !tt.tensordesc<tensor<64x32xf16>>, %base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %which: i1, %rows: i32, %columns: i32 {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %stride = arith.constant 24 : i64
    %made = tt.make_tensor_descriptor %base, [%rows, %columns], [%stride, %one] : <f16>, <tensor<64x32xf16>>
    %d = arith.select %which, %desc, %made : !tt.tensordesc<tensor<64x32xf16>>
    %a = tt.descriptor_load %d[%c0, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #dot_a>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }
}
