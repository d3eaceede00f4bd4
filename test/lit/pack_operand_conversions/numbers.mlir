// RUN: dotload-opt %s --pack-operand-conversions --remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: sed 's/cuda:90/cuda:75/' %s | dotload-opt --pack-operand-conversions | FileCheck %s --check-prefix=TURING
// TURING-NOT:  tt.elementwise_inline_asm

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#three = #ttg.linear<{register = [[0, 1, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0], [0, 0, 32]], lane = [[0, 2, 0], [0, 4, 0], [0, 0, 1], [0, 0, 2], [0, 0, 4]], warp = [[0, 0, 8], [0, 0, 16]], block = []}>
!a = tensor<16x64xf16, #a>
!n = tensor<64x64xi32, #b>
!f = tensor<64x64xf16, #b>
!c = tensor<16x64xf32, #mma>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Two small integers are converted at a time. The conversion adds 1024; 8 is subtracted with it: 1032.
// CHECK-LABEL: @less_eight
// CHECK:       %[[N:.*]] = arith.andi
// CHECK:       %[[F:.*]] = tt.elementwise_inline_asm "{{.*}}prmt.b32 w, $1, $2, 0x5410;{{.*}}mov.b32 c, 0x64086408; sub.f16x2 $0, w, c;{{.*}}" {constraints = "=r,r,r", packed_element = 2 : i32{{.*}}} %[[N]] :
// CHECK:       tt.dot %{{.*}}, %[[F]],
// REMARK:      pack-operand-conversions: i32 to f16 is converted 2 elements at a time
tt.func @less_eight(%a: !a, %b: !n, %c: !c) -> !c {
  %mask = arith.constant dense<15> : !n
  %eight = arith.constant dense<8> : !n
  %n = arith.andi %b, %mask : !n
  %l = arith.subi %n, %eight : !n
  %f = arith.sitofp %l : !n to !f
  %d = tt.dot %a, %f, %c : !a * !f -> !c
  tt.return %d : !c
}

// COM: A value that is subtracted after the conversion is merged as well; of two such values, their sum.
// CHECK-LABEL: @less_eight_behind
// CHECK:       tt.elementwise_inline_asm "{{.*}}mov.b32 c, 0x640c640c;
// CHECK-NOT:   arith.subf
// CHECK:       tt.return
tt.func @less_eight_behind(%a: !a, %b: !n, %c: !c) -> !c {
  %mask = arith.constant dense<15> : !n
  %four = arith.constant dense<4> : !n
  %eight = arith.constant dense<8.0> : !f
  %n = arith.andi %b, %mask : !n
  %l = arith.subi %n, %four : !n
  %f = arith.sitofp %l : !n to !f
  %x = arith.subf %f, %eight : !f
  %d = tt.dot %a, %x, %c : !a * !f -> !c
  tt.return %d : !c
}

// COM: Signed numbers are made non-negative first: 1024 + 128.
// CHECK-LABEL: @either_sign
// CHECK:       tt.elementwise_inline_asm "{{.*}}mov.b32 high, 0x64806480;{{.*}}mov.b32 c, 0x64806480;
tt.func @either_sign(%a: !a, %b: !n, %z: !n, %c: !c) -> !c {
  %mask = arith.constant dense<15> : !n
  %n = arith.andi %b, %mask : !n
  %m = arith.andi %z, %mask : !n
  %l = arith.subi %n, %m : !n
  %f = arith.sitofp %l : !n to !f
  %d = tt.dot %a, %f, %c : !a * !f -> !c
  tt.return %d : !c
}

// COM: Of a difference, neither conversion subtracts the 1024: (1024 + x) - (1024 + y).
// CHECK-LABEL: @difference
// CHECK:       %[[X:.*]] = tt.elementwise_inline_asm "{{.*}}prmt.b32 w, $1, $2, 0x5410; lop3.b32 w, w, low, high, 0x6a; mov.b32 $0, w; }"
// CHECK:       %[[Y:.*]] = tt.elementwise_inline_asm "{{.*}}lop3.b32 w, w, low, high, 0x6a; mov.b32 $0, w; }"
// CHECK:       tt.elementwise_inline_asm "sub.rn.f16x2 $0, $1, $2;" {{.*}} %[[X]], %[[Y]] :
tt.func @difference(%a: !a, %b: !n, %z: !n, %c: !c) -> !c {
  %mask = arith.constant dense<15> : !n
  %n = arith.andi %b, %mask : !n
  %m = arith.andi %z, %mask : !n
  %f = arith.sitofp %n : !n to !f
  %g = arith.sitofp %m : !n to !f
  %x = arith.subf %f, %g : !f
  %d = tt.dot %a, %x, %c : !a * !f -> !c
  tt.return %d : !c
}

