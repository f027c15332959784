"""The session: what is open, its steps, and which actions it refuses."""

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from opening import SAMPLE, session_of
from sheets import check_sheet

from bpe_tui.session.config import Claimed, Config, RunConfig, TokenizerConfig, Viewpoint
from bpe_tui.session.jobs import (
    ForkPlan,
    OpeningJob,
    TrainingStarted,
    WhatIfEnded,
)
from bpe_tui.session.refusals import NO_ORIGIN, OF_CONFIGS, refusal_of
from bpe_tui.session.session import ForkedFrom, Session
from bpe_tui.words.narration import add_stop, heading
from engine.bpe.trainer import StopReason
from engine.core.events import WorkProgress
from engine.text.corpus import Reading

SHEETS = Path(__file__).parents[1] / "sheets"
HANDOUT, SWAPPED = (str(SAMPLE.with_name(name)) for name in ("handout.txt", "swapped.json"))
RUN = RunConfig(HANDOUT, pattern="whitespace", vocab_size=1000)
CALLS = """
    step 1 │ step 5 │ step -2 │ seek 99 │ seek -3
    seek_tie 1 │ seek_tie 1 │ seek_tie -1 │ seek_tie -1 │ seek_end │ seek_tie 1 │ seek_prune 1
    toggle_play │ tick 0.34 │ tick 0.04 │ tick 0.04 │ change_speed -1 │ tick 0.4 │ tick 9 │ tick 1
    toggle_play │ toggle_play │ toggle_play │ seek 4 │ change_speed -9 │ change_speed 99
    toggle_play │ tick 0.004
    run_to_breakpoint │ tick 0 │ stop 5 │ stop 6 │ seek 2 │ run_to_breakpoint │ tick 0
    run_to_breakpoint │ tick 0 │ step -6 │ toggle_play │ tick 0.002 │ tick 0.008 │ sub_step
    leave_fork │ seek_end │ run_to_breakpoint │ tick 0
"""
IN_TRAINING = """
extend_to 2: None, step 0  10/s  needs_time
extend_to 3: None, step 3  10/s  at_end needs_time
seek_end: None, step 3  10/s  following at_end needs_time
extend_to 5: None, step 5  10/s  following at_end needs_time
toggle_play: None, step 5  10/s  playing at_end needs_time
tick 0.3: False, step 5  10/s  playing at_end needs_time
extend_to 6: None, step 5  10/s  playing needs_time
tick 0.2: True, step 6  10/s  playing at_end needs_time
seek_end: None, step 6  10/s  following at_end
run_to_breakpoint: None, step 6  10/s  awaiting at_end needs_time
tick 0: False, step 6  10/s  following awaiting at_end needs_time
extend_to 7: None, step 7  10/s  following awaiting at_end needs_time
tick 0: True, step 7  10/s  halt at_end
run_to_breakpoint: None, step 7  10/s  awaiting at_end needs_time
tick 0: False, step 7  10/s  following awaiting at_end needs_time
extend_to 12: None, step 12  10/s  following awaiting at_end needs_time
"""
OPENED: dict[str, Config] = {
    "a run": RUN,
    "ties": RunConfig(HANDOUT, pattern="whitespace", tie_rule="smallest-ids", vocab_size=262),
    "units": RunConfig(HANDOUT, units="characters", vocab_size=20),
    "phases": RunConfig(HANDOUT, phases="gpt2:260,none:262"),
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


def answer_of(session: Session, call: str) -> object:
    """Call a method of the session, given as `step 1`."""
    name, *given = call.split()
    return getattr(session, name)(*(float(e) if "." in e else int(e) for e in given))


def test_a_session_in_training_moves_as_steps_are_recorded() -> None:
    config = replace(RUN, viewpoint=Viewpoint(3))
    session, news = Session(config), list[Any]()
    session.breakpoints.add("step 7")
    job = OpeningJob(config, news.append)
    job.go_on()  # there is no screen to wait for
    job.work()
    session.reading = session.working = cast("Any", object())
    calls = "toggle_play,tick 1,step 1,seek 1,seek_end,sub_step,run_to_breakpoint,seek_tie 1"
    assert (session.documents, session.bytes_read) == (0, 0)
    for call in f"{calls},seek_prune 1,extend_to 3".split(","):
        assert not answer_of(session, call)
        assert state_of(session) == "step None  10/s"
    session.due = 3
    session.start(next(each for each in news if isinstance(each, TrainingStarted)))
    assert (session.documents, session.bytes_read, session.obstacle) == (1, 95, None)
    assert (session.reading, session.working) == (None, None)
    for line in IN_TRAINING.strip().splitlines():
        call = line.partition(":")[0]
        assert f"{call}: {answer_of(session, call)}, {state_of(session)}" == line
    session.end(StopReason.TOO_RARE)
    assert state_of(session) == "step 12  10/s  awaiting at_end needs_time"
    assert (session.stop_reason, session.working) == (StopReason.TOO_RARE, None)
    assert session.recording is not None
    assert session.recording.run.is_complete
    assert WorkProgress("looking through the pretokens", 1, 1) in news


def test_each_call_leads_to_its_step_and_starts_or_stops_what_moves() -> None:
    session, lines = session_of(RUN), []
    for call in CALLS.replace("\n", "│").split("│"):
        match call.split():
            case ["stop", step]:
                session.breakpoints.add(f"step {step}")
            case [_, *_]:
                answer = answer_of(session, call)
                lines.append(f"{call.strip():20} {answer!s:5}  {state_of(session)}")
                said = (add_stop(session, ("A sentence.", "Short."), room) for room in (99, 30))
                lines += [f"    {each}" for each in said if each != "A sentence."]
    check_sheet("session", lines, SHEETS)


def test_a_session_begins_on_a_screen_at_a_step_under_a_heading() -> None:
    lines = []
    for name, config in OPENED.items():
        session = session_of(config)
        lines += [f"-- {name}: {session.first_kind}, {state_of(session)}, {session.text}"]
        lines += dict.fromkeys(heading(session, room) for room in (200, 90, 60, 30, 1))
        session.stop_reason, session.working = None, WorkProgress("counting", 3, 4)
        lines += [heading(session, 200)]
    check_sheet("headings", lines, SHEETS)


def test_only_a_text_that_is_not_there_anyway_is_typed() -> None:
    session = session_of(RUN)
    session.type(session.text)
    assert session.typed is None
    session.type("other")
    assert session.text == session.typed == "other"


def test_a_fork_goes_on_after_the_step_where_it_began_and_leads_back_there() -> None:
    session, config = session_of(RUN), replace(RUN, tie_rule="smallest-ids")
    session.breakpoints.add("step 5")
    session.seek(3)
    session.toggle_play()
    session.tick(0.2)
    assert (step_of(session), session.halt is None) == (5, False)
    plan, other = ForkPlan("title", "otherwise", 3, config, cast("Any", None)), session_of(config)
    assert (other.timeline is not None, session.leave_fork()) == (True, False)
    fork = WhatIfEnded(cast("Any", other.timeline), StopReason.NO_PAIR_LEFT, cast("Any", None))
    session.keep(fork, plan)
    assert session.forked_from is not None
    assert (session.forked_from.step, session.forked_from.otherwise) == (3, "otherwise")
    assert (step_of(session), session.config, session.breakpoints.examined) == (4, config, 0)
    session.tick(0)
    assert (session.leave_fork(), session.forked_from, session.config) == (True, None, RUN)
    assert (step_of(session), session.breakpoints.examined) == (3, 0)


def test_keys_go_from_prune_to_prune() -> None:
    session = session_of(RunConfig(HANDOUT, pattern="whitespace", vocab_size=14, model="unigram"))
    places = []
    for start, direction in ((0, 1), (3, 1), (5, 1), (6, 1), (6, -1), (4, -1), (3, -1)):
        session.seek(start)
        found = session.seek_prune(direction)
        places.append(step_of(session) if found else -step_of(session))
    assert places == [3, 6, 6, -6, 3, 3, -3]  # negative: none was found


def step_of(session: Session) -> int:
    assert session.shown is not None
    return session.shown.step


def test_a_run_without_merges_names_the_count_that_would_have_some() -> None:
    told = "the most frequent pair occurs 9 times: --min-count 9 goes on"
    for min_count, obstacle in ((99, told), (7, None)):
        timeline = session_of(replace(RUN, min_count=min_count)).timeline
        assert timeline is not None
        assert timeline.run.obstacle == obstacle


def test_only_what_was_trained_here_has_an_algorithm_and_a_tokenizer_alone_counts_nothing() -> None:
    for name, config in OPENED.items():
        session = session_of(config)
        trained = name != "Unigram" and isinstance(config, RunConfig)
        assert (session.algorithm is not None, name) == (trained, name)
        assert (session.counts_nothing, name) == (name == "a tokenizer", name)
    checked = session_of(replace(RUN, claimed=Claimed((SWAPPED,))))
    assert (checked.first_kind, checked.algorithm is not None) == ("check", True)


COUNTED = {f"app.show('{kind}')" for kind in ("race", "family", "check")}
CHECK, MODEL = "app.open('CHECK')", "app.model"
CHAT = "app.chat"
TOKENIZER = TokenizerConfig(("gpt2",))
OF_TOKENIZERS = {CHECK, MODEL, "app.what_if", "app.predict"}


@pytest.mark.parametrize(
    ("config", "refused"),
    [
        (RUN, {CHAT}),
        (RunConfig("-"), {CHECK, MODEL, CHAT}),
        (replace(RUN, reading=Reading(more=("-",))), {CHECK, MODEL, CHAT}),
        (replace(RUN, phases="gpt2:300,none:400"), {CHECK, CHAT}),
        (replace(RUN, units="characters"), {CHECK, CHAT}),
        (TOKENIZER, {*COUNTED, *OF_TOKENIZERS}),
        (replace(TOKENIZER, corpus=HANDOUT), OF_TOKENIZERS),
        (replace(TOKENIZER, corpus="-"), OF_TOKENIZERS),
        (replace(TOKENIZER, corpus=HANDOUT, continued=5), OF_TOKENIZERS - {"app.predict"}),
    ],
)
def test_what_is_open_decides_which_actions_are_refused(config: Config, refused: set[str]) -> None:
    session = Session(config)
    assert {action for action in OF_CONFIGS if refusal_of(action, session)} == refused


def test_only_a_fork_is_left() -> None:
    session = Session(RUN)
    assert refusal_of("app.leave_run", session) == NO_ORIGIN
    session.forked_from = ForkedFrom(2, "otherwise", None, None, RUN, None)  # type: ignore[arg-type]
    assert refusal_of("app.leave_run", session) is None
    assert refusal_of("app.show('race')", session) is None
