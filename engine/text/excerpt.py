"""The first part of a corpus, cut into lines of pretokens to be shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

from engine.text.cutting import text_cutter
from engine.text.patterns import Pattern, PatternLike, as_pattern
from engine.text.pretokenize import Pretoken, SpecialSplitter, to_bytes, to_text

LONGEST_LINE = 200
"""Largest number of pretokens in a line; a longer line is continued on the next."""
LONGEST_SHOWN = 1 << 12
"""Largest number of characters of a pretoken to show: more than a large screen has cells."""
LONGEST_SENTENCE = 80
"""Length at which a first sentence is cut, in characters."""
_SENTENCE = re.compile(r".+?[.!?。！？।](?=\W|$)")


def _cut_into_lines(
    text: str, pattern: Pattern, splitter: SpecialSplitter
) -> Iterator[tuple[list[str], bool]]:
    """Yield the texts of the pretokens of each line, and whether it is a special token."""
    split = text_cutter(pattern)
    texts: list[str] = []
    for piece, is_special in splitter.split_text(text):
        if is_special:
            if texts:
                yield texts, False
            yield [piece], True
            texts = []
            continue
        for cut in split(piece):
            texts.append(cut)
            if "\n" in cut or len(texts) == LONGEST_LINE:
                yield texts, False
                texts = []
    if texts:
        yield texts, False


class PretokenLines(Sequence[tuple[Pretoken, ...]]):
    """Lines of pretokens. A line ends after a newline and before and after a special token.

    The constructor only finds where pretokens end. Their places are computed for the lines that are
    read, which are few of thousands. The alternatives that cut them are left out. Of a pretoken of
    more than `LONGEST_SHOWN` characters a line has the beginning only.

    Attributes:
        text: the text that was cut.
        texts: the texts of the pretokens of each line.
    """

    def __init__(self, text: str, pattern: Pattern, splitter: SpecialSplitter) -> None:
        self.text = text
        lines = list(_cut_into_lines(text, pattern, splitter))
        self.texts = [texts for texts, _ in lines]
        self._are_special = [is_special for _, is_special in lines]
        sizes = (sum(map(len, texts)) for texts in self.texts)
        self._starts = [start for start, _ in pairwise(accumulate(sizes, initial=0))]

    @property
    def are_whole(self) -> bool:
        """Whether the lines have all characters of each pretoken."""
        return all(len(text) <= LONGEST_SHOWN for texts in self.texts for text in texts)

    def is_special(self, place: int) -> bool:
        """Whether a line is a single special token."""
        return self._are_special[place]

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, place: Any) -> Any:  # an index or a slice, as `Sequence` declares it
        if isinstance(place, slice):
            return [self[line] for line in range(len(self))[place]]
        texts, is_special = self.texts[place], self._are_special[place]
        places = pairwise(accumulate(map(len, texts), initial=self._starts[place]))
        return tuple(
            Pretoken(text[:LONGEST_SHOWN], start, end, None, is_special)
            for text, (start, end) in zip(texts, places, strict=True)
        )

    def following(self, place: int) -> Iterator[tuple[Pretoken, ...]]:
        """Iterate over the lines from `place` on; a line is computed when it is reached."""
        return map(self.__getitem__, range(place, len(self)))


@dataclass(frozen=True)
class Excerpt:
    """The first part of a corpus, in lines.

    Attributes:
        lines: the pretokens of each line, special tokens among them.
        complete: whether the lines show the whole corpus.
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
        lines = PretokenLines(to_text(data), as_pattern(pattern), splitter)
        return cls(lines, complete and lines.are_whole)

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
        """Pretoken → number of the first line that shows it, without special tokens."""
        first: dict[str, int] = {}
        for number, texts in enumerate(self.lines.texts):
            if not self.lines.is_special(number):
                for text in texts:
                    first.setdefault(text[:LONGEST_SHOWN], number)
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
