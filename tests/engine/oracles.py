"""A second implementation of byte-pair encoding: slow, plain, without the engine's code.

The tests hold the engine against this. Everything is recounted from scratch at every step, and
each tie rule is written as its sentence in English reads.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NoReturn

from hypothesis import strategies as st

Pair = tuple[int, int]
Words = list[list[int]]


# --- counting and merging ---------------------------------------------------------------------


def recount(words: Words, word_counts: Sequence[int]) -> dict[Pair, int]:
    """Count each pair of neighbours."""
    found: Counter[Pair] = Counter()
    for word, count in zip(words, word_counts, strict=True):
        for i in range(len(word) - 1):
            found[word[i], word[i + 1]] += count
    return dict(found)


def replace(word: Sequence[int], pair: Pair, new_id: int) -> list[int]:
    """Replace each occurrence of the pair by the new id, from left to right."""
    rest, done = list(word), []
    while rest:
        if tuple(rest[:2]) == pair:
            done.append(new_id)
            del rest[:2]
        else:
            done.append(rest.pop(0))
    return done


def apply_merges(text: bytes, merges: Sequence[tuple[bytes, bytes]], first_id: int) -> list[int]:
    """Encode by the definition: apply every merge, in the order learnt, to the whole sequence."""
    ids = {bytes([byte]): byte for byte in range(256)}
    tokens = list(text)
    for new_id, (left, right) in enumerate(merges, first_id):
        tokens = replace(tokens, (ids[left], ids[right]), new_id)
        ids[left + right] = new_id
    return tokens


def merge_one_by_one(
    text: bytes, merges: Sequence[tuple[bytes, bytes]], first_id: int
) -> list[int]:
    """Encode one merge at a time: of all adjacent pairs the one of least rank, the leftmost."""
    ids = {left + right: number for number, (left, right) in enumerate(merges, first_id)}
    tokens = [bytes([byte]) for byte in text]
    while ranked := [
        (merges.index(pair), place) for place, pair in enumerate(pairwise(tokens)) if pair in merges
    ]:
        place = min(ranked)[1]
        tokens[place : place + 2] = [tokens[place] + tokens[place + 1]]
    return [ids.get(token, token[0]) for token in tokens]


# --- tie rules --------------------------------------------------------------------------------


def gpt2_bytes_to_unicode() -> dict[int, str]:
    """Return the table of GPT-2's `encoder.py`."""
    visible = (
        list(range(ord("!"), ord("~") + 1))
        + list(range(ord("¡"), ord("¬") + 1))
        + list(range(ord("®"), ord("ÿ") + 1))
    )
    table = {byte: chr(byte) for byte in visible}
    shift = 0
    for byte in range(256):
        if byte not in table:
            table[byte] = chr(256 + shift)
            shift += 1
    return table


def greatest_bytes(tied: set[Pair], words: Words, vocab: list[bytes]) -> Pair:
    return max(tied, key=lambda pair: (vocab[pair[0]], vocab[pair[1]]))


def met_first(tied: set[Pair], words: Words, vocab: list[bytes]) -> Pair:
    for word in words:
        for i in range(len(word) - 1):
            if (word[i], word[i + 1]) in tied:
                return word[i], word[i + 1]
    raise AssertionError("a tied pair stands nowhere")


def smallest_ids(tied: set[Pair], words: Words, vocab: list[bytes]) -> Pair:
    return min(tied)


def smallest_ids_in_unicode_order(tied: set[Pair], words: Words, vocab: list[bytes]) -> Pair:
    """Order pairs by ids, with GPT-2's 256 characters for bytes numbered by code point."""
    table = gpt2_bytes_to_unicode()
    alphabet = sorted(table.values())

    def hf_id(token: int) -> int:
        return alphabet.index(table[token]) if token < 256 else token

    return min(tied, key=lambda pair: (hf_id(pair[0]), hf_id(pair[1])))


def shortest_then_smallest(tied: set[Pair], words: Words, vocab: list[bytes]) -> Pair:
    joined = {pair: vocab[pair[0]] + vocab[pair[1]] for pair in tied}
    shortest = min(len(token) for token in joined.values())
    smallest = min(token for token in joined.values() if len(token) == shortest)
    # Two tied pairs never make the same bytes: see `test_no_two_merges_make_the_same_bytes`.
    [pair] = [pair for pair in tied if joined[pair] == smallest]
    return pair


