"""Explain why a piece of a text is not one token, and why two tokens do not merge.

Exactly one answer holds for each place of a text. Special tokens are cut out first, then the
pattern cuts, and only then merges are applied. So the questions are asked in this order: is it
special, does a border run through it, does a token have these bytes, do these bytes alone lead to
it, and which merge took one of them away. If the others have no answer, the last one has: as long
as no merge crosses the edges of the piece, its bytes merge as they would alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from engine.analysis.quoted_merges import (
    Merge,
    RankedToken,
    merge_making,
    merge_of,
    merge_to_come,
    quoted,
    ranked_tokens,
)
from engine.core.arguments import checked
from engine.core.events import PAIR_SIGN
from engine.core.gpt2_bytes import spell
from engine.core.wording import Sentence, ShowBytes, is_partial, parted, say
from engine.encoding.encoders import RankHeap
from engine.encoding.rules import Crossing, EncodingRules, HasRules, first_merge_across
from engine.text.pretokenize import Pretoken, to_bytes, to_text

# -- the answers, each with its facts and a sentence


@dataclass(frozen=True)
class Answer(ABC):
    """An answer to why `piece` is not one token, or that it is one."""

    piece: bytes

    @property
    @abstractmethod
    def sentence(self) -> Sentence:
        """The answer, in one or two sentences."""

    def describe(self, show: ShowBytes = spell) -> str:
        """Return the answer as text.

        Args:
            show: writes a token, which may be any bytes; by default in GPT-2's spelling, where a
                space is `Ġ`.
        """
        return self.sentence.describe(show)


@dataclass(frozen=True)
class NotInText(Answer):
    """The piece does not occur in the text."""

    @property
    def sentence(self) -> Sentence:
        if not self.piece:
            return say("Nothing is asked: type the piece that you expected to be one token.")
        return say("{piece} does not occur in the text; spaces and case count.", piece=self.piece)


def made_by(merge: Merge | None) -> Sentence:
    """Return a clause on how a token came to be."""
    if merge is None:
        return say("which no merge makes")
    return say("made by {merge}", merge=merge.sentence)


@dataclass(frozen=True)
class OneToken(Answer):
    """The piece is one token here, made by `merge`, or there from the start as a single `unit`."""

    token_id: int
    merge: Merge | None
    unit: str = "byte"

    @property
    def sentence(self) -> Sentence:
        is_single = len(self.piece if self.unit == "byte" else to_text(self.piece)) == 1
        made = made_by(self.merge)
        if self.merge is None and is_single:
            made = say("a single {unit}", unit=say(self.unit))
        template = "{piece} is one token here: id {token_id}, {made}."
        return say(template, piece=self.piece, token_id=str(self.token_id), made=made)


@dataclass(frozen=True)
class SpecialToken(Answer):
    """The piece is a special token, or lies inside one."""

    token: str
    token_id: int

    @property
    def sentence(self) -> Sentence:
        whole = to_bytes(self.token)
        subject: bytes | Sentence = whole
        if whole != self.piece:
            subject = say("{piece} lies inside {whole}, which", piece=self.piece, whole=whole)
        template = (
            "{subject} is a special token: one id, {token_id}, cut out before anything "
            "merges and never taken apart."
        )
        return say(template, subject=subject, token_id=str(self.token_id))


@dataclass(frozen=True)
class BorderInside(Answer):
    """The pattern cuts the text inside the piece, the first time between `left` and `right`."""

    left: Pretoken
    right: Pretoken
    borders: int

    @property
    def sentence(self) -> Sentence:
        runs, first = say("A pretoken border runs"), say("")
        if self.borders > 1:
            runs = say("{borders} borders run", borders=str(self.borders))
            first = say("the first one ")
        return say(
            "{runs} through {piece}: {first}between {last} ({left}) and {next} ({right}). "
            "Merges never cross a border.",
            runs=runs,
            piece=self.piece,
            first=first,
            last=self.left.bytes,
            left=say(cut_by(self.left)),
            next=self.right.bytes,
            right=say(cut_by(self.right)),
        )


@dataclass(frozen=True)
class NoSuchToken(Answer):
    """No token has these bytes, which encode as `parts`; `made_later` is a merge to come."""

    parts: tuple[RankedToken, ...]
    made_later: Merge | None

    @property
    def sentence(self) -> Sentence:
        alone = quoted(self.parts)
        if (later := self.made_later) is None:
            template = "{piece} is no token of this vocabulary. Alone it is {alone}."
            return say(template, piece=self.piece, alone=alone)
        comes = say(
            "comes with merge {rank} ({left} + {right})",
            rank=f"{later.rank + 1:,}",
            left=later.left,
            right=later.right,
        )
        template = "{piece} is no token yet: it {comes}. Now it is {alone}."
        return say(template, piece=self.piece, comes=comes, alone=alone)


@dataclass(frozen=True)
class NeverEncoded(Answer):
    """The token exists, but its own bytes encode as `parts`.

    `taken_by` is the first merge of its bytes that takes a part of it away; `None` if none does.
    """

    token_id: int
    merge: Merge | None
    parts: tuple[RankedToken, ...]
    taken_by: Merge | None = None

    @property
    def sentence(self) -> Sentence:
        took = say("")
        if self.taken_by is not None:
            took = say(" {merge} took a part away first.", merge=self.taken_by.sentence)
        return say(
            "{piece} is token {token_id}, {way}, but never encoded: its own bytes encode as "
            "{parts}.{took}",
            piece=self.piece,
            token_id=str(self.token_id),
            way=made_by(self.merge),
            parts=quoted(self.parts),
            took=took,
        )


@dataclass(frozen=True)
class Beaten(Answer):
    """A merge, the pretoken's merge `number`, joins bytes of the piece to bytes outside.

    `was_whole`: the piece was one token by then, and became part of a larger one.
    """

    pretoken: bytes
    number: int
    merge: Merge
    was_whole: bool

    @property
    def sentence(self) -> Sentence:
        number, taken = nth_here(self.number), self.merge.left + self.merge.right
        if self.was_whole:
            return say(
                "{piece} was one token, until {merge}, {number}, made it part of {taken}.",
                piece=self.piece,
                merge=self.merge.sentence,
                number=number,
                taken=taken,
            )
        return say(
            "{piece} is a token, but beaten by merge {rank}: {left} + {right} → {taken}, "
            "{number}, took bytes across its edge.",
            piece=self.piece,
            rank=f"{self.merge.rank + 1:,}",
            left=self.merge.left,
            right=self.merge.right,
            taken=taken,
            number=number,
        )


TAKERS = 3
"""Most tokens that are named of those that take a token wherever it is."""


def always_inside(takers: Sequence[bytes], is_unit: bool) -> Sentence:
    """Say which tokens take a token wherever it is, and why it is still one.

    Args:
        is_unit: whether it was there before the first merge.

    >>> str(always_inside([b"er"], is_unit=True))
    'It is always in er, and still a token: each text begins with such.'
    """
    more = " …" * (len(takers) > TAKERS)
    template = "It is always in {tokens}{more}, and still a token: their merges need it."
    if is_unit:
        template = "It is always in {tokens}{more}, and still a token: each text begins with such."
    return say(template, tokens=parted(" ", takers[:TAKERS]), more=more)


def nth_here(number: int) -> Sentence:
    """Name a merge in the encoding of a pretoken; merges of the training have ranks.

    >>> str(nth_here(3))
    'the 3rd merge of the pretoken'
    >>> [str(nth_here(number))[4:9] for number in (1, 2, 10, 11, 13, 21, 111, 202)]
    ['1st m', '2nd m', '10th ', '11th ', '13th ', '21st ', '111th', '202nd']
    """
    is_teen = number // 10 % 10 == 1
    ending = "th" if is_teen else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return say(f"the {{n}}{ending} merge of the pretoken", n=f"{number:,}")


def cut_by(pretoken: Pretoken) -> str:
    """Return the name of the alternative that cut a pretoken, or what else did, in English."""
    if pretoken.special:
        return "special token"
    return pretoken.alternative.name if pretoken.alternative else "no alternative"


@dataclass(frozen=True)
class Merged(Answer):
    """The pair merges here, as merge `number` of the pretoken."""

    pretoken: bytes
    number: int
    merge: Merge

    @property
    def sentence(self) -> Sentence:
        template = "They do merge here: {merge} is {number}."
        return say(template, merge=self.merge.sentence, number=nth_here(self.number))


@dataclass(frozen=True)
class NoMerge(Answer):
    """No merge joins these two tokens.

    `other` is a merge that makes the same bytes of other parts; `made_later` is one to come.
    """

    left: bytes
    right: bytes
    other: Merge | None
    made_later: int | None

    @property
    def sentence(self) -> Sentence:
        pair = say("{left} + {right}", left=self.left, right=self.right)
        if self.made_later is not None:
            template = "No merge joins {pair} yet; merge {made_later} does."
            return say(template, pair=pair, made_later=f"{self.made_later + 1:,}")
        if self.other is None:
            return say("No merge joins {pair}.", pair=pair)
        template = "No merge joins {pair}; {piece} is only made of {other}."
        return say(template, pair=pair, piece=self.piece, other=self.other.sentence)


@dataclass(frozen=True)
class NoTokens(Answer):
    """The piece is white space between words; where words have ends, only words have tokens."""

    @property
    def sentence(self) -> Sentence:
        return say("{piece} has no tokens here: only words have.", piece=self.piece)


@dataclass(frozen=True)
class PairBeaten(Answer):
    """The pair has a merge, `wanted`, but the pretoken's merge `number` took a token first."""

    wanted: Merge
    pretoken: bytes
    number: int
    merge: Merge

    @property
    def sentence(self) -> Sentence:
        return say(
            "{wanted} is a merge, but {other}, {number}, took part of it first.",
            wanted=self.wanted.sentence,
            other=self.merge.sentence,
            number=nth_here(self.number),
        )


