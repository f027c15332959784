"""More merges for a tokenizer, learnt on a corpus: continued BPE training.

The tokenizer encodes every pretoken. Then the most frequent pair of its *tokens* merges, again and
again. Its tokens keep their ids and its merges their ranks; new ids follow the highest in use. New
merges come last, so they only join tokens that the text had before:

    the tokenizer   l ow er   merges o+w, e+r
    continued       low er    merges o+w, e+r, l+ow

Purason, Chizhov, Yamshchikov and Fishel describe this (arXiv 2512.03989). With the tie rule
`smallest-ids` the merges are those of the package `bpe-continue`.

**A pair may make a token that exists.** Then the token's own bytes are encoded as this pair, so no
text has got that token until now (see `engine.formats.merges_of_ranks`). The token keeps its id. If
a merge of the tokenizer uses it, that merge would apply, too. So such a pair is not learnt.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from engine.bpe.frame import Timeline
from engine.bpe.record import MergeStep
from engine.bpe.replay import GivenMerge, Replay, merges_in_ids, obstacle_to
from engine.bpe.ties import TIE_RULES, FirstSeen, PairKey, TieRule, TieRuleName
from engine.bpe.trainer import StopReason
from engine.bpe.trainers.algorithm import TrainingTask
from engine.bpe.trainers.heap import merges_by_heap
from engine.bpe.trainers.indexed import PairIndex
from engine.core.arguments import checked
from engine.core.errors import VocabSizeError, VocabularyError
from engine.core.events import CountProgress, Pair, WorkProgress
from engine.counting.count import count_corpus
from engine.encoding.alphabet import ByteAlphabet, WholeTokens
from engine.encoding.extension import extended
from engine.encoding.tokenizer import Tokenizer
from engine.recording.training_input import LARGEST_VOCABULARY
from engine.text.corpus import Corpus, separator_of
from engine.text.excerpt import Excerpt

MERGES_A_MOVE = 16
"""Merges between two reports of progress."""


def check_continuable(tokenizer: Tokenizer, merges: int) -> None:
    """Raise an error if no merges can be learnt after those of a tokenizer.

    Args:
        merges: the number of new merges.

    Raises:
        VocabularyError: its merges are not of bytes.
        VocabSizeError: the number is below 1, or makes the vocabulary too large.
    """
    alphabet = tokenizer.alphabet
    inner = alphabet.inner if isinstance(alphabet, WholeTokens) else alphabet
    why = obstacle_to(tokenizer, merges_in_ids(tokenizer))
    if why is None and not isinstance(inner, ByteAlphabet):
        why = (
            "its merges start from characters, and those of a new corpus that it lacks could not "
            "be learnt; nor could a merge of SentencePiece, whose pieces have one score for all "
            "pairs that make them. Train one on both corpora, or add words to the tokenizer as "
            "user-defined symbols, in a folder as added_tokens.json"
        )
    if why is not None:
        raise VocabularyError(f"only a tokenizer that merges bytes can go on: {why}")
    if merges < 1:
        raise VocabSizeError(f"{merges:,} new merges are none; ask for at least 1")
    room = LARGEST_VOCABULARY - max(tokenizer.vocab)
    if merges > room:
        raise VocabSizeError(
            f"there are ids for {room:,} new merges; ask for fewer than {merges:,}"
        )


class ContinuedTask(TrainingTask):
    """A task that starts from the tokens of a tokenizer.

    Attributes:
        ids: the id of the token at each place, ascending; new tokens are added.
    """

    def __init__(
        self, tokenizer: Tokenizer, counts: Mapping[bytes, int], tie_rule: TieRule, min_count: int
    ) -> None:
        vocab, special_ids = tokenizer.vocab, tokenizer.special_ids
        self.ids = sorted(vocab)
        self._tokens = dict(vocab)  # by id
        self._places = {
            vocab[token_id]: place
            for place, token_id in enumerate(self.ids)
            if token_id not in special_ids
        }
        self._used = {vocab[part] for pair in tokenizer.merge_table for part in pair}
        in_order = [vocab[token_id] for token_id in self.ids]
        place_of = {token_id: place for place, token_id in enumerate(self.ids)}.__getitem__
        encode = tokenizer.encoder.encode
        super().__init__(
            counts,
            in_order,
            tie_rule,
            min_count,
            spell=lambda pretoken: list(map(place_of, encode(pretoken))),
        )

    def mergeable(self, pairs: Mapping[Pair, int]) -> Mapping[Pair, int]:
        """Return the pairs that make no token which a merge of the tokenizer uses."""
        vocab, used = self.vocab, self._used
        return {pair: n for pair, n in pairs.items() if vocab[pair[0]] + vocab[pair[1]] not in used}

    def join(self, pair: Pair) -> int:
        """Return the place of the token that the pair makes; if it is new, with the next id."""
        token = self.vocab[pair[0]] + self.vocab[pair[1]]
        if (known := self._places.get(token)) is not None:
            return known
        self.ids.append(self.ids[-1] + 1)
        self._tokens[self.ids[-1]] = token
        place = self._places[token] = super().join(pair)
        return place

    def tie_key(self, first_seen: FirstSeen) -> PairKey:
        """Return the tie rule's key for pairs of places; ids decide where the rule says so."""
        if not self.tie_rule.static:
            return super().tie_key(first_seen)
        key, ids = self.tie_rule.make_key(self._tokens, first_seen), self.ids
        return lambda pair: key((ids[pair[0]], ids[pair[1]]))


