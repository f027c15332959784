"""Costs of time travel: going to any step, the record's size, and the time to write it.

    python benchmarks/seek.py CORPUS [--vocab-size 10000]

prints how long it takes to go to a step chosen at random and to list its 20 most frequent pairs;
the size of the record; and the time of training with the record over that of the algorithm alone,
whose reports nobody writes down (processor time, which other programs disturb least).
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from engine import Timeline, Trainer, count_pretokens
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainer import base_vocab
from engine.bpe.trainers import DEFAULT_TRAINER, TRAINERS

SPECIAL = ["<|endoftext|>"]
TOP = 20


def seconds_recorded(counts: Mapping[bytes, int], vocab_size: int) -> float:
    start = time.process_time()
    for _ in Trainer(counts, vocab_size, SPECIAL).steps():
        pass
    return time.process_time() - start


def seconds_unrecorded(counts: Mapping[bytes, int], vocab_size: int) -> float:
    start = time.process_time()
    vocab = base_vocab(SPECIAL)
    algorithm = TRAINERS[DEFAULT_TRAINER]
    task = algorithm.task_type(counts, vocab, TIE_RULES["lexicographic"], min_count=1)
    for _ in islice(algorithm.run(task), vocab_size - len(vocab)):
        pass
    return time.process_time() - start


def seek_milliseconds(timeline: Timeline, seeks: int) -> list[float]:
    """Measure some seeks; return their times in ascending order."""
    choice = random.Random(0)
    times = []
    for _ in range(seeks):
        step = choice.randrange(len(timeline) + 1)
        start = time.perf_counter()
        timeline.seek(step).queue.top(TOP)
        times.append(1000 * (time.perf_counter() - start))
    return sorted(times)


def show(what: str, value: str, goal: str) -> None:
    print(f"{what:<28}{value:>40}   goal {goal}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--vocab-size", type=int, default=10_000)
    parser.add_argument("--seeks", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=11, help="trainings with and without record")
    arguments = parser.parse_args()
    counts = count_pretokens(arguments.corpus, "gpt2", SPECIAL)

    trainer = Trainer(counts, arguments.vocab_size, SPECIAL)
    timeline = Timeline(counts, trainer.steps())
    times = seek_milliseconds(timeline, arguments.seeks)
    show(
        f"seek, with the top {TOP}",
        f"p50 {statistics.median(times):.2f} ms, p99 {times[len(times) * 99 // 100]:.2f} ms, "
        f"max {times[-1]:.2f} ms",
        "p50 1 ms, p99 5 ms",
    )
    show(f"record of {len(timeline):,} steps", f"{trainer.record.nbytes / 1e6:.1f} MB", "16 MB")

    recorded, unrecorded = [], []
    for _ in range(arguments.rounds):
        recorded.append(seconds_recorded(counts, arguments.vocab_size))
        unrecorded.append(seconds_unrecorded(counts, arguments.vocab_size))
    slower = statistics.median(recorded) / statistics.median(unrecorded) - 1
    show(
        "training with the record",
        f"{statistics.median(recorded):.3f} s, {100 * slower:+.0f} %",
        "+15 %",
    )


if __name__ == "__main__":
    main()
