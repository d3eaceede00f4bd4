#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func @f(%p: tensor<64x!tt.ptr<f16>, #b>) {
    %0 = tt.load %p : tensor<64x!tt.ptr<f16>, #b>
    tt.return
  }
}
