// RUN: not dotload-reduce %s --timeout nan -- cat 2>&1 | FileCheck %s
// RUN: not dotload-reduce %s --timeout=-1 -- cat 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// CHECK:    dotload-reduce: error: argument --timeout: 'nan' is not a number of seconds
// NEGATIVE: dotload-reduce: error: argument --timeout: '-1' is not a number of seconds
module {}
