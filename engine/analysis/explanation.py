"""Explain why a piece is not one token, or why two tokens do not merge, for all screens.

Two sources are joined. The merges say what happens in a text (`why_not`). If there is a corpus,
its counts say why no merge was learnt (`pair_history`); without one, these sentences are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import NamedTuple

from engine.analysis.pair_history import PairHistory, pair_history
from engine.analysis.quoted_merges import Merge, RankedToken, quoted, ranked_tokens
from engine.analysis.why_not import (
    Answer,
    Beaten,
    BorderInside,
    Merged,
    NeverEncoded,
    NoMerge,
    NoSuchToken,
    NotInText,
    OneToken,
    PairBeaten,
    SpecialToken,
    why_not,
    why_not_merged,
)
from engine.bpe.frame import Frame
from engine.core.characters import characters_around
from engine.core.events import Pair
from engine.core.wording import Sentence, edged, frequency, is_partial, say
from engine.encoding.encoders import EncodeStep
from engine.encoding.rules import EncodingRules, HasRules
from engine.encoding.tokenizer import Tokenizer
from engine.recording.playback import AnyMergeFrame
from engine.text.pretokenize import to_bytes, to_text

LONGEST_WAY = 500
"""Most bytes of a pretoken whose merges are followed."""
NEIGHBOURS = 4
"""Most pairs whose counts are given, of a piece that stops in several tokens."""
LINES = 12
"""Most merges of a way that are listed in text; the last ones are."""


class WayMerge(NamedTuple):
    """A merge on the way of a piece.

    Attributes:
        number: number of the merge, from 1; the step right after it has the same number.
        ids, tokens: all tokens after it.
    """

    number: int
    ids: tuple[int, ...]
    tokens: tuple[bytes, ...]


@dataclass(frozen=True)
class Explanation:
    """Why a piece is not one token, or two tokens do not merge.

    Attributes:
        answer: what the merges do in the text; `None` if only the counts were asked.
        way: the merges from single units up to the one in question; later steps' included.
        end: what is special about the last merge of the way: `here it stops`.
        stopped: the tokens that no merge of the whole run joins; empty if one does.
        histories: the counts of the pair, or of the neighbours in `stopped`, each pair once;
            empty without a corpus.
        occurs: how often a piece that is no token occurs inside of the corpus's pretokens; `None`
            for anything else, and without a corpus.
        never_made: why no merge of the whole run makes the piece, by its count; `None` as `occurs`.
    """

    answer: Answer | None
    way: tuple[WayMerge, ...] = ()
    end: str = ""
    stopped: tuple[RankedToken, ...] = ()
    histories: tuple[PairHistory, ...] = ()
    occurs: int | None = None
    never_made: Sentence | None = None
    _token: Callable[[int], bytes] = field(default=lambda _: b"", repr=False, compare=False)

    @property
    def holds(self) -> bool:
        """Whether the piece is one token, or the two do merge."""
        return isinstance(self.answer, OneToken | Merged)

    def title(self, name: str) -> Sentence:
        """Return the question about what was asked, or the fact if there is nothing to ask.

        Args:
            name: the piece, or the pair as `a+b`, as they are shown.
        """
        if isinstance(self.answer, OneToken):
            return say("{name} is one token", name=name)
        is_joined = any(history.merged for history in self.histories if not self.stopped)
        if is_joined or isinstance(self.answer, Merged):
            return say("{name} merges", name=name)
        is_pair = isinstance(self.answer, NoMerge | PairBeaten) or self.answer is None
        template = "why does {name} not merge?" if is_pair else "why is {name} not one token?"
        return say(template, name=name)

    @property
    def sentences(self) -> list[Sentence]:
        """The sentences of the answer."""
        sentences = [] if self.answer is None else [self.answer.sentence]
        about_pairs = [each for history in self.histories for each in self._told(history)]
        if not self.stopped:
            return sentences + about_pairs
        assert isinstance(self.answer, NoSuchToken)
        stopped = list(self.stopped)
        if self.stopped == self.answer.parts:  # their merges are in the sentence before
            stopped = [RankedToken(each.token, None) for each in stopped]
        wanted, never = quoted(stopped), say("")
        if len(self.stopped) > 2:
            template = (
                "To be one token, merges would have to join {wanted}; none joins two of them."
            )
        elif any(history.ever_occurs for history in self.histories) or not self.histories:
            template = "To be one token, a merge would have to join {wanted}. No merge does."
        else:
            about_pairs, never = [], self.histories[0].outcome
            template = (
                "To be one token, a merge would have to join {wanted}. No merge does: {never}"
            )
        sentences.append(say(template, wanted=wanted, never=never))
        needed = dict.fromkeys(filter(None, (each.needed for each in self.histories)))
        sentences += [sentence for sentence in about_pairs if sentence not in needed]
        return [*sentences, *needed, *filter(None, [self.never_made])]

    def _told(self, history: PairHistory) -> list[Sentence]:
        """Tell the counts of a pair; name the characters of the piece that it is a part of."""
        parts, within = list(map(self._token, history.pair)), b""
        if any(map(is_partial, parts)) and self.answer is not None:
            within = characters_around(self.answer.piece, b"".join(parts))
        return history.sentences(self._token, within=within)

    @property
    def lines(self) -> list[Sentence]:
        """The sentences, then the way, a line for each of its last merges."""
        lines = self.sentences
        if self.occurs is not None and self.answer is not None:
            template, count = "{piece} occurs {times} in this corpus.", frequency(self.occurs)
            lines.insert(0, say(template, piece=self.answer.piece, times=count))
        shown = self.way[-LINES:]
        if left_out := len(self.way) - len(shown):
            lines.append(say("after {left_out} merges:", left_out=f"{left_out:,}"))
        for merge in shown:
            is_last = merge is self.way[-1]
            lines.append(
                say(
                    "merge {number}: {tokens}{end}",
                    number=f"{merge.number:,}",
                    tokens=quoted(RankedToken(each, None) for each in merge.tokens),
                    end=say(" ({end})", end=say(self.end)) if is_last else say(""),
                )
            )
        return lines


def explain(
    source: Tokenizer | AnyMergeFrame,
    parts: Sequence[str | bytes],
    text: str | None = None,
    start: int | None = None,
    pair: Pair | None = None,
) -> Explanation:
    """Explain why a piece is not one token, or why two tokens do not merge.

    Args:
        source: a tokenizer, or a frame of a run, which also knows the corpus and later steps.
        parts: the piece; or the two tokens.
        text: the text in which they are asked about; by default the parts alone.
        start: their place in the text, in bytes; by default the first one.
        pair: the ids of the two tokens, where their bytes are not enough.

    >>> from engine import Timeline, Trainer
    >>> counts = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}
    >>> timeline = Timeline(counts, Trainer(counts, 260).steps())
    >>> for line in explain(timeline.seek(4), ["lowest"]).lines:
    ...     print(line)
    lowest occurs 0 times in this corpus.
    lowest is no token of this vocabulary. Alone it is low (merge 4) + est (merge 2).
    To be one token, a merge would have to join low + est. No merge does: the two never occur \
