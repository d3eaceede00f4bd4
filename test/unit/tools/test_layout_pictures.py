"""Pictures agree with the layouts, and every renderer draws all of it."""

import dataclasses
import json
import re
import shutil
import struct
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

from dotload.layout.access import addresses, shared_access
from dotload.layout.encodings import Blocked, NvmmaShared
from dotload.layout.swizzle import Atom, Major, Mode
from dotload.tools.viewer import html, png, ptx, svg, terminal, tikz
from dotload.tools.viewer.block_plan import plan_for, plan_pictures
from dotload.tools.viewer.compare import compare_pictures, compare_text
from dotload.tools.viewer.crop import ELLIPSIS, crop, warp_borders
from dotload.tools.viewer.gallery import FIGURES, draw_all
from dotload.tools.viewer.picture import (
    CYCLE,
    atom_pictures,
    bank_picture,
    colour_of,
    held_registers,
    held_tensor,
    memory,
    shared_tensor,
)
from dotload.tools.viewer.source import Subject, UserError

SHAPE = (16, 64)
HELD = Subject("#blocked", Blocked((1, 4), (2, 16), (2, 1), (1, 0)).to_linear_layout(SHAPE), SHAPE)
SHARED = Subject("#shared", NvmmaShared(64, False, 16).to_linear_layout(SHAPE), SHAPE)
COPIES = Subject("#copies", Blocked((1, 4), (8, 4), (4, 1), (1, 0)).to_linear_layout((8, 16)), (8, 16))
GALLERY = Path(__file__).parents[3] / "docs" / "gallery"


def test_a_held_tensor_names_the_holder_of_every_element() -> None:
    picture = held_tensor(HELD)
    for row in range(16):
        for column in range(64):
            at = {name: int(picture.fields[name][row, column]) for name in ("register", "lane", "warp", "block")}
            assert HELD.layout.apply(at) == {"dim0": row, "dim1": column}
    assert picture.hover(0, 5).startswith("dim0 0, dim1 5, register 1, lane 1, warp 0")
    assert picture.labels()[0][5] == "T1:1"


def test_copies_are_counted_and_the_first_holder_wins() -> None:
    picture = held_tensor(COPIES)
    assert set(picture.fields["copies"].ravel().tolist()) == {4}
    assert set(picture.fields["warp"].ravel().tolist()) == {0}


def test_memory_and_tensor_pictures_are_inverse() -> None:
    there, back = shared_tensor(SHARED), memory(SHARED)
    for line in range(back.size[0]):
        for column in range(back.size[1]):
            row, element = back.fields["dim0"][line, column], back.fields["dim1"][line, column]
            assert there.fields["offset"][row, element] == back.fields["offset"][line, column]
    assert there.fields["bank"].max() == 31
    assert int(there.fields["byte"][2, 0]) == 2 * 64 + 16  # row 2 of a 64-byte swizzle: chunk 0 is at position 1


def test_the_hardware_picture_shows_one_warp() -> None:
    picture = held_registers(HELD, warp=1)
    assert picture.size == (HELD.layout.in_sizes["register"], 32)
    place = HELD.layout.apply({"register": 5, "lane": 7, "warp": 1, "block": 0})
    assert picture.labels()[5][7] == f"{place['dim0']},{place['dim1']}"


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("major", Major)
def test_atom_pictures_show_the_same_chunks_twice(major: Major, mode: Mode) -> None:
    matrix, stored = atom_pictures(Atom(major, mode, 16))
    place_of = {int(c): int(p) for c, p in zip(stored.fields["chunk"].flat, stored.fields["place"].flat, strict=True)}
    for chunk, place in zip(matrix.fields["chunk"].flat, matrix.fields["place"].flat, strict=True):
        assert place_of[int(chunk)] == int(place)
    # Chunks of one column, an 8x16-byte matrix, lie in eight different groups of banks.
    for column in range(mode.chunks):
        groups = matrix.fields["group"][matrix.fields["column"] == column]
        assert sorted(groups.tolist()) == list(range(8))


def test_the_heat_map_adds_up_to_the_wavefronts() -> None:
    plain = Subject("#plain", NvmmaShared(0, False, 16).to_linear_layout(SHAPE), SHAPE)
    down = Subject("#down", Blocked((1, 8), (16, 2), (1, 4), (1, 0)).to_linear_layout(SHAPE), SHAPE)
    for target in (plain, SHARED):
        where = addresses(down.layout, target.layout, 16)
        access = shared_access(where, "store")
        words = bank_picture(where, access, "").fields["words"]
        assert words.max(axis=1).sum() == access.wavefronts
    assert shared_access(addresses(down.layout, plain.layout, 16), "store").conflict_ways == 4


