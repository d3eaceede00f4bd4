// RUN: dotload-opt -convert-tritongen-to-llvm=asserts=true %s | FileCheck %s

// COM: The pitch is a constant, which the verifier has checked: the asserts check width and x only.
// CHECK-DAG: @assertMessage_0("2Dblockprefetch: base width should be >= 64\00")
// CHECK-DAG: llvm.func spir_funccc @__assert_fail(!llvm.ptr<4>, !llvm.ptr<4>, i32, !llvm.ptr<4>)
// CHECK-NOT: base pitch should be a multiple
// CHECK-LABEL: llvm.func @checked
// CHECK:      %[[OK:.*]] = llvm.icmp "uge" %arg1, %{{.*}} : i32
// CHECK-NEXT: llvm.cond_br %[[OK]], ^[[GO:.*]], ^[[FAIL:.*]]
// CHECK:      ^[[FAIL]]:
// CHECK:      llvm.call spir_funccc @__assert_fail(
// CHECK-NEXT: llvm.br ^[[GO]]
// CHECK:      llvm.call spir_funccc @_Z36__spirv_Subgroup2DBlockPrefetchINTEL
llvm.func @checked(%ptr: !llvm.ptr<1>, %w: i32, %x: i32) {
  %h = llvm.mlir.constant(64 : i32) : i32
  %p = llvm.mlir.constant(1024 : i32) : i32
  triton_gen.2Dblockprefetch %ptr, %w, %h, %p, %x, %h {elem_size_in_bits=16, tile_width=16, tile_height=32, v_blocks=2, cache_control=Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
  llvm.return
}

// COM: A loop has one block only: the assert is a branch of its own. Elements of 4 bytes may have any x.
// CHECK-LABEL: llvm.func @checked_in_a_loop
// CHECK:      scf.for
// CHECK:        %[[OK:.*]] = llvm.icmp "uge" %arg1, %{{.*}} : i32
// CHECK:        %[[FAILS:.*]] = llvm.xor %[[OK]], %{{.*}} : i1
// CHECK-NEXT:   scf.if %[[FAILS]] {
// CHECK:          llvm.call spir_funccc @__assert_fail(
// CHECK-NEXT:   {{^ +[}]$}}
// CHECK-NOT:    llvm.and %arg2
// CHECK:        llvm.call spir_funccc @_Z36__spirv_Subgroup2DBlockPrefetchINTEL
llvm.func @checked_in_a_loop(%ptr: !llvm.ptr<1>, %w: i32, %x: i32) {
  %h = llvm.mlir.constant(64 : i32) : i32
  %p = llvm.mlir.constant(1024 : i32) : i32
  scf.for %i = %h to %w step %h : i32 {
    triton_gen.2Dblockprefetch %ptr, %w, %h, %p, %x, %h {elem_size_in_bits=32, tile_width=8, tile_height=32, v_blocks=2, cache_control=Default} : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
  }
  llvm.return
}
