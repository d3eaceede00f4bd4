"""Predicted wavefronts and sectors are equal to the hardware counters that Nsight Compute reads.

Each case launches one warp that executes one access, at the addresses of a random pair of layouts. With
DOTLOAD_GPU_REPORT=FOLDER, the cases, predictions and counters are also written to counters.csv in that folder.
"""

import csv
import io
import os
import random
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from dotload.layout.access import (
    SharedAccess,
    addresses,
    count_matrix_wavefronts,
    count_sectors,
    count_wavefronts,
    global_access,
    shared_access,
    strided_global_access,
    vector_access,
)
from dotload.layout.encodings import SwizzledShared
from dotload.layout.linear import LinearLayout
from dotload.layout.swizzle import Atom, AtomOrder, Major, Mode, Tile

pytestmark = pytest.mark.gpu

SHARED_CASES = 200
GLOBAL_CASES = 200
FREE_CASES = 100
SHARED_BYTES = 32768
GLOBAL_BYTES = 1 << 24

SHARED = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
GLOBAL_LOAD = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
GLOBAL_STORE = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
METRICS = (SHARED, GLOBAL_LOAD, GLOBAL_STORE)

WIDTHS = {1: ("u8", 1), 2: ("u16", 1), 4: ("u32", 1), 8: ("v2.u32", 2), 16: ("v4.u32", 4)}


@dataclass(frozen=True)
class Case:
    """One access: the kernel that executes it, a byte address per lane, the counter and its predicted value."""

    kernel: str
    lanes: tuple[int, ...]
    metric: str
    expected: int
    origin: str


def access_kernel(space: str, verb: str, lane_bytes: int) -> str:
    """A kernel with one ld or st of one width."""
    suffix, count = WIDTHS[lane_bytes]
    kind, register = ("h", "unsigned short") if lane_bytes <= 2 else ("r", "uint32_t")
    listed = ", ".join(f"%{i}" for i in range(count))
    listed = f"{{{listed}}}" if count > 1 else listed
    address = '"r"(at)' if space == "shared" else '"l"(at)'
    if verb == "ld":
        outputs = ", ".join(f'"={kind}"(v[{i}])' for i in range(count))
        body = f'asm volatile("ld.{space}.{suffix} {listed}, [%{count}];" : {outputs} : {address} : "memory");'
    else:
        inputs = ", ".join(f'"{kind}"(v[{i}])' for i in range(count))
        placed = ", ".join(f"%{i + 1}" for i in range(count))
        placed = f"{{{placed}}}" if count > 1 else placed
        body = f'asm volatile("st.{space}.{suffix} [%0], {placed};" :: {address}, {inputs} : "memory");'
    return launcher(f"{space}_{verb}_{lane_bytes}", space, f"{register} v[{count}] = {{}}; {body}", count)


def matrix_kernel(verb: str, matrices: int, trans: bool) -> str:
    """A kernel with one ldmatrix or stmatrix."""
    listed = ", ".join(f"%{i}" for i in range(matrices))
    suffix = f"m8n8.x{matrices}{'.trans' if trans else ''}.shared.b16"
    if verb == "ldmatrix":
        outputs = ", ".join(f'"=r"(v[{i}])' for i in range(matrices))
        asm = f'"ldmatrix.sync.aligned.{suffix} {{{listed}}}, [%{matrices}];" : {outputs} : "r"(at) : "memory"'
    else:
        inputs = ", ".join(f'"r"(v[{i}])' for i in range(matrices))
        asm = f'"stmatrix.sync.aligned.{suffix} [%{matrices}], {{{listed}}};" :: {inputs}, "r"(at) : "memory"'
    name = f"{verb}_{matrices}{'_trans' if trans else ''}"
    return launcher(name, "shared", f"uint32_t v[{matrices}] = {{}}; asm volatile({asm});", matrices)


