"""`Inspection`: the numbers of a tokenizer, each computed when it is first used.

It reads a vocabulary in columns, so a tokenizer from a file and a step of a run are inspected
alike. Columns are used wherever possible, instead of token after token: 200,000 tokens take a
fraction of a second.
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
"""(length, number of tokens of that length), ascending."""


def histogram(lengths: Ints) -> Histogram:
    """Count the tokens of each length.

    >>> histogram(np.array([1, 3, 1]))
    [(1, 2), (3, 1)]
    """
    counts = np.bincount(lengths)
    return [(length, int(counts[length])) for length in np.flatnonzero(counts).tolist()]


def mean_of(lengths: Histogram) -> float:
    """Return the mean length; 0 without tokens.

    >>> mean_of([(1, 2), (4, 1)])
    2.0
    """
    total = sum(count for _, count in lengths)
    return sum(length * count for length, count in lengths) / total if total else 0.0


# -- kinds of tokens
MIXED, PART = len(KIND_NAMES), len(KIND_NAMES) + 1
"""Kinds of tokens beyond those of characters: several scripts, and parts of characters."""
TOKEN_KIND_NAMES = (*KIND_NAMES, "several scripts", "parts of characters")
_NO_SCRIPT = 255


def token_kinds(tokens: Sequence[bytes], table: ScriptTable) -> npt.NDArray[np.uint8]:
    r"""Return the kind of each token, an index of `TOKEN_KIND_NAMES`. No token may be empty.

    Letters decide before everything else: ` 漢1` is Han. Letters that several scripts share count
    only if there are no others. Without letters stray bytes decide before digits, digits before
    symbols. A token is whitespace if it has nothing else.

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
    """Return (script or other kind, number of tokens), the most frequent first.

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
    """The way numbers are cut: by the pattern, and by the tokens of the vocabulary.

    Attributes:
        longest: most digits that the pattern leaves in one pretoken; `None` if there is no limit.
        from_right: whether the rest comes first: `1 234 567` instead of `123 456 7`.
        known: number of digits → (such numbers that are tokens, all such numbers).
        has_digits: whether any token has a digit.
    """

    longest: int | None
    from_right: bool
    known: dict[int, tuple[int, int]]
    has_digits: bool

    @property
    def policy(self) -> str:
        """A few words on how numbers are cut.

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
    """Find out how a pattern and these tokens cut numbers."""
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
    """Examples of many tokens: the number of all, and the smallest ids, single bytes last."""

    count: int
    ids: tuple[int, ...]


@dataclass(frozen=True)
class IdGaps:
    """Ids without a token, below the greatest: their number, and the first ranges of them."""

    count: int
    stretches: tuple[tuple[int, int], ...]


EXAMPLES = 8
SPELLED_FORMATS = frozenset({"gpt2", "huggingface"})
"""Formats whose files are in GPT-2's spelling."""


class AnyInspection(ABC):
    """The inspection of a tokenizer of any model."""

    unit: ClassVar[str]
    """The unit of lengths: byte or character."""
    SLOW: ClassVar[tuple[str, ...]]
    """The attributes that take time with many tokens."""

    pattern: Pattern
    """The pattern that cuts texts."""
    encodes: bool = True
    """Whether a text can be encoded; if not, unreachable tokens cannot be found."""

    @property
    @abstractmethod
    def _in_text(self) -> Collection[bytes]:
        """The ordinary tokens, as they are in a text."""

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
        """Return the ids of the longest ordinary tokens, the longest first."""

    @abstractmethod
    def length_of(self, token_id: int) -> int:
        """Return the length of a token."""

    @abstractmethod
    def token(self, token_id: int) -> bytes:
        """Return a token as it is written."""

    @property
    def mean_length(self) -> float:
        """The mean length of ordinary tokens."""
        return mean_of(self.length_histogram)

    @property
    def pattern_name(self) -> str | None:
        """The name of the pattern; `None` if it is none of the named ones."""
        return name_of(self.pattern)

    @cached_property
    def numbers(self) -> NumberPolicy:
        """The way numbers are cut."""
        return numbers_of(self.pattern, self._in_text)

    def prepare(self) -> Self:
        """Compute all that takes time; may be called in a thread."""
        with gc_paused():
            for name in self.SLOW:
                getattr(self, name)
        return self


