// RUN: dotload-opt %s --split-input-file | FileCheck %s
// RUN: dotload-opt %s --split-input-file | dotload-opt --split-input-file | FileCheck %s

// COM: Attributes and types of dialects that no one here knows are kept as they are, whatever stands between brackets.
// CHECK: a.angle = #bar<foo<x, [y]> + {z} -> "w>">
// CHECK-SAME: a.pretty = #bar.foo<"text">
// CHECK-SAME: a.text = #bar<"text">
// CHECK-SAME: a.type = !bar<"te\22xt">
module attributes {a.text = #bar<"text">, a.type = !bar<"te\22xt">, a.angle = #bar<foo<x, [y]> + {z} -> "w>">, a.pretty = #bar.foo<"text">} {
  // CHECK: tt.func @parameter(%p: !tt.ptr<tensor<8x16xf16>>, %x: i32 {bar.attr = #bar<>})
  tt.func @parameter(%p: !tt.ptr<tensor<8x16xf16>>, %x: i32 {bar.attr = #bar<>}) {
    // CHECK: ttig.prefetch {{.*}}bar.attr = #bar<"x">
    ttig.prefetch %p {cache = 1 : i32, evict = 1 : i32, isVolatile = false, bar.attr = #bar<"x">} : !tt.ptr<tensor<8x16xf16>>
    tt.return
  }
}

// -----

// COM: Aliases within such text, which are not printed again. In a string there is none.
#file = #llvm.di_file<"a.py" in "/x">
!element = !bar<"type">
// CHECK: a.late = #bar<7 : i32>
// CHECK-SAME: a.string = #bar<"#file">
// CHECK-SAME: a.type = #bar<x = !bar<"type">>
// CHECK-SAME: a.unit = #llvm.di_compile_unit<id = distinct[0]<>, file = #llvm.di_file<"a.py" in "/x">>
module attributes {a.unit = #llvm.di_compile_unit<id = distinct[0]<>, file = #file>, a.type = #bar<x = !element>, a.string = #bar<"#file">, a.late = #bar<#late>} {
  tt.func @f(%p: !tt.ptr<tensor<8x16xf16>>) {
    ttig.prefetch %p {cache = 1 : i32, evict = 1 : i32, isVolatile = false} : !tt.ptr<tensor<8x16xf16>>
    tt.return
  }
}
#late = 7 : i32
