# ruff: noqa: E402, the path has to be known before the imports
"""Search for a text that is counted wrong: `python tests/fuzz_counting.py SECONDS [SEED]`.

Counting by pieces is held against the plain way, over random texts, patterns, special tokens and
chunk sizes. The first difference is made as small as can be, and printed with its seed.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

TESTS = Path(__file__).resolve().parent
sys.path[:0] = [str(TESTS.parent), str(TESTS), str(TESTS / "engine")]

from counting_texts import SPECIAL_TOKENS, TEXT_PIECES

from engine.counting.count import Tally, counter_for
from engine.counting.plain import count_pretokens_of
from engine.text.patterns import PATTERNS
from engine.text.pretokenize import ChunkCutter, SpecialSplitter


@dataclass(frozen=True)
class Case:
    """A corpus, with the options of counting it."""

    pattern: str
    special_tokens: tuple[str, ...]
    chunk_size: int
    text: tuple[bytes, ...]

    def is_wrong(self) -> bool:
        pattern, splitter = PATTERNS[self.pattern], SpecialSplitter(self.special_tokens)
        data = b"".join(self.text)
        cutter, counter, tally = (
            ChunkCutter(pattern, splitter, self.chunk_size),
            counter_for(pattern, splitter),
            Tally(),
        )
        for piece in (*cutter.feed(data), *cutter.finish()):
            tally.add(0, counter.count(piece.data, piece.continues))
        expected = count_pretokens_of(data, pattern, splitter)
        return list(tally.counts().items()) != list(expected.items())


def random_case(seed: int) -> Case:
    rng = random.Random(seed)
    few = rng.sample(TEXT_PIECES, rng.randrange(1, 12))
    length = rng.choice([3, 10, 100, 1000])
    return Case(
        rng.choice([name for name, pattern in PATTERNS.items() if pattern.borders]),
        tuple(rng.sample(SPECIAL_TOKENS, rng.randrange(4))),
        rng.choice([1, 7, 50, 1 << 20]),
        tuple(rng.randbytes(1) if rng.random() < 0.02 else rng.choice(few) for _ in range(length)),
    )


def smallest(case: Case, is_wrong: Callable[[Case], bool]) -> Case:
    """Leave pieces out of the text, many at a time and then one by one, while it stays wrong."""
    step = len(case.text)
    while step:
        for start in range(0, len(case.text), step):
            shorter = replace(case, text=case.text[:start] + case.text[start + step :])
            if is_wrong(shorter):
                return smallest(shorter, is_wrong)
        step //= 2
    return case


def main() -> None:
    seconds = float(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 32)
    end, tried = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        case = random_case(seed + tried)
        if case.is_wrong():
            sys.exit(f"seed {seed + tried}: {smallest(case, Case.is_wrong)}")
        tried += 1
    print(f"{tried} texts from seed {seed} on were counted right")


if __name__ == "__main__":
    main()
