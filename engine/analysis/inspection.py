"""`Inspection`: a tokenizer in numbers, each computed when it is asked for.

It is made of a vocabulary in columns, so a tokenizer from a file and a step of a run are inspected
alike. A column is used wherever one will do, not token after token: 200,000 tokens take a fraction
of a second.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
import numpy.typing as npt

from engine.core.arrays import Ints
from engine.core.json_fields import gc_paused
from engine.formats.guesses import is_text
from engine.formats.tokenizer_format import Opened
from engine.recording.vocabulary import Vocabulary
from engine.text.patterns import Pattern, name_of
from engine.text.pretokenize import to_text, to_texts
from engine.text.scripts import DIGIT, KIND_NAMES, SHARED, SPACE, STRAY, SYMBOL, ScriptTable
from engine.wordpiece.words import CONTINUES, bare

if TYPE_CHECKING:
    from engine.bpe.frame import Frame
    from engine.wordpiece.frame import WordPieceFrame


# -- lengths, in bytes or characters
Histogram = list[tuple[int, int]]
"""(length, how many tokens have it), ascending."""


def histogram(lengths: Ints) -> Histogram:
    """How many have each length.

    >>> histogram(np.array([1, 3, 1]))
    [(1, 2), (3, 1)]
    """
    counts = np.bincount(lengths)
    return [(length, int(counts[length])) for length in np.flatnonzero(counts).tolist()]


def mean_of(lengths: Histogram) -> float:
    """The mean length; 0 where there is none.

    >>> mean_of([(1, 2), (4, 1)])
    2.0
    """
    total = sum(count for _, count in lengths)
    return sum(length * count for length, count in lengths) / total if total else 0.0


# -- kinds of tokens
MIXED, PART = len(KIND_NAMES), len(KIND_NAMES) + 1
"""Kinds of tokens beyond those of characters: several scripts; bytes of a character, no letter."""


TOKEN_KIND_NAMES = (*KIND_NAMES, "several scripts", "parts of characters")


_NO_SCRIPT = 255


def token_kinds(tokens: Sequence[bytes], table: ScriptTable) -> npt.NDArray[np.uint8]:
    r"""The kind of each token, a place in `TOKEN_KIND_NAMES`. No token may be empty.

    Letters go before everything else: ` 漢1` is Han. Letters that several scripts share count only
    where there are no others. Without letters stray bytes go before digits, digits before symbols,
    and whitespace is what is left of a token that holds nothing else.

    >>> kinds = token_kinds([b" the", b" 12", b"\n", b"\xe4\xb8", "aя".encode()], ScriptTable())
    >>> [TOKEN_KIND_NAMES[kind] for kind in kinds]
    ['Latin', 'digits', 'whitespace', 'parts of characters', 'several scripts']
    """
    if not tokens:
        return np.zeros(0, dtype=np.uint8)
    texts = to_texts(tokens)
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    starts = np.cumsum(lengths) - lengths
    kinds = table.kinds("".join(texts))
    has_script = kinds > SHARED
    greatest = np.maximum.reduceat(np.where(has_script, kinds, 0), starts)
    least = np.minimum.reduceat(np.where(has_script, kinds, _NO_SCRIPT), starts)

    def some(kind: int) -> npt.NDArray[np.bool_]:
        return np.logical_or.reduceat(kinds == kind, starts)

    # From the weakest claim to the strongest; the last assignment stays.
    result = np.full(len(tokens), SPACE, dtype=np.uint8)
    for kind, name in ((SYMBOL, SYMBOL), (DIGIT, DIGIT), (STRAY, PART), (SHARED, SHARED)):
        result[some(kind)] = name
    has_script_letter = greatest > 0
    result[has_script_letter] = greatest[has_script_letter]
    result[has_script_letter & (least != greatest)] = MIXED
    return result


def kind_counts(tokens: Sequence[bytes]) -> list[tuple[str, int]]:
    """(script or other kind, tokens of that kind), the most frequent first; no token is empty.

    >>> kind_counts([b"the", b"12", b"a"])
    [('Latin', 2), ('digits', 1)]
    """
    counts = np.bincount(token_kinds(tokens, ScriptTable()), minlength=len(TOKEN_KIND_NAMES))
    named = zip(TOKEN_KIND_NAMES, counts.tolist(), strict=True)
    return sorted(((name, count) for name, count in named if count), key=lambda pair: -pair[1])


# -- numbers: how far the pattern cuts them, and which of them are tokens
PROBE = "1234567890123456789"


LONGEST = 4


_DIGIT = re.compile(rb"[0-9]")


@dataclass(frozen=True)
class NumberPolicy:
    """How numbers are cut: by the pattern, and by what the vocabulary has.

    Attributes:
        longest: how many digits the pattern leaves in one pretoken; `None` if any number of them.
        from_right: whether the rest comes first: `1 234 567` instead of `123 456 7`.
        known: number of digits → (how many such numbers are tokens, how many there are).
        has_digits: whether any token holds one.
    """

    longest: int | None
    from_right: bool
    known: dict[int, tuple[int, int]]
    has_digits: bool

    @property
    def policy(self) -> str:
        """In words.

        >>> from engine.text.patterns import PATTERNS
        >>> numbers_of(PATTERNS["qwen2"], [b"0", b"1"]).policy
        'every digit alone'
        >>> numbers_of(PATTERNS["whitespace"], [b"hug"]).policy
        'no token holds a digit: numbers are unknown'
        """
        if not self.has_digits:
            return "no token holds a digit: numbers are unknown"
        if self.longest == 1:
            return "every digit alone"
        whole = [n for n, (have, of) in self.known.items() if have == of]
        most = max(whole, default=0)
        if self.longest is not None:
            side = "right" if self.from_right else "left"
            cut = f"groups of up to {self.longest} digits, from the {side}"
            return cut if most >= self.longest else f"{cut}; not all are tokens"
        if any(have for digits, (have, _) in self.known.items() if digits > 1):
            return "whole numbers, cut as the vocabulary has it"
        return "every digit alone, since no token joins digits"


def numbers_of(pattern: Pattern, tokens: Collection[bytes]) -> NumberPolicy:
    """How a pattern and these tokens cut numbers."""
    pieces = [piece for piece in pattern.split(PROBE) if piece]
    longest = max(map(len, pieces))
    known = {}
    have = frozenset(tokens)
    for digits in range(1, LONGEST + 1):
        count = sum(b"%0*d" % (digits, value) in have for value in range(10**digits))
        known[digits] = count, 10**digits
    uncut = longest == len(PROBE)
    has_digits = any(map(_DIGIT.search, have))
    return NumberPolicy(None if uncut else longest, len(pieces[0]) < longest, known, has_digits)


@dataclass(frozen=True)
class TokenExamples:
    """Some of many tokens: how many there are, and the least ids of them, single bytes last."""

    count: int
    ids: tuple[int, ...]


@dataclass(frozen=True)
class IdGaps:
    """Ids that no token has, below the greatest: how many, and the first stretches of them."""

    count: int
    stretches: tuple[tuple[int, int], ...]


EXAMPLES = 8


SPELLED_FORMATS = frozenset({"gpt2", "huggingface"})
"""Formats whose files are in GPT-2's spelling."""