def test_side_by_side() -> None:
    pictures = compare_pictures(HELD, SHARED)
    assert len(pictures) == 4
    hover = pictures[1].hover(2, 0)
    assert all(name in hover for name in ("dim0 2", "lane", "register", "warp", "byte 144", "bank 4"))
    assert compare_text(SHARED, HELD).startswith("load:")
    turned = Subject("#turned", Blocked((1, 4), (2, 16), (1, 2), (1, 0)).to_linear_layout(SHAPE), SHAPE)
    assert "moved" in compare_text(HELD, turned)
    assert "nowhere" in compare_text(HELD, HELD)
    with pytest.raises(UserError, match="both layouts are of shared memory"):
        compare_text(SHARED, SHARED)


def test_a_conversion_says_how_far_it_goes() -> None:
    def held(*parts: tuple[int, ...]) -> Subject:
        return Subject("", Blocked(*parts).to_linear_layout((16, 64)), (16, 64))

    first = held((1, 4), (2, 16), (2, 1), (1, 0))
    assert "between warps" in compare_text(first, held((1, 4), (2, 16), (1, 2), (1, 0)))
    assert "between lanes" in compare_text(first, held((1, 4), (2, 16), (2, 1), (0, 1)))


def test_svg_is_well_formed_and_complete() -> None:
    text = svg.render([shared_tensor(SHARED)], "dotload-layout -l a -- b")
    root = ElementTree.fromstring(text)
    space = "{http://www.w3.org/2000/svg}"
    cells = root.findall(f".//{space}rect/{space}title")
    assert len(cells) == 16 * 64
    assert cells[2 * 64].text == shared_tensor(SHARED).hover(2, 0)
    assert text == svg.render([shared_tensor(SHARED)], "dotload-layout -l a -- b")


def test_html_carries_the_numbers_and_nothing_from_outside() -> None:
    page = html.render([held_tensor(HELD)], "<title> & more")
    data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)[1])
    fields = data["pictures"][0]["fields"]
    assert fields["register"] == held_tensor(HELD).fields["register"].ravel().tolist()
    assert "http" not in page
    assert "<title>&lt;title&gt; &amp; more</title>" in page


def test_png_is_drawn() -> None:
    """It is the SVG, at twice its size."""
    pytest.importorskip("resvg_py")
    start = png.render([shared_tensor(SHARED)])[:24]
    assert start.startswith(b"\x89PNG")
    size = re.search(r'width="(\d+)" height="(\d+)"', svg.render([shared_tensor(SHARED)])).groups()
    assert struct.unpack(">II", start[16:24]) == tuple(2 * int(number) for number in size)


def test_png_has_the_text(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """resvg omits text if it does not find the font; without any font, a warning says so."""
    pytest.importorskip("resvg_py")
    if png.monospaced_family() is None:
        pytest.skip("no monospaced font is installed")
    written = png.render([shared_tensor(SHARED)])
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(png, "monospaced_family", lambda: None)
    monkeypatch.setattr(png.svg, "render", lambda pictures, whole, real=svg.render: without_text(real(pictures)))
    assert png.render([shared_tensor(SHARED)]) != written
    assert "warning: no monospaced font was found" in capsys.readouterr().err


def without_text(drawing: str) -> str:
    return re.sub(r"<text .*?</text>", "", drawing)


BIG = held_tensor(Subject("big", Blocked((1, 1), (4, 8), (2, 2), (1, 0)).to_linear_layout((128, 256)), (128, 256)))


def test_a_big_tile_is_shortened_and_says_what_is_left_out() -> None:
    part = crop(BIG, 9, 5)
    assert part.rows == (0, 1, 2, 3, ELLIPSIS, 124, 125, 126, 127)
    assert part.columns == (0, 1, ELLIPSIS, 254, 255)
    assert part.note == "left out: row 4 to 123, column 2 to 253"
    assert crop(BIG, 128, 256).note == ""
    drawn = svg.render([BIG])
    assert drawn.count("<rect x=") == 63 * 63
    assert "left out: row 32 to 96, column 32 to 224" in drawn
    assert svg.render([BIG], whole=True).count("<rect x=") == 128 * 256


def test_borders_lie_between_warps_and_nowhere_else() -> None:
    small = held_tensor(Subject("small", Blocked((1, 1), (4, 8), (2, 2), (1, 0)).to_linear_layout((8, 16)), (8, 16)))
    sides = set(warp_borders(small, crop(small)))
    assert sides == {(row, 8, True) for row in range(8)} | {(4, column, False) for column in range(16)}


def test_the_terminal_fits_its_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "72")
    monkeypatch.setenv("LINES", "20")
    wordy = dataclasses.replace(BIG, title="#ttg.blocked<{sizePerThread = [1, 1], order = [1, 0]}> " * 3)
    for picture in (BIG, wordy):
        lines = re.sub(r"\x1b\[[0-9;]*m", "", terminal.render([picture])).splitlines()
        assert len(lines) <= 20
        assert max(map(len, lines)) <= 72


