"""The bridge: modules keep their content and locations both ways, and their text follows MLIR's grammar."""

from __future__ import annotations

import pytest
from triton._C.libtriton import ir
from triton.compiler.compiler import make_backend
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FileLineColLoc,
    FloatAttr,
    IntAttr,
    ModuleOp,
    NameLoc,
    StringAttr,
    TensorType,
    UnitAttr,
    f32,
)
from xdsl.printer import Printer
from xdsl.utils.lexer import Input

from dotload.dialect_ext.encodings import BlockedEncoding, NvidiaMmaEncoding
from dotload.dialect_ext.lexer import Lexer
from dotload.dialect_ext.xdsl_private import OpenParser
from dotload.passes import remarks
from dotload.plugin import bridge, generic
from dotload.plugin.generic.reader import expand_aliases

KERNELS = ("compile_gemm", "compile_copy", "compile_medley", "compile_gluon")


def modules(kernels, name: str) -> list:
    """The modules that a kernel's stages end with."""
    context = ir.context()
    ir.load_dialects(context)
    make_backend(kernels.HOPPER).load_dialects(context)
    asm = getattr(kernels, name)().asm
    return [bridge.from_text(asm[form], context) for form in ("ttir", "glir", "ttgir") if form in asm]


@pytest.mark.parametrize("name", KERNELS)
def test_a_round_trip_changes_nothing(kernels, name: str) -> None:
    for module in modules(kernels, name):
        before = str(module)
        back = bridge.from_xdsl(bridge.to_xdsl(module), module.context)
        assert str(back) == before
        assert back.verify()
        assert str(module) == before, "the module that crossed stays as it was"
        assert module.verify()


def test_a_module_is_whole_where_it_cannot_be_printed(kernels) -> None:
    """Printing sets an attribute that fails verification; it is removed again even if printing raises."""

    class Broken:
        def __init__(self, module):
            self._module, self.calls = module, 0

        def __getattr__(self, name):
            return getattr(self._module, name)

        def set_attr(self, name, value):
            self.calls += 1
            if self.calls == 2:
                raise KeyboardInterrupt
            self._module.set_attr(name, value)

    module = modules(kernels, "compile_gemm")[-1]
    before = str(module)
    with pytest.raises(KeyboardInterrupt):
        bridge.to_xdsl(Broken(module))
    assert str(module) == before
    assert module.verify()


def test_what_a_loop_carries_keeps_its_location(kernels) -> None:
    """MLIR's pretty form cannot hold this location."""
    module = modules(kernels, "compile_gemm")[-1]
    carried = bridge.to_xdsl(module)
    loop = next(op for op in carried.walk() if op.name == "scf.for")
    places = [FileLineColLoc(StringAttr("kernel.py"), IntAttr(1), IntAttr(c)) for c in range(len(loop.body.block.args))]
    for argument, place in zip(loop.body.block.args, places, strict=True):
        argument.location = place
    again = bridge.to_xdsl(bridge.from_xdsl(carried, module.context))
    loop = next(op for op in again.walk() if op.name == "scf.for")
    assert [argument.location for argument in loop.body.block.args] == places


def test_numbers_that_are_written_as_bits(kernels) -> None:
    """-inf and NaN, also if an attribute is rebuilt from their bytes."""
    source = """#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
        module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
        tt.func @bits() -> (tensor<128xf32, #blocked>, tensor<128xf32, #blocked>) {
          %inf = arith.constant dense<0xFF800000> : tensor<128xf32, #blocked>
          %nan = arith.constant dense<0x7FC00000> : tensor<128xf32, #blocked>
          tt.return %inf, %nan : tensor<128xf32, #blocked>, tensor<128xf32, #blocked>
        } }"""
    context = modules(kernels, "compile_gemm")[-1].context
    module = bridge.to_xdsl(bridge.from_text(source, context))
    for op in module.walk():
        if op.name == "arith.constant":
            op.properties["value"] = DenseIntOrFPElementsAttr(op.results[0].type, op.properties["value"].data)
    back = str(bridge.from_xdsl(module, context))
    assert "dense<0xFF800000>" in back
    assert "dense<0x7FC00000>" in back


@pytest.mark.parametrize("name", KERNELS)
def test_the_short_cuts_read_what_xdsl_reads(kernels, name: str) -> None:
    for module in modules(kernels, name):
        fast = bridge.to_xdsl(module)
        text, locations = expand_aliases(bridge.text_of(fast))
        for alias, location in locations.items():
            text = text.replace(f"loc({alias})", f"loc({location})")
        slow = OpenParser(bridge.xdsl_context(), Lexer(Input(text, "-"))).parse_module()
        assert fast.is_structurally_equivalent(slow)
        assert [str(a.location) for a in fast.walk()] == [str(b.location) for b in slow.walk()]


