"""Added tokens, and the text between them as the pre-tokenizer and the model get it.

An added token is one token wherever its text occurs; it is found before anything else is done.
*Special* ones (`<s>`, `[MASK]`) steer a model and mean nothing as text. The others are only added
to a vocabulary. Each has its own conditions: as a whole word only, with the whitespace at either
side, in the text as typed or as normalized.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import accumulate, groupby
from operator import itemgetter
from typing import Any, NamedTuple

import regex

from engine.core.gpt2_bytes import unspell
from engine.core.json_fields import Fields
from engine.pipeline.normalizers import NFC, Aligned, Normalizer
from engine.pipeline.normalizers import ByteLevel as ByteLevelNormalizer
from engine.pipeline.pretokenizers import (
    BERT_PIECES,
    NOTHING_CUT,
    BertPreTokenizer,
    ByteLevel,
    Metaspace,
    PreTokenizer,
    WhitespaceSplit,
)
from engine.pipeline.stage import opened
from engine.text.patterns import STAGED, Alternative, Pattern
from engine.text.pretokenize import WHITE_SPACE, AlignedPretoken, SpecialSplitter, to_bytes, to_text


@dataclass(frozen=True)
class AddedToken:
    """An added token.

    Attributes:
        content: its text.
        single_word: whether it is found only if no letter or digit is next to it.
        lstrip, rstrip: whether the whitespace on its left and right goes with it.
        normalized: whether it is searched for in the normalized text.
        special: whether it steers a model, and is not text that people write.
    """

    content: str
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = False
    special: bool = True

    @classmethod
    def from_json(cls, fields: Fields) -> AddedToken:
        """Read an item of `added_tokens`.

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
        """Return the item that `from_json` reads, with the id."""
        return {"id": token_id, **asdict(self)}


def without_repeats(tokens: Iterable[AddedToken]) -> tuple[AddedToken, ...]:
    """Return the tokens without empty and repeated ones; special ones come first, and win."""
    kept: dict[str, AddedToken] = {}
    for token in sorted(tokens, key=lambda token: not token.special):
        if token.content:
            kept.setdefault(token.content, token)
    return tuple(kept.values())


def number_added_tokens(tokens: Sequence[AddedToken], vocab: Mapping[str, int]) -> dict[str, int]:
    """Return the ids of added tokens: those of the vocabulary, and new ones after it.

    This is how Hugging Face's library numbers them; the ids in the file do not count.

    >>> tokens = AddedToken("<s>"), AddedToken("b"), AddedToken("</s>")
    >>> number_added_tokens(tokens, {"a": 0, "b": 1})
    {'<s>': 2, 'b': 1, '</s>': 3}
    """
    ids: dict[str, int] = {}
    new = len(vocab)
    for token in tokens:
        if token.content and token.content not in ids:
            ids[token.content] = vocab.get(token.content, new)
            new = max(new, ids[token.content] + 1)
    return ids


class FoundStretch(NamedTuple):
    """The stretch `text[start:end]`: a token, or the text between two if `token` is `None`."""

    start: int
    end: int
    token: AddedToken | None


_WORD = regex.compile(r"\w")


