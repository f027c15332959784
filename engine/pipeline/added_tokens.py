"""Added tokens, and the text between them as the pre-tokenizer and the model get it.

An added token is one token wherever its text occurs; it is found before anything else is done.
*Special* ones (`<s>`, `[MASK]`) steer a model and mean nothing as text. The others are only added
to a vocabulary. Each has its own conditions: as a whole word only, with the whitespace at either
side, in the text as typed or as normalized.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import regex

from engine.core.gpt2_bytes import unspell
from engine.core.json_fields import Fields
from engine.pipeline.normalizers import Aligned, Normalizer
from engine.pipeline.normalizers import ByteLevel as ByteLevelNormalizer
from engine.pipeline.pretokenizers import NOTHING_CUT, ByteLevel, Metaspace, PreTokenizer
from engine.pipeline.stage import opened
from engine.text.patterns import STAGED, Alternative, Pattern
from engine.text.pretokenize import WHITE_SPACE, SpecialSplitter, to_text


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


class FoundStretch(NamedTuple):
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

    def find(self, text: str) -> Iterator[FoundStretch]:
        """The tokens and what is between them; together they are the text.

        But where the whitespace that one token takes holds another one, that one is given, too,
        and the text goes on behind it: so it is in Hugging Face's library.
        """
        if not self._token_of:
            if text:
                yield FoundStretch(0, len(text), None)
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
                yield FoundStretch(last, start, None)
            yield FoundStretch(start, end, token)
            last = end
        if last < len(text):
            yield FoundStretch(last, len(text), None)


def _ends_in_word(text: str, place: int) -> bool:
    return place > 0 and _WORD.match(text, place - 1) is not None


class SectionSplitter(SpecialSplitter):
    """Cuts added tokens out of a text and gives the rest as the pattern shall see it.

    An added token is given as its own text, without the whitespace that it takes.

    Args:
        added_tokens: all of them, special or not.
        normalizer, pre_tokenizer: `None` if there is none.
    """

    def __init__(
        self,
        added_tokens: Sequence[AddedToken],
        normalizer: Normalizer | None,
        pre_tokenizer: PreTokenizer | None,
    ) -> None:
        self._added = without_repeats(added_tokens)
        super().__init__([token.content for token in self._added])
        self._normalizer = normalizer
        self._pre_tokenizer = pre_tokenizer
        self._stages = opened(pre_tokenizer)
        self.in_bytes = _ends_in_bytes(normalizer, self._stages)
        reduced = self._reduced()
        self._cuts_all = reduced is None
        self.pattern = reduced or _pattern_of(self._stages)
        raw = [(token.content, token) for token in self._added if not token.normalized]
        self._raw = TokenFinder(raw)
        self._in_normalized = TokenFinder(
            [(self._normalize(t.content), t) for t in self._added if t.normalized]
        )

    def only(self, tokens: Collection[str]) -> SectionSplitter:
        added = [token for token in self._added if token.content in tokens]
        return SectionSplitter(added, self._normalizer, self._pre_tokenizer)

    @property
    def is_plain(self) -> bool:
        """Whether a `SpecialSplitter` of the same tokens gives the same."""
        return (
            self._normalizer is None
            and not self._cuts_all
            and all(token.is_plain for token in self._added)
            # Those that are looked for in normalized text come last, though nothing is normalized.
            and len({token.normalized for token in self._added}) <= 1
            and not (self._stages and _edits(self._stages[0]))
        )

    @property
    def by_pieces(self) -> bool:
        return False  # what stands somewhere may depend on all that is before it

    def _normalize(self, text: str) -> str:
        return text if self._normalizer is None else self._normalizer.normalize(text)

    def _reduced(self) -> Pattern | None:
        """The pattern that cuts as the stages do, but for what the first one edits."""
        stages = list(self._stages)
        if self.in_bytes and stages and _only_spells(stages[-1]):
            stages.pop()
        elif any(isinstance(stage, ByteLevel) for stage in stages) and len(stages) > 1:
            return None
        if self.in_bytes != any(isinstance(stage, ByteLevel) for stage in self._stages):
            return None
        if not stages:
            return NOTHING_CUT
        return stages[0].as_pattern() if len(stages) == 1 else None

    def split_text(self, text: str) -> Iterator[tuple[str, bool]]:
        for section, first, token in self._sections(text):
            if token is not None:
                yield token.content, True
            elif not self._cuts_all:
                prepared = self._stages[0].prepared(section, first) if self._stages else section
                if prepared:
                    yield prepared, False
            else:
                yield from ((piece, False) for piece in self._pieces(section, first))

    def _sections(self, text: str) -> Iterator[tuple[str, bool, AddedToken | None]]:
        """Normalized sections and added tokens, each with whether it stands first."""
        if self._normalizer is not None and any(stage.asks_where for stage in self._stages):
            # What stands first after normalizing is known from where it comes.
            for aligned, token in self.aligned_sections(text):
                yield aligned.text, aligned.span(0, 0)[0] == 0, token
            return
        for start, end, token in self._raw.find(text):
            if token is not None:
                yield text[start:end], start == 0, token
                continue
            section = self._normalize(text[start:end])
            for left, right, found in self._in_normalized.find(section):
                yield section[left:right], start + left == 0, found

    def aligned_sections(self, text: str) -> Iterator[tuple[Aligned, AddedToken | None]]:
        """The sections and added tokens with where their characters come from."""
        whole = Aligned.of(text)
        for start, end, token in self._raw.find(text):
            section = whole.part(start, end)
            if token is not None:
                yield section, token
                continue
            if self._normalizer is not None:
                section = self._normalizer.align(section)
            for left, right, found in self._in_normalized.find(section.text):
                yield section.part(left, right), found

    def _pieces(self, section: str, first: bool) -> Iterator[str]:
        """What the pre-tokenizer makes of a section, in the text's own characters."""
        if self._pre_tokenizer is None:
            pieces = [section]
        elif self.in_bytes and isinstance(self._stages[-1], ByteLevel):
            return iter(self._pre_tokenizer.cut(section, first))
        else:
            pieces = self._pre_tokenizer.pieces(section, first)
        return (to_text(unspell(piece)) for piece in pieces) if self.in_bytes else iter(pieces)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as what it is made of, for a helper process."""
        return SectionSplitter, (self._added, self._normalizer, self._pre_tokenizer)


def _edits(stage: PreTokenizer) -> bool:
    """Whether a stage may change a text before it cuts."""
    return isinstance(stage, Metaspace) or (isinstance(stage, ByteLevel) and stage.add_prefix_space)


def _only_spells(stage: PreTokenizer) -> bool:
    return isinstance(stage, ByteLevel) and not (stage.use_regex or stage.add_prefix_space)


def _ends_in_bytes(normalizer: Normalizer | None, stages: Sequence[PreTokenizer]) -> bool:
    """Whether the model sees every byte as its stand-in: spelled once, and left alone then."""
    spelled = [isinstance(stage, ByteLevelNormalizer) for stage in opened(normalizer)]
    if any(spelled):
        return sum(spelled) == 1 and spelled[-1] and not any(map(_respells, stages))
    places = [place for place, stage in enumerate(stages) if isinstance(stage, ByteLevel)]
    return len(places) == 1 and not any(map(_respells, stages[places[0] + 1 :]))


def _respells(stage: PreTokenizer) -> bool:
    return isinstance(stage, Metaspace | ByteLevel)


def _pattern_of(stages: Sequence[PreTokenizer]) -> Pattern:
    """A pattern for pieces that are cut already."""
    names = ", ".join(stage.name for stage in stages)
    piece = Alternative("piece", NOTHING_CUT.source)
    return Pattern(STAGED, f"cut by {names}", (piece,), ())
