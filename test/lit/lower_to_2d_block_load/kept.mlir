// RUN: dotload-opt %s --lower-to-2d-block-load='versions=false' --split-input-file --remarks 2>&1 | FileCheck %s

// COM: Each load stays, and a remark gives the reason. Next to it, the closest load that is rewritten serves as a
// COM: control. Remarks precede the text of all modules.

// CHECK: remark: lower-to-2d-block-load: kept tt.load: pitch is known to be a multiple of 8 B only, must be one of 16 B [PITCH_ALIGNMENT]
// CHECK: remark: lower-to-2d-block-load: tt.load becomes 1 x 16b_32r16x2c, proved
// CHECK: remark: lower-to-2d-block-load: kept tt.load: pitch 48 B < 64 B [PITCH_TOO_SMALL]
// CHECK: remark: lower-to-2d-block-load: tt.load becomes 1 x 16b_32r16x2c, proved
// CHECK: remark: lower-to-2d-block-load: kept tt.load: pitch 16777232 B > 16777216 B [PITCH_TOO_LARGE]
// CHECK: remark: lower-to-2d-block-load: tt.load becomes 1 x 16b_32r16x2c, proved
// CHECK: remark: lower-to-2d-block-load: kept tt.load: pitch 1024 B < width 1040 B [PITCH_BELOW_WIDTH]
// CHECK: remark: lower-to-2d-block-load: kept tt.load: width 60 B < 64 B [WIDTH_TOO_SMALL]
// CHECK: remark: lower-to-2d-block-load: kept tt.load: width is known to be a multiple of 2 B only, must be one of 4 B [WIDTH_ALIGNMENT]
// CHECK: remark: lower-to-2d-block-load: kept tt.load: base is known to be a multiple of 2 B only, must be one of 4 B [BASE_ALIGNMENT]
// CHECK: remark: lower-to-2d-block-load: tt.load becomes 1 x 16b_32r16x2c, proved
// CHECK: remark: lower-to-2d-block-load: kept tt.load: x is known to be a multiple of 2 B only, must be one of 4 B [X_ALIGNMENT]
// CHECK: remark: lower-to-2d-block-load: tt.load becomes 1 x 16b_32r16x2c, proved
// CHECK: remark: lower-to-2d-block-load: kept tt.load: neither of the last two dimensions is contiguous in memory [CONTIGUITY]
// CHECK: remark: lower-to-2d-block-load: kept tt.load: the load is volatile [VOLATILE]
// CHECK: remark: lower-to-2d-block-load: kept tt.load: the module does not say that the device has 2D block loads [NO_BLOCK_IO]
// CHECK: remark: lower-to-2d-block-load: kept tt.load: no message distributes elements over the lanes as this layout does [NO_FORM]
// CHECK: remark: lower-to-2d-block-load: kept tt.load: the block pointer does not come from one tt.make_tensor_ptr by tt.advance and control flow alone [UNKNOWN_POINTER]

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: 516 elements are 1032 bytes.
  // CHECK-LABEL: @pitch_not_a_multiple_of_16_bytes(
  // CHECK: tt.load
  // CHECK-NEXT: tt.return
  tt.func @pitch_not_a_multiple_of_16_bytes(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %y = arith.constant 0 : i32
    %x = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %rows = arith.constant 256 : i64
    %width = arith.constant 512 : i64
    %stride = arith.constant 516 : i64
    %ptr = tt.make_tensor_ptr %base, [%rows, %width], [%stride, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: 520 elements are 1040 bytes.
  // CHECK-LABEL: @pitch_of_a_multiple_of_16_bytes(
  // CHECK: ttig.2d_block_load
  // CHECK-NEXT: tt.return
  tt.func @pitch_of_a_multiple_of_16_bytes(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %y = arith.constant 0 : i32
    %x = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %rows = arith.constant 256 : i64
    %width = arith.constant 512 : i64
    %stride = arith.constant 520 : i64
    %ptr = tt.make_tensor_ptr %base, [%rows, %width], [%stride, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: 24 elements are 48 bytes.
  // CHECK-LABEL: @pitch_below_64_bytes(
  // CHECK: tt.load
  // CHECK-NEXT: tt.return
  tt.func @pitch_below_64_bytes(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %y = arith.constant 0 : i32
    %x = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %rows = arith.constant 256 : i64
    %width = arith.constant 24 : i64
    %stride = arith.constant 24 : i64
    %ptr = tt.make_tensor_ptr %base, [%rows, %width], [%stride, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: 32 elements are 64 bytes.
  // CHECK-LABEL: @pitch_of_64_bytes(
  // CHECK: ttig.2d_block_load
  // CHECK-NEXT: tt.return
  tt.func @pitch_of_64_bytes(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %y = arith.constant 0 : i32
    %x = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %rows = arith.constant 256 : i64
    %width = arith.constant 32 : i64
    %stride = arith.constant 32 : i64
    %ptr = tt.make_tensor_ptr %base, [%rows, %width], [%stride, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: 8388616 elements are 2^24 + 16 bytes.
  // CHECK-LABEL: @pitch_above_2_to_the_24(
  // CHECK: tt.load
  // CHECK-NEXT: tt.return
  tt.func @pitch_above_2_to_the_24(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %y = arith.constant 0 : i32
    %x = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %rows = arith.constant 256 : i64
    %width = arith.constant 512 : i64
    %stride = arith.constant 8388616 : i64
    %ptr = tt.make_tensor_ptr %base, [%rows, %width], [%stride, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: 8388608 elements are 2^24 bytes.
  // CHECK-LABEL: @pitch_of_2_to_the_24(
  // CHECK: ttig.2d_block_load
  // CHECK-NEXT: tt.return
  tt.func @pitch_of_2_to_the_24(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %y = arith.constant 0 : i32
    %x = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %rows = arith.constant 256 : i64
    %width = arith.constant 512 : i64
    %stride = arith.constant 8388608 : i64
    %ptr = tt.make_tensor_ptr %base, [%rows, %width], [%stride, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // CHECK-LABEL: @width_above_the_pitch(
  // CHECK: tt.load
  // CHECK-NEXT: tt.return
  tt.func @width_above_the_pitch(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %y = arith.constant 0 : i32
    %x = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %rows = arith.constant 256 : i64
    %width = arith.constant 520 : i64
    %stride = arith.constant 512 : i64
    %ptr = tt.make_tensor_ptr %base, [%rows, %width], [%stride, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // CHECK-LABEL: @width_below_64_bytes(
  // CHECK: tt.load
  // CHECK-NEXT: tt.return
  tt.func @width_below_64_bytes(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %y = arith.constant 0 : i32
    %x = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %rows = arith.constant 256 : i64
    %width = arith.constant 30 : i64
    %stride = arith.constant 512 : i64
    %ptr = tt.make_tensor_ptr %base, [%rows, %width], [%stride, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // CHECK-LABEL: @width_not_a_multiple_of_4_bytes(
  // CHECK: tt.load
  // CHECK-NEXT: tt.return
  tt.func @width_not_a_multiple_of_4_bytes(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %y = arith.constant 0 : i32
    %x = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %rows = arith.constant 256 : i64
    %width = arith.constant 511 : i64
    %stride = arith.constant 512 : i64
    %ptr = tt.make_tensor_ptr %base, [%rows, %width], [%stride, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: Without tt.divisibility, a pointer is only known to be aligned to one element.
  // CHECK-LABEL: @base_of_unknown_alignment(
  // CHECK: tt.load
  // CHECK-NEXT: tt.return
  tt.func @base_of_unknown_alignment(%base: !tt.ptr<f16>) -> tensor<64x32xf16, #dot_a> {
    %y = arith.constant 0 : i32
    %x = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %rows = arith.constant 256 : i64
    %width = arith.constant 512 : i64
    %stride = arith.constant 512 : i64
    %ptr = tt.make_tensor_ptr %base, [%rows, %width], [%stride, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // COM: The base is aligned down to 64 bytes, and x grows by the difference.
  // CHECK-LABEL: @base_aligned_to_4_bytes(
  // CHECK: ttig.2d_block_load
  // CHECK-NEXT: tt.return
  tt.func @base_aligned_to_4_bytes(%base: !tt.ptr<f16> {tt.divisibility = 4 : i32}) -> tensor<64x32xf16, #dot_a> {
    %y = arith.constant 0 : i32
    %x = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %rows = arith.constant 256 : i64
    %width = arith.constant 512 : i64
    %stride = arith.constant 512 : i64
    %ptr = tt.make_tensor_ptr %base, [%rows, %width], [%stride, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // CHECK-LABEL: @odd_column(
  // CHECK: tt.load
  // CHECK-NEXT: tt.return
  tt.func @odd_column(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %y = arith.constant 0 : i32
    %x = arith.constant 1 : i32
    %one = arith.constant 1 : i64
    %rows = arith.constant 256 : i64
    %width = arith.constant 512 : i64
    %stride = arith.constant 512 : i64
    %ptr = tt.make_tensor_ptr %base, [%rows, %width], [%stride, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // CHECK-LABEL: @even_column(
  // CHECK: ttig.2d_block_load
  // CHECK-NEXT: tt.return
  tt.func @even_column(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %y = arith.constant 0 : i32
    %x = arith.constant 2 : i32
    %one = arith.constant 1 : i64
    %rows = arith.constant 256 : i64
    %width = arith.constant 512 : i64
    %stride = arith.constant 512 : i64
    %ptr = tt.make_tensor_ptr %base, [%rows, %width], [%stride, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // CHECK-LABEL: @no_contiguous_dim(
  // CHECK: tt.load
  // CHECK-NEXT: tt.return
  tt.func @no_contiguous_dim(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %y = arith.constant 0 : i32
    %x = arith.constant 0 : i32
    %one = arith.constant 2 : i64
    %rows = arith.constant 256 : i64
    %width = arith.constant 512 : i64
    %stride = arith.constant 512 : i64
    %ptr = tt.make_tensor_ptr %base, [%rows, %width], [%stride, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }

  // CHECK-LABEL: @volatile(
  // CHECK: tt.load
  // CHECK-NEXT: tt.return
  tt.func @volatile(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %y = arith.constant 0 : i32
    %x = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %rows = arith.constant 256 : i64
    %width = arith.constant 512 : i64
    %stride = arith.constant 512 : i64
    %ptr = tt.make_tensor_ptr %base, [%rows, %width], [%stride, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr {isVolatile = true} : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }
}

// -----

// COM: The module does not say that the device has 2D block loads: nothing is rewritten.
#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32} {
  // CHECK-LABEL: @no_block_io
  // CHECK: tt.load
  tt.func @no_block_io(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #dot_a> {
    %y = arith.constant 0 : i32
    %x = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %rows = arith.constant 256 : i64
    %width = arith.constant 512 : i64
    %stride = arith.constant 512 : i64
    %ptr = tt.make_tensor_ptr %base, [%rows, %width], [%stride, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %a = tt.load %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }
}

// -----

// COM: A lane holds eight neighbours of a row, which no message delivers.
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // CHECK-LABEL: @wide_vectors
  // CHECK: tt.load
  tt.func @wide_vectors(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<64x32xf16, #blocked> {
    %y = arith.constant 0 : i32
    %x = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %rows = arith.constant 256 : i64
    %width = arith.constant 512 : i64
    %stride = arith.constant 512 : i64
    %ptr = tt.make_tensor_ptr %base, [%rows, %width], [%stride, %one], [%y, %x] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #blocked>>
    %a = tt.load %ptr : !tt.ptr<tensor<64x32xf16, #blocked>>
    tt.return %a : tensor<64x32xf16, #blocked>
  }
}

// -----

// COM: The pointer may come from two places, so its region of memory is not known.
#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [2, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // CHECK-LABEL: @two_origins
  // CHECK: tt.load
  // CHECK-NEXT: tt.return
  tt.func @two_origins(%base: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %other: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<64x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %one = arith.constant 1 : i64
    %size = arith.constant 512 : i64
    %first = tt.make_tensor_ptr %base, [%size, %size], [%size, %one], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %second = tt.make_tensor_ptr %other, [%size, %size], [%size, %one], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16, #dot_a>>
    %ptr = scf.for %i = %c0 to %n step %c1 iter_args(%p = %first) -> (!tt.ptr<tensor<64x32xf16, #dot_a>>) : i32 {
      scf.yield %second : !tt.ptr<tensor<64x32xf16, #dot_a>>
    }
    %a = tt.load %ptr : !tt.ptr<tensor<64x32xf16, #dot_a>>
    tt.return %a : tensor<64x32xf16, #dot_a>
  }
}
