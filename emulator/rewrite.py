"""Rewrites the LLVM IR of a GPU kernel to LLVM IR that runs on this machine.

The text is rewritten line by line (LLVM prints one instruction per line): calls of builtins go to wrappers, a bounds
check precedes every memory access, every block counts its instructions, and every loop and function can be stopped.
Anything not known to be harmless is refused (instructions.py). GPU specifics (triple, data layout, calling conventions,
attributes, metadata) are removed; debug locations are read first, for the messages.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field, replace

from dotload.emulator import accesses, builtins, constrained
from dotload.emulator.accesses import Access
from dotload.emulator.builtins import Signature
from dotload.emulator.errors import EmulatorError
from dotload.emulator.instructions import MEMORY, TRAPS, check_line, check_opcode, intrinsic_family
from dotload.emulator.locations import Locations
from dotload.emulator.sites import Kind, Site
from dotload.emulator.types import address_space, byte_size, spelled_out, split_commas, split_type, vector

ENTRY = "dotload.entry"

_RUNTIME = """\
declare void @xe_collective(i32, ptr, ptr)
declare i64 @xe_query(i32, i32)
declare void @xe_tick()
declare ptr @xe_local()
declare ptr @xe_instructions()
declare void @xe_touch_global(ptr, i32)
declare void @xe_touch_local(ptr, i32)
declare void @xe_touch_masked(ptr, i32, i32)
declare void @xe_touch_bytes(ptr, i64, i32)
declare void @xe_check(ptr, i64, i32)
declare void @xe_private(ptr, i64)
declare i64 @xe_private_mark()
declare void @xe_private_release(i64)
declare void @xe_trap(i32)
declare i16 @xe_float_to_bfloat(float)
declare float @xe_bfloat_to_float(i16)
declare float @xe_round_to_tf32(float)
"""

_SYMBOL = r'@("[^"]+"|[\w.$-]+)'
_ATTACHMENT = re.compile(r",? ![A-Za-z_][\w.\-]* (?:distinct )?!(?:\d+|\{[^}]*\}|DIExpression\([^)]*\))")
_RETURN_TYPE = re.compile(
    r"(void|i\d+|half|bfloat|float|double|ptr(?: addrspace\(\d+\))?|<[^@]*>|\{[^@]*\}|\[[^@]*\])\s*$"
)
_CONVENTION = re.compile(
    r"(?<![-%@\w.$])(?:cc ?\d+|\w+cc|(?:spir|ptx|amdgpu|amdgcn|aarch64|riscv|arm|x86|msp430|avr|m68k)_\w+) "
)
_GROUP = re.compile(r"(?<=\)) #\d+")  # attribute groups, which are specific to a code generator
_LABEL = re.compile(r'^("[^"]+"|[-\w.$]+):')
_TARGET = re.compile(r'label %("[^"]+"|[-\w.$]+)')
_VALUE_NAME = r'%(?:"[^"]*"|[-\w.$]+)'
_OPCODE = re.compile(rf"^  (?:{_VALUE_NAME} = )?(?:(?:tail|musttail|notail) )?(\w+)")
_OF_SWITCH = re.compile(rf"^    i\d+ -?\w+, label {_VALUE_NAME}$|^  \](?:,|$)")  # the lines after the first
_CALL = re.compile(rf"^  (?:{_VALUE_NAME} = )?(?:tail |musttail |notail )?call [^@]*?{_SYMBOL}\(")
_NO_FUNCTION = re.compile(rf"(?<![-%@\w.$])asm\b|{_VALUE_NAME}\(|\w \(")  # a callee that is not a function
_MEMORY = ("load", "store", "atomicrmw", "cmpxchg")
_ALLOCA = re.compile(rf"^  ({_VALUE_NAME}) = alloca (.*)")
_COUNTED = re.compile(r", (i\d+) ([^,]+)")  # after the type of an alloca: the number of values


SUBGROUP_SIZES = (16, 32)
LANES, SUBGROUPS = 16, 8
"""Defaults for a kernel without these sizes."""


@dataclass(frozen=True)
class Kernel:
    """The function that a launch runs, as the kernel declares it."""

    name: str
    parameters: tuple[str, ...]
    local_parameters: tuple[int, ...]  # indices of pointers to local memory: the launch supplies them
    subgroup_size: int | None  # the size that the kernel was compiled for, if given
    threads: int | None

    @property
    def lanes(self) -> int:
        """Lanes of a subgroup: the size that the kernel was compiled for, if given and supported by the emulator."""
        return self.subgroup_size if self.subgroup_size in SUBGROUP_SIZES else LANES

    def subgroups(self, lanes: int) -> int:
        """Subgroups of a work-group: the number that the kernel was compiled for, if given."""
        return SUBGROUPS if self.threads is None else max(1, self.threads // lanes)

    @property
    def argument_indices(self) -> tuple[int, ...]:
        """Indices of the parameters that the caller supplies."""
        return tuple(index for index in range(len(self.parameters)) if index not in self.local_parameters)


@dataclass(frozen=True)
class Rewritten:
    text: str
    kernel: Kernel
    lanes: int
    sites: tuple[Site, ...]
    constants: tuple[tuple[str, int], ...]  # global variables of the module: name, bytes
    element_types: dict[int, str]  # parameter -> the type with which the kernel indexes it, if unique


def parse_signature(line: str) -> Signature:
    """The signature on a `declare` or `define` line."""
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
    signatures: dict[str, Signature] = field(default_factory=dict[str, Signature])  # also of defined functions
    wrappers: dict[str, str] = field(default_factory=dict[str, str])
    declares: dict[str, None] = field(default_factory=dict[str, None])
    found: dict[str, builtins.Builtin] = field(default_factory=dict[str, builtins.Builtin])
    sites: list[Site] = field(default_factory=list[Site])
    serial: int = 0
    room: dict[str, int] = field(default_factory=dict[str, int])  # the function's local variables and their bytes
    location: str = ""  # of the instruction being rewritten

    def add_site(self, site: Site) -> int:
        self.sites.append(replace(site, location=self.location))
        return len(self.sites) - 1

    def builtin(self, symbol: str) -> builtins.Builtin:
        """The builtin of a declared symbol; its wrapper is emitted on first use."""
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

    def fresh(self, what: str) -> str:
        """A name that is unused in the function."""
        self.serial += 1
        return f"%dotload.{what}{self.serial}"

    def call(self, line: str) -> list[str]:
        """The call with its site as first argument; LLVM's own intrinsics stay, after their checks."""
        match = _CALL.match(line)
        if match is None or _NO_FUNCTION.search(line[: match.start(1)]):
            raise EmulatorError(f"not emulated: a call of anything but a named function: {line.strip()[:120]}")
        symbol = match[1].strip('"')
        opening = match.end() - 1
        closing = _closing(line, opening)
        arguments = tuple(split_commas(line[opening + 1 : closing]))
        if symbol.startswith("llvm.") and "genx" not in symbol:
            return self.intrinsic(line, symbol, arguments)
        self.check_types(line, match, arguments)
        if symbol not in self.declared:
            return [_strip(line)]
        builtin = self.builtin(symbol)
        number, checks = 0, list[str]()
        if builtin.site:
            site = builtin.site(arguments)
            checks = self.check_room(site, arguments, builtin)
            number = self.add_site(site)
        given = ", ".join([f"i32 {number}", *arguments])
        result = self.declared[symbol].result
        name = f"{line[: line.index('=') + 2]}" if " = " in line[: match.start(1)] else "  "
        return [*checks, _strip(f'{name}call {result} @"dotload.{symbol}"({given})')]

    def check_types(self, line: str, match: re.Match[str], arguments: tuple[str, ...]) -> None:
        """Check a call's type against the function's: LLVM accepts another type, and would read undefined registers."""
        signature = self.signatures[match[1].strip('"')]
        result = _RETURN_TYPE.search(line[: match.start(1) - 1])
        given = tuple(split_type(argument)[0] for argument in arguments)
        if result is None or result[1] != signature.result or given != signature.parameters:
            wanted = f"{signature.result} ({', '.join(signature.parameters)})"
            raise EmulatorError(f"the function is a {wanted}, the call another: {line.strip()[:120]}")

    def intrinsic(self, line: str, symbol: str, arguments: tuple[str, ...]) -> list[str]:
        if symbol.startswith(constrained.FPTRUNC):
            return constrained.fptrunc(line.split()[0], self.declared[symbol].result, arguments, self.fresh)
        family = intrinsic_family(symbol)
        if family is None:
            raise EmulatorError(f"the kernel calls '{symbol}', an intrinsic that is not emulated")
        if family == "experimental.noalias.scope.decl":  # a hint about metadata, which is left out
            return []
        if family in TRAPS:
            return [f"  call void @xe_trap(i32 {self.add_site(Site(Kind.VOTE, symbol))})"]
        if family not in MEMORY:
            return [_strip(line)]
        result = self.declared[symbol].result
        checks = [check for access in accesses.of_intrinsic(family, result, arguments) for check in self.check(access)]
        return [*checks, _strip(accesses.unaligned(line))]

    def check_room(self, site: Site, arguments: tuple[str, ...], builtin: builtins.Builtin) -> list[str]:
        """Check that a block message stays within the lane's own variable that it writes or reads: now if the size is
        known, else at run time."""
        needed = site.lane_bytes(self.lanes)
        if builtin.data is None or not needed:
            return []
        pointer = accesses.argument(arguments[builtin.data])
        room = self.room.get(pointer.value)
        if room is not None:
            if room < needed:
                raise EmulatorError(f"{site.label}: each lane has {needed} bytes of it, the kernel keeps {room} there")
            return []
        lines, flat = self.flat(pointer)
        kind = Kind.STORE if site.kind == Kind.BLOCK_READ else Kind.LOAD
        number = self.add_site(Site(kind, f"{site.label}, what a lane has of it", type=needed))
        return [*lines, f"  call void @xe_check(ptr {flat}, i64 {needed}, i32 {number})"]

    def flat(self, pointer: accesses.Operand) -> tuple[list[str], str]:
        """The pointer, or vector of pointers, in this machine's address space."""
        count, type_ = vector(pointer.type)
        if address_space(type_) == 0:
            return [], pointer.value
        name = self.fresh("flat")
        target = "ptr" if not pointer.type.startswith("<") else f"<{count} x ptr>"
        return [f"  {name} = addrspacecast {pointer} to {target}"], name

    def check(self, access: Access) -> list[str]:
        """The bounds checks of an access."""
        site = Site(
            access.kind, ("local " if access.is_local else "") + access.label, type=access.bytes, local=access.is_local
        )
        number = self.add_site(site)
        lines, flat = self.flat(access.pointer)
        if access.length is not None:
            return [*lines, *self.check_length(flat, access.length, number)]
        if access.mask is not None:
            return [*lines, *self.check_elements(flat, access, number)]
        return [*lines, f"  call void @xe_touch_{'local' if access.is_local else 'global'}(ptr {flat}, i32 {number})"]

    def check_length(self, flat: str, length: accesses.Operand, number: int) -> list[str]:
        if length.type == "i64":
            return [f"  call void @xe_touch_bytes(ptr {flat}, i64 {length.value}, i32 {number})"]
        wide = self.fresh("wide")
        return [
            f"  {wide} = zext {length} to i64",
            f"  call void @xe_touch_bytes(ptr {flat}, i64 {wide}, i32 {number})",
        ]

    def check_elements(self, flat: str, access: Access, number: int) -> list[str]:
        """The bounds checks of the elements that the mask enables, one by one."""
        assert access.mask is not None
        name = self.fresh("element")
        several = access.pointer.type.startswith("<")
        lines: list[str] = []
        place = "0"
        for index in range(access.count):
            here = f"{name}.{index}"
            lines.append(f"  {here}.on = extractelement {access.mask}, i32 {index}")
            lines.append(f"  {here}.mask = zext i1 {here}.on to i32")
            if several:
                lines.append(f"  {here}.at = extractelement <{access.count} x ptr> {flat}, i32 {index}")
            else:
                offset = place if access.packed else str(index)
                lines.append(f"  {here}.at = getelementptr [{access.bytes} x i8], ptr {flat}, i32 {offset}")
            lines.append(f"  call void @xe_touch_masked(ptr {here}.at, i32 {here}.mask, i32 {number})")
            if access.packed:
                lines.append(f"  {here}.next = add i32 {place}, {here}.mask")
                place = f"{here}.next"
        return lines

    def memory(self, line: str, opcode: str) -> list[str]:
        """A load, store or atomic after its bounds check; without one if it accesses a whole variable of the lane."""
        access = accesses.of_instruction(_ATTACHMENT.sub("", line), opcode)
        room = self.room.get(access.pointer.value)
        checks = [] if room is not None and access.bytes <= room else self.check(access)
        return [*checks, _strip(_unaligned(line, opcode))]

    def instruction(self, line: str, shared: set[str]) -> list[str]:
        """An instruction with the code to insert before or after it. `shared`: variables that pointers may reach."""
        if _OF_SWITCH.match(line):
            return [_strip(line)]
        match = _OPCODE.match(line)
        opcode = match[1] if match else ""
        check_opcode(opcode, line)
        if opcode in _MEMORY:
            return self.memory(line, opcode)
        if opcode == "call":
            lines = self.call(line)
            return [*self.release(shared), *lines] if line.lstrip().split(" = ")[-1].startswith("musttail") else lines
        if opcode == "alloca" and (name := line.split(" = ")[0].strip()) in shared:
            return [_strip(line), *self.register(line, name)]
        if opcode == "ret":
            return [*self.release(shared), _strip(line)]
        if opcode == "unreachable":
            return [f"  call void @xe_trap(i32 {self.add_site(Site(Kind.VOTE, opcode))})", _strip(line)]
        return [_strip(line)]

    def register(self, line: str, name: str) -> list[str]:
        """Register a variable with the machine, as an array that the lane may access."""
        alloca = _ALLOCA.match(_ATTACHMENT.sub("", line))
        assert alloca is not None
        type_, rest = split_type(alloca[2])
        lines, flat = self.flat(accesses.Operand(_alloca_pointer(rest), name))
        size = str(byte_size(type_))
        if counted := _COUNTED.match(rest):
            count = self.fresh("count")
            lines.append(f"  {count} = zext {counted[1]} {counted[2]} to i64" if counted[1] != "i64" else
                         f"  {count} = add i64 {counted[2]}, 0")  # fmt: skip
            lines.append(f"  {count}.bytes = mul i64 {count}, {size}")
            size = f"{count}.bytes"
        return [*lines, f"  call void @xe_private(ptr {flat}, i64 {size})"]

    def release(self, shared: set[str]) -> list[str]:
        return ["  call void @xe_private_release(i64 %dotload.mark)"] if shared else []

    def function(self, head: str, body: list[str]) -> list[str]:
        """A defined function, instrumented."""
        for line in (head, *body):
            check_line(line)
        heads = _loop_heads(body)
        out = [_head(head)]
        allocas = [match for line in body if (match := _ALLOCA.match(line))]
        self.room = {match[1]: byte_size(type_) for match in allocas for type_, rest in [split_type(match[2])]
                     if not _COUNTED.match(rest)}  # fmt: skip
        shared = _shared(body, {match[1] for match in allocas}, self.room)
        blocks = _blocks(body)
        for position, (label, lines) in enumerate(blocks):
            if label:
                out.append(label)
            phis = [line for line in lines if (match := _OPCODE.match(line)) and match[1] == "phi"]
            rest = lines[len(phis) :]
            out += [_strip(line) for line in phis]
            if position == 0:
                out.append("  %dotload.count = call ptr @xe_instructions()")
                if shared:
                    out.append("  %dotload.mark = call i64 @xe_private_mark()")
            out += self.count(sum(1 for line in lines if re.match(r"^  [^ \]]", line)))
            if position == 0 or (label and (named := _LABEL.match(label)) and named[1] in heads):
                out.append("  call void @xe_tick()")
            for line, location in zip(rest, self.locations.of_block(rest), strict=True):
                self.location = location
                out += self.instruction(line, shared)
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
    return f"the kernel calls '{signature.symbol}', which is not a builtin that the emulator knows{hint}"


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
    """Labels that a later line branches back to: every cycle has such a label."""
    seen: set[str] = set()
    heads: set[str] = set()
    for line in body:
        if match := _LABEL.match(line):
            seen.add(match[1])
        heads.update(target for target in _TARGET.findall(line) if target in seen)
    return heads


