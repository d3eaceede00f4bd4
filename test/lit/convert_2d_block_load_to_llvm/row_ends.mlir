// RUN: dotload-opt %s --convert-2d-block-load-to-llvm | FileCheck %s
// RUN: dotload-opt %s --convert-2d-block-load-to-llvm='cut-surfaces=false' | FileCheck %s --check-prefix=UNCUT

// UNCUT-NOT: scf.

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [4, 2]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: A surface that begins before its first element ends at its pitch. Elements of a message beyond the pitch are
  // COM: read row by row: row r by a message at y = -r over a surface of one row, at base + (y + r) * pitch.
  // CHECK-LABEL: @any_pitch
  // CHECK: %[[PTR:.*]] = builtin.unrealized_conversion_cast %base
  // CHECK: %[[SKEW_X:.*]] = arith.shrui %{{.*}}, %c1_i32 : i32
  // CHECK: %[[WIDTH:.*]] = arith.addi %w, %{{.*}} : i32
  // CHECK: %[[WIDER:.*]] = arith.cmpi ult, %p, %[[WIDTH]] : i32
  // CHECK: %[[CUT:.*]] = arith.select %[[WIDER]], %p, %[[WIDTH]] : i32
  // CHECK: %[[FIRST:.*]] = triton_gen.2Dblockload %{{.*}}, %[[CUT]], %h, %p, %{{.*}}, %y {{{.*}}tile_width = 16, tile_height = 32, v_blocks = 2
  // CHECK: %[[X:.*]] = arith.addi %x, %[[SKEW_X]] : i32
  // CHECK: %[[END:.*]] = arith.addi %[[X]], %c32_i32 : i32
  // CHECK: %[[LIMIT:.*]] = arith.shrui %p, %c1_i32 : i32
  // CHECK: %[[REACHES:.*]] = arith.cmpi sgt, %[[END]], %[[LIMIT]] : i32
  // CHECK: %[[LACKS:.*]] = arith.andi %[[WIDER]], %[[REACHES]] : i1
  // CHECK: %[[ALL:.*]] = scf.if %[[LACKS]] -> (vector<64xi16>) {
  // CHECK: scf.for %[[R:.*]] = %c0_i32 to %c32_i32 step %c1_i32 iter_args(%[[BEFORE:.*]] = %[[FIRST]]) -> (vector<64xi16>)
  // CHECK: %[[ROW:.*]] = arith.addi %y, %[[R]] : i32
  // CHECK: %[[UP:.*]] = arith.subi %c0_i32, %[[R]] : i32
  // CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[ROW]], %h : i32
  // CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %[[PTR]]
  // CHECK: arith.addi %[[ADDRESS]], %{{.*}} : i64
  // CHECK: %[[PITCH:.*]] = arith.addi %p, %c64_i32 : i32
  // CHECK: %[[Y:.*]] = arith.select %[[INSIDE]], %[[UP]], %c1_i32 : i32
  // CHECK: %[[REST:.*]] = triton_gen.2Dblockload %{{.*}}, %{{.*}}, %c1_i32, %[[PITCH]], %{{.*}}, %[[Y]] {{{.*}}tile_width = 16, tile_height = 32, v_blocks = 2
  // CHECK: %[[BOTH:.*]] = llvm.or %[[BEFORE]], %[[REST]] : vector<64xi16>
  // CHECK-NEXT: scf.yield %[[BOTH]]
  // CHECK: } else {
  // CHECK-NEXT: scf.yield %[[FIRST]]
  // CHECK: llvm.shufflevector %[[ALL]], %[[ALL]]
  tt.func @any_pitch(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<32x32xf16, #a> {
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<32x32xf16, #a>
    tt.return %a : tensor<32x32xf16, #a>
  }

  // COM: One branch guards all messages of a load; its condition is that of the message that reaches farthest.
  // CHECK-LABEL: @two_messages
  // CHECK-COUNT-2: triton_gen.2Dblockload
  // CHECK: arith.addi %x, %c32_i32
  // CHECK: scf.if
  // CHECK: scf.for
  // CHECK-COUNT-2: triton_gen.2Dblockload
  // CHECK-NOT: scf.if
  // CHECK: tt.return
  tt.func @two_messages(%base: !tt.ptr<f16>, %w: i32, %h: i32, %p: i32, %x: i32, %y: i32) -> tensor<32x64xf16, #a> {
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<32x64xf16, #a>
    tt.return %a : tensor<32x64xf16, #a>
  }

  // COM: 60 bytes before the first element and a row of 128 bytes: 188 bytes are more than 176 and less than 192.
  // CHECK-LABEL: @near
  // CHECK: scf.for
  // CHECK: tt.return
  tt.func @near(%base: !tt.ptr<f16>, %h: i32, %x: i32, %y: i32) -> tensor<32x32xf16, #a> {
    %w = arith.constant 128 : i32
    %p = arith.constant 176 : i32
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<32x32xf16, #a>
    tt.return %a : tensor<32x32xf16, #a>
  }

  // CHECK-LABEL: @far
  // CHECK-NOT: scf.
  // CHECK: tt.return
  tt.func @far(%base: !tt.ptr<f16>, %h: i32, %x: i32, %y: i32) -> tensor<32x32xf16, #a> {
    %w = arith.constant 128 : i32
    %p = arith.constant 192 : i32
    %a = ttig.2d_block_load %base, %w, %h, %p[%x, %y] {row_major} : !tt.ptr<f16> -> tensor<32x32xf16, #a>
    tt.return %a : tensor<32x32xf16, #a>
  }
}

// RUN: sed -e 's/ttig.support_2d_block_io}/ttig.support_2d_block_io, ttig.2d_block_io_base_alignment = 4 : i32}/' %s | dotload-opt - --convert-2d-block-load-to-llvm | FileCheck %s --check-prefix=ANY

// COM: A device that takes any base: the surface begins at its first element.
// ANY-NOT: scf.
