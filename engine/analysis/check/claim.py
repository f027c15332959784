"""The assignment of a trainer, and its claim: the corpus and the rule, and the merges it made."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import TypeVar

from engine.analysis.check.steps_file import ClaimedStep, read_steps
from engine.bpe.ties import TIE_RULES, TieRule
from engine.bpe.trainer import Trainer, base_vocab, check_vocab_size
from engine.bpe.trainers.algorithm import TrainingTask
from engine.core.errors import TokenizerFileError
from engine.core.events import BytesPair, Pair
from engine.counting.count import count_text
from engine.encoding.encoders import RankHeap
from engine.encoding.tokenizer import Tokenizer
from engine.formats import open_tokenizer, read_vocab_and_merges
from engine.formats.course_values import SolutionParts, read_parts
from engine.recording.training_input import LARGEST_VOCABULARY
from engine.text.corpus import Corpus, separator_of
from engine.text.patterns import PATTERNS, Pattern, PatternLike, as_pattern
from engine.text.pretokenize import SpecialSplitter, check_special_tokens

TaskT = TypeVar("TaskT", bound=TrainingTask)


@dataclass(frozen=True)
class Assignment:
    """A corpus and how to train on it.

    Attributes:
        read: returns the text of the corpus; called once, when the text is first needed.
        special_tokens, pattern, tie_rule: the rule.
        vocab_size: bytes + special tokens + merges; `None` if any size will do.
        known_counts: the pretoken counts, if they are known already.
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
        """Return the assignment to train on a corpus, opened or named, as `train_bpe` takes it.

        Raises:
            BpeError: one of its subclasses, for a file or an argument that will not do.
        """
        specials = check_special_tokens(special_tokens)
        if vocab_size is not None:
            check_vocab_size(vocab_size, specials)
        if not isinstance(corpus, Corpus):
            corpus = Corpus(corpus, separator=separator_of(specials))
        opened = corpus

        def whole_text() -> bytes:
            chunks = opened.chunks(PATTERNS["gpt2"], SpecialSplitter(()))
            return b"".join(chunk.data for chunk in chunks)

        return cls(
            whole_text, specials, as_pattern(pattern), TIE_RULES[tie_rule], vocab_size, known_counts
        )

    @cached_property
    def text(self) -> bytes:
        """The whole corpus."""
        return self.read()

    @cached_property
    def documents(self) -> list[bytes]:
        """The texts between the special tokens."""
        return SpecialSplitter(self.special_tokens).documents(self.text)

    @cached_property
    def counts(self) -> Mapping[bytes, int]:
        """The pretokens that the rule cuts, with their counts."""
        if self.known_counts is not None:
            return self.known_counts
        return count_text(self.text, self.pattern, self.special_tokens)

    @property
    def first_id(self) -> int:
        """The id of the first merge."""
        return 256 + len(self.special_tokens)

    def first_by_rule(self, count: int) -> Sequence[ClaimedStep]:
        """Return the first `count` merges by the rule, or all if there are fewer."""
        made = self._by_rule
        if len(made) < count:  # once more from the first, as a trainer that waits takes memory
            tie_rule = TIE_RULES.name_of(self.tie_rule.name)
            specials = self.special_tokens
            trainer = Trainer(self.counts, LARGEST_VOCABULARY, specials, tie_rule=tie_rule)
            steps = islice(trainer.steps(), count)
            made[:] = [ClaimedStep(step.left, step.right, step.count) for step in steps]
        return made[:count]

    @cached_property
    def _by_rule(self) -> list[ClaimedStep]:
        """The merges made so far."""
        return []

    def task(
        self,
        counts: Mapping[bytes, int] | None = None,
        tie_rule: TieRule | None = None,
        kind: type[TaskT] = TrainingTask,  # type: ignore[assignment]
    ) -> TaskT:
        """Return the training task, with other pretokens or another tie rule if given."""
        return kind(
            self.counts if counts is None else counts,
            base_vocab(self.special_tokens),
            tie_rule or self.tie_rule,
            min_count=1,
        )


ClaimedToken = bytes | str | int
"""A token of a merge as a solution may keep it: its bytes, a text that spells them, or its id."""