side by side in one pretoken of this corpus.
    Only a pair that occurs can merge.
    No pretoken of this corpus has it, so no merge can make it.
    merge 1: l + o + w + e + st
    merge 2: l + o + w + est
    merge 3: l + ow + est
    merge 4: low + est (here it stops)
    """
    asked = [to_bytes(part) if isinstance(part, str) else part for part in parts]
    frame = None if isinstance(source, Tokenizer) else source
    ruled = source if isinstance(source, Tokenizer | Frame) else None  # WordPiece is not
    known, is_pair = pair, len(asked) == 2
    if frame is not None and is_pair and pair is None:
        known = _ids_of(frame, asked)
    answer: Answer | None = None
    way, stopped = _Way(), tuple[RankedToken, ...]()
    if ruled is not None:
        answer = _answer(ruled, asked, text, start)
        way = _follow(ruled, answer, asked, known)
        stopped = ranked_tokens(_rules_at_end(ruled), way.stopped)
    histories: tuple[PairHistory, ...] = ()
    if frame is not None and is_pair and not isinstance(answer, NEVER_SIDE_BY_SIDE):
        histories = _histories(frame, [known] if known else [])
    if frame is not None and stopped:
        histories = _histories(frame, list(dict.fromkeys(pairwise(way.stopped))))
    token = source.vocab.__getitem__ if isinstance(source, Tokenizer) else source.any_token
    occurs = never_made = None
    if isinstance(frame, Frame) and isinstance(answer, NoSuchToken) and not is_pair:
        occurs = count_inside(frame, asked[0]) if frame.has_corpus else None
        if answer.made_later is None and not frame.given:  # else no count chose the merges
            never_made = why_never_made(frame, asked[0])
    return Explanation(
        None if histories and is_pair and text is None and not stopped else answer,
        tuple(
            WayMerge(step.rank + 1, step.after, tuple(map(token, step.after))) for step in way.steps
        ),
        way.end,
        stopped,
        histories,
        occurs,
        never_made,
        _token=token,
    )


MOST_COUNTED = 20_000
"""Largest number of different words in which a piece is counted."""


def count_inside(frame: Frame, piece: bytes) -> int:
    """Return how often a piece occurs inside of the corpus's pretokens."""
    words = islice(frame.run.by_count.containing(piece), MOST_COUNTED)
    return sum(frame.counts[word] * word.count(piece) for _, word in words)


def was_always_taken(frame: Frame, piece: bytes) -> bool:
    """Whether a piece that no merge makes occurs as often as the last merge joined, or more."""
    return count_inside(frame, piece) >= max(last_count(frame), 1)


def last_count(frame: Frame) -> int:
    """Return the count of the last merge of the whole run; 0 without one."""
    steps = frame.recorded_steps
    return frame.merge_at(steps - 1).count if steps else 0


