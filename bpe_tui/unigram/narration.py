"""A Unigram training in sentences: its heading, and what each step has done."""

from __future__ import annotations

from enum import Enum

from bpe_tui.config import RunConfig
from bpe_tui.headings import Facts, fitting
from bpe_tui.narration import first_fitting, narrate_end
from bpe_tui.session import Session
from bpe_tui.visible import number, plural, size, visible_text
from engine.unigram.changes import count_changes
from engine.unigram.events import EmStep, PruneStep
from engine.unigram.frame import UnigramFrame
from engine.unigram.trainer import StopReason

ENDED: dict[Enum, str] = {
    StopReason.SIZE_REACHED: "size reached",
    StopReason.NO_MORE_PIECES: "no more pieces are used",
}


def unigram_heading(session: Session, room: int) -> str:
    """What is open, in as much as there is room for."""
    frame, config = session.shown, session.config
    facts: Facts = [(0, visible_text(config.name, spaces=False))]
    if isinstance(frame, UnigramFrame) and isinstance(config, RunConfig):
        facts += [
            (1, "Unigram"),
            (7, _how_far(session)),
            (2, size(session.bytes_read)),
            (6, f"to {number(config.vocab_size)} tokens"),
            (4, f"{number(len(frame.words))} distinct pretokens"),
            (5, f"pattern {config.pattern}"),
            (3, plural(session.documents, "document")),
        ]
    return fitting(facts, room)


def _how_far(session: Session) -> str:
    if session.stop_reason is not None:
        return ENDED[session.stop_reason]
    working = session.working
    if working is None:
        return "training …"
    return f"{working.doing} {working.done / max(working.total, 1):.0%}"


def told(session: Session, frame: UnigramFrame, room: int) -> str:
    """The step in one sentence, and at the end why there is no more."""
    recording = session.recording
    if recording is not None and recording.came_from == frame.step + 1 and frame.leads_on:
        return first_fitting(room, *narrate_back(frame))
    sentence = first_fitting(room, *narrate(frame))
    if session.stop_reason is not None and session.at_end:
        return f"{sentence} {narrate_end(session.stop_reason)}"
    return sentence


def narrate(frame: UnigramFrame) -> tuple[str, str]:
    """What the step that led to a frame has done: a sentence, and a shorter one.

    For example: `Step 3 of 6, prune 1: 706 of 5,106 pieces go, those whose loss costs least; the
    loss rises from 10.12 to 10.13.`
    """
    step = frame.came_by
    if isinstance(step, EmStep):
        return _narrate_em(frame, step)
    if isinstance(step, PruneStep):
        return _narrate_prune(frame, step)
    characters = frame.record.characters
    return (
        f"Step 0: the seed has {number(frame.size)} pieces, {number(characters)} characters and "
        "all else that stands in the corpus more than once.",
        f"Step 0: a seed of {number(frame.size)} pieces.",
    )


def narrate_back(frame: UnigramFrame) -> tuple[str, str]:
    """What going back one step to this frame has undone."""
    assert frame.leads_on is not None
    gone = frame.leads_on.size_before - frame.leads_on.size_after
    what = "the prune is" if isinstance(frame.leads_on, PruneStep) else "the iteration of EM is"
    back = f"; {plural(gone, 'piece')} come back" if gone != 1 else "; 1 piece comes back"
    return (
        f"Back at step {frame.step} of {frame.recorded_steps}: {what} undone"
        f"{back if gone else ''}.",
        f"Back at step {frame.step}: {what} undone.",
    )


def _narrate_em(frame: UnigramFrame, step: EmStep) -> tuple[str, str]:
    changes = count_changes(frame)
    piece = visible_text(frame.record.texts[int(changes.numbers[0])])
    counts = f"{number(changes.before[0])} to {number(changes.after[0])}"
    which = f"EM {step.iteration + 1} of round {step.round + 1}"
    losses = f"the loss {_moves(step.loss_before, step.loss_after)}"
    return (
        f"Step {frame.step} of {frame.recorded_steps}, {which}: scores follow the expected "
        f"counts, and {losses}. Most changed is {piece}, used {counts} times.",
        f"Step {frame.step}, {which}: {losses}.",
    )


def _narrate_prune(frame: UnigramFrame, step: PruneStep) -> tuple[str, str]:
    gone = step.size_before - step.size_after
    losses = f"the loss {_moves(step.loss_before, step.loss_after)}"
    share = f"{number(gone)} of {number(step.size_before)} pieces go"
    return (
        f"Step {frame.step} of {frame.recorded_steps}, prune {step.round + 1}: {share}; "
        f"{step.rule.value}. {losses[0].upper()}{losses[1:]}.",
        f"Step {frame.step}, prune: {share}; {losses}.",
    )


def _moves(before: float, after: float) -> str:
    if f"{before:.3f}" == f"{after:.3f}":
        return f"stays at {after:.3f}"
    return f"{'rises' if after > before else 'falls'} from {before:.3f} to {after:.3f}"
