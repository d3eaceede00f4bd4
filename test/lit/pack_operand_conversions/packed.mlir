// RUN: dotload-opt %s --pack-operand-conversions | FileCheck %s
// RUN: sed 's/cuda:90/cuda:120/' %s | dotload-opt --pack-operand-conversions | FileCheck %s --check-prefix=BY-PAIRS
// RUN: sed 's/cuda:90/cuda:120/' %s | dotload-opt --pack-operand-conversions='pairs-to-bf16=false' | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#a2 = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b2 = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#u = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#t = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: A word of four bytes becomes two words of results. From capability 100 on, Triton 3.9 has one instruction for a
// COM: pair.
// BY-PAIRS-LABEL: @fp8_to_bf16
// BY-PAIRS-NEXT:  tt.fp_to_fp
// CHECK-LABEL: @fp8_to_bf16
// CHECK:       %[[W:.*]] = tt.elementwise_inline_asm "{{.*}}cvt.rn.bf16x2.f32 $1{{.*}}" {constraints = "=r,=r,r", packed_element = 4 : i32, pure = true} %{{.*}} : tensor<64x128xf8E4M3FN, {{.*}}> -> tensor<64x128xbf16
// CHECK:       tt.dot %{{.*}}, %[[W]]
tt.func @fp8_to_bf16(%p: tensor<16x64xbf16, #a>, %v: tensor<64x128xf8E4M3FN, #b>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %w = tt.fp_to_fp %v : tensor<64x128xf8E4M3FN, #b> -> tensor<64x128xbf16, #b>
  %d = tt.dot %p, %w, %c : tensor<16x64xbf16, #a> * tensor<64x128xbf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %d : tensor<16x128xf32, #mma>
}

// COM: Bytes that a thread reads one by one, from memory in another order, are converted in pairs; to f16, as in Triton.
// CHECK-LABEL: @bytes_from_memory
// CHECK:       %[[V:.*]] = ttg.local_load
// CHECK-NEXT:  %[[W:.*]] = tt.elementwise_inline_asm "{{.*}}cvt.rn.bf16x2.f32{{.*}}" {constraints = "=r,h", packed_element = 2 : i32, pure = true} %[[V]]
// CHECK-NEXT:  tt.dot %{{.*}}, %[[W]]
// CHECK-NEXT:  %[[H:.*]] = tt.fp_to_fp %[[V]]
// CHECK-NEXT:  tt.dot %{{.*}}, %[[H]]
tt.func @bytes_from_memory(%p: tensor<16x64xbf16, #a>, %h: tensor<16x64xf16, #a>, %m: !ttg.memdesc<64x128xf8E4M3FN, #ttg.swizzled_shared<{vec = 16, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #ttg.shared_memory>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %v = ttg.local_load %m : !ttg.memdesc<64x128xf8E4M3FN, #ttg.swizzled_shared<{vec = 16, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #ttg.shared_memory> -> tensor<64x128xf8E4M3FN, #b>
  %w = tt.fp_to_fp %v : tensor<64x128xf8E4M3FN, #b> -> tensor<64x128xbf16, #b>
  %d = tt.dot %p, %w, %c : tensor<16x64xbf16, #a> * tensor<64x128xbf16, #b> -> tensor<16x128xf32, #mma>
  %x = tt.fp_to_fp %v : tensor<64x128xf8E4M3FN, #b> -> tensor<64x128xf16, #b>
  %e = tt.dot %h, %x, %d : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %e : tensor<16x128xf32, #mma>
}

// COM: Computed bytes come in pairs, too.
// CHECK-LABEL: @computed_bytes
// CHECK-NOT:   tt.elementwise_inline_asm
// CHECK:       tt.return
tt.func @computed_bytes(%h: tensor<16x64xf16, #a>, %f: tensor<64x128xf32, #b>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %v = tt.fp_to_fp %f, rounding = rtne : tensor<64x128xf32, #b> -> tensor<64x128xf8E4M3FN, #b>
  %x = tt.fp_to_fp %v : tensor<64x128xf8E4M3FN, #b> -> tensor<64x128xf16, #b>
  %e = tt.dot %h, %x, %c : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %e : tensor<16x128xf32, #mma>
}

