"""`StepRecorder`: lets one's own trainer write down its merges, to be checked afterwards."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import TracebackType
from typing import IO

from engine.core.errors import OutputError
from engine.core.gpt2_bytes import spell


class StepRecorder:
    r"""Writes each merge of a trainer as a line of JSON, which `bpe-tui check --jsonl` reads.

    A line is on its way to the disk as soon as it is recorded, so that a trainer that crashes
    leaves its steps behind. What the file held before is lost: it is a log of one run.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "steps.jsonl")
    >>> with StepRecorder(path) as record:
    ...     record(b" t", b"he", count=12)
    >>> path.read_text(encoding="utf-8")
    '{"left": "Ġt", "right": "he", "count": 12}\n'

    Raises:
        OutputError: the file cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._file: IO[str] | None = None

    def __enter__(self) -> StepRecorder:
        try:
            self._file = self._path.open("w", encoding="utf-8", newline="\n", buffering=1)
        except (OSError, ValueError) as error:
            raise self._failed(error) from error
        return self

    def __call__(
        self, left: bytes, right: bytes, count: int | None = None, new_id: int | None = None
    ) -> None:
        """Write down a merge: the bytes of its two tokens; its count and new id if given."""
        if self._file is None:
            raise OutputError(f"{self._path}: record inside `with StepRecorder(…) as record:`")
        told: dict[str, object] = {"left": spell(left), "right": spell(right)}
        numbers = {"count": count, "new_id": new_id}
        told |= {name: number for name, number in numbers.items() if number is not None}
        try:
            self._file.write(json.dumps(told, ensure_ascii=False) + "\n")
        except OSError as error:
            raise self._failed(error) from error

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _failed(self, error: OSError | ValueError) -> OutputError:
        reason = getattr(error, "strerror", None) or error
        return OutputError(f"{self._path}: cannot be written: {reason}")
