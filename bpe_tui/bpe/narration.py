"""Sentences about each step of a BPE training: for the last line of a screen, for the transcript.

Each sentence is complete by itself: read aloud, it needs no colour and no column. Where a function
takes `room`, it chooses a shorter sentence if there are few cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import groupby, islice

from bpe_tui.bpe.phases import describe_border
from bpe_tui.widgets.language import in_a_row, plural, times, tr, tr_message, tr_sentence
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.visible import quoted, visible_bytes, visible_text
from bpe_tui.words.narration import (
    CONTINUED,
    GIVEN,
    OF_A_FORK,
    as_sentence,
    format_pair,
    format_rivals,
    part_of,
    spelled,
)
from engine.bpe.frame import Frame
from engine.bpe.pick import Pick
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainers.pseudocode import Move
from engine.core.events import Pair
from engine.core.wording import frequency, is_partial, say
from engine.encoding.typed_text import UNSPELLED, EncodedPretoken, unspelled_places


def narrate(frame: Frame) -> tuple[str, ...]:
    """Return a sentence about the merge or move that led to a frame, then shorter ones.

    For example: `Merge 128 of 1,742: o and u occurred together 1,204 times; they are one token now,
    ou.` Or: `Merge 128: o and u, 1,204 times, become ou.`
    """
    if frame.moves_done:
        return tuple(_narrate_move(frame))
    merge = frame.merge
    if merge is None:
        return _narrate_start(frame)
    pair, token = format_pair(frame, merge.pair), quoted(merge.token)
    step = number(frame.step)
    sentence = tr_sentence(frame.sentence).describe(quoted)
    if frame.phase_start is not None:
        border = describe_border(frame)
        short = tr("Merge {step}: {pair} make {token}.", step=step, pair=pair, token=token)
        joined = [in_a_row(sentence, border[0]), *(in_a_row(short, each) for each in border)]
        return (*joined, *border)
    if not merge.count:
        return sentence, tr("Merge {step}: {pair} make {token}.", step=step, pair=pair, token=token)
    forked = f"{tr(' ')}{why}" if (why := _describe_fork(frame)) else ""
    part = _describe_part(frame, merge.token)
    shorter = say(
        "Merge {step}: {pair}, {times}, become {token}.",
        step=step,
        pair=frame.sentence.values["pair"],
        times=frequency(merge.count),
        token=merge.token,
    )
    short = tr_sentence(shorter).describe(quoted)
    shortest = tr("Merge {step} makes {token}.", step=step, token=token)
    return (
        f"{sentence}{part}{forked}",
        f"{short}{part}{forked}",
        f"{short}{forked}",
        short,
        shortest,
    )


def _describe_part(frame: Frame, token: bytes) -> str:
    """Name frequent characters that contain a token: ` It is the first 2 bytes of 我 成.`"""
    if not is_partial(token) or token.decode("utf-8", "ignore"):
        return ""
    if not (found := frame.run.characters.with_part(token)[:2]):
        return ""
    part, characters = part_of(frame, token), " ".join(map(visible_text, found))
    sentence = say("It is {part} of {characters}.", part=part, characters=characters)
    return f"{tr(' ')}{tr_sentence(sentence).describe(quoted)}"


def _describe_fork(frame: Frame) -> str:
    """Return how a fork changed the choice of the last merge; often empty.

    For example: `Forbidden: e and st, 9 times.`
    """
    if frame.run.record.fork_rules is None or (pick := frame.picked) is None:
        return ""
    return tr(pick.reason.value) if pick.is_prescribed else _describe_forbidden(frame, pick)


def _describe_forbidden(frame: Frame, pick: Pick) -> str:
    """Return the first pair that a fork forbids; empty if no frequent one is forbidden."""
    if not pick.forbidden:
        return ""
    pair, count = pick.forbidden[0]
    more = len(pick.forbidden) - 1
    others = tr(" and {more} more", more=more) if more else ""
    template = "Forbidden: {pair}, {times}{others}."
    return tr(template, pair=format_pair(frame, pair), times=times(count), others=others)


def why_no_heap(frame: Frame) -> str:
    """Return why no trainer's heap predicts the merges of a run."""
    if frame.run.continued is not None:
        return CONTINUED
    if frame.given:
        return GIVEN
    return OF_A_FORK


