"""Failures of the program are reported, and the application goes on."""

import errno
import io
import os
import pty
import select
import signal
import sys
import termios
import threading
import tty
import warnings
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from threading import Thread
from typing import Any
from unittest.mock import Mock

import pytest
from opening import opened, step, until
from program import HANDOUT
from textual import events
from textual.app import App
from textual.drivers._writer_thread import WriterThread
from textual.message_pump import MessagePump

from bpe_tui.app import base, terminal
from bpe_tui.app.app import BpeTuiApp, run_app
from bpe_tui.app.base import run_screen
from bpe_tui.app.terminal import Interrupts
from bpe_tui.bpe.heap_panel import PairsPanel
from bpe_tui.bpe.windows import LedgerWindow
from bpe_tui.session import state
from bpe_tui.session.config import RunConfig
from bpe_tui.widgets.textual_private import guard_messages
from engine.core.errors import CorpusError

SECRET = "a secret of the corpus"


def fail(*_: Any) -> Any:
    raise LookupError(SECRET)


@pytest.fixture
def surviving(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make applications survive failures, as at a terminal."""
    monkeypatch.setattr(MessagePump, "_dispatch_message", MessagePump._dispatch_message)
    monkeypatch.setattr("threading.excepthook", lambda _: None)
    monkeypatch.setattr(state, "_written", {})


def survive(app: BpeTuiApp) -> None:
    app._goes_on = True
    guard_messages(app.report_failure)


def only_report(state: Path) -> Path:
    (found,) = (state / "bpe-tui" / "reports").iterdir()
    return found


@pytest.mark.usefixtures("surviving")
async def test_a_panel_that_fails_shows_the_failure_and_the_others_go_on(
    own_state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(vocab_size=300) as (app, pilot):
        survive(app)
        monkeypatch.setattr(PairsPanel, "rows_of", fail)
        await pilot.press("right", "right")
        panel = app.screen.query_one(PairsPanel)
        shown = " ".join(text for row in panel._rows for text, _ in row.spans)
        assert "failed (LookupError)" in shown
        assert step(app) == 2
        written = only_report(own_state)
        assert SECRET not in written.read_text() + shown
        assert written.stat().st_mode & 0o077 == 0


@pytest.mark.usefixtures("surviving")
async def test_failures_of_keys_and_threads_are_shown_too(
    own_state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(vocab_size=300) as (app, pilot):
        assert not app.goes_on_after(LookupError())  # a test sees it
        survive(app)
        assert app.goes_on_after(LookupError())
        assert "failed (LookupError)" in app.notices.note
        app._warned(UserWarning("odd\x1b"))
        await until(pilot, lambda: app.notices.note == "Odd␛.")
        monkeypatch.setattr("threading.excepthook", app._thread_failed)
        monkeypatch.setattr(BpeTuiApp, "action_light", fail)
        await pilot.press("n")
        app.call_later(app.action_light)
        await until(pilot, lambda: "failed" in app.notices.note)
        app.close_note()
        Thread(target=fail).start()
        await until(pilot, lambda: "failed" in app.notices.note)
        last = step(app)
        await pilot.press("left")
        assert step(app) == last - 1
        end = Mock()
        monkeypatch.setattr(app.jobs, "end", end)
    assert not app.goes_on_after(LookupError())
    end.assert_called_once_with()


def test_a_program_at_a_terminal_survives_and_ends_with_a_code_or_its_failure(
    monkeypatch: pytest.MonkeyPatch, surviving: None
) -> None:
    seen: list[object] = []
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    monkeypatch.setattr(base, "guard_messages", lambda survive: seen.append(survive.__name__))
    for name in ("sys.setswitchinterval", "bpe_tui.app.terminal.keys_from_terminal"):
        monkeypatch.setattr(name, lambda *_, name=name: seen.append(name.rpartition(".")[2]))
    for module in ("base", "app"):
        name = f"bpe_tui.app.{module}.tolerate_bad_bytes"
        monkeypatch.setattr(name, lambda: seen.append("bad bytes"))
    failure = LookupError("no corpus")
    codes = [None, 3, None, None, 4]

    def run(app: Any) -> None:
        hooks = threading.excepthook, warnings.showwarning
        assert (app._goes_on, *hooks) == (True, app._thread_failed, app._warned)
        app.failure = failure if len(codes) == 3 else None
        app._return_code = codes.pop(0)

    monkeypatch.setattr(App, "run", run)
    begun = ["setswitchinterval", "bad bytes"]
    assert (run_app(None), seen) == (0, [*begun, "report_failure"])
    seen.clear()
    assert (run_app(RunConfig(HANDOUT)), seen) == (3, [*begun, "report_failure"])
    seen.clear()
    with pytest.raises(LookupError):
        run_app(RunConfig("-"))
    assert seen == [*begun, "keys_from_terminal", "report_failure"]
    seen.clear()
    assert (run_screen(Mock()), run_screen(Mock())) == (0, 4)
    assert seen == ["bad bytes", "report_failure"] * 2


@pytest.mark.usefixtures("surviving")
async def test_a_program_whose_output_fails_ends_without_a_report(
    own_state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []
    monkeypatch.setattr(terminal.LastResort, "begin", lambda _, number: begun.append(number))
    async with opened(vocab_size=300) as (app, pilot):
        survive(app)
        monkeypatch.setattr("threading.excepthook", app._thread_failed)
        gone = Mock(write=Mock(side_effect=OSError(errno.EIO, "gone")))
        output = WriterThread(gone)
        output.start()
        output.write("low")
        await until(pilot, lambda: app.return_code)
    assert (app.return_code, begun) == (128 + signal.SIGTERM, [signal.SIGTERM])
    assert not (own_state / "bpe-tui" / "reports").exists()


async def test_keys_behind_the_one_that_leaves_open_nothing() -> None:
    async with opened(vocab_size=300) as (app, pilot):
        for key in ("ctrl+q", "s"):
            app._driver.send_message(events.Key(key, None))  # type: ignore[union-attr]
        await pilot.pause()
    assert app.return_code == 0


def test_in_a_browser_the_driver_of_the_web_server_has_the_keys(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TEXTUAL_DRIVER", "textual.drivers.web_driver:WebDriver")
    with pytest.raises(CorpusError, match="keys of a web page"):
        terminal.keys_from_terminal()


def test_the_corpus_of_a_pipe_is_read_beside_the_keys_of_the_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before, (corpus, writes), (other, keyboard) = os.dup(0), os.pipe(), pty.openpty()
    os.write(writes, b"low")
    os.close(writes)
    os.dup2(corpus, 0)
    os.close(corpus)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.setattr(os, "open", lambda *_: keyboard)
    try:
        terminal.keys_from_terminal()
        with sys.stdin as piped:
            assert (os.isatty(0), piped.read()) == (True, "low")
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(keyboard)  # number 0 alone has the keys
    finally:
        os.dup2(before, 0)
        for number in (before, other):
            os.close(number)


@pytest.mark.unix
def test_at_last_a_terminal_has_its_settings_again_unless_it_was_given_back_or_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ends: list[object] = []
    monkeypatch.setattr(os, "_exit", ends.append)
    monkeypatch.setattr(terminal, "SECONDS_TO_END", 0)
    monkeypatch.setattr(terminal, "start_new_thread", lambda work, given: work(*given))
    kept, (outer, inner) = (os.dup(0), os.dup(2)), pty.openpty()
    before = termios.tcgetattr(inner)
    try:
        os.dup2(inner, 0)
        os.dup2(inner, 2)
        last_resort = terminal.LastResort()
        tty.setraw(inner)
        last_resort.begin(signal.SIGTERM)
        assert os.read(outer, 1000) == terminal.RESET
        assert termios.tcgetattr(inner) == before
        tty.setraw(inner)
        settings = termios.tcgetattr(inner)
        last_resort.give_back = bool  # as the application does once it has given it back
        last_resort.begin(signal.SIGTERM)
        assert termios.tcgetattr(inner) == settings
        assert select.select([outer], [], [], 0)[0] == []
        gone = terminal.LastResort()
        os.close(outer)
        gone.begin(signal.SIGHUP)
        os.dup2(kept[0], 0)
        terminal.LastResort().begin(signal.SIGHUP)  # standard input is no terminal
    finally:
        for each, number in zip(kept, (0, 2), strict=True):
            os.dup2(each, number)
            os.close(each)
        os.close(inner)
    assert ends == [143, 143, 129, 129]


def test_an_interrupt_before_the_event_loop_waits_for_it() -> None:
    interrupts, heard = Interrupts(), list[int]()
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        with interrupts.held():
            os.kill(os.getpid(), signal.SIGINT)
            assert heard == []
            signal.signal(signal.SIGINT, lambda *_: heard.append(0))  # as a loop does
            interrupts.deliver()
            assert heard == [0]
        os.kill(os.getpid(), signal.SIGINT)  # for the handler that was there before
        assert heard == [0, signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)


async def test_an_interrupt_that_came_before_the_loop_ends_the_application() -> None:
    app = BpeTuiApp(None)
    app._interrupts._hold()
    await app.run_async(headless=True)
    assert app.return_code == 130


def test_a_report_quotes_the_corpus_only_if_asked(
    own_state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_version(_: str) -> str:
        raise PackageNotFoundError

    monkeypatch.setattr(state, "_written", {})
    monkeypatch.setattr("importlib.metadata.version", no_version)
    monkeypatch.setenv(state.FULL, "full")
    with pytest.raises(LookupError) as failed:
        fail()
    assert state.report(failed.value) == state.report(failed.value) == only_report(own_state)
    written = only_report(own_state).read_text()
    assert SECRET in written
    assert "not installed" in written


def test_a_report_and_our_folders_are_private_and_those_above_are_not_touched(
    own_state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    above = own_state / "usual" / "state"
    monkeypatch.setenv("XDG_STATE_HOME", str(above))
    (own_state / "other").mkdir()
    with pytest.raises(ZeroDivisionError) as failed:
        _ = 1 / 0
    written = state.report(failed.value)
    assert written is not None

    def mode(path: Path) -> int:
        return path.stat().st_mode & 0o777

    assert written.is_relative_to(above / "bpe-tui")
    assert mode(written) == 0o600
    assert mode(above / "bpe-tui" / "reports") == mode(above / "bpe-tui") == 0o700
    assert mode(above) == mode(above.parent) == mode(own_state / "other")


async def test_a_window_that_closes_before_it_is_mounted_is_no_failure(surviving: None) -> None:
    async with opened() as (app, pilot):
        failures: list[Exception] = []
        guard_messages(failures.append)
        screen = app.screen
        app.push_screen(LedgerWindow(app.session.frame, (32, 116)))
        app.pop_screen()
        await until(pilot, lambda: app.screen is screen)
        await pilot.pause()
        assert failures == []
