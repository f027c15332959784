"""Fertility: the tokens that a text takes per word and per character, script by script.

A word is a run of letters and marks of one script; a character is one letter or mark. In scripts
written without spaces a run is a sentence, not a word, so only their characters are counted.

    text         to be      你好
    tokens       to| be     你好     to begins and ends in one token, and so does be
    per word     2 / 2      —
    per char     2 / 4      1 / 2    a token counts once for each script that it touches
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.core.arguments import checked
from engine.core.arrays import Bools, Ints
from engine.core.errors import ComparisonError
from engine.text.pretokenize import to_text
from engine.text.scripts import (
    KIND_NAMES,
    OTHER,
    SHARED,
    WRITTEN_WITHOUT_SPACES,
    Kinds,
    ScriptTable,
)

SLICE = 1 << 17
"""Bytes that are counted together: arrays thirty times as large should still fit in the cache."""
KINDS = len(KIND_NAMES)
Places = npt.NDArray[np.intp]


@dataclass(frozen=True)
class ScriptFertility:
    """The words and characters of one script, and the tokens that each tokenizer takes for them.

    Attributes:
        script: its name.
        has_words: whether it is written with spaces. If not, each character counts as a word.
        words: number of words.
        tokens: tokens of these words by each tokenizer; one that reaches into two counts in both.
            Without words, the same as `touching`.
        tokens_per_word: tokens / words.
        characters: number of letters and marks.
        touching: tokens by each tokenizer that touch a character of the script; each counts once.
        tokens_per_character: touching / characters.
    """

    script: str
    has_words: bool
    words: int
    tokens: tuple[int, ...]
    tokens_per_word: tuple[float, ...]
    characters: int
    touching: tuple[int, ...]
    tokens_per_character: tuple[float, ...]


def fertility(
    data: bytes, edges: Sequence[Ints], parts: Sequence[Ints] | None = None
) -> list[ScriptFertility]:
    """Count words, characters and their tokens by script, the script with the most words first.

    Marks and letters that several scripts share belong to the script of the character before them.

    Args:
        data: the text.
        edges: for each tokenizer the edges of its tokens, in bytes.
        parts: for each tokenizer the ends of the characters that a token of no width spells, too.

    >>> [each] = fertility(b"to be", [np.array([0, 1, 2, 5]), np.array([0, 5])])
    >>> each.script, each.words, each.tokens, each.characters, each.touching
    ('Latin', 2, (3, 2), 4, (3, 1))
    >>> [each] = fertility("你好".encode(), [np.array([0, 6]), np.array([0, 1, 2, 3, 6])])
    >>> each.has_words, each.tokens_per_character
    (False, (0.5, 2.0))
    """
    counts = [_TokenCounts(each[np.diff(each, prepend=-1) != 0]) for each in edges]
    for count, places in zip(counts, parts or (), strict=bool(parts)):
        count.parts = places
    table = ScriptTable()
    runs, characters = np.zeros(KINDS, np.int64), np.zeros(KINDS, np.int64)
    for start, end in _slices(data):
        found = _runs_of(table, data, start, end)
        runs += np.bincount(found.kinds, minlength=KINDS)
        characters += np.bincount(found.kinds, found.characters, KINDS).astype(np.int64)
        for count in counts:
            count.add(found, start, end)
    fertilities = []
    for kind in np.flatnonzero(runs).tolist():
        has_words = kind not in WRITTEN_WITHOUT_SPACES
        touching = tuple(int(each.once[kind]) for each in counts)
        tokens = tuple(int(each.in_runs[kind]) for each in counts) if has_words else touching
        letters = int(characters[kind])
        words = int(runs[kind]) if has_words else letters
        fertilities.append(
            ScriptFertility(
                script=KIND_NAMES[kind],
                has_words=has_words,
                words=words,
                tokens=tokens,
                tokens_per_word=tuple(each / words for each in tokens),
                characters=letters,
                touching=touching,
                tokens_per_character=tuple(each / letters for each in touching),
            )
        )
    return sorted(fertilities, key=lambda each: -each.words)


def _slices(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield slices that end before a newline or a space, so that no word is cut."""
    start = 0
    while start < len(data):
        wanted = start + SLICE
        places = [place for sign in (b"\n", b" ") if (place := data.find(sign, wanted)) >= 0]
        end = min(places, default=len(data))
        yield start, end
        start = end


