"""Speed of counting and training, beside other libraries.

    python benchmarks/train.py CORPUS [--vocab-size 10000 32000]

Each library counts and trains in fresh processes of its own, in turns. The whole process is timed,
from its start to its end; its memory is that of all its processes together. What is not installed
is left out.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from runs import Figures, table, taking_turns
from train_one import LIBRARIES

SCRIPT = Path(__file__).with_name("train_one.py")
THREADS = 2
REFERENCES = ("tokenizers", "gigabpe")
COLUMNS = [
    "count s",
    "merges s",
    "count + merges s",
    "whole s",
    *(f"× {name}" for name in REFERENCES),
    "peak MB",
    "peak MB, one",
]


def commands(corpus: str, vocab_size: int) -> dict[str, list[str]]:
    """Return the command of each library."""
    runs = [(name, THREADS) for name in LIBRARIES] + [("bpe-tui", 1)]
    return {
        f"{name}-{threads}": [str(SCRIPT), name, corpus, str(vocab_size), str(threads)]
        for name, threads in sorted(runs)
    }


def add_ratios(rows: dict[str, Figures]) -> None:
    """Add the ratio of the whole time to that of each reference."""
    for reference in REFERENCES:
        peer = f"{reference}-{THREADS}"
        for figures in rows.values() if peer in rows else ():
            figures[f"× {reference}"] = figures["whole s"] / rows[peer]["whole s"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--vocab-size", type=int, nargs="+", default=[10_000])
    parser.add_argument("--rounds", type=int, default=5, help="fresh processes for each library")
    arguments = parser.parse_args()
    for vocab_size in arguments.vocab_size:
        rows = taking_turns(commands(arguments.corpus, vocab_size), arguments.rounds)
        add_ratios(rows)
        print(f"\n{arguments.corpus}, vocab size {vocab_size:,}\n{table(rows, COLUMNS)}")


if __name__ == "__main__":
    main()
