"""The course's function that cuts a file for parallel counting, beside its own code."""

from __future__ import annotations

import io
import os
from typing import BinaryIO

import pytest
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st

from engine import CorpusError, find_chunk_boundaries

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
