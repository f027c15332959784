"""The player of a session, call by call: the step it is at, and what moves it."""

from __future__ import annotations

from typing import Any

import pytest
from opening import SAMPLE, session_of

from bpe_tui.session.config import RunConfig, TokenizerConfig, Viewpoint
from bpe_tui.session.session import EXAMPLE, Session

HANDOUT, SWAPPED = (str(SAMPLE.with_name(name)) for name in ("handout.txt", "swapped.json"))
CALLS: list[tuple[str, tuple[Any, ...], object, int, str]] = [
    ("step", (1,), None, 1, ""),
    ("step", (5,), None, 6, ""),
    ("step", (-2,), None, 4, ""),
    ("seek", (99,), None, 12, ""),
    ("seek", (-3,), None, 0, ""),
    ("seek_tie", (1,), True, 1, ""),
    ("seek_tie", (1,), True, 3, ""),
    ("seek_tie", (-1,), True, 1, ""),
    ("seek_tie", (-1,), False, 1, ""),
    ("seek_end", (), None, 12, ""),
    ("seek_prune", (1,), False, 12, ""),  # none was pruned
    ("toggle_play", (), None, 0, "playing"),  # from the end it plays from the start
    ("tick", (0.34,), True, 3, "playing"),  # ten steps a second
    ("tick", (0.04,), False, 3, "playing"),
    ("tick", (0.04,), True, 4, "playing"),
    ("change_speed", (-1,), None, 4, "playing"),
    ("tick", (0.4,), True, 6, "playing"),
    ("tick", (9.0,), True, 12, ""),
    ("tick", (1.0,), False, 12, ""),
    ("toggle_play", (), None, 0, "playing"),
    ("toggle_play", (), None, 0, ""),
    ("seek", (4,), None, 4, ""),
    ("change_speed", (-9,), None, 4, ""),
    ("change_speed", (99,), None, 4, ""),
    ("toggle_play", (), None, 4, "playing"),
    ("tick", (0.004,), True, 8, "playing"),  # a thousand steps a second
    ("run_to_breakpoint", (), None, 8, "awaiting"),
    ("tick", (0.0,), True, 8, "found_none"),
    ("breakpoints.add", ("step 5",), None, 8, "found_none"),
    ("breakpoints.add", ("step 6",), None, 8, "found_none"),
    ("seek", (2,), None, 2, "found_none"),
    ("run_to_breakpoint", (), None, 2, "awaiting"),
    ("tick", (0.0,), True, 5, "halt"),
    ("run_to_breakpoint", (), None, 5, "awaiting"),
    ("tick", (0.0,), True, 6, "halt"),
    ("step", (-6,), None, 0, ""),
    ("toggle_play", (), None, 0, "playing"),
    ("tick", (0.002,), True, 2, "playing"),
    ("tick", (0.008,), True, 5, "halt"),  # playing stops at a breakpoint
    ("sub_step", (), None, 5, ""),
    ("leave_fork", (), False, 5, ""),
]
UNEXAMINED = [("breakpoints.add", 8), ("seek", 2)]
"""Calls after which no merge has been examined for the breakpoints yet."""


def moves(session: Session) -> str:
    names = ("playing", "following", "awaiting", "found_none", "halt")
    return " ".join(name for name in names if getattr(session, name))


def test_each_call_leads_to_its_step_and_starts_or_stops_what_moves() -> None:
    session = session_of(RunConfig(HANDOUT, pattern="whitespace", vocab_size=1000))
    assert session.shown is not None
    for name, given, answer, step, moved in CALLS:
        *owner, method = name.split(".")
        called = getattr(session.breakpoints if owner else session, method)(*given)
        assert (called, session.shown.step, moves(session)) == (answer, step, moved), (name, given)
        assert session.at_end == (step == 12)
        is_behind = (name, step) in UNEXAMINED
        assert session.needs_time == (session.playing or session.awaiting or is_behind), name


@pytest.mark.parametrize(
    ("config", "kind", "encodes", "at", "text"),
    [
        (RunConfig(HANDOUT, vocab_size=262), "training", True, 0, "low low low low low"),
        (RunConfig(HANDOUT, vocab_size=262, viewpoint=Viewpoint(3)), "training", True, 3, ""),
        (RunConfig(HANDOUT, vocab_size=262, viewpoint=Viewpoint(9)), "training", True, 5, ""),
        (TokenizerConfig((SWAPPED,)), "encoding", True, -1, EXAMPLE),
        (TokenizerConfig((SWAPPED,), HANDOUT), "training", True, 0, "low low low low low"),
    ],
)
def test_a_session_begins_on_a_screen_at_a_step_with_a_text(
    config: Any, kind: str, encodes: bool, at: int, text: str
) -> None:
    session = session_of(config)
    assert session.shown is not None
    assert (session.first_kind, session.encodes) == (kind, encodes)
    assert session.shown.step == (at if at >= 0 else session.shown.recorded_steps)
    assert session.text.startswith(text)
    session.type(session.text)
    assert session.typed is None  # the text that is there anyway is not typed
    session.type("other")
    assert session.text == session.typed == "other"