class TokenFinder:
    """Finds tokens in a text: the leftmost first, of several there the longest.

    Args:
        spelled: pairs of a text to look for and its token. Of equal texts the last counts; an
            empty text is never found.
    """

    def __init__(self, spelled: Sequence[tuple[str, AddedToken]]) -> None:
        self._token_of = {text: token for text, token in spelled if text}

    # Not one regex of all tokens: there may be a hundred thousand, which takes ten seconds.

    @cached_property
    def _lengths(self) -> dict[str, list[int]]:
        """First character → lengths of the tokens that begin with it, the longest first."""
        found: defaultdict[str, set[int]] = defaultdict(set)
        for text in self._token_of:
            found[text[0]].add(len(text))
        return {first: sorted(lengths, reverse=True) for first, lengths in found.items()}

    @cached_property
    def _beginnings(self) -> re.Pattern[str]:
        return re.compile(f"[{''.join(map(re.escape, self._lengths))}]")

    def _places(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each token, the leftmost first, of several the longest."""
        place = 0
        while (found := self._beginnings.search(text, place)) is not None:
            start = place = found.start()
            parts = (text[start : start + length] for length in self._lengths[found.group()])
            longest = next((len(part) for part in parts if part in self._token_of), 0)
            place += longest or 1
            if longest:
                yield start, place

    def find(self, text: str) -> Iterator[FoundStretch]:
        """Yield the tokens and the text between them; joined they are the whole text.

        If a token is inside the whitespace that goes with another one, both are yielded, and the
        text continues after the last; but not if it would take that whitespace, too, and nothing is
        left. Hugging Face's library does the same.
        """
        if not self._token_of:
            if text:
                yield FoundStretch(0, len(text), None)
            return

        last = 0
        for start, end in self._places(text):
            token = self._token_of[text[start:end]]
            after_word = start > 0 and _WORD.match(text, start - 1)
            if token.single_word and (after_word or _WORD.match(text, end)):
                continue
            if token.lstrip:
                start = max(len(text[:start].rstrip(WHITE_SPACE)), last)
            if token.rstrip:
                end = len(text) - len(text[end:].lstrip(WHITE_SPACE))
            if last < start:
                yield FoundStretch(last, start, None)
            if start < end:  # otherwise the token before has taken all of it
                yield FoundStretch(start, end, token)
            last = end
        if last < len(text):
            yield FoundStretch(last, len(text), None)


class SectionSplitter(SpecialSplitter):
    """Cuts added tokens out of a text and yields the rest as the pattern expects it.

    An added token is yielded as its own text, without the whitespace that goes with it. The rest is
    normalized, and searched for those added tokens that are found in normalized text. Then the
    pre-tokenizer's edits are made, such as a space or `▁` in front. If no pattern can express its
    cuts, they are made here, too. So all code that cuts text with a splitter and a pattern works.

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
        self._cut = PreTokenizer() if pre_tokenizer is None else pre_tokenizer
        self._stages = opened(pre_tokenizer)
        self.in_bytes = _ends_in_bytes(normalizer, self._stages)
        reduced = self._reduced()
        self._cuts_all = reduced is None
        names = ", ".join(each.name for each in self._stages)
        whole_piece = Alternative("piece", NOTHING_CUT.source)  # the pieces are already cut
        self.pattern = reduced or Pattern(STAGED, f"cut by {names}", (whole_piece,), ())
        raw = [(token.content, token) for token in self._added if not token.normalized]
        self._raw = TokenFinder(raw)
        self._in_normalized = TokenFinder(
            [(self._normalize(t.content), t) for t in self._added if t.normalized]
        )
        self.uncut_pattern = self._pattern_of_uncut()
        # Whether a `SpecialSplitter` of the same tokens gives the same result.
        first = self._stages[0] if self._stages else None
        cuts_plainly = (
            not self._cuts_all
            and not any(token.single_word or token.lstrip or token.rstrip for token in self._added)
            # Tokens found in normalized text come last, even if nothing is normalized.
            and len({token.normalized for token in self._added}) <= 1
            and not isinstance(first, Metaspace)
            and not (isinstance(first, ByteLevel) and first.add_prefix_space)
        )
        self.is_plain = normalizer is None and cuts_plainly
        # Other normalizers may look at all of the text before a piece. Composing changes nothing on
        # the other side of a border, where one of the two bytes is ASCII.
        only_composes = all(isinstance(each, NFC) for each in opened(normalizer))
        are_raw = not any(token.normalized for token in self._added)
        self.by_pieces = cuts_plainly and only_composes and are_raw

    def only(self, tokens: Collection[str]) -> SectionSplitter:
        added = [token for token in self._added if token.content in tokens]
        return SectionSplitter(added, self._normalizer, self._pre_tokenizer)

    def _normalize(self, text: str) -> str:
        return text if self._normalizer is None else self._normalizer.normalize(text)

    def _reduced(self) -> Pattern | None:
        """Return the pattern that cuts as the stages do after the first one's edits."""
        stages = list(self._stages)
        last = stages[-1] if stages else None
        only_spells = isinstance(last, ByteLevel) and not (last.use_regex or last.add_prefix_space)
        if self.in_bytes and only_spells:
            stages.pop()
        if self.in_bytes != any(isinstance(stage, ByteLevel) for stage in self._stages):
            return None
        if not stages:
            return NOTHING_CUT
        return stages[0].as_pattern() if len(stages) == 1 else None

    def _pattern_of_uncut(self) -> Pattern | None:
        if self._cuts_all and list(map(type, self._stages)) == [BertPreTokenizer]:
            return BERT_PIECES
        if self._cuts_all and list(map(type, self._stages)) == [WhitespaceSplit, Metaspace]:
            mark = self._stages[1]
            assert isinstance(mark, Metaspace)
            return mark.as_pattern() if mark.split and mark.prepend_scheme == "always" else None
        return None

    def split_uncut(self, text: str) -> Iterator[tuple[str, bool]]:
        if self.uncut_pattern is None:
            yield from self.split_text(text)
            return
        for section, _, token in self._sections(text):
            if token is not None:
                yield token.content, True
                continue
            assert isinstance(section, str)  # no stage depends on the start
            if (mark := self.uncut_pattern.mark) is None:
                yield section.translate(_PLAIN_SPACES), False
            elif prepared := _marked(section, mark.text):
                yield prepared, False

    def split_text(self, text: str) -> Iterator[tuple[str, bool]]:
        spells_last = bool(self._stages) and isinstance(self._stages[-1], ByteLevel)
        for section, first, token in self._sections(text):
            if token is not None:
                yield token.content, True
            elif isinstance(section, Aligned):
                pieces = [piece.text for piece in self._cut.aligned_pieces(section)]
                yield from ((self._own_text(piece), False) for piece in pieces)
            elif not self._cuts_all:
                prepared = self._stages[0].prepared(section, first) if self._stages else section
                if prepared:
                    yield prepared, False
            elif self.in_bytes and spells_last:
                yield from ((piece, False) for piece in self._cut.cut(section, first))
            else:
                pieces = self._cut.pieces(section, first)
                yield from ((self._own_text(piece), False) for piece in pieces)

    def _own_text(self, piece: str) -> str:
        """Return a piece in the text's own characters."""
        return to_text(unspell(piece)) if self.in_bytes else piece

    def _sections(self, text: str) -> Iterator[tuple[str | Aligned, bool, AddedToken | None]]:
        """Yield normalized sections, `True` for one at the very beginning, and added tokens.

        A section that is cut here is aligned if only its spans tell which pieces are first.
        """
        if self._normalizer is not None and any(stage.depends_on_start for stage in self._stages):
            for aligned, token in self.aligned_sections(text):
                yield aligned if self._cuts_all else aligned.text, aligned.is_first, token
            return
        for start, end, token in self._raw.find(text):
            if token is not None:
                yield text[start:end], False, token
                continue
            section = self._normalize(text[start:end])
            for left, right, found in self._in_normalized.find(section):
                yield section[left:right], start + left == 0, found

    def aligned_sections(self, text: str) -> Iterator[tuple[Aligned, AddedToken | None]]:
        """Yield the sections and added tokens, aligned with the original."""
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

    def aligned(self, text: str, pattern: Pattern) -> Iterator[AlignedPretoken]:
        if self.is_plain:
            yield from super().aligned(text, pattern)
            return
        places = [0, *accumulate(len(to_bytes(character)) for character in text)]
        for section, token in self.aligned_sections(text):
            if token is not None:
                start, end = section.span(0, len(section.text))
                data = token.content.encode()
                ends = [places[end]] * len(data)
                yield AlignedPretoken(data, [places[start]] * len(data), ends, True)
                continue
            for piece in self._cut.aligned_pieces(section):
                data = unspell(piece.text) if self.in_bytes else to_bytes(piece.text)
                yield AlignedPretoken(
                    data, *_byte_places(piece, text, places, self.in_bytes), False
                )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the arguments only, for another process."""
        return SectionSplitter, (self._added, self._normalizer, self._pre_tokenizer)


_PLAIN_SPACES = str.maketrans(dict.fromkeys(WHITE_SPACE, " "))


def _marked(text: str, mark: str) -> str:
    """Return the words of a text joined, each with a mark before it unless it begins with one."""
    words = text.translate(_PLAIN_SPACES).split(" ")
    return "".join(word if word.startswith(mark) else mark + word for word in words if word)


def _byte_places(
    piece: Aligned, text: str, places: Sequence[int], in_bytes: bool
) -> tuple[list[int], list[int]]:
    """Return where the bytes of a piece come from: the start and end for each, in bytes.

    If characters have as many bytes as their original, each byte has its own place in it. If they
    are the original with others beside it, the others come from nothing. Any other byte comes from
    all of the original.

    Args:
        text: the original.
        places: the place of each character of the original, in bytes, and its length.
        in_bytes: whether each character of the piece is a byte, in GPT-2's spelling.

    >>> _byte_places(Aligned("é", ((0, 1),)), "é", [0, 2], in_bytes=False)
    ([0, 1], [1, 2])
    >>> _byte_places(Aligned("_a", ((0, 1), (0, 1))), "A", [0, 1], in_bytes=False)
    ([0, 0], [0, 1])
    >>> _byte_places(Aligned("fi", ((0, 1), (0, 1))), "ﬁ", [0, 3], in_bytes=False)
    ([0, 0], [3, 3])
    """
    starts: list[int] = []
    ends: list[int] = []
    for (first, last), run in groupby(zip(piece.spans, piece.text, strict=True), itemgetter(0)):
        new = "".join(character for _, character in run)
        data = unspell(new) if in_bytes else to_bytes(new)
        start, end, old = places[first], places[last], text[first:last]
        before = after = 0
        if len(data) > end - start:
            for kept in map(to_bytes, (old, old.lower())):
                if data.endswith(kept):
                    before, after = len(data) - len(kept), 0
                    break
                if data.startswith(kept):
                    after = len(data) - len(kept)
        width = len(data) - before - after
        is_exact = end - start == width
        starts += [start] * before
        starts += range(start, end) if is_exact else [start] * width
        starts += [end] * after
        ends += [start] * before
        ends += range(start + 1, end + 1) if is_exact else [end] * width
        ends += [end] * after
    return starts, ends


def _ends_in_bytes(normalizer: Normalizer | None, stages: Sequence[PreTokenizer]) -> bool:
    """Whether the model sees each byte as a printable character: spelled once, then kept."""
    spelled = [isinstance(stage, ByteLevelNormalizer) for stage in opened(normalizer)]
    respelled = [place for place, stage in enumerate(stages) if isinstance(stage, _RESPELLING)]
    if any(spelled):
        return sum(spelled) == 1 and spelled[-1] and not respelled
    places = [place for place, stage in enumerate(stages) if isinstance(stage, ByteLevel)]
    return len(places) == 1 and respelled[-1] == places[0]


_RESPELLING = Metaspace, ByteLevel
