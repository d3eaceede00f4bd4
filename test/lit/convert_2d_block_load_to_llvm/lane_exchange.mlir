// RUN: dotload-opt %s --convert-2d-block-load-to-llvm='cut-surfaces=false' --split-input-file --remarks 2>&1 | FileCheck %s

// COM: Column-major B of 8-bit floats, two per channel since they become f16. With 32 lanes, lanes 16 to 31 need K 2
// COM: and 3 of each group of four, and a message delivers all four to one lane. Each lane keeps one half of every word
// COM: and exchanges the other half with the lane 16 further.
// CHECK-LABEL: @lanes_of_32
// CHECK: %[[READ:.*]] = triton_gen.2Dblockload {{.*}} {elem_size_in_bits = 32, tile_width = 8, tile_height = 32, v_blocks = 1, transpose = true
// CHECK: %[[ELEMENTS:.*]] = llvm.bitcast %[[READ]] : vector<8xi32> to vector<32xi8>
// CHECK: %[[BIT:.*]] = arith.andi %{{.*}}, %[[C16:.*]] : i32
// CHECK: %[[UPPER:.*]] = arith.cmpi ne, %[[BIT]],
// CHECK: %[[LOW:.*]] = llvm.shufflevector %[[ELEMENTS]], %[[ELEMENTS]] [0, 1, 4, 5,
// CHECK: %[[LOWS:.*]] = llvm.bitcast %[[LOW]] : vector<16xi8> to vector<4xi32>
// CHECK: %[[L:.*]] = llvm.extractelement %[[LOWS]][%c0_i32 : i32]
// CHECK: %[[HIGH:.*]] = llvm.shufflevector %[[ELEMENTS]], %[[ELEMENTS]] [2, 3, 6, 7,
// CHECK: %[[HIGHS:.*]] = llvm.bitcast %[[HIGH]] : vector<16xi8> to vector<4xi32>
// CHECK: %[[H:.*]] = llvm.extractelement %[[HIGHS]][%c0_i32 : i32]
// CHECK: %[[SENT:.*]] = arith.select %[[UPPER]], %[[L]], %[[H]] : i32
// CHECK: %[[GOT:.*]] = llvm.call spir_funccc @_Z21sub_group_shuffle_xorjj(%[[SENT]], %[[C16]]) : (i32, i32) -> i32
// CHECK: arith.select %[[UPPER]], %[[GOT]], %[[L]] : i32
// CHECK: arith.select %[[UPPER]], %[[H]], %[[GOT]] : i32
// CHECK-COUNT-3: shuffle_xor
// CHECK-NOT: shuffle_xor
#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 32, warpsPerCTA = [1, 1], repCluster = [1, 2]}>
#dot_b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttig.support_2d_block_io} {
  tt.func @lanes_of_32(%base: !tt.ptr<f8E5M2>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<32x32xf8E5M2, #dot_b> {
    %b = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {column_major} : !tt.ptr<f8E5M2> -> tensor<32x32xf8E5M2, #dot_b>
    tt.return %b : tensor<32x32xf8E5M2, #dot_b>
  }
}

// -----

// COM: With 16 lanes, or with four elements per channel, a message delivers what each lane needs.
// CHECK-LABEL: @lanes_of_16
// CHECK-NOT: shuffle_xor
// CHECK: tt.return
#mma16 = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [1, 2]}>
#dot_b16 = #ttg.dot_op<{opIdx = 1, parent = #mma16, kWidth = 2}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  tt.func @lanes_of_16(%base: !tt.ptr<f8E5M2>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<32x32xf8E5M2, #dot_b16> {
    %b = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {column_major} : !tt.ptr<f8E5M2> -> tensor<32x32xf8E5M2, #dot_b16>
    tt.return %b : tensor<32x32xf8E5M2, #dot_b16>
  }
}

// -----

// CHECK-LABEL: @four_in_a_channel
// CHECK-NOT: shuffle_xor
// CHECK: tt.return
#mma4 = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 4, threadsPerWarp = 32, warpsPerCTA = [1, 1], repCluster = [1, 2]}>
#dot_b4 = #ttg.dot_op<{opIdx = 1, parent = #mma4, kWidth = 4}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttig.support_2d_block_io} {
  tt.func @four_in_a_channel(%base: !tt.ptr<i8>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<32x32xi8, #dot_b4> {
    %b = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {column_major} : !tt.ptr<i8> -> tensor<32x32xi8, #dot_b4>
    tt.return %b : tensor<32x32xi8, #dot_b4>
  }
}
