"""Messages that make messages come to an end, whatever else waits in the queues with them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from unittest.mock import patch

import pytest
from generated import examples
from hypothesis import given
from hypothesis import strategies as st
from opening import burst, ended, recorded_once
from program import HANDOUT
from textual import events
from textual.app import App
from textual.geometry import Size
from textual.message import Message
from textual.message_pump import MessagePump

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.session.commands import COMMANDS
from bpe_tui.session.config import RunConfig
from bpe_tui.session.languages import languages
from bpe_tui.session.lessons import builtin_lessons
from bpe_tui.session.models import MODELS

MOST_AT_FIRST, MOST_OF_EACH = 1_500, 400
"""Most messages that are handled for no event at all, and for each one more."""
MOST_PAUSES = 100
"""Most waits for messages of threads and timers."""
MODEL, TURNS, OTHER = "bpe", "turns", "other message"
OPENED = [
    *MODELS,
    *(f"{language} {each.number}" for language in languages() for each in builtin_lessons()),
]
"""Models of a training, and lessons by language and number."""
KEYS = sorted({key for each in COMMANDS for key in each.keys.split(",")})
HANDS = ("escape", "enter", "tab", "up", "down", "pagedown", "backspace", "ctrl+p", *"abst? ")
SIZES = ("120x40", "100x30", "80x24", "60x20", "59x19", "160x60", "1x1", "0x0")
HAPPENINGS = st.one_of(
    *map(st.sampled_from, (SIZES, SIZES, "0123456789", HANDS, KEYS)),
    st.integers(1, 12).map(lambda turns: f"{turns} {TURNS}"),
    st.just(OTHER),
)
"""A key, a size of the terminal, turns of the event loop, or a message to the screen in front."""


class Endless(AssertionError):
    """More messages than so few events may lead to."""


@pytest.fixture(autouse=True)
def unprinted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise what fails without Textual's picture of it, which takes seconds."""
    monkeypatch.setattr(App, "_print_error_renderables", lambda _: None)


async def happen(app: BpeTuiApp, happening: str) -> None:
    if happening.endswith(TURNS):
        for _ in range(int(happening.split()[0])):
            await asyncio.sleep(0)
    elif happening == OTHER:
        app.screen.call_later(lambda: None)
    elif re.fullmatch(r"\d+x\d+", happening):
        size = Size(*map(int, happening.split("x")))
        app._driver._size = app._size = size  # type: ignore[union-attr]
        app._resize_event = events.Resize(size, size)
        app._check_resize()  # Textual waits 8 ms for another size
    else:
        burst(app, happening)


def is_alive(app: BpeTuiApp) -> bool:
    """Whether no key has ended the application, and no failure."""
    return app.is_running and bool(app.screen_stack) and app._exception is None


def waiting(app: BpeTuiApp) -> Iterator[MessagePump]:
    """Yield what has a message that is not handled, of all that is on the screens."""
    pumps: list[MessagePump] = [app]
    for screen in app.screen_stack:
        pumps += screen.walk_children(with_self=True)
    return (each for each in pumps if not each._message_queue.empty())


async def play(opened: str, happenings: Sequence[str]) -> None:
    """Open something, let things happen at once, and wait until all queues are empty.

    The screen in front must have the size of the terminal then.
    """
    dispatch, handled = MessagePump._dispatch_message, 0
    most = MOST_AT_FIRST + MOST_OF_EACH * len(happenings)

    async def counted(pump: MessagePump, message: Message) -> None:
        nonlocal handled
        handled += 1
        if handled == most:  # a queue that is never empty gives the loop no turn: end it here
            raise Endless(f"{pump} still has {message}")
        await dispatch(pump, message)

    language, _, number = opened.partition(" ")
    lesson = builtin_lessons(language)[int(number) - 1].path if number else None
    config = None if number else RunConfig(HANDOUT, vocab_size=268, model=opened)
    app = BpeTuiApp(config, recorded_once, lesson=lesson)
    app.makes_ahead = False
    with patch.object(MessagePump, "_dispatch_message", counted):
        async with app.run_test(size=(120, 40)) as pilot:
            await ended(app, pilot)
            for each in happenings:
                if is_alive(app):
                    await happen(app, each)
            for _ in range(MOST_PAUSES):
                await pilot.pause()
                if not is_alive(app):
                    return
                if not any(waiting(app)):
                    break
            assert list(waiting(app)) == []
            assert app.screen.outer_size == app.size or not app.size


async def test_a_size_that_comes_before_the_last_one_is_done_with_ends() -> None:
    await play(MODEL, ("100x30", OTHER, "80x24"))


@pytest.mark.slow  # each example opens an application
@given(st.sampled_from(OPENED), st.lists(HAPPENINGS, max_size=30))
@examples(200)
async def test_whatever_comes_at_once_leads_to_an_end(opened: str, happenings: list[str]) -> None:
    await play(opened, happenings)