def explain_pick(frame: Frame, pick: Pick, *, is_ahead: bool = False) -> Iterator[str]:
    """Yield why a pair merged, or merges next if `is_ahead`: rivals, tie rule, forbidden pairs."""
    verb = tr("is" if is_ahead else "was")
    if pick.is_prescribed:
        yield tr(pick.reason.value)
    elif pick.rivals:
        template = "It {verb} tied with {rivals}."
        yield tr(template, verb=verb, rivals=format_rivals(frame, pick.rivals))
        yield f"{describe_decision(frame, pick)}."
    else:
        may = tr(" that may merge") if pick.forbidden else ""
        yield tr("No other pair{may} {verb} as frequent.", may=may, verb=verb)
    if pick.forbidden:
        yield _describe_forbidden(frame, pick)


def narrate_tie(frame: Frame) -> str:
    """Return why this pair merged and no other."""
    if (pick := frame.picked) is None:
        return tr("Nothing has merged at step 0.")
    occurred = f", {times(pick.count)}" if pick.count else ""
    template = "The pair {pair} merged{occurred}."
    merged = tr(template, pair=format_pair(frame, pick.pair), occurred=occurred)
    return " ".join([merged, *explain_pick(frame, pick)])


def explain_merge(frame: Frame) -> Iterator[str]:
    """Yield why the pair of this step merged, and what other tie rules would have merged."""
    yield narrate_tie(frame)
    if frame.picked is not None:
        yield from _other_rules(frame, frame.picked, frame.choices_before, "would have merged")


def _other_rules(
    frame: Frame, pick: Pick, choices: Mapping[str, Pair], would: str
) -> Iterator[str]:
    """Yield the choices of other tie rules in a tie, where they differ."""
    for rule, choice in choices.items():
        if pick.rivals and choice != pick.pair:
            yield tr(
                "The tie rule {title} {would} {pair}.",
                title=TIE_RULES[rule].title,
                would=tr(would),
                pair=format_pair(frame, choice),
            )


def narrate_next(frame: Frame) -> Iterator[str]:
    """Yield sentences about the next merge: its pair, why it wins, other tie rules' choices."""
    if (pick := frame.pick) is None:
        yield tr("No pair merges next.")
        return
    occurs = f", {times(pick.count)}" if pick.count else ""
    yield tr("Next is {pair}{occurs}.", pair=format_pair(frame, pick.pair), occurs=occurs)
    yield from explain_pick(frame, pick, is_ahead=True)
    yield from _other_rules(frame, pick, frame.queue.choices, "would merge")


def describe_decision(frame: Frame, pick: Pick) -> str:
    """Return the tie rule and how it ranks pairs; against one rival, the difference.

    For example: `Tie rule lexicographic (CS336): s is later in byte order than e`.
    """
    how = tr(frame.tie_rule.in_short)
    if len(pick.rivals) == 1:
        reason = frame.tie_reason(pick.pair, pick.rivals[0])
        how = tr_sentence(reason).describe(partial(spelled, frame))
    return tr("Tie rule {rule}: {why}", rule=frame.tie_rule.title, why=how)


def describe_unknown(frame: Frame, text: str) -> str:
    """Count the characters of a text that the run cannot spell, in a sentence; empty if none."""
    unknown = frame.unknown_in(text)
    if not unknown:
        return ""
    template = "{characters} here. {lesson}"
    return tr(
        template, characters=plural(unknown, "unknown character"), lesson=tr(frame.units.lesson)
    )


SHOWN = 3
"""Most stretches of a text that are named."""
MOST_SOUGHT = 2_000
"""Most pretokens in which bytes without a token are sought."""


def stretches(frame: Frame, piece: EncodedPretoken) -> list[tuple[bytes, bool]]:
    """Return a pretoken in stretches, and whether no token spells each: `m`, and then `ug`."""
    data, vocab = piece.pretoken.bytes, frame.rules.vocab
    spelled = b"".join(vocab[token_id] for token_id in piece.ids)
    alphabet = frame.rules.alphabet
    is_whole = len(spelled) >= len(data) or piece.pretoken.special or hasattr(alphabet, "model")
    if is_whole or getattr(alphabet, "unknown", None) in piece.ids:
        return [(data, False)]
    lost = set(unspelled_places(data, spelled))
    runs = groupby(enumerate(data), key=lambda item: item[0] in lost)
    return [(bytes(byte for _, byte in run), is_lost) for is_lost, run in runs]


