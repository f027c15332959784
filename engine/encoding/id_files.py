"""Files of token ids, written while the text is read: the form in which models are trained on them.

An id takes two bytes if every id of the vocabulary fits, and else four. `.npy` is NumPy's format,
which `numpy.load(…, mmap_mode="r")` opens without reading it; `.bin` is the same integers without a
header (little-endian, as nanoGPT reads them); `.txt` has an id on each line.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from engine.core.arguments import checked
from engine.core.errors import OutputError
from engine.core.files import write_files
from engine.core.slow_modules import np
from engine.encoding.text_encoder import TokenIds
from engine.encoding.tokenizer import Tokenizer, fill_template


@dataclass(frozen=True)
class WrittenIds:
    """A file of ids.

    Attributes:
        type_name: the type of an id in the file: `uint16`, `uint32`, or `text`.
        ids: number of ids.
        bytes_read: number of bytes of the text.
    """

    type_name: str
    ids: int
    bytes_read: int

    @property
    def bytes_per_token(self) -> float:
        return self.bytes_read / max(self.ids, 1)


IdArrays = Iterable["np.ndarray"]
"""The ids of a text in arrays, one for each chunk."""


def _write_integers(arrays: IdArrays, stream: BinaryIO) -> int:
    written = 0
    for ids in arrays:
        stream.write(ids.tobytes())
        written += len(ids)
    return written


def _write_array(arrays: IdArrays, type_code: str, stream: BinaryIO) -> int:
    """Write NumPy's format; NumPy leaves room in the header for the length, known at the end."""

    def write_header(length: int) -> None:
        facts = {"descr": type_code, "fortran_order": False, "shape": (length,)}
        np.lib.format.write_array_header_1_0(stream, facts)

    write_header(0)
    begin = stream.tell()
    written = _write_integers(arrays, stream)
    stream.seek(0)
    write_header(written)
    assert stream.tell() == begin
    return written


def _write_lines(arrays: IdArrays, stream: BinaryIO) -> int:
    written = 0
    for ids in arrays:
        stream.write("".join(f"{token_id}\n" for token_id in ids.tolist()).encode())
        written += len(ids)
    return written


ID_FILES: dict[str, Callable[[IdArrays, str, BinaryIO], int]] = {
    ".npy": _write_array,
    ".bin": lambda arrays, type_code, stream: _write_integers(arrays, stream),
    ".txt": lambda arrays, type_code, stream: _write_lines(arrays, stream),
}
"""Ending of a file's name → a function that writes arrays of ids and returns their number."""


@checked
def write_ids(
    path: str | os.PathLike[str],
    tokenizer: Tokenizer,
    texts: Iterable[Iterable[bytes]],
    *,
    overwrite: bool = False,
    template: bool = False,
    workers: int | None = None,
) -> WrittenIds:
    """Encode texts and write their ids into a file one after another, in bounded memory.

    Args:
        path: its ending is one of `ID_FILES`.
        tokenizer: the ids are those of its `encode_iterable`.
        texts: each in UTF-8, as blocks that are cut anywhere, such as a file opened with "rb".
        overwrite: whether the file may be replaced.
        template: whether to add what the tokenizer's template puts around each text.
        workers: threads to encode with, if the kernel encodes; by default one for each core.

    Raises:
        OutputError: the ending is unknown, or the system refuses.
        OutputExistsError: the file exists and `overwrite` is false.
    """
    path = Path(path)
    write = check_ending(path)
    type_code = tokenizer.id_type
    read = written = 0

    def counted(blocks: Iterable[bytes]) -> Iterator[bytes]:
        nonlocal read
        for block in blocks:
            read += len(block)
            yield block

    def encoded() -> Iterator[TokenIds]:
        for blocks in texts:
            ids = tokenizer.encode_stream_compactly(counted(blocks), workers)
            yield from (
                fill_template(tokenizer.template_ids, ids, lambda added: [list(added)])
                if template
                else ids
            )

    def write_to(stream: BinaryIO) -> None:
        nonlocal written
        written = write((np.asarray(ids, dtype=type_code) for ids in encoded()), type_code, stream)

    write_files({path: write_to}, overwrite=overwrite)
    type_name = "text" if path.suffix == ".txt" else np.dtype(type_code).name
    return WrittenIds(type_name, written, read)


def check_ending(path: Path) -> Callable[[IdArrays, str, BinaryIO], int]:
    """Return the function that writes such a file.

    Raises:
        OutputError: the ending of its name is none of `ID_FILES`.
    """
    if path.suffix not in ID_FILES:
        raise OutputError(f"{path}: ids are written into files that end in {', '.join(ID_FILES)}")
    return ID_FILES[path.suffix]
