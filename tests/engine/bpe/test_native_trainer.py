"""The compiled trainer compared with `fast`: the same record for any pretokens.

`test_trainers` holds it against `naive` with all others. Without a kernel these tests are skipped,
and `test_trainers` shows that `fast` takes its place.
"""

import os
import random
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

import pytest
from generated import examples
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine import Trainer
from engine.bpe.record import Record
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainers import algorithm_for
from engine.native import KERNEL
from engine.native.merging import KERNEL_TIE_RULES, MOST_COUNTED, STEP, Merger, can_merge

needs_kernel = pytest.mark.skipif(KERNEL is None, reason="the kernel is not compiled here")


def recorded(counts: Mapping[bytes, int], algorithm: str, **options: object) -> Record:
    trainer = Trainer(counts, 256 + 400, algorithm=algorithm, **options)  # type: ignore[arg-type]
    assert trainer.algorithm.name == algorithm
    for _ in trainer.steps():
        pass
    return trainer.record


def facts_of(record: Record) -> Iterator[object]:
    """Yield all data of a record, by pairs, because their numbers differ between algorithms."""
    yield dict(zip(record.pairs, record.counts.at(0).tolist(), strict=False))
    for index in range(len(record)):
        numbers, after = record.counts.changes(index)
        yield (
            *(record.pair_of(index), record.vocab[record.first_id + index]),
            *(record.winning_counts[index], record.occurrences[index], record.pretokens[index]),
            record.removed[index + 1],
            {record.pairs[number]: count for number, count in zip(numbers, after, strict=True)},
        )


def assert_same(counts: Mapping[bytes, int], **options: object) -> None:
    native, fast = (recorded(counts, name, **options) for name in ("native", "fast"))
    assert list(facts_of(native)) == list(facts_of(fast))
    assert [native.pairs.number_of(pair) for pair in native.pairs] == list(range(len(native.pairs)))


letters = st.sampled_from([b"a", b"ab", b"abc", bytes(range(256)), b"\0\xff"])
pretokens = letters.flatmap(
    lambda some: st.lists(st.sampled_from(list(some)), max_size=40).map(bytes)
)


@needs_kernel
@examples(150)
@given(
    counts=st.dictionaries(pretokens, st.sampled_from([1, 2, 3, 50, 3_000_000_000]), max_size=20),
    tie_rule=st.sampled_from(sorted(KERNEL_TIE_RULES)),
    longest=st.sampled_from([None, 2, 3, 5]),
)
def test_the_record_is_that_of_fast(
    counts: dict[bytes, int], tie_rule: str, longest: int | None
) -> None:
    assert_same(counts, tie_rule=tie_rule, max_token_length=longest)


@needs_kernel
def test_a_pretoken_may_be_long_and_hold_any_byte() -> None:
    assert_same({b"a" * 30_000: 1, bytes(range(256)) * 100: 2, b"\0" * 999: 3, b"": 4})


@needs_kernel
@pytest.mark.parametrize("options", [{}, {"min_count": 9}, {"max_token_length": 5}])
def test_the_kernel_drops_starts_that_are_of_no_use(options: dict[str, int]) -> None:
    # It does so several times here, and in none of the small examples above.
    rng = random.Random(0)
    counts = {bytes(rng.choices(b"abcde", k=200)): rng.randint(1, 5) for _ in range(60)}
    assert_same(counts, **options)


@needs_kernel
def test_steps_are_in_the_record_as_they_are_pulled_though_they_come_in_batches() -> None:
    trainer = Trainer({bytes((first, 7)): 1 for first in range(8, 60)}, 300)
    steps = trainer.steps()
    for made in range(1, 40):
        assert next(steps).index == len(trainer.record) - 1 == made - 1
        assert len(trainer.record.vocab) == 256 + made


@needs_kernel
def test_pairs_are_found_from_other_threads_while_it_trains() -> None:
    merger = Merger({bytes(range(start, start + 30)): 1 for start in range(200)}, BYTES, *RULE)
    with ThreadPoolExecutor(1) as pool:
        looking = pool.submit(lambda: [merger.number_of(7, 8) for _ in range(10_000)])
        for _ in merger.batches(5000):
            pass
        assert set(looking.result()) == {7}
    assert merger.number_of(7, 8) == 7  # still, when all else is freed
    assert merger.number_of(2**32 + 7, 8) is None
    assert list(merger.batches(1)) == []
    one = Merger({b"abcdefgh": 1}, BYTES, *RULE).batches(1)
    assert [len(batch.steps) // STEP for batch in one] == [1]


RULE = "lexicographic", range(256)
BYTES = [bytes((byte,)) for byte in range(256)]


def test_the_kernel_knows_only_registered_rules() -> None:
    assert set(TIE_RULES) >= KERNEL_TIE_RULES


@needs_kernel
def test_a_rule_that_the_kernel_does_not_know_is_left_to_fast() -> None:
    rule = TIE_RULES["lexicographic"]._replace(name="unknown to the kernel")
    assert algorithm_for("native", rule).name == "fast"


@needs_kernel
def test_counts_too_large_for_the_kernel_are_left_to_fast() -> None:
    rule = TIE_RULES["lexicographic"]
    # Two pretokens with a cell for each byte, a border after each, and one at the end.
    for cells in (7, 6):
        with mock.patch("engine.native.merging.MOST_CELLS", cells):
            assert can_merge({b"ab": 1, b"cd": 1}) == (cells == 7)
    most = MOST_COUNTED // 7
    assert [can_merge({b"ab": each, b"cd": 1}) for each in (most - 1, most)] == [True, False]
    assert algorithm_for("native", rule, counts={b"ab": MOST_COUNTED}).name == "fast"
    assert algorithm_for("native", rule, counts={b"ab": 1}).name == "native"


@needs_kernel
@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited as Linux does it")
def test_memory_that_runs_out_is_an_error_of_python() -> None:
    script = """if True:
        import random, resource
        from engine.bpe.trainer import Trainer
        from engine.core.errors import KernelMemoryError
        rng = random.Random(0)
        counts = {rng.randbytes(60): 1 for _ in range(50_000)}
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 16_000_000,) * 2)
        try:
            Trainer(counts, 2000)
        except KernelMemoryError as error:
            print(error)
    """
    here = str(Path(engine.__file__).parents[1])  # where the kernel is, if there is another engine
    done = subprocess.run(
        [sys.executable, "-P", "-c", script],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": here},
    )
    assert "not enough memory" in done.stdout, done.stderr


def test_without_the_kernel_fast_trains() -> None:
    script = "from engine import Trainer; print(Trainer({b'ab': 1}, 257).algorithm.name)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env={"PATH": "", "BPE_TUI_KERNEL": "no", "PYTHONPATH": ":".join(filter(None, sys.path))},
    )
    assert done.stdout == "fast\n", done.stderr
