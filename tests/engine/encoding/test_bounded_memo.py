"""The memory is bounded, and used entries stay."""

from __future__ import annotations

import tracemalloc

from engine.encoding.pretoken_encoder import ENTRY_BYTES, ID_BYTES, LONGEST, BoundedMemo


class Counted:
    """`len(key)` as the only id; notes what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []

    def __call__(self, key: bytes) -> tuple[int, ...]:
        self.asked.append(key)
        return (len(key),)


def test_used_keys_stay_and_unused_keys_are_forgotten() -> None:
    compute = Counted()
    memory = BoundedMemo(compute, 10 * ENTRY_BYTES)
    _ = memory[b"rare"]
    for number in range(100):
        _ = memory[b"often"], memory[b"%d" % number]
    _ = memory[b"rare"]
    assert compute.asked.count(b"often") == 1
    assert compute.asked.count(b"rare") == 2
    two = BoundedMemo[bytes](lambda key: (1, 2), 2 * (ENTRY_BYTES + 1 + 2 * ID_BYTES))
    assert [len(two) for key in (b"a", b"b", b"a", b"c") if two[key]] == [1, 2, 2, 1]


def test_a_very_long_key_is_not_kept() -> None:
    memory = BoundedMemo(Counted(), 1 << 20)
    assert memory[b"a" * (LONGEST + 1)] == (LONGEST + 1,)
    assert not memory


def test_memory_stays_within_two_generations() -> None:
    generation = 1 << 20
    memory = BoundedMemo[bytes](lambda key: tuple(key[:4]), generation)
    tracemalloc.start()
    try:
        for number in range(40_000):
            _ = memory[b"%d" % number]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 5 * generation < 40_000 * ENTRY_BYTES, "all of it would not fit"
    assert peak < 2.5 * generation
