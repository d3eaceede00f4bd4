"""dotload-layout: layouts of tensors in registers and in shared memory, drawn and explained.

    dotload-layout -l '#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>' \\
        -t 'tensor<8x32xf16>'
    dotload-layout -i kernel.ttgir -a blocked -t 'tensor<128x64xf16>' --format terminal
    dotload-layout -l '#ttg.blocked<...>' --against '#ttg.swizzled_shared<...>' -t 'tensor<64x64xf16>' -o banks.html
    dotload-layout atom K 128 f16 -o atom.svg
    dotload-layout fragment mma A m16n8k16 f16
    dotload-layout descriptor 0x4000004000010040
    dotload-layout block-load -l '#ttg.dot_op<{opIdx = 0, parent = #ttig.dpas<...>}>' -t 'tensor<256x32xf16>'
    dotload-layout explain kernel.ttgir -o report.html
    dotload-layout gallery docs/gallery
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from dotload.tools import short_lived
from dotload.tools.failures import guarded
from dotload.tools.flags import FlagParser
from dotload.tools.version import ShowVersion

if TYPE_CHECKING:
    from dotload.layout.encodings import Encoding
    from dotload.tools.viewer.source import TensorType

VIEWS = ("tensor", "hardware", "bases")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tool; 0 after drawing, 1 for an invalid request."""
    if argv is None:
        short_lived.prepare()
    arguments = list(sys.argv[1:] if argv is None else argv)
    return guarded(lambda: run_command(arguments), "")


def run_command(arguments: list[str]) -> int:
    from dotload.layout.linear import LayoutError
    from dotload.tools.viewer.source import UserError

    try:
        name = arguments[0] if arguments else ""
        if name in COMMANDS:
            return COMMANDS[name](arguments[1:])
        if name and not name.startswith("-"):
            raise UserError(f"error: unknown command '{name}'; {_nearest(name)}")
        return show(arguments)
    except UserError as error:
        print(error if str(error).partition("\n")[0].count("error:") else f"error: {error}", file=sys.stderr)
    except LayoutError as error:
        print(f"error: {error}", file=sys.stderr)
    return 1


class _Parser(FlagParser):
    """Reports a mistake on the command line like any other: one line, status 1."""

    def error(self, message: str) -> NoReturn:
        from dotload.tools.viewer.source import UserError

        raise UserError(f"error: {message} (try {self.prog} --help)")