// COM: So do bytes that a loop carries, each in a register of its own.
// CHECK-LABEL: @carried_bytes
// CHECK-NOT:   tt.elementwise_inline_asm
// CHECK:       tt.return
tt.func @carried_bytes(%h: tensor<16x64xf16, #a>, %ps: tensor<64x128x!tt.ptr<f8E4M3FN>, #b>, %c: tensor<16x128xf32, #mma>, %n: i32) -> tensor<16x128xf32, #mma> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %first = tt.load %ps : tensor<64x128x!tt.ptr<f8E4M3FN>, #b>
  %e:2 = scf.for %i = %zero to %n step %one iter_args(%d = %c, %v = %first) -> (tensor<16x128xf32, #mma>, tensor<64x128xf8E4M3FN, #b>) : i32 {
    %x = tt.fp_to_fp %v : tensor<64x128xf8E4M3FN, #b> -> tensor<64x128xf16, #b>
    %f = tt.dot %h, %x, %d : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
    %next = tt.load %ps : tensor<64x128x!tt.ptr<f8E4M3FN>, #b>
    scf.yield %f, %next : tensor<16x128xf32, #mma>, tensor<64x128xf8E4M3FN, #b>
  }
  tt.return %e#0 : tensor<16x128xf32, #mma>
}

// COM: If memory has the order of the fragments, words are read.
// CHECK-LABEL: @words_from_memory
// CHECK:       tt.elementwise_inline_asm "{{.*}}cvt.rn.f16x2.e4m3x2{{.*}}" {constraints = "=r,=r,r", packed_element = 4 : i32, pure = true}
tt.func @words_from_memory(%h: tensor<16x64xf16, #a>, %m: !ttg.memdesc<64x128xf8E4M3FN, #ttg.swizzled_shared<{vec = 16, perPhase = 1, maxPhase = 8, order = [0, 1]}>, #ttg.shared_memory>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %v = ttg.local_load %m : !ttg.memdesc<64x128xf8E4M3FN, #ttg.swizzled_shared<{vec = 16, perPhase = 1, maxPhase = 8, order = [0, 1]}>, #ttg.shared_memory> -> tensor<64x128xf8E4M3FN, #b>
  %x = tt.fp_to_fp %v : tensor<64x128xf8E4M3FN, #b> -> tensor<64x128xf16, #b>
  %e = tt.dot %h, %x, %c : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %e : tensor<16x128xf32, #mma>
}

// COM: Staged reads bring words: to f32, as Triton does, through f16.
// CHECK-LABEL: @scaled_in_f32
// CHECK:       %[[V:.*]] = ttg.local_load
// CHECK-NEXT:  %[[H:.*]] = tt.elementwise_inline_asm "{{.*}}cvt.rn.f16x2.e5m2x2 $0, lo; cvt.rn.f16x2.e5m2x2 $1, hi; }" {constraints = "=r,=r,r", packed_element = 4 : i32, pure = true} %[[V]] : {{.*}} -> tensor<64x128xf16,
// CHECK-NEXT:  %[[F:.*]] = arith.extf %[[H]] : tensor<64x128xf16, {{.*}}> to tensor<64x128xf32,
// CHECK-NEXT:  arith.mulf %[[F]],
tt.func @scaled_in_f32(%h: tensor<16x64xbf16, #a>, %s: tensor<64x128xf32, #b>, %m: !ttg.memdesc<64x128xf8E5M2, #ttg.swizzled_shared<{vec = 16, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #ttg.shared_memory>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %v = ttg.local_load %m {dotload.staged = "fragments"} : !ttg.memdesc<64x128xf8E5M2, #ttg.swizzled_shared<{vec = 16, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #ttg.shared_memory> -> tensor<64x128xf8E5M2, #b>
  %x = tt.fp_to_fp %v : tensor<64x128xf8E5M2, #b> -> tensor<64x128xf32, #b>
  %y = arith.mulf %x, %s : tensor<64x128xf32, #b>
  %z = arith.truncf %y : tensor<64x128xf32, #b> to tensor<64x128xbf16, #b>
  %e = tt.dot %h, %z, %c : tensor<16x64xbf16, #a> * tensor<64x128xbf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %e : tensor<16x128xf32, #mma>
}