class AnyInspection(ABC):
    """What inspections of all models have in common."""

    unit: ClassVar[str]
    """What lengths are counted in."""
    SLOW: ClassVar[tuple[str, ...]]
    """The names of what takes time with many tokens."""

    pattern: Pattern
    """What cuts texts."""
    encodes: bool = True
    """Whether a text can be encoded; if not, nobody knows which tokens never are."""

    @property
    @abstractmethod
    def _in_text(self) -> Collection[bytes]:
        """The ordinary tokens as they stand in a text."""

    @property
    @abstractmethod
    def length_histogram(self) -> Histogram:
        """(length, ordinary tokens of that length), ascending."""

    @property
    @abstractmethod
    def kinds(self) -> list[tuple[str, int]]:
        """(script or other kind, ordinary tokens of that kind), the most frequent first."""

    @abstractmethod
    def longest(self, count: int) -> list[int]:
        """The longest ordinary tokens, the longest first; of equal ones the first."""

    @abstractmethod
    def length_of(self, token_id: int) -> int:
        """The length of a token."""

    @abstractmethod
    def token(self, token_id: int) -> bytes:
        """A token as it is written."""

    @property
    def mean_length(self) -> float:
        """The length of an ordinary token on average."""
        return mean_of(self.length_histogram)

    @property
    def pattern_name(self) -> str | None:
        """The named pattern that this one is; `None` if it is none of them."""
        return name_of(self.pattern)

    @cached_property
    def numbers(self) -> NumberPolicy:
        """How numbers are cut."""
        return numbers_of(self.pattern, self._in_text)

    def prepare(self) -> Self:
        """Compute now what takes time, so that it can be left to a thread."""
        with gc_paused():
            for name in self.SLOW:
                getattr(self, name)
        return self