def describe_lost(parts: Iterable[tuple[bytes, bool]]) -> str:
    """Return the stretches that no token spells, in a sentence; empty if there are none."""
    lost = list(dict.fromkeys(part for part, is_lost in parts if is_lost))
    shown = " ".join(map(visible_bytes, lost[:SHOWN])) + " …" * (len(lost) > SHOWN)
    return tr(UNSPELLED, parts=shown) if lost else ""


def describe_lost_in(frame: Frame, text: str) -> str:
    """Return what of a text no token spells, in a sentence; empty if there is nothing."""
    pieces = islice(frame.encode(text), MOST_SOUGHT)
    return describe_lost(part for piece in pieces for part in stretches(frame, piece))


def _narrate_start(frame: Frame) -> tuple[str, ...]:
    if frame.merges_nothing and frame.given:
        tokens, why = plural(frame.vocab_size, "token"), frame.run.obstacle
        if why is None:
            return (tr("{tokens}, and no merges to go through.", tokens=tokens),)
        template = "{tokens}, and no merges to go through: {why}."
        return (tr(template, tokens=tokens, why=tr_message(why)),)
    following = frame.next_pair
    if frame.given:
        alphabet = frame.run.alphabet
        short = tr("Step 0: {beginning}.", beginning=tr_message(alphabet.beginning))
        if following is None:
            return (tr("{short} The tokenizer's merges are made again …", short=short), short)
        first = format_pair(frame, following)
        full = short
        if alphabet.exceptions:
            full = tr(
                "{start}; {clause}.", start=short[:-1], clause=tr_message(alphabet.exceptions)
            )
        joins = tr("The first merge joins {first}.", first=first)
        return (
            in_a_row(full, joins),
            in_a_row(short, joins),
            tr("Step 0. Next {first}.", first=first),
        )
    unit = frame.units.one if frame.token_count == 1 else frame.units.many
    if following is None:
        template = "Step 0: {token_count} {unit}"
        start, obstacle = tr(template, token_count=frame.token_count, unit=unit), frame.run.obstacle
        if obstacle:
            return (in_a_row(tr("{clause}.", clause=start), as_sentence(obstacle)),)
        return (tr("{start}, and no pair to merge.", start=start),)
    rivals = () if frame.pick is None else frame.pick.rivals
    words = {
        "n": number(frame.token_count),
        "unit": tr(unit),
        "pair": format_pair(frame, following),
        "times": str(tr_sentence(frequency(frame.count_of(following)))),
        "rivals": format_rivals(frame, rivals),
    }
    return tuple(tr(way, **words) for way in (TIED if rivals else NOT_TIED))


TIED = (
    "Step 0: {n} {unit}, each a token of its own. The pair {pair} is next, {times}, tied with "
    "{rivals}.",
    "Step 0: {unit}. Next {pair}, {times}, tied with {rivals}.",
    "Step 0: {unit}. Next {pair}, {times}, tied.",
)
NOT_TIED = (
    "Step 0: {n} {unit}, each a token of its own. The pair {pair} is the most frequent, {times}.",
    "Step 0: {unit}. Next {pair}, {times}.",
)


def narrate_move(frame: Frame) -> str:
    """Return a sentence about the last move of the heap."""
    return next(_narrate_move(frame))


def _narrate_move(frame: Frame) -> Iterator[str]:
    """Yield a sentence about the last move of the heap, then shorter ones."""
    moves = frame.queue.moves()
    move = moves[frame.moves_done - 1]
    words = {
        "pair": format_pair(frame, move.pair),
        "claimed": str(tr_sentence(frequency(move.claimed))),
        "true": number(move.true),
        "times": str(tr_sentence(frequency(move.true))),
    }
    n, last = number(frame.moves_done), number(len(moves))
    full, short = (tr(way, **words) for way in MOVED[move.move])
    yield in_a_row(tr("Move {n} of {last}.", n=n, last=last), full)
    yield full
    yield short


MOVED = {
    Move.POP_STALE: (
        "The heap gives {pair}, {claimed}; that is stale, it is {true} now.",
        "Pop: {pair}, {claimed}; stale, now {true}.",
    ),
    Move.PUSH_BACK: (
        "The pair {pair} goes back into the heap with its true count, {true}.",
        "Push back: {pair}, {times}.",
    ),
    Move.POP: (
        "The heap gives {pair}, {claimed}; that is true: this pair merges.",
        "Pop: {pair}, {claimed}; true, it merges.",
    ),
    Move.PUSH: (
        "The merge made the pair {pair}, {times}: it goes into the heap.",
        "Push: {pair}, {times}.",
    ),
}
