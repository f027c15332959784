"""Sentences that all models share: the heading, the result of a step, why training ended.

The first line of a screen names the open run, the last line describes the last step. Each model
describes its steps in its own module `narration`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_tui.session.config import Config, RunConfig
from bpe_tui.session.models import trainer_of
from bpe_tui.widgets.language import in_a_row, plural, tr, tr_message
from bpe_tui.widgets.numbers import number, size
from bpe_tui.widgets.visible import ELLIPSIS, quoted, shorten, visible_bytes, visible_text, width
from engine.bpe.trainer import StopReason
from engine.core.events import Pair
from engine.core.wording import Sentence, amount, is_partial, say
from engine.recording.playback import AnyMergeFrame

if TYPE_CHECKING:
    from bpe_tui.session.session import Session

UNLIMITED_ROOM = 1000
"""More cells than any sentence needs, for transcripts, which have no width."""
NAMED = 3
"""Number of tied pairs that are named; the others are counted."""


# -- the last line


def first_fitting(room: int, *sentences: str) -> str:
    """Return the first sentence that fits; the last if none does."""
    return next((sentence for sentence in sentences if width(sentence) <= room), sentences[-1])


def as_sentence(clause: str) -> str:
    """Return a clause, translated, with a capital letter and a full stop."""
    clause = tr_message(clause)
    return tr("{clause}.", clause=f"{clause[:1].upper()}{clause[1:]}")


BETWEEN_PARTS = " │ "


def leading_parts(room: int, text: str) -> str:
    """Return the leading parts of a text that fit; ` │ ` separates parts.

    The first part is always kept.

    >>> leading_parts(30, "↵ its lattice │ c next column │ C turn it round")
    '↵ its lattice │ c next column'
    """
    parts = text.split(BETWEEN_PARTS)
    while len(parts) > 1 and width(BETWEEN_PARTS.join(parts)) > room:
        parts.pop()
    return BETWEEN_PARTS.join(parts)


def names_of_panels(names: Iterable[str], front: str, room: int) -> str:
    """Return the names of panels that share a place, closer together if they have little room.

    >>> [names_of_panels(("gains", "ties"), "ties", room) for room in (40, 12)]
    [' gains  ‹ties›', 'gains ‹ties›']
    """
    marked = {name: f"‹{name}›" if name == front else name for name in names}
    wide = " ".join(name if name[0] == "‹" else f" {name} " for name in marked.values())
    return wide if width(wide) <= room else shorten(" ".join(marked.values()), room)


def narrate_end(reason: Enum) -> str:
    """Say why there is no further step."""
    ended = "The end: {why}." if reason is StopReason.REPLAYED else "Training ended: {why}."
    return tr(ended, why=tr(str(reason.value)))


def add_stop(session: Session, sentences: Sequence[str], room: int) -> str:
    """Add why playing stopped, or at the last step why training ended, to a step's sentence.

    Args:
        session: what is open.
        sentences: descriptions of the step, the longest first.
        room: cells. The first combination that fits is returned, so nothing is cut.
    """
    if session.halt is not None:
        at = visible_text(str(session.halt.breakpoint), spaces=False)
        stop = tr("Stopped at {breakpoint}.", breakpoint=at)
        longer = [in_a_row(stop, sentence) for sentence in sentences]
    elif session.awaiting:
        runs = tr("Running to the next breakpoint …")
        longer = [in_a_row(runs, sentence) for sentence in sentences]
    elif session.stop_reason is not None and session.at_end and session.obstacle is None:
        shortly = tr("The end: {why}.", why=tr(ENDED[session.stop_reason.name]))
        ends = narrate_end(session.stop_reason), shortly
        longer = [in_a_row(sentence, end) for sentence in sentences for end in ends]
    else:
        longer = []
    return first_fitting(room, *longer, *sentences)


# -- sentences about merges of any model


NO_CORPUS = "No corpus is open, so nothing is counted. Press o and choose a text to count in."
GIVEN = "These merges are a tokenizer's. None was chosen here, so there is no heap and no trainer."
CONTINUED = "The first merges here are a tokenizer's, so no trainer has a heap of all merges."
PASSED_OVER = "On to step {step}, the next one to ask about."
OF_A_FORK = "This is a fork: some of its merges were prescribed, and no trainer would choose them."


def format_pair(frame: AnyMergeFrame, pair: Pair) -> str:
    """Format a pair within a sentence: `“o” and “u”`, `“<E6>” and “<88>” (in 我 戏)`."""
    left, right = (quoted(frame.any_token(token_id)) for token_id in pair)
    named = tr("{left} and {right}", left=left, right=right)
    characters = characters_of(frame, pair)
    return f"{named} ({characters})" if characters else named


def spelled(frame: AnyMergeFrame, token: bytes) -> str:
    """Return a token within a sentence, bytes with characters of theirs: `“<E6>” (in 我 戏)`."""
    characters = characters_with(frame, [token], LONGEST_BESIDE)
    return f"{quoted(token)} ({characters})" if characters else quoted(token)


LONGEST_BESIDE = 12
"""Cells of the characters beside bytes within a sentence."""
CHARACTERS_SHOWN = 3
"""Most characters named that bytes are a part of."""


def characters_of(
    frame: AnyMergeFrame, ids: Iterable[int], cells: int = UNLIMITED_ROOM, start: str = "in"
) -> str:
    """Return frequent characters that the bytes of tokens are a part of: `in 我 成 戏 …`.

    If the tokens are parts that make a whole together, return that: `= 我`. Nothing if there is
    no room.
    """
    return characters_with(frame, list(map(frame.any_token, ids)), cells, start)


def characters_with(
    frame: AnyMergeFrame, parts: Sequence[bytes], cells: int = UNLIMITED_ROOM, start: str = "in"
) -> str:
    """Return what `characters_of` returns, of tokens in bytes."""
    token = b"".join(parts)
    if not is_partial(token):
        whole = f"= {visible_bytes(token)}" if any(map(is_partial, parts)) else ""
        return whole if width(whole) <= cells else ""
    text, found = tr(start), frame.run.characters.with_part(token)
    for place, character in enumerate(found[:CHARACTERS_SHOWN]):
        longer = f"{text} {visible_text(character)}"
        has_more = place + 1 < len(found)
        if not place and has_more and width(longer) + 1 == cells:
            return f"{longer}{ELLIPSIS}"
        if width(longer) + 2 * has_more > cells:
            return f"{text} {ELLIPSIS}" if place else ""
        text = longer
    return f"{text} {ELLIPSIS}" if len(found) > CHARACTERS_SHOWN else text if found else ""


def part_of(frame: AnyMergeFrame, token: bytes) -> Sentence:
    """Say which bytes of characters a token is: `the first 2 bytes`, `a part`."""
    found = frame.run.characters.with_part(token) if is_partial(token) else ()
    if found and not token.decode(errors="ignore"):
        if found[0].encode().startswith(token):
            return say("the first {size}", size=amount(len(token), "byte"))
        if found[0].encode().endswith(token):
            return say("the last {size}", size=amount(len(token), "byte"))
    return say("a part")


def format_rivals(frame: AnyMergeFrame, rivals: Sequence[Pair]) -> str:
    """Format the pairs that a merge was tied with: `“a” and “b”; “c” and “d”; and 3 more`."""
    named = [format_pair(frame, rival) for rival in rivals[:NAMED]]
    if more := len(rivals[NAMED:]):
        named.append(tr("and {n} more", n=more))
    return tr("; ").join(named)


def narrate_undone(frame: AnyMergeFrame) -> tuple[str, ...]:
    """Describe what going back one merge to this frame has undone: a sentence, a shorter one.

    For example: `Back at step 127 of 1,742: “ou” is taken apart into “o” and “u” again.`
    """
    undone = frame.merge_at(frame.step)
    words = {
        "step": number(frame.step),
        "last": number(frame.recorded_steps),
        "token": quoted(undone.token),
        "pair": format_pair(frame, undone.pair),
    }
    return tuple(tr(way, **words) for way in UNDONE)


UNDONE = (
    "Back at step {step} of {last}: {token} is taken apart into {pair} again.",
    "Back at step {step}: {token} is {pair} again.",
)


# -- the first line

ENDED = {
    StopReason.SIZE_REACHED.name: "size reached",
    StopReason.NO_PAIR_LEFT.name: "no pair left",
    StopReason.TOO_RARE.name: "the rest too rare",
    StopReason.TOO_LONG.name: "the rest too long",
    StopReason.REPLAYED.name: "all merges made",
    StopReason.CONTINUED.name: "all are learnt",
    "NO_MORE_PIECES": "no more pieces are used",
    "SHARE_LEFT": "a tenth of the longer pieces left",
    "HALF_LEFT": "half of the n-grams left",
    "SMALL_SEED": "fewer n-grams than asked for",
    "NO_TEXT": "nothing to learn from",
}
"""Name of a stop reason of any model → the reason in short."""

Facts = list[tuple[int, str]]
"""(place in the line, fact), the most important fact first."""


def name_of(config: Config) -> str:
    """Return the name of what is open: `en.txt`, or `en.txt and 2 more` if it has several files."""
    name = visible_text(config.name, spaces=False)
    more = len(config.reading.more) if isinstance(config, RunConfig) else 0
    return tr("{name} and {n} more", name=name, n=more) if more else name


def heading(session: Session, room: int) -> str:
    """Describe what is open in at most `room` cells; the least important facts go first."""
    name = name_of(session.config)
    if session.shown is None:
        return name
    if (origin := session.forked_from) is not None:
        template = "fork of {name} at step {step}: {otherwise} (I leads back)"
        name = first_fitting(
            room,
            tr(template, name=name, step=origin.step, otherwise=origin.otherwise),
            tr("fork at step {step}: {otherwise}", step=origin.step, otherwise=origin.otherwise),
        )
    facts = _trained(session) if session.opened is None else _opened(session)
    return fitting_facts([(-1, name), *facts, *_tied(session)], room)


def _tied(session: Session) -> Facts:
    """Return how many of the recorded merges were tied, as the slider marks only a few."""
    merges = session.merges
    if merges is None or not (tied := len(merges.frame.tied_steps)):
        return []
    return [(8, tr("{n} of {merges} tied", n=tied, merges=plural(len(merges), "merge")))]


def fitting_facts(facts: Facts, room: int) -> str:
    """Join the facts that fit, in the order of their places."""
    kept = list(facts)
    while True:
        line = BETWEEN_PARTS.join(fact for _, fact in sorted(kept))
        if len(kept) <= 1 or width(line) <= room:
            return line
        kept.pop()


def _trained(session: Session) -> Facts:
    """Return the facts of a training; its options are in the inspection.

    These are the model unless it is BPE, the size of the corpus, the progress, and unusual options.
    """
    config, frame = session.config, session.frame
    assert isinstance(config, RunConfig)
    facts = [(1, size(session.bytes_read)), (2, plural(session.documents, "document"))]
    if session.stop_reason is None:
        facts.append((6, tr("training …")))
    if config.phases:
        facts.append((3, f"{tr('phases')} {visible_text(config.phases, spaces=False)}"))
    elif config.pattern != RunConfig.pattern:
        facts.append((3, f"{tr('pattern')} {visible_text(config.pattern, spaces=False)}"))
    if frame is None:
        trainer = trainer_of(config)
        facts.insert(0, (0, (trainer or session.model).title))
    elif not frame.units.spells_all:
        facts.append((4, f"{tr('units')} {frame.units.name}"))
    if frame is not None and frame.tie_rule.name != RunConfig.tie_rule:
        facts.append((5, f"{tr('ties')} {frame.tie_rule.title}"))
    if (working := session.working) is not None and session.stop_reason is None:
        facts.append((7, f"{working.doing} {working.done / max(working.total, 1):.0%}"))
    return facts


def how_trained(session: Session, *options: tuple[str, str]) -> list[tuple[str, str]]:
    """Return name and value of each option of a training, and why it ended."""
    config, ended = session.config, session.stop_reason
    if not isinstance(config, RunConfig):
        return []
    corpus = name_of(config)
    documents = plural(session.documents, "document")
    return [
        ("corpus", f"{corpus}, {size(session.bytes_read)}, {documents}"),
        *options,
        (
            "training",
            tr("goes on") if ended is None else tr("ended: {ended}", ended=tr(ended.value)),
        ),
    ]


def _opened(session: Session) -> Facts:
    """Return the facts of an opened tokenizer: format, size, pattern, replay, corpus."""
    opened, ended, frame = session.opened, session.stop_reason, session.frame
    assert opened is not None
    assert frame is not None
    pattern = visible_text(opened.tokenizer.pattern.name, spaces=False)
    facts = [
        (1, tr("{name} format", name=opened.format)),
        (2, plural(len(opened.tokenizer.vocab), "token")),
        (3, f"{tr('pattern')} {pattern}"),
    ]
    if ended is None:
        facts.insert(0, (6, tr("replaying …")))
    if frame.run.continued is not None:
        learnt = len(frame.run) - frame.run.record.given_steps
        facts.insert(0, (6, plural(max(learnt, 0), "new merge")))
    if session.config.corpus is not None and frame.has_corpus:
        corpus = visible_text(Path(session.config.corpus).name, spaces=False)
        facts.append((4, tr("over {corpus}", corpus=corpus)))
        facts.append((5, plural(len(frame.run.counts), "distinct pretoken")))
    return facts
