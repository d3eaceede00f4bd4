// RUN: dotload-opt %s --split-input-file --verify-diagnostics

// COM: triton-opt refuses all of these. An attribute of ttig keeps a module out of libtriton.

// expected-error @+1 {{#ttig.dpas has an unexpected key: repeatCounts; known: repeatCount, systolicDepth, executionSize, opsPerChan, fp4KPack, threadsPerWarp, warpsPerCTA, repCluster, A, B, C}}
#mma = #ttig.dpas<{repeatCounts = 8, repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [1, 1]}>

// -----

// expected-error @+1 {{#ttg.blocked has an unexpected key: kWidth}}
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [16], warpsPerCTA = [1], order = [0], kWidth = 2}>
module attributes {ttig.support_2d_block_io} {
}

// -----

module attributes {ttig.support_2d_block_io} {
  tt.func @op_of_ttig(%x: i32) {
    // expected-error @+1 {{unregistered operation 'ttig.unknown' found in dialect ('ttig') that does not allow unknown operations}}
    "ttig.unknown"(%x) : (i32) -> ()
    tt.return
  }
}

// -----

module attributes {ttig.support_2d_block_io} {
  tt.func @op_of_ttg(%x: i32) {
    // expected-error @+1 {{unregistered operation 'ttg.unknown'}}
    %0 = "ttg.unknown"(%x) : (i32) -> i32
    tt.return
  }
}

// -----

module attributes {ttig.support_2d_block_io} {
  // expected-error @+1 {{undefined symbol alias id 'late'; its definition, in line 43, has to stand before its use}}
  tt.func @attribute_defined_later(%x: tensor<16xf32, #late>) {
    tt.return
  }
}
#late = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [16], warpsPerCTA = [1], order = [0]}>

// -----

module attributes {ttig.support_2d_block_io} {
  // expected-error @+1 {{undefined symbol alias id 'never'}}
  tt.func @type_never_defined(%x: !never) {
    tt.return
  }
}

// -----

// COM: Locations may be defined later.
module attributes {ttig.support_2d_block_io} {
  tt.func @location_defined_later(%x: i32) {
    tt.return loc(#late)
  }
}
#late = loc("kernel.py":1:1)

// -----

module attributes {ttig.support_2d_block_io} {
  // expected-error @+1 {{'tt.func' op symbol declaration cannot have public visibility; write tt.func private}}
  tt.func public @declared(i32)
}

// -----

module attributes {ttig.support_2d_block_io} {
  tt.func @batches(%a: tensor<2x16x16xf16>, %b: tensor<4x16x16xf16>, %c: tensor<2x16x16xf32>) {
    // expected-error @+1 {{'tt.dot' op expected the first dimension of operands and result to agree}}
    %0 = tt.dot %a, %b, %c : tensor<2x16x16xf16> * tensor<4x16x16xf16> -> tensor<2x16x16xf32>
    tt.return
  }
}

// -----

module attributes {ttig.support_2d_block_io} {
  tt.func @cast_to_itself(%a: index) {
    // expected-error @+1 {{'arith.index_cast' op index and index are cast incompatible}}
    %0 = arith.index_cast %a : index to index
    tt.return
  }
}

// -----

module attributes {ttig.support_2d_block_io} {
  llvm.func @tags(%c: i1, %p: !llvm.ptr) {
    // expected-error @+1 {{'llvm.intr.assume' op expected 1 operand bundle tags, but actually got 0}}
    "llvm.intr.assume"(%c, %p) <{op_bundle_sizes = array<i32: 1>}> : (i1, !llvm.ptr) -> ()
    llvm.return
  }
}
