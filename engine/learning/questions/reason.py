"""Questions about a piece that is not one token: which of five reasons is it?

The engine's `why_not` decides. Drawn examples have each reason but the border equally often, and
pieces of the same shapes, so neither a reason nor a length is a good guess. Counts are hints: with
them one could answer without a look at the tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from itertools import accumulate, islice, pairwise

from engine.analysis.explanation import count_inside, last_count, was_always_taken, why_never_made
from engine.analysis.quoted_merges import Merge, merge_making
from engine.analysis.why_not import Answer, Beaten, BorderInside, NeverEncoded, NoSuchToken, why_not
from engine.bpe.frame import Frame
from engine.core.errors import QuestionError
from engine.core.wording import Sentence, Words, edged, frequency, say
from engine.learning.questions.answer_forms import CUT, SPACE, Choice, Option, is_printable
from engine.learning.questions.question import Chance, Kind, Level, Question, Request, Wrong
from engine.text.pretokenize import to_bytes, to_text

LONGEST = 40
"""Largest number of characters of a text that is asked about."""
WORDS, LINES = 2000, 200
"""Numbers of different words, and of lines of the corpus, to draw from."""
SHORTEST_WORD, LONGEST_WORD = 4, 14
"""Numbers of bytes of a word that is drawn."""
DRAWS = 240
LENGTHS, CUTS = range(2, 8), (0, 1, 1, 2)
"""Bytes of a piece to look for, and edges of tokens inside of it."""


class Reason(IntEnum):
    """A reason why a piece is not one token; its number is the place of its texts."""

    BORDER = 0
    RARE = 1
    TAKEN = 2
    LATER = 3
    PARTS_TAKEN = 4


LABELS = (
    "a border of the pattern runs through it",
    "too rare, or it never occurs: no merge made it",
    "a merge made it, but another one takes a byte first",
    "it is learnt at a later step",
    "frequent, but other tokens always took its parts",
)
IF_SO = (
    "If so, two pretokens would share it.",
    "If so, no merge of the whole training would make it, and the last one joined in more places.",
    "If so, it would be in the vocabulary already, and a token here would cross its edge.",
    "If so, it would be in one pretoken, and a merge after this step would make it.",
    "If so, no merge would make it, though it occurs more often than the last pair that merged.",
)
"""Signs that one would see if a reason were the right one."""
MISTAKES = (
    "saw a border of the pattern where none is",
    "took a piece for too rare",
    "took another merge for the reason",
    "waited for a later merge that does not help",
    "took a piece for frequent enough",
)
"""The mistakes behind wrong reasons."""


@dataclass(frozen=True)
class Example:
    """A piece in a text."""

    text: str
    piece: bytes
    answer: Answer
    reason: Reason


def _pose_reason(frame: Frame, request: Request) -> Question:
    """Ask why a piece is not one token."""
    if frame.given or not frame.recorded_steps:
        raise QuestionError("only a training from a text has reasons to ask for")
    if request.about is None:
        example = _drawn(frame, request.chance)
    else:
        example = _named(frame, request.about)
    piece, text = example.piece, to_bytes(example.text)
    ids = [token for each in frame.encode(example.text) for token in each.ids]
    tokens = [frame.any_token(token) for token in ids]
    rows = request.chance.shuffled(Reason)
    return Question(
        frame,
        say("{piece} is not one token here. Why?", piece=piece),
        Choice(tuple(Option((LABELS[reason],)) for reason in rows)),
        rows.index(example.reason),
        explain=lambda: (_explained(frame, example),),
        explain_wrong=lambda row: Wrong(
            MISTAKES[rows[row]],
            say("it is another reason than “{reason}”.", reason=say(LABELS[rows[row]])),
            say(IF_SO[rows[row]]),
        ),
        find_hints=lambda _: (
            say("does one of the tokens cross an edge of {piece}?", piece=piece),
            say(
                "{piece} occurs {times} inside of pretokens, and the last pair of all {least}.",
                piece=piece,
                times=frequency(count_inside(frame, piece)),
                least=frequency(last_count(frame)),
            ),
            _hint_at_merge(frame, piece),
        ),
        advice=say("Look at its edges: which tokens are there, and which could have made it?"),
        given=(
            say("{text} is {tokens}", text=text, tokens=edged(tokens)),
            say("here: {n} merges of {all}", n=f"{frame.step:,}", all=f"{frame.recorded_steps:,}"),
        ),
        find_level=lambda: Level.CLOSE,  # the same for all reasons, so it reveals none
    )


def _named(frame: Frame, about: str) -> Example:
    """Return the example of a piece, or of a text and a piece in it, with `|` between."""
    text, _, piece = about.replace(SPACE, " ").partition(CUT)
    wanted = to_bytes(piece or text)
    start = to_bytes(text).find(wanted)
    if not wanted or start < 0 or len(text) > LONGEST or not text.isprintable():
        raise QuestionError(
            f"{about}: say a piece, or a text of up to {LONGEST} characters, {CUT} and a piece of "
            "the text"
        )
    example = _example(frame, text, wanted, start)
    if example is None:
        answer = why_not(frame, text, wanted, start)
        raise QuestionError(f"{about} has no reason that shows: {answer.describe()}")
    return example


def _example(frame: Frame, text: str, piece: bytes, start: int) -> Example | None:
    """Return a piece in a text with its reason; `None` if it has none of the five."""
    answer = why_not(frame, text, piece, start)
    match answer:
        case BorderInside():
            reason = Reason.BORDER
        case NoSuchToken(made_later=None):
            reason = Reason.PARTS_TAKEN if was_always_taken(frame, piece) else Reason.RARE
        case NoSuchToken():
            reason = Reason.LATER
        case Beaten(was_whole=False) | NeverEncoded():
            reason = Reason.TAKEN
        case _:
            return None
    return Example(text, piece, answer, reason)


def _drawn(frame: Frame, chance: Chance) -> Example:
    """Draw a reason, then an example of it, among those that a few draws find."""
    words = [
        to_text(word)
        for word in islice(frame.counts, WORDS)
        if SHORTEST_WORD <= len(word) <= LONGEST_WORD and to_text(word).isprintable()
    ]
    lines = [[to_text(each.bytes) for each in line] for line in frame.excerpt.lines[:LINES]]
    across = ["".join(two) for line in lines for two in pairwise(line)]
    across = [text for text in across if len(text) <= LONGEST_WORD and text.isprintable()]
    crosses, length, is_apart = chance.below(3) > 0, chance.pick(LENGTHS), chance.below(3) == 0
    cuts = chance.pick(CUTS)

    def distance(example: Example) -> int:
        crossed, inside = _edges(frame, example)
        far = abs(len(example.piece) - length) + 2 * (example.piece.startswith(b" ") != is_apart)
        return far + 3 * (crossed != crosses) + 5 * abs(inside - cuts)

    found: dict[Reason, list[Example]] = {}
    for draw in range(DRAWS if words else 0):
        texts = across if across and draw % 4 == 0 else words
        text = chance.pick(texts)
        spans = [
            (start, end) for start, end in _spans(frame, text) if abs(end - start - length) < 2
        ]
        if not spans:
            continue
        start, end = chance.pick(spans)
        piece = to_bytes(text)[start:end]
        example = _example(frame, text, piece, start) if is_printable(piece) else None
        if example is not None:
            found.setdefault(example.reason, []).append(example)
    if len(found) < len(Reason):
        raise QuestionError(f"not all reasons have an example at step {frame.step:,}")
    # One sees a border without a thought, so it is the reason less often than the others.
    reasons = [
        reason for reason in sorted(found) for _ in range(1 if reason == Reason.BORDER else 4)
    ]
    return min(found[chance.pick(reasons)], key=distance)


def _edges(frame: Frame, example: Example) -> tuple[bool, int]:
    """Return whether a token crosses an edge of the piece, and how many edges are inside of it."""
    start = to_bytes(example.text).find(example.piece)
    tokens = [frame.any_token(token) for each in frame.encode(example.text) for token in each.ids]
    ends = {*accumulate(map(len, tokens), initial=0)}
    end = start + len(example.piece)
    return not {start, end} <= ends, sum(start < each < end for each in ends)


def _spans(frame: Frame, text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of pieces: of two tokens or three, or of a token that is not there."""
    tokens = [frame.any_token(token) for each in frame.encode(text) for token in each.ids]
    ends = list(accumulate(map(len, tokens), initial=0))
    for number in (2, 3):
        yield from zip(ends, ends[number:], strict=False)
    # Pieces whose edges lie inside of tokens, and tokens that are not there.
    data, rules = to_bytes(text), frame.rules
    for start in range(len(data)):
        for end in range(start + 2, min(start + LENGTHS.stop, len(data) + 1)):
            if not {start, end} <= {*ends}:
                yield start, end
                yield from [(start, end)] * (AS_TOKEN * (data[start:end] in rules.ids))