# -- the questions


def occurrences(text: str, piece: str | bytes) -> Iterator[int]:
    """Yield where the piece occurs in the text, in bytes from its start; places may overlap.

    >>> list(occurrences("banana", "ana"))
    [1, 3]
    """
    data, wanted = to_bytes(text), _bytes_of(piece)
    place = -1
    while wanted and (place := data.find(wanted, place + 1)) >= 0:
        yield place


BARS = "|│┊"
"""Signs between the two tokens of a pair that is asked about; the screen draws the last two."""
WEAK_SIGNS = (PAIR_SIGN, " ")
"""Signs that part two tokens only where that gives a pair which is there: texts have them, too."""


def ways_to_part(typed: str, signs: str) -> list[tuple[str, str]]:
    """Return each two parts of a text that have one of the signs between them.

    >>> ways_to_part("a|b|c", "|")
    [('a', 'b|c'), ('a|b', 'c')]
    """
    return [
        (typed[:place], typed[place + 1 :])
        for place in range(1, len(typed) - 1)
        if typed[place] in signs
    ]


def parts_asked(asked: str, text: str | None = None) -> tuple[str, ...]:
    """Return the piece that is asked about, or the two tokens if a sign or a blank parts them.

    A sign that the text itself has there parts nothing. Without a text only a bar parts.

    >>> parts_asked("un|do", "undo"), parts_asked("un+do", "undo"), parts_asked("u|n", "a u|n")
    (('un', 'do'), ('un', 'do'), ('u|n',))
    >>> parts_asked("un|do"), parts_asked("un do")
    (('un', 'do'), ('un do',))
    """
    if text is not None and asked in text:
        return (asked,)
    for signs in (BARS,) if text is None else (BARS, *WEAK_SIGNS):
        cuts = ways_to_part(asked, signs)
        in_text = (cut for cut in cuts if text is not None and "".join(cut) in text)
        found = next(in_text, cuts[0] if cuts and signs == BARS else None)
        if found is not None:
            return found
    return (asked,)


