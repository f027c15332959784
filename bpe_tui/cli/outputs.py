"""The files that training writes: checked before the work, put in place after it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from engine.bpe.record import MergeStep
from engine.core import files
from engine.core.errors import OutputError, OutputExistsError
from engine.text.corpus import Corpus


def check_outputs(paths: Sequence[Path], corpus: Corpus, *, overwrite: bool) -> None:
    """Raises `OutputError` or `OutputExistsError` if the files could not be written in the end."""
    if len({path.resolve() for path in paths}) < len(paths):
        raise OutputError(f"{paths[-1]}: --steps and --out name the same file")
    for path in paths:
        _check_directory(path.parent)
        if path.exists():
            _check_replaceable(path, corpus, overwrite)


def _check_directory(directory: Path) -> None:
    """Check that files can be written there, once what is missing of the path has been made."""
    while not directory.exists():
        directory = directory.parent
    if not directory.is_dir():
        raise OutputError(f"{directory}: is not a directory")
    if not os.access(directory, os.W_OK | os.X_OK):
        raise OutputError(f"{directory}: no permission to write there")


def _check_replaceable(path: Path, corpus: Corpus, overwrite: bool) -> None:
    if not path.is_file():
        raise OutputError(f"{path}: is no ordinary file; choose another place")
    if any(each.path is not None and path.samefile(each.path) for each in corpus.sources):
        raise OutputError(f"{path}: is the corpus; choose another place")
    if not overwrite:
        raise is_there(path)


def check_free(path: Path) -> None:
    """Raises an `OutputExistsError` that names `--force` if something is there."""
    try:
        files.check_free(path)
    except OutputExistsError as error:
        raise is_there(path) from error


def is_there(path: Path) -> OutputExistsError:
    """What a command says that must not overwrite."""
    return OutputExistsError(f"{path}: is there already; give --force to overwrite it")


@contextmanager
def step_writer(path: Path | None, *, overwrite: bool) -> Iterator[Callable[[MergeStep], None]]:
    """A function that writes a step as a line of JSON; without a path it does nothing.

    The lines go into a draft beside `path`, which takes its place when the block ends well.
    """
    if path is None:
        yield lambda step: None
        return
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("x", encoding="utf-8", newline="\n") as stream:
            yield lambda step: print(json.dumps(step.as_dict(), ensure_ascii=False), file=stream)
            stream.flush()
            os.fsync(stream.fileno())
        if not overwrite:
            check_free(path)
        draft.replace(path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        draft.unlink(missing_ok=True)
