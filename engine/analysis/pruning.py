"""Pruning: take tokens that a corpus hardly uses out of a tokenizer.

A *leaf* is a token that a merge makes and that no other merge uses, so it can go without any other
token. One leaf goes at a time: the rarest, of equally rare ones the youngest. Its occurrences are
encoded again without it, which corrects all counts, and its parts may be leaves now. It ends when
every leaf occurs often enough. Bytes, characters, added tokens and those of a template stay.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import chain
from pathlib import Path

from engine.core.errors import VocabularyError
from engine.core.events import Pair
from engine.encoding.alphabet import Alphabet, ByteAlphabet, MissingMerges, WholeTokens
from engine.encoding.encoders import RankHeap
from engine.encoding.tokenizer import Tokenizer
from engine.pipeline.conversion import pipeline_of, tokenizer_of
from engine.pipeline.models import BPE
from engine.pipeline.pipeline import Pipeline

DEFAULT_BELOW = 3


@dataclass(frozen=True)
class PrunedToken:
    """A token that was taken out, and its number of occurrences at that moment."""

    token_id: int
    token: bytes
    count: int


@dataclass(frozen=True)
class PrunedTokenizer:
    """A tokenizer without rare leaves, and what that costs.

    Attributes:
        tokenizer: the tokenizer that is left.
        removed: the tokens that went, in this order.
        new_ids: old id → new id, of each token that is left. The rows of an embedding to keep are
            those of its keys.
        tokens_before, tokens_after: the number of tokens of the corpus, special tokens left out.
        bytes: the number of bytes of these tokens.
    """

    tokenizer: Tokenizer
    removed: tuple[PrunedToken, ...]
    new_ids: Mapping[int, int]
    tokens_before: int
    tokens_after: int
    bytes: int


def prune(
    tokenizer: Tokenizer,
    counts: Mapping[bytes, int],
    below: int = DEFAULT_BELOW,
    *,
    keep_ids: bool = False,
) -> PrunedTokenizer:
    """Take out the tokens that no other merge uses and that are rare in a corpus.

    Args:
        tokenizer: BPE; it is not changed.
        counts: the pretokens of the corpus, as this tokenizer cuts them.
        below: a leaf that occurs less often goes.
        keep_ids: whether the tokens that are left keep their ids, with gaps between. By default
            they are numbered from 0, in the same order.

    Raises:
        VocabularyError: the tokenizer merges nothing, or is a SentencePiece model.
        TokenizerFileError: no `tokenizer.json` can express it.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab", 257: b"abc", 258: b"bc"}
    >>> merges = [(b"a", b"b"), (b"ab", b"c"), (b"b", b"c")]
    >>> found = prune(Tokenizer(vocab, merges), {b"ab": 5, b"abc": 2})
    >>> [(gone.token, gone.count) for gone in found.removed]
    [(b'bc', 0), (b'abc', 2)]
    >>> found.tokens_before, found.tokens_after, found.tokenizer.encode("abc")
    (7, 9, [256, 99])
    """
    check_prunable(tokenizer)
    pipeline = _pipeline_of(tokenizer)
    if pipeline is not None and pipeline is not tokenizer.pipeline:
        tokenizer = tokenizer_of(pipeline)
    leaves = _Leaves(tokenizer, counts, _protected(tokenizer))
    before = leaves.tokens
    removed = tuple(leaves.removed(below))
    gone = {each.token_id for each in removed}
    kept = [token_id for token_id in sorted(tokenizer.vocab) if token_id not in gone]
    new_ids = dict(zip(kept, kept if keep_ids else range(len(kept)), strict=True))
    if pipeline is not None:
        left = tokenizer_of(pipeline.with_ids(new_ids))
    else:
        left = _with_ids(tokenizer, new_ids)
    size = sum(len(pretoken) * count for pretoken, count in counts.items())
    return PrunedTokenizer(left, removed, new_ids, before, leaves.tokens, size)


def check_prunable(tokenizer: Tokenizer) -> None:
    """Raise `VocabularyError` if a tokenizer has no merges to take out."""
    alphabet, pipeline = tokenizer.alphabet, tokenizer.pipeline
    if isinstance(alphabet, MissingMerges):
        raise VocabularyError(f"{alphabet.refusal}, so nothing can be pruned")
    if isinstance(pipeline, Pipeline) and not isinstance(pipeline.model, BPE):
        why = "is written in no format" if pipeline.merges else "merges nothing"
        raise VocabularyError(
            f"pruning takes out tokens that merges make, and this model, {pipeline.model.name}, "
            f"{why}; prune a BPE tokenizer"
        )


def _pipeline_of(tokenizer: Tokenizer) -> Pipeline | None:
    """Return the stages of a tokenizer, if its bytes and merges alone do not describe it."""
    if isinstance(tokenizer.pipeline, Pipeline):
        return tokenizer.pipeline
    alphabet = tokenizer.alphabet
    inner = alphabet.inner if isinstance(alphabet, WholeTokens) else alphabet
    return None if isinstance(inner, ByteAlphabet) else pipeline_of(tokenizer, Path("pruning"))


def _protected(tokenizer: Tokenizer) -> set[int]:
    """Return the ids of tokens that stay, whatever their counts."""
    alphabet = tokenizer.alphabet
    inner = alphabet.inner if isinstance(alphabet, WholeTokens) else alphabet
    stays = {*inner.token_ids, *tokenizer.special_ids}
    if isinstance(tokenizer.pipeline, Pipeline) and (stage := tokenizer.pipeline.post_processor):
        parts = chain(stage.template(1), stage.template(2))
        stays.update(chain.from_iterable(part.ids for part in parts))
    return stays


class _Leaves:
    """The leaves of a tokenizer with their counts in a corpus, while leaves are taken out.

    Attributes:
        tokens: the number of tokens of the corpus now.
    """

    def __init__(
        self, tokenizer: Tokenizer, counts: Mapping[bytes, int], protected: set[int]
    ) -> None:
        self._vocab = tokenizer.vocab
        self._table = dict(tokenizer.merge_table.items())
        self._whole: dict[bytes, int] = {}
        self.tokens = 0
        alphabet: Alphabet = tokenizer.alphabet
        if isinstance(alphabet, WholeTokens):
            self._whole = dict(alphabet.whole)
            alphabet = WholeTokens(alphabet.inner, self._whole)
        # Both change while tokens go, and the encoder reads them at each call.
        self._encoder = RankHeap(alphabet, self._table)
        self._whole_of = {made: token for token, made in self._whole.items()}
        self._pairs_of = defaultdict[int, list[Pair]](list)
        self._uses = Counter[int]()
        self._age = dict.fromkeys(self._whole_of, 0)
        for pair, (rank, made) in self._table.items():
            self._pairs_of[made].append(pair)
            self._uses.update(pair)
            self._age[made] = rank
        self._may_go = self._age.keys() - protected
        self._pretokens = list(counts)
        self._times = list(counts.values())
        self._encoded = list(map(tokenizer.encoder.encode, self._pretokens))
        self._counts = Counter[int]()
        self._holders = defaultdict[int, set[int]](set)
        for place in range(len(self._pretokens)):
            self._add(place, self._times[place])

    def removed(self, below: int) -> Iterator[PrunedToken]:
        """Take out rare leaves one by one, and yield each."""
        waiting = [self._entry(token_id) for token_id in self._may_go if not self._uses[token_id]]
        heapify(waiting)
        while waiting and waiting[0][0] < below:
            entry = heappop(waiting)
            count, _, token_id = entry
            if token_id not in self._may_go or entry != self._entry(token_id):
                continue  # it has gone, or its count is another now
            yield PrunedToken(token_id, self._vocab[token_id], count)
            for changed in self._take_out(token_id):
                if changed in self._may_go and not self._uses[changed]:
                    heappush(waiting, self._entry(changed))

    def _entry(self, token_id: int) -> tuple[int, int, int]:
        """Return the place of a leaf in the queue: the rarest first, then the youngest."""
        return self._counts[token_id], -self._age[token_id], token_id

    def _take_out(self, token_id: int) -> set[int]:
        """Take a leaf out; return the tokens that it used or whose counts have changed."""
        self._may_go.remove(token_id)
        self._whole.pop(self._whole_of.get(token_id, b""), None)
        changed: set[int] = set()
        for pair in self._pairs_of[token_id]:
            del self._table[pair]
            self._uses.subtract(pair)
            changed.update(pair)
        for place in self._holders.pop(token_id, ()):
            changed.update(self._encoded[place])
            self._add(place, -self._times[place])
            self._encoded[place] = self._encoder.encode(self._pretokens[place])
            changed.update(self._encoded[place])
            self._add(place, self._times[place])
        return changed

    def _add(self, place: int, times: int) -> None:
        """Count the tokens of a pretoken, or take them off if `times` is negative."""
        self.tokens += len(self._encoded[place]) * times
        for token_id in self._encoded[place]:
            self._counts[token_id] += times
            self._holders[token_id].add(place)


def _with_ids(tokenizer: Tokenizer, new_ids: Mapping[int, int]) -> Tokenizer:
    """Return a tokenizer on bytes with the tokens in `new_ids` only, under their new ids."""
    merges = [each for each in tokenizer.merge_table.items() if each[1][1] in new_ids]
    ranks = {old: new for new, old in enumerate(sorted({rank for _, (rank, _) in merges}))}
    table = {
        (new_ids[left], new_ids[right]): (ranks[rank], new_ids[made])
        for (left, right), (rank, made) in merges
    }
    return Tokenizer(
        {new: tokenizer.vocab[old] for old, new in new_ids.items()},
        None,
        {token: new_ids[old] for token, old in tokenizer.rules.special_ids.items()},
        tokenizer.pattern,
        alphabet=_numbered(tokenizer.alphabet, new_ids),
        table=table,
    )


def _numbered(alphabet: Alphabet, new_ids: Mapping[int, int]) -> Alphabet:
    if isinstance(alphabet, WholeTokens):
        left = {token: new_ids[old] for token, old in alphabet.whole.items() if old in new_ids}
        return WholeTokens(_numbered(alphabet.inner, new_ids), left)
    return ByteAlphabet([new_ids[old] for old in alphabet.token_ids])
