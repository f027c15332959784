"""The output files: checked before the work, written after it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO

from engine.bpe.record import MergeStep
from engine.core import files
from engine.core.errors import OutputError, OutputExistsError
from engine.text.corpus import Corpus

Writing = AbstractContextManager[Callable[[MergeStep], object]]
"""The context of a function that writes a step; at its end all steps are on the disk."""


def check_outputs(paths: Sequence[Path], corpus: Corpus, *, overwrite: bool) -> None:
    """Raise `OutputError` or `OutputExistsError` if files could not be written after the work."""
    if len(set(map(os.path.realpath, paths))) < len(paths):
        raise OutputError(f"{paths[-1]}: --steps and --out name the same file")
    for path in paths:
        directory = path.parent
        while not directory.exists():  # missing directories will be made
            directory = directory.parent
        if not directory.is_dir():
            raise OutputError(f"{directory}: is not a directory")
        if not os.access(directory, os.W_OK | os.X_OK):
            raise OutputError(f"{directory}: no permission to write there")
        if not path.exists():
            continue
        if not path.is_file():
            raise OutputError(f"{path}: is no ordinary file; choose another place")
        if any(each.path is not None and path.samefile(each.path) for each in corpus.sources):
            raise OutputError(f"{path}: is the corpus; choose another place")
        if not overwrite:
            raise exists_error(path)


def check_free(*paths: Path, force: bool) -> None:
    """Raise an `OutputExistsError` that names `--force` if a path exists, unless it is given."""
    for path in () if force else paths:
        try:
            files.check_free(path)
        except OutputExistsError as error:
            raise exists_error(path) from error


def exists_error(path: Path) -> OutputExistsError:
    """Return the error of a command that must not overwrite a file."""
    return OutputExistsError(f"{path}: is there already; give --force to overwrite it")


@contextmanager
def step_writer(path: Path | None, *, overwrite: bool) -> Iterator[Writing]:
    """Yield the context of a function that writes a step; without a path it does nothing.

    The file is in its place when the block ends without error.
    """
    if path is None:
        yield nullcontext(lambda step: None)
        return
    with files.written_meanwhile(path, overwrite=overwrite) as opened:
        yield _json_lines(opened)


@contextmanager
def _json_lines(
    opened: AbstractContextManager[BinaryIO],
) -> Iterator[Callable[[MergeStep], object]]:
    with opened as stream:
        yield lambda step: stream.write(
            json.dumps(step.as_dict(), ensure_ascii=False).encode() + b"\n"
        )
