"""BERT's `vocab.txt`: a piece a line as it is written, its id the number of the line from 0.

The file says nothing about special tokens, the pattern or lower case; who reads it has to know.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from engine.core.errors import TokenizerFileError
from engine.core.files import write_files

FILE = "vocab.txt"


def save_vocab(vocab: Mapping[int, bytes], path: Path, *, overwrite: bool = False) -> None:
    """Write the pieces.

    Raises:
        TokenizerFileError: a piece holds a line break or is no UTF-8, which the file cannot say.
        OutputExistsError: something is there and `overwrite` is false.
        OutputError: it cannot be written.
    """
    pieces = [vocab[piece_id] for piece_id in sorted(vocab)]
    for piece_id, piece in enumerate(pieces):
        if not _is_line(piece):
            raise TokenizerFileError(
                f"{path}: the piece {piece!r}, id {piece_id}, is no line of UTF-8, and {FILE} is "
                "made of such lines; train with another pattern, or without such text"
            )
    write_files({path: b"".join(piece + b"\n" for piece in pieces)}, overwrite=overwrite)


def _is_line(piece: bytes) -> bool:
    try:
        text = piece.decode()
    except UnicodeDecodeError:
        return False
    return text.splitlines() == [text]