def launcher(name: str, space: str, body: str, registers: int) -> str:
    """The kernel around one access; its result is used in a comparison that is never true."""
    base = (
        f"__shared__ alignas(1024) char memory[{SHARED_BYTES}];\n    "
        "uint32_t at = (uint32_t)__cvta_generic_to_shared(memory) + (uint32_t)table.at[threadIdx.x];"
        if space == "shared"
        else "uint64_t at = (uint64_t)__cvta_generic_to_global(buffer) + table.at[threadIdx.x];"
    )
    # A narrow load can never equal a wide constant and would be removed, so each register has a narrow constant.
    consumed = " & ".join(f"(v[{i}] == 0xA5 + {i})" for i in range(registers))
    return f"""
__global__ void {name}(const __grid_constant__ Table table, char* buffer) {{
    {base}
    {body}
    if ({consumed}) __nanosleep(1);
}}
"""


# Reads its table like the others, but makes no access: its counters are those of a launch itself.
IDLE = "idle"
KERNELS = {
    IDLE: f"""
__global__ void {IDLE}(const __grid_constant__ Table table, char* buffer) {{
    if (table.at[threadIdx.x] == 0xA5) __nanosleep(1);
}}
""",
    **{
        f"{space}_{verb}_{width}": access_kernel(space, verb, width)
        for space in ("shared", "global")
        for verb in ("ld", "st")
        for width in WIDTHS
    },
    **{
        f"{verb}_{matrices}{'_trans' if trans else ''}": matrix_kernel(verb, matrices, trans)
        for verb in ("ldmatrix", "stmatrix")
        for matrices in (1, 2, 4)
        for trans in (False, True)
    },
}


def program() -> str:
    """A program that reads `kernel address...` lines and launches them in order."""
    table = ", ".join(f'{{"{name}", {name}}}' for name in KERNELS)
    return (
        "#include <fstream>\n#include <map>\n#include <string>\nstruct Table { unsigned at[32]; };\n"
        + "".join(KERNELS.values())
        + f"""
int main(int argc, char** argv) {{
    std::map<std::string, void (*)(Table, char*)> kernels = {{{table}}};
    char* buffer;
    CHECK(cudaMalloc((void**)&buffer, {GLOBAL_BYTES}));
    std::ifstream file(argv[1]);
    std::string name;
    while (file >> name) {{
        Table t;
        for (int i = 0; i < 32; ++i) file >> t.at[i];
        kernels.at(name)<<<1, 32>>>(t, buffer);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
    }}
    return 0;
}}
"""
    )


STYLES = ("shuffled", "vector", "fragment", "transposed", "copies")


def random_distributed(rng: random.Random, rows: int, columns: int) -> LinearLayout:
    """A random distributed layout: arbitrary, with vectors, with fragments, or with copies."""
    bits = [(0, 1 << b) for b in range(columns.bit_length() - 1)] + [(1 << b, 0) for b in range(rows.bit_length() - 1)]
    style = rng.choice(STYLES)
    registers = rng.randrange(len(bits) - 5 + 1)
    head = min(registers, rng.randrange(5))
    rest = bits[head:]
    rng.shuffle(rest)
    if style == "fragment":
        word = min(registers, rng.randrange(3))
        rest = [bit for bit in rest if bit not in bits[: word + 2]] + bits[word + 2 : head]
        cut = registers - word
        register, other = bits[:word] + rest[:cut], bits[word : word + 2] + rest[cut:]
    elif style == "transposed":
        rest = bits[3:]
        rng.shuffle(rest)
        register, other = rest[2 : 2 + registers], [*rest[:2], *bits[:3], *rest[2 + registers :]]
    else:
        if style == "shuffled":
            head, rest = 0, rng.sample(bits, len(bits))
        register, other = [*bits[:head], *rest][:registers], [*bits[:head], *rest][registers:]
    lane, warp = other[:5], other[5:]
    if style == "copies":
        for at in rng.sample(range(5), rng.randrange(1, 4)):
            lane[at] = (0, 0)
    return LinearLayout.from_bases({"register": register, "lane": lane, "warp": warp}, {"dim0": rows, "dim1": columns})