def test_operations_carry_the_lines_of_the_kernel(kernels) -> None:
    module = bridge.to_xdsl(modules(kernels, "compile_gemm")[-1])
    with open(kernels.__file__) as file:
        lines = file.read().splitlines()
    loads = [op for op in module.walk() if kernels.op_name(op) in ("tt.load", "ttg.async_copy_global_to_local")]
    assert loads
    for op in loads:
        path, line, _ = remarks.where(op).rsplit(":", 2)
        assert path == kernels.__file__
        assert "tl.load(" in lines[int(line) - 1]


def test_types_of_dialect_ext_arrive_structured(kernels) -> None:
    module = bridge.to_xdsl(modules(kernels, "compile_gemm")[-1])
    results = [result.type for op in module.walk() for result in op.results]
    encodings = {type(tensor.encoding) for tensor in results if isinstance(tensor, TensorType)}
    assert BlockedEncoding in encodings
    assert NvidiaMmaEncoding in encodings


def parse(text: str) -> ModuleOp:
    return generic.parse(text, bridge.xdsl_context(), generic.Memo())


def module_of(body: str, tail: str = "") -> str:
    return f'"builtin.module"() ({{\n{body}}}) : () -> () loc(#loc)\n#loc = loc(unknown)\n{tail}'


def test_aliases_in_strings_are_not_aliases() -> None:
    text = "#blocked = 42 : i32\n" + module_of('  "test.op"() <{a = "#blocked", b = #blocked}> : () -> () loc(#loc)\n')
    (op,) = parse(text).body.block.ops
    assert op.properties["a"].data == "#blocked"
    assert op.properties["b"].value.data == 42


def test_locations_of_every_kind() -> None:
    aliases = {
        "#loc1": 'loc("a b.py":3:7)',
        "#loc2": 'loc("x"(#loc1))',
        "#loc3": "loc(callsite(#loc2 at #loc1))",
        "#loc4": 'loc(fused<"meta (">[#loc1, #loc2])',
        "#loc5": 'loc("q\\"uote.py":1:1)',
        "#loc6": 'loc("bare")',
        "#loc7": 'loc("y"("bare"))',
        "#loc8": 'loc("z"(#loc4))',
        "#loc9": "loc(callsite(#loc4 at #loc1))",
        "#loc10": r'loc("jos\C3\A9 \22\\\0A.py":1:1)',
        "#loc11": r'loc("\FF.py":1:1)',
    }
    body = "".join(f'  "test.op"() : () -> () loc({name})\n' for name in aliases)
    ops = list(parse(module_of(body, "".join(f"{n} = {v}\n" for n, v in aliases.items()))).body.block.ops)
    assert isinstance(ops[0].location, FileLineColLoc)
    assert isinstance(ops[1].location, NameLoc)
    assert [remarks.where(op) for op in ops[:3]] == ["a b.py:3:7"] * 3
    assert ops[3].location == generic.OpaqueLoc('fused<"meta (">["a b.py":3:7, "x"("a b.py":3:7)]')
    assert ops[7].location == generic.OpaqueLoc('"z"(fused<"meta (">["a b.py":3:7, "x"("a b.py":3:7)])')
    assert isinstance(ops[8].location, generic.OpaqueLoc)
    assert remarks.where(ops[4]) == 'q"uote.py:1:1'
    assert remarks.where(ops[9]) == 'josé "\\\n.py:1:1'
    assert isinstance(ops[10].location, generic.OpaqueLoc)  # not UTF-8
    written = generic.write(ops[0].parent_op(), generic.Memo())
    for spelled in aliases.values():
        if "#" not in spelled:
            assert spelled.replace('\\"', "\\22") in written  # as MLIR writes it


@pytest.mark.parametrize("op", ['"test.op"() {where = loc(#loc1)}', '"test.op"() ({\n}) {where = loc(#loc1)}'])
def test_a_location_in_a_dictionary_is_that_of_its_module(op: str) -> None:
    memo = generic.Memo()
    for file in ("a.py", "b.py"):
        text = module_of(f"{op} : () -> () loc(#loc)", f'#loc1 = loc("{file}":1:2)\n')
        (made,) = generic.parse(text, bridge.xdsl_context(), memo).ops
        assert file in str(made.attributes["where"])


def test_dictionaries_behind_regions_are_remembered() -> None:
    memo, dictionary = generic.Memo(), '{a = 1 : i32, b = "} : ("}'
    text = module_of('"builtin.module"() ({\n}) ' + dictionary + " : () -> () loc(#loc)")
    first, again = (next(iter(generic.parse(text, bridge.xdsl_context(), memo).ops)) for _ in range(2))
    assert dictionary in memo.dictionaries
    assert again.attributes == first.attributes == memo.dictionaries[dictionary]
    assert str(again.attributes["b"]) == '"} : ("'
    del first.attributes["a"]
    assert set(again.attributes) == {"a", "b"}