def _parser(name: str, description: str) -> argparse.ArgumentParser:
    parser = _Parser(
        prog=f"dotload-layout{' ' if name else ''}{name}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    from dotload.tools.viewer.output import FORMATS

    parser.add_argument("-o", "--output", metavar="FILE", help="write here; the suffix picks the format")
    parser.add_argument("--format", choices=FORMATS, help="default: by the suffix of -o, else text")
    parser.add_argument("--whole", action="store_true", help="draw every cell of a big tile")
    parser.add_argument("--version", action=ShowVersion)
    return parser


def show(arguments: Sequence[str]) -> int:
    """One or several layouts of a tensor, or two side by side."""
    parser = _parser("", __doc__ or "")
    parser.add_argument("-l", "--layout", help="an encoding, such as '#ttg.blocked<{...}>'")
    parser.add_argument("-i", "--input", metavar="FILE", help="a file that defines encoding aliases")
    parser.add_argument("-a", "--alias", action="append", metavar="NAME", help="only this alias of the file")
    parser.add_argument("-t", "--tensor", required=True, help="'tensor<256x32xf16>', with an encoding or without")
    parser.add_argument("--against", metavar="LAYOUT", help="a second layout: the conversion, or the access")
    parser.add_argument("--view", action="append", choices=VIEWS, help="of the text; default: all three")
    parser.add_argument("--use-hw-view", action="store_true", help="the same as --view hardware; one dash will do")
    parser.add_argument("--colour", "--color", metavar="FIELD", help="what the colour shows: lane, warp, bank, ...")
    parser.add_argument("--warp", type=int, metavar="N", help="draw the registers of this warp (hardware view)")
    options = parser.parse_args(arguments)
    from dotload.tools.viewer import chosen, compare, output, text
    from dotload.tools.viewer.source import subject

    tensor, layouts = _subjects(options)
    views = options.view or (["hardware"] if options.use_hw_view else list(VIEWS))
    subjects = [subject(name, encoding, tensor) for name, encoding in layouts]
    for one in subjects:
        chosen.check(one, options)
    if options.against:
        from dotload.tools.viewer.source import parse_layout

        other = subject(options.against, parse_layout(options.against, "--against"), tensor)
        for first in subjects:
            output.write(
                lambda first=first: compare.compare_text(first, other),
                lambda first=first: compare.compare_pictures(first, other),
                f"{first.name} and {other.name}",
                options,
            )
        return 0
    draw = {"tensor": text.tensor_view, "hardware": text.hardware_view, "bases": text.bases_view}

    def as_text() -> str:
        parts: list[str] = []
        for one in subjects:
            if len(subjects) > 1:
                parts.append(f"#{one.name}:\n")
            parts += [draw[view](one) for view in views]
        return "\n".join(parts)

    title = "; ".join(one.title for one in subjects)
    output.write(
        as_text,
        lambda: chosen.pictures(subjects, options),
        title,
        options,
    )
    return 0


def _subjects(options: argparse.Namespace) -> tuple[TensorType, list[tuple[str, Encoding]]]:
    """The tensor type and the named encodings that the options ask for."""
    from dotload.tools.viewer.source import UserError, parse_layout, parse_tensor, read_aliases

    tensor = parse_tensor(options.tensor, "--tensor")
    if options.input:
        return tensor, list(read_aliases(options.input, options.alias).items())
    if options.layout:
        return tensor, [(options.layout, parse_layout(options.layout, "--layout"))]
    if tensor.encoding is not None:
        return tensor, [(options.tensor, tensor.encoding)]
    raise UserError("error: no layout: give -l LAYOUT, -i FILE, or a tensor type with an encoding")


def _nearest(name: str) -> str:
    near = difflib.get_close_matches(name, COMMANDS, n=3)
    return f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(COMMANDS)}, and -l for a layout"


def atom(arguments: Sequence[str]) -> int:
    """A swizzle atom of the PTX ISA."""
    parser = _parser("atom", "A shared-memory swizzle atom, as the PTX ISA draws it and as it lies in memory.")
    parser.add_argument("major", choices=("K", "MN"), help="the contiguous axis")
    parser.add_argument("mode", choices=("0", "32", "64", "128"), help="swizzled bytes, 0 for none")
    parser.add_argument("type", nargs="?", default="f16", help="element type (default f16)")
    parser.add_argument("--atomicity", type=int, default=16, metavar="BYTES", help="16; with 128 also 32 and 64")
    options = parser.parse_args(arguments)
    from dotload.layout.swizzle import Atom, Major, Mode
    from dotload.tools.viewer import output, ptx

    chosen = Atom(Major(options.major), Mode(int(options.mode)), ptx.element_bits(options.type), options.atomicity)
    output.write(
        lambda: ptx.atom_text(chosen, options.type),
        lambda: ptx.atom_pictures(chosen),
        f"{chosen.major.value}-major {chosen.mode} swizzle, {options.type}",
        options,
    )
    return 0


def fragment(arguments: Sequence[str]) -> int:
    """A fragment of mma.sync or wgmma, or an ldmatrix."""
    parser = _parser(
        "fragment",
        "Fragments of the matrix instructions: mma A|B|C|all SHAPE TYPE; wgmma A TYPE; wgmma C N; ldmatrix x4 [trans].",
    )
    parser.add_argument("instruction", choices=("mma", "wgmma", "ldmatrix", "stmatrix"))
    parser.add_argument("what", nargs="+", help="such as A m16n8k16 f16")
    options = parser.parse_args(arguments)
    from dotload.tools.viewer import output, ptx

    drawing = ptx.fragment_drawing(options.instruction, options.what)
    output.write(drawing.text, lambda: drawing.pictures, drawing.title, options)
    return 0