class Continuation:
    """A training of more merges, after those of a tokenizer.

    Args:
        tokenizer: merges bytes.
        counts: pretoken → its count, cut by the tokenizer's own splitter and pattern.
        merges: most merges to learn.
        tie_rule: a name in `TIE_RULES`.
        min_count: training stops when every pair is rarer than this.

    Attributes:
        base: the tokenizer.
        merges_wanted: most merges to learn.
        learnt: the merges so far: ((left id, right id), id of the token that they make).
        stop_reason: why it ended; `None` before that.

    Raises:
        VocabularyError, VocabSizeError: see `check_continuable`.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ow", 300: b"<s>"}
    >>> tokenizer = Tokenizer(vocab, [(b"o", b"w")], ["<s>"])
    >>> training = Continuation(tokenizer, {b"low": 5, b"lower": 2}, 2)
    >>> _ = list(training.steps())
    >>> training.learnt
    [((108, 256), 301), ((301, 101), 302)]
    >>> training.tokenizer.encode("lower<s>")
    [302, 114, 300]
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        counts: Mapping[bytes, int],
        merges: int,
        *,
        tie_rule: str = "lexicographic",
        min_count: int = 1,
    ) -> None:
        check_continuable(tokenizer, merges)
        self.base, self.merges_wanted = tokenizer, merges
        self.tie_rule, self.min_count = TIE_RULES[tie_rule], max(1, min_count)
        self.learnt: list[GivenMerge] = []
        self.stop_reason: StopReason | None = None
        self._counts = counts

    def steps(self) -> Iterator[WorkProgress]:
        """Learn the merges; yield the progress now and then. Call this only once."""
        task = ContinuedTask(self.base, self._counts, self.tie_rule, self.min_count)
        index, ids = PairIndex(task), task.ids
        for report in islice(merges_by_heap(task, index), self.merges_wanted):
            left, right = task.pairs[report.number]
            made = task.join((left, right))  # it exists by now
            self.learnt.append(((ids[left], ids[right]), ids[made]))
            if not len(self.learnt) % MERGES_A_MOVE:
                yield WorkProgress("learning merges", len(self.learnt), self.merges_wanted)
        if len(self.learnt) == self.merges_wanted:
            self.stop_reason = StopReason.CONTINUED
        else:
            self.stop_reason = StopReason.TOO_RARE if index.counts else StopReason.NO_PAIR_LEFT

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer with the merges learnt so far."""
        return extended(self.base, self.learnt)


