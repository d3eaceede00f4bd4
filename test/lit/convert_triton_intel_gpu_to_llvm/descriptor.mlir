// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm | FileCheck %s

#mma = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [4, 2]}>
#mma8 = #ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 4, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [4, 2]}>
#dot_a8 = #ttg.dot_op<{opIdx = 0, parent = #mma8, kWidth = 2}>
#dot_a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#blocked = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: A descriptor is a struct of shapes, strides and base.
  // CHECK-LABEL: llvm.func spir_kernelcc @block_load(%arg0: !llvm.struct<(i64, i64, i64, i64, ptr<1>)>, %arg1: i32, %arg2: !llvm.ptr<1>, %arg3: !llvm.ptr<1>)
  // CHECK: llvm.extractvalue %arg0[1] : !llvm.struct<(i64, i64, i64, i64, ptr<1>)>
  // CHECK: triton_gen.2Dblockload
  tt.func public @block_load(%desc: !tt.tensordesc<tensor<32x32xf16>>, %y: i32) -> tensor<32x32xf16, #dot_a> {
    %c0 = arith.constant 0 : i32
    %a = tt.descriptor_load %desc[%y, %c0] {ttig.block_io = "row_major"} : !tt.tensordesc<tensor<32x32xf16>> -> tensor<32x32xf16, #dot_a>
    tt.return %a : tensor<32x32xf16, #dot_a>
  }

  // COM: A load without the mark is lowered lane by lane, under the condition that row and column are within the shape.
  // CHECK-LABEL: llvm.func spir_kernelcc @gather
  // CHECK: %[[ROWS:.*]] = llvm.extractvalue %arg0[0]
  // CHECK: %[[COLUMNS:.*]] = llvm.extractvalue %arg0[1]
  // CHECK: %[[STRIDE:.*]] = llvm.extractvalue %arg0[2]
  // CHECK: %[[ONE:.*]] = llvm.extractvalue %arg0[3]
  // CHECK: %[[BASE:.*]] = llvm.extractvalue %arg0[4]
  // CHECK: %[[DOWN:.*]] = llvm.mul %[[ROW:.*]], %[[STRIDE]] : i64
  // CHECK: %[[IN_ROWS:.*]] = llvm.icmp "ult" %[[ROW]], %[[ROWS]] : i64
  // CHECK: %[[ALONG:.*]] = llvm.mul %[[COLUMN:.*]], %[[ONE]] : i64
  // CHECK: %[[IN_COLUMNS:.*]] = llvm.icmp "ult" %[[COLUMN]], %[[COLUMNS]] : i64
  // CHECK: %[[OFFSET:.*]] = llvm.add %[[DOWN]], %[[ALONG]] : i64
  // CHECK: %[[INSIDE:.*]] = llvm.and %[[IN_ROWS]], %[[IN_COLUMNS]] : i1
  // CHECK: %[[AT:.*]] = llvm.getelementptr %[[BASE]][%[[OFFSET]]]
  // CHECK: triton_gen.predicated_load %[[AT]], %{{.*}}, %[[INSIDE]], %{{.*}} {cache_control = Default}
  // CHECK-NOT: triton_gen.2Dblockload
  // CHECK: llvm.return
  tt.func public @gather(%desc: !tt.tensordesc<tensor<4x16xf16>>, %y: i32, %x: i32) -> tensor<4x16xf16, #blocked> {
    %a = tt.descriptor_load %desc[%y, %x] : !tt.tensordesc<tensor<4x16xf16>> -> tensor<4x16xf16, #blocked>
    tt.return %a : tensor<4x16xf16, #blocked>
  }
  // COM: The padding is that of the ops that made the descriptor, before a loop and in it, or in a branch.
  // CHECK-LABEL: llvm.func spir_kernelcc @carried
  // CHECK: scf.for {{.*}} iter_args(%[[DESC:.*]] = %{{.*}}) -> (!llvm.struct<(i64, i64, i64, i64, ptr<1>)>)
  // CHECK: llvm.extractvalue %[[DESC]][0]
  // CHECK: %[[NAN:.*]] = llvm.mlir.constant(0x7E00 : f16) : f16
  // CHECK: triton_gen.predicated_load %{{.*}}, %{{.*}}, %{{.*}}, %[[NAN]]
  // CHECK: %[[CHOSEN:.*]] = scf.if
  // CHECK: llvm.extractvalue %[[CHOSEN]][0]
  // CHECK: %[[NAN:.*]] = llvm.mlir.constant(0x7E00 : f16) : f16
  // CHECK: triton_gen.predicated_load %{{.*}}, %{{.*}}, %{{.*}}, %[[NAN]]
  tt.func public @carried(%base: !tt.ptr<f16>, %rows: i32, %columns: i32, %stride: i64, %y: i32, %which: i1, %out: tensor<4x16x!tt.ptr<f16>, #blocked>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %one = arith.constant 1 : i64
    %desc = tt.make_tensor_descriptor %base, [%rows, %columns], [%stride, %one] {padding = 2 : i32} : <f16>, <4x16xf16>
    %end = scf.for %i = %c0 to %y step %c1 iter_args(%now = %desc) -> (!tt.tensordesc<4x16xf16>) : i32 {
      %a = tt.descriptor_load %now[%i, %c0] : !tt.tensordesc<4x16xf16> -> tensor<4x16xf16, #blocked>
      tt.store %out, %a : tensor<4x16x!tt.ptr<f16>, #blocked>
      %next = tt.make_tensor_descriptor %base, [%i, %columns], [%stride, %one] {padding = 2 : i32} : <f16>, <4x16xf16>
      scf.yield %next : !tt.tensordesc<4x16xf16>
    }
    %chosen = scf.if %which -> (!tt.tensordesc<4x16xf16>) {
      %more = tt.make_tensor_descriptor %base, [%y, %columns], [%stride, %one] {padding = 2 : i32} : <f16>, <4x16xf16>
      scf.yield %more : !tt.tensordesc<4x16xf16>
    } else {
      scf.yield %end : !tt.tensordesc<4x16xf16>
    }
    %b = tt.descriptor_load %chosen[%c0, %c0] : !tt.tensordesc<4x16xf16> -> tensor<4x16xf16, #blocked>
    tt.store %out, %b : tensor<4x16x!tt.ptr<f16>, #blocked>
    tt.return
  }
  // COM: Frontends give the integers of a descriptor a sign; memory and tensor have none.
  // CHECK-LABEL: llvm.func spir_kernelcc @signed_bytes(%arg0: !llvm.ptr<1>
  // CHECK: triton_gen.2Dblockload %arg0, {{.*}} {elem_size_in_bits = 8
  // CHECK: triton_gen.2Dblockload %{{.*}}, {{.*}} {elem_size_in_bits = 8
  tt.func public @signed_bytes(%base: !tt.ptr<i8>, %rows: i32, %columns: i32, %stride: i64, %given: !tt.tensordesc<32x64xsi8>) {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %desc = tt.make_tensor_descriptor %base, [%rows, %columns], [%stride, %one] : <i8>, <32x64xsi8>
    %a = tt.descriptor_load %desc[%c0, %c0] {ttig.block_io = "row_major"} : !tt.tensordesc<32x64xsi8> -> tensor<32x64xi8, #dot_a8>
    %b = tt.descriptor_load %given[%c0, %c0] {ttig.block_io = "row_major"} : !tt.tensordesc<32x64xsi8> -> tensor<32x64xi8, #dot_a8>
    tt.return
  }

  // COM: A store is lowered lane by lane too, under the same condition.
  // CHECK-LABEL: llvm.func spir_kernelcc @scatter
  // CHECK: %[[INSIDE:.*]] = llvm.and %{{.*}}, %{{.*}} : i1
  // CHECK: %[[AT:.*]] = llvm.getelementptr
  // CHECK: triton_gen.predicated_store %[[AT]], %{{.*}}, %{{.*}}, %[[INSIDE]]
  tt.func public @scatter(%desc: !tt.tensordesc<tensor<4x16xf16>>, %y: i32, %x: i32, %a: tensor<4x16xf16, #blocked>) {
    tt.descriptor_store %desc[%y, %x], %a : !tt.tensordesc<tensor<4x16xf16>>, tensor<4x16xf16, #blocked>
    tt.return
  }
}
