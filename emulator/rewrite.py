"""From the LLVM IR of a GPU kernel to LLVM IR that runs here.

The text is rewritten line by line (LLVM prints one instruction a line): calls of builtins go to wrappers, every load
and store is preceded by a bounds check, every block counts its instructions, every loop can be stopped. What names the
GPU (triple, data layout, calling conventions, metadata) goes; debug locations are read first, for the messages.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field, replace

from dotload.emulator import builtins
from dotload.emulator.builtins import Signature
from dotload.emulator.errors import EmulatorError
from dotload.emulator.locations import Locations
from dotload.emulator.sites import Kind, Site
from dotload.emulator.types import address_space, byte_size, split_commas, split_type

ENTRY = "dotload.entry"

_RUNTIME = """\
declare void @xe_collective(i32, ptr, ptr)
declare i64 @xe_query(i32, i32)
declare void @xe_tick()
declare ptr @xe_local()
declare ptr @xe_instructions()
declare void @xe_touch_global(ptr, i32)
declare void @xe_touch_local(ptr, i32)
declare i16 @xe_float_to_bfloat(float)
declare float @xe_bfloat_to_float(i16)
declare float @xe_round_to_tf32(float)
"""

_SYMBOL = r'@("[^"]+"|[\w.$-]+)'
_ATTACHMENT = re.compile(r",? ![A-Za-z_][\w.\-]* (?:distinct )?!(?:\d+|\{[^}]*\}|DIExpression\([^)]*\))")
_RETURN_TYPE = re.compile(
    r"(void|i\d+|half|bfloat|float|double|ptr(?: addrspace\(\d+\))?|<[^@]*>|\{[^@]*\}|\[[^@]*\])\s*$"
)
_CONVENTION = re.compile(r"\b(spir_func|spir_kernel) ")
_LABEL = re.compile(r'^("[^"]+"|[-\w.$]+):')
_TARGET = re.compile(r'label %("[^"]+"|[-\w.$]+)')
_CALL = re.compile(rf"^  (?:%\S+ = )?(?:tail |musttail |notail )?call [^@]*?{_SYMBOL}\(")
_MEMORY = re.compile(r"^  (?:%\S+ = )?(load|store|atomicrmw|cmpxchg)\b")
_POINTER = re.compile(r", (ptr(?: addrspace\(\d+\))?) (%\S+?)(?:,|$| syncscope| monotonic| seq_cst| acq| rel)")
_ALLOCA = re.compile(r"^  (%\S+) = alloca (?:inalloca )?(.*)")
_COUNTED = re.compile(r", i\d+ ")  # an alloca of several values
_ATOMIC_POINTER = re.compile(r"(?:atomicrmw|cmpxchg)[^%@]* (ptr(?: addrspace\(\d+\))?) (%\S+?),\s*(.*)")


@dataclass(frozen=True)
class Kernel:
    """The function that a launch runs, in the kernel's own words."""

    name: str
    parameters: tuple[str, ...]
    local_parameters: tuple[int, ...]  # indices of pointers to local memory: the launch supplies them
    subgroup_size: int | None  # what the kernel was compiled for, when it says
    threads: int | None

    @property
    def argument_indices(self) -> tuple[int, ...]:
        """Parameters that the caller gives."""
        return tuple(index for index in range(len(self.parameters)) if index not in self.local_parameters)


@dataclass(frozen=True)
class Rewritten:
    text: str
    kernel: Kernel
    sites: tuple[Site, ...]
    constants: tuple[tuple[str, int], ...]  # global variables of the module: name, bytes
    element_types: dict[int, str]  # parameter -> the type that the kernel indexes it with, when it is plain


def parse_signature(line: str) -> Signature:
    """Of a `declare` or `define` line."""
    line = _ATTACHMENT.sub("", line)
    match = re.search(_SYMBOL + r"\(", line)
    if match is None:
        raise EmulatorError(f"cannot read this line of LLVM IR: {line.strip()}")
    result = _RETURN_TYPE.search(line[: match.start()])
    inside = line[match.end() : _closing(line, match.end() - 1)]
    parameters = tuple(split_type(part)[0] for part in split_commas(inside) if part != "...")
    return Signature(match[1].strip('"'), result[1] if result else "void", parameters)


def _closing(text: str, opening: int) -> int:
    """Index of the parenthesis that closes the one at `opening`."""
    depth = 0
    for index in range(opening, len(text)):
        depth += (text[index] == "(") - (text[index] == ")")
        if depth == 0:
            return index
    raise EmulatorError(f"unbalanced parentheses in LLVM IR: {text.strip()[:80]}")


