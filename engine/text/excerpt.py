"""The first part of a corpus, cut into lines of pretokens, to be looked at."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from engine.text.patterns import PATTERNS, Pattern, PatternLike, as_pattern
from engine.text.pretokenize import Pretoken, SpecialSplitter, pretokens, to_bytes, to_text

LONGEST_LINE = 200
"""Pretokens in a line; a longer one is continued on the next."""
LONGEST_SENTENCE = 80
"""Characters of a first sentence; of a longer one its beginning is given."""
_SENTENCE = re.compile(r".+?[.!?。！？।](?=\W|$)")


@dataclass(frozen=True)
class Excerpt:
    """Lines of pretokens.

    A line ends behind a pretoken that holds a newline, and behind a special token.

    Attributes:
        lines: the pretokens of each line, special tokens among them.
        complete: whether the whole corpus is here.
        examples: pretoken → a line from elsewhere in which it stands, of some pretokens.
        pattern: what cuts these.
    """

    lines: tuple[tuple[Pretoken, ...], ...]
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
        lines: list[tuple[Pretoken, ...]] = []
        line: list[Pretoken] = []
        for pretoken in pretokens(
            to_text(data), pattern, splitter or SpecialSplitter(special_tokens)
        ):
            if pretoken.special and line:
                lines.append(tuple(line))
                line = []
            line.append(pretoken)
            if pretoken.special or "\n" in pretoken.text or len(line) == LONGEST_LINE:
                lines.append(tuple(line))
                line = []
        if line:
            lines.append(tuple(line))
        return cls(tuple(lines), complete, examples or {}, pattern)

    @property
    def text(self) -> str:
        r"""What was cut, special tokens included.

        >>> Excerpt.of(b"a cat\na dog").text
        'a cat\na dog'
        """
        return "".join(pretoken.text for line in self.lines for pretoken in line)

    @cached_property
    def first_sentence(self) -> str:
        r"""The first sentence that can be shown on one line as it is; "" if there is none.

        Lines with control characters or bytes that are no text are passed over, and special tokens.

        >>> Excerpt.of(b"\x07\x00\n  A cat sat. It slept.\n").first_sentence
        'A cat sat.'
        """
        for line in self.lines:
            text = "".join(found.text for found in line if not found.special)
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
        for number, line in enumerate(self.lines):
            for pretoken in line:
                if not pretoken.special:
                    first.setdefault(pretoken.text, number)
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
            for number, line in enumerate(self.lines)
            if any(found.text == text and not found.special for found in line)
        ]
