"""The counters, the edges of their chunks, and the forecast of their memory."""

import gzip
import io
import os
import random
from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pytest
import regex
from counting_texts import SPECIAL_TOKENS, TEXT_PIECES
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st

from engine import CorpusError, find_chunk_boundaries
from engine.core.arrays import parts_of
from engine.counting import forecast
from engine.counting.count import (
    ChunkCount,
    ChunkCounter,
    NativePieceCounter,
    PlainCounter,
    Tally,
    count_pretokens,
    counter_for,
)
from engine.counting.forecast import A_PRETOKEN, AT_LEAST, distinct_in, forecast_memory
from engine.native import KERNEL
from engine.native.counting import KernelSums
from engine.text.corpus import Corpus
from engine.text.patterns import (
    AFTER_TEXT,
    BEFORE_TEXT,
    PATTERNS,
    Border,
    BorderTables,
    as_pattern,
)
from engine.text.pretokenize import ChunkCutter, SpecialSplitter, to_bytes

SAMPLES = Path(__file__).parents[3] / "samples"
WITH_BORDERS = [name for name, pattern in PATTERNS.items() if pattern.borders]

with_kernel = pytest.mark.skipif(KERNEL is None, reason="there is no kernel")
every_pattern = pytest.mark.parametrize("pattern", WITH_BORDERS)
texts = st.lists(st.sampled_from(TEXT_PIECES) | st.binary(max_size=2), max_size=30).map(b"".join)
special_tokens = st.lists(st.sampled_from(SPECIAL_TOKENS), unique=True, max_size=4)


def counted(counter: ChunkCounter, chunks: Sequence[bytes]) -> list[tuple[bytes, int]]:
    tally = Tally()
    for chunk in chunks:
        tally.add(0, counter.count(chunk, continues=False))
    counts = tally.counts()
    assert (tally.pretokens, tally.distinct) == (counts.total(), len(counts))
    return list(counts.items())


def chunks_of(data: bytes, pattern: str, splitter: SpecialSplitter, size: int) -> list[bytes]:
    cutter = ChunkCutter(PATTERNS[pattern], splitter, size)
    return [piece.data for piece in (*cutter.feed(data), *cutter.finish())]


@with_kernel
@every_pattern
@examples(300)
@given(texts, special_tokens, st.integers(1, 60))
@example(b"  <s>", ["<s>"], 60)
@example(b"a  <s>  b", ["<s>"], 60)
@example(b"\0a a\0 a \0", [], 1)
@example("x\u00a0 y  \u00a0z \u3000  q\n\u2028\n".encode(), [], 60)
def test_counting_by_pieces_is_counting_all_of_the_text(
    pattern: str,
    data: bytes,
    special_tokens: list[str],
    size: int,
) -> None:
    splitter = SpecialSplitter(special_tokens)
    chunks = chunks_of(data * 2, pattern, splitter, size)
    fast = counted(NativePieceCounter(PATTERNS[pattern], splitter), chunks)
    assert fast == counted(PlainCounter(PATTERNS[pattern], splitter), chunks)


@with_kernel
def test_a_piece_may_be_longer_than_a_block() -> None:
    """The kernel looks for borders in blocks of some 60 bytes, and hashes words of 8."""
    splitter = SpecialSplitter(["<s>"])
    words = [b" " + b"x" * length for length in (*range(1, 20), *range(55, 70), *range(120, 130))]
    data = b"".join((*words, b"<s>", *reversed(words), b"<s", *words, b"a\0", b" a", b" a\0"))
    chunks = [data, data + data]
    fast = counted(NativePieceCounter(PATTERNS["gpt2"], splitter), chunks)
    assert fast == counted(PlainCounter(PATTERNS["gpt2"], splitter), chunks)


@with_kernel
@every_pattern
@pytest.mark.parametrize("sample", sorted(path.name for path in SAMPLES.glob("*.txt")))
def test_the_samples_are_counted_alike(pattern: str, sample: str) -> None:
    data, splitter = (SAMPLES / sample).read_bytes(), SpecialSplitter(["<|endoftext|>"])
    chunks = chunks_of(data, pattern, splitter, size=100_000)
    fast = counted(NativePieceCounter(PATTERNS[pattern], splitter), chunks)
    assert fast == counted(PlainCounter(PATTERNS[pattern], splitter), chunks)


def new_pretokens(chunk: ChunkCount) -> list[bytes]:
    return parts_of(chunk.new_text, array("q", chunk.new_lengths))


