// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 16], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 16 : i32} {
  // COM: A block pointer is a struct of offsets, shapes and strides, then the base. Element (r, c) lies at (offset + r)
  // COM: * stride + (offset + c) * stride, summed over both dims; it may be out of bounds along dims that are checked.
  // CHECK-LABEL: llvm.func spir_kernelcc @checked(%arg0: !llvm.ptr<1>, %arg1: i64, %arg2: i64, %arg3: i64, %arg4: i32, %arg5: !llvm.ptr<1>, %arg6: !llvm.ptr<1>)
  // CHECK: llvm.insertvalue %arg4, %{{.*}}[0] : !llvm.struct<(i32, i32, i64, i64, i64, i64, ptr<1>)>
  // CHECK: llvm.insertvalue %arg0, %{{.*}}[6]
  // CHECK: %[[ROW:.*]] = llvm.sext %{{.*}} : i32 to i64
  // CHECK: %[[AT:.*]] = llvm.add %{{.*}}, %{{.*}} : i64
  // CHECK: %[[DOWN:.*]] = llvm.mul %[[AT]], %[[STRIDE:.*]] : i64
  // CHECK: %[[INSIDE:.*]] = llvm.icmp "ult" %[[AT]], %[[ROWS:.*]] : i64
  // CHECK: %[[ALONG:.*]] = llvm.mul
  // CHECK-NOT: llvm.icmp
  // CHECK: %[[OFFSET:.*]] = llvm.add %[[DOWN]], %[[ALONG]] : i64
  // CHECK: %[[PLACE:.*]] = llvm.getelementptr %{{.*}}[%[[OFFSET]]]
  // CHECK: triton_gen.predicated_load %[[PLACE]], %{{.*}}, %[[INSIDE]], %{{.*}} {cache_control = Default}
  tt.func @checked(%base: !tt.ptr<f16>, %rows: i64, %columns: i64, %stride: i64, %y: i32) -> tensor<2x16xf16, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i64
    %p = tt.make_tensor_ptr %base, [%rows, %columns], [%stride, %c1], [%y, %c0] {order = array<i32: 1, 0>} : <tensor<2x16xf16, #blocked>>
    %a = tt.load %p {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<2x16xf16, #blocked>>
    tt.return %a : tensor<2x16xf16, #blocked>
  }

  // COM: An advanced pointer without checks: its offset is moved.
  // CHECK-LABEL: @advanced
  // CHECK: %[[OLD:.*]] = llvm.extractvalue %arg0[1]
  // CHECK: %[[NEW:.*]] = llvm.add %[[OLD]], %arg1 : i32
  // CHECK: llvm.insertvalue %[[NEW]], %{{.*}}[1]
  // CHECK-NOT: llvm.icmp
  // CHECK-COUNT-2: llvm.store %{{.*}} : f16, !llvm.ptr<1>
  tt.func @advanced(%p: !tt.ptr<tensor<2x16xf16, #blocked>>, %x: i32, %a: tensor<2x16xf16, #blocked>) {
    %c0 = arith.constant 0 : i32
    %q = tt.advance %p, [%c0, %x] : <tensor<2x16xf16, #blocked>>
    tt.store %q, %a : !tt.ptr<tensor<2x16xf16, #blocked>>
    tt.return
  }

  // COM: A block pointer without uses disappears.
  // CHECK-LABEL: @dead
  // CHECK-NEXT: llvm.return
  tt.func @dead(%p: !tt.ptr<tensor<2x16xf16, #blocked>>, %x: i32) {
    %q = tt.advance %p, [%x, %x] : <tensor<2x16xf16, #blocked>>
    tt.return
  }

  // CHECK-LABEL: @unchecked
  // CHECK-NOT: llvm.icmp
  // CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr<1> -> f16
  tt.func @unchecked(%p: !tt.ptr<tensor<2x16xf16, #blocked>>) -> tensor<2x16xf16, #blocked> {
    %a = tt.load %p : !tt.ptr<tensor<2x16xf16, #blocked>>
    tt.return %a : tensor<2x16xf16, #blocked>
  }

  // COM: 0x7F, an integer here, is NaN of both kinds of 8-bit floats.
  // CHECK-LABEL: @nan_of_8_bits
  // CHECK: %[[NAN:.*]] = llvm.mlir.constant(127 : i8) : i8
  // CHECK: triton_gen.predicated_load %{{.*}}, %{{.*}}, %{{.*}}, %[[NAN]]
  tt.func @nan_of_8_bits(%p: !tt.ptr<tensor<2x16xf8E4M3FN, #blocked>>) -> tensor<2x16xf8E4M3FN, #blocked> {
    %a = tt.load %p {boundaryCheck = array<i32: 0>, padding = 2 : i32} : !tt.ptr<tensor<2x16xf8E4M3FN, #blocked>>
    tt.return %a : tensor<2x16xf8E4M3FN, #blocked>
  }
}