@dataclass(frozen=True)
class _Runs:
    """The runs of letters and marks of one script in a slice.

    Attributes:
        kinds: the kind of each run.
        characters: its number of characters.
        begins, ends: its place in bytes, from the start of the slice.
    """

    kinds: Kinds
    characters: Places
    begins: Ints
    ends: Ints


def _runs_of(table: ScriptTable, data: bytes, start: int, end: int) -> _Runs:
    """Find the runs of a slice."""
    text = to_text(data[start:end])
    kinds = table.kinds(text)
    if np.any(kinds == SHARED):  # shared letters and marks get the kind of the character before
        sources = np.where(kinds == SHARED, 0, np.arange(len(kinds)))
        kinds = kinds[np.maximum.accumulate(sources)]
    is_letter: Bools = kinds >= OTHER
    is_new = np.diff(kinds, prepend=np.uint8(0), append=np.uint8(0)) != 0
    begins = np.flatnonzero(is_new[:-1] & is_letter)
    ends = np.flatnonzero(is_new[1:] & is_letter) + 1
    places = _byte_places(text)
    return _Runs(kinds[begins], ends - begins, places.take(begins), places.take(ends))


class _TokenCounts:
    """The tokens of one tokenizer that touch the runs of each script, added up slice by slice.

    Attributes:
        parts: ends of characters that a token of no width spells, too.
        in_runs: tokens by script; one that reaches into two runs counts in both.
        once: tokens by script, each once.
    """

    def __init__(self, edges: Ints) -> None:
        self._edges = edges
        self.parts: Ints = edges[:0]
        self.in_runs, self.once = np.zeros(KINDS, np.int64), np.zeros(KINDS, np.int64)
        self._last: Ints = np.full(KINDS, -1, np.int64)  # the last token that touched the script

    def add(self, runs: _Runs, start: int, end: int) -> None:
        """Add the runs of the slice `start`…`end`."""
        # The number of a token is the number of edges up to its first byte.
        before, last = np.searchsorted(self._edges, (start, end))
        up_to = np.zeros(end - start + 1, np.int32)
        up_to[self._edges[before:last] - start] = 1
        up_to.cumsum(out=up_to)
        first_token = up_to.take(runs.begins) + before
        last_token = up_to.take(runs.ends - 1) + before
        tokens = last_token - first_token + 1
        low, high = np.searchsorted(self.parts, (start + 1, end + 1))
        if high > low:
            parts = np.bincount(self.parts[low:high] - start, minlength=end - start + 1).cumsum()
            tokens += parts.take(runs.ends) - parts.take(runs.begins)
        counted = np.bincount(runs.kinds, tokens, KINDS).astype(np.int64)
        # A run that begins in the token in which the script's run before it ended.
        order = np.argsort(runs.kinds, kind="stable")
        kinds, first_token, last_token = runs.kinds[order], first_token[order], last_token[order]
        is_first = np.diff(kinds, prepend=np.uint8(0)) != 0
        ended = np.concatenate((last_token[:1], last_token[:-1]))
        ended[is_first] = self._last[kinds[is_first]]
        again = np.bincount(kinds[ended == first_token], minlength=KINDS)
        self.in_runs += counted
        self.once += counted - again
        is_last = np.append(is_first[1:], True)[: len(kinds)]
        self._last[kinds[is_last]] = last_token[is_last]