@with_kernel
def test_the_pretokens_of_a_piece_are_returned_once() -> None:
    counter = NativePieceCounter(PATTERNS["gpt2"], SpecialSplitter(["<s>"]))
    first = counter.count(b"low\xc2\xa0low", continues=False)
    second = counter.count(b"<s>low\xc2\xa0low low", continues=False)
    assert new_pretokens(first) == [b"low", b"\xc2\xa0", b"low"]
    assert list(np.frombuffer(first.new_sizes, np.int64)) == [3]
    assert new_pretokens(second) == [b" low"]
    # A counter may or may not treat a special token as a piece without pretokens.
    assert sum(np.frombuffer(second.new_sizes, np.int64)) == 1
    numbers = list(np.frombuffer(second.numbers, np.int64))
    assert 0 in numbers
    assert len(numbers) == len(set(numbers)) == 1 + len(second.new_sizes) // 8


def test_a_pattern_without_borders_is_counted_the_plain_way() -> None:
    splitter = SpecialSplitter([])
    fast = PlainCounter if KERNEL is None else NativePieceCounter
    assert isinstance(counter_for(PATTERNS["gpt2"], splitter), fast)
    for pattern in (PATTERNS["none"], as_pattern("a|b+")):
        assert isinstance(counter_for(pattern, splitter), PlainCounter)


def test_no_byte_that_may_belong_to_a_space_counts_as_text() -> None:
    spaces = [*map(to_bytes, regex.findall(r"\s", "".join(map(chr, range(0x110000)))))]
    assert len(spaces) == 25
    assert not {space[-1] for space in spaces} & set(AFTER_TEXT)
    assert not {space[0] for space in spaces} & set(BEFORE_TEXT)


def test_a_byte_has_room_for_eight_borders() -> None:
    with pytest.raises(ValueError, match="eight"):
        BorderTables.of([Border(b"a", b"b")] * 9)


def joined(pretokens: Sequence[bytes]) -> tuple[bytes, bytes]:
    """The pretokens, joined, and their lengths, as `ChunkCount` has them."""
    return b"".join(pretokens), array("q", map(len, pretokens)).tobytes()


class PlainSums:
    """What `KernelSums` does, step by step."""

    def __init__(self) -> None:
        self.totals: dict[bytes, int] = {}
        self._pieces = defaultdict[int, list[list[bytes]]](list)  # counter → its pieces, cut

    def learn(self, counter: int, text: bytes, lengths: bytes, sizes: bytes) -> None:
        pretokens = iter(parts_of(text, array("q", lengths)))
        for size in array("q", sizes):
            piece = list(islice(pretokens, size))
            self._pieces[counter].append(piece)
            for pretoken in piece:
                self.totals.setdefault(pretoken, 0)

    def add(self, counter: int, pieces: bytes, counts: bytes) -> int:
        added = 0
        for number, count in zip(array("q", pieces), array("q", counts), strict=True):
            added += count * len(self._pieces[counter][number])
            for pretoken in self._pieces[counter][number]:
                self.totals[pretoken] += count
        return added


@with_kernel
@given(st.data(), st.lists(st.integers(0, 2), max_size=6))
def test_the_kernel_adds_up_as_python_does(data: st.DataObject, told_by: list[int]) -> None:
    in_kernel, in_python = KernelSums(), PlainSums()
    known = [0, 0, 0]  # pieces of each counter
    for counter in told_by:
        pieces = data.draw(st.lists(st.lists(st.sampled_from([b"a", b"low", b"\0", b"x" * 9]))))
        known[counter] += len(pieces)
        pretokens = [pretoken for piece in pieces for pretoken in piece]
        sizes = array("q", map(len, pieces)).tobytes()
        numbers = (
            data.draw(st.lists(st.sampled_from(range(known[counter])))) if known[counter] else []
        )
        counts = [data.draw(st.integers(1, 2**40)) for _ in numbers]
        for sums in (in_kernel, in_python):
            sums.learn(counter, *joined(pretokens), sizes)
        added = [
            sums.add(counter, array("q", numbers).tobytes(), array("q", counts).tobytes())
            for sums in (in_kernel, in_python)
        ]
        assert added[0] == added[1]
    first = max(0, len(in_python.totals) - 1)
    assert in_kernel.distinct == len(in_python.totals)
    text, lengths, numbers = in_kernel.first(first)
    expected = list(in_python.totals.items())[:first]
    assert list(zip(parts_of(text, lengths), numbers, strict=True)) == expected


@with_kernel
def test_the_kernel_adds_up_no_piece_that_was_not_learnt() -> None:
    sums, one = KernelSums(), array("q", [1]).tobytes()
    sums.learn(0, *joined([b"low"]), one)
    with pytest.raises(ValueError, match="not learnt"):
        sums.add(0, one, one)
    with pytest.raises(ValueError, match="do not add up"):
        sums.learn(0, b"low", array("q", [4]).tobytes(), one)