// COM: Triton takes bytes that are adjacent in memory as they come.
// CHECK-LABEL: @adjacent_to_f32
// CHECK-NOT:   tt.elementwise_inline_asm
// CHECK:       tt.return
tt.func @adjacent_to_f32(%h: tensor<16x64xbf16, #a>, %m: !ttg.memdesc<64x128xf8E5M2, #ttg.swizzled_shared<{vec = 16, perPhase = 1, maxPhase = 8, order = [0, 1]}>, #ttg.shared_memory>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %v = ttg.local_load %m {dotload.staged = "fragments"} : !ttg.memdesc<64x128xf8E5M2, #ttg.swizzled_shared<{vec = 16, perPhase = 1, maxPhase = 8, order = [0, 1]}>, #ttg.shared_memory> -> tensor<64x128xf8E5M2, #b>
  %x = tt.fp_to_fp %v : tensor<64x128xf8E5M2, #b> -> tensor<64x128xf32, #b>
  %z = arith.truncf %x : tensor<64x128xf32, #b> to tensor<64x128xbf16, #b>
  %e = tt.dot %h, %z, %c : tensor<16x64xbf16, #a> * tensor<64x128xbf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %e : tensor<16x128xf32, #mma>
}

// COM: Unsigned bytes have their own table entry: no sign bit to flip.
// CHECK-LABEL: @unsigned_to_f16
// CHECK:       tt.elementwise_inline_asm "{{.*}}0x64006400; mov.b32 w, $2; prmt.b32
tt.func @unsigned_to_f16(%p: tensor<16x64xf16, #a>, %v: tensor<64x128xi8, #b>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %w = arith.uitofp %v : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
  %d = tt.dot %p, %w, %c : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %d : tensor<16x128xf32, #mma>
}

// COM: These stay: signed bytes to bf16, which Triton packs itself, and values that no dot uses.
// CHECK-LABEL: @left_alone
// CHECK-NOT:   tt.elementwise_inline_asm
// CHECK:       tt.return
tt.func @left_alone(%p: tensor<16x64xbf16, #a>, %v: tensor<64x128xi8, #b>, %u: tensor<64x128xf8E4M3FN, #b>, %c: tensor<16x128xf32, #mma>) -> (tensor<16x128xf32, #mma>, tensor<64x128xbf16, #b>) {
  %w = arith.sitofp %v : tensor<64x128xi8, #b> to tensor<64x128xbf16, #b>
  %d = tt.dot %p, %w, %c : tensor<16x64xbf16, #a> * tensor<64x128xbf16, #b> -> tensor<16x128xf32, #mma>
  %x = tt.fp_to_fp %u : tensor<64x128xf8E4M3FN, #b> -> tensor<64x128xbf16, #b>
  tt.return %d, %x : tensor<16x128xf32, #mma>, tensor<64x128xbf16, #b>
}

// COM: The upper half of each byte: words are shifted and masked, not bytes.
// CHECK-LABEL: @upper_halves
// CHECK-SAME:  %[[V:[a-z0-9]*]]: tensor<64x128xi8
// CHECK:       tt.elementwise_inline_asm "{{.*}}shr.b32 u, $2, 4; and.b32 u, u, 0x0f0f0f0f;{{.*}} %[[V]] :
tt.func @upper_halves(%v: tensor<64x128xi8, #b>, %p: tensor<16x64xf16, #a>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %four = arith.constant dense<4> : tensor<64x128xi8, #b>
  %low = arith.constant dense<15> : tensor<64x128xi8, #b>
  %s = arith.shrsi %v, %four : tensor<64x128xi8, #b>
  %h = arith.andi %s, %low : tensor<64x128xi8, #b>
  %w = arith.sitofp %h : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
  %d = tt.dot %p, %w, %c : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %d : tensor<16x128xf32, #mma>
}

// COM: Signed upper halves: the sign bit is flipped, and 1024 + 8 is subtracted.
// CHECK-LABEL: @signed_upper_halves
// CHECK-SAME:  %[[V:[a-z0-9]*]]: tensor<64x128xi8
// CHECK:       tt.elementwise_inline_asm "{{.*}}shr.b32 u, $2, 4; lop3.b32 u, u, 0x0f0f0f0f, 0x08080808, 0x6a;{{.*}}mov.b32 c, 0x64086408;{{.*}} %[[V]] :
tt.func @signed_upper_halves(%v: tensor<64x128xi8, #b>, %p: tensor<16x64xf16, #a>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %four = arith.constant dense<4> : tensor<64x128xi8, #b>
  %s = arith.shrsi %v, %four : tensor<64x128xi8, #b>
  %w = arith.sitofp %s : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
  %d = tt.dot %p, %w, %c : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %d : tensor<16x128xf32, #mma>
}