@checked
def why_not(source: HasRules, text: str, piece: str | bytes, start: int | None = None) -> Answer:
    """Answer why the piece is not one token of the text, or that it is.

    Args:
        source: a tokenizer or a frame.
        start: the place of the piece, in bytes; by default its first occurrence.

    >>> from engine.encoding.tokenizer import Tokenizer
    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"bc", 257: b"ab"}
    >>> tokenizer = Tokenizer(vocab, [(b"b", b"c"), (b"a", b"b")])
    >>> print(why_not(tokenizer, "abc", "ab").describe())
    ab is a token, but beaten by merge 1: b + c → bc, the 1st merge of the pretoken, took bytes \
across its edge.
    """
    rules, wanted = source.rules, _bytes_of(piece)
    place = _find(rules, text, wanted, start)
    if isinstance(place, Answer):
        return place
    pretoken, first = place
    if rules.alphabet.marker is not None and first + len(wanted) == len(pretoken):
        return _why_not_at_the_end(rules, wanted, pretoken, first)
    if (answer := _why_no_token(rules, wanted)) is not None:
        return answer
    token_id, edges = rules.ids[wanted], (first, first + len(wanted))
    across = first_merge_across(rules, pretoken, edges)
    if across is None:
        return _one_token(rules.inside, wanted, token_id)
    return _beaten(rules, wanted, pretoken, across, edges)


