"""Runs in the environment of triton-xpu: counts the 2D block reads that its backend emits for each module of a file.

python intel_messages_worker.py MODULES.json    prints a list of counts; 0 also for what the backend cannot lower
"""

from __future__ import annotations

import json
import os
import sys
import tempfile

from triton._C.libtriton import intel, ir, passes
from triton.backends.intel.compiler import XPUOptions


def count(text: str) -> int:
    """The block reads in the LLVM dialect, before LLVM's own optimisations."""
    context = ir.context()
    ir.load_dialects(context)
    intel.load_dialects(context)
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        module = ir.parse_mlir_module(file.name, context)
    module.context = context
    options = XPUOptions()
    manager = ir.pass_manager(context)
    passes.convert.add_scf_to_cf(manager)
    passes.convert.add_index_to_llvmir(manager)
    passes.ttgpuir.add_allocate_shared_memory(manager)
    intel.passes.ttgpuir.add_to_llvmir(manager, options.advanced_path, options.one_matrix_per_load_for_bt)
    manager.run(module)
    return sum("llvm.call" in line and "2d_block_read" in line for line in str(module).split("\n"))


def count_in_child(text: str) -> int:
    """`count` in a child process, since an assertion may end the process."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            os.write(writer, str(count(text)).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return int(answer or 0)


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        print(json.dumps([count_in_child(text) for text in json.load(file)]))
