"""Inspections: the numbers of a tokenizer of any model, each computed when it is first used.

A vocabulary is read in columns, so a tokenizer from a file and a step of a run are inspected alike.
Columns are used wherever possible, instead of token after token: 200,000 tokens take a fraction of
a second.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
import numpy.typing as npt

from engine.core.arrays import Floats, Ints
from engine.core.json_fields import gc_paused
from engine.core.registry import Registry
from engine.encoding.rules import EncodingRules
from engine.formats.tokenizer_format import Opened
from engine.recording.vocabulary import Vocabulary
from engine.text.patterns import Pattern, name_of
from engine.text.pretokenize import to_bytes, to_text, to_texts
from engine.text.scripts import DIGIT, KIND_NAMES, SHARED, SPACE, STRAY, SYMBOL, ScriptTable
from engine.unigram.pieces import unspelled
from engine.unigram.units import SPACE as SPACE_SIGN
from engine.wordpiece.words import CONTINUES, bare

if TYPE_CHECKING:
    from engine.bpe.frame import Frame
    from engine.unigram.frame import UnigramFrame
    from engine.unigram.lattice_arrays import Flags
    from engine.wordpiece.frame import WordPieceFrame


Histogram = list[tuple[int, int]]
"""(length in bytes or characters, number of tokens of that length), ascending."""


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
    # From the weakest claim to the strongest; the last assignment stays.
    result = np.full(len(tokens), SPACE, dtype=np.uint8)
    for kind, name in ((SYMBOL, SYMBOL), (DIGIT, DIGIT), (STRAY, PART), (SHARED, SHARED)):
        result[np.logical_or.reduceat(kinds == kind, starts)] = name
    has_script_letter = np.logical_or.reduceat(has_script, starts)
    result[has_script_letter] = greatest[has_script_letter]
    result[has_script_letter & (least != greatest)] = MIXED
    return result


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
        if self.longest is not None:
            side = "right" if self.from_right else "left"
            cut = f"groups of up to {self.longest} digits, from the {side}"
            whole = [n for n, (have, of) in self.known.items() if have == of]
            return cut if self.longest in whole else f"{cut}; not all are tokens"
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
MOST_TOKENS = 10_000
"""Most tokens among examples: all of a usual vocabulary."""


@dataclass(frozen=True)
class OrdinaryTokens:
    """The tokens that are not special, in the order of their ids.

    Attributes:
        ids, lengths: the id of each, and its length in the unit of the inspection.
        in_text: the bytes of each, as they are in a text.
        distinct: the same, each once.
    """

    ids: Ints
    lengths: Ints
    in_text: Sequence[bytes]
    distinct: frozenset[bytes]


class AnyInspection:
    """The inspection of a tokenizer of any model.

    Attributes:
        pattern: the pattern that cuts its texts.
        pattern_name: the name of the pattern; `None` if it is none of the named ones.
        special_ids: special token → id.
    """

    unit: ClassVar[str]
    """The unit of lengths: byte or character."""
    SLOW: ClassVar[tuple[str, ...]] = ("numbers", "length_histogram", "kinds")
    """The attributes that take time with many tokens."""
    ODD: ClassVar[tuple[str, ...]]
    """The ways in which tokens are odd, which `odd` finds."""
    encodes: bool = True
    """Whether a text can be encoded; if not, tokens never encoded cannot be found."""

    def __init__(self, pattern: Pattern, special_ids: Mapping[str, int]) -> None:
        self.pattern, self.pattern_name = pattern, name_of(pattern)
        self.special_ids = dict(special_ids)
        self._odd: dict[str, TokenExamples] = {}

    @cached_property
    def ordinary(self) -> OrdinaryTokens:
        """The ordinary tokens."""
        raise NotImplementedError

    def find_odd(self, name: str) -> tuple[Ints, Ints]:
        """Return ids and lengths of the tokens that are odd in one of the ways in `ODD`."""
        raise NotImplementedError

    def token(self, token_id: int) -> bytes:
        """Return a token as it is written."""
        raise NotImplementedError

    @cached_property
    def length_histogram(self) -> Histogram:
        """(length, ordinary tokens of that length), ascending."""
        counts = np.bincount(self.ordinary.lengths)
        return [(length, int(counts[length])) for length in np.flatnonzero(counts).tolist()]

    @property
    def mean_length(self) -> float:
        """The mean length of ordinary tokens; 0 without tokens."""
        lengths = self.ordinary.lengths
        return float(lengths.mean()) if len(lengths) else 0.0

    def longest(self, count: int) -> list[int]:
        """Return the ids of the longest ordinary tokens, the longest first."""
        order = np.argsort(-self.ordinary.lengths, kind="stable")[:count]
        ids: list[int] = self.ordinary.ids[order].tolist()
        return ids

    def length_of(self, token_id: int) -> int:
        """Return the length of an ordinary token."""
        return int(self.ordinary.lengths[np.searchsorted(self.ordinary.ids, token_id)])

    @cached_property
    def kinds_of_ordinary(self) -> npt.NDArray[np.uint8]:
        """The kind of each ordinary token, an index of `TOKEN_KIND_NAMES`."""
        return token_kinds(self.ordinary.in_text, ScriptTable())

    @cached_property
    def kinds(self) -> list[tuple[str, int]]:
        """(script or other kind, ordinary tokens of that kind), the most frequent first."""
        counts = np.bincount(self.kinds_of_ordinary, minlength=len(TOKEN_KIND_NAMES)).tolist()
        kinds = Counter(dict(zip(TOKEN_KIND_NAMES, counts, strict=False)))
        return [(name, count) for name, count in kinds.most_common() if count]

    def of_kind(self, name: str) -> TokenExamples:
        """Return the ordinary tokens of a kind, such as "Latin"."""
        return self._examples(self.kinds_of_ordinary == TOKEN_KIND_NAMES.index(name))

    def of_length(self, least: int, greatest: int) -> TokenExamples:
        """Return the ordinary tokens whose length is between two lengths, both included."""
        lengths = self.ordinary.lengths
        return self._examples((lengths >= least) & (lengths <= greatest))

    def _examples(self, are_wanted: npt.NDArray[np.bool_]) -> TokenExamples:
        """Return the ordinary tokens at these places; among single ones, letters come first."""
        places, texts = np.flatnonzero(are_wanted), self.ordinary.in_text
        are_longer = self.ordinary.lengths[places] > 1
        single = places[~are_longer].tolist()
        single.sort(key=lambda at: (not texts[at].isalpha(), texts[at] < b"!"))
        few: list[int] = [*places[are_longer].tolist(), *single][:MOST_TOKENS]
        return TokenExamples(len(places), tuple(self.ordinary.ids[few].tolist()))

    @cached_property
    def numbers(self) -> NumberPolicy:
        """The way numbers are cut."""
        return numbers_of(self.pattern, self.ordinary.distinct)

    def odd(self, name: str) -> TokenExamples:
        """Return the tokens that are odd in one of the ways in `ODD`."""
        if name not in self._odd:
            ids, lengths = self.find_odd(name)
            # Single bytes and characters are seldom surprising, so they are last.
            first = np.concatenate((ids[lengths > 1], ids[lengths <= 1]))[:MOST_TOKENS]
            self._odd[name] = TokenExamples(len(ids), tuple(first.tolist()))
        return self._odd[name]

    def prepare(self) -> Self:
        """Compute all that takes time; may be called in a thread."""
        with gc_paused():
            for name in self.SLOW:
                getattr(self, name)
            for name in self.ODD:
                self.odd(name)
        return self


class Inspection(AnyInspection):
    """The inspection of a tokenizer with bytes as units, or of a step of a BPE training.

    Args:
        vocabulary: its tokens.
        pattern, special_ids: as in `AnyInspection`.
        merges: the number of its merges.
        opened: the tokenizer in its file; `None` for a step of a run.
        rules: how it encodes; `None` for WordPiece.

    Attributes:
        vocabulary, merges, opened, rules: as given.
        size: the number of tokens, special ones included.
        greatest_id: the greatest id; -1 if there is no token.
        lengths: the number of bytes of each token in a text, by row of the vocabulary.
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

    unit = "byte"
    SLOW: ClassVar[tuple[str, ...]] = (*AnyInspection.SLOW, "gaps", "whitespace_runs")
    ODD: ClassVar[tuple[str, ...]] = ("partial", "never-encoded", "duplicates")

    def __init__(
        self,
        vocabulary: Vocabulary,
        pattern: Pattern,
        special_ids: Mapping[str, int],
        merges: int,
        opened: Opened | None = None,
        rules: EncodingRules | None = None,
    ) -> None:
        super().__init__(pattern, special_ids)
        self.vocabulary, self.rules = vocabulary, rules
        self.merges, self.opened = merges, opened
        self.size = len(vocabulary)
        self._ids = vocabulary.table.ids[: self.size]
        self.greatest_id = int(self._ids.max(initial=-1))
        self.lengths = vocabulary.table.covered[: self.size]
        self.format: str | None = None
        self.notes: tuple[str, ...] = ()
        self.model: str | None = None
        if opened is not None:
            pipeline = opened.tokenizer.pipeline
            self.format, self.notes = opened.format, tuple(opened.notes)
            self.model = None if pipeline is None or pipeline.merges else pipeline.model.name
            self.encodes = opened.tokenizer.alphabet.spells

    @classmethod
    def of_opened(cls, opened: Opened) -> Inspection:
        """Inspect a tokenizer from a file."""
        tokenizer = opened.tokenizer
        special_ids = {to_text(tokenizer.vocab[n]): n for n in sorted(tokenizer.special_ids)}
        vocabulary, merges = Vocabulary.of_tokenizer(tokenizer), len(tokenizer.merge_table)
        return cls(vocabulary, tokenizer.pattern, special_ids, merges, opened, tokenizer.rules)

    @classmethod
    def of_frame(cls, frame: Frame, opened: Opened | None = None) -> Inspection:
        """Inspect a step of a run; `opened` is the file whose merges the run makes again."""
        vocabulary, rules = frame.vocabulary, frame.rules
        return cls(vocabulary, rules.pattern, rules.special_ids, frame.step, opened, rules)

    def token(self, token_id: int) -> bytes:
        return self.vocabulary.token(token_id)

    @cached_property
    def ordinary(self) -> OrdinaryTokens:
        table, rows = self.vocabulary.table, self.vocabulary.by_id
        rows = rows[~table.is_special[rows]]
        tokens = [table.tokens[row] for row in rows.tolist()]
        return OrdinaryTokens(self._ids[rows], self.lengths[rows], tokens, frozenset(tokens))

    @cached_property
    def gaps(self) -> IdGaps:
        """The ids without a token."""
        ids = np.concatenate(([-1], np.sort(self._ids)))
        places = np.flatnonzero(np.diff(ids) > 1)
        first, last = ids[places] + 1, ids[places + 1] - 1
        stretches = zip(first[:EXAMPLES].tolist(), last[:EXAMPLES].tolist(), strict=True)
        return IdGaps(int(np.sum(last - first + 1)), tuple(stretches))

    @cached_property
    def whitespace_runs(self) -> dict[str, list[int]]:
        """The lengths of the tokens that are only spaces, only newlines, only tabs."""
        found = {}
        for name, sign in (("spaces", b" "), ("newlines", b"\n"), ("tabs", b"\t")):
            runs = (token for token in self.ordinary.distinct if token and not token.strip(sign))
            found[name] = sorted(map(len, runs))
        return found

    @cached_property
    def unspelled_bytes(self) -> int:
        """The number of the 256 bytes that have no token; 0 if characters are its units."""
        alphabet = None if self.rules is None else self.rules.alphabet
        if alphabet is None or alphabet.unit != "byte" or not self.encodes:
            return 0
        unknown = [getattr(alphabet, "unknown", None)]
        return sum(alphabet.spell(bytes([byte])) in ([], unknown) for byte in range(256))

    def find_odd(self, name: str) -> tuple[Ints, Ints]:
        """Return ids and lengths of odd tokens.

        Args:
            name: a filter of the vocabulary, or `duplicates`: the ordinary tokens with the bytes of
                an earlier one.
        """
        if name != "duplicates":
            rows = self.vocabulary.rows(filters=(name,))
            return self._ids[rows], self.lengths[rows]
        ordinary, seen, again = self.ordinary, set[bytes](), list[int]()
        for place, token in enumerate(ordinary.in_text):
            if token in seen:
                again.append(place)
            seen.add(token)
        places = np.array(again, dtype=np.int64)
        return ordinary.ids[places], ordinary.lengths[places]


