"""Chunks of a corpus as they are counted: worked by hand, and their sums over many chunks."""

from __future__ import annotations

import gzip
import io
import os
from pathlib import Path
from typing import BinaryIO

import pytest
from generated import examples, first_quick
from hypothesis import example, given
from hypothesis import strategies as st

from engine import (
    ChunkCounted,
    ChunkLog,
    CorpusError,
    count_pretokens,
    find_chunk_boundaries,
    find_even_cuts,
)
from engine.counting.chunk_boundaries import course_cuts
from engine.text.corpus import Corpus, Reading

TEXT = b"one two<s>three four<s>five"
"""Special tokens at the bytes 7 and 20; 27 bytes; one, two, three, four and five are pretokens."""


def chunk(
    number: int, worker: int, *, pretokens: int = 10, ends_special: bool = False
) -> ChunkCounted:
    return ChunkCounted(number, 100 * number, 100, worker, 7, 0.5, pretokens, ends_special)


def test_each_even_cut_moves_to_the_next_special_token() -> None:
    # 27 bytes in 3 parts: cuts at 9 and 18, both before the token at 20.
    cuts = find_even_cuts(io.BytesIO(TEXT), 3, b"<s>")
    assert [(cut.even, cut.moved, cut.by) for cut in cuts] == [(9, 20, 11), (18, 20, 2)]
    # In 2 parts: the cut at 13 moves 7 bytes on; in 4: those at 6, 12 and 18 by 1, 8 and 2.
    assert [cut.by for cut in find_even_cuts(io.BytesIO(TEXT), 2, b"<s>")] == [7]
    assert [cut.by for cut in find_even_cuts(io.BytesIO(TEXT), 4, b"<s>")] == [1, 8, 2]


def test_without_a_special_token_every_cut_moves_to_the_end(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"one two three four five six")
    found = course_cuts(Corpus(path), ["<s>"], 3)
    assert [(cut.even, cut.moved) for cut in found.cuts] == [(9, 27), (18, 27)]
    assert found.boundaries == [0, 27]  # one chunk


def test_a_search_gives_up_after_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "text"
    for token, is_found in ((4093, True), (4096, False)):
        path.write_bytes(b"x" * (20_001 + token) + b"<s>" + b"x" * (19_999 - token))
        monkeypatch.setattr("engine.counting.chunk_boundaries.MOST_SEARCHED", 2 * 4096)
        found = course_cuts(Corpus(path), ["<s>"], 2)
        assert found.is_known is is_found
        assert found.cuts[0].by == (token if is_found else None)
        assert found.boundaries == [0, *[20_001 + token] * is_found, 40_003]


@pytest.mark.parametrize(
    ("tokens", "reading", "why"),
    [
        ([], Reading(), "looks for a special token"),
        (["<s>"], Reading(more=("other",)), "cuts one file, and this corpus has 2"),
        (["<s>"], Reading(field="text"), "its texts in records"),
        (["<s>"], Reading(), "this file is packed"),
    ],
)
def test_the_course_cannot_cut_every_corpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tokens: list[str], reading: Reading, why: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("text", "other"):
        Path(name).write_bytes(gzip.compress(TEXT))
    with pytest.raises(CorpusError, match=why):
        course_cuts(Corpus("text", reading), tokens, 3)


# Python counts the second pattern, in a process of its own.
@pytest.mark.parametrize("pattern", first_quick(["gpt2", r"\w+|\W+"]))
def test_several_workers_report_every_byte_and_pretoken_once(tmp_path: Path, pattern: str) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"one two three<s>\n" * 180_000)
    log = ChunkLog()
    counts = count_pretokens(path, pattern, ["<s>"], workers=2, on_chunk=log.add)
    report = log.report
    assert report.chunks > 4
    assert report.bytes == path.stat().st_size
    assert report.pretokens == sum(counts.values())
    assert {each.worker for each in report.workers} <= {1, 2}
    starts = [each.start for each in report.logged]
    assert starts == sorted(starts)


def test_a_full_log_joins_neighbours_and_keeps_its_sums() -> None:
    log = ChunkLog(most=2)
    for number, worker in enumerate((1, 2, 1, 1, 3)):
        log.add(chunk(number, worker, ends_special=number == 3))
    report = log.report
    # 0 and 1 are full; with 2 they become one entry of two, then 2 and 3; with 4 one entry of four.
    assert report.chunks_an_entry == 4
    logged = [(each.start, each.chunks, each.workers) for each in report.logged]
    assert logged == [(0, 4, (1, 2)), (400, 1, (3,))]
    workers = [(each.worker, each.chunks, each.seconds) for each in report.workers]
    assert workers == [(1, 3, 1.5), (2, 1, 0.5), (3, 1, 0.5)]
    assert (report.chunks, report.bytes, report.pretokens) == (5, 500, 50)
    assert (report.after_special, report.processes) == (1, 1)


def test_a_log_of_any_number_of_chunks_is_bounded() -> None:
    log = ChunkLog(most=4)
    for number in range(1000):
        log.add(chunk(number, 1 + number % 2))
        assert len(log.report.logged) <= 4
    assert [each[:3] for each in log.report.logged] == [
        *((25_600 * place, 25_600, 256) for place in range(3)),
        (76_800, 23_200, 232),
    ]


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