class Inspection(AnyInspection):
    """What can be said of a tokenizer.

    Attributes:
        vocabulary: its tokens.
        pattern: what cuts its texts.
        special_ids: special token → id.
        merges: how many merges it has.
        model: what encodes, as its file calls it, if it merges nothing; `None` for BPE.
        encodes: whether a text can be encoded, for which merges must not be missing.
        format: the name of the format it was in; `None` for a step of a run.
        notes: what its reader had to say.

    >>> from engine import Tokenizer
    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"he", 300: b"the"}
    >>> tokenizer = Tokenizer(vocab, [(b"h", b"e"), (b"t", b"he")])
    >>> inspection = Inspection.of_opened(Opened(tokenizer, "gpt2"))
    >>> inspection.size, inspection.gaps.count, inspection.longest(1), inspection.pattern_name
    (258, 43, [300], 'gpt2')
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        pattern: Pattern,
        special_ids: Mapping[str, int],
        merges: int,
        format: str | None = None,
        notes: Sequence[str] = (),
        model: str | None = None,
        encodes: bool = True,
    ) -> None:
        self.vocabulary = vocabulary
        self.pattern = pattern
        self.special_ids = dict(special_ids)
        self.merges = merges
        self.model = model
        self.encodes = encodes
        self.format = format
        self.notes = tuple(notes)

    @classmethod
    def of_opened(cls, opened: Opened) -> Inspection:
        """The inspection of a tokenizer from a file."""
        tokenizer = opened.tokenizer
        return cls(
            Vocabulary.of_tokenizer(tokenizer),
            tokenizer.pattern,
            {to_text(tokenizer.vocab[n]): n for n in sorted(tokenizer.special_ids)},
            len(tokenizer.merge_table),
            opened.format,
            opened.notes,
            _model_without_merges(opened),
            tokenizer.alphabet.spells,
        )

    @classmethod
    def of_frame(cls, frame: Frame, opened: Opened | None = None) -> Inspection:
        """The inspection of the tokenizer that a step of a run has learnt.

        `opened` is the file's tokenizer, if it is its merges that the run makes again.
        """
        rules = frame.rules
        of_run = (frame.vocabulary, rules.pattern, rules.special_ids, frame.step)
        if opened is None:
            return cls(*of_run)
        of_file = (opened.format, opened.notes, _model_without_merges(opened))
        return cls(*of_run, *of_file, opened.tokenizer.alphabet.spells)

    unit = "byte"
    SLOW: ClassVar[tuple[str, ...]] = (
        *("gaps", "numbers", "whitespace_runs", "length_histogram", "kinds"),
        *("partial", "unreachable", "twins", "duplicates"),
    )

    # -- size and ids

    @property
    def size(self) -> int:
        """Tokens, special ones included."""
        return len(self.vocabulary)

    @property
    def _tokens(self) -> Sequence[bytes]:
        return self.vocabulary.table.tokens[: self.size]

    @property
    def _ids(self) -> Ints:
        return self.vocabulary.table.ids[: self.size]

    @cached_property
    def _ordinary_rows(self) -> Ints:
        """The rows of all but the special tokens, in the order of their ids."""
        table = self.vocabulary.table
        rows = table.by_id[table.by_id < self.size]
        return rows[~table.is_special[rows]]

    @cached_property
    def _ordinary(self) -> list[bytes]:
        tokens = self._tokens
        return [tokens[row] for row in self._ordinary_rows.tolist()]

    @cached_property
    def _in_text(self) -> frozenset[bytes]:
        return frozenset(self._ordinary)

    @property
    def greatest_id(self) -> int:
        """The greatest id; -1 if there is no token."""
        return int(self._ids.max()) if self.size else -1

    @cached_property
    def gaps(self) -> IdGaps:
        """The ids without a token."""
        ids = np.concatenate(([-1], np.sort(self._ids)))
        places = np.flatnonzero(np.diff(ids) > 1)
        first, last = ids[places] + 1, ids[places + 1] - 1
        stretches = zip(first[:EXAMPLES].tolist(), last[:EXAMPLES].tolist(), strict=True)
        return IdGaps(int(np.sum(last - first + 1)), tuple(stretches))

    @cached_property
    def duplicates(self) -> TokenExamples:
        """Ordinary tokens with the bytes of an earlier one."""
        if len(self._in_text) == len(self._ordinary):
            return TokenExamples(0, ())
        seen: set[bytes] = set()
        found = []
        for row, token in zip(self._ordinary_rows.tolist(), self._ordinary, strict=True):
            if token in seen:
                found.append(row)
            seen.add(token)
        return self._few(np.array(found, dtype=np.int64))

    @cached_property
    def spelling_example(self) -> bytes | None:
        """A token that files in GPT-2's spelling write in other letters: ` 这` as `Ġè¿Ļ`.

        It has a character of several bytes, if there is such a token, and begins with a space;
        `None` where files are spelled otherwise.
        """
        if self.format not in SPELLED_FORMATS or self.model is not None:
            return None
        spaced = [token for token in self._ordinary if token[:1] == b" " and len(token) > 2]
        wide = (token for token in spaced if not token.isascii() and is_text(token))
        return next(wide, spaced[0] if spaced else None)

    # -- the pattern and what it does

    @cached_property
    def whitespace_runs(self) -> dict[str, list[int]]:
        """Of which lengths there are tokens of nothing but spaces, newlines, tabs."""
        longest = int(self.lengths.max(initial=0))
        return {
            name: [n for n in range(1, longest + 1) if sign * n in self._in_text]
            for name, sign in (("spaces", b" "), ("newlines", b"\n"), ("tabs", b"\t"))
        }

    # -- the tokens

    @property
    def lengths(self) -> Ints:
        """Bytes of a text that each token stands for."""
        return self.vocabulary.table.covered[: self.size]

    def token(self, token_id: int) -> bytes:
        return self.vocabulary.token(token_id)

    def length_of(self, token_id: int) -> int:
        return int(self.lengths[self.vocabulary.row_of(token_id)])

    @cached_property
    def length_histogram(self) -> Histogram:
        return histogram(self.lengths[self._ordinary_rows])

    def longest(self, count: int) -> list[int]:
        rows = self._ordinary_rows
        order = np.argsort(-self.lengths[rows], kind="stable")[:count]
        ids: list[int] = self._ids[rows[order]].tolist()
        return ids

    @property
    def _texts(self) -> Iterable[bytes]:
        """What of the ordinary tokens stands in a text: here all of it."""
        return self._ordinary

    @cached_property
    def kinds(self) -> list[tuple[str, int]]:
        return kind_counts(list(filter(None, self._texts)))

    @cached_property
    def partial(self) -> TokenExamples:
        """The tokens that are not valid UTF-8 by themselves."""
        return self._kept_by("partial")

    @cached_property
    def unreachable(self) -> TokenExamples:
        """The tokens whose own bytes encode to something else."""
        return self._kept_by("unreachable")

    @cached_property
    def twins(self) -> TokenExamples:
        """The tokens that differ from another only by case or a leading space."""
        return self._kept_by("twins")

    @cached_property
    def unused(self) -> TokenExamples:
        """The tokens that the corpus has nowhere now; none where nothing is counted."""
        return self._kept_by("unused")

    def _kept_by(self, filter: str) -> TokenExamples:
        return self._few(self.vocabulary.rows(filters=(filter,)))

    def _few(self, rows: Ints) -> TokenExamples:
        # A single byte is seldom what surprises.
        examples = np.concatenate((rows[self.lengths[rows] > 1], rows[self.lengths[rows] <= 1]))
        return TokenExamples(len(rows), tuple(self._ids[examples[:EXAMPLES]].tolist()))


def _model_without_merges(opened: Opened) -> str | None:
    pipeline = opened.tokenizer.pipeline
    return None if pipeline is None or pipeline.merges else pipeline.model.name


class PieceInspection(Inspection):
    """What can be said of a vocabulary of pieces. Lengths are in characters, `##` left out.

    Attributes:
        unknown_token: what a word becomes that the pieces cannot spell.
        min_count: pairs rarer than this did not merge.
        tie_rule: the name of the rule that chose among pairs of one score.

    >>> from engine.wordpiece.frame import WordPieceTimeline
    >>> from engine.wordpiece.trainer import WordPieceTrainer
    >>> trainer = WordPieceTrainer({b"hug": 10, b"hugs": 5, b"bun": 4}, 16)
    >>> timeline = WordPieceTimeline(trainer.record, trainer.steps())
    >>> inspection = PieceInspection(timeline.seek(2))
    >>> inspection.size, inspection.starting, inspection.continuing
    (13, 3, 5)
    """

    unit = "character"
    SLOW = ("gaps", "length_histogram", "kinds", "unused", "twins", "duplicates")

    def __init__(self, frame: WordPieceFrame) -> None:
        specials = frame.special_tokens
        super().__init__(
            frame.vocabulary,
            frame.pattern,
            {token: token_id for token_id, token in enumerate(specials)},
            frame.step,
        )
        self.unknown_token = frame.unknown_token
        self.min_count = frame.min_count
        self.tie_rule = frame.tie_rule.name

    @property
    def _texts(self) -> Iterable[bytes]:
        """The pieces without `##`."""
        return map(bare, self._ordinary)

    @cached_property
    def continuing(self) -> int:
        """Pieces inside of words: those with `##`."""
        return sum(piece.startswith(CONTINUES.encode()) for piece in self._ordinary)

    @property
    def starting(self) -> int:
        """Pieces at the beginning of words."""
        return len(self._ordinary) - self.continuing