def _unaligned(line: str, kind: str) -> str:
    """A load or store without a promise of alignment. Intel's backend promises more alignment than its variables have,
    and a kernel may promise more than the caller's array has; the host would trap."""
    if kind not in ("load", "store") or f"{kind} atomic" in line:
        return line
    return re.sub(r", align \d+", ", align 1", line)


def _shared(body: list[str], names: set[str], room: dict[str, int]) -> set[str]:
    """The variables of a function that are not only loaded and stored whole: pointers may reach into them."""
    found = names - set(room)  # an alloca of several values is an array
    for line in body:
        mentioned = names.intersection(re.findall(_VALUE_NAME, line)) - found
        if not mentioned or "@llvm.lifetime." in line:
            continue
        opcode = _OPCODE.match(line)
        if opcode and opcode[1] == "alloca":
            continue
        if opcode and opcode[1] in ("load", "store"):
            operands = re.findall(_VALUE_NAME, line.split(opcode[1], 1)[1])
            access = accesses.of_instruction(_ATTACHMENT.sub("", line), opcode[1])
            name = access.pointer.value
            if operands.count(name) == 1 and access.bytes <= room.get(name, 0):
                mentioned = mentioned - {name}
        found |= mentioned
    return found


def _alloca_pointer(text: str) -> str:
    """The result type of an alloca."""
    space = re.search(r", addrspace\((\d+)\)", text)
    return f"ptr addrspace({space[1]})" if space else "ptr"


