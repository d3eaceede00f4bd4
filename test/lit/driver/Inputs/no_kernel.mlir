tt.func private @helper() attributes {noinline = true} { tt.return }
