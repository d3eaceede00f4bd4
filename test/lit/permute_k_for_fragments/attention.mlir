// RUN: dotload-opt %s --permute-k-for-fragments --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK <%t

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#acc = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #acc, kWidth = 4}>
#rows = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 64]], lane = [[16, 0], [32, 0], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]], block = []}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 16], [2, 0], [4, 0], [8, 0], [16, 32], [32, 64]]}, alignment = 16>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma32 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 32, 8]}>
#acc32 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 8]}>
#rows32 = #ttg.linear<{register = [[1, 0], [2, 0], [0, 64], [8, 0], [16, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [4, 0]], warp = [[0, 16], [0, 32]], block = []}>
#raw32 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#tile32 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#linear = #ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#square = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#smem = #ttg.shared_memory
!raw = !ttg.memdesc<64x128xf8E4M3FN, #raw, #smem, mutable>
!copy = !ttg.memdesc<64x128xf8E4M3FN, #tile, #smem>
!buffer = !ttg.memdesc<64x128xf8E4M3FN, #tile, #smem, mutable>
!half = !ttg.memdesc<64x64xf8E4M3FN, #tile, #smem, 64x128>
!p = tensor<64x64xf8E4M3FN, #mma>
!rows = tensor<64x128xf8E4M3FN, #rows>
!acc = tensor<64x128xf32, #acc>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Columns 0, 1, 8 and 9 of P become k = 0 to 3, and so do these rows of V: no lane exchanges elements.
// CHECK:       #[[READ:.*]] = #ttg.linear<{register = {{\[\[}}1, 0], [8, 0], [2, 0], [4, 0], [0, 1], [0, 64]], lane = {{\[\[}}16, 0], [32, 0],
// CHECK:       #[[STORED:.*]] = #ttg.linear<{register = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 64]], lane
// CHECK:       #[[COLUMNS:.*]] = #ttg.linear<{register = {{\[\[}}0, 1], [8, 0], [0, 2], [0, 16], [0, 32]], lane = {{\[\[}}0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp
// CHECK-LABEL: @copied
// CHECK:       %[[V:.*]] = ttg.local_load %{{.*}} -> tensor<64x128xf8E4M3FN, #[[READ]]>
// CHECK:       %[[ROWS:.*]] = builtin.unrealized_conversion_cast %[[V]] : {{.*}} to tensor<64x128xf8E4M3FN, #[[STORED]]>
// CHECK:       ttg.local_alloc %[[ROWS]]
// CHECK:       %[[P:.*]] = builtin.unrealized_conversion_cast %{{.*}} to tensor<64x64xf8E4M3FN, #[[COLUMNS]]>
// CHECK:       ttg.convert_layout %[[P]]
// REMARK:      attention.mlir:[[@LINE+4]]:{{.*}} remark: permute-k-for-fragments: accumulators become A of the next dot as they are
tt.func @copied(%p: !p, %raw: !raw, %acc: !acc) -> !acc {
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !rows
  %b = ttg.local_alloc %v : (!rows) -> !copy
  %a = ttg.convert_layout %p : !p -> tensor<64x64xf8E4M3FN, #a>
  %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #a> * !copy -> !acc
  %w:2 = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : !acc, !copy
  tt.return %w#0 : !acc
}

