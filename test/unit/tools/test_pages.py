"""The HTML pages in headless Chromium: layouts are drawn and describe the cell at the mouse, inspections are linked by
line."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import inspected
from browser import CHROMIUM, Browser

import dotload
from dotload.layout.encodings import NvmmaShared
from dotload.tools.viewer import html
from dotload.tools.viewer.picture import Picture, pictures_of
from dotload.tools.viewer.source import Subject

SHAPE = (8, 32)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    found = Browser(tmp_path_factory.mktemp("profile"))
    yield found
    found.close()


@pytest.fixture(scope="module")
def pictures() -> list[Picture]:
    subject = Subject("#shared", NvmmaShared(64, False, 16).to_linear_layout(SHAPE), SHAPE)
    return pictures_of(subject)


@pytest.fixture(scope="module")
def page(pictures: list[Picture], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "layout.html"
    path.write_text(html.render(pictures, "a swizzled tile"), encoding="utf-8")
    return path


def test_pointing_at_a_cell_shows_its_hover_text(browser: Browser, page: Path, pictures: list[Picture]) -> None:
    browser.open(page)
    assert browser.evaluate("document.title") == "a swizzled tile"
    assert browser.evaluate("document.querySelectorAll('canvas').length") == 2
    for row, column in ((0, 0), (2, 0), (7, 31)):
        place = browser.evaluate(
            "(() => { const box = views[0].canvas.getBoundingClientRect();"
            f" return [box.left + LEFT + {column + 0.5} * views[0].width, box.top + TOP + {row + 0.5} * HEIGHT]; }})()"
        )
        assert isinstance(place, list)
        browser.point(*place)
        assert browser.evaluate("document.getElementById('hover').textContent") == pictures[0].hover(row, column)
    assert "byte 144, bank 4" in pictures[0].hover(2, 0)


def test_the_cells_have_the_colours_of_the_picture(browser: Browser, page: Path, pictures: list[Picture]) -> None:
    browser.open(page)
    for row, column in ((0, 0), (3, 9), (7, 31)):
        pixel = browser.evaluate(
            "(() => { const v = views[0], s = window.devicePixelRatio || 1;"
            f" return Array.from(v.canvas.getContext('2d').getImageData((LEFT + {column} * v.width + 3) * s,"
            f" (TOP + {row} * HEIGHT + 3) * s, 1, 1).data.slice(0, 3)); }})()"
        )
        colour = pictures[0].colours()[row][column]
        assert pixel == [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


def test_a_link_selects_a_cell_and_the_colour_can_be_changed(
    browser: Browser, page: Path, pictures: list[Picture]
) -> None:
    browser.open(page, "#1,2,3")
    assert browser.evaluate("document.getElementById('hover').textContent") == pictures[1].hover(2, 3)
    change = "const s = document.querySelector('select'); s.value = 'line'; s.onchange();"
    assert browser.evaluate(f"(() => {{ {change} return views[0].colour; }})()") == "line"


@pytest.fixture(scope="module")
def inspection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pointers = {"a": "*fp8e4nv:16", "b": "*fp8e4nv:16", "c": "*fp16:16"}
    types = pointers | dict.fromkeys(("K", "stride_a", "stride_b", "stride_c"), "i32:16")
    path = tmp_path_factory.mktemp("page") / "matmul.html"
    dotload.inspect(inspected.matmul, types, constants={"BM": 64, "BN": 64, "BK": 64}, num_warps=4).save_html(str(path))
    return path


MARKED = "Array.from(document.querySelectorAll('p.marked'), row => row.textContent)"


def test_lines_of_an_inspection_are_linked(browser: Browser, inspection: Path) -> None:
    browser.problems.clear()
    browser.open(inspection)
    assert browser.evaluate(MARKED) == []
    browser.click("Array.from(document.querySelectorAll('p')).find(row => row.textContent.includes('tl.load(pa)'))")
    browser.wait_for(f"String({MARKED}[0]).includes('tl.load(pa)')")
    marked = browser.evaluate(MARKED)
    for stage in ("ttg.async_copy_global_to_local", "cp.async", "LDGSTS"):
        assert any(stage in line for line in marked), stage
    browser.click("document.querySelector('pre a')")
    browser.wait_for(f"String({MARKED}[0]).includes('tl.load(pb)')")  # the line of the remark
    change = "s.value = 'stock'; s.onchange();"
    texts = (
        f"(s => {{ {change} return document.querySelector('main').textContent; }})(document.querySelector('select'))"
    )
    assert "st.shared.b8" in browser.evaluate(texts)
    assert browser.problems == []


@pytest.mark.parametrize("width", [1280, 800])
def test_an_inspection_fits_its_window(browser: Browser, inspection: Path, width: int) -> None:
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    browser.open(inspection)
    assert browser.evaluate("document.documentElement.scrollWidth") == width, "columns scroll, the page does not"
    assert browser.evaluate("document.querySelector('header').scrollWidth") <= width
    assert browser.evaluate("Math.min(...Array.from(document.querySelectorAll('section'), s => s.clientWidth))") >= 300
    browser.call("Emulation.clearDeviceMetricsOverride")