EXAMPLES = 2
"""Number of words in which a piece that was always taken is shown."""


def why_never_made(frame: Frame, piece: bytes) -> Sentence:
    """Return why no merge of the whole run makes a piece: by how often it occurs.

    A frequent piece was in other tokens in most of its words, so no pair for it was frequent.
    """
    count, last = count_inside(frame, piece), last_count(frame)
    times, least = frequency(count), frequency(last)
    if not count:
        return say("No pretoken of this corpus has it, so no merge can make it.")
    if not was_always_taken(frame, piece):
        template = "It is too rare: it occurs {times}, and the pair of the last merge {least}."
        return say(template, times=times, least=least)
    end = frame.at(frame.recorded_steps)
    shown = list[str | bytes]()
    for _, word in islice(frame.run.by_count.containing(piece), EXAMPLES):
        tokens = map(end.any_token, end.tokens_of(word)) if len(word) <= LONGEST_WAY else ()
        shown += [", " if shown else "", *edged(tokens)]
    template = (
        "It is not too rare: it occurs {times}, and the pair of the last merge {least}. But its "
        "parts were always taken, by other tokens of its words: {words}."
    )
    return say(template, times=times, least=least, words=tuple(filter(None, shown)))


NEVER_SIDE_BY_SIDE = NotInText, BorderInside, SpecialToken
"""The answers after which the counts of a pair say nothing."""


def _answer(
    source: HasRules, asked: Sequence[bytes], text: str | None, start: int | None
) -> Answer:
    place = to_text(b"".join(asked)) if text is None else text
    if len(asked) == 2:
        return why_not_merged(source, place, asked[0], asked[1], start)
    return why_not(source, place, asked[0], start)


def _rules_at_end(source: Tokenizer | Frame) -> EncodingRules:
    return source.rules_at_end if isinstance(source, Frame) else source.rules


def _ids_of(frame: AnyMergeFrame, tokens: Sequence[bytes]) -> Pair | None:
    left, right = map(frame.id_of, tokens)
    return None if left is None or right is None else (left, right)


def _histories(frame: AnyMergeFrame, pairs: Sequence[Pair]) -> tuple[PairHistory, ...]:
    if not frame.has_corpus:
        return ()
    return tuple(pair_history(frame, pair) for pair in pairs[:NEIGHBOURS])


class _Way(NamedTuple):
    """The merges of a way, what is special about the last, and the tokens that nothing joins."""

    steps: Sequence[EncodeStep] = ()
    end: str = ""
    stopped: tuple[int, ...] = ()


def _follow(
    source: Tokenizer | Frame, answer: Answer, asked: Sequence[bytes], pair: Pair | None
) -> _Way:
    """Follow the merges up to the one that the answer is about, also into later steps."""
    rules, piece = _rules_at_end(source), answer.piece
    if isinstance(answer, Beaten | PairBeaten | Merged):
        if len(answer.pretoken) > LONGEST_WAY:
            return _Way()
        end = "here they join" if isinstance(answer, Merged) else "here a part is taken"
        return _Way(list(islice(rules.steps(answer.pretoken), answer.number)), end)
    if len(piece) > LONGEST_WAY:
        return _Way()
    if isinstance(answer, NoMerge | NoSuchToken) and pair is not None:
        if isinstance(answer, NoSuchToken):  # a token of the pair that comes later
            piece = b"".join(asked)
        return _way_to_pair(list(rules.inside.steps(piece)), pair)
    if not isinstance(answer, NoSuchToken | NeverEncoded | OneToken):
        return _Way()
    if piece not in asked:  # with the mark of a word's end
        piece = b"".join(asked)
    else:
        rules = rules.inside
    steps = list(rules.steps(piece))
    if isinstance(answer, OneToken):
        return _Way(_through(steps, answer.merge) if answer.merge else (), "one token")
    if isinstance(answer, NeverEncoded):
        if (taken_by := answer.taken_by) is not None:
            return _Way(_through(steps, taken_by), "here a part is taken")
        return _Way(steps, "here it stops")
    if answer.made_later is not None:
        return _Way(_through(steps, answer.made_later), "one token")
    stopped = steps[-1].after if steps else tuple(rules.alphabet.spell(piece))
    return _Way(steps, "here it stops", stopped if len(stopped) > 1 else ())


def _through(steps: Sequence[EncodeStep], merge: Merge) -> Sequence[EncodeStep]:
    """Return the steps up to the last of a merge. If merges are out of order, none is left out."""
    numbers = [number for number, step in enumerate(steps, 1) if step.rank == merge.rank]
    return steps[: numbers[-1]] if numbers else ()


def _way_to_pair(steps: Sequence[EncodeStep], pair: Pair) -> _Way:
    """Return the merges until only the two tokens are left, and the one that joins them."""
    for made, step in enumerate(steps, 1):
        if step.before == pair:
            return _Way(steps[:made], "here they join")
    if steps and steps[-1].after == pair:
        return _Way(steps, "here it stops")
    return _Way()
