"""Added tokens: texts that are one token wherever they stand, found before anything else is done.

Some are *special* (`<s>`, `[MASK]`): they steer a model and mean nothing as text. The others are
merely added to a vocabulary. Where they are found is said for each: as a whole word only, with the
whitespace at either side or without, in the text as it is or after it is normalized.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import regex

from engine.core.json_fields import Fields
from engine.text.pretokenize import WHITE_SPACE


@dataclass(frozen=True)
class AddedToken:
    """An added token.

    Attributes:
        content: its text.
        single_word: whether letters and digits may not stand next to it.
        lstrip, rstrip: whether it takes the whitespace on its left and right with it.
        normalized: whether it is looked for in the normalized text.
        special: whether it is no part of what people write.
    """

    content: str
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = False
    special: bool = True

    @classmethod
    def from_json(cls, fields: Fields) -> AddedToken:
        """From an item of `added_tokens`.

        {"id": 50256, "content": "<|endoftext|>", "single_word": false, "lstrip": false,
         "rstrip": false, "normalized": false, "special": true}
        """
        return cls(
            fields.text("content"),
            fields.flag("single_word"),
            fields.flag("lstrip"),
            fields.flag("rstrip"),
            fields.flag("normalized"),
            fields.flag("special"),
        )

    def to_json(self, token_id: int) -> dict[str, Any]:
        """The inverse of `from_json`, with the id."""
        return {"id": token_id, **asdict(self)}

    @property
    def is_plain(self) -> bool:
        """Whether it is found wherever its text stands, and takes no more of the text."""
        return not (self.single_word or self.lstrip or self.rstrip)


def without_repeats(tokens: Iterable[AddedToken]) -> tuple[AddedToken, ...]:
    """The tokens without empty ones and without repeats; special ones come first, and win."""
    kept: dict[str, AddedToken] = {}
    for token in sorted(tokens, key=lambda token: not token.special):
        if token.content:
            kept.setdefault(token.content, token)
    return tuple(kept.values())


def number_added_tokens(tokens: Sequence[AddedToken], vocab: Mapping[str, int]) -> dict[str, int]:
    """The ids of added tokens: those of the vocabulary, and new ones behind it.

    This is how Hugging Face's library numbers them; the ids in the file do not count.

    >>> tokens = AddedToken("<s>"), AddedToken("b"), AddedToken("</s>")
    >>> number_added_tokens(tokens, {"a": 0, "b": 1})
    {'<s>': 2, 'b': 1, '</s>': 3}
    """
    ids: dict[str, int] = {}
    highest = -1
    for token in tokens:
        if token.content and token.content not in ids:
            new = highest + 1 if highest >= len(vocab) else len(vocab)
            ids[token.content] = vocab.get(token.content, new)
            highest = max(highest, ids[token.content])
    return ids


class Found(NamedTuple):
    """`text[start:end]` is the token, or what stands between two if it is `None`."""

    start: int
    end: int
    token: AddedToken | None


_WORD = regex.compile(r"\w")


class TokenFinder:
    """Finds tokens in a text: leftmost first, and of those the longest.

    Args:
        spelled: what to look for, and the token that it is; of equal texts the last counts. An
            empty text is never found.
    """

    def __init__(self, spelled: Sequence[tuple[str, AddedToken]]) -> None:
        self._token_of = {text: token for text, token in spelled if text}
        longest_first = sorted(self._token_of, key=len, reverse=True)
        choice = "|".join(map(regex.escape, longest_first))
        self._regex = regex.compile(choice or "(?!)")

    def find(self, text: str) -> Iterator[Found]:
        """The tokens and what is between them; together they are the text.

        But where the whitespace that one token takes holds another one, that one is given, too,
        and the text goes on behind it: so it is in Hugging Face's library.
        """
        if not self._token_of:
            if text:
                yield Found(0, len(text), None)
            return

        last = 0
        for match in self._regex.finditer(text):
            token = self._token_of[match.group()]
            start, end = match.span()
            if token.single_word and (_ends_in_word(text, start) or _WORD.match(text, end)):
                continue
            if token.lstrip:
                start = max(len(text[:start].rstrip(WHITE_SPACE)), last)
            if token.rstrip:
                end = len(text) - len(text[end:].lstrip(WHITE_SPACE))
            if last < start:
                yield Found(last, start, None)
            yield Found(start, end, token)
            last = end
        if last < len(text):
            yield Found(last, len(text), None)


def _ends_in_word(text: str, place: int) -> bool:
    return place > 0 and _WORD.match(text, place - 1) is not None