// COM: Signed lower halves, which a shift to the left brings to the top first; to bf16, whose mantissa has room for them.
// CHECK-LABEL: @signed_lower_halves
// CHECK-SAME:  %[[V:[a-z0-9]*]]: tensor<64x128xi8
// CHECK:       tt.elementwise_inline_asm "{{.*}}shr.b32 u, $2, 0; lop3.b32 u, u, 0x0f0f0f0f, 0x08080808, 0x6a;{{.*}}mov.b32 c, 0xc308c308; mov.b32 w, u; prmt.b32 x, w, 0x43434343, 0x4140; fma{{.*}} %[[V]] :
tt.func @signed_lower_halves(%v: tensor<64x128xi8, #b>, %p: tensor<16x64xbf16, #a>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %four = arith.constant dense<4> : tensor<64x128xi8, #b>
  %t = arith.shli %v, %four : tensor<64x128xi8, #b>
  %s = arith.shrsi %t, %four : tensor<64x128xi8, #b>
  %w = arith.sitofp %s : tensor<64x128xi8, #b> to tensor<64x128xbf16, #b>
  %d = tt.dot %p, %w, %c : tensor<16x64xbf16, #a> * tensor<64x128xbf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %d : tensor<16x128xf32, #mma>
}

// COM: Taken as unsigned, copies of the sign are bits of the number, but not of the byte.
// CHECK-LABEL: @copies_of_the_sign
// CHECK:       %[[S:.*]] = arith.shrsi
// CHECK:       tt.elementwise_inline_asm {{.*}} %[[S]] :
tt.func @copies_of_the_sign(%v: tensor<64x128xi8, #b>, %p: tensor<16x64xf16, #a>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %four = arith.constant dense<4> : tensor<64x128xi8, #b>
  %s = arith.shrsi %v, %four : tensor<64x128xi8, #b>
  %w = arith.uitofp %s : tensor<64x128xi8, #b> to tensor<64x128xf16, #b>
  %d = tt.dot %p, %w, %c : tensor<16x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %d : tensor<16x128xf32, #mma>
}

// COM: The subtracted 128 is merged with the 128 that the conversion adds: 256, and 128 of the half.
// CHECK-LABEL: @less_the_middle
// CHECK:       %[[W:.*]] = tt.elementwise_inline_asm "{{.*}}mov.b32 c, 0xc380c380;{{.*}}mov.b32 d, 0xc300c300;{{.*}}min.bf16x2 $1, a, x;
// CHECK-NOT:   arith.subf
// CHECK:       tt.dot %{{.*}}, %[[W]]
tt.func @less_the_middle(%v: tensor<64x128xi8, #b>, %p: tensor<16x64xbf16, #a>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %middle = arith.constant dense<128.0> : tensor<64x128xbf16, #b>
  %w = arith.uitofp %v : tensor<64x128xi8, #b> to tensor<64x128xbf16, #b>
  %x = arith.subf %w, %middle : tensor<64x128xbf16, #b>
  %d = tt.dot %p, %x, %c : tensor<16x64xbf16, #a> * tensor<64x128xbf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %d : tensor<16x128xf32, #mma>
}