def _byte_places(text: str) -> Ints:
    """Return the start of each character in UTF-8, and the end of the text."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    # A surrogate is one byte that is not UTF-8.
    widths = np.ones(len(codes) + 1, dtype=np.uint8)
    for least in (0x80, 0x800, 0x10000):
        widths[1:] += codes >= least
    widths[1:][(codes >= 0xD800) & (codes < 0xE000)] = 1
    widths[0] = 0
    return widths.cumsum(dtype=np.int64)


# -- texts that are translations of each other


ENGLISH_NAME = "english"
ENGLISH = frozenset(("en", "eng", ENGLISH_NAME))
LEAST_LINES = 2


@dataclass(frozen=True)
class ParallelTexts:
    """Texts that say the same in several languages, line by line.

    Attributes:
        lines: number of lines of each.
        reference: the place of the text that the others are compared with: the English one, by its
            name, else the first.
        is_english: whether the name of the reference says that it is English.
    """

    lines: int
    reference: int
    is_english: bool

    def describe(self, reference: str) -> str:
        """Return how the texts are known to be parallel, and what they are compared with.

        >>> ParallelTexts(12, 0, True).describe("en.txt")
        'Taken for translations: each has 12 lines. × en.txt, English by its name.'
        """
        why = "English by its name" if self.is_english else "the first"
        lines = "line" if self.lines == 1 else "lines"
        return f"Taken for translations: each has {self.lines:,} {lines}. × {reference}, {why}."

    def premiums(self, token_counts: Sequence[Sequence[int]]) -> list[tuple[float, ...]]:
        """Return each text's tokens as multiples of the reference's, by the same tokenizer.

        Args:
            token_counts: for each text its number of tokens by each tokenizer.

        >>> ParallelTexts(2, 0, True).premiums([(4, 5), (8, 10)])
        [(1.0, 1.0), (2.0, 2.0)]
        """
        reference = token_counts[self.reference]
        return [
            tuple(own / least if least else 0.0 for own, least in zip(each, reference, strict=True))
            for each in token_counts
        ]


@checked
def parallel_texts(
    names: Sequence[str], texts: Sequence[bytes], asked: bool | None = None
) -> ParallelTexts | None:
    """Return how texts are parallel; `None` if they are not.

    Nothing in a text says that another is its translation. Two texts or more with the same number
    of lines, and at least two lines, are taken for it, unless the user says otherwise.

    Args:
        names: their names; `en`, `eng` or `english` as a part, as in `dev.eng_Latn`, is English.
        texts: the texts.
        asked: the user's word: `True` parallel, `False` not, `None` unknown.

    Raises:
        ComparisonError: they shall be parallel, but are fewer than two, or their lines differ.

    >>> parallel_texts(["de.txt", "en.txt"], [b"Ja.\\nNein.", b"Yes.\\nNo.\\n"])
    ParallelTexts(lines=2, reference=1, is_english=True)
    """
    lines = [text.count(b"\n") + (not text.endswith(b"\n") and bool(text)) for text in texts]
    if asked and len(texts) < 2:
        raise ComparisonError("parallel texts are two or more; give --file for each")
    if asked and len(set(lines)) > 1:
        counts = ", ".join(f"{name} {each:,}" for name, each in zip(names, lines, strict=True))
        raise ComparisonError(f"parallel texts have the same number of lines, and these: {counts}")
    if asked is False or len(texts) < 2 or len(set(lines)) > 1:
        return None
    if lines[0] < LEAST_LINES and not asked:
        return None
    english = [place for place, name in enumerate(names) if _is_english(name)]
    return ParallelTexts(lines[0], english[0] if english else 0, bool(english))


def _is_english(name: str) -> bool:
    """Whether a part of a file's name says that it is English."""
    last = name.replace("\\", "/").rpartition("/")[2]
    words = "".join(letter if letter.isalpha() else " " for letter in last.lower()).split()
    return not ENGLISH.isdisjoint(words)


def premiums_over_english(
    encode: Callable[[str], Sequence[int]], texts: Mapping[str, str], unknown_id: int | None = None
) -> dict[str, float]:
    """Return each text's tokens as multiples of the English one's, the smallest first.

    Args:
        encode: returns the ids of a text.
        texts: language → the same text in it; one is `ENGLISH_NAME`.
        unknown_id: texts with this id are left out, since they are not spelled at all.

    Returns:
        language → premium, without English; empty if English has no tokens or unknown ones.

    >>> texts = {"english": "the lamp", "greek": "η λάμπα"}
    >>> premiums_over_english(lambda text: list(text.encode()), texts)
    {'greek': 1.625}
    """
    ids = {language: encode(text) for language, text in texts.items()}
    counts = {language: len(found) for language, found in ids.items() if unknown_id not in found}
    if not (english := counts.pop(ENGLISH_NAME, 0)):
        return {}
    in_order = sorted(counts, key=counts.__getitem__)
    return {language: counts[language] / english for language in in_order}
