"""Pieces with their scores as lines of text, like SentencePiece's `.vocab` beside a model.

No program reads it back as a tokenizer: it does not say how a text is cut into pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.core.files import write_files


def save_piece_list(
    pieces: Sequence[tuple[str, float]], path: Path, *, overwrite: bool = False
) -> int:
    """Write a line for each piece, by id: the piece, a tab, its score.

    Pieces that are no UTF-8 are left out; so are those that would break a line.

    Returns:
        the number of pieces left out.

    Raises:
        OutputExistsError: the file exists and `overwrite` is false.
        OutputError: the system does not allow writing.
    """
    kept = [(text, score) for text, score in pieces if _is_one_field(text)]
    lines = "".join(f"{text}\t{score:.6g}\n" for text, score in kept)
    write_files({path: lines.encode()}, overwrite=overwrite)
    return len(pieces) - len(kept)


def _is_one_field(text: str) -> bool:
    is_text = not any("\ud800" <= character <= "\udfff" for character in text)
    return is_text and "\t" not in text and text.splitlines() == [text]
