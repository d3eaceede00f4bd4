// RUN: dotload-opt %s --convert-tritongen-to-llvm --mlir-print-local-scope -o %t && FileCheck %s < %t
// RUN: dotload-opt %s --convert-tritongen-to-llvm --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: dotload-opt %t --cse | FileCheck %s --check-prefix=AGAIN

// COM: Debug information as Triton writes it with LLVM_EXTRACT_DI_LOCAL_VARIABLES=1; dotload's own parser reads it.
#file = #llvm.di_file<"k.py" in "/">
#int = #llvm.di_basic_type<tag = DW_TAG_base_type, name = "int", sizeInBits = 32, encoding = DW_ATE_signed>
#unit = #llvm.di_compile_unit<id = distinct[0]<>, sourceLanguage = DW_LANG_C, file = #file, isOptimized = true, emissionKind = Full>
#kernel = #llvm.di_subprogram<id = distinct[1]<>, compileUnit = #unit, scope = #file, name = "k", file = #file, line = 1, subprogramFlags = Definition>
#x = #llvm.di_local_variable<scope = #kernel, name = "x", file = #file, line = 2, type = #int>
#label = #llvm.di_label<scope = #kernel, name = "l", file = #file, line = 3>
module attributes {ttig.support_dpas} {
  // CHECK-LABEL: llvm.func @k
  llvm.func @k(%x: i32, %p: !llvm.ptr) {
    // CHECK: llvm.intr.dbg.value #llvm.di_local_variable<{{.*}}name = "x"{{.*}}> = %{{.*}} : i32
    // GENERIC: "llvm.intr.dbg.value"(%{{.*}}) <{varInfo = #llvm.di_local_variable<{{.*}}>}> : (i32) -> ()
    // AGAIN: llvm.intr.dbg.value #{{.*}} = %{{.*}} : i32
    llvm.intr.dbg.value #x = %x : i32
    // CHECK: llvm.intr.dbg.declare #llvm.di_local_variable<{{.*}}> #llvm.di_expression<[DW_OP_deref]> = %{{.*}} : !llvm.ptr
    llvm.intr.dbg.declare #x #llvm.di_expression<[DW_OP_deref]> = %p : !llvm.ptr
    // CHECK: llvm.intr.dbg.label #llvm.di_label<{{.*}}>
    llvm.intr.dbg.label #label
    llvm.return
  }
}
