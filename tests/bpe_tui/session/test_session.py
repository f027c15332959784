"""The player of a session, call by call, and what headings and last lines say about it.

The sheets `session` and `headings` have the answers; `sheets.py` says how to write them again.
"""

from __future__ import annotations

from pathlib import Path

from opening import SAMPLE, session_of
from sheets import check_sheet

from bpe_tui.session.config import Config, RunConfig, TokenizerConfig, Viewpoint, in_phases
from bpe_tui.session.jobs import Working
from bpe_tui.session.session import Session
from bpe_tui.views.narration import add_stop, heading

SHEETS = Path(__file__).parents[1] / "sheets"
HANDOUT, SWAPPED = (str(SAMPLE.with_name(name)) for name in ("handout.txt", "swapped.json"))
RUN = RunConfig(HANDOUT, pattern="whitespace", vocab_size=1000)
CALLS = """
    step 1 │ step 5 │ step -2 │ seek 99 │ seek -3
    seek_tie 1 │ seek_tie 1 │ seek_tie -1 │ seek_tie -1 │ seek_end │ seek_tie 1 │ seek_prune 1
    toggle_play │ tick 0.34 │ tick 0.04 │ tick 0.04 │ change_speed -1 │ tick 0.4 │ tick 9 │ tick 1
    toggle_play │ toggle_play │ seek 4 │ change_speed -9 │ change_speed 99
    toggle_play │ tick 0.004
    run_to_breakpoint │ tick 0 │ stop 5 │ stop 6 │ seek 2 │ run_to_breakpoint │ tick 0
    run_to_breakpoint │ tick 0 │ step -6 │ toggle_play │ tick 0.002 │ tick 0.008 │ sub_step
    leave_fork │ seek_end │ run_to_breakpoint │ tick 0
"""
OPENED: dict[str, Config] = {
    "a run": RUN,
    "ties": RunConfig(HANDOUT, pattern="whitespace", tie_rule="smallest-ids", vocab_size=262),
    "units": RunConfig(HANDOUT, units="characters", vocab_size=20),
    "phases": in_phases(RunConfig(HANDOUT, phases="gpt2:260,none:262")),
    "WordPiece": RunConfig(HANDOUT, vocab_size=14, model="wordpiece"),
    "Unigram": RunConfig(HANDOUT, vocab_size=30, model="unigram"),
    "at step 3": RunConfig(HANDOUT, vocab_size=262, viewpoint=Viewpoint(3)),
    "after the last step": RunConfig(HANDOUT, vocab_size=262, viewpoint=Viewpoint(9)),
    "a tokenizer": TokenizerConfig((SWAPPED,)),
    "a tokenizer over a corpus": TokenizerConfig((SWAPPED,), HANDOUT),
    "a tokenizer continued": TokenizerConfig((SWAPPED,), HANDOUT, continued=2),
}


def state_of(session: Session) -> str:
    """Return the step, what moves it, and how fast."""
    names = ("playing", "following", "awaiting", "found_none", "halt", "at_end", "needs_time")
    moves = " ".join(name for name in names if getattr(session, name))
    return f"step {session.shown and session.shown.step}  {session.speed}/s  {moves}".rstrip()


def test_each_call_leads_to_its_step_and_starts_or_stops_what_moves() -> None:
    session, lines = session_of(RUN), []
    for call in CALLS.replace("\n", "│").split("│"):
        match call.split():
            case ["stop", step]:
                session.breakpoints.add(f"step {step}")
            case [name, *given]:
                numbers = (float(each) if "." in each else int(each) for each in given)
                answer = getattr(session, name)(*numbers)
                lines.append(f"{call.strip():20} {answer!s:5}  {state_of(session)}")
                said = (add_stop(session, ("A sentence.", "Short."), room) for room in (99, 30))
                lines += [f"    {sentence}" for sentence in said]
    check_sheet("session", lines, SHEETS)


def test_a_session_begins_on_a_screen_at_a_step_under_a_heading() -> None:
    lines = []
    for name, config in OPENED.items():
        session = session_of(config)
        lines += [f"-- {name}: {session.first_kind}, {state_of(session)}, {session.text}"]
        lines += [heading(session, room) for room in (200, 90, 60, 30, 1)]
        session.stop_reason, session.working = None, Working("counting", 3, 4)
        lines += [heading(session, 200)]
    check_sheet("headings", lines, SHEETS)


def test_only_a_text_that_is_not_there_anyway_is_typed() -> None:
    session = session_of(RUN)
    session.type(session.text)
    assert session.typed is None
    session.type("other")
    assert session.text == session.typed == "other"
