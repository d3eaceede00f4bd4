// RUN: dotload-opt %s --convert-staged-operands-to-llvm --split-input-file | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [16, 2], warpsPerCTA = [2, 1], order = [1, 0]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 16], [16, 0]]}, alignment = 16>
#words = #ttg.linear<{register = [[1, 0], [2, 0], [0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [4, 0], [8, 0]], warp = [[16, 0]], block = []}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Bits 0 to 2 of the thread index are columns 4, 8, 16: offsets in bytes. Bits 3, 4 and the warp are rows 4, 8, 16
// COM: of 32 bytes: offsets 128, 256, 512. Row 8 is swizzled: bit 4 flips offset 16 as well.
// CHECK-LABEL: @bits_of_the_thread_that_move_alike_move_together
// CHECK-DAG:     %[[C16:.*]] = arith.constant 16 : i32
// CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : i32
// CHECK-DAG:     %[[C28:.*]] = arith.constant 28 : i32
// CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : i32
// CHECK-DAG:     %[[C896:.*]] = arith.constant 896 : i32
// CHECK:         %[[BASE:.*]] = llvm.extractvalue %{{.*}}[0] : !llvm.struct<(ptr<3>, i32, i32)>
// CHECK:         %[[T:.*]] = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"
// CHECK-NEXT:    %[[SWIZZLE:.*]] = arith.andi %[[T]], %[[C16]]
// CHECK-NEXT:    %[[T2:.*]] = arith.shli %[[T]], %[[C2]]
// CHECK-NEXT:    %[[COLUMN:.*]] = arith.andi %[[T2]], %[[C28]]
// CHECK-NEXT:    %[[SUM:.*]] = arith.xori %[[SWIZZLE]], %[[COLUMN]]
// CHECK-NEXT:    %[[T4:.*]] = arith.shli %[[T]], %[[C4]]
// CHECK-NEXT:    %[[ROW:.*]] = arith.andi %[[T4]], %[[C896]]
// CHECK-NEXT:    %[[AT:.*]] = arith.xori %[[SUM]], %[[ROW]]
// CHECK-NEXT:    %[[P:.*]] = llvm.getelementptr %[[BASE]][%[[AT]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
// CHECK-NEXT:    llvm.load %[[P]]
// COM: Rows 1 to 3 of 32 bytes: address bits that the thread index does not affect.
// CHECK-NEXT:    %[[P1:.*]] = llvm.getelementptr %[[P]][32] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
// CHECK-NEXT:    llvm.load %[[P1]]
// CHECK-NEXT:    %[[P2:.*]] = llvm.getelementptr %[[P]][64]
// CHECK-NEXT:    llvm.load %[[P2]]
// CHECK-NEXT:    %[[P3:.*]] = llvm.getelementptr %[[P]][96]
// CHECK-NEXT:    llvm.load %[[P3]]
tt.func @bits_of_the_thread_that_move_alike_move_together(%t: tensor<32x32xi8, #blocked>) -> tensor<32x32xi8, #words> {
  %raw = ttg.local_alloc %t : (tensor<32x32xi8, #blocked>) -> !ttg.memdesc<32x32xi8, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<32x32xi8, #raw, #smem> -> tensor<32x32xi8, #words>
  tt.return %v : tensor<32x32xi8, #words>
}

}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#raw = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 32], [2, 64], [4, 0]]}, alignment = 16>
#words = #ttg.linear<{register = [[1, 0], [2, 0], [0, 1], [0, 2], [4, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [], block = []}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// COM: Row 1 lies at 128 ^ 32, row 2 at 256 ^ 64. The thread index affects address bits 2 to 6, so 32 and 64 must be
// COM: XORed, whereas 128 and 256 may be added. Row 4, at 512, is addressed from the pointer of row 0, row 5 from that
// COM: of row 1.
// CHECK-LABEL: @constants_cross_the_bits_of_lanes
// CHECK-DAG:     %[[C32:.*]] = arith.constant 32 : i32
// CHECK-DAG:     %[[C64:.*]] = arith.constant 64 : i32
// CHECK-DAG:     %[[C96:.*]] = arith.constant 96 : i32
// CHECK:         %[[BASE:.*]] = llvm.extractvalue %{{.*}}[0] : !llvm.struct<(ptr<3>, i32, i32)>
// CHECK:         %[[AT:.*]] = arith.andi
// CHECK-NEXT:    %[[P:.*]] = llvm.getelementptr %[[BASE]][%[[AT]]]
// CHECK-NEXT:    llvm.load %[[P]]
// CHECK-NEXT:    %[[X1:.*]] = arith.xori %[[AT]], %[[C32]]
// CHECK-NEXT:    %[[NEAR1:.*]] = llvm.getelementptr %[[BASE]][%[[X1]]]
// CHECK-NEXT:    %[[P1:.*]] = llvm.getelementptr %[[NEAR1]][128]
// CHECK-NEXT:    llvm.load %[[P1]]
// CHECK-NEXT:    %[[X2:.*]] = arith.xori %[[AT]], %[[C64]]
// CHECK-NEXT:    %[[NEAR2:.*]] = llvm.getelementptr %[[BASE]][%[[X2]]]
// CHECK-NEXT:    %[[P2:.*]] = llvm.getelementptr %[[NEAR2]][256]
// CHECK-NEXT:    llvm.load %[[P2]]
// CHECK-NEXT:    %[[X3:.*]] = arith.xori %[[AT]], %[[C96]]
// CHECK-NEXT:    %[[NEAR3:.*]] = llvm.getelementptr %[[BASE]][%[[X3]]]
// CHECK-NEXT:    %[[P3:.*]] = llvm.getelementptr %[[NEAR3]][384]
// CHECK-NEXT:    llvm.load %[[P3]]
// CHECK-NOT:     arith.xori
// CHECK:         %[[P4:.*]] = llvm.getelementptr %[[P]][512]
// CHECK-NEXT:    llvm.load %[[P4]]
// CHECK-NEXT:    %[[P5:.*]] = llvm.getelementptr %[[NEAR1]][640]
// CHECK-NEXT:    llvm.load %[[P5]]
// CHECK-NOT:     arith.xori
// CHECK:         tt.return
tt.func @constants_cross_the_bits_of_lanes(%t: tensor<8x128xi8, #blocked>) -> tensor<8x128xi8, #words> {
  %raw = ttg.local_alloc %t : (tensor<8x128xi8, #blocked>) -> !ttg.memdesc<8x128xi8, #raw, #smem>
  %v = ttg.local_load %raw {dotload.staged = "fragments"} : !ttg.memdesc<8x128xi8, #raw, #smem> -> tensor<8x128xi8, #words>
  tt.return %v : tensor<8x128xi8, #words>
}

}