def fragment_like(rng: random.Random, rows: int, columns: int, element_bits: int, *, transposed: bool) -> LinearLayout:
    """A layout with ldmatrix's pattern whose other bits are random, so some rows conflict."""
    bits = [(0, 1 << b) for b in range(columns.bit_length() - 1)] + [(1 << b, 0) for b in range(rows.bit_length() - 1)]
    if transposed:
        rest = rng.sample(bits[3:], len(bits) - 3)
        cut = rng.randrange(1, len(rest) - 1)
        register, lane, warp = rest[:cut], [*rest[cut : cut + 2], *bits[:3]], rest[cut + 2 :]
    else:
        word = 2 - (element_bits.bit_length() - 4)
        rest = rng.sample(bits[word + 2 :], len(bits) - word - 2)
        cut = rng.randrange(len(rest) - 2)
        register = bits[:word] + rest[:cut]
        lane, warp = bits[word : word + 2] + rest[cut : cut + 3], rest[cut + 3 :]
    return LinearLayout.from_bases({"register": register, "lane": lane, "warp": warp}, {"dim0": rows, "dim1": columns})


def random_shared(rng: random.Random, rows: int, columns: int, element_bits: int) -> LinearLayout:
    """A random shared layout: swizzle atoms, Triton's vec / perPhase / maxPhase swizzle, or plain rows."""
    kind = rng.choice(["atoms", "phases", "rows"])
    if kind == "atoms":
        major, mode = rng.choice(list(Major)), rng.choice(list(Mode))
        atom = Atom(major, mode, element_bits)
        if rows % atom.shape[0] == 0 and columns % atom.shape[1] == 0:
            return Tile(atom, (rows, columns), rng.choice(list(AtomOrder))).to_linear_layout()
    if kind == "rows":
        return (
            SwizzledShared(1, 1, 1, rng.choice([(1, 0), (0, 1)]))
            .to_linear_layout((rows, columns))
            .restrict(["offset"], ["dim0", "dim1"])
        )
    vec, per_phase, max_phase = (1 << rng.randrange(n) for n in (5, 4, 5))
    layout = SwizzledShared(vec, per_phase, max_phase, rng.choice([(1, 0), (0, 1)])).to_linear_layout((rows, columns))
    return layout.restrict(["offset"], ["dim0", "dim1"]).transpose_outs(["dim0", "dim1"])


