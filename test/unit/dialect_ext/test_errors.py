"""An error in the text is reported in one line with its location, by the lexer, a type rule or a verifier."""

import random
import re
from pathlib import Path

import pytest

from dotload.dialect_ext import parse_module
from dotload.dialect_ext.errors import SourceError

INPUTS = sorted((Path(__file__).parent / "inputs").glob("*.mlir"))
LOAD = "triton_gen.2Dblockload %p, %c64, %c64, %c64, %c0, %c0"
RESULT = "(!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector"
STORE_TYPES = "(!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi16>)"


def tile(bits: int, width: int, height: int, blocks: int, transpose: str = "false", vnni: str = "false") -> str:
    return (
        f"{{elem_size_in_bits = {bits}, tile_width = {width}, tile_height = {height}, v_blocks = {blocks}, "
        f"transpose = {transpose}, vnni_transform = {vnni}, cache_control = Default}}"
    )


# Body of a function -> (line and column within the module, message).
MISTAKES = {
    "%0 = arith.addi %c64, %x : i32": ("6:27", "use of undeclared SSA value name '%x'"),
    "%0 = tt.nothing %c64 : i32": ("6:10", "custom op 'tt.nothing' is unknown"),
    "%0 = tt.load %c64 : i32": ("6:10", "'tt.load' op expected a pointer or a tensor of pointers, got i32"),
    "%0 = tt.get_program_id w : i32": ("6:28", "expected ProgramIDDim to be one of: x, y, z"),
    "%0 = tt.splat %c64 : f32 -> tensor<8xf32>": (
        "6:19",
        "operand is used with type f32, but has been previously used or defined with type i32",
    ),
    "%0 = tt.bitcast %c64 : i32 -> f16": ("6:10", "'tt.bitcast' op Cannot bitcast data-type of size 32 to 16"),
    f"%0 = triton_gen.2Dblockload %p, %c60, %c64, %c64, %c0, %c0 {tile(16, 16, 8, 1)} : {RESULT}<8xi16>": (
        "6:10",
        "'triton_gen.2Dblockload' op 2nd operand (base width) should be >= 64",
    ),
    f"%0 = triton_gen.2Dblockload %p, %c64, %c64, %c72, %c0, %c0 {tile(16, 16, 8, 1)} : {RESULT}<8xi16>": (
        "6:10",
        "'triton_gen.2Dblockload' op 4th operand (base pitch) should be a multiple of 16 bytes",
    ),
    f"%0 = triton_gen.2Dblockload %p, %c80, %c64, %c64, %c0, %c0 {tile(16, 16, 8, 1)} : {RESULT}<8xi16>": (
        "6:10",
        "'triton_gen.2Dblockload' op 4th operand (base pitch) should be >= 2nd operand (base width)",
    ),
    f"%0 = triton_gen.2Dblockload %p, %c64, %c64, %c64, %c1, %c0 {tile(16, 16, 8, 1)} : {RESULT}<8xi16>": (
        "6:10",
        "'triton_gen.2Dblockload' op 5th operand (x) should be a multiple of 2 for 16 bit elements",
    ),
    f"%0 = {LOAD} {tile(16, 32, 8, 2)} : {RESULT}<32xi16>": (
        "6:10",
        "'triton_gen.2Dblockload' op expecting elem_size_in_bits * tile_width * v_blocks <= 512: "
        "tile_width * v_blocks should be less than or equal to 32 for 16 bit elements",
    ),
    f"%0 = {LOAD} {tile(32, 8, 16, 1, 'true', 'true')} : {RESULT}<8xi32>": (
        "6:10",
        "'triton_gen.2Dblockload' op transpose and vnni_transform are mutually exclusive",
    ),
    f"%0 = {LOAD} {tile(16, 16, 8, 1)} : {RESULT}<4xi16>": (
        "6:10",
        "'triton_gen.2Dblockload' op result size of 64 bits does not match the expected size of 128 bits",
    ),
    "%0 = arith.constant dense<0.0> : tensor<8xf32, #ttg.blocked<{order = [0]}>>": (
        "6:64",
        "#ttg.blocked needs 'sizePerThread'",
    ),
    "%0 = arith.constant dense<0.0> : tensor<8xf32, #ttg.slice<{dim = [1], parent = 2}>>": (
        "6:62",
        "#ttg.slice: 'dim' has a value of the wrong kind",
    ),
}