def why_not_merged(
    source: HasRules, text: str, left: str | bytes, right: str | bytes, start: int | None = None
) -> Answer:
    """Answer why two adjacent tokens do not merge, or that they do.

    Args:
        source, start: as in `why_not`.

    >>> from engine.encoding.tokenizer import Tokenizer
    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"bc", 257: b"ab"}
    >>> tokenizer = Tokenizer(vocab, [(b"b", b"c"), (b"a", b"b")])
    >>> print(why_not_merged(tokenizer, "abc", "a", "bc").describe())
    No merge joins a + bc.
    """
    rules, first_part, second_part = source.rules, _bytes_of(left), _bytes_of(right)
    place = _find(rules, text, first_part + second_part, start)
    if isinstance(place, Answer):
        return place
    for part in (first_part, second_part):
        if (answer := _why_no_token(rules, part)) is not None:
            return answer
    return _what_happened_to_pair(rules, first_part, second_part, *place)


def _bytes_of(piece: str | bytes) -> bytes:
    return to_bytes(piece) if isinstance(piece, str) else piece


def _find(
    rules: EncodingRules, text: str, wanted: bytes, start: int | None
) -> Answer | tuple[bytes, int]:
    """Return the one pretoken that holds the piece, and where in it; or why there is none."""
    pretokens = rules.pretokens(text)
    data = b"".join(pretoken.bytes for pretoken in pretokens)  # the text as it is normalized
    first = data.find(wanted) if start is None else start
    if not wanted or first < 0 or data[first : first + len(wanted)] != wanted:
        return NotInText(wanted)
    if data == wanted and is_partial(wanted):  # a pattern cuts whole characters only
        return wanted, 0
    ends = list(accumulate(len(pretoken.bytes) for pretoken in pretokens))
    place = bisect_right(ends, first)
    borders = bisect_left(ends, first + len(wanted)) - place
    pretoken, offset = pretokens[place], ends[place] - len(pretokens[place].bytes)
    if borders:
        return BorderInside(wanted, pretoken, pretokens[place + 1], borders)
    if rules.is_special(pretoken):
        return SpecialToken(wanted, pretoken.text, rules.special_ids[pretoken.text])
    return pretoken.bytes, first - offset


def _one_token(rules: EncodingRules, wanted: bytes, token_id: int) -> OneToken:
    """Answer that a piece is one token, with the merge that makes it here; others may, too."""
    last = merge_making(rules, token_id)
    for _, _, pair in RankHeap(rules.alphabet, rules.table).merges_at(wanted):
        if (merge := rules.merge_of(pair)) is None:
            break
        if merge[1] == token_id:
            last = merge_of(rules, merge[0], pair)
    return OneToken(wanted, token_id, last, rules.alphabet.unit)


