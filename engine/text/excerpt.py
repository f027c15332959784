"""The first part of a corpus, cut into lines of pretokens to be shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

from engine.text.cutting import text_cutter
from engine.text.patterns import Pattern, PatternLike, as_pattern
from engine.text.pretokenize import Pretoken, SpecialSplitter, to_bytes, to_text

LONGEST_LINE = 200
"""Largest number of pretokens in a line; a longer line is continued on the next."""
LONGEST_SENTENCE = 80
"""Length at which a first sentence is cut, in characters."""
_SENTENCE = re.compile(r".+?[.!?。！？।](?=\W|$)")


class _LineSegment(NamedTuple):
    """The pretokens that one line takes from one piece of the text.

    A piece is a special token, or the text between two of them.

    Attributes:
        start: start of the first pretoken in the text, in characters.
        pretokens: number of pretokens.
    """

    is_special: bool
    start: int
    pretokens: int


def _cut_into_lines(
    text: str, pattern: Pattern, splitter: SpecialSplitter
) -> Iterator[tuple[list[str], list[_LineSegment]]]:
    """Yield for each line the texts of its pretokens, and the segments that they come from."""
    split = text_cutter(pattern)
    texts: list[str] = []
    segments: list[_LineSegment] = []
    end = 0
    for piece, is_special in splitter.split_text(text):
        if is_special and texts:
            yield texts, segments
            texts, segments = [], []
        start, before = end, len(texts)
        for cut in [piece] if is_special else split(piece):
            texts.append(cut)
            end += len(cut)
            if "\n" in cut or is_special or len(texts) == LONGEST_LINE:
                segments.append(_LineSegment(is_special, start, len(texts) - before))
                yield texts, segments
                texts, segments, start, before = [], [], end, 0
        if len(texts) > before:
            segments.append(_LineSegment(False, start, len(texts) - before))
    if texts:
        yield texts, segments


class PretokenLines(Sequence[tuple[Pretoken, ...]]):
    """Lines of pretokens. A line ends after a newline and before and after a special token.

    The constructor only finds where pretokens end. Their places are computed for the lines that are
    read, which are few of thousands. The alternatives that cut them are left out.

    Attributes:
        text: the text that was cut.
        texts: the texts of the pretokens of each line.
    """

    def __init__(self, text: str, pattern: Pattern, splitter: SpecialSplitter) -> None:
        self.text = text
        lines = list(_cut_into_lines(text, pattern, splitter))
        self.texts = [texts for texts, _ in lines]
        self._segments = [segments for _, segments in lines]

    def is_special(self, place: int) -> bool:
        """Whether a line is a single special token."""
        return self._segments[place][0].is_special

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, place: Any) -> Any:  # an index or a slice, as `Sequence` declares it
        if isinstance(place, slice):
            return [self[line] for line in range(len(self))[place]]
        texts = iter(self.texts[place])
        line: list[Pretoken] = []
        for is_special, start, count in self._segments[place]:
            for text in islice(texts, count):
                line.append(Pretoken(text, start, start + len(text), None, is_special))
                start += len(text)
        return tuple(line)

    def following(self, place: int) -> Iterator[tuple[Pretoken, ...]]:
        """Iterate over the lines from `place` on; a line is computed when it is reached."""
        return map(self.__getitem__, range(place, len(self)))


@dataclass(frozen=True)
class Excerpt:
    """The first part of a corpus, in lines.

    Attributes:
        lines: the pretokens of each line, special tokens among them.
        complete: whether the excerpt is the whole corpus.
    """

    lines: PretokenLines
    complete: bool

    @classmethod
    def of(
        cls,
        data: bytes,
        pattern: PatternLike = "gpt2",
        special_tokens: Sequence[str] = (),
        *,
        complete: bool = True,
        splitter: SpecialSplitter | None = None,
    ) -> Excerpt:
        """Cut the beginning of a corpus into lines.

        Args:
            data: the text; if its last character is incomplete, its bytes become stray bytes.
            pattern, special_tokens: as in counting.
            complete: whether `data` is the whole corpus.
            splitter: replaces the splitter made of `special_tokens`.
        """
        splitter = splitter or SpecialSplitter(special_tokens)
        return cls(PretokenLines(to_text(data), as_pattern(pattern), splitter), complete)

    @cached_property
    def first_sentence(self) -> str:
        r"""The first sentence that fits on one line unchanged; "" if there is none.

        Special tokens and lines with control characters or invalid UTF-8 are skipped.

        >>> Excerpt.of(b"\x07\x00\n  A cat sat. It slept.\n").first_sentence
        'A cat sat.'
        """
        for place, texts in enumerate(self.lines.texts):
            text = "" if self.lines.is_special(place) else "".join(texts)
            text = text[: 4 * LONGEST_SENTENCE].strip()
            ended = _SENTENCE.match(text)
            text = ended[0] if ended else text
            if len(text) > LONGEST_SENTENCE:
                # Cut at a space if there is one: half a word would get tokens that no word gets.
                text = text[:LONGEST_SENTENCE].rpartition(" ")[0] or text[:LONGEST_SENTENCE]
            if text.isprintable() and any(map(str.isalnum, text)):
                return text
        return ""

    @cached_property
    def first_lines(self) -> dict[bytes, int]:
        """Pretoken → number of the first line that contains it, without special tokens."""
        first: dict[str, int] = {}
        for number, texts in enumerate(self.lines.texts):
            if not self.lines.is_special(number):
                for text in texts:
                    first.setdefault(text, number)
        return {to_bytes(text): number for text, number in first.items()}

    def lines_with(self, pretoken: bytes) -> list[int]:
        r"""Return the numbers, from 0, of the lines that contain the pretoken.

        >>> Excerpt.of(b"a cat\na dog\na cat").lines_with(b" cat")
        [0, 2]
        """
        text = to_text(pretoken)
        return [
            number
            for number, texts in enumerate(self.lines.texts)
            if text in texts and not self.lines.is_special(number)
        ]