AS_TOKEN = 6
"""Number of further draws of a span that is a token elsewhere."""


# -- explanations


def _hint_at_merge(frame: Frame, piece: bytes) -> Sentence:
    """Name the merge of the whole training that makes a piece, whatever the reason is."""
    rules = frame.rules_at_end
    token = rules.ids.get(piece)
    merge = None if token is None else merge_making(rules, token)
    if merge is None:
        return say("no merge of the whole training makes {piece}.", piece=piece)
    return say("merge {n} of the training makes {piece}.", n=f"{merge.rank + 1:,}", piece=piece)


def _explained(frame: Frame, example: Example) -> Sentence:
    """Return the reason, with the merge or the border behind it."""
    answer, piece = example.answer, example.piece
    match answer:
        case BorderInside():
            return say(
                "{piece} is cut between {left} and {right}: merges never cross a border.",
                piece=piece,
                left=answer.left.bytes,
                right=answer.right.bytes,
            )
        case NoSuchToken(made_later=Merge() as later):
            return say(
                "merge {n}, {pair}, makes {piece}, and only {step} are made here.",
                n=f"{later.rank + 1:,}",
                pair=_joined(later),
                piece=piece,
                step=f"{frame.step:,}",
            )
        case NoSuchToken():
            return why_never_made(frame, piece)
        case Beaten(merge=merge) | NeverEncoded(taken_by=Merge() as merge):
            made = merge_making(frame.rules, frame.rules.ids[piece])
            return say(
                "merge {n}, {pair}, crosses an edge of {piece}, which merge {made} makes.",
                n=f"{merge.rank + 1:,}",
                pair=_joined(merge),
                piece=piece,
                made="?" if made is None else f"{made.rank + 1:,}",
            )
        case _:
            return say("the bytes of {piece} merge in another way.", piece=piece)


def _joined(merge: Merge) -> Words:
    return merge.left, "+", merge.right


REASON = Kind("reason", (Frame,), "BPE", _pose_reason)
