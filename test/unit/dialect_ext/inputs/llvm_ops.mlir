llvm.func @callee(!llvm.ptr {llvm.byval = i32}, ...) -> i32
llvm.mlir.global external @shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
llvm.func @memory(%p: !llvm.ptr, %g: !llvm.ptr<1>, %i: i32, %j: i64, %f: f32, %m: vector<4xi1>, %v: vector<4xf32>) {
  %0 = llvm.load volatile %g {alignment = 4 : i64} : !llvm.ptr<1> -> vector<4xf32>
  %1 = llvm.load %p atomic syncscope("agent") acquire {alignment = 4 : i64} : !llvm.ptr -> i32
  %2 = llvm.load %p invariant {nontemporal} : !llvm.ptr -> i32
  llvm.store volatile %i, %p {alignment = 4 : i64, nontemporal} : i32, !llvm.ptr
  llvm.store %i, %p atomic monotonic {alignment = 4 : i64} : i32, !llvm.ptr
  %3 = llvm.atomicrmw volatile fadd %g, %f syncscope("agent-one-as") acq_rel {alignment = 4 : i64} : !llvm.ptr<1>, f32
  %4 = llvm.atomicrmw _and %p, %i seq_cst : !llvm.ptr, i32
  %5 = llvm.cmpxchg weak volatile %g, %j, %j syncscope("device") seq_cst acquire {alignment = 8 : i64} : !llvm.ptr<1>, i64
  %6 = llvm.extractvalue %5[1] : !llvm.struct<(i64, i1)>
  llvm.fence syncscope("workgroup") release
  %7 = llvm.getelementptr inbounds %p[0, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(i32, f32)>
  %8 = llvm.getelementptr inbounds|nuw %p[%j, 3] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x i32>
  %9 = llvm.getelementptr nusw %p[%i] : (!llvm.ptr, i32) -> !llvm.ptr, i8
  %10 = llvm.intr.masked.load %p, %m, %v {alignment = 16 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  %11 = llvm.alloca %i x i32 : (i32) -> !llvm.ptr
  llvm.intr.lifetime.start %11 : !llvm.ptr
  llvm.intr.lifetime.end %11 : !llvm.ptr
  llvm.return
}
llvm.func @arithmetic(%p: !llvm.ptr, %i: i32, %j: i64, %f: f32, %h: f16, %c: i1, %m: vector<4xi1>, %v: vector<4xf32>) {
  %0 = llvm.icmp "eq" %p, %p : !llvm.ptr
  %1 = llvm.fcmp "une" %v, %v {fastmathFlags = #llvm.fastmath<nnan>} : vector<4xf32>
  %2 = llvm.fcmp "_true" %f, %f : f32
  %3 = llvm.select %m, %v, %v : vector<4xi1>, vector<4xf32>
  %4 = llvm.uitofp nneg %i : i32 to f32
  %5 = llvm.trunc %j overflow<nsw> : i64 to i32
  %6 = llvm.fptrunc %f {fastmathFlags = #llvm.fastmath<fast>} : f32 to f16
  %7 = llvm.fpext %h : f16 to f32
  %8 = llvm.inline_asm has_side_effects asm_dialect = att operand_attrs = [] "mov.u32 $0, 0x0;", "=r"  : () -> i32
  %9 = llvm.inline_asm tail_call_kind = <tail> "foo $0, $1", "=r,r" %i : (i32) -> i32
  llvm.inline_asm has_side_effects "nop", ""  : () -> ()
  %10 = llvm.intr.fmuladd(%v, %v, %v) {fastmathFlags = #llvm.fastmath<contract>} : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  %11 = llvm.intr.rint(%f) : (f32) -> f32
  %12 = llvm.intr.maximum(%f, %f) {fastmathFlags = #llvm.fastmath<nnan>} : (f32, f32) -> f32
  %13 = llvm.intr.ldexp(%f, %i) : (f32, i32) -> f32
  %14 = llvm.intr.frexp(%f) : (f32) -> !llvm.struct<(f32, i32)>
  %15 = llvm.intr.lround(%f) : (f32) -> i32
  %16 = llvm.intr.fshl(%i, %i, %i) : (i32, i32, i32) -> i32
  %17 = llvm.intr.uadd.sat(%i, %i) : (i32, i32) -> i32
  %18 = llvm.intr.bitreverse(%i) : (i32) -> i32
  %19 = llvm.intr.vector.reduce.fmax(%v) : (vector<4xf32>) -> f32
  %20 = llvm.intr.expect %c, %c : i1
  llvm.intr.assume %c : i1
  llvm.return
}
llvm.func @control(%i: i32, %c: i1) {
  llvm.cond_br %c weights([5, 10]), ^bb1(%i : i32), ^bb2
^bb1(%x: i32):
  llvm.switch %i : i32, ^bb1(%x : i32) [
    1: ^bb1(%i : i32),
    -2: ^bb2
  ] {branch_weights = array<i32: 1, 2, 3>}
^bb2:
  llvm.br ^bb3 {loop_annotation = #llvm.loop_annotation<mustProgress = true>}
^bb3:
  llvm.intr.trap
  llvm.unreachable
}