// COM: The copy is double-buffered, and the dot is computed in pieces of neighbouring columns.
// CHECK-LABEL: @buffered
// CHECK:       %[[V:.*]] = ttg.local_load %{{.*}} -> tensor<64x128xf8E4M3FN, #[[READ]]>
// CHECK:       %[[ROWS:.*]] = builtin.unrealized_conversion_cast %[[V]]
// CHECK:       ttg.local_store %[[ROWS]]
// CHECK:       builtin.unrealized_conversion_cast %{{.*}} to tensor<64x64xf8E4M3FN, #[[COLUMNS]]>
tt.func @buffered(%p: !p, %raw: !raw, %i: i32, %x: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
  %buffers = ttg.local_alloc : () -> !ttg.memdesc<2x64x128xf8E4M3FN, #tile, #smem, mutable>
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !rows
  %b = ttg.memdesc_index %buffers[%i] : !ttg.memdesc<2x64x128xf8E4M3FN, #tile, #smem, mutable> -> !buffer
  ttg.local_store %v, %b : !rows -> !buffer
  %a = ttg.convert_layout %p : !p -> tensor<64x64xf8E4M3FN, #a>
  %n = ttg.memdesc_subslice %b[0, 0] : !buffer -> !ttg.memdesc<64x64xf8E4M3FN, #tile, #smem, mutable, 64x128>
  %d = ttng.warp_group_dot %a, %n, %x {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #a> * !ttg.memdesc<64x64xf8E4M3FN, #tile, #smem, mutable, 64x128> -> tensor<64x64xf32, #acc>
  tt.return %d : tensor<64x64xf32, #acc>
}

// COM: Another dot reads the copy, and its A is not an accumulator.
// CHECK-LABEL: @another_dot
// CHECK-NOT:   unrealized_conversion_cast
// REMARK:      attention.mlir:[[@LINE+3]]:{{.*}} kept ttg.local_alloc: k of the dot cannot be permuted{{.*}} [OTHER_K]
tt.func @another_dot(%p: !p, %q: tensor<64x64xf8E4M3FN, #a>, %raw: !raw, %acc: !acc) -> (!acc, !acc) {
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !rows
  %b = ttg.local_alloc %v : (!rows) -> !copy
  %a = ttg.convert_layout %p : !p -> tensor<64x64xf8E4M3FN, #a>
  %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #a> * !copy -> !acc
  %e = ttng.warp_group_dot %q, %b, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #a> * !copy -> !acc
  tt.return %d, %e : !acc, !acc
}

// COM: The converted accumulator is A of another dot with another B.
// CHECK-LABEL: @another_b
// CHECK-NOT:   unrealized_conversion_cast
// REMARK:      attention.mlir:[[@LINE+3]]:{{.*}} [OTHER_K]
tt.func @another_b(%p: !p, %other: !copy, %raw: !raw, %acc: !acc) -> (!acc, !acc) {
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !rows
  %b = ttg.local_alloc %v : (!rows) -> !copy
  %a = ttg.convert_layout %p : !p -> tensor<64x64xf8E4M3FN, #a>
  %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #a> * !copy -> !acc
  %e = ttng.warp_group_dot %a, %other, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #a> * !copy -> !acc
  tt.return %d, %e : !acc, !acc
}

// COM: The copy has another reader; in the next function, another op stores to it.
// CHECK-LABEL: @read
// CHECK-NOT:   unrealized_conversion_cast
// REMARK:      attention.mlir:[[@LINE+3]]:{{.*}} [OTHER_K]
tt.func @read(%p: !p, %raw: !raw, %acc: !acc) -> (!acc, !rows) {
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !rows
  %b = ttg.local_alloc %v : (!rows) -> !copy
  %a = ttg.convert_layout %p : !p -> tensor<64x64xf8E4M3FN, #a>
  %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #a> * !copy -> !acc
  %e = ttg.local_load %b : !copy -> !rows
  tt.return %d, %e : !acc, !rows
}

// CHECK-LABEL: @stored
// CHECK-NOT:   unrealized_conversion_cast
// REMARK:      attention.mlir:[[@LINE+2]]:{{.*}} [OTHER_K]
tt.func @stored(%p: !p, %raw: !raw, %other: !rows, %acc: !acc) -> !acc {
  %b = ttg.local_alloc : () -> !buffer
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !rows
  ttg.local_store %other, %b : !rows -> !buffer
  ttg.local_store %v, %b : !rows -> !buffer
  %a = ttg.convert_layout %p : !p -> tensor<64x64xf8E4M3FN, #a>
  %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #a> * !buffer -> !acc
  tt.return %d : !acc
}

// COM: Another op stores to the copy between two dots.
// CHECK-LABEL: @stored_again
// CHECK-NOT:   unrealized_conversion_cast
// REMARK:      attention.mlir:[[@LINE+3]]:{{.*}} [OTHER_K]
tt.func @stored_again(%p: !p, %raw: !raw, %other: !rows, %acc: !acc) -> !acc {
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !rows
  %b = ttg.local_alloc %v : (!rows) -> !buffer
  %a = ttg.convert_layout %p : !p -> tensor<64x64xf8E4M3FN, #a>
  %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #a> * !buffer -> !acc
  ttg.local_store %other, %b : !rows -> !buffer
  %e = ttng.warp_group_dot %a, %b, %d {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #a> * !buffer -> !acc
  tt.return %e : !acc
}

// COM: P in 8 bits has another use; in the next function, A is not converted from an accumulator.
// CHECK-LABEL: @bytes_stored
// CHECK-NOT:   unrealized_conversion_cast
tt.func @bytes_stored(%p: !p, %raw: !raw, %at: tensor<64x64x!tt.ptr<f8E4M3FN>, #mma>, %acc: !acc) -> !acc {
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !rows
  %b = ttg.local_alloc %v : (!rows) -> !copy
  %a = ttg.convert_layout %p : !p -> tensor<64x64xf8E4M3FN, #a>
  tt.store %at, %p : tensor<64x64x!tt.ptr<f8E4M3FN>, #mma>
  %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #a> * !copy -> !acc
  tt.return %d : !acc
}

// CHECK-LABEL: @no_accumulator
// CHECK-NOT:   unrealized_conversion_cast
tt.func @no_accumulator(%p: tensor<64x64xf8E4M3FN, #linear>, %raw: !raw, %acc: !acc) -> !acc {
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !rows
  %b = ttg.local_alloc %v : (!rows) -> !copy
  %a = ttg.convert_layout %p : tensor<64x64xf8E4M3FN, #linear> -> tensor<64x64xf8E4M3FN, #a>
  %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #a> * !copy -> !acc
  tt.return %d : !acc
}

// COM: The tile is not staged; in the next function, the copied registers have another use. No remark.
// CHECK-LABEL: @not_staged
// CHECK-NOT:   unrealized_conversion_cast
// REMARK-NOT:  attention.mlir:[[@LINE+3]]
tt.func @not_staged(%p: !p, %raw: !raw, %acc: !acc) -> !acc {
  %v = ttg.local_load %raw : !raw -> !rows
  %b = ttg.local_alloc %v : (!rows) -> !copy
  %a = ttg.convert_layout %p : !p -> tensor<64x64xf8E4M3FN, #a>
  %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #a> * !copy -> !acc
  tt.return %d : !acc
}

// CHECK-LABEL: @copied_and_more
// CHECK-NOT:   unrealized_conversion_cast
// REMARK-NOT:  attention.mlir:[[@LINE+3]]
tt.func @copied_and_more(%p: !p, %raw: !raw, %acc: !acc) -> (!acc, !rows) {
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !rows
  %b = ttg.local_alloc %v : (!rows) -> !copy
  %a = ttg.convert_layout %p : !p -> tensor<64x64xf8E4M3FN, #a>
  %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #a> * !copy -> !acc
  tt.return %d, %v : !acc, !rows
}

// COM: The copy is read after a wait that forwards it.
// CHECK-LABEL: @read_behind_a_wait
// CHECK-NOT:   unrealized_conversion_cast
// REMARK:      attention.mlir:[[@LINE+3]]:{{.*}} [OTHER_K]
tt.func @read_behind_a_wait(%p: !p, %raw: !raw, %acc: !acc) -> (!acc, !rows) {
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !rows
  %b = ttg.local_alloc %v : (!rows) -> !copy
  %a = ttg.convert_layout %p : !p -> tensor<64x64xf8E4M3FN, #a>
  %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, isAsync = true, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #a> * !copy -> !acc
  %w:2 = ttng.warp_group_dot_wait %d, %b {pendings = 0 : i32} : !acc, !copy
  %e = ttg.local_load %w#1 : !copy -> !rows
  tt.return %w#0, %e : !acc, !rows
}

// COM: Another A is converted from another layout, in which lanes hold other rows.
// CHECK-LABEL: @two_layouts
// CHECK-NOT:   unrealized_conversion_cast
// REMARK:      attention.mlir:[[@LINE+3]]:{{.*}} [OTHER_K]
tt.func @two_layouts(%p: !p, %q: tensor<64x64xf8E4M3FN, #blocked>, %raw: !raw, %acc: !acc) -> !acc {
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !rows
  %b = ttg.local_alloc %v : (!rows) -> !copy
  %a = ttg.convert_layout %p : !p -> tensor<64x64xf8E4M3FN, #a>
  %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #a> * !copy -> !acc
  %c = ttg.convert_layout %q : tensor<64x64xf8E4M3FN, #blocked> -> tensor<64x64xf8E4M3FN, #a>
  %e = ttng.warp_group_dot %c, %b, %d {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #a> * !copy -> !acc
  tt.return %e : !acc
}

// CHECK-LABEL: @two_accumulators
// CHECK-NOT:   unrealized_conversion_cast
// REMARK:      attention.mlir:[[@LINE+3]]:{{.*}} [OTHER_K]
tt.func @two_accumulators(%p: !p, %q: tensor<64x64xf8E4M3FN, #square>, %raw: !raw, %acc: !acc) -> !acc {
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !rows
  %b = ttg.local_alloc %v : (!rows) -> !copy
  %a = ttg.convert_layout %p : !p -> tensor<64x64xf8E4M3FN, #a>
  %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #a> * !copy -> !acc
  %c = ttg.convert_layout %q : tensor<64x64xf8E4M3FN, #square> -> tensor<64x64xf8E4M3FN, #a>
  %e = ttng.warp_group_dot %c, %b, %d {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #a> * !copy -> !acc
  tt.return %e : !acc
}

// COM: Rows in the permuted order would fall into the same banks.
// CHECK-LABEL: @conflicts
// CHECK-NOT:   unrealized_conversion_cast
// REMARK:      attention.mlir:[[@LINE+3]]:{{.*}} copying rows of B in the order of the accumulator's columns would cause more bank conflicts [ROW_CONFLICTS]
tt.func @conflicts(%p: tensor<64x32xf32, #mma32>, %raw: !ttg.memdesc<32x128xf32, #raw32, #smem, mutable>, %acc: tensor<64x128xf32, #acc32>) -> tensor<64x128xf32, #acc32> {
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !ttg.memdesc<32x128xf32, #raw32, #smem, mutable> -> tensor<32x128xf32, #rows32>
  %b = ttg.local_alloc %v : (tensor<32x128xf32, #rows32>) -> !ttg.memdesc<32x128xf32, #tile32, #smem>
  %a = ttg.convert_layout %p : tensor<64x32xf32, #mma32> -> tensor<64x32xf32, #ttg.dot_op<{opIdx = 0, parent = #acc32, kWidth = 1}>>
  %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32} : tensor<64x32xf32, #ttg.dot_op<{opIdx = 0, parent = #acc32, kWidth = 1}>> * !ttg.memdesc<32x128xf32, #tile32, #smem> -> tensor<64x128xf32, #acc32>
  tt.return %d : tensor<64x128xf32, #acc32>
}

// COM: The dot reads a part of k, whose indices would change.
// CHECK-LABEL: @part_of_k
// CHECK-NOT:   unrealized_conversion_cast
// REMARK-NOT:  attention.mlir:[[@LINE+3]]
tt.func @part_of_k(%p: tensor<64x32xf8E4M3FN, #mma>, %raw: !raw, %acc: !acc) -> !acc {
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !rows
  %b = ttg.local_alloc %v : (!rows) -> !copy
  %a = ttg.convert_layout %p : tensor<64x32xf8E4M3FN, #mma> -> tensor<64x32xf8E4M3FN, #a>
  %k = ttg.memdesc_subslice %b[32, 0] : !copy -> !ttg.memdesc<32x128xf8E4M3FN, #tile, #smem, 64x128>
  %d = ttng.warp_group_dot %a, %k, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x32xf8E4M3FN, #a> * !ttg.memdesc<32x128xf8E4M3FN, #tile, #smem, 64x128> -> !acc
  tt.return %d : !acc
}

// COM: With 32 rows per warp, pieces are not faster; the next function has one dot, which is permuted.
// CHECK-LABEL: @pieces_of_many_rows
// CHECK-NOT:   unrealized_conversion_cast
// REMARK:      attention.mlir:[[@LINE+3]]:{{.*}} a warp has 32 rows of A, and a dot in pieces is no faster with more than 16; {{.*}} [PIECES]
tt.func @pieces_of_many_rows(%p: tensor<128x64xf8E4M3FN, #mma>, %raw: !raw, %x: tensor<128x64xf32, #acc>) -> (tensor<128x64xf32, #acc>, tensor<128x64xf32, #acc>) {
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !rows
  %b = ttg.local_alloc %v : (!rows) -> !copy
  %a = ttg.convert_layout %p : tensor<128x64xf8E4M3FN, #mma> -> tensor<128x64xf8E4M3FN, #a>
  %n = ttg.memdesc_subslice %b[0, 0] : !copy -> !half
  %d = ttng.warp_group_dot %a, %n, %x {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<128x64xf8E4M3FN, #a> * !half -> tensor<128x64xf32, #acc>
  %o = ttg.memdesc_subslice %b[0, 64] : !copy -> !half
  %e = ttng.warp_group_dot %a, %o, %x {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<128x64xf8E4M3FN, #a> * !half -> tensor<128x64xf32, #acc>
  tt.return %d, %e : tensor<128x64xf32, #acc>, tensor<128x64xf32, #acc>
}

// CHECK-LABEL: @whole
// CHECK:       unrealized_conversion_cast
// REMARK:      attention.mlir:[[@LINE+4]]:{{.*}} accumulators become A of the next dot
tt.func @whole(%p: tensor<128x64xf8E4M3FN, #mma>, %raw: !raw, %x: tensor<128x128xf32, #acc>) -> tensor<128x128xf32, #acc> {
  %v = ttg.local_load %raw {dotload.staged = "copy"} : !raw -> !rows
  %b = ttg.local_alloc %v : (!rows) -> !copy
  %a = ttg.convert_layout %p : tensor<128x64xf8E4M3FN, #mma> -> tensor<128x64xf8E4M3FN, #a>
  %d = ttng.warp_group_dot %a, %b, %x {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<128x64xf8E4M3FN, #a> * !copy -> tensor<128x128xf32, #acc>
  tt.return %d : tensor<128x128xf32, #acc>
}

// COM: A tile that is not a copy stays: V is stored transposed.
// CHECK-LABEL: @k_major
// CHECK-NOT:   unrealized_conversion_cast
// REMARK-NOT:  remark
tt.func @k_major(%p: !p, %t: !rows, %acc: !acc) -> !acc {
  %b = ttg.local_alloc %t : (!rows) -> !copy
  %a = ttg.convert_layout %p : !p -> tensor<64x64xf8E4M3FN, #a>
  %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : tensor<64x64xf8E4M3FN, #a> * !copy -> !acc
  tt.return %d : !acc
}
}
