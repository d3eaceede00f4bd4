// RUN: dotload-reduce %s --contains 'Often' -- grep -v // {} | FileCheck %s

// COM: libtriton reads any attribute of a dialect that it does not know, dotload reads known attributes only. A module
// COM: that one of them cannot read is reduced line by line.
// CHECK-NOT: {{[^ ]}}
// CHECK:     llvm.call @g(%{{.}}) {triton_gen.DecorationCacheControlINTEL = {{.*}}Often{{.*}}
// CHECK-NOT: {{[^ ]}}
llvm.func @f(%p: !llvm.ptr<1>) {
  llvm.call @g(%p) {triton_gen.DecorationCacheControlINTEL = #triton_gen.decoration_cache_control<#triton_gen.store_cache_control<0, Often, 0>>} : (!llvm.ptr<1>) -> ()
  llvm.return
}
llvm.func @g(!llvm.ptr<1>)
