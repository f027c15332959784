"""Texts in a field of records: JSON lines, and the columns of Parquet files.

A record that is broken, or whose field holds no text, is an error that names it, or is skipped.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

from engine.core.errors import CorpusError

PARQUET = b"PAR1"
"""How Parquet files begin and end."""
LONGEST_LINE = 1 << 28
"""Bytes of a line of JSON; what is longer is another kind of file."""
_NAMES_TOLD = 8
_ROWS = 1 << 10

Skip = Callable[[CorpusError], None]
"""Is told of each bad record; raises the error, or does not: the record is left out then."""


def json_texts(name: str, blocks: Iterable[bytes], field: str, skip: Skip) -> Iterator[bytes]:
    r"""The texts in a field of JSON lines; empty lines mean nothing.

    Args:
        name: of the file, for the errors.
        blocks: the file, cut anywhere.

    >>> def stop(error): raise error
    >>> list(json_texts("a", [b'{"text": "one"}\n{"te', b'xt": "two"}'], "text", stop))
    [b'one', b'two']
    """
    for number, line in enumerate(_lines(name, blocks), 1):
        if not line.strip():
            continue
        try:
            yield _text_of(line, field)
        except CorpusError as error:
            skip(CorpusError(f"{name}: line {number:,} {error}"))


def _lines(name: str, blocks: Iterable[bytes]) -> Iterator[bytes]:
    parts: list[bytes] = []
    length, first = 0, True
    for block in blocks:
        if first:
            block, first = block.removeprefix(b"\xef\xbb\xbf"), False
        *whole, rest = block.split(b"\n")
        for line in whole:
            yield b"".join((*parts, line))
            parts, length = [], 0
        parts.append(rest)
        length += len(rest)
        if length > LONGEST_LINE:
            raise CorpusError(
                f"{name}: a line of more than {LONGEST_LINE:,} bytes; is it JSON lines?"
            )
    yield b"".join(parts)


def _text_of(line: bytes, field: str) -> bytes:
    try:
        record = json.loads(line)
    except RecursionError:
        raise CorpusError("is nested too deeply") from None
    except json.JSONDecodeError as error:
        said = error.msg.removesuffix(" at")  # as `Unterminated string starting at` ends
        raise CorpusError(f"is no JSON: {said} at character {error.pos + 1:,}") from None
    except ValueError:
        raise CorpusError("is not UTF-8") from None
    if not isinstance(record, dict):
        raise CorpusError("is no JSON object")
    if field not in record:
        raise CorpusError(f"has no field {field!r}{_there_are(list(record))}")
    return _bytes_of(record[field], field)


def _bytes_of(value: object, field: str) -> bytes:
    if not isinstance(value, str):
        raise CorpusError(f"holds no text in {field!r}")
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise CorpusError(f"holds half a character in {field!r}") from None


def _there_are(names: list[str]) -> str:
    if not names:
        return ""
    more = ", …" if len(names) > _NAMES_TOLD else ""
    return f"; there are: {', '.join(names[:_NAMES_TOLD])}{more}"


def parquet_texts(
    name: str, file: BinaryIO, field: str, skip: Skip, on_part: Callable[[float], None]
) -> Iterator[bytes]:
    """The texts in a column of a Parquet file, some rows at a time.

    Args:
        file: can be read back and forth.
        on_part: is told which part of the rows has been read, from 0 to 1.

    Raises:
        CorpusError: it is damaged, or has no such column of texts.
    """
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise CorpusError(
            f"{name}: Parquet files need pyarrow, which is not installed; install it "
            "(pip install 'bpe-tui[parquet]')"
        ) from None
    try:
        with parquet.ParquetFile(file) as opened:
            columns = opened.schema_arrow.names
            if field not in columns:
                raise CorpusError(f"{name}: has no column {field!r}{_there_are(columns)}")
            row, rows = 0, opened.metadata.num_rows
            for batch in opened.iter_batches(_ROWS, columns=[field]):
                for value in _values(batch):
                    row += 1
                    try:
                        text = _bytes_of(value, field)
                    except CorpusError as error:
                        skip(CorpusError(f"{name}: row {row:,} {error}"))
                    else:
                        yield text
                on_part(row / rows)
    except (ArrowException, OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise CorpusError(
            f"{name}: damaged Parquet file, or one that pyarrow cannot read; write it anew"
        ) from error


def _values(batch: Any) -> Iterator[object]:
    values: list[object] = batch.column(0).to_pylist()
    return iter(values)
