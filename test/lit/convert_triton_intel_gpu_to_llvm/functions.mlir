// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm | FileCheck %s
// RUN: dotload-opt %s --convert-triton-intel-gpu-to-llvm=scratch=false | FileCheck %s --check-prefix=OWN
// RUN: dotload-opt %s --convert-scf-to-cf --convert-triton-intel-gpu-to-llvm | FileCheck %s --check-prefix=BLOCKS

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [16], warpsPerCTA = [2], order = [0]}>
module attributes {"ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 16 : i32, ttig.support_2d_block_io} {
  // COM: A function that is not private is a kernel and gets two more pointers; attributes of the function stay.
  // CHECK: llvm.func spir_kernelcc @kernel(%arg0: !llvm.ptr<3>, %arg1: !llvm.ptr<1>, %arg2: !llvm.ptr<1>) attributes {intel_reqd_sub_group_size = 16 : i32, noinline = false, triton_gen.max_work_group_size = array<i32: 32, 1, 1>}
  // OWN: llvm.func spir_kernelcc @kernel(%arg0: !llvm.ptr<3>) attributes
  tt.func @kernel(%local: !tt.ptr<f32, 3>) attributes {noinline = false} {
    tt.return
  }

  // CHECK: llvm.func internal spir_funccc @helper(%arg0: f32, %arg1: !llvm.ptr<3>, %arg2: !llvm.ptr<1>, %arg3: !llvm.ptr<1>) -> f32
  // OWN: llvm.func internal spir_funccc @helper(%arg0: f32) -> f32
  tt.func private @helper(%x: f32) -> f32 {
    tt.return %x : f32
  }

  // COM: Blocks carry tensors as structs. A value that one block unpacks is not available in the next.
  // BLOCKS-LABEL: llvm.func spir_kernelcc @loop(
  // BLOCKS:      llvm.br ^[[HEAD:bb[0-9]+]](%{{.*}}, %arg1 : i32, !llvm.struct<(f32)>)
  // BLOCKS:      ^[[HEAD]](%[[I:.*]]: i32, %[[SUM:.*]]: !llvm.struct<(f32)>):
  // BLOCKS:      %[[MORE:.*]] = llvm.icmp "slt" %[[I]], %arg0 : i32
  // BLOCKS:      llvm.cond_br %[[MORE]], ^[[BODY:bb[0-9]+]], ^[[END:bb[0-9]+]]
  // BLOCKS:      ^[[BODY]]:
  // BLOCKS:      llvm.extractvalue %[[SUM]][0] : !llvm.struct<(f32)>
  // BLOCKS:      llvm.br ^[[HEAD]](
  // BLOCKS:      ^[[END]]:
  // BLOCKS:      %[[X:.*]] = llvm.extractvalue %[[SUM]][0] : !llvm.struct<(f32)>
  // BLOCKS:      llvm.store %[[X]], %{{.*}} : f32, !llvm.ptr<1>
  tt.func @loop(%n: i32, %x: tensor<32xf32, #blocked>, %p: tensor<32x!tt.ptr<f32>, #blocked>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %x) -> (tensor<32xf32, #blocked>) : i32 {
      %s = arith.addf %sum, %sum : tensor<32xf32, #blocked>
      scf.yield %s : tensor<32xf32, #blocked>
    }
    tt.store %p, %r : tensor<32x!tt.ptr<f32>, #blocked>
    tt.return
  }

  // CHECK-LABEL: @launch
  // CHECK: llvm.call spir_funccc @_Z14get_num_groupsj(%{{.*}}) {{.*}}memory_effects = #llvm.memory_effects<other = none, argMem = none
  // CHECK: triton_gen.barrier {mem_fence = Local}
  tt.func @launch() -> i32 {
    %0 = tt.get_num_programs x : i32
    gpu.barrier
    tt.return %0 : i32
  }
}