@dataclass(frozen=True)
class Claim:
    """The steps of a trainer in their order, and its vocabulary if it wrote one.

    Nothing here is checked yet: a step may name tokens that no earlier step makes.

    Attributes:
        notes: how tokens that are not bytes were read.
    """

    steps: Sequence[ClaimedStep]
    vocab: Mapping[int, bytes] | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        vocab: Mapping[int, bytes | str] | None,
        merges: Sequence[tuple[ClaimedToken, ClaimedToken]],
    ) -> Claim:
        """Return the claim that a vocab (id → token) and merges (left, right) make.

        Tokens that are `str` or ids are read as in a file: all of them together show the spelling,
        for which the vocabulary is needed.

        >>> Claim.of(None, [(b"a", b"b")]).steps
        [ClaimedStep(left=b'a', right=b'b', count=None, new_id=None)]

        Raises:
            TokenizerFileError: the bytes of the tokens cannot be found out.
        """
        tokens = chain(() if vocab is None else vocab.values(), *merges)
        if all(isinstance(token, bytes) for token in tokens):
            return cls(_steps(merges), vocab)  # type: ignore[arg-type]
        if vocab is None:
            raise TokenizerFileError(
                "merges without a vocabulary should be bytes; text and ids mean something only "
                "beside the vocabulary"
            )
        read = read_parts("the vocabulary", SolutionParts(vocab, merges))
        return cls(_steps(read.merges), read.all_tokens, tuple(read.notes))


def _steps(merges: Sequence[BytesPair]) -> list[ClaimedStep]:
    return [ClaimedStep(left, right) for left, right in merges]


def read_claim(
    *paths: str | os.PathLike[str], special_tokens: Sequence[str] = (), are_steps: bool = False
) -> tuple[Claim, tuple[str, ...]]:
    """Read a trainer's files unchecked: they need not make a working tokenizer.

    Args:
        paths: vocabulary and merges, or one path that holds both, in any known format.
        are_steps: whether the one path is a file of steps, as `StepRecorder` writes them.

    Returns:
        the claim, and notes on how the files were read.

    Raises:
        TokenizerFileError: there is no such file, no format fits, the files are damaged, or hold a
            model without merges.
        StepsFileError: a line of steps cannot be understood.
    """
    if are_steps:
        steps = read_steps(paths[0])
        return Claim(steps.steps), (f"tokens are written as {' and '.join(steps.forms)}",)
    parts = read_vocab_and_merges(*paths, special_tokens=special_tokens)
    if parts is not None:
        found, format = parts
        if not found.has_merges:
            raise TokenizerFileError(
                f"{os.fspath(paths[0])} is a vocabulary without merges, and merges are what is "
                "checked; give both files"
            )
        notes = (f"read as {format}", *found.notes) if found.notes else ()
        return Claim.of(found.all_tokens, found.merges), notes
    opened = open_tokenizer(*paths, special_tokens=special_tokens)
    pipeline = opened.tokenizer.pipeline
    if pipeline is not None and not pipeline.merges:
        raise TokenizerFileError(
            f"{os.fspath(paths[0])} holds a {pipeline.model.name} model, which merges nothing, and "
            "merges are what is checked; give the files of a trainer of BPE"
        )
    merges, notes = _merges_made(opened.tokenizer)
    return Claim.of(opened.tokenizer.vocab, merges), (
        f"read as {opened.format}",
        *opened.notes,
        *notes,
    )


def _merges_made(tokenizer: Tokenizer) -> tuple[list[BytesPair], tuple[str, ...]]:
    """Return one merge a token, and notes: some files list every way to cut a token in two."""
    vocab, table = tokenizer.vocab, tokenizer.merge_table
    if len({made for _, made in table.values()}) == len(table):
        return list(tokenizer.merges), ()
    encoder = RankHeap(tokenizer.alphabet, table)
    made_by: dict[int, Pair] = {}
    for token_id in {made for _, made in table.values()}:
        for _, _, pair in encoder.merges_at(vocab[token_id]):
            made_by[table[pair][1]] = pair
    come_about = set(made_by.values())
    merges = [(vocab[left], vocab[right]) for left, right in table if (left, right) in come_about]
    note = f"of {len(table):,} ways to cut its tokens in two, the {len(merges):,} that come about"
    return merges, (f"{note} are its merges",)
