// RUN: dotload-opt %s --stage-dot-operands --split-input-file --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The loop scales the accumulator, so B has to be copied; a row of its K-major copy has only 16 bytes.
// REMARK:      kept tt.load: {{.*}} [SHORT_K]
// CHECK-LABEL: @sixteen_bytes_of_k
// CHECK:         %[[B:.*]] = tt.load
// CHECK-NEXT:    ttg.local_alloc %[[B]]
tt.func @sixteen_bytes_of_k(%as: !ttg.memdesc<128x16xi8, #shared, #smem>, %bp: tensor<16x128x!tt.ptr<i8>, #blocked>, %scale: tensor<128x128xi32, #mma>, %n: i32) -> tensor<128x128xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xi32, #mma>) : i32 {
    %b = tt.load %bp : tensor<16x128x!tt.ptr<i8>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<16x128xi8, #blocked>) -> !ttg.memdesc<16x128xi8, #shared1, #smem>
    %s = arith.muli %acc, %scale : tensor<128x128xi32, #mma>
    %d = ttng.warp_group_dot %as, %bs, %s {inputPrecision = 0 : i32} : !ttg.memdesc<128x16xi8, #shared, #smem> * !ttg.memdesc<16x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
    scf.yield %d : tensor<128x128xi32, #mma>
  }
  tt.return %r : tensor<128x128xi32, #mma>
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8, 32]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 8}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: 256 bytes for 128 threads: no lane gets 16 bytes.
// REMARK:      kept tt.load: {{.*}} [SMALL_TILE]
// CHECK-LABEL: @eight_columns
// CHECK:         %[[B:.*]] = tt.load
// CHECK-NEXT:    ttg.local_alloc %[[B]]
tt.func @eight_columns(%as: !ttg.memdesc<64x32xi8, #shared, #smem>, %bp: tensor<32x8x!tt.ptr<i8>, #blocked>, %scale: tensor<64x8xi32, #mma>, %n: i32) -> tensor<64x8xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<64x8xi32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x8xi32, #mma>) : i32 {
    %b = tt.load %bp : tensor<32x8x!tt.ptr<i8>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<32x8xi8, #blocked>) -> !ttg.memdesc<32x8xi8, #shared1, #smem>
    %s = arith.muli %acc, %scale : tensor<64x8xi32, #mma>
    %d = ttng.warp_group_dot %as, %bs, %s {inputPrecision = 0 : i32} : !ttg.memdesc<64x32xi8, #shared, #smem> * !ttg.memdesc<32x8xi8, #shared1, #smem> -> tensor<64x8xi32, #mma>
    scf.yield %d : tensor<64x8xi32, #mma>
  }
  tt.return %r : tensor<64x8xi32, #mma>
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 0]]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], CGALayout = [[1, 0]], instrShape = [16, 128, 32]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8, CGALayout = [[1, 0]]}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8, CGALayout = [[0, 0]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Two CTAs share the rows of the dot.
// REMARK:      kept tt.load: {{.*}} [CLUSTER]
// CHECK-LABEL: @two_ctas
// CHECK:         %[[B:.*]] = tt.load
// CHECK-NEXT:    ttg.local_alloc %[[B]]
tt.func @two_ctas(%as: !ttg.memdesc<256x64xi8, #shared, #smem>, %bp: tensor<64x128x!tt.ptr<i8>, #blocked>, %scale: tensor<256x128xi32, #mma>, %n: i32) -> tensor<256x128xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<256x128xi32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<256x128xi32, #mma>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<i8>, #blocked>
    %bs = ttg.local_alloc %b : (tensor<64x128xi8, #blocked>) -> !ttg.memdesc<64x128xi8, #shared1, #smem>
    %s = arith.muli %acc, %scale : tensor<256x128xi32, #mma>
    %d = ttng.warp_group_dot %as, %bs, %s {inputPrecision = 0 : i32} : !ttg.memdesc<256x64xi8, #shared, #smem> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<256x128xi32, #mma>
    scf.yield %d : tensor<256x128xi32, #mma>
  }
  tt.return %r : tensor<256x128xi32, #mma>
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: The loop scales the accumulator, and wgmma takes A from registers: a copy in shared memory is of no use.
// REMARK:      kept tt.load: {{.*}} [NOT_IN_SHARED_MEMORY]
// CHECK-LABEL: @a_in_registers
// CHECK:         %[[B:.*]] = tt.load
// CHECK-NEXT:    ttg.convert_layout %[[B]]
tt.func @a_in_registers(%ap: tensor<128x64x!tt.ptr<i8>, #blocked>, %bs: !ttg.memdesc<64x128xi8, #shared1, #smem>, %scale: tensor<128x128xi32, #mma>, %n: i32) -> tensor<128x128xi32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128x128xi32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xi32, #mma>) : i32 {
    %a = tt.load %ap : tensor<128x64x!tt.ptr<i8>, #blocked>
    %ao = ttg.convert_layout %a : tensor<128x64xi8, #blocked> -> tensor<128x64xi8, #dot>
    %s = arith.muli %acc, %scale : tensor<128x128xi32, #mma>
    %d = ttng.warp_group_dot %ao, %bs, %s {inputPrecision = 0 : i32} : tensor<128x64xi8, #dot> * !ttg.memdesc<64x128xi8, #shared1, #smem> -> tensor<128x128xi32, #mma>
    scf.yield %d : tensor<128x128xi32, #mma>
  }
  tt.return %r : tensor<128x128xi32, #mma>
}
}
