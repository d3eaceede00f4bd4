"""A headless Chromium for tests of HTML pages.

It is driven through its DevTools pipe: null-terminated JSON on file descriptors 3 and 4.
"""

import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path

from limits import HANG_SECONDS

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


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
        self.problems: list[dict] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Runtime.enable")
        self.call("Log.enable")

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
        self.wait_for("document.readyState === 'complete' && location.protocol === 'file:'")

    def wait_for(self, condition: str) -> None:
        """Wait until a JavaScript expression is true: events come when the page gets to them."""
        deadline = time.monotonic() + HANG_SECONDS
        while self.evaluate(condition) is not True:
            assert time.monotonic() < deadline, f"never came true: {condition}"
            time.sleep(0.02)

    def evaluate(self, expression: str) -> object:
        """The value of a JavaScript expression in the page."""
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def point(self, x: float, y: float) -> None:
        """Move the mouse."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, element: str) -> None:
        """Bring the element that a JavaScript expression names into view and press the mouse in its middle."""
        corner = "e.scrollIntoView(); const box = e.getClientRects()[0]; return [box.x + 5, box.y + box.height / 2];"
        x, y = self.evaluate(f"(e => {{ {corner} }})({element})")
        for type_ in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=type_, x=x, y=y, button="left", clickCount=1)

    def _answer(self, number: int) -> dict:
        """The answer to a command; errors of the page among the events in between are kept."""
        while True:
            while b"\0" not in self._buffer:
                ready, _, _ = select.select([self._read], [], [], HANG_SECONDS)
                chunk = os.read(self._read, 65536) if ready else b""
                assert chunk, "the browser does not answer"
                self._buffer += chunk
            text, self._buffer = self._buffer.split(b"\0", 1)
            message = json.loads(text)
            if message.get("method") in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"):
                self.problems.append(message["params"])
            if message.get("id") == number:
                return message

    def close(self) -> None:
        """End the browser that was started."""
        os.close(self._write)
        os.close(self._read)
        self.process.terminate()
        self.process.wait(timeout=HANG_SECONDS)
