"""What a trainer was asked to do: the corpus and the rule that its merges are held against."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from engine.analysis.check.steps_file import ClaimedStep
from engine.bpe.ties import TIE_RULES, TieRule
from engine.bpe.trainer import base_vocab, check_vocab_size
from engine.bpe.trainers import DEFAULT_TRAINER, algorithm_for
from engine.bpe.trainers.problem import Algorithm, Problem
from engine.counting.count import count_text
from engine.text.corpus import Corpus, separator_of
from engine.text.patterns import PATTERNS, Pattern, PatternLike, as_pattern
from engine.text.pretokenize import SpecialSplitter, check_special_tokens


@dataclass(frozen=True)
class Assignment:
    """A corpus and how to train on it.

    Attributes:
        read: gives the text of the corpus; called once, and only when somebody wants the text.
        special_tokens, pattern, tie_rule: the rule.
        vocab_size: bytes + special tokens + merges; `None` if nobody says.
        known_counts: the pretoken counts, where somebody has them already.
    """

    read: Callable[[], bytes]
    special_tokens: tuple[str, ...] = ()
    pattern: Pattern = PATTERNS["gpt2"]
    tie_rule: TieRule = TIE_RULES["lexicographic"]
    vocab_size: int | None = None
    known_counts: Mapping[bytes, int] | None = None

    @classmethod
    def of_file(
        cls,
        corpus: Corpus | str | os.PathLike[str],
        special_tokens: Sequence[str] = (),
        pattern: PatternLike = "gpt2",
        tie_rule: str = "lexicographic",
        vocab_size: int | None = None,
        known_counts: Mapping[bytes, int] | None = None,
    ) -> Assignment:
        """The assignment to train on a corpus, opened or named, as `train_bpe` takes it.

        Raises:
            BpeError: one of its subclasses, for a file or an argument that will not do.
        """
        specials = check_special_tokens(special_tokens)
        if vocab_size is not None:
            check_vocab_size(vocab_size, specials)
        if not isinstance(corpus, Corpus):
            corpus = Corpus(corpus, separator=separator_of(specials))
        opened = corpus
        return cls(
            lambda: _whole_text(opened),
            specials,
            as_pattern(pattern),
            TIE_RULES[tie_rule],
            vocab_size,
            known_counts,
        )

    @cached_property
    def text(self) -> bytes:
        """The whole corpus."""
        return self.read()

    @cached_property
    def documents(self) -> list[bytes]:
        """What stands between the special tokens."""
        return SpecialSplitter(self.special_tokens).documents(self.text)

    @cached_property
    def counts(self) -> Mapping[bytes, int]:
        """The pretokens as the rule cuts them, and how often each occurs."""
        if self.known_counts is not None:
            return self.known_counts
        return count_text(self.text, self.pattern, self.special_tokens)

    @property
    def first_id(self) -> int:
        """The id of the first merge."""
        return 256 + len(self.special_tokens)

    @property
    def merges_wanted(self) -> int | None:
        """How many merges fill the vocabulary; `None` if nobody gave a size."""
        return None if self.vocab_size is None else self.vocab_size - self.first_id

    def first_by_rule(self, count: int) -> Sequence[ClaimedStep]:
        """The first merges that the rule gives, so many or as many as there are."""
        made, more = self._by_rule
        made.extend(islice(more, max(count - len(made), 0)))
        return made[:count]

    @cached_property
    def _by_rule(self) -> tuple[list[ClaimedStep], Iterator[ClaimedStep]]:
        """What is made of them, and what makes more."""
        algorithm = algorithm_for(DEFAULT_TRAINER, self.tie_rule, counts=self.counts)
        return [], steps_of(algorithm, self.problem(kind=algorithm.problem))

    def problem(
        self,
        counts: Mapping[bytes, int] | None = None,
        tie_rule: TieRule | None = None,
        kind: type[Problem] = Problem,
    ) -> Problem:
        """The training problem, with other pretokens or another tie rule if they are given."""
        return kind(
            self.counts if counts is None else counts,
            base_vocab(self.special_tokens),
            tie_rule or self.tie_rule,
            min_count=1,
        )


def steps_of(algorithm: Algorithm, problem: Problem) -> Iterator[ClaimedStep]:
    """The merges that an algorithm makes, with their counts."""
    for merge in algorithm.run(problem):
        left, right = problem.pairs[merge.number]
        yield ClaimedStep(problem.vocab[left], problem.vocab[right], merge.count)


def _whole_text(corpus: Corpus) -> bytes:
    chunks = corpus.chunks(PATTERNS["gpt2"], SpecialSplitter(()))
    return b"".join(chunk.data for chunk in chunks)