def module_around(line: str) -> str:
    constants = "  ".join(f"%c{n} = arith.constant {n} : i32" for n in (0, 1, 60, 64, 72, 80))
    return (
        'module attributes {"ttg.threads-per-warp" = 16 : i32} {\n'
        "  tt.func @f(%p: !llvm.ptr<1>) {\n\n"
        f"    {constants}\n\n    {line}\n    tt.return\n  }}}}\n"
    ).replace("  }}", "  } }")


@pytest.mark.parametrize(("line", "expected"), MISTAKES.items(), ids=[message for _, message in MISTAKES.values()])
def test_located_message(line: str, expected: tuple[str, str]) -> None:
    with pytest.raises(SourceError) as error:
        parse_module(module_around(line), "kernel.mlir")
    place, message = expected
    assert str(error.value) == f"kernel.mlir:{place}: error: {message}"


# Text from a function's body on -> (line and column, message); what follows is cut off.
REGIONS = {
    "%0 = arith.constant 1 : i32": ("2:30", "expected an operation or '}'"),
    "tt.return }\n  ]": ("3:3", "expected an operation or '}'"),
    "%0 = arith.constant 1 : i32 } }": ("2:8", "'arith.constant' op is the last of its block, but is no terminator"),
    "tt.func @g() {\n  tt.call @h(%x) : (i32) -> () tt.return } tt.return } }": (
        "3:3",
        "'tt.call' op using value defined outside the region",
    ),
}


@pytest.mark.parametrize(("text", "expected"), REGIONS.items(), ids=[message for _, message in REGIONS.values()])
def test_regions_that_are_not_closed_or_not_valid(text: str, expected: tuple[str, str]) -> None:
    with pytest.raises(SourceError) as error:
        parse_module(f"module {{ tt.func @f(%x: i32) {{\n  {text}", "kernel.mlir")
    place, message = expected
    assert str(error.value) == f"kernel.mlir:{place}: error: {message}"


def test_the_same_module_without_a_mistake_is_read() -> None:
    good = f"%0 = {LOAD} {tile(16, 16, 8, 1)} : {RESULT}<8xi16>"
    assert parse_module(module_around(good), "kernel.mlir").ops


def test_dpas_that_cannot_exist() -> None:
    text = INPUTS[0].parent.joinpath("intel_kernel.mlir").read_text().replace("systolicDepth = 8", "systolicDepth = 7")
    with pytest.raises(SourceError, match=r"^k:2:19: error: #ttig.dpas: systolicDepth must be 8, got 7$"):
        parse_module(text, "k")


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
def test_damaged_text_never_crashes(path: Path) -> None:
    """Text with tokens deleted, copied and replaced at random is parsed, or rejected in one line with a location."""
    generator = random.Random(path.stem)
    text = path.read_text()
    tokens = [match.span() for match in re.finditer(r"[\w.%#!@]+|\S", text)]
    messages: list[str] = []
    for _ in range(20):
        (start, end), (other, other_end) = generator.choice(tokens), generator.choice(tokens)
        patch = generator.choice(["", text[other:other_end], "-1 ", "tensor ", '" ', "99999999999999999999 ", "> "])
        try:
            parse_module(text[:start] + patch + text[end:], "kernel.mlir")
        except SourceError as error:
            messages.append(str(error))
    assert len(messages) > 5
    assert [message for message in messages if not re.fullmatch(r"\S+:\d+:\d+: error: .+", message)] == []
