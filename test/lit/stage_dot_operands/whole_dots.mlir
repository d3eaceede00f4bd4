// RUN: dotload-opt %s --stage-dot-operands='num-stages=3' | FileCheck %s --check-prefixes=CHECK,WHOLE
// RUN: dotload-opt %s --stage-dot-operands='num-stages=2' | FileCheck %s --check-prefixes=CHECK,CUT

// COM: Triton's pipeliner splits a dot with A in registers along k, unless something waits for it in its iteration.
// COM: pipeline-operand-copies joins the parts again in a loop that it skews: one that loads three tiles ahead,
// COM: more than 2 stages let it. It reads words of 32 bits, which need nothing between read and dot.

#words = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#bytes = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 8]}>
#mma8 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#bytes_a = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#bytes_b = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: @words
// CHECK:           %[[D:.*]] = ttng.warp_group_dot
// WHOLE-NEXT:      %[[W:.*]] = ttng.warp_group_dot_wait %[[D]] {pendings = 0 : i32}
// WHOLE-NEXT:      scf.yield %[[W]]
// CUT-NEXT:        scf.yield %[[D]]
tt.func @words(%as: !ttg.memdesc<64x32xf32, #shared, #smem>, %bp: tensor<32x64x!tt.ptr<f32>, #words>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<32x64x!tt.ptr<f32>, #words>
    %bs = ttg.local_alloc %b : (tensor<32x64xf32, #words>) -> !ttg.memdesc<32x64xf32, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x32xf32, #shared, #smem> * !ttg.memdesc<32x64xf32, #shared1, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// COM: Bytes are permuted part by part, however far ahead they come, while the parts before run.
// CHECK-LABEL: @bytes
// CHECK:           %[[D:.*]] = ttng.warp_group_dot
// CHECK-NEXT:      scf.yield %[[D]]
tt.func @bytes(%as: !ttg.memdesc<128x64xf8E4M3FN, #bytes_a, #smem>, %bp: tensor<64x128x!tt.ptr<f8E4M3FN>, #bytes>, %n: i32) -> tensor<128x128xf32, #mma8> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma8>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma8>) : i32 {
    %b = tt.load %bp : tensor<64x128x!tt.ptr<f8E4M3FN>, #bytes>
    %bs = ttg.local_alloc %b : (tensor<64x128xf8E4M3FN, #bytes>) -> !ttg.memdesc<64x128xf8E4M3FN, #bytes_b, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<128x64xf8E4M3FN, #bytes_a, #smem> * !ttg.memdesc<64x128xf8E4M3FN, #bytes_b, #smem> -> tensor<128x128xf32, #mma8>
    scf.yield %d : tensor<128x128xf32, #mma8>
  } {tt.num_stages = 4 : i32}
  tt.return %r : tensor<128x128xf32, #mma8>
}

// COM: Of two dots, one may run while the other's operands are made ready.
// CHECK-LABEL: @one_of_two
// CHECK:           %[[D:.*]] = ttng.warp_group_dot {{.*}} tensor<64x64xf32
// CHECK:           %[[E:.*]] = ttng.warp_group_dot
// CHECK-NEXT:      scf.yield %[[D]], %[[E]]
tt.func @one_of_two(%as: !ttg.memdesc<64x32xf32, #shared, #smem>, %bp: tensor<32x64x!tt.ptr<f32>, #words>, %es: !ttg.memdesc<32x64xf32, #shared1, #smem>, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %other = %zero) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<32x64x!tt.ptr<f32>, #words>
    %bs = ttg.local_alloc %b : (tensor<32x64xf32, #words>) -> !ttg.memdesc<32x64xf32, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x32xf32, #shared, #smem> * !ttg.memdesc<32x64xf32, #shared1, #smem> -> tensor<64x64xf32, #mma>
    %e = ttng.warp_group_dot %as, %es, %other {inputPrecision = 0 : i32} : !ttg.memdesc<64x32xf32, #shared, #smem> * !ttg.memdesc<32x64xf32, #shared1, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d, %e : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }
  tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}

// COM: A dot whose result its iteration uses is waited for where that begins, whatever it is read from.
// CHECK-LABEL: @goes_on_in_the_loop
// CHECK:           ttng.warp_group_dot {{.*}} : tensor<64x32xf32
// CHECK-NOT:       ttng.warp_group_dot_wait
// CHECK:           scf.yield
tt.func @goes_on_in_the_loop(%ap: tensor<64x32x!tt.ptr<f32>, #columns>, %bs: !ttg.memdesc<32x64xf32, #shared1, #smem>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<64x32x!tt.ptr<f32>, #columns>
    %as = ttg.local_alloc %a : (tensor<64x32xf32, #columns>) -> !ttg.memdesc<64x32xf32, #shared, #smem>
    %d = ttng.warp_group_dot %as, %bs, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x32xf32, #shared, #smem> * !ttg.memdesc<32x64xf32, #shared1, #smem> -> tensor<64x64xf32, #mma>
    %sum = arith.addf %acc, %d : tensor<64x64xf32, #mma>
    scf.yield %sum : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// COM: A loop with a condition in it is not skewed.
// CHECK-LABEL: @under_a_condition
// CHECK:           ttng.warp_group_dot {{.*}} : tensor<64x32xf32
// CHECK-NOT:       ttng.warp_group_dot_wait
// CHECK:           scf.yield
tt.func @under_a_condition(%as: !ttg.memdesc<64x32xf32, #shared, #smem>, %bp: tensor<32x64x!tt.ptr<f32>, #words>, %flag: i1, %to: !tt.ptr<i32>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<32x64x!tt.ptr<f32>, #words>
    %bs = ttg.local_alloc %b : (tensor<32x64xf32, #words>) -> !ttg.memdesc<32x64xf32, #shared1, #smem>
    scf.if %flag {
      tt.store %to, %i : !tt.ptr<i32>
    }
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x32xf32, #shared, #smem> * !ttg.memdesc<32x64xf32, #shared1, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// COM: Words are copied asynchronously also where a mask differs from one to the next.
// CHECK-LABEL: @one_by_one
// CHECK:           ttng.warp_group_dot {{.*}} tensor<64x64xf32
// WHOLE-NEXT:      ttng.warp_group_dot_wait
tt.func @one_by_one(%as: !ttg.memdesc<64x32xf32, #shared, #smem>, %bp: tensor<32x64x!tt.ptr<f32>, #words>, %mask: tensor<32x64xi1, #words>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %b = tt.load %bp, %mask : tensor<32x64x!tt.ptr<f32>, #words>
    %bs = ttg.local_alloc %b : (tensor<32x64xf32, #words>) -> !ttg.memdesc<32x64xf32, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x32xf32, #shared, #smem> * !ttg.memdesc<32x64xf32, #shared1, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  } {tt.num_stages = 4 : i32}
  tt.return %r : tensor<64x64xf32, #mma>
}

// COM: What a loop says of its stages counts for more than what the kernel says.
// CHECK-LABEL: @stages_of_the_loop
// CHECK:           %[[D:.*]] = ttng.warp_group_dot {{.*}} : tensor<64x32xf32
// CHECK-NEXT:      scf.yield %[[D]]
tt.func @stages_of_the_loop(%as: !ttg.memdesc<64x32xf32, #shared, #smem>, %bp: tensor<32x64x!tt.ptr<f32>, #words>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %b = tt.load %bp : tensor<32x64x!tt.ptr<f32>, #words>
    %bs = ttg.local_alloc %b : (tensor<32x64xf32, #words>) -> !ttg.memdesc<32x64xf32, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x32xf32, #shared, #smem> * !ttg.memdesc<32x64xf32, #shared1, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  } {tt.num_stages = 3 : i32}
  tt.return %r : tensor<64x64xf32, #mma>
}

// COM: An operand that is computed in the loop is stored again before each dot: that loop is not skewed either.
// CHECK-LABEL: @partner_is_computed
// CHECK:           %[[D:.*]] = ttng.warp_group_dot {{.*}} : tensor<64x32xf32
// CHECK-NEXT:      scf.yield %[[D]]
tt.func @partner_is_computed(%ap: tensor<64x32x!tt.ptr<f32>, #words>, %bp: tensor<32x64x!tt.ptr<f32>, #words>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %a = tt.load %ap : tensor<64x32x!tt.ptr<f32>, #words>
    %twice = arith.addf %a, %a : tensor<64x32xf32, #words>
    %as = ttg.local_alloc %twice : (tensor<64x32xf32, #words>) -> !ttg.memdesc<64x32xf32, #shared, #smem>
    %b = tt.load %bp : tensor<32x64x!tt.ptr<f32>, #words>
    %bs = ttg.local_alloc %b : (tensor<32x64xf32, #words>) -> !ttg.memdesc<32x64xf32, #shared1, #smem>
    %d = ttng.warp_group_dot %as, %bs, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x32xf32, #shared, #smem> * !ttg.memdesc<32x64xf32, #shared1, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}
}