@dataclass
class _Rewriter:
    lanes: int
    locations: Locations
    declared: dict[str, Signature] = field(default_factory=dict[str, Signature])
    wrappers: dict[str, str] = field(default_factory=dict[str, str])
    declares: dict[str, None] = field(default_factory=dict[str, None])
    found: dict[str, builtins.Builtin] = field(default_factory=dict[str, builtins.Builtin])
    sites: list[Site] = field(default_factory=list[Site])
    serial: int = 0
    room: dict[str, int] = field(default_factory=dict[str, int])  # the function's own variables and their bytes
    location: str = ""  # of the instruction being rewritten

    def add_site(self, site: Site) -> int:
        self.sites.append(replace(site, location=self.location))
        return len(self.sites) - 1

    def builtin(self, symbol: str) -> builtins.Builtin:
        """The builtin behind a declared symbol; its wrapper is written on first use."""
        if symbol not in self.found:
            signature = self.declared[symbol]
            builtin = builtins.find(signature, self.lanes)
            if builtin is None:
                raise EmulatorError(_undefined(signature, list(self.declared)))
            parameters = ", ".join(["i32 %site", *(f"{t} %p{i}" for i, t in enumerate(signature.parameters))])
            head = f'define internal {signature.result} @"dotload.{symbol}"({parameters})'
            self.wrappers[symbol] = f"{head} {{\n{builtin.body}\n}}\n"
            if builtin.declares:
                self.declares[builtin.declares] = None
            self.found[symbol] = builtin
        return self.found[symbol]

    def call(self, line: str, match: re.Match[str]) -> str:
        """The call with its site as first argument; LLVM's own intrinsics stay as they are."""
        symbol = match[1].strip('"')
        if symbol not in self.declared or (symbol.startswith("llvm.") and "genx" not in symbol):
            return line
        opening = match.end() - 1
        closing = _closing(line, opening)
        arguments = tuple(split_commas(line[opening + 1 : closing]))
        builtin = self.builtin(symbol)
        number = 0
        if builtin.site:
            site = builtin.site(arguments)
            self.check_room(site, arguments)
            number = self.add_site(site)
        given = ", ".join([f"i32 {number}", *arguments])
        result = self.declared[symbol].result
        name = f"{line[: line.index('=') + 2]}" if " = " in line[: match.start(1)] else "  "
        return f'{name}call {result} @"dotload.{symbol}"({given})'

    def check_room(self, site: Site, arguments: tuple[str, ...]) -> None:
        """A block message must not run over the lane's own variable that it fills or empties."""
        for argument in arguments:
            room = self.room.get(argument.split()[-1])
            needed = site.lane_bytes(self.lanes)
            if room is not None and room < needed:
                raise EmulatorError(f"{site.label}: each lane has {needed} bytes of it, the kernel keeps {room} there")

    def memory(self, line: str, kind: str, private: set[str]) -> list[str]:
        """The bounds check of a load, store or atomic; none for the lane's own variables."""
        access = _memory_access(line, kind)
        if access is None or access[1] in private:
            return []
        pointer_type, pointer, value = access
        space = address_space(pointer_type)
        local = space == 3
        verb = Kind.LOAD if kind == "load" else Kind.STORE
        label = f"{'local ' if local else ''}{kind}_{byte_size(value) * 8}b"
        number = self.add_site(Site(verb, label, type=byte_size(value), local=local))
        self.serial += 1
        flat = f"%dotload.flat{self.serial}"
        touch = f"  call void @xe_touch_{'local' if local else 'global'}(ptr {flat}, i32 {number})"
        if space == 0:
            return [touch.replace(flat, pointer)]
        return [f"  {flat} = addrspacecast {pointer_type} {pointer} to ptr", touch]

    def function(self, head: str, body: list[str]) -> list[str]:
        """A defined function, instrumented."""
        heads = _loop_heads(body)
        out = [_plain(head)]
        allocas = [match for line in body if (match := _ALLOCA.match(line))]
        self.room = {match[1]: byte_size(split_type(match[2])[0]) for match in allocas if not _COUNTED.search(match[2])}
        private = {match[1] for match in allocas}
        blocks = _blocks(body)
        for position, (label, lines) in enumerate(blocks):
            if label:
                out.append(label)
            phis = [line for line in lines if " = phi " in line]
            rest = lines[len(phis) :]
            out += [_strip(line) for line in phis]
            if position == 0:
                out.append("  %dotload.count = call ptr @xe_instructions()")
            out += self.count(sum(1 for line in lines if re.match(r"^  [^ \]]", line)))
            if label and (named := _LABEL.match(label)) and named[1] in heads:
                out.append("  call void @xe_tick()")
            for line, location in zip(rest, self.locations.of_block(rest), strict=True):
                self.location = location
                call = _CALL.match(line)
                if memory := _MEMORY.match(line):
                    out += self.memory(line, memory[1], private)
                    out.append(_strip(_unaligned(line, memory[1])))
                else:
                    out.append(_strip(self.call(line, call) if call else line))
        return [*out, "}"]

    def count(self, instructions: int) -> list[str]:
        self.serial += 1
        name = f"%dotload.n{self.serial}"
        return [
            f"  {name} = load i64, ptr %dotload.count",
            f"  {name}.sum = add i64 {name}, {instructions}",
            f"  store i64 {name}.sum, ptr %dotload.count",
        ]


