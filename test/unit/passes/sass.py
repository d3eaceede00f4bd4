"""Loops of a kernel's machine code, and the registers that a wgmma in flight reads."""

import re
import subprocess
from pathlib import Path

import triton

WRITE_NO_REGISTER = (
    "ST RED LDGSTS LDGDEPBAR BAR BRA MEMBAR DEPBAR WARPGROUP FENCE EXIT NOP CCTL ERRBAR WARPSYNC BSYNC BSSY".split()
)
FRAGMENT_REGISTERS = 4


def report(cubin, folder, option):
    """cuobjdump's report on a kernel."""
    path = folder / "kernel.cubin"
    path.write_bytes(cubin)
    tool = Path(triton.__file__).parent / "backends/nvidia/bin/cuobjdump"
    return subprocess.run([tool, option, path], capture_output=True, text=True, check=True).stdout


def disassemble(cubin, folder):
    """The lines of machine code: (address, instruction)."""
    text = report(cubin, folder, "-sass")
    found = re.findall(r"^\s+/\*([0-9a-f]{4,5})\*/\s+(.*?);", text, re.M)
    return [(int(address, 16), re.sub(r"^@!?U?P\w+\s+", "", line.strip())) for address, line in found]


def spilled_bytes(cubin, folder):
    """The bytes of a thread's stack."""
    return int(re.search(r"STACK:(\d+)", report(cubin, folder, "-res-usage"))[1])


def dot_loops(lines):
    """The bodies of loops with a wgmma in them."""
    for end, line in lines:
        target = re.search(r"^BRA.*?0x([0-9a-f]+)", line)
        if target and int(target[1], 16) < end:
            body = [text for address, text in lines if int(target[1], 16) <= address <= end]
            if any("GMMA." in text for text in body):
                yield body


def fragment(line):
    """The registers that a wgmma reads its A from."""
    a = re.match(r"\S+ R\d+, R(\d+)", line)
    return range(int(a[1]), int(a[1]) + FRAGMENT_REGISTERS) if a else ()


def written(line):
    """The registers that an instruction writes."""
    name = line.split()[0]
    first = re.match(r"\S+\s+(?:P\d, )?R(\d+)\b", line)
    if name.startswith(tuple(WRITE_NO_REGISTER)) or first is None:
        return range(0)
    wide = {".128": 4, ".64": 2, ".WIDE": 2}
    count = 4 if name.startswith("LDSM") and name.endswith(".4") else 1
    count = max([count, *(size for mark, size in wide.items() if mark in name)])
    return range(int(first[1]), int(first[1]) + count)


def writes_to_registers_in_flight(body):
    """Instructions of a loop that write a register from which a wgmma in flight reads its A."""
    under_way, group, found = [], set(), []
    for line in body * 2:
        if "GMMA." in line:
            group |= set(fragment(line))
            if "gsb0" in line:
                under_way, group = [*under_way, group], set()
        elif pending := re.match(r"WARPGROUP\.DEPBAR\.LE gsb0, 0x(\w+)", line):
            left = int(pending[1], 16)
            under_way = under_way[len(under_way) - left :] if left else []
        elif any(set(written(line)) & registers for registers in (*under_way, group)):
            found.append(line)
    return found
