// RUN: dotload-opt %s --pass-pipeline='builtin.module(tt.func(canonicalize{max-iterations=1 region-simplify=aggressive},cse))' | FileCheck %s
// RUN: dotload-opt %s -pass-pipeline="any(canonicalize, cse)" | FileCheck %s
// RUN: dotload-opt %s -p cse,canonicalize | FileCheck %s
// RUN: dotload-opt %s --tritonamdgpu-canonicalize-pointers="enable-large-tensor-ptr-canon=true" -canonicalize | FileCheck %s
// RUN: dotload-opt %s --tritongpu-partition-loops -canonicalize | FileCheck %s
// RUN: not dotload-opt %s -p 'builtin.module(tritonamdgpu-canonicalize-pointers)' 2>&1 | FileCheck %s --check-prefix=NEST

// COM: a flag nests its pass in tt.func if the pass needs that; a pipeline text must spell out the nesting, as for
// COM: triton-opt.
// CHECK-LABEL: tt.func @f
// CHECK-NEXT:    arith.constant 4 : i32
// CHECK-NEXT:    tt.return
// NEST: Can't add pass 'TritonAMDGPUCanonicalizePointers' restricted to 'tt.func' on a PassManager intended to run on 'builtin.module'
tt.func @f() -> i32 {
  %a = arith.constant 2 : i32
  %0 = arith.addi %a, %a : i32
  tt.return %0 : i32
}