// COM: A conversion that is used elsewhere, and one that already subtracts a constant, give the numbers themselves.
// CHECK-LABEL: @difference_of_used
// CHECK-COUNT-2: tt.elementwise_inline_asm "{{.*}}sub.f16x2 $0, w, c;
tt.func @difference_of_used(%a: !a, %b: !n, %z: !n, %c: !c) -> !c {
  %mask = arith.constant dense<15> : !n
  %n = arith.andi %b, %mask : !n
  %m = arith.andi %z, %mask : !n
  %f = arith.sitofp %n : !n to !f
  %g = arith.sitofp %m : !n to !f
  %x = arith.subf %f, %g : !f
  %d = tt.dot %a, %x, %c : !a * !f -> !c
  %e = tt.dot %a, %g, %d : !a * !f -> !c
  tt.return %e : !c
}

// CHECK-LABEL: @difference_less_a_constant
// CHECK-COUNT-2: tt.elementwise_inline_asm "{{.*}}sub.f16x2 $0, w, c;
tt.func @difference_less_a_constant(%a: !a, %b: !n, %z: !n, %c: !c) -> !c {
  %mask = arith.constant dense<15> : !n
  %one = arith.constant dense<1> : !n
  %n = arith.andi %b, %mask : !n
  %m = arith.andi %z, %mask : !n
  %l = arith.subi %m, %one : !n
  %f = arith.sitofp %n : !n to !f
  %g = arith.sitofp %l : !n to !f
  %x = arith.subf %f, %g : !f
  %d = tt.dot %a, %x, %c : !a * !f -> !c
  tt.return %d : !c
}

// COM: Neighbouring values of one integer, 4 bits apart, share a byte, which is copied to both halves. The second value
// COM: is then 16 times as large.
// CHECK-LABEL: @two_fields
// CHECK:       tt.elementwise_inline_asm "{{.*}}mul.lo.u32 s, s, 0x101; prmt.b32 u, $1, 0, s; {{.*}}lop3.b32 w, u, 0xf0000f, 0x64006400, 0xea; fma.rn.f16x2 $0, w, scale, c;{{.*}}" {constraints = "=r,r,r,r,r", packed_element = 2 : i32{{.*}}} %[[W:.*]], %{{.*}} :
tt.func @two_fields(%a: !a, %w: tensor<8x64xi32, #ttg.slice<{dim = 1, parent = #three}>>, %other: !n, %c: !c) -> !c {
  %eight = arith.constant dense<8> : tensor<64x1xi32, #b>
  %four = arith.constant dense<4> : tensor<64x1xi32, #b>
  %mask = arith.constant dense<15> : !n
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<64x1xi32, #b>
  %place = arith.remsi %k1, %eight : tensor<64x1xi32, #b>
  %place4 = arith.muli %place, %four : tensor<64x1xi32, #b>
  %shift = tt.broadcast %place4 : tensor<64x1xi32, #b> -> !n
  %x = tt.expand_dims %w {axis = 1 : i32} : tensor<8x64xi32, #ttg.slice<{dim = 1, parent = #three}>> -> tensor<8x1x64xi32, #three>
  %y = tt.broadcast %x : tensor<8x1x64xi32, #three> -> tensor<8x8x64xi32, #three>
  %f = tt.reshape %y : tensor<8x8x64xi32, #three> -> !n
  %h = arith.shrsi %f, %shift : !n
  %v = arith.andi %h, %mask : !n
  %g = arith.sitofp %v : !n to !f
  %d = tt.dot %a, %g, %c : !a * !f -> !c
  tt.return %d : !c
}

