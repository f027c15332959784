"""A real browser without a window, driven over a pipe; it opens files and presses keys."""

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """A page in the browser, spoken to in the DevTools protocol."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._out = os.fdopen(to_browser, "wb", buffering=0)
        self._in = os.fdopen(from_browser, "rb", buffering=0)
        self._rest = b""
        self._number = 0
        self._session: str | None = None
        self.messages: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = self._in.read(1 << 16)
            assert part, "the browser has ended"
            self._rest += part
        message, _, self._rest = self._rest.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        request = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            request["sessionId"] = self._session
        self._out.write(json.dumps(request).encode() + b"\0")
        while (message := self._message()).get("id") != self._number:
            self.messages.append(message)
        assert "error" not in message, message
        result: dict[str, Any] = message["result"]
        return result

    def open(self, path: Path, width: int, height: int, scheme: str = "dark") -> None:
        """Open a file in a window of this size, and wait until it is loaded."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=features)
        self.messages.clear()
        self.call("Page.navigate", url=path.as_uri())
        while not any(message.get("method") == "Page.loadEventFired" for message in self.messages):
            self.messages.append(self._message())

    def value(self, script: str) -> Any:
        """Return the value of a script in the page."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            text = {"text": key} if len(key) == 1 and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, **text)

    def tap(self, x: float, y: float) -> None:
        """Tap a point of the window with a finger."""
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def complaints(self) -> list[dict[str, Any]]:
        """Return errors of scripts and of the policy, and each request but for files."""
        return [
            message
            for message in self.messages
            if message.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")
            or (
                message.get("method") == "Network.requestWillBeSent"
                and not message["params"]["request"]["url"].startswith("file:")
            )
        ]

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """Start the browser with an empty profile; it is gone at the end."""
    assert PROGRAM is not None
    reads, to_browser = os.pipe()
    from_browser, writes = os.pipe()
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"]
    # It opens files only, so it needs nothing from elsewhere.
    options += ["--disable-background-networking", "--disable-component-update"]
    options += ["--disable-sync", "--no-first-run"]
    # The browser reads commands from descriptor 3, and answers on 4; 8 and 9 are free for certain.
    shell = f'exec 8<&{reads} 9>&{writes}; exec "$@" 3<&8 4>&9'
    started = subprocess.Popen(
        ["bash", "-c", shell, "bash", PROGRAM, *options, f"--user-data-dir={profile}"],
        pass_fds=(reads, writes),
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    os.close(reads)
    os.close(writes)
    try:
        yield Browser(to_browser, from_browser)
    finally:
        started.terminate()
        started.wait(10)