class _Oracles(dict[str, Callable[[set[Pair], Words, list[bytes]], Pair]]):
    def __missing__(self, rule: str) -> NoReturn:
        raise AssertionError(
            f"the tie rule {rule!r} has no oracle; write a function that chooses one of the tied "
            "pairs by that rule, independently of `engine`, and add it to TIE_ORACLES in "
            "tests/engine/oracles.py"
        )


TIE_ORACLES = _Oracles(
    {
        "lexicographic": greatest_bytes,
        "first-seen": met_first,
        "smallest-ids": smallest_ids,
        "huggingface": smallest_ids_in_unicode_order,
        "sentencepiece": shortest_then_smallest,
    }
)
"""Tie rule → a second implementation, which the tests compare with the rule's own."""


# --- training ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class OracleStep:
    """All facts about one merge."""

    pair: Pair
    new_id: int
    count: int
    tied: set[Pair]
    words_before: Words
    words_after: Words
    before: dict[Pair, int]
    after: dict[Pair, int]
    occurrences: int
    pretokens: int

    @property
    def changes(self) -> dict[Pair, tuple[int, int]]:
        """Pair → (count before, count after), for the counts that differ."""
        both = {p: (self.before.get(p, 0), self.after.get(p, 0)) for p in self.before | self.after}
        return {p: (was, now) for p, (was, now) in both.items() if was != now}


@dataclass
class OracleRun:
    """A whole training run: the words at the start, the steps, the vocab at the end."""

    words: Words
    word_counts: list[int]
    vocab: list[bytes]
    steps: list[OracleStep] = field(default_factory=list)

    @property
    def merges(self) -> list[tuple[bytes, bytes]]:
        return [(self.vocab[s.pair[0]], self.vocab[s.pair[1]]) for s in self.steps]


def train(
    corpus: Mapping[bytes, int], tie_rule: str, merges: int, special_tokens: Sequence[str] = ()
) -> OracleRun:
    """Merge the most frequent pair, `merges` times or until no pair is left."""
    vocab = [bytes([byte]) for byte in range(256)] + [t.encode() for t in special_tokens]
    words = [list(pretoken) for pretoken in corpus]
    run = OracleRun(words, list(corpus.values()), vocab)
    before = recount(words, run.word_counts)
    while len(run.steps) < merges and before:
        count = max(before.values())
        tied = {pair for pair in before if before[pair] == count}
        pair = TIE_ORACLES[tie_rule](tied, words, vocab)
        new_id = len(vocab)
        vocab.append(vocab[pair[0]] + vocab[pair[1]])
        merged = [replace(word, pair, new_id) for word in words]
        shrunk = [len(old) - len(new) for old, new in zip(words, merged, strict=True)]
        after = recount(merged, run.word_counts)
        run.steps.append(
            OracleStep(
                pair,
                new_id,
                count,
                tied,
                words,
                merged,
                before,
                after,
                sum(less * n for less, n in zip(shrunk, run.word_counts, strict=True)),
                sum(less > 0 for less in shrunk),
            )
        )
        words, before = merged, after
    return run


def minbpe_merges(chunks: Sequence[bytes], merges: int) -> list[tuple[bytes, bytes]]:
    """Train as minbpe's `RegexTokenizer` does: equal chunks of the text stay separate.

    Python's dicts keep the order of insertion, and `max` keeps the first of equals: so the pair
    met first in the text wins a tie.
    """
    ids = [list(chunk) for chunk in chunks]
    vocab = {byte: bytes([byte]) for byte in range(256)}
    learnt = []
    for i in range(merges):
        stats: dict[Pair, int] = {}
        for chunk_ids in ids:
            for left, right in pairwise(chunk_ids):
                stats[left, right] = stats.get((left, right), 0) + 1
        if not stats:
            break
        pair = max(stats, key=lambda p: stats[p])
        ids = [replace(chunk_ids, pair, 256 + i) for chunk_ids in ids]
        vocab[256 + i] = vocab[pair[0]] + vocab[pair[1]]
        learnt.append((vocab[pair[0]], vocab[pair[1]]))
    return learnt


# --- corpora to try ---------------------------------------------------------------------------


def corpora(max_pretokens: int = 6, max_length: int = 9) -> st.SearchStrategy[dict[bytes, int]]:
    """Generate pretokens of very few letters, with many overlaps and ties."""
    pretoken = st.sampled_from(["a", "ab", "ab ", "abc"]).flatmap(
        lambda letters: st.text(letters, min_size=1, max_size=max_length)
    )
    return st.dictionaries(
        pretoken.map(str.encode), st.integers(1, 5), min_size=1, max_size=max_pretokens
    )
