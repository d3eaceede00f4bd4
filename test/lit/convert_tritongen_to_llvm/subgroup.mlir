// RUN: dotload-opt -convert-tritongen-to-llvm -split-input-file %s | FileCheck %s

// CHECK: llvm.func spir_funccc @_Z30intel_sub_group_block_read_us8PU3AS3t(!llvm.ptr<3>) -> vector<8xi16> attributes {memory_effects = #llvm.memory_effects<other = none, argMem = read, {{.*}}>, no_unwind, will_return}
// CHECK-LABEL: llvm.func @block_accesses
// CHECK: %[[V:.*]] = llvm.call spir_funccc @_Z30intel_sub_group_block_read_us8PU3AS3t(%arg0)
// CHECK: llvm.call spir_funccc @_Z31intel_sub_group_block_write_us8PU3AS3tDv8_t(%arg0, %[[V]])
// CHECK: llvm.call spir_funccc @_Z29intel_sub_group_block_read_uiPU3AS1j(%arg1)
llvm.func @block_accesses(%local: !llvm.ptr<3>, %global: !llvm.ptr<1>) {
  %0 = triton_gen.sub_group_block_read %local : !llvm.ptr<3> -> vector<8xi16>
  triton_gen.sub_group_block_write %local, %0 : !llvm.ptr<3>, vector<8xi16>
  %1 = triton_gen.sub_group_block_read %global : !llvm.ptr<1> -> i32
  llvm.return
}

// -----

// CHECK-LABEL: llvm.func @predicated
// CHECK: llvm.call spir_funccc @llvm.genx.GenISA.PredicatedLoad.i32.p1i32.i32(%arg0, %arg1, %arg2, %arg3)
// CHECK: llvm.call spir_funccc @llvm.genx.GenISA.PredicatedStore.p1i32.i32(%arg0, %arg3, %arg1, %arg2)
llvm.func @predicated(%ptr: !llvm.ptr<1>, %alignment: i64, %predicate: i1, %default: i32) {
  %0 = triton_gen.predicated_load %ptr, %alignment, %predicate, %default {cache_control = Default} : (!llvm.ptr<1>, i64, i1, i32) -> i32
  triton_gen.predicated_store %ptr, %default, %alignment, %predicate {cache_control = Default} : (!llvm.ptr<1>, i32, i64, i1)
  llvm.return
}

// -----

// COM: The constant 272: sequentially consistent (16), work-group memory (256).
// CHECK-LABEL: llvm.func @barriers
// CHECK: %[[ALL:.*]] = llvm.mlir.constant(272 : i32) : i32
// CHECK: llvm.call spir_funccc @_Z22__spirv_ControlBarrieriii(%{{.*}}, %{{.*}}, %[[ALL]]) {convergent,
// CHECK: llvm.call spir_funccc @_Z33__spirv_ControlBarrierArriveINTELiii(
// CHECK: llvm.call spir_funccc @_Z31__spirv_ControlBarrierWaitINTELiii(
llvm.func @barriers() {
  triton_gen.barrier {mem_fence=Local}
  triton_gen.split_barrier_signal {mem_fence=None, mem_scope=WorkGroup}
  triton_gen.split_barrier_wait {mem_fence=None, mem_scope=WorkGroup}
  llvm.return
}

// -----

// CHECK-LABEL: llvm.func @rounded
// CHECK: llvm.call spir_funccc @_Z25__spirv_RoundFToTF32INTELf(%arg0)
llvm.func @rounded(%x: f32) {
  %0 = triton_gen.f_to_tf32 %x : f32
  llvm.return
}
