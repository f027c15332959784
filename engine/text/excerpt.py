"""The first part of a corpus, cut into lines of pretokens, to be looked at."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import NamedTuple, overload

from engine.text.patterns import PATTERNS, Pattern, PatternLike, as_pattern
from engine.text.pretokenize import Pretoken, SpecialSplitter, pretokens, to_bytes, to_text

LONGEST_LINE = 200
"""Pretokens in a line; a longer one is continued on the next."""
LONGEST_SENTENCE = 80
"""Characters of a first sentence; of a longer one its beginning is given."""
_SENTENCE = re.compile(r".+?[.!?。！？।](?=\W|$)")


class _LineSegment(NamedTuple):
    """What a line has of a piece of the text: so many pretokens from the character `start` on.

    `offset` is where the piece begins in the text.
    """

    piece: str
    is_special: bool
    offset: int
    start: int
    pretokens: int


class PretokenLines(Sequence[tuple[Pretoken, ...]]):
    """Lines of pretokens. A line ends behind one that holds a newline, and behind a special token.

    To find where pretokens end takes a regex alone. All else that is known of them is found out for
    the lines that are looked at: a few of some thousand.
    """

    def __init__(self, text: str, pattern: Pattern, splitter: SpecialSplitter) -> None:
        self.text = text
        self.texts: list[list[str]] = []
        """The texts of the pretokens of each line."""
        self._pattern = pattern
        self._parts: list[list[_LineSegment]] = []
        self._line: tuple[list[str], list[_LineSegment]] = [], []  # that of now
        offset = 0
        for piece, is_special in splitter.split_text(text):
            if is_special:
                self._end_line()
                self._add([piece], _LineSegment(piece, True, offset, 0, 1))
                self._end_line()
            else:
                self._cut(piece, offset)
            offset += len(piece)
        self._end_line()

    def _cut(self, piece: str, offset: int) -> None:
        room = LONGEST_LINE - len(self._line[0])
        start = end = 0
        cuts: list[str] = []
        for cut in self._pattern.split(piece):
            cuts.append(cut)
            end += len(cut)
            if "\n" in cut or len(cuts) == room:
                self._add(cuts, _LineSegment(piece, False, offset, start, len(cuts)))
                self._end_line()
                start, cuts, room = end, [], LONGEST_LINE
        self._add(cuts, _LineSegment(piece, False, offset, start, len(cuts)))

    def _add(self, texts: list[str], part: _LineSegment) -> None:
        if texts:
            self._line[0].extend(texts)
            self._line[1].append(part)

    def _end_line(self) -> None:
        texts, parts = self._line
        if texts:
            self.texts.append(texts)
            self._parts.append(parts)
            self._line = [], []

    def is_special(self, place: int) -> bool:
        """Whether a line is a special token."""
        return self._parts[place][0].is_special

    def __len__(self) -> int:
        return len(self.texts)

    @overload
    def __getitem__(self, place: int) -> tuple[Pretoken, ...]: ...
    @overload
    def __getitem__(self, place: slice) -> list[tuple[Pretoken, ...]]: ...
    def __getitem__(self, place: int | slice) -> tuple[Pretoken, ...] | list[tuple[Pretoken, ...]]:
        if isinstance(place, slice):
            return [self[line] for line in range(len(self))[place]]
        return tuple(self._pretokens(self._parts[place], iter(self.texts[place])))

    def following(self, place: int) -> Iterator[tuple[Pretoken, ...]]:
        """The lines from a place on; those that nobody asks for are not cut."""
        return map(self.__getitem__, range(place, len(self)))

    def _pretokens(self, parts: list[_LineSegment], texts: Iterator[str]) -> Iterator[Pretoken]:
        alternatives, labelled = self._pattern.alternatives, self._pattern.labelled
        for piece, is_special, offset, start, count in parts:
            for text in islice(texts, count):
                end, alternative = start + len(text), None
                found = None if is_special else labelled.match(piece, start)
                # What stands between two matches is a pretoken that no alternative finds.
                if found is not None and found.end() == end:
                    alternative = alternatives[found.lastindex - 1]
                yield Pretoken(text, offset + start, offset + end, alternative, is_special)
                start = end


@dataclass(frozen=True)
class Excerpt:
    """The first part of a corpus, in lines.

    Attributes:
        lines: the pretokens of each line, special tokens among them.
        complete: whether the whole corpus is here.
        examples: pretoken → a line from elsewhere in which it stands, of some pretokens.
        pattern: what cuts these.
    """

    lines: PretokenLines
    complete: bool
    examples: Mapping[bytes, bytes] = field(default_factory=dict, repr=False)
    pattern: Pattern = PATTERNS["gpt2"]

    @classmethod
    def of(
        cls,
        data: bytes,
        pattern: PatternLike = "gpt2",
        special_tokens: Sequence[str] = (),
        *,
        complete: bool = True,
        splitter: SpecialSplitter | None = None,
        examples: Mapping[bytes, bytes] | None = None,
    ) -> Excerpt:
        """Cut the beginning of a corpus into lines.

        Args:
            data: the text; a character that is cut off at its end is shown as stray bytes.
            pattern, special_tokens: what cuts it, as in counting.
            complete: whether it is all of the corpus.
            splitter: what cuts special tokens out, where there is more to it.
            examples: pretoken → a line from elsewhere in which it stands.
        """
        pattern = as_pattern(pattern)
        lines = PretokenLines(to_text(data), pattern, splitter or SpecialSplitter(special_tokens))
        return cls(lines, complete, examples or {}, pattern)

    @property
    def text(self) -> str:
        r"""What was cut, special tokens included.

        >>> Excerpt.of(b"a cat\na dog").text
        'a cat\na dog'
        """
        return self.lines.text

    @cached_property
    def first_sentence(self) -> str:
        r"""The first sentence that can be shown on one line as it is; "" if there is none.

        Lines with control characters or bytes that are no text are passed over, and special tokens.

        >>> Excerpt.of(b"\x07\x00\n  A cat sat. It slept.\n").first_sentence
        'A cat sat.'
        """
        for place, texts in enumerate(self.lines.texts):
            text = "" if self.lines.is_special(place) else "".join(texts)
            text = text[: 4 * LONGEST_SENTENCE].strip()
            ended = _SENTENCE.match(text)
            text = ended[0] if ended else text
            if len(text) > LONGEST_SENTENCE:
                # Between words if there are spaces: half a word would encode as no word does.
                text = text[:LONGEST_SENTENCE].rpartition(" ")[0] or text[:LONGEST_SENTENCE]
            if text.isprintable() and any(map(str.isalnum, text)):
                return text
        return ""

    @cached_property
    def first_lines(self) -> dict[bytes, int]:
        """pretoken → the first line that holds it; special tokens left out."""
        first: dict[str, int] = {}
        for number, texts in enumerate(self.lines.texts):
            if not self.lines.is_special(number):
                for text in texts:
                    first.setdefault(text, number)
        return {to_bytes(text): number for text, number in first.items()}

    def example_of(self, pretoken: bytes) -> tuple[Pretoken, ...]:
        r"""A line from elsewhere in the corpus that holds the pretoken; empty if none is known.

        >>> examples = {b" fox": b"a fox"}
        >>> found = Excerpt.of(b"low", complete=False, examples=examples).example_of(b" fox")
        >>> [pretoken.text for pretoken in found]
        ['a', ' fox']
        """
        line = to_text(self.examples.get(pretoken, b""))
        found = tuple(pretokens(line, self.pattern, SpecialSplitter(())))
        # What comes from a file may be made up.
        return found if any(each.bytes == pretoken for each in found) else ()

    def lines_with(self, pretoken: bytes) -> list[int]:
        r"""The lines that hold the pretoken, by their places from 0.

        >>> Excerpt.of(b"a cat\na dog\na cat").lines_with(b" cat")
        [0, 2]
        """
        text = to_text(pretoken)
        return [
            number
            for number, texts in enumerate(self.lines.texts)
            if text in texts and not self.lines.is_special(number)
        ]
