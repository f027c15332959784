"""Sentences that all models share: what is open, what happened, why there is no more.

The first line says what is open, the last one what just happened. Each model has its own sentences
in a module `narration`; a `Narrator` gives them to its screens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_tui.session.config import RunConfig
from bpe_tui.widgets.numbers import number, plural, size
from bpe_tui.widgets.visible import visible_bytes, visible_text, width
from engine.analysis.explain.pair_history import pair_history
from engine.bpe.frame import Frame
from engine.bpe.trainer import StopReason
from engine.core.events import Pair
from engine.recording.merge_frame import AnyMergeFrame

if TYPE_CHECKING:
    from bpe_tui.session.session import Session

ROOMY = 1000
"""Cells where there is room for the longest sentence: a transcript has no width."""
NAMED = 3
"""So many tied pairs are named; the others are counted."""


@dataclass(frozen=True)
class Narrator:
    """The two lines of a model's screens.

    Attributes:
        heading: what is open, in at most so many cells.
        sentence: what led to a frame of the model, in at most so many cells.
    """

    heading: Callable[[Session, int], str]
    sentence: Callable[[Session, Any, int], str]


# -- the last line


def first_fitting(room: int, *sentences: str) -> str:
    """The first that fits; the last if none does."""
    return next((said for said in sentences if width(said) <= room), sentences[-1])


def times(count: int) -> str:
    """How often, in words: 1 → 'once'; 1204 → '1,204 times'."""
    return "once" if count == 1 else f"{number(count)} times"


def narrate_end(reason: Enum) -> str:
    """Why there is no further step."""
    if reason is StopReason.REPLAYED:
        return f"The end: {reason.value}."
    return f"Training ended: {reason.value}."


def add_stop(session: Session, sentences: Sequence[str], room: int) -> str:
    """What a step did, with why playing stopped, and at the end why there is no more.

    `sentences` tell the step, the longest first. Of all ways to say it the first that fits is
    taken, so that nothing is cut.
    """
    if session.halt is not None:
        stop = f"Stopped at {visible_text(str(session.halt.breakpoint), spaces=False)}."
        said = [f"{stop} {sentence}" for sentence in sentences]
    elif session.awaiting:
        said = [f"Running to the next breakpoint … {sentence}" for sentence in sentences]
    elif session.stop_reason is not None and session.at_end and session.obstacle is None:
        ends = narrate_end(session.stop_reason), f"The end: {ENDED[session.stop_reason]}."
        said = [f"{sentence} {end}" for sentence in sentences for end in ends]
    else:
        said = []
    return first_fitting(room, *said, *sentences)


# -- sentences about merges, whichever model makes them


def describe_history(frame: AnyMergeFrame, pair: Pair) -> list[str]:
    """What became of a pair, in sentences."""

    def show(token_id: int) -> str:
        return visible_bytes(frame.any_token(token_id))

    return pair_history(frame, pair).describe(show)


NO_CORPUS = "No corpus is open, so nothing is counted. Press o and choose a text to count in."


def why_uncounted(frame: AnyMergeFrame) -> str:
    """Why nothing is counted at a frame without a corpus."""
    why = frame.run.uncountable
    return NO_CORPUS if why is None else f"Nothing is counted: {why}."


def format_pair(frame: AnyMergeFrame, pair: Pair) -> str:
    """A pair within a sentence: `o and u`, `h and ##u`."""
    return " and ".join(visible_bytes(frame.any_token(token_id)) for token_id in pair)


def format_rivals(frame: AnyMergeFrame, rivals: Sequence[Pair]) -> str:
    """The pairs that a merge was tied with: `a and b; c and d; and 3 more`."""
    named = "; ".join(format_pair(frame, rival) for rival in rivals[:NAMED])
    return f"{named}; and {number(len(rivals) - NAMED)} more" if len(rivals) > NAMED else named


def describe_rule(name: str, summary: str) -> str:
    """Which tie rule decided, and in short how."""
    return f"The tie rule {name} decided: {summary.split(';')[0]}."


def narrate_undone(frame: AnyMergeFrame) -> tuple[str, str]:
    """What going back one merge to this frame has undone: a sentence, and a shorter one.

    For example: `Back at step 127 of 1,742: ou is taken apart into o and u again.`
    """
    undone = frame.merge_at(frame.step)
    pair, token = format_pair(frame, undone.pair), visible_bytes(undone.token)
    step = number(frame.step)
    return (
        f"Back at step {step} of {number(frame.recorded_steps)}: {token} is taken apart into "
        f"{pair} again.",
        f"Back at step {step}: {token} is {pair} again.",
    )


# -- the first line

ENDED: dict[Enum, str] = {
    StopReason.SIZE_REACHED: "size reached",
    StopReason.NO_PAIR_LEFT: "no pair left",
    StopReason.TOO_RARE: "the rest too rare",
    StopReason.TOO_LONG: "the rest too long",
    StopReason.REPLAYED: "all merges made",
}

Facts = list[tuple[int, str]]
"""(place in the line, fact), what matters most first."""


def heading(session: Session, room: int) -> str:
    """As much as there is room for; the last facts give way first."""
    name, frame = visible_text(session.config.name, spaces=False), session.frame
    if frame is None:
        return name
    if (origin := session.forked_from) is not None:
        name = first_fitting(
            room,
            f"fork of {name} at step {number(origin.step)}: {origin.otherwise} (I leads back)",
            f"fork at step {number(origin.step)}: {origin.otherwise}",
        )
    return fitting(
        [(0, name), *(_trained if session.opened is None else _opened)(session, frame)], room
    )


def fitting(facts: Facts, room: int) -> str:
    """As many facts as there is room for, in their order."""
    kept = list(facts)
    while len(kept) > 1 and width(_joined(kept)) > room:
        kept.pop()
    return _joined(kept)


def _joined(facts: Facts) -> str:
    return " · ".join(fact for _, fact in sorted(facts))


def _trained(session: Session, frame: Frame) -> Facts:
    """How large the corpus is, what was asked for beside the usual, that it is still trained."""
    unusual: Facts = [] if frame.units.spells_all else [(4, f"units {frame.units.name}")]
    if frame.tie_rule.name != RunConfig.tie_rule:
        unusual.append((5, f"ties {frame.tie_rule.name}"))
    return [*corpus_facts(session), *unusual]


def corpus_facts(session: Session) -> Facts:
    """What matters of a corpus to whom is watching; how it was trained the inspection tells."""
    config = session.config
    assert isinstance(config, RunConfig)
    facts = [(1, size(session.bytes_read)), (2, plural(session.documents, "document"))]
    if session.stop_reason is None:
        facts.append((6, "training …"))
    if config.pattern != RunConfig.pattern:
        facts.append((3, f"pattern {config.pattern}"))
    return facts


def how_trained(session: Session, *options: tuple[str, str]) -> list[tuple[str, str]]:
    """What a training was asked for and why it ended, each with its name; for the inspection."""
    config, ended = session.config, session.stop_reason
    if not isinstance(config, RunConfig):
        return []
    corpus = visible_text(config.name, spaces=False)
    documents = plural(session.documents, "document")
    return [
        ("corpus", f"{corpus}, {size(session.bytes_read)}, {documents}"),
        *options,
        ("training", "goes on" if ended is None else f"ended: {ended.value}"),
    ]


def _opened(session: Session, frame: Frame) -> Facts:
    """A tokenizer's format, size and pattern, how far its replay is, the corpus."""
    assert session.opened is not None
    opened, ended = session.opened, session.stop_reason
    facts = [
        (1, f"{opened.format} format"),
        (2, plural(len(opened.tokenizer.vocab), "token")),
        (3, f"pattern {visible_text(opened.tokenizer.pattern.name, spaces=False)}"),
    ]
    if ended is None:
        facts.insert(0, (6, "replaying …"))
    if session.config.corpus is not None and frame.has_corpus:
        corpus = visible_text(Path(session.config.corpus).name, spaces=False)
        facts.append((4, f"over {corpus}"))
        facts.append((5, plural(len(frame.run.counts), "distinct pretoken")))
    return facts