def test_a_tally_numbers_pretokens_by_first_appearance_for_any_counter() -> None:
    splitter = SpecialSplitter(["<s>"])
    chunks = [b"low lower", b" lower lowest<s>", b" low", b"low lowest!"]
    expected = Counter(
        [b"low", b" lower", b" lower", b" lowest", b" low", b"low", b" lowest", b"!"]
    )
    for kind in (counter_for, PlainCounter):
        tally, counters = Tally(), [kind(PATTERNS["gpt2"], splitter) for _ in range(2)]
        for place, chunk in enumerate(chunks):
            tally.add(place % 2, counters[place % 2].count(chunk, continues=place in (1, 3)))
        assert list(tally.counts().items()) == list(expected.items())
        assert (tally.documents, tally.pretokens, tally.distinct) == (2, 8, 5)


END = b"<|endoftext|>"


def course_boundaries(file: BinaryIO, desired_num_chunks: int, token: bytes) -> list[int]:
    """The function of CS336's first assignment, step by step."""
    file.seek(0, os.SEEK_END)
    file_size = file.tell()
    file.seek(0)
    chunk_size = file_size // desired_num_chunks
    boundaries = [i * chunk_size for i in range(desired_num_chunks + 1)]
    boundaries[-1] = file_size
    for bi in range(1, len(boundaries) - 1):
        initial_position = boundaries[bi]
        file.seek(initial_position)
        while True:
            mini_chunk = file.read(4096)
            if mini_chunk == b"":
                boundaries[bi] = file_size
                break
            found_at = mini_chunk.find(token)
            if found_at != -1:
                boundaries[bi] = initial_position + found_at
                break
            initial_position += 4096
    return sorted(set(boundaries))


@examples(200)
@given(
    parts=st.lists(st.sampled_from([END, b"a story ", b"x" * 4090, b"y" * 9000]), max_size=12),
    chunks=st.integers(1, 20),
)
@example(parts=[], chunks=4)
@example(parts=[b"a story"], chunks=4)
@example(parts=[b"y" * 4095, END, END], chunks=2)
@example(parts=[END, END], chunks=2)
def test_the_boundaries_are_those_of_the_course(parts: list[bytes], chunks: int) -> None:
    text = b"".join(parts)
    found = find_chunk_boundaries(io.BytesIO(text), chunks, END)
    assert found == course_boundaries(io.BytesIO(text), chunks, END)


@pytest.mark.parametrize(("chunks", "token"), [(0, END), (-1, END), (1 << 40, END), (4, b"")])
def test_chunks_of_no_use_are_an_error(chunks: int, token: bytes) -> None:
    with pytest.raises(CorpusError):
        find_chunk_boundaries(io.BytesIO(b"a story"), chunks, token)


def test_a_sample_gives_the_number_of_distinct_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words drawn so that the n-th is n times rarer than the first, as in prose."""
    chance, words = random.Random(1), range(1, 30_000)
    drawn = chance.choices(words, [1 / n for n in words], k=60_000)
    (tmp_path / "corpus").write_text(" ".join(f"w{n:x}" for n in drawn))
    monkeypatch.setattr(forecast, "WORTH_A_SAMPLE", 1)
    monkeypatch.setattr(forecast, "BLOCK", 1 << 10)
    needed = forecast_memory(Corpus(tmp_path / "corpus"), "whitespace")
    assert needed is not None
    right = len(count_pretokens(tmp_path / "corpus", "whitespace"))
    assert 0.8 * right < (needed - AT_LEAST) / A_PRETOKEN < 1.25 * right


def test_a_text_without_new_words_needs_no_more() -> None:
    assert distinct_in(100, half=50, whole=50) == 50
    assert 180 < distinct_in(2, half=50, whole=100) < 200


def test_small_packed_and_several_files_have_no_forecast(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("low lower " * 10_000)
    assert forecast_memory(Corpus(tmp_path / "a.txt"), "gpt2") is None
    monkeypatch.setattr(forecast, "WORTH_A_SAMPLE", 1)
    assert forecast_memory(Corpus(tmp_path / "a.txt"), "gpt2") is not None
    (tmp_path / "b.gz").write_bytes(gzip.compress(random.Random(0).randbytes(100_000)))
    assert forecast_memory(Corpus(tmp_path / "b.gz"), "gpt2") is None
    assert forecast_memory(Corpus(tmp_path), "gpt2") is None
