"""`Trainer`: pretoken counts in, merges out, one step at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from functools import partial
from itertools import islice
from typing import NamedTuple

from engine.bpe.record import MergeStep, Record
from engine.bpe.ties import TIE_RULES, TieRuleName
from engine.bpe.trainers import DEFAULT_TRAINER, algorithm_for
from engine.bpe.trainers.algorithm import IN_BYTES, TrainerName
from engine.core.arguments import check_whole, check_workers, checked
from engine.core.errors import ArgumentError, TokenLengthError, VocabSizeError
from engine.core.events import CountProgress
from engine.counting.count import count_corpus
from engine.encoding.alphabet import BYTES, DEFAULT_UNITS, UNITS, BaseVocabulary, UnitsName
from engine.recording.training_input import check_counts, check_size
from engine.text.corpus import Corpus, separator_of
from engine.text.patterns import Pattern, PatternLike, as_pattern
from engine.text.pretokenize import check_special_tokens, to_bytes

LEAST_MAX_TOKEN_LENGTH = 2


class StopReason(Enum):
    """The reason why training ended; the value describes it."""

    SIZE_REACHED = "the vocabulary has the size asked for"
    NO_PAIR_LEFT = "no pair is left: every pretoken is one token"
    TOO_RARE = "no pair left is frequent enough"
    TOO_LONG = "every pair left would make too long a token"
    REPLAYED = "all merges of the tokenizer are made"
    CONTINUED = "all merges that were asked for are learnt"


class TrainProgress(NamedTuple):
    """Progress of a training.

    Attributes:
        merges: number of merges learnt.
        merges_wanted: number of merges at the end, unless the pairs run out before.
    """

    merges: int
    merges_wanted: int


def base_vocab(special_tokens: Sequence[str]) -> list[bytes]:
    """Return the vocab of bytes before the first merge: all 256, then the special tokens in order.

    >>> base_vocab(["<s>"])[255:]
    [b'\\xff', b'<s>']
    """
    return [*UNITS[DEFAULT_UNITS].base({}).tokens, *map(to_bytes, special_tokens)]


def check_vocab_size(
    vocab_size: int, special_tokens: Sequence[str], base: BaseVocabulary | None = None
) -> None:
    """Raise `VocabSizeError` if the base, by default bytes, and special tokens do not fit."""
    check_size(vocab_size)
    base = base or UNITS[DEFAULT_UNITS].base({})
    least = len(base.tokens) + len(special_tokens)
    if vocab_size < least:
        ending = "" if len(special_tokens) == 1 else "s"
        raise VocabSizeError(
            f"a vocabulary of {vocab_size} is too small; {base.contents} and "
            f"{len(special_tokens)} special token{ending} need at least {least}"
        )


def check_max_token_length(length: int | None) -> None:
    """Raise `TokenLengthError` if the limit forbids tokens of two bytes."""
    if length is not None and length < LEAST_MAX_TOKEN_LENGTH:
        raise TokenLengthError(
            f"tokens of at most {length} byte{'' if length == 1 else 's'} leave nothing to merge; "
            f"give {LEAST_MAX_TOKEN_LENGTH} or more"
        )


def one_name(algorithm: TrainerName, other: TrainerName | None) -> TrainerName:
    """Return the name of an algorithm, which is given by one of two arguments.

    Raises:
        ArgumentError: both are given, and differ.
    """
    if other is None:
        return algorithm
    if algorithm not in (DEFAULT_TRAINER, other):
        raise ArgumentError(
            f"algorithm and trainer mean the same, and are {algorithm!r} and {other!r}; give one"
        )
    return other


class Trainer:
    """One training run.

    Args:
        counts: pretoken → its count, in order of first appearance (only `first-seen` ties depend
            on that order). Pretokens with count 0 are left out.
        vocab_size: most tokens: bytes (or other `units`) + special tokens + merges.
        special_tokens: get the ids after the units: from 256 on if these are bytes.
        tie_rule: a name in `TIE_RULES`.
        algorithm: a name in `TRAINERS`; all find the same merges. The attribute `algorithm` is the
            one that runs: `native` and `fast` cannot do `first-seen` ties and characters, and
            `heap` replaces them.
        min_count: training stops when every pair is rarer than this.
        max_token_length: most bytes of a token (2 or more); a pair never merges if its token would
            be longer.
        units: the tokens that merges start from, a name in `UNITS`.
        most_words: most words of a token (1 or more), as `is_wordy` counts them; `None` for no
            limit.
        trainer: another name of `algorithm`, as `train_bpe` calls it.
        pattern: the pattern that made the counts: with it a tokenizer of this run cuts text.

    Attributes:
        counts: the counts trained on, without zeros and without pretokens that `units` leaves out.
        contents: the tokens before special tokens and merges, in words: `256 bytes`.
        merges_wanted: number of merges until the vocabulary has its size.
        work: the work of the algorithm so far.

    >>> [step.token for step in Trainer({b"aaab": 5, b"ab": 1}, 258).steps()]
    [b'aa', b'ab']
    >>> [step.token for step in Trainer({b"low": 5}, 7, units="end-of-word").steps()]
    [b'w</w>', b'ow</w>']
    """

    @checked
    def __init__(
        self,
        counts: Mapping[bytes, int],
        vocab_size: int,
        special_tokens: Sequence[str] = (),
        *,
        tie_rule: TieRuleName = "lexicographic",
        algorithm: TrainerName = DEFAULT_TRAINER,
        min_count: int = 1,
        max_token_length: int | None = None,
        units: UnitsName = DEFAULT_UNITS,
        most_words: int | None = None,
        trainer: TrainerName | None = None,
        pattern: PatternLike = "gpt2",
    ) -> None:
        algorithm = one_name(algorithm, trainer)
        check_special_tokens(special_tokens)
        check_whole(min_count=min_count, max_token_length=max_token_length)
        check_whole(1, most_words=most_words)
        check_max_token_length(max_token_length)
        rule = TIE_RULES[tie_rule]
        present = dict(counts)  # ten times faster than a comprehension
        if not all(present.values()):
            present = {pretoken: count for pretoken, count in counts.items() if count}
        check_counts(present)
        base = UNITS[units].base(present)
        check_vocab_size(vocab_size, special_tokens, base)
        self.algorithm = algorithm_for(algorithm, rule, base.alphabet, base.counts)
        self.counts, self.contents = base.counts, base.contents
        self._task = self.algorithm.task_type(
            base.counts,
            [*base.tokens, *map(to_bytes, special_tokens)],
            rule,
            max(1, min_count),
            max_token_length=max_token_length,
            spell=IN_BYTES if base.alphabet is BYTES else base.alphabet.spell,
            most_words=most_words,
        )
        self.vocab_size = vocab_size
        self.record = Record(
            self._task.vocab,
            special_tokens,
            rule,
            self._task.pairs,
            self._task.start,
            alphabet=base.alphabet,
            units=UNITS[units],
            min_count=max(1, min_count),
            pattern=as_pattern(pattern),
        )
        self.merges_wanted = vocab_size - self.record.first_id
        self.work = self._task.work
        self.stop_reason: StopReason | None = None

    def __repr__(self) -> str:
        """Describe the training: `Trainer(fast, lexicographic ties, 12 of 40 merges)`."""
        done = f"{len(self.record):,} of {self.merges_wanted:,} merges"
        return f"Trainer({self.algorithm.name}, {self._task.tie_rule.name} ties, {done})"

    def steps(self) -> Iterator[MergeStep]:
        """Yield the merges, best first. Stop pulling to stop; call this only once."""
        yield from self._first_steps(self.merges_wanted)
        self.stop_reason = self._why_stopped(self.counts)

    def _first_steps(self, wanted: int) -> Iterator[MergeStep]:
        """Return the first merges, made as they are pulled."""
        self._task.wanted = wanted
        return islice(self.record.append_all(self.algorithm.run(self._task)), wanted)

    def _why_stopped(self, counts: Mapping[bytes, int]) -> StopReason:
        """Return why there is no further merge; `counts` are those of the last steps."""
        merges, record = len(self.record), self.record
        if merges == self.merges_wanted:
            return StopReason.SIZE_REACHED
        if record.part_of(merges).counts.at(merges).any():
            return StopReason.TOO_RARE
        tokens = record.alphabet.token_count(self.counts) - record.removed[merges]
        whole = sum(count for pretoken, count in counts.items() if pretoken)
        return StopReason.NO_PAIR_LEFT if tokens == whole else StopReason.TOO_LONG

    @property
    def vocab(self) -> dict[int, bytes]:
        """id → bytes, of all tokens learnt so far."""
        return dict(enumerate(self._task.vocab[: self.record.first_id + len(self.record)]))

    @property
    def merges(self) -> list[tuple[bytes, bytes]]:
        """(left bytes, right bytes) of each merge so far, in order."""
        vocab = self._task.vocab
        pairs = self.record.first_pairs(len(self.record))
        return [(vocab[left], vocab[right]) for left, right in pairs]


@checked
def train_bpe(
    input_path: str | os.PathLike[str],
    vocab_size: int,
    special_tokens: Sequence[str] | None = None,
    pattern: str | Pattern = "gpt2",
    tie_rule: TieRuleName = "lexicographic",
    trainer: TrainerName = DEFAULT_TRAINER,
    workers: int | None = None,
    on_progress: Callable[[CountProgress | TrainProgress], None] | None = None,
    on_step: Callable[[MergeStep], None] | None = None,
    min_count: int = 1,
    max_token_length: int | None = None,
    units: UnitsName = DEFAULT_UNITS,
    specials_first: bool = False,
    algorithm: TrainerName | None = None,
) -> tuple[dict[int, bytes], list[tuple[bytes, bytes]]]:
    """Train a byte-level BPE; the signature and result of Stanford CS336, assignment 1.

    Args:
        input_path: a text file, gzipped if it ends in `.gz`; `-` for standard input.
        vocab_size: most tokens: bytes + special tokens + merges.
        special_tokens: cut out of the text first; with bytes as units they get the ids from 256 on.
            `None` is none.
        pattern: a name in `PATTERNS`, or a regex, typed or compiled.
        tie_rule, trainer: names in `TIE_RULES` and `TRAINERS`.
        workers: number of workers that count pretokens.
        on_progress: gets `CountProgress` while counting and `TrainProgress` while merging.
        on_step: gets each `MergeStep`. An exception from a callback stops the work. For a timeline
            of the same training pull `Trainer.steps()`, and give the trainer to `Timeline`.
        min_count, max_token_length, units: as in `Trainer`.
        specials_first: whether special tokens get the ids from 0 on, and bytes those after them.
        algorithm: another name of `trainer`, as `Trainer` calls it.

    Returns:
        vocab: id → bytes; merges: (left bytes, right bytes) in the order learnt.

    Raises:
        BpeError: one of its subclasses, for an unreadable file or an invalid argument.
    """
    special_tokens = check_special_tokens(() if special_tokens is None else special_tokens)
    check_workers(workers)
    start = partial(
        Trainer,
        vocab_size=vocab_size,
        special_tokens=special_tokens,
        tie_rule=tie_rule,
        algorithm=one_name(trainer, algorithm),
        min_count=min_count,
        max_token_length=max_token_length,
        units=units,
    )
    start({})  # checks all arguments before the counting, which may take an hour
    corpus = Corpus(input_path, separator=separator_of(special_tokens))
    trained = start(count_corpus(corpus, pattern, special_tokens, workers, on_progress).counts)
    for step in trained.steps():
        if on_step is not None:
            on_step(step)
        if on_progress is not None:
            on_progress(TrainProgress(step.index + 1, trained.merges_wanted))
    vocab = with_specials_first(trained.record) if specials_first else trained.vocab
    return vocab, trained.merges


def with_specials_first(record: Record) -> dict[int, bytes]:
    """Return the vocabulary in which special tokens have the ids from 0 on.

    Units and merged tokens follow in their order. Some courses and libraries number so.

    >>> vocab = with_specials_first(Trainer({b"ab": 1}, 258, ["<s>"]).record)
    >>> vocab[0], vocab[1 + ord("a")], len(vocab)
    (b'<s>', b'a', 257)
    """
    special = [record.token(token_id) for token_id in sorted(record.ids.specials)]
    first = record.first_id - len(special)
    others = (*record.vocab[:first], *record.vocab[record.first_id :])
    return dict(enumerate((*special, *others)))
