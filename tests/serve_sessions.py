"""Many people at one kiosk: `python tests/serve_sessions.py [SESSIONS]`.

Textual's web server serves `open --kiosk` over a corpus of markup and escape sequences. All
sessions are open at once. Each steps, is refused what reaches files, and pastes a megabyte; half of
them quit, the others close their page. It fails if a screen is not as it should be, if the corpus
is obeyed, if a process stays or if a file is written. Times and memory are printed. It is no part
of `pytest`.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import aiohttp
import psutil
import pyte

REPO = Path(__file__).resolve().parent.parent
SESSIONS = 20
COLUMNS, ROWS = 120, 40
PATIENCE = 60.0
MARKUP = (
    b"<script>alert(1)</script> \x1b[31mred\x1b]2;owned\x07 [bold]low[/bold] low low lower\n" * 3
)
OBEYED = re.compile(rb"\x1b\[31mred|\x1b\]2;owned")
"""The bytes that a terminal would get if the corpus reached it as it is."""
PASTED = "the quick brown fox <script> \N{HOT BEVERAGE} " * 26_000
SERVE = """
import sys
from textual_serve.server import Server
Server(sys.argv[1], port=int(sys.argv[2])).serve()
"""
REFUSED = "This is a kiosk"


class FoundError(Exception):
    """A fault that this program looks for."""


class Session:
    """A page: it sends keys, and draws what comes back on a screen."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self.screen)
        self._tail = b""
        self._news = asyncio.Event()
        self.is_over = False
        self.reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for message in self.socket:
            if message.type is aiohttp.WSMsgType.BINARY:
                if OBEYED.search(self._tail + message.data):
                    raise FoundError("the corpus was obeyed")
                self._tail = message.data[-20:]
                self._stream.feed(message.data)
                self._news.set()
        self.is_over = True
        self._news.set()

    async def send(self, keys: str) -> None:
        await self.socket.send_str(json.dumps(["stdin", keys]))

    async def until(self, what: str, is_met: Callable[[], bool]) -> float:
        """Wait for the screen; return the seconds."""
        started = time.monotonic()
        while not is_met():
            if self.reader.done() and not self.is_over:
                self.reader.result()  # raises the error
            screen = "\n".join(self.screen.display)
            if self.is_over:
                raise FoundError(f"the session ended, not {what}:\n{screen}")
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), PATIENCE)
            except TimeoutError:
                raise FoundError(f"waited in vain for {what}:\n{screen}") from None
        return time.monotonic() - started

    async def shows(self, text: str) -> float:
        return await self.until(text, lambda: text in "\n".join(self.screen.display))


async def visit(number: int, session: Session) -> None:
    """Use one session from its first screen to its end."""
    await session.send("\x1b[F")
    await session.shows("no pair left")
    for key in "sSxoL":
        await session.send(key)
        await session.shows(REFUSED)
        await session.send("\x1b[D\x1b[C")
        await session.until(
            "the sentence to go", lambda: REFUSED not in str(session.screen.display)
        )
    await session.send("e\x01\x0b")
    await session.send(f"\x1b[200~{PASTED}\x1b[201~")
    await session.shows("quick")
    await session.send("\x1b")
    await session.shows(" q quit")  # the keys outside the field
    if number % 2:
        await session.send("q")
        await session.until("the end", lambda: session.is_over)
    await session.socket.close()


def programs(server: psutil.Process) -> list[psutil.Process]:
    """Return the running programs below the server."""
    found = []
    for child in server.children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if "--kiosk" in child.cmdline() and child.name() != "sh":
                found.append(child)
    return found


async def use(server: psutil.Process, port: int, sessions: int) -> None:
    url = f"http://127.0.0.1:{port}/ws?width={COLUMNS}&height={ROWS}"
    async with aiohttp.ClientSession() as client:
        for _ in range(100):  # until the server listens
            with suppress(aiohttp.ClientConnectionError):
                async with client.get(f"http://127.0.0.1:{port}/") as page:
                    page.raise_for_status()
                    break
            await asyncio.sleep(0.1)
        opened = [Session(await client.ws_connect(url, max_msg_size=0)) for _ in range(sessions)]
        firsts = sorted(await asyncio.gather(*(each.shows("step  0") for each in opened)))
        print(f"{sessions} sessions; first screens after {firsts[0]:.1f} to {firsts[-1]:.1f} s")
        running = programs(server)
        memory = sum(each.memory_full_info().uss for each in running)
        print(f"{len(running)} programs, {memory / sessions / 1e6:.0f} MB each of their own")
        await opened[0].send("\x1b[C")
        print(f"a step beside {sessions - 1} idle ones: {await opened[0].shows('step  1'):.2f} s")
        started = time.monotonic()
        await asyncio.gather(*(visit(number, each) for number, each in enumerate(opened)))
        print(f"all have stepped, pasted and left after {time.monotonic() - started:.0f} s")
        for _ in range(200):
            if not programs(server):
                return
            await asyncio.sleep(0.1)
        raise FoundError(f"these still run: {programs(server)}")


def main() -> None:
    sessions = int(sys.argv[1]) if len(sys.argv) > 1 else SESSIONS
    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        place = Path(folder)
        (place / "markup.txt").write_bytes(MARKUP)
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        command = f'"{sys.executable}" -m bpe_tui open markup.txt --view training --kiosk'
        homes = {name: str(place / "home") for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
        server = subprocess.Popen(
            [sys.executable, "-c", SERVE, command, str(port)],
            cwd=place,
            env={**os.environ, **homes, "PYTHONPATH": str(REPO), "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.DEVNULL,
        )
        try:
            asyncio.run(use(psutil.Process(server.pid), port, sessions))
        finally:
            server.terminate()
            server.wait()
        written = [str(path) for path in place.rglob("*") if path.name != "markup.txt"]
        if written:
            raise FoundError(f"files were written: {written}")
    print("nothing was written, nothing runs")


if __name__ == "__main__":
    try:
        main()
    except FoundError as found:
        sys.exit(f"FAILED: {found}")