def _address(text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number, such as 1024 or 0x400") from None


def descriptor(arguments: Sequence[str]) -> int:
    """The wgmma descriptor: decoded, or built from a layout."""
    parser = _parser("descriptor", "Decode a 64-bit wgmma descriptor, or build one from a shared layout (-l and -t).")
    parser.add_argument("value", nargs="?", help="64 bits, such as 0x4000004000010040")
    parser.add_argument("-l", "--layout", help="a shared encoding; dim0 is m or n, dim1 is k (-t gives the tensor)")
    parser.add_argument("-t", "--tensor", help="the tensor in shared memory; its element type says which wgmma")
    parser.add_argument("--operand", choices=("A", "B"), default="B")
    parser.add_argument("--start", type=_address, default=0, metavar="BYTES", help="address of the tile")
    parser.add_argument("--k", type=int, default=0, metavar="ELEMENT", help="first element along k")
    options = parser.parse_args(arguments)
    from dotload.tools.viewer import output, ptx
    from dotload.tools.viewer.source import UserError

    if options.value is None and not (options.layout and options.tensor):
        raise UserError("error: give 64 bits to decode, or -l LAYOUT and -t TENSOR to build from")
    built = ptx.decoded(options.value) if options.value is not None else ptx.built(options)
    output.form_of(options, ("text",))
    output.save(built.explain() + "\n", options.output)
    return 0


def block_load(arguments: Sequence[str]) -> int:
    """The 2D block loads of an Intel tensor."""
    parser = _parser("block-load", "The plan of 2D block loads that fill a tensor: tile, iterations, loads.")
    parser.add_argument("-l", "--layout", help="an encoding, such as '#ttg.dot_op<{opIdx = 0, parent = #ttig.dpas...'")
    parser.add_argument("-t", "--tensor", required=True, help="'tensor<256x32xf16>', with an encoding or without")
    parser.add_argument("--column-major", action="store_true", help="the tensor's first dim is contiguous in memory")
    parser.add_argument("--target", default="xe2", help="pvc, xe2 (default) or xe3")
    options = parser.parse_args(arguments)
    from dotload.tools.viewer import block_plan, output

    plan = block_plan.plan_for(options.layout, options.tensor, options.column_major, options.target)
    output.write(
        lambda: block_plan.plan_text(plan),
        lambda: block_plan.plan_pictures(plan),
        f"2D block loads of {options.tensor}",
        options,
    )
    return 0


def explain(arguments: Sequence[str]) -> int:
    """The costs of the loads and shared-memory accesses of a module."""
    parser = _parser("explain", "Every load and shared-memory access of a TTGIR file: what it costs, what can be done.")
    parser.add_argument("file", help="a .ttgir file")
    options = parser.parse_args(arguments)
    from dotload.tools.viewer import explain as report
    from dotload.tools.viewer import output

    module = report.read(options.file)
    as_html = output.form_of(options, ("text", "html")) == "html"
    output.save((report.as_html if as_html else report.as_text)(module), options.output)
    return 0


def gallery(arguments: Sequence[str]) -> int:
    """The figures of the documentation."""
    parser = _Parser(prog="dotload-layout gallery", description="Draw the figures of the documentation.")
    parser.add_argument("folder", help="where they go, such as docs/gallery")
    options = parser.parse_args(arguments)
    from dotload.tools.viewer.gallery import draw_all

    for name in draw_all(options.folder):
        print(name)
    return 0


COMMANDS = {
    "atom": atom,
    "fragment": fragment,
    "descriptor": descriptor,
    "block-load": block_load,
    "explain": explain,
    "gallery": gallery,
}

if __name__ == "__main__":
    sys.exit(main())