def _undefined(signature: Signature, declared: list[str]) -> str:
    near = difflib.get_close_matches(signature.name, KNOWN_NAMES, n=1, cutoff=0.7)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"the kernel calls '{signature.symbol}', which is no builtin that the emulator knows{hint}"


KNOWN_NAMES = (
    "get_group_id",
    "get_local_id",
    "get_sub_group_id",
    "get_sub_group_local_id",
    "intel_sub_group_2d_block_read_16b_8r16x1c",
    "intel_sub_group_2d_block_write_16b_8r16x1c",
    "intel_sub_group_2d_block_prefetch_16b_8r16x1c",
    "intel_sub_group_f16_f16_matrix_mad_k16",
    "__spirv_Subgroup2DBlockLoadINTEL",
    "__spirv_SubgroupMatrixMultiplyAccumulateINTEL",
    "__spirv_ControlBarrier",
    "sub_group_shuffle",
    "sub_group_reduce_add",
)


def _memory_access(line: str, kind: str) -> tuple[str, str, str] | None:
    """(pointer type, pointer, type of the value); None when the pointer is a constant of the module."""
    text = _ATTACHMENT.sub("", line).strip()
    if kind in ("atomicrmw", "cmpxchg"):
        match = _ATOMIC_POINTER.search(text)
        return (match[1], match[2], split_type(match[3])[0]) if match else None
    operands = text.split(f"{kind} ", 1)[1]
    operands = re.sub(r"^(atomic |volatile )*", "", operands)
    value, rest = split_type(operands)
    pointers = list(_POINTER.finditer(rest + ","))
    return (pointers[-1][1], pointers[-1][2], value) if pointers else None


def _blocks(body: list[str]) -> list[tuple[str, list[str]]]:
    """(label line, instruction lines) of every basic block; the entry block may have no label."""
    blocks: list[tuple[str, list[str]]] = [("", [])]
    for line in body:
        if _LABEL.match(line):
            blocks.append((line.split(";")[0].rstrip(), []))
        elif line.strip() and not line.strip().startswith((";", "#dbg_")) and "@llvm.dbg." not in line:
            blocks[-1][1].append(line)
    return blocks if blocks[0][1] else blocks[1:]


def _loop_heads(body: list[str]) -> set[str]:
    """Labels that a later line branches back to: every cycle has one."""
    seen: set[str] = set()
    heads: set[str] = set()
    for line in body:
        if match := _LABEL.match(line):
            seen.add(match[1])
        heads.update(target for target in _TARGET.findall(line) if target in seen)
    return heads


def _unaligned(line: str, kind: str) -> str:
    """A load or store that promises no alignment. Intel's backend promises more than its variables have, and a kernel
    may promise more than the caller's array has; the host would trap."""
    if kind not in ("load", "store") or f"{kind} atomic" in line:
        return line
    return re.sub(r", align \d+", ", align 1", line)


def _strip(line: str) -> str:
    return _CONVENTION.sub("", _ATTACHMENT.sub("", line))


def _plain(head: str) -> str:
    """A `define` line without what only the GPU's compiler understands."""
    return _strip(head).replace(" local_unnamed_addr", "").replace(" unnamed_addr", "")


def _metadata_numbers(head: str, name: str, text: str) -> tuple[int, ...]:
    """The integers of a function's metadata node `!name !N`."""
    if not (match := re.search(rf"!{name} (!\d+)", head)):
        return ()
    node = re.search(rf"^{match[1]} = !\{{(.*)\}}$", text, re.MULTILINE)
    return tuple(int(number) for number in re.findall(r"i\d+ (\d+)", node[1])) if node else ()