class Inspection(AnyInspection):
    """The inspection of a tokenizer with bytes as units, or of a step of a BPE training.

    Attributes:
        vocabulary: its tokens.
        pattern: the pattern that cuts its texts.
        special_ids: special token → id.
        merges: the number of its merges.
        model: the name of its model in the file, if that has no merges; `None` for BPE.
        encodes: whether a text can be encoded, which takes the merges.
        format: the name of its file's format; `None` for a step of a run.
        notes: notes of the format's reader.

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
        """Inspect a tokenizer from a file."""
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
        """Inspect the tokenizer of a step of a run.

        `opened` is the tokenizer from a file, if the run makes its merges again.
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
        """Number of tokens, special ones included."""
        return len(self.vocabulary)

    @property
    def _ids(self) -> Ints:
        return self.vocabulary.table.ids[: self.size]

    @cached_property
    def _ordinary_rows(self) -> Ints:
        """The rows of the ordinary tokens, in the order of their ids."""
        table = self.vocabulary.table
        rows = table.by_id[table.by_id < self.size]
        return rows[~table.is_special[rows]]

    @cached_property
    def _ordinary(self) -> list[bytes]:
        tokens = self.vocabulary.table.tokens
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
        """The ordinary tokens with the bytes of an earlier one."""
        if len(self._in_text) == len(self._ordinary):
            return TokenExamples(0, ())
        seen: set[bytes] = set()
        found = []
        for row, token in zip(self._ordinary_rows.tolist(), self._ordinary, strict=True):
            if token in seen:
                found.append(row)
            seen.add(token)
        return self._examples(np.array(found, dtype=np.int64))

    @cached_property
    def spelling_example(self) -> bytes | None:
        """A token that is hard to read in GPT-2's spelling: ` 这`, spelled `Ġè¿Ļ`.

        It begins with a space, and has a character of several bytes if there is such a token.
        `None` if the file is in another spelling.
        """
        if self.format not in SPELLED_FORMATS or self.model is not None:
            return None
        spaced = [token for token in self._ordinary if token[:1] == b" " and len(token) > 2]
        wide = (token for token in spaced if not token.isascii() and is_text(token))
        return next(wide, spaced[0] if spaced else None)

    # -- the pattern and what it does

    @cached_property
    def whitespace_runs(self) -> dict[str, list[int]]:
        """The lengths of the tokens that are only spaces, only newlines, only tabs."""
        longest = int(self.lengths.max(initial=0))
        return {
            name: [n for n in range(1, longest + 1) if sign * n in self._in_text]
            for name, sign in (("spaces", b" "), ("newlines", b"\n"), ("tabs", b"\t"))
        }

    # -- the tokens

    @property
    def lengths(self) -> Ints:
        """The number of bytes of each token in a text."""
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
        """The ordinary tokens without marks such as `##`."""
        return self._ordinary

    @cached_property
    def kinds(self) -> list[tuple[str, int]]:
        return kind_counts(list(filter(None, self._texts)))

    @cached_property
    def partial(self) -> TokenExamples:
        """The tokens that are not valid UTF-8 by themselves."""
        return self._filtered("partial")

    @cached_property
    def unreachable(self) -> TokenExamples:
        """The tokens whose own bytes encode to other tokens."""
        return self._filtered("unreachable")

    @cached_property
    def twins(self) -> TokenExamples:
        """The tokens that differ from another only by case or a leading space."""
        return self._filtered("twins")

    @cached_property
    def unused(self) -> TokenExamples:
        """The tokens that do not occur in the corpus now; none if nothing is counted."""
        return self._filtered("unused")

    def _filtered(self, filter: str) -> TokenExamples:
        return self._examples(self.vocabulary.rows(filters=(filter,)))

    def _examples(self, rows: Ints) -> TokenExamples:
        # Single bytes are seldom surprising, so they are last.
        examples = np.concatenate((rows[self.lengths[rows] > 1], rows[self.lengths[rows] <= 1]))
        return TokenExamples(len(rows), tuple(self._ids[examples[:EXAMPLES]].tolist()))


def _model_without_merges(opened: Opened) -> str | None:
    pipeline = opened.tokenizer.pipeline
    return None if pipeline is None or pipeline.merges else pipeline.model.name


class PieceInspection(Inspection):
    """The inspection of a step of a WordPiece training. Lengths are in characters, without `##`.

    Attributes:
        unknown_token: replaces a word that the pieces cannot spell.
        min_count: the least count of a pair that merges.
        tie_rule: the name of the rule that chose among pairs of equal score.

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
        return map(bare, self._ordinary)

    @cached_property
    def continuing(self) -> int:
        """Number of pieces inside words: those with `##`."""
        return sum(piece.startswith(CONTINUES.encode()) for piece in self._ordinary)

    @property
    def starting(self) -> int:
        """Number of pieces at the beginning of words."""
        return len(self._ordinary) - self.continuing