class Learnt:
    """An event: all new merges are learnt, and the replay begins."""


class ContinuedReplay:
    """A replay of a tokenizer's merges, then of those that are learnt after them.

    Args:
        training: the training of the new merges, before its first step.
        counts: the pretoken counts that it learns from.
        excerpt: the beginning of the corpus.

    Attributes:
        merges_wanted: number of all merges.
        timeline: the timeline; it exists once `steps()` has yielded `Learnt`.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ow"}
    >>> counts = {b"low": 5}
    >>> training = Continuation(Tokenizer(vocab, [(b"o", b"w")]), counts, 1)
    >>> replay = ContinuedReplay(training, counts)
    >>> [step.token for step in replay.steps() if isinstance(step, MergeStep)]
    [b'ow', b'low']
    >>> replay.timeline.frame.phase_starts
    (PhaseStart(step=1, label='new merges'),)
    """

    timeline: Timeline

    def __init__(
        self, training: Continuation, counts: Mapping[bytes, int], excerpt: Excerpt | None = None
    ) -> None:
        self._training, self._counts, self._excerpt = training, counts, excerpt
        self.merges_wanted = len(training.base.merge_table) + training.merges_wanted

    @property
    def stop_reason(self) -> StopReason | None:
        """The reason why the training ended; `None` before that."""
        return self._training.stop_reason

    @property
    def learnt(self) -> Sequence[GivenMerge]:
        """The new merges: ((left id, right id), id of the token that they make)."""
        return self._training.learnt

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer with the new merges."""
        return self._training.tokenizer

    def steps(self) -> Iterator[WorkProgress | Learnt | MergeStep]:
        """Yield the progress of the training, `Learnt`, then all merges; call this only once."""
        training = self._training
        yield from training.steps()
        replay = Replay(
            training.tokenizer,
            self._counts,
            self._excerpt,
            tie_rule=training.tie_rule.name,
            continued=training.base,
            learnt=len(training.learnt),
        )
        self.timeline = replay.timeline
        self.timeline.record.min_count = training.min_count
        yield Learnt()
        yield from replay.steps()


@checked
def continue_bpe(
    tokenizer: Tokenizer,
    input_path: str | os.PathLike[str],
    merges: int,
    *,
    tie_rule: TieRuleName = "lexicographic",
    min_count: int = 1,
    workers: int | None = None,
    on_progress: Callable[[CountProgress | WorkProgress], None] | None = None,
) -> Tokenizer:
    """Learn more merges on a text file, after those of a tokenizer that merges bytes.

    All tokens keep their ids, special ones, too. The stages of a `tokenizer.json` stay.

    Args:
        tokenizer: trained here or opened; it does not change.
        input_path: a text file, gzipped if it ends in `.gz`; `-` for standard input.
        merges: most merges to learn.
        tie_rule: a name in `TIE_RULES`.
        min_count: training stops when every pair of tokens is rarer than this.
        workers: number of workers that count pretokens.
        on_progress: gets the progress of counting, then of learning. An exception stops the work.

    Returns:
        the tokenizer with its own merges and the new ones.

    Raises:
        BpeError: one of its subclasses, for an unreadable file or an invalid argument.
    """
    check_continuable(tokenizer, merges)
    special_tokens = tokenizer.special_tokens
    counted = count_corpus(
        Corpus(input_path, separator=separator_of(special_tokens)),
        tokenizer.pattern,
        special_tokens,
        workers,
        on_progress,
        splitter=tokenizer.rules.splitter,
    )
    training = Continuation(
        tokenizer, counted.counts, merges, tie_rule=tie_rule, min_count=min_count
    )
    for progress in training.steps():
        if on_progress is not None:
            on_progress(progress)
    return training.tokenizer
