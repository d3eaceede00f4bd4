// RUN: not dotload-opt %S/Inputs/no_kernel.mlir --stage=ttgir --target=cuda:90 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: {{^}}{{.*}}no_kernel.mlir:1:1: error: the module has no kernel (a public tt.func){{$}}
// NONE-NOT: {{.}}
// RUN: dotload-opt %S/Inputs/no_kernel.mlir --stage=ttir --target=cuda:90 | FileCheck %s --check-prefix=TTIR
// TTIR: module

// RUN: dotload-opt %s --stage=ttgir --target=cuda:90 | FileCheck %s --check-prefix=TTGIR
// TTGIR: tt.func public @first
// TTGIR: tt.func @"the second"
// RUN: not dotload-opt %s --stage=ptx --target=cuda:90 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: {{^}}{{.*}}stage_kernels.mlir:1:1: error: Triton compiles one kernel at a time; the module has @first, @"the second"{{$}}
// SEVERAL-NOT: {{.}}
tt.func public @first() { tt.return }
tt.func @"the second"() { tt.return }
tt.func private @helper() attributes {noinline = true} { tt.return }