def _choose_kernel(heads: list[str], wanted: str | None, text: str) -> Kernel:
    kernels = [head for head in heads if "spir_kernel" in head] or [h for h in heads if "internal" not in h]
    named = {parse_signature(head).symbol: head for head in kernels}
    if not named:
        raise EmulatorError("the source defines no kernel")
    if wanted is None and len(named) > 1:
        raise EmulatorError(f"the source defines several kernels ({', '.join(named)}): name one")
    name = wanted or next(iter(named))
    if name not in named:
        raise EmulatorError(f"the source defines no kernel '{name}' (it defines {', '.join(named)})")
    signature = parse_signature(named[name])
    local = tuple(i for i, type_ in enumerate(signature.parameters) if "addrspace(3)" in type_)
    sizes = _metadata_numbers(named[name], "intel_reqd_sub_group_size", text)
    threads = _metadata_numbers(named[name], "(?:max|reqd)_work_group_size", text)
    return Kernel(name, signature.parameters, local, sizes[0] if sizes else None, threads[0] if threads else None)


def _entry(kernel: Kernel) -> str:
    """A function that takes the arguments as one row of 8-byte slots."""
    lines = [f'define void @"{ENTRY}"(ptr %arguments) {{']
    given: list[str] = []
    for slot, index in enumerate(kernel.argument_indices):
        type_ = kernel.parameters[index]
        lines.append(f"  %p{index} = getelementptr i8, ptr %arguments, i64 {8 * slot}")
        lines.append(f"  %a{index} = load {type_}, ptr %p{index}")
    if kernel.local_parameters:
        lines.append("  %flat = call ptr @xe_local()")
        lines.append("  %local = addrspacecast ptr %flat to ptr addrspace(3)")
    for index, type_ in enumerate(kernel.parameters):
        given.append(f"{type_} %local" if index in kernel.local_parameters else f"{type_} %a{index}")
    lines += [f'  call void @"{kernel.name}"({", ".join(given)})', "  ret void", "}"]
    return "\n".join(lines)


def _element_types(head: str, body: list[str]) -> dict[int, str]:
    """The element type with which the kernel indexes a pointer parameter, when all its direct uses agree."""
    inside = head[head.index("(") :]
    names: dict[str, int] = {}
    for index, part in enumerate(split_commas(inside[1 : _closing(inside, 0)])):
        names[part.split()[-1]] = index
    types: dict[int, set[str]] = {}
    pattern = re.compile(r"getelementptr (?:inbounds |nuw |nusw )*(.+?), ptr addrspace\(1\) (%[\w.]+)(?:,|$)")
    for line in body:
        if (match := pattern.search(line)) and match[2] in names:
            types.setdefault(names[match[2]], set()).add(match[1])
    return {index: next(iter(found)) for index, found in types.items() if len(found) == 1}


def _globals(text: str) -> list[tuple[str, int]]:
    """Global variables with a value: name, bytes."""
    found: list[tuple[str, int]] = []
    pattern = rf"^{_SYMBOL} = ([^\n]*?)\b(?:global|constant) ([^\n]*)$"
    for match in re.finditer(pattern, text, re.MULTILINE):
        name, attributes, rest = match[1].strip('"'), match[2], match[3]
        if "addrspace(3)" in attributes:
            raise EmulatorError(
                f"local memory in a global variable (@{name}) is not emulated: pass it as a ptr addrspace(3) parameter"
            )
        if "external" not in attributes:
            found.append((name, byte_size(split_type(rest)[0])))
    return found


def rewrite(text: str, lanes: int, kernel: str | None = None) -> Rewritten:
    """The module ready for the JIT, and what a launch needs to know of it."""
    lines = text.splitlines()
    rewriter = _Rewriter(lanes, Locations(text))
    rewriter.declared = {
        signature.symbol: signature
        for signature in (parse_signature(line) for line in lines if line.startswith("declare "))
    }
    heads = [line for line in lines if line.startswith("define ")]
    chosen = _choose_kernel(heads, kernel, text)
    constants = tuple(_globals(text))
    out: list[str] = []
    elements: dict[int, str] = {}
    position = 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if line.startswith("define "):
            end = next((i for i in range(position, len(lines)) if lines[i] == "}"), None)
            if end is None:
                raise EmulatorError(f"line {position}: this function of the LLVM IR has no end")
            body = lines[position:end]
            if parse_signature(line).symbol == chosen.name:
                elements = _element_types(line, body)
            out += rewriter.function(line, body)
            position = end + 1
        elif line.startswith("declare "):
            if "@llvm." in line and "genx" not in line and "@llvm.dbg." not in line:
                out.append(_plain(line))
        elif not line.startswith(("target ", "source_filename", "!", ";")):
            out.append(_strip(line))
    out += [*rewriter.declares, _RUNTIME, *rewriter.wrappers.values(), _entry(chosen)]
    return Rewritten("\n".join(out) + "\n", chosen, tuple(rewriter.sites), constants, elements)