def test_values_used_before_their_definition() -> None:
    body = """  "test.region"() ({
    "test.use"(%late) : (i32) -> () loc(#loc)
    %late = "test.def"() : () -> i32 loc(#loc)
    %two:2 = "test.two"() : () -> (i32, i64) loc(#loc)
    "test.use"(%two#1, %two#0) {x} : (i64, i32) -> () loc(#loc)
  }) : () -> () loc(#loc)
"""
    written = generic.write(parse(module_of(body)), generic.Memo())
    early, late = (line.split() for line in written.splitlines() if "test.use" in line)
    assert f'{early[0].partition("(")[2].partition(")")[0]} = "test.def"()' in written
    assert late[0].count("#1") == late[1].count("#0") == 1
    assert generic.write(parse(written), generic.Memo()) == written


def test_successors_and_blocks() -> None:
    body = """  "test.region"() ({
    "test.br"()[^bb1] : () -> () loc(#loc)
  ^bb1(%a: i32 loc("a"(#loc)), %b: i64 loc(#loc)):
    "test.br"(%a)[^bb1, ^bb2] <{p = 1 : i32}> : (i32) -> () loc(#loc)
  ^bb2:
    "test.end"() : () -> () loc(#loc)
  }) : () -> () loc(#loc)
"""
    module = parse(module_of(body))
    written = generic.write(module, generic.Memo())
    assert parse(written).is_structurally_equivalent(module)


def test_untouched_dictionaries_are_printed_as_they_came() -> None:
    memo = generic.Memo()
    text = module_of('  "test.op"() <{value = 1.44269502 : f32}> {more = 0xFF800000 : f32} : () -> () loc(#loc)\n')
    module = generic.parse(text, bridge.xdsl_context(), memo)
    assert "<{value = 1.44269502 : f32}> {more = 0xFF800000 : f32}" in generic.write(module, memo)
    (op,) = module.body.block.ops
    op.properties["also"] = UnitAttr()
    assert "also" in generic.write(module, memo)


def test_what_passes_share_is_printed_once_and_what_they_do_not_pushes_nothing_out(monkeypatch) -> None:
    memo = generic.Memo()
    memo.LIMIT = 3
    module = generic.parse(
        module_of('  "test.op"() <{a = 1 : i32}> : () -> () loc(#loc)\n'), bridge.xdsl_context(), memo
    )
    (op,) = module.body.block.ops
    shared = UnitAttr()
    prints = []
    attributes = Printer.print_attr_dict
    monkeypatch.setattr(Printer, "print_attr_dict", lambda self, found: (prints.append(found), attributes(self, found)))
    for _ in range(2):
        op.properties = {"shared": shared}
        assert "<{shared}>" in generic.write(module, memo).replace(" ", "")
    assert len(prints) == 1
    for number in (*range(5), 4):
        op.properties = {"own": StringAttr(str(number))}
        assert f'own = "{number}"' in generic.write(module, memo)
    assert len(prints) == 1 + 5, "what is equal is printed once, too"
    assert len(memo.written) > memo.LIMIT
    memo.trim()
    assert not memo.written
    assert not memo.equal
    assert memo.dictionaries


def test_zeros_keep_their_signs() -> None:
    memo = generic.Memo()
    module = generic.parse(
        module_of('  "test.op"() <{a = 1 : i32}> : () -> () loc(#loc)\n'), bridge.xdsl_context(), memo
    )
    (op,) = module.body.block.ops
    for value, spelled in ((0.0, "0.000000e+00"), (-0.0, "-0.000000e+00")):
        op.properties = {"value": FloatAttr(value, f32)}
        assert f"<{{value = {spelled} : f32}}>" in generic.write(module, memo)


def test_the_memo_starts_over_when_it_is_full() -> None:
    memo = generic.Memo()
    memo.LIMIT = 2
    body = "".join(f'  "test.op"() <{{value = {i} : i32}}> : () -> () loc(#loc)\n' for i in range(5))
    generic.parse(module_of(body), bridge.xdsl_context(), memo)
    assert len(memo.dictionaries) == 5
    generic.parse(module_of(""), bridge.xdsl_context(), memo)
    assert not memo.dictionaries


def test_what_cannot_cross_says_why() -> None:
    context = ir.context()
    ir.load_dialects(context)
    with pytest.raises(bridge.BridgeError, match="MLIR does not accept"):
        bridge.from_text("this is no module", context)
    with pytest.raises(bridge.BridgeError, match="MLIR does not accept"):
        bridge.from_xdsl(parse(module_of('  "tt.no_such_op"() : () -> () loc(#loc)\n')), context)
