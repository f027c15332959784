"""`Run`: what is recorded of a byte-pair encoding, and what its frames are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import islice

from engine.bpe.heap import HeapWalk
from engine.bpe.record import Record
from engine.bpe.statistics import Statistics, TieHistory
from engine.bpe.vocabulary import RunVocabularies
from engine.core.events import Pair
from engine.encoding.alphabet import ByteAlphabet
from engine.encoding.incremental import TypedText
from engine.encoding.rules import EncodingRules
from engine.encoding.tokenizer import Tokenizer
from engine.recording.merge_frame import MergeRun
from engine.recording.segmentation import Segmenter
from engine.recording.vocabulary import Vocabulary
from engine.text.excerpt import Excerpt
from engine.text.patterns import PatternLike, as_pattern
from engine.text.pretokenize import Pretoken, SpecialSplitter


class Run(MergeRun):
    """The recorded merges of a training, a fork or a replay.

    Args:
        counts: the pretoken counts that were trained on, `Trainer.counts`.
        record: what the steps are written down in.
        pattern, special_tokens: what cuts text that is to be encoded; the special tokens of the
            record unless said otherwise.
        excerpt: the beginning of the corpus, for frames to show.
        splitter: what cuts special tokens out, where there is more to it.

    Attributes:
        alphabet: what a pretoken is spelled in at step 0.
        obstacle: why a tokenizer has no steps to go through, as a clause; `None` if there are some.
        bytes_total: bytes in all pretokens of the corpus, special tokens left out.
        statistics: the whole run in numbers, for charts.
        heap_walk: the lazily deleted heap at any step.
        typed: encodes text that somebody types.
    """

    record: Record
    obstacle: str | None = None

    def __init__(
        self,
        counts: Mapping[bytes, int],
        record: Record,
        *,
        pattern: PatternLike = "gpt2",
        special_tokens: Sequence[str] | None = None,
        excerpt: Excerpt | None = None,
        splitter: SpecialSplitter | None = None,
    ) -> None:
        super().__init__()
        self.counts = counts
        self.record = record
        self.alphabet = record.alphabet
        self.pattern = as_pattern(pattern)
        if special_tokens is None:
            special_tokens = record.special_tokens
        self.splitter = splitter or SpecialSplitter(special_tokens)
        self.excerpt = excerpt or Excerpt((), complete=True)
        self.bytes_total = sum(len(pretoken) * count for pretoken, count in counts.items())
        self.tokens_at_start = self.alphabet.token_count(counts)
        self.table = {}
        self.segmenter = Segmenter(self.alphabet, self.table, record.pair_of, record.rank_of)
        self.heap_walk = HeapWalk(record)
        self.ties = TieHistory(record)
        self.statistics = Statistics(
            record, counts, self.bytes_total, self.tokens_at_start, self.ties
        )
        self.typed = TypedText(self.pattern, self.splitter, self._ids_at)
        self._vocabularies = RunVocabularies(record, counts, self.alphabet)
        self._covered: dict[int, bytes] = {}  # by place, as far as somebody has asked

    def rules_at(self, step: int) -> EncodingRules:
        """All that the encoding of a step follows from."""
        record, size = self.record, self.record.first_id + step
        id_of, tokens = record.ids.id_of, record.vocab[:size]
        return EncodingRules(
            self.alphabet,
            self.table,
            step,
            {id_of(place): token for place, token in enumerate(tokens)},
            record.ids.special_ids,
            self.pattern,
            self.splitter,
            later=record.vocab[size : record.first_id + len(self)],
            covered=self._covered_at(size),
        )

    def _covered_at(self, size: int) -> dict[int, bytes] | None:
        """What the first tokens stand for in a pretoken, where some show more than that."""
        if self.alphabet.marker is None:
            return None
        for place in range(len(self._covered), size):
            token_id = self.record.ids.id_of(place)
            self._covered[token_id] = self.record.covers(token_id)
        return dict(islice(self._covered.items(), size))

    @cached_property
    def highest_pair_count(self) -> int:
        """The count of the most frequent pair at step 0: merges only make rarer ones."""
        return int(self.record.counts.at(0).max(initial=0))

    @cached_property
    def base_ids(self) -> frozenset[int]:
        """The ids of the tokens that pretokens are made of at step 0."""
        return frozenset(self.alphabet.token_ids)

    @cached_property
    def typed_as_text(self) -> TypedText:
        """Like `typed`, where special tokens are ordinary text."""
        return TypedText(self.pattern, self.splitter.only(()), self._ids_at)

    def _ids_at(self, pretoken: Pretoken, step: int) -> tuple[int, ...]:
        special_ids = self.record.ids.special_ids
        if pretoken.special and pretoken.text in special_ids:
            return (special_ids[pretoken.text],)
        return self.segmenter.tokens_at(pretoken.bytes, step)

    def tokenizer_at(self, step: int) -> Tokenizer:
        """The tokenizer that the first `step` merges make."""
        return to_tokenizer(self.record, step, self.pattern)

    def prepare(self) -> None:
        super().prepare()
        if self.record.by_rule:
            self.record.heap.replay(len(self))

    def vocabulary_at(self, step: int, recorded_steps: int) -> Vocabulary:
        return self._vocabularies.at(step, recorded_steps)


def to_tokenizer(record: Record, step: int, pattern: PatternLike) -> Tokenizer:
    """The tokenizer after the first `step` merges; `pattern` cut what was trained on.

    Where the ends of words are marked, its tokens are what decoding gives: `est ` for `est</w>`.

    >>> from engine import Trainer
    >>> trainer = Trainer({b"low": 5}, 7, units="end-of-word")
    >>> tokenizer = to_tokenizer(trainer.record, len(list(trainer.steps())), "whitespace")
    >>> ids = tokenizer.encode("low\\nlaw")
    >>> [tokenizer.vocab[token_id] for token_id in ids], tokenizer.decode(ids)
    ([b'l', b'ow ', b'l', b'<unk>', b'w '], 'low l<unk>w ')
    """
    ids = [record.ids.id_of(place) for place in range(record.first_id + step)]
    merges = [record[index] for index in range(step)]
    if isinstance(record.alphabet, ByteAlphabet):
        return Tokenizer(
            {token_id: record.token(token_id) for token_id in ids},
            [(merge.left, merge.right) for merge in merges],
            record.ids.special_ids,
            pattern,
        )
    # Tokens of characters may share their bytes: `<unk>` and the five characters it is written in.
    # So bytes do not say which tokens a merge joins, and its ids are handed over.
    table: dict[Pair, tuple[int, int]] = {
        merge.pair: (merge.index, merge.new_id) for merge in merges
    }
    vocab = {token_id: record.decoded(token_id) for token_id in ids}
    return Tokenizer(
        vocab,
        [(vocab[left], vocab[right]) for left, right in table],
        record.ids.special_ids,
        pattern,
        alphabet=record.alphabet,
        table=table,
    )