class PieceInspection(Inspection):
    """The inspection of a step of a WordPiece training. Lengths are in characters, without `##`.

    Attributes:
        starting, continuing: the number of pieces at the beginning of words, and of those inside:
            they have `##`.
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
    SLOW: ClassVar[tuple[str, ...]] = ("gaps", "length_histogram", "kinds")
    ODD = ("unused", "duplicates")

    def __init__(self, frame: WordPieceFrame) -> None:
        special_ids = {token: token_id for token_id, token in enumerate(frame.special_tokens)}
        super().__init__(frame.vocabulary, frame.pattern, special_ids, frame.step)
        self.unknown_token = frame.unknown_token
        self.min_count = frame.min_count
        self.tie_rule = frame.tie_rule.name
        pieces, sign = self.ordinary.in_text, CONTINUES.encode()
        self.continuing = sum(piece.startswith(sign) for piece in pieces)
        self.starting = len(pieces) - self.continuing

    @cached_property
    def kinds_of_ordinary(self) -> npt.NDArray[np.uint8]:
        pieces = list(map(bare, self.ordinary.in_text))
        kinds = np.full(len(pieces), len(TOKEN_KIND_NAMES), dtype=np.uint8)  # `##` has none
        kinds[[place for place, piece in enumerate(pieces) if piece]] = token_kinds(
            list(filter(None, pieces)), ScriptTable()
        )
        return kinds


LARGEST_EXPONENT = 700.0
"""Powers of e above this overflow a float."""


class UnigramInspection(AnyInspection):
    """The inspection of the pieces of a frame. Pieces are identified by their numbers.

    Bits and perplexities are those of the model on the corpus that it was trained on.

    Attributes:
        size: the number of pieces.
        characters, word_starts: the number of pieces that are single characters, and of those that
            begin with a ▁.
        special_ids: unknown token and special tokens → id.
        loss: the mean negative log-likelihood of a pretoken, in nats; of n-grams, that of all
            sentences together.
        perplexity: the number of equally probable pretokens with the same loss.
        fertility: the mean number of tokens of a pretoken.

    >>> from engine.unigram.frame import UnigramTimeline
    >>> from engine.unigram.trainer import UnigramTrainer
    >>> words = {"hug": 10, "pug": 5, "hugs": 5, "bun": 4}
    >>> trainer = UnigramTrainer(words, 10)
    >>> steps = list(trainer.steps())
    >>> timeline = UnigramTimeline(trainer.record, steps, words=words)
    >>> inspection = UnigramInspection(timeline.seek(3))
    >>> inspection.size, inspection.characters, inspection.special_ids
    (9, 7, {'<unk>': 0})
    >>> inspection.length_histogram, [inspection.text(n) for n in inspection.longest(1)]
    ([(1, 7), (3, 2)], ['hug'])
    """

    unit = "character"
    SLOW = (*AnyInspection.SLOW, "entropy")
    ODD = ("seldom", "runs", "partial")

    def __init__(self, frame: UnigramFrame) -> None:
        first = (frame.record.unknown, *frame.record.special_tokens)  # these are no pieces
        super().__init__(frame.pattern, {token: token_id for token_id, token in enumerate(first)})
        self.frame = frame
        self.size = frame.size
        self.characters = int(np.count_nonzero(PIECE_FILTERS["characters"](frame)))
        self.word_starts = sum(text.startswith(SPACE_SIGN) for text in frame.texts)
        mean = frame.record.mean_loss_at(frame.step)
        self.loss, self.perplexity = frame.loss, exp(min(mean, LARGEST_EXPONENT))
        self.fertility = float(frame.statistics.fertility(frame.step)[-1])

    @cached_property
    def ordinary(self) -> OrdinaryTokens:
        numbers, lengths = self.frame.numbers, self.frame.record.columns.lengths
        in_text = [to_bytes(unspelled(text)) for text in self.frame.texts]
        return OrdinaryTokens(numbers, lengths[numbers], in_text, frozenset(in_text))

    def text(self, number: int) -> str:
        """Return the text of a piece."""
        return self.frame.record.texts[number]

    def token(self, token_id: int) -> bytes:
        return to_bytes(self.text(token_id))

    @property
    def worst_and_best(self) -> tuple[int, int] | None:
        """The pieces with the lowest and the greatest score; `None` without pieces."""
        numbers, scores = self.frame.numbers, self.frame.scores
        if not len(scores):
            return None
        return int(numbers[scores.argmin()]), int(numbers[scores.argmax()])

    def score(self, number: int) -> float:
        """Return the score of a piece of the frame."""
        return float(self.frame.scores[np.searchsorted(self.frame.numbers, number)])

    @cached_property
    def entropy(self) -> float:
        """Mean information of a token of the corpus, in bits, by the pieces' expected counts."""
        counts = self.frame.expected_counts
        used = counts[counts > 0]
        shares: Floats = used / used.sum() if len(used) else used
        return float(-(shares * np.log2(shares)).sum())

    def find_odd(self, name: str) -> tuple[Ints, Ints]:
        """Return numbers and lengths of odd pieces.

        Args:
            name: a filter of pieces; or `runs`, which repeat one character, such as `!!!!`; or
                `partial`: pieces with a byte that is not UTF-8, which no tokenizer.json can spell.
        """
        columns = self.frame.record.columns
        of_columns = {"runs": columns.are_runs, "partial": columns.are_partial}
        if name in of_columns:
            found = of_columns[name][self.frame.numbers]
        else:
            found = PIECE_FILTERS[name](self.frame)
        return self.ordinary.ids[found], self.ordinary.lengths[found]


PIECE_FILTERS: Registry[str, Callable[[UnigramFrame], Flags]] = Registry(
    "filter",
    {
        "seldom": lambda frame: np.less(frame.expected_counts, 1),
        "characters": lambda frame: np.less(frame.numbers, frame.record.characters),
        "leaving": lambda frame: np.equal(frame.goes_at, frame.step + 1),
    },
)
"""Conditions on pieces; each returns for each piece of a frame whether it is true."""