// COM: Not merged: a constant that is not an integer, a constant minuend, and converted bytes that have another use.
// CHECK-LABEL: @less_other_numbers
// CHECK:       mov.b32 c, 0xc300c300;
// CHECK:       fma.rn.bf16x2 $0, $2, minus, $1;
// CHECK:       mov.b32 c, 0xc300c300;
// CHECK:       fma.rn.bf16x2 $0, $2, minus, $1;
// CHECK:       mov.b32 c, 0xc300c300;
// CHECK:       fma.rn.bf16x2 $0, $2, minus, $1;
// CHECK:       tt.return
tt.func @less_other_numbers(%v: tensor<64x128xi8, #b>, %p: tensor<16x64xbf16, #a>, %c: tensor<16x128xf32, #mma>) -> (tensor<16x128xf32, #mma>, tensor<64x128xbf16, #b>) {
  %middle = arith.constant dense<127.5> : tensor<64x128xbf16, #b>
  %eight = arith.constant dense<8.0> : tensor<64x128xbf16, #b>
  %w = arith.uitofp %v : tensor<64x128xi8, #b> to tensor<64x128xbf16, #b>
  %x = arith.subf %w, %middle : tensor<64x128xbf16, #b>
  %w1 = arith.uitofp %v : tensor<64x128xi8, #b> to tensor<64x128xbf16, #b>
  %x1 = arith.subf %eight, %w1 : tensor<64x128xbf16, #b>
  %w2 = arith.uitofp %v : tensor<64x128xi8, #b> to tensor<64x128xbf16, #b>
  %x2 = arith.subf %w2, %eight : tensor<64x128xbf16, #b>
  %d = tt.dot %p, %x, %c : tensor<16x64xbf16, #a> * tensor<64x128xbf16, #b> -> tensor<16x128xf32, #mma>
  %e = tt.dot %p, %x1, %d : tensor<16x64xbf16, #a> * tensor<64x128xbf16, #b> -> tensor<16x128xf32, #mma>
  %f = tt.dot %p, %x2, %e : tensor<16x64xbf16, #a> * tensor<64x128xbf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %f, %w2 : tensor<16x128xf32, #mma>, tensor<64x128xbf16, #b>
}
// COM: Arithmetic on converted operands is done in words of two: a product and a difference.
// CHECK-LABEL: @arithmetic
// CHECK:       %[[W:.*]] = tt.elementwise_inline_asm "{{.*}}packed_element = 4
// CHECK:       %[[X:.*]] = tt.elementwise_inline_asm "{{.*}}fma.rn.bf16x2 $0, $2, minus, $1; }" {constraints = "=r,r,r", packed_element = 2 : i32{{.*}}} %[[W]], %{{.*}} :
// CHECK:       %[[Y:.*]] = tt.elementwise_inline_asm "{{.*}}fma.rn.bf16x2 $0, $1, $2, zero; }" {constraints = "=r,r,r", packed_element = 2 : i32{{.*}}} %[[X]], %{{.*}} :
// CHECK:       tt.dot %{{.*}}, %[[Y]]
tt.func @arithmetic(%v: tensor<64x128xi8, #b>, %z: tensor<64x128xbf16, #b>, %s: tensor<64x128xbf16, #b>, %p: tensor<16x64xbf16, #a>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %w = arith.uitofp %v : tensor<64x128xi8, #b> to tensor<64x128xbf16, #b>
  %x = arith.subf %w, %z : tensor<64x128xbf16, #b>
  %y = arith.mulf %x, %s : tensor<64x128xbf16, #b>
  %d = tt.dot %p, %y, %c : tensor<16x64xbf16, #a> * tensor<64x128xbf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %d : tensor<16x128xf32, #mma>
}

// COM: Products by 1 are dropped: as asm, LLVM would compute them. 16256 are the bits of 1, -16512 those of -1.
// CHECK-LABEL: @times_one
// CHECK:       %[[W:.*]] = tt.elementwise_inline_asm "{{.*}}packed_element = 4
// CHECK-NEXT:  %[[Y:.*]] = tt.elementwise_inline_asm "{{.*}}fma.rn.bf16x2 $0, $1, $2, zero; }" {{.*}} %[[W]], %{{.*}} :
// CHECK-NEXT:  tt.dot %{{.*}}, %[[Y]]
tt.func @times_one(%v: tensor<64x128xi8, #b>, %p: tensor<16x64xbf16, #a>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %bits = arith.constant dense<16256> : tensor<64x1xi16, #b>
  %minus = arith.constant dense<-16512> : tensor<64x1xi16, #b>
  %one = arith.constant dense<1.0> : tensor<64x128xbf16, #b>
  %o = tt.bitcast %bits : tensor<64x1xi16, #b> -> tensor<64x1xbf16, #b>
  %m = tt.bitcast %minus : tensor<64x1xi16, #b> -> tensor<64x1xbf16, #b>
  %ones = tt.broadcast %o : tensor<64x1xbf16, #b> -> tensor<64x128xbf16, #b>
  %minuses = tt.broadcast %m : tensor<64x1xbf16, #b> -> tensor<64x128xbf16, #b>
  %w = arith.uitofp %v : tensor<64x128xi8, #b> to tensor<64x128xbf16, #b>
  %x = arith.mulf %w, %ones : tensor<64x128xbf16, #b>
  %y = arith.mulf %x, %minuses : tensor<64x128xbf16, #b>
  %z = arith.mulf %one, %y : tensor<64x128xbf16, #b>
  %d = tt.dot %p, %z, %c : tensor<16x64xbf16, #a> * tensor<64x128xbf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %d : tensor<16x128xf32, #mma>
}

