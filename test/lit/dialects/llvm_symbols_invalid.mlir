// RUN: dotload-opt %s --split-input-file --verify-diagnostics

// COM: An attribute of ttig keeps a module out of libtriton.
module attributes {ttig.support_2d_block_io} {
  llvm.func @address() -> !llvm.ptr {
    // expected-error @+1 {{'llvm.mlir.addressof' op must reference a global or a function, but 'nothing' is none}}
    %0 = llvm.mlir.addressof @nothing : !llvm.ptr
    llvm.return %0 : !llvm.ptr
  }
}

// -----

module attributes {ttig.support_2d_block_io} {
  llvm.func @callee(i32)
  llvm.func @too_few() {
    // expected-error @+1 {{'llvm.call' op incorrect number of operands (0) for callee (expecting: 1)}}
    llvm.call @callee() : () -> ()
    llvm.return
  }
}

// -----

module attributes {ttig.support_2d_block_io} {
  llvm.func @callee(i32)
  llvm.func @other_type(%x: i64) {
    // expected-error @+1 {{'llvm.call' op operand type mismatch for operand 0: i64 != i32}}
    llvm.call @callee(%x) : (i64) -> ()
    llvm.return
  }
}

// -----

module attributes {ttig.support_2d_block_io} {
  llvm.func @callee(i32)
  llvm.func @other_result(%x: i32) {
    // expected-error @+1 {{'llvm.call' op the callee returns nothing, but the call has results of i32}}
    %0 = llvm.call @callee(%x) : (i32) -> i32
    llvm.return
  }
}

// -----

module attributes {ttig.support_2d_block_io} {
  llvm.func @no_value() -> i32 {
    // expected-error @+1 {{'llvm.return' op the function (@no_value) returns i32, but this returns nothing}}
    llvm.return
  }
}

// -----

module attributes {ttig.support_2d_block_io} {
  llvm.func @a_value(%x: i32) {
    // expected-error @+1 {{'llvm.return' op the function (@a_value) returns nothing, but this returns i32}}
    llvm.return %x : i32
  }
}

// -----

// COM: None of these is wrong.
module attributes {ttig.support_2d_block_io} {
  llvm.mlir.global internal @number(1 : i32) : i32
  llvm.mlir.global internal @made() : i32 {
    %0 = llvm.mlir.constant(1 : i32) : i32
    llvm.return %0 : i32
  }
  llvm.func @variadic(i32, ...) -> i32
  llvm.func @calls(%x: i32) -> i32 {
    %0 = llvm.mlir.addressof @number : !llvm.ptr
    %1 = llvm.mlir.addressof @calls : !llvm.ptr
    %2 = llvm.call @variadic(%x, %0) vararg(!llvm.func<i32 (i32, ...)>) : (i32, !llvm.ptr) -> i32
    %3 = llvm.call %1(%x) : !llvm.ptr, (i32) -> i32
    llvm.return %3 : i32
  }
}