def _strip(line: str) -> str:
    return _CONVENTION.sub("", _GROUP.sub("", _ATTACHMENT.sub("", line)))


def _head(line: str) -> str:
    """A `define` line: linkage, type, name and parameters. Each page of its frame is touched (`probe-stack`), so that a
    large frame hits the guard page below the stack and not the memory beyond it."""
    match = re.search(_SYMBOL + r"\(", line)
    assert match is not None
    linkage = "internal " if re.search(r"^define .*?\b(internal|private|linkonce|weak)", line[: match.start()]) else ""
    result = parse_signature(line).result
    parameters = line[match.start() : _closing(line, match.end() - 1) + 1]
    return f'define {linkage}{result} {parameters} "probe-stack"="inline-asm" {{'


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
    """The element type with which the kernel indexes a pointer parameter, if all its direct uses agree."""
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
        if re.search(r"\b(external|extern_weak|available_externally|thread_local|appending)\b", attributes):
            raise EmulatorError(f"@{name} is a global variable of a kind that is not emulated: {attributes.strip()}")
        found.append((name, byte_size(split_type(rest)[0])))
    return found


def _global(line: str) -> str:
    """A global variable or a named type, without its section and comdat."""
    return re.sub(r', (section "[^"]*"|comdat(\([^)]*\))?|partition "[^"]*"|code_model "[^"]*")', "", _strip(line))