// COM: A product that feeds an addition is left to Triton, which may fuse both.
// CHECK-LABEL: @fused
// CHECK:       %[[W:.*]] = tt.elementwise_inline_asm "{{.*}}packed_element = 4
// CHECK:       %[[X:.*]] = arith.mulf %[[W]],
// CHECK:       %[[Y:.*]] = arith.addf %[[X]],
// CHECK:       tt.dot %{{.*}}, %[[Y]]
tt.func @fused(%v: tensor<64x128xi8, #b>, %z: tensor<64x128xbf16, #b>, %s: tensor<64x128xbf16, #b>, %p: tensor<16x64xbf16, #a>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %w = arith.uitofp %v : tensor<64x128xi8, #b> to tensor<64x128xbf16, #b>
  %x = arith.mulf %w, %s : tensor<64x128xbf16, #b>
  %y = arith.addf %x, %z : tensor<64x128xbf16, #b>
  %d = tt.dot %p, %y, %c : tensor<16x64xbf16, #a> * tensor<64x128xbf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %d : tensor<16x128xf32, #mma>
}

// COM: So is a sum with a product of other values.
// CHECK-LABEL: @fused_with_another
// CHECK:       %[[W:.*]] = tt.elementwise_inline_asm "{{.*}}packed_element = 4
// CHECK:       arith.subf %[[W]],
tt.func @fused_with_another(%v: tensor<64x128xi8, #b>, %z: tensor<64x128xbf16, #b>, %s: tensor<64x128xbf16, #b>, %p: tensor<16x64xbf16, #a>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %w = arith.uitofp %v : tensor<64x128xi8, #b> to tensor<64x128xbf16, #b>
  %x = arith.mulf %z, %s : tensor<64x128xbf16, #b>
  %y = arith.subf %w, %x : tensor<64x128xbf16, #b>
  %d = tt.dot %p, %y, %c : tensor<16x64xbf16, #a> * tensor<64x128xbf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %d : tensor<16x128xf32, #mma>
}

// COM: Bytes that are adjacent in pairs, as in fragments of wgmma, are converted in pairs.
// CHECK-LABEL: @bytes_in_twos
// CHECK:       tt.elementwise_inline_asm "{{.*}}cvt.u32.u16 w, $1;{{.*}}prmt.b32 x, w, 0x43434343, 0x4140;{{.*}}" {constraints = "=r,h", packed_element = 2
tt.func @bytes_in_twos(%v: tensor<64x128xi8, #b2>, %p: tensor<16x64xbf16, #a2>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %w = arith.uitofp %v : tensor<64x128xi8, #b2> to tensor<64x128xbf16, #b2>
  %d = tt.dot %p, %w, %c : tensor<16x64xbf16, #a2> * tensor<64x128xbf16, #b2> -> tensor<16x128xf32, #mma>
  tt.return %d : tensor<16x128xf32, #mma>
}
// COM: One op uses a value twice, or two consecutive ops use it.
// CHECK-LABEL: @twice
// CHECK:       %[[W:.*]] = tt.elementwise_inline_asm "{{.*}}packed_element = 4
// CHECK:       %[[X:.*]] = tt.elementwise_inline_asm "{{.*}}minus, $1; }" {{.*}} %[[W]], %{{.*}} :
// CHECK:       %[[Y:.*]] = tt.elementwise_inline_asm "{{.*}}minus, $1; }" {{.*}} %[[W]], %[[X]] :
// CHECK:       %[[Z:.*]] = tt.elementwise_inline_asm "{{.*}}$1, $2, zero; }" {{.*}} %[[Y]], %[[Y]] :
// CHECK:       tt.dot %{{.*}}, %[[Z]]
tt.func @twice(%v: tensor<64x128xi8, #b>, %s: tensor<64x128xbf16, #b>, %p: tensor<16x64xbf16, #a>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %w = arith.uitofp %v : tensor<64x128xi8, #b> to tensor<64x128xbf16, #b>
  %x = arith.subf %w, %s : tensor<64x128xbf16, #b>
  %y = arith.subf %w, %x : tensor<64x128xbf16, #b>
  %z = arith.mulf %y, %y : tensor<64x128xbf16, #b>
  %d = tt.dot %p, %z, %c : tensor<16x64xbf16, #a> * tensor<64x128xbf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %d : tensor<16x128xf32, #mma>
}