def shared_case(rng: random.Random) -> Case:
    """One instruction of a random pair of layout and access."""
    element_bits = rng.choice([8, 16, 32])
    rows, columns = 1 << rng.randrange(3, 7), 128 * 8 // element_bits >> rng.randrange(2)
    wants_matrices = rng.random() < 0.3
    if wants_matrices:
        rows = max(8, rows)
        modes = [mode for mode in Mode if columns * element_bits // 8 % mode.width_bytes == 0]
        style = rng.choice(["fragment", "transposed"] if element_bits == 16 else ["fragment"])
        distributed = fragment_like(rng, rows, columns, element_bits, transposed=style == "transposed")
        tile = Tile(Atom(Major.K, rng.choice(modes), element_bits), (rows, columns), rng.choice(list(AtomOrder)))
        shared = tile.to_linear_layout()
    else:
        distributed = random_distributed(rng, rows, columns)
        shared = random_shared(rng, rows, columns, element_bits).transpose_outs(["dim0", "dim1"])
    where = addresses(distributed, shared, element_bits)
    direction = rng.choice(["load", "store"])
    access = (
        shared_access(where, direction) if wants_matrices or rng.random() < 0.8 else vector_access(where, direction)
    )
    table = where.table()
    warp = rng.randrange(len(table))
    if access.kind == "vector":
        run = access.lane_bytes * 8 // element_bits
        starts = {int(table[warp, 0, r]) // run * run for r in range(table.shape[2])}
        chosen = rng.choice(sorted(starts))
        zero = int(table[warp, 0, 0]) // run * run
        lanes = [((int(v) // run * run) ^ zero ^ chosen) * element_bits // 8 for v in table[warp, :, 0]]
        kernel = f"shared_{'ld' if direction == 'load' else 'st'}_{access.lane_bytes}"
        assert count_wavefronts(lanes, access.lane_bytes, direction) == access.wavefronts
    else:
        lanes = matrix_rows(access, where.table()[warp], element_bits)
        kernel = ("ldmatrix" if direction == "load" else "stmatrix") + f"_{access.lane_bytes // 4}"
        kernel += "_trans" if access.kind == "matrix.trans" else ""
        rows_given = lanes[: 2 * access.lane_bytes]
        assert count_matrix_wavefronts(rows_given) == access.wavefronts
    return Case(kernel, tuple(lanes), SHARED, access.wavefronts, f"{element_bits}-bit {access.mnemonic}")


def matrix_rows(access: SharedAccess, table: object, element_bits: int) -> list[int]:
    """The row addresses of the first instruction: the 16-byte rows that hold the lanes' registers."""
    pieces: list[int] = []
    elements = 128 // element_bits
    for register in range(table.shape[1]):
        for lane in range(32):
            start = int(table[lane, register]) // elements * elements * element_bits // 8
            if start not in pieces:
                pieces.append(start)
    word = 32 // element_bits
    matrices = access.lane_bytes // 4
    if access.kind == "matrix":
        firsts = sorted({int(table[0, r]) // word * word for r in range(table.shape[1])}, key=lambda v: v)
        base = int(table[0, 0])
        lane_rows = [(int(table[4 * r, 0]) ^ base) for r in range(8)]
    else:
        columns = [int(table[0, 1 << b]) ^ int(table[0, 0]) for b in range((table.shape[1]).bit_length() - 1)]
        distinct = [c for c in columns if c]
        base = int(table[0, 0])
        half, low, high = distinct[0], int(table[1, 0]) ^ base, int(table[2, 0]) ^ base
        lane_rows = [(half if r & 1 else 0) ^ (low if r & 2 else 0) ^ (high if r & 4 else 0) for r in range(8)]
        span = {0}
        for column in distinct[1:]:
            span |= {v ^ column for v in span}
        firsts = [base ^ v for v in sorted(span)]
    chosen = firsts[:matrices]
    rows = [(first ^ row) // elements * elements * element_bits // 8 for first in chosen for row in lane_rows]
    assert set(rows) <= set(pieces)
    return (rows * (32 // len(rows)))[:32]


def global_case(rng: random.Random) -> Case:
    """One request for a random tile in a matrix of random pitch."""
    element_bits = rng.choice([8, 16, 32, 64])
    rows, columns = 1 << rng.randrange(3, 7), 1 << rng.randrange(3, 8)
    distributed = random_distributed(rng, rows, columns)
    unit = 32 * 8 // element_bits
    pitch = rng.choice([columns, columns + unit, 5120, 1024, max(1, rng.randrange(columns, 4096))])
    strides = {"dim0": pitch, "dim1": 1}
    access = strided_global_access(distributed, element_bits, strides)
    run = access.lane_bytes * 8 // element_bits
    lanes = []
    for lane in range(32):
        place = distributed.apply({"register": 0, "lane": lane, "warp": 0})
        lanes.append((place["dim0"] * pitch + place["dim1"]) // run * run * element_bits // 8)
    verb = rng.choice(["ld", "st"])
    # Requests of one tile differ if rows start at different offsets within a sector: this runs the first one.
    expected = count_sectors(lanes, access.lane_bytes)
    if pitch * element_bits // 8 % 32 == 0 and pitch >= columns:
        whole = global_access(distributed, element_bits)
        assert whole.sectors == expected * whole.requests
    metric = GLOBAL_LOAD if verb == "ld" else GLOBAL_STORE
    return Case(
        f"global_{verb}_{access.lane_bytes}", tuple(lanes), metric, expected, f"{element_bits}-bit pitch {pitch}"
    )


def free_case(rng: random.Random) -> Case:
    """Addresses without a layout: random words in a few rows of banks, with repetitions, some with lane i as lane i
    ^ d."""
    width = rng.choice(sorted(WIDTHS))
    window = rng.choice([128, 256, 1024, 4096])
    pool = [rng.randrange(window // width) * width for _ in range(rng.choice([4, 16, 32]))]
    lanes = [rng.choice(pool) for _ in range(32)]
    paired = rng.choice([0, 0, 1, 2, 4, 8, 16])
    for lane in range(16 if rng.random() < 0.3 else 32):
        lanes[lane] = lanes[lane & ~paired]
    verb = rng.choice(["ld", "st"])
    expected = count_wavefronts(lanes, width, "load" if verb == "ld" else "store")
    return Case(f"shared_{verb}_{width}", tuple(lanes), SHARED, expected, f"free, lanes paired at {paired}")


def measure(executable: Path, cases: list[Case], folder: Path) -> list[dict[str, int]]:
    """The counters of every launch, in order, minus those of an idle launch."""
    listing = folder / "cases.txt"
    idle = Case(IDLE, (0,) * 32, SHARED, 0, "no access")
    launches = [idle, *cases]
    listing.write_text("".join(f"{c.kernel} {' '.join(map(str, c.lanes))}\n" for c in launches))
    command = ["ncu", "--csv", "--clock-control", "none", "--metrics", ",".join(METRICS), str(executable), str(listing)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    lines = done.stdout.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith('"ID"'))
    found: list[dict[str, int]] = [{} for _ in launches]
    for row in csv.DictReader(io.StringIO("\n".join(lines[start:]))):
        found[int(row["ID"])][row["Metric Name"]] = int(float(row["Metric Value"].replace(",", "")))
    base = found[0]
    return [{metric: count - base[metric] for metric, count in counters.items()} for counters in found[1:]]


def write_report(cases: list[Case], found: list[dict[str, int]], name: str) -> None:
    folder = os.environ.get("DOTLOAD_GPU_REPORT")
    if not folder:
        return
    with (Path(folder) / f"counters_{name}.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["kernel", "origin", "predicted", "counted", *METRICS, "lanes"])
        for case, counters in zip(cases, found, strict=True):
            all_counters = [counters.get(metric) for metric in METRICS]
            row = [case.kernel, case.origin, case.expected, counters.get(case.metric), *all_counters]
            writer.writerow([*row, " ".join(map(str, case.lanes))])


def build_cases(maker: Callable[[random.Random], Case], count: int, seed: int) -> list[Case]:
    rng = random.Random(seed)
    return [maker(rng) for _ in range(count)]


SETS = {"shared": (shared_case, SHARED_CASES), "global": (global_case, GLOBAL_CASES), "free": (free_case, FREE_CASES)}


@pytest.fixture(scope="module")
def executable(profiled_hopper: None, build: Callable[..., Path]) -> Path:
    return build("access_counters", program(), program=True)


@pytest.mark.parametrize("which", SETS)
def test_predictions_equal_the_counters(which: str, executable: Path, tmp_path: Path) -> None:
    maker, count = SETS[which]
    cases = build_cases(maker, count, seed=2024)
    found = measure(executable, cases, tmp_path)
    write_report(cases, found, which)
    wrong = [
        f"{case.kernel} ({case.origin}): predicted {case.expected}, counted {counters.get(case.metric)}"
        for case, counters in zip(cases, found, strict=True)
        if counters.get(case.metric) != case.expected
    ]
    assert len(found) == count
    assert not wrong, f"{len(wrong)} of {count}:\n" + "\n".join(wrong[:20])
