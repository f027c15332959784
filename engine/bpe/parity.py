"""Parity-aware BPE: each merge serves that of several languages which is worst off.

Plain BPE merges the most frequent pair of all texts, so it serves the language with the most text.
Here each step finds the language with the most tokens a character, and merges the most frequent
pair *of that language*, in all of them (Foroutan, Meister and others, arXiv 2508.04796). It is
`ParityBpeTrainer` of Hugging Face's library with the bytes a character of each language as `ratio`.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from engine.bpe.languages import Languages, characters_in
from engine.bpe.trainer import Trainer
from engine.bpe.trainers import heap
from engine.bpe.trainers.algorithm import Algorithm, CodeLine, StepPart, TrainingTask
from engine.bpe.trainers.heap import queue_of
from engine.bpe.trainers.indexed import PairIndex
from engine.core.errors import CorpusError
from engine.core.events import Pair
from engine.recording.merge_record import MergeReport


class ParityTrainer(Trainer):
    """A training in which languages take turns.

    Args:
        languages: name of a language → the pretoken counts of its text.
        vocab_size, special_tokens: as for `Trainer`.
        options: `tie_rule`, `min_count`, `max_token_length` and `units` of `Trainer`. A language
            whose pairs are all rarer than `min_count` gets no more turns.

    Attributes:
        languages: the languages, with the tokens of each after each step.

    Raises:
        CorpusError: there is only one language.

    >>> trainer = ParityTrainer({"en": {b"hat": 9, b"that": 5}, "so": {b"maya": 1}}, 259)
    >>> [(step.token, trainer.languages.turns[step.index]) for step in trainer.steps()]
    [(b'ha', 0), (b'ya', 1), (b'ma', 1)]
    """

    def __init__(
        self,
        languages: Mapping[str, Mapping[bytes, int]],
        vocab_size: int,
        special_tokens: Sequence[str] = (),
        **options: Any,
    ) -> None:
        if len(languages) < 2:
            raise CorpusError("parity is between languages: give a corpus for each, two or more")
        together: Counter[bytes] = Counter()
        for counts in languages.values():
            together.update(counts)
        asked = together, vocab_size, special_tokens
        super().__init__(*asked, algorithm=heap.ALGORITHM.name, **options)
        kept = self.counts.keys()  # units may leave pretokens out
        every = languages.values()
        texts = [{p: n for p, n in counts.items() if n and p in kept} for counts in every]
        starts = [self._task.alphabet.token_count(counts) for counts in texts]
        self.languages = self.record.languages = Languages(
            tuple(languages),
            tuple(map(characters_in, texts)),
            tokens=[array("q", [start]) for start in starts],
            plain=[array("q", [start]) for start in starts],
        )
        self.record.by_rule = False
        plain = Trainer(*asked, **options)
        run = partial(_merges, texts=texts, languages=self.languages, plain=plain)
        self.algorithm = ALGORITHM._replace(run=run)


def _merges(
    task: TrainingTask,
    texts: Sequence[Mapping[bytes, int]],
    languages: Languages,
    plain: Trainer,
) -> Iterator[MergeReport]:
    """Yield the merges, and log the turns and the tokens of each language."""
    together = PairIndex(task)
    indices = [_index_of(task, task.vocab, counts) for counts in texts]
    indices_of_plain = [_index_of(task, plain.record.vocab, counts) for counts in texts]
    queues = [queue_of(task, index.counts, index.first_seen) for index in indices]
    steps_of_plain = plain.steps()
    waiting = list(range(len(texts)))
    while waiting:
        # Find the language with the most tokens a character.
        step = len(languages.turns)
        served = max(waiting, key=lambda language: languages.rate(language, step))
        queue, choose = queues[served]
        # Pop its most frequent pair; without one that is frequent enough its turns are over.
        best = queue.pop_best(choose)
        if best is None or indices[served].counts[best[0]] < task.min_count:
            waiting.remove(served)
            continue
        pair, _ = best
        # Join its two tokens to a new one; replace the pair in all languages.
        new_id = task.join(pair)
        for (others, _), index, tokens in zip(queues, indices, languages.tokens, strict=True):
            for changed in _merge_in(index, pair, new_id, tokens):
                if new_id in changed:
                    others.push(changed)
        languages.turns.append(served)
        if (plain_step := next(steps_of_plain, None)) is not None:
            for index, tokens in zip(indices_of_plain, languages.plain, strict=True):
                _merge_in(index, plain_step.pair, plain_step.new_id, tokens)
        yield together.merge(pair, new_id)


def _index_of(task: TrainingTask, vocab: list[bytes], counts: Mapping[bytes, int]) -> PairIndex:
    """Return an index of one language's pairs, with the rules and the vocabulary of a training."""
    return PairIndex(
        TrainingTask(
            *(counts, vocab, task.tie_rule, task.min_count, task.max_token_length, task.alphabet)
        )
    )


def _merge_in(index: PairIndex, pair: Pair, new_id: int, tokens: array[int]) -> list[Pair]:
    """Merge a pair in one language, log its tokens, and return the pairs that changed."""
    if pair not in index.counts:
        tokens.append(tokens[-1])
        return []
    made = index.merge(pair, new_id)
    tokens.append(tokens[-1] - made.occurrences)
    return [index.pairs[number] for number in made.changed]


PSEUDOCODE = (
    CodeLine("count the pairs of each language"),
    CodeLine("while a language has pairs:"),
    CodeLine("  worst ← most tokens a character", (StepPart.CHOOSE,)),
    CodeLine("  best ← top pair of the worst", (StepPart.CHOOSE,)),
    CodeLine("  new ← join best", (StepPart.JOIN,)),
    CodeLine("  replace best in all languages", (StepPart.REPLACE,)),
    CodeLine("  correct counts beside it", (StepPart.CORRECT,)),
    CodeLine("  push the pairs with new", (StepPart.ENTER,)),
)

ALGORITHM = Algorithm(
    "parity",
    "the language worst off gets its most frequent pair",
    heap.heap,  # with all texts as one language; a trainer replaces it
    PSEUDOCODE,
    counters=(),
)