def _why_not_at_the_end(rules: EncodingRules, wanted: bytes, pretoken: bytes, first: int) -> Answer:
    """Answer for the last piece of a word, where an alphabet marks the word's end.

    The mark is after the piece and merges with it, so a token that ends with the mark is wanted.
    """
    marker = rules.alphabet.marker
    assert marker is not None
    tokens = rules.tokens_of(pretoken)
    unmarked, ending = rules.ids.get(wanted), rules.ending_ids.get(wanted)
    across = first_merge_across(rules, pretoken, (first,))
    if across is None:
        if ending is not None and tokens[-1] == ending:
            return _one_token(rules, wanted, ending)
        if unmarked is not None and tokens[-2:] == (unmarked, marker):
            return _one_token(rules.inside, wanted, unmarked)
    parts = ranked_tokens(rules, rules.tokens_of(wanted))
    marked = wanted + rules.vocab[marker]
    if ending is None:
        return NoSuchToken(marked, parts, None)
    if across is None:
        return NeverEncoded(marked, ending, merge_making(rules, ending), parts)
    return _beaten(rules, marked, pretoken, across, (first, len(pretoken)))


def _why_no_token(rules: EncodingRules, wanted: bytes) -> Answer | None:
    """Answer why no text gives the bytes as one token; `None` if they alone do."""
    token_id = rules.ids.get(wanted)
    alone = rules.inside.tokens_of(wanted)
    parts = ranked_tokens(rules, alone)
    if token_id is None:
        return NoSuchToken(wanted, parts, merge_to_come(rules, wanted))
    if len(alone) > 1:
        taken_by = _first_merge_astray(rules.inside, token_id, wanted)
        return NeverEncoded(wanted, token_id, merge_making(rules, token_id), parts, taken_by)
    return None


def _first_merge_astray(rules: EncodingRules, token_id: int, wanted: bytes) -> Merge | None:
    """Return the first merge of a token's bytes that makes no part of the token."""
    parts: set[tuple[int, int]] = set()
    waiting = [(token_id, 0)]
    while waiting:
        part, start = waiting.pop()
        covered = rules.vocab[part] if rules.covered is None else rules.covered[part]
        parts.add((start, start + len(covered)))
        if (made := rules.makers.get(part)) is not None:
            left, right = made.pair
            size = len(rules.vocab[left] if rules.covered is None else rules.covered[left])
            waiting += [(left, start), (right, start + size)]
    for start, end, pair in RankHeap(rules.alphabet, rules.table).merges_at(wanted):
        if (merge := rules.merge_of(pair)) is None:
            return None
        if (start, end) not in parts:
            return merge_of(rules, merge[0], pair)
    return None


def _beaten(
    rules: EncodingRules, wanted: bytes, pretoken: bytes, across: Crossing, edges: tuple[int, int]
) -> Answer:
    """Return the answer for a piece at `edges` that the merge `across` takes bytes from."""
    merge = merge_of(rules, across.rank, across.pair)
    middle = across.start + len(merge.left)
    was_whole = edges in ((across.start, middle), (middle, across.end))
    return Beaten(wanted, pretoken, across.number, merge, was_whole)


def _what_happened_to_pair(
    rules: EncodingRules, left: bytes, right: bytes, pretoken: bytes, first: int
) -> Answer:
    """Answer for two tokens that are adjacent in a pretoken."""
    joined, middle = left + right, first + len(left)
    pair = (rules.ids[left], rules.ids[right])
    known = rules.merge_of(pair)
    if known is None:
        made, later = rules.ids.get(joined), rules.table.get(pair)
        other = None if made is None else merge_making(rules, made)
        return NoMerge(joined, left, right, other, later[0] if later else None)
    # If no merge crosses the edges, both tokens form. Then they merge, unless the right one merges
    # with the mark of the word's end first.
    across = first_merge_across(rules, pretoken, (first, middle, first + len(joined)))
    if across is None:
        tokens = rules.tokens_of(pretoken)
        if not tokens:
            return NoTokens(joined)
        return NoMerge(joined, left, rules.vocab[tokens[-1]], None, None)
    merge = merge_of(rules, across.rank, across.pair)
    if across.start == first and (merge.left, merge.right) == (left, right):
        return Merged(joined, pretoken, across.number, merge)
    return PairBeaten(joined, Merge(known[0], left, right), pretoken, across.number, merge)