def test_one_mma_is_drawn_with_b_above_and_a_to_the_left() -> None:
    pictures = {picture.column_name + picture.row_name: picture for picture in ptx.mma_pictures("m16n8k16", "f16")}
    assert {name: picture.place for name, picture in pictures.items()} == {"KM": (1, 0), "NK": (0, 1), "NM": (1, 1)}
    drawn = svg.render(list(pictures.values()))
    b, a, c = re.findall(r"translate\((\d+) (\d+)\)", drawn)
    assert (a[1], b[0]) == (c[1], c[0])
    assert int(a[0]) < int(c[0])
    assert int(b[1]) < int(c[1])


def test_tikz_has_every_cell_and_escapes_what_latex_reads() -> None:
    drawn = tikz.render([held_tensor(COPIES)])
    cells = re.findall(r"node\[midway\] \{(T\d+:\d+)\};", drawn)
    assert cells == [label for row in held_tensor(COPIES).labels() for label in row]
    assert drawn.count(r"\begin{tikzpicture}") == drawn.count(r"\end{tikzpicture}") == 1
    assert tikz.escaped("a_b<#1>\\") == r"a{\char95}b<\#1>{\char92}"


def test_tikz_draws_one_mma_on_one_page_and_others_on_their_own() -> None:
    assert tikz.render(ptx.mma_pictures("m16n8k16", "f16")).count(r"\begin{tikzpicture}") == 1
    assert tikz.render([held_tensor(COPIES)] * 2).count(r"\begin{tikzpicture}") == 2


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX")
def test_latex_takes_it_without_a_warning_of_its_fonts(tmp_path: Path) -> None:
    (document := tmp_path / "picture.tex").write_text(tikz.render([held_tensor(COPIES)]))
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", document.name]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    if "standalone.cls' not found" in ended.stdout:
        pytest.skip("LaTeX without the class standalone")
    assert ended.returncode == 0, ended.stdout
    assert "Font Warning" not in ended.stdout


def test_a_block_load_is_drawn_without_what_its_warp_does_not_read() -> None:
    dpas = "#ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, "
    dpas += "warpsPerCTA = [4, 2], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>"
    plan = plan_for(f"#ttg.dot_op<{{opIdx = 0, parent = {dpas}, kWidth = 1}}>", "tensor<256x32xf16>", False, "xe2")
    pictures = plan_pictures(plan)
    assert [picture.rows for picture in pictures] == [tuple(range(0, 32)), tuple(range(128, 160))]
    for picture in pictures:
        drawn = svg.render([picture])
        assert "left out" not in drawn
        assert drawn.count("<rect x=") == 32 * 32
        data = json.loads(re.search(r'application/json">(.*?)</script>', html.render([picture], ""))[1])
        (shown,) = data["pictures"]
        assert shown["numbers"] == [list(picture.rows), list(range(32))]
        assert shown["fields"]["row"] == [row for row in picture.rows for _ in range(32)]
        assert min(shown["fields"]["load"]) >= 0


def test_the_terminal_table_has_every_label_on_its_colour() -> None:
    picture = held_tensor(COPIES)
    drawn = terminal.render([picture], whole=True)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", drawn)
    assert re.findall(r"T\d+:\d+", plain.split("across", 1)[1]) == [c for row in picture.labels() for c in row]
    assert "\x1b[38;2;0;0;0;48;2;" in drawn


def test_colours() -> None:
    assert colour_of(17, "cycle", 40) == CYCLE[1]
    assert colour_of(-1, "cycle", 40) == colour_of(0, "heat", 8) == "#ffffff"
    reds = [int(colour_of(value, "heat", 8)[3:5], 16) for value in range(1, 9)]
    assert reds == sorted(reds, reverse=True)
    assert len(set(CYCLE)) == len(CYCLE)


def test_the_gallery_is_what_the_command_draws(tmp_path: Path) -> None:
    fresh = {Path(path).name: Path(path).read_text() for path in draw_all(str(tmp_path))}
    committed = {path.name: path.read_text() for path in GALLERY.iterdir()}
    assert sorted(committed) == sorted(fresh)
    for name, text in fresh.items():
        assert committed[name] == text, f"{name} is stale: run dotload-layout gallery docs/gallery"
    assert len(FIGURES) == len(fresh) - 1


def test_a_figure_of_block_loads_has_the_columns_of_the_warp_alone() -> None:
    """Each picture numbers its own; no figure is much wider than a page."""
    drawn = (GALLERY / "dpas_b_loads.svg").read_text()
    assert "columns 0 to 31" in drawn
    assert "columns 128 to 159" in drawn
    assert "left out" not in drawn
    assert int(re.search(r'width="(\d+)"', drawn)[1]) < 1000


def test_every_figure_of_the_manual_is_there() -> None:
    numbers = {int(match[1]) for figure in FIGURES if (match := re.match(r"ptx_(\d+)", figure.name))}
    assert numbers == set(range(156, 170))
    assert np.all([figure.caption for figure in FIGURES])
