"""Training in phases: each has a pattern of its own and learns up to its own size.

SuperBPE (Liu, Hayase and others, arXiv 2503.13423) trains in two: the first cuts at spaces and
learns words, the second does not and learns *superwords* such as ` of the`. Between the phases the
corpus is cut again and all merges are made again in the new pretokens; then the most frequent pair
merges as ever. So a superword is made of tokens that the first phase has learnt.

The limits of the authors' code hold in every phase: see `is_wordy`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from engine.bpe.record import MergeStep, Recut
from engine.bpe.trainer import Trainer, check_vocab_size
from engine.bpe.trainers import algorithm_for
from engine.core.arguments import checked
from engine.core.errors import ArgumentError, PhaseError
from engine.core.events import Pair
from engine.recording.training_input import CountedCorpus, check_counts
from engine.text.patterns import PatternLike, as_pattern

DEFAULT_MOST_WORDS = 4
"""Most words of a superword in the authors' code."""
MOST_PHASES = 16
_PHASE = re.compile(r"(?P<pattern>.*?):(?P<size>[0-9_]{1,40})(?:,|$)", re.DOTALL)


class Phase(NamedTuple):
    """A phase of a training: its pattern, and the size of the vocabulary at its end."""

    pattern: PatternLike
    size: int


def phases_from(text: str) -> tuple[Phase, ...]:
    r"""Read phases as they are typed: `pattern:size`, separated by commas.

    A pattern is a name or a regex, which may contain colons and commas.

    Raises:
        PhaseError: the text is something else, or has fewer than two phases or too many.

    >>> [(phase.pattern, phase.size) for phase in phases_from(r"gpt2:8000,\d{1,3}|\w+:10000")]
    [('gpt2', 8000), ('\\d{1,3}|\\w+', 10000)]
    """
    phases: list[Phase] = []
    end = 0
    while end < len(text) and (found := _PHASE.match(text, end)) is not None:
        if not found["pattern"]:
            raise PhaseError(
                f"phase {len(phases) + 1} names no pattern; write pattern:size, like none:10000"
            )
        phases.append(Phase(found["pattern"], int(found["size"].replace("_", "") or 0)))
        end = found.end()
    if end < len(text) or not phases:
        raise PhaseError(
            f"phase {len(phases) + 1} has no size; write pattern:size for each, like "
            "gpt2:8000,none:10000"
        )
    if len(phases) > MOST_PHASES:
        raise PhaseError(f"{len(phases):,} phases are too many; give at most {MOST_PHASES}")
    if len(phases) < 2:
        raise PhaseError(
            f"{text} is one phase, a plain training; give two or more, each as pattern:size"
        )
    return tuple(phases)


def check_phases(phases: Sequence[Phase], special_tokens: Sequence[str] = ()) -> None:
    """Check patterns and sizes of phases.

    Raises:
        PhaseError: a size is not above the one before.
        PatternError: a pattern is unknown, or its regex is broken.
        VocabSizeError: a size has no room for the bytes and special tokens, or is too large.
    """
    for place, phase in enumerate(phases):
        check_vocab_size(phase.size, special_tokens)
        as_pattern(phase.pattern)
        if place and phase.size <= phases[place - 1].size:
            raise PhaseError(
                f"phase {place + 1} ends at {phase.size:,} tokens, but phase {place} at "
                f"{phases[place - 1].size:,}; each size must be above the one before"
            )


class PhasedTrainer(Trainer):
    """A training in phases.

    Args:
        counts: the pretoken counts that the first phase's pattern makes.
        phases: two or more, of growing sizes.
        recount: cuts the corpus by another pattern and counts it; returns the counts, or with an
            excerpt to show a `CountedCorpus`.
        special_tokens: as for `Trainer`.
        most_words: most words of a token, in all phases; `None` for no limit, also none for `: `.
        options: `tie_rule`, `algorithm`, `min_count` and `max_token_length` of `Trainer`.

    Raises:
        PhaseError, PatternError: see `check_phases`.

    >>> words, whole = {b"of": 3, b" he": 2, b" a": 1}, {b"of he": 2, b"of a": 1}
    >>> phases = Phase("gpt2", 259), Phase("none", 260)
    >>> trainer = PhasedTrainer(words, phases, lambda pattern: whole)
    >>> [step.token for step in trainer.steps()]
    [b'of', b'he', b' he', b'of he']
    """

    @checked
    def __init__(
        self,
        counts: Mapping[bytes, int],
        phases: Sequence[Phase],
        recount: Callable[[PatternLike], CountedCorpus | Mapping[bytes, int]],
        special_tokens: Sequence[str] = (),
        *,
        most_words: int | None = DEFAULT_MOST_WORDS,
        **options: Any,
    ) -> None:
        if not phases:
            raise PhaseError("there is no phase; give at least one, as Phase('gpt2', 8000)")
        check_phases(phases, special_tokens)
        if not callable(recount):
            raise ArgumentError("recount is a function that counts the text with another pattern")
        super().__init__(
            counts,
            phases[0].size,
            special_tokens,
            most_words=most_words,
            pattern=phases[0].pattern,
            **options,
        )
        self.phases = tuple(phases)
        self.vocab_size = phases[-1].size
        self.merges_wanted = self.vocab_size - self.record.first_id
        self._recount = recount

    def steps(self) -> Iterator[MergeStep]:
        """Yield the merges of all phases. Stop pulling to stop; call this only once."""
        yield from self._first_steps(self.phases[0].size - self.record.first_id)
        counts: Mapping[bytes, int] = self.counts
        for phase in self.phases[1:]:
            cut = self._recount(phase.pattern)
            corpus = cut if isinstance(cut, CountedCorpus) else CountedCorpus(Counter(cut))
            counts = corpus.counts
            if not all(counts.values()):
                counts = {pretoken: count for pretoken, count in counts.items() if count}
            check_counts(counts)
            yield from self._go_on(phase, corpus, counts)
        self.stop_reason = self._why_stopped(counts)

    def _go_on(
        self, phase: Phase, corpus: CountedCorpus, counts: Mapping[bytes, int]
    ) -> Iterator[MergeStep]:
        """Make all merges again in other pretokens, note the border, and yield further merges."""
        record, done = self.record, len(self.record)
        algorithm = algorithm_for(self.algorithm.name, record.tie_rule, record.alphabet, counts)
        earlier = record.first_pairs(done)
        task = algorithm.task_type(
            counts,
            record.vocab,
            record.tie_rule,
            record.min_count,
            max_token_length=self._task.max_token_length,
            most_words=self._task.most_words,
            earlier=earlier,
        )
        task.wanted = phase.size - record.first_id - done
        tokens_before = record.alphabet.token_count(self.counts)
        recut = Recut(
            as_pattern(phase.pattern),
            corpus,
            counts,
            replacements(earlier, task.uses, record.first_id),
        )
        lost = tokens_before - sum(task.uses)
        part = record.add_part(recut, task.pairs, task.start, lost)
        yield from islice(part.append_all(algorithm.run(task)), task.wanted)


def replacements(merges: Sequence[Pair], uses: Sequence[int], first_id: int) -> list[int]:
    """Return the number of replacements of each merge in a corpus that has been merged.

    Args:
        merges: in order, in ids; the first one makes `first_id`.
        uses: the number of occurrences of each id in the end.

    >>> replacements([(97, 98), (256, 99)], [*[0] * 256, 1, 2], 256)
    [3, 2]
    """
    made = list(uses)
    for index in reversed(range(len(merges))):
        for part in merges[index]:
            made[part] += made[first_id + index]
    return made[first_id:]