// COM: Not merged if 1000 is subtracted and added again, since 16 bits round in between.
// CHECK-LABEL: @far_and_back
// CHECK-NOT:   prmt.b32
// CHECK:       arith.sitofp
// CHECK:       tt.return
tt.func @far_and_back(%a: !a, %w: tensor<8x64xi32, #ttg.slice<{dim = 1, parent = #three}>>, %other: !n, %c: !c) -> !c {
  %eight = arith.constant dense<8> : tensor<64x1xi32, #b>
  %four = arith.constant dense<4> : tensor<64x1xi32, #b>
  %mask = arith.constant dense<15> : !n
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<64x1xi32, #b>
  %place = arith.remsi %k1, %eight : tensor<64x1xi32, #b>
  %place4 = arith.muli %place, %four : tensor<64x1xi32, #b>
  %shift = tt.broadcast %place4 : tensor<64x1xi32, #b> -> !n
  %x = tt.expand_dims %w {axis = 1 : i32} : tensor<8x64xi32, #ttg.slice<{dim = 1, parent = #three}>> -> tensor<8x1x64xi32, #three>
  %y = tt.broadcast %x : tensor<8x1x64xi32, #three> -> tensor<8x8x64xi32, #three>
  %f = tt.reshape %y : tensor<8x8x64xi32, #three> -> !n
  %h = arith.shrsi %f, %shift : !n
  %v = arith.andi %h, %mask : !n
  %far = arith.constant dense<1000> : !n
  %back = arith.constant dense<-1000.0> : !f
  %l = arith.subi %v, %far : !n
  %h2 = arith.sitofp %l : !n to !f
  %g = arith.subf %h2, %back : !f
  %d = tt.dot %a, %g, %c : !a * !f -> !c
  tt.return %d : !c
}

// COM: Not shared if the first value is the upper one of a byte: the integer is shifted.
// CHECK-LABEL: @across_bytes
// CHECK:       tt.elementwise_inline_asm "{{.*}}shr.b32 t, $1, $3; prmt.b32 u, t, t, 0x1010;
tt.func @across_bytes(%a: !a, %w: tensor<8x64xi32, #ttg.slice<{dim = 1, parent = #three}>>, %other: !n, %c: !c) -> !c {
  %eight = arith.constant dense<8> : tensor<64x1xi32, #b>
  %four = arith.constant dense<4> : tensor<64x1xi32, #b>
  %mask = arith.constant dense<15> : !n
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<64x1xi32, #b>
  %place = arith.remsi %k1, %four : tensor<64x1xi32, #b>
  %place4 = arith.muli %place, %four : tensor<64x1xi32, #b>
  %higher = arith.addi %place4, %four : tensor<64x1xi32, #b>
  %shift = tt.broadcast %higher : tensor<64x1xi32, #b> -> !n
  %x = tt.expand_dims %w {axis = 1 : i32} : tensor<8x64xi32, #ttg.slice<{dim = 1, parent = #three}>> -> tensor<8x1x64xi32, #three>
  %y = tt.broadcast %x : tensor<8x1x64xi32, #three> -> tensor<8x8x64xi32, #three>
  %f = tt.reshape %y : tensor<8x8x64xi32, #three> -> !n
  %h = arith.shrsi %f, %shift : !n
  %v = arith.andi %h, %mask : !n
  %g = arith.sitofp %v : !n to !f
  %d = tt.dot %a, %g, %c : !a * !f -> !c
  tt.return %d : !c
}

// COM: Values of two integers are shifted separately.
// CHECK-LABEL: @of_two_integers
// CHECK:       tt.elementwise_inline_asm "{{.*}}prmt.b32 w, $1, $2, 0x5410;
tt.func @of_two_integers(%a: !a, %w: tensor<8x64xi32, #ttg.slice<{dim = 1, parent = #three}>>, %other: !n, %c: !c) -> !c {
  %eight = arith.constant dense<8> : tensor<64x1xi32, #b>
  %four = arith.constant dense<4> : tensor<64x1xi32, #b>
  %mask = arith.constant dense<15> : !n
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<64x1xi32, #b>
  %place = arith.remsi %k1, %eight : tensor<64x1xi32, #b>
  %place4 = arith.muli %place, %four : tensor<64x1xi32, #b>
  %shift = tt.broadcast %place4 : tensor<64x1xi32, #b> -> !n
  %x = tt.expand_dims %w {axis = 1 : i32} : tensor<8x64xi32, #ttg.slice<{dim = 1, parent = #three}>> -> tensor<8x1x64xi32, #three>
  %y = tt.broadcast %x : tensor<8x1x64xi32, #three> -> tensor<8x8x64xi32, #three>
  %f = tt.reshape %y : tensor<8x8x64xi32, #three> -> !n
  %h = arith.shrsi %other, %shift : !n
  %v = arith.andi %h, %mask : !n
  %g = arith.sitofp %v : !n to !f
  %d = tt.dot %a, %g, %c : !a * !f -> !c
  tt.return %d : !c
}

