"""`Timeline`: the recorded steps with a cursor. Nothing is trained anew to go back or jump."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import islice

from engine.alphabets import Alphabet
from engine.bpe.frame import Frame
from engine.bpe.heap_walk import HeapWalk
from engine.bpe.record import MergeStep, Record
from engine.bpe.statistics import Statistics, TieHistory
from engine.bpe.trainer import Trainer
from engine.bpe.training import learnt_tokenizer
from engine.bpe.vocabulary import RunVocabularies
from engine.encoding.rules import EncodingRules
from engine.encoding.tokenizer import Tokenizer
from engine.encoding.typed_text import TypedText
from engine.recording.merge_timeline import MergeTimeline
from engine.recording.segmentation import Segmenter
from engine.recording.vocabulary.vocabulary import Vocabulary
from engine.text.excerpt import Excerpt
from engine.text.patterns import Pattern, as_pattern
from engine.text.pretokenize import Pretoken, SpecialSplitter


class Timeline(MergeTimeline[Frame]):
    """The steps of a run and a place among them.

    Step k is the state after the first k merges: step 0 is the corpus in single bytes, or in what
    else the run starts from. Steps may
    be added at the end at any time; the cursor stays where it is.

    Attributes:
        came_from: where the cursor was before it last moved.
        obstacle: why a tokenizer has no steps to go through, as a clause; `None` if there are some.

    Args:
        counts: the pretoken counts that were trained on, `Trainer.counts`.
        steps: the steps recorded so far, all of one run, from the first.
        record: the run's record, needed only if there are no steps yet.
        pattern, special_tokens: what cuts text that is to be encoded; the special tokens of the
            record unless said otherwise.
        splitter: what cuts special tokens out, where there is more to it.
        excerpt: the beginning of the corpus, for frames to show.
        alphabet: what a pretoken is spelled in at step 0, by default the record's.
    """

    record: Record
    obstacle: str | None = None

    def __init__(
        self,
        counts: Mapping[bytes, int],
        steps: Iterable[MergeStep] = (),
        *,
        record: Record | None = None,
        pattern: str | Pattern = "gpt2",
        special_tokens: Sequence[str] | None = None,
        excerpt: Excerpt | None = None,
        alphabet: Alphabet | None = None,
        splitter: SpecialSplitter | None = None,
    ) -> None:
        super().__init__()
        steps = list(steps)
        self.counts = counts
        self.record = _record_of(steps, record, counts)
        self.alphabet = alphabet or self.record.alphabet
        self.pattern = as_pattern(pattern)
        if special_tokens is None:
            special_tokens = self.record.special_tokens
        self.splitter = splitter or SpecialSplitter(special_tokens)
        self.excerpt = excerpt or Excerpt((), complete=True)
        self.bytes_total = sum(len(pretoken) * count for pretoken, count in counts.items())
        self.tokens_at_start = self.alphabet.token_count(counts)
        self.table = {}
        self.segmenter = Segmenter(
            self.alphabet, self.table, self.record.pair_of, self.record.rank_of
        )
        self.heap_walk = HeapWalk(self.record)
        self.ties = TieHistory(self.record)
        self.statistics = Statistics(
            self.record, counts, self.bytes_total, self.tokens_at_start, self.ties
        )
        self.typed = TypedText(self.pattern, self.splitter, self._ids_at)
        self._vocabularies = RunVocabularies(self.record, counts, self.alphabet)
        self._covered: dict[int, bytes] = {}  # by place, as far as somebody has asked
        self._moves_done = 0
        self.extend(steps)

    def _frame_at(self, step: int) -> Frame:
        return Frame(self, step, self._length, self._moves_done)

    def seek(self, step: int) -> Frame:
        if self._moves_done and 0 <= step <= self._length:
            # Between two steps, so that even the step at the cursor is a way to go.
            self.came_from = self._cursor
            self._moves_done = 0
            self._frame = None
        return super().seek(step)

    def sub_step(self) -> Frame:
        """Make one move of the next merge in the heap; after the last, the merge itself."""
        moves = len(self.frame.queue.moves())
        if self._moves_done + 1 >= moves:
            return self.forward()
        self._moves_done += 1
        self._frame = None
        return self.frame

    # -- what frames are made of

    def rules_at(self, step: int) -> EncodingRules:
        """All that the encoding of a step follows from."""
        record, size = self.record, self.record.first_id + step
        return EncodingRules(
            self.alphabet,
            self.table,
            step,
            self._vocab_at(step),
            record.ids.special_ids,
            self.pattern,
            self.splitter,
            later=record.vocab[size : record.first_id + self._length],
            covered=self._covered_at(step),
        )

    def _covered_at(self, step: int) -> dict[int, bytes] | None:
        """What tokens stand for in a pretoken, where some of them show more than that."""
        if self.alphabet.marker is None:
            return None
        size = self.record.first_id + step
        for place in range(len(self._covered), size):
            token_id = self.record.ids.id_of(place)
            self._covered[token_id] = self.record.covers(token_id)
        return dict(islice(self._covered.items(), size))

    @cached_property
    def base_ids(self) -> frozenset[int]:
        """The ids of the tokens that pretokens are made of at step 0."""
        return frozenset(self.alphabet.token_ids)

    @cached_property
    def typed_as_text(self) -> TypedText:
        """Like `typed`, where special tokens are ordinary text."""
        return TypedText(self.pattern, self.splitter.only(()), self._ids_at)

    def tokenizer_at(self, step: int) -> Tokenizer:
        """The tokenizer that the first `step` merges make."""
        return learnt_tokenizer(self.record, step, self.pattern)

    def vocabulary_at(self, step: int, recorded_steps: int) -> Vocabulary:
        return self._vocabularies.at(step, recorded_steps)

    def _vocab_at(self, step: int) -> dict[int, bytes]:
        id_of, tokens = self.record.ids.id_of, self.record.vocab[: self.record.first_id + step]
        return {id_of(place): token for place, token in enumerate(tokens)}

    def _ids_at(self, pretoken: Pretoken, step: int) -> tuple[int, ...]:
        special_ids = self.record.ids.special_ids
        if pretoken.special and pretoken.text in special_ids:
            return (special_ids[pretoken.text],)
        return self.segmenter.tokens_at(pretoken.bytes, step)


def _record_of(
    steps: Sequence[MergeStep], record: Record | None, counts: Mapping[bytes, int]
) -> Record:
    if steps:
        return steps[0].record
    # A record without steps is false, as anything empty is.
    return Trainer(counts, 256).record if record is None else record
