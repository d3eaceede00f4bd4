"""The HTML page in headless Chromium: it draws, and pointing at a cell shows what lies there.

Chromium is driven through its DevTools pipe: null-terminated JSON on file descriptors 3 and 4.
"""

import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from limits import HANG_SECONDS

from dotload.layout.encodings import NvmmaShared
from dotload.tools.viewer import html
from dotload.tools.viewer.picture import Picture, pictures_of
from dotload.tools.viewer.source import Subject

SHAPE = (8, 32)
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


class Browser:
    """One page of a headless browser."""

    def __init__(self, profile: Path):
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        flags = "--headless --no-sandbox --disable-gpu --remote-debugging-pipe --no-first-run --window-size=1200,900"
        start = f'exec "$0" {flags} --user-data-dir="$1" 3<&{to_browser} 4>&{from_browser}'
        self.process = subprocess.Popen(
            ["bash", "-c", start, str(CHROMIUM), str(profile)],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._buffer, self._number, self._session = b"", 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def call(self, method: str, **parameters: object) -> dict:
        """Send a command, wait for its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        return self._answer(self._number)["result"]

    def open(self, path: Path, fragment: str = "") -> None:
        """Load a file afresh and wait until its script has run."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=path.as_uri() + fragment)
        deadline = time.monotonic() + HANG_SECONDS
        while self.evaluate("document.readyState === 'complete' && location.protocol === 'file:'") is not True:
            assert time.monotonic() < deadline, "the page did not load"
            time.sleep(0.02)

    def evaluate(self, expression: str) -> object:
        """The value of a JavaScript expression in the page."""
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def point(self, x: float, y: float) -> None:
        """Move the mouse."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def _answer(self, number: int) -> dict:
        """The answer to a command; events that come in between are dropped."""
        while True:
            while b"\0" not in self._buffer:
                ready, _, _ = select.select([self._read], [], [], HANG_SECONDS)
                chunk = os.read(self._read, 65536) if ready else b""
                assert chunk, "the browser does not answer"
                self._buffer += chunk
            text, self._buffer = self._buffer.split(b"\0", 1)
            message = json.loads(text)
            if message.get("id") == number:
                return message

    def close(self) -> None:
        """End the browser that was started."""
        os.close(self._write)
        os.close(self._read)
        self.process.terminate()
        self.process.wait(timeout=HANG_SECONDS)


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