// COM: A product is fused with a sum through a broadcast, and when negated.
// CHECK-LABEL: @fused_behind_views
// CHECK:       %[[W:.*]] = tt.elementwise_inline_asm "{{.*}}packed_element = 4
// CHECK:       arith.subf %[[W]],
tt.func @fused_behind_views(%v: tensor<64x128xi8, #b>, %z: tensor<1x128xbf16, #b>, %s: tensor<1x128xbf16, #b>, %p: tensor<16x64xbf16, #a>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %w = arith.uitofp %v : tensor<64x128xi8, #b> to tensor<64x128xbf16, #b>
  %q = arith.mulf %z, %s : tensor<1x128xbf16, #b>
  %n = arith.negf %q : tensor<1x128xbf16, #b>
  %r = tt.broadcast %n : tensor<1x128xbf16, #b> -> tensor<64x128xbf16, #b>
  %x = arith.subf %w, %r : tensor<64x128xbf16, #b>
  %d = tt.dot %p, %x, %c : tensor<16x64xbf16, #a> * tensor<64x128xbf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %d : tensor<16x128xf32, #mma>
}

// COM: So is a product of scalars.
// CHECK-LABEL: @fused_behind_a_splat
// CHECK:       %[[W:.*]] = tt.elementwise_inline_asm "{{.*}}packed_element = 4
// CHECK:       arith.addf %[[W]],
tt.func @fused_behind_a_splat(%v: tensor<64x128xi8, #b>, %t: bf16, %p: tensor<16x64xbf16, #a>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %w = arith.uitofp %v : tensor<64x128xi8, #b> to tensor<64x128xbf16, #b>
  %u = arith.mulf %t, %t : bf16
  %k = tt.splat %u : bf16 -> tensor<64x128xbf16, #b>
  %y = arith.addf %w, %k : tensor<64x128xbf16, #b>
  %d = tt.dot %p, %y, %c : tensor<16x64xbf16, #a> * tensor<64x128xbf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %d : tensor<16x128xf32, #mma>
}

// COM: So is a product that is transposed before the addition.
// CHECK-LABEL: @fused_once_transposed
// CHECK:       %[[W:.*]] = tt.elementwise_inline_asm "{{.*}}packed_element = 4
// CHECK:       arith.mulf %[[W]],
tt.func @fused_once_transposed(%v: tensor<64x128xi8, #b>, %s: tensor<64x128xbf16, #b>, %z: tensor<128x64xbf16, #t>, %p: tensor<16x64xbf16, #a>, %c: tensor<16x128xf32, #mma>) -> (tensor<16x128xf32, #mma>, tensor<128x64xbf16, #t>) {
  %w = arith.uitofp %v : tensor<64x128xi8, #b> to tensor<64x128xbf16, #b>
  %x = arith.mulf %w, %s : tensor<64x128xbf16, #b>
  %l = ttg.convert_layout %x : tensor<64x128xbf16, #b> -> tensor<64x128xbf16, #u>
  %t = tt.trans %l {order = array<i32: 1, 0>} : tensor<64x128xbf16, #u> -> tensor<128x64xbf16, #t>
  %y = arith.addf %t, %z : tensor<128x64xbf16, #t>
  %d = tt.dot %p, %x, %c : tensor<16x64xbf16, #a> * tensor<64x128xbf16, #b> -> tensor<16x128xf32, #mma>
  tt.return %d, %y : tensor<16x128xf32, #mma>, tensor<128x64xbf16, #t>
}

// COM: Reads of staged tiles deliver words of four bytes, although fragments have two neighbours along K.
// CHECK-LABEL: @staged
// CHECK:       tt.elementwise_inline_asm "{{.*}}" {constraints = "=r,=r,r", packed_element = 4
tt.func @staged(%m: !ttg.memdesc<64x128xi8, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #ttg.shared_memory>, %p: tensor<16x64xbf16, #a2>, %c: tensor<16x128xf32, #mma>) -> tensor<16x128xf32, #mma> {
  %v = ttg.local_load %m {dotload.staged = "fragments"} : !ttg.memdesc<64x128xi8, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #ttg.shared_memory> -> tensor<64x128xi8, #b2>
  %w = arith.uitofp %v : tensor<64x128xi8, #b2> to tensor<64x128xbf16, #b2>
  %d = tt.dot %p, %w, %c : tensor<16x64xbf16, #a2> * tensor<64x128xbf16, #b2> -> tensor<16x128xf32, #mma>
  tt.return %d : tensor<16x128xf32, #mma>
}
}