def _check_top_level(line: str) -> None:
    known = not line.strip() or line.startswith(("@", "%"))
    if not known or re.search(r" = [^\"]*\b(alias|ifunc)\b", line):
        raise EmulatorError(f"not emulated: {line.strip()[:120]}")


def rewrite(text: str, lanes: int | None, kernel: str | None = None) -> Rewritten:
    """The module ready for the JIT, and the data that a launch needs; `lanes` None: the kernel's own."""
    text = spelled_out(text)
    lines = text.splitlines()
    heads = [line for line in lines if line.startswith("define ")]
    chosen = _choose_kernel(heads, kernel, text)
    lanes = lanes or chosen.lanes
    rewriter = _Rewriter(lanes, Locations(text))
    rewriter.declared = {
        signature.symbol: signature
        for signature in (parse_signature(line) for line in lines if line.startswith("declare "))
    }
    defined = (parse_signature(head) for head in heads)
    rewriter.signatures = rewriter.declared | {signature.symbol: signature for signature in defined}
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
            if "@llvm." in line and intrinsic_family(parse_signature(line).symbol) is not None:
                out.append(_strip(line).replace(" local_unnamed_addr", "").replace(" unnamed_addr", ""))
        elif not line.startswith(("target ", "source_filename", "!", ";", "attributes ", "$")):
            _check_top_level(line)
            out.append(_global(line))
    out += [*rewriter.declares, _RUNTIME, *rewriter.wrappers.values(), _entry(chosen)]
    return Rewritten("\n".join(out) + "\n", chosen, lanes, tuple(rewriter.sites), constants, elements)