// COM: So are values with unknown shifts.
// CHECK-LABEL: @any_distance
// CHECK:       tt.elementwise_inline_asm "{{.*}}prmt.b32 w, $1, $2, 0x5410;
tt.func @any_distance(%a: !a, %w: tensor<8x64xi32, #ttg.slice<{dim = 1, parent = #three}>>, %other: !n, %c: !c) -> !c {
  %eight = arith.constant dense<8> : tensor<64x1xi32, #b>
  %four = arith.constant dense<4> : tensor<64x1xi32, #b>
  %mask = arith.constant dense<15> : !n
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<64x1xi32, #b>
  %place = arith.remsi %k1, %eight : tensor<64x1xi32, #b>
  %place4 = arith.muli %place, %four : tensor<64x1xi32, #b>
  %shift = tt.broadcast %place4 : tensor<64x1xi32, #b> -> !n
  %x = tt.expand_dims %w {axis = 1 : i32} : tensor<8x64xi32, #ttg.slice<{dim = 1, parent = #three}>> -> tensor<8x1x64xi32, #three>
  %y = tt.broadcast %x : tensor<8x1x64xi32, #three> -> tensor<8x8x64xi32, #three>
  %f = tt.reshape %y : tensor<8x8x64xi32, #three> -> !n
  %h = arith.shrsi %f, %other : !n
  %v = arith.andi %h, %mask : !n
  %g = arith.sitofp %v : !n to !f
  %d = tt.dot %a, %g, %c : !a * !f -> !c
  tt.return %d : !c
}

// COM: The bits above the last value are copies of the sign, and the mask of 4 bits includes some: not a field.
// CHECK-LABEL: @past_the_end
// CHECK:       tt.elementwise_inline_asm "{{.*}}prmt.b32 w, $1, $2, 0x5410;
tt.func @past_the_end(%a: !a, %w: tensor<8x64xi32, #ttg.slice<{dim = 1, parent = #three}>>, %other: !n, %c: !c) -> !c {
  %eight = arith.constant dense<8> : tensor<64x1xi32, #b>
  %four = arith.constant dense<4> : tensor<64x1xi32, #b>
  %mask = arith.constant dense<15> : !n
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<64x1xi32, #b>
  %place = arith.remsi %k1, %eight : tensor<64x1xi32, #b>
  %place4 = arith.muli %place, %four : tensor<64x1xi32, #b>
  %higher = arith.addi %place4, %four : tensor<64x1xi32, #b>
  %shift = tt.broadcast %higher : tensor<64x1xi32, #b> -> !n
  %x = tt.expand_dims %w {axis = 1 : i32} : tensor<8x64xi32, #ttg.slice<{dim = 1, parent = #three}>> -> tensor<8x1x64xi32, #three>
  %y = tt.broadcast %x : tensor<8x1x64xi32, #three> -> tensor<8x8x64xi32, #three>
  %f = tt.reshape %y : tensor<8x8x64xi32, #three> -> !n
  %h = arith.shrsi %f, %shift : !n
  %v = arith.andi %h, %mask : !n
  %g = arith.sitofp %v : !n to !f
  %d = tt.dot %a, %g, %c : !a * !f -> !c
  tt.return %d : !c}

// COM: Numbers of 10 bits are not converted in pairs.
// CHECK-LABEL: @of_many_bits
// CHECK-NOT:   tt.elementwise_inline_asm
// CHECK:       tt.return
tt.func @of_many_bits(%a: !a, %w: tensor<8x64xi32, #ttg.slice<{dim = 1, parent = #three}>>, %other: !n, %c: !c) -> !c {
  %eight = arith.constant dense<8> : tensor<64x1xi32, #b>
  %four = arith.constant dense<4> : tensor<64x1xi32, #b>
  %mask = arith.constant dense<1023> : !n
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<64x1xi32, #b>
  %place = arith.remsi %k1, %eight : tensor<64x1xi32, #b>
  %place4 = arith.muli %place, %four : tensor<64x1xi32, #b>
  %shift = tt.broadcast %place4 : tensor<64x1xi32, #b> -> !n
  %x = tt.expand_dims %w {axis = 1 : i32} : tensor<8x64xi32, #ttg.slice<{dim = 1, parent = #three}>> -> tensor<8x1x64xi32, #three>
  %y = tt.broadcast %x : tensor<8x1x64xi32, #three> -> tensor<8x8x64xi32, #three>
  %f = tt.reshape %y : tensor<8x8x64xi32, #three> -> !n
  %h = arith.shrsi %f, %shift : !n
  %v = arith.andi %h, %mask : !n
  %g = arith.sitofp %v : !n to !f
  %d = tt.dot %a, %g, %c : !a * !f -> !c
  tt.return %d : !c
}

}
