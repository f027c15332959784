"""Files are written wholly or not at all, and never over another file unasked."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from engine.core.errors import OutputError, OutputExistsError
from engine.core.files import check_free, write_files


def contents(place: Path) -> dict[str, bytes]:
    """Every file there, hidden ones too."""
    return {str(p.relative_to(place)): p.read_bytes() for p in place.rglob("*") if p.is_file()}


class FullDisk:
    """Stands in for `os.fsync` and fails at the call of that number."""

    def __init__(self, fails_at: int, error: BaseException) -> None:
        self.calls, self.fails_at, self.error = 0, fails_at, error

    def __call__(self, handle: int) -> None:
        self.calls += 1
        if self.calls == self.fails_at:
            raise self.error


NO_SPACE = OSError(errno.ENOSPC, "No space left on device")


def test_files_are_written_and_their_directories_made(tmp_path: Path) -> None:
    write_files({tmp_path / "a" / "one": b"1", tmp_path / "a" / "b" / "two": b"2"})
    assert contents(tmp_path) == {"a/one": b"1", "a/b/two": b"2"}


def test_a_file_has_the_mode_that_open_would_give_it(tmp_path: Path) -> None:
    write_files({tmp_path / "ours": b""})
    (tmp_path / "opened").open("wb").close()
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "opened").stat().st_mode


def test_a_file_that_is_there_keeps_all_from_being_written(tmp_path: Path) -> None:
    (tmp_path / "two").write_bytes(b"old")
    with pytest.raises(OutputExistsError, match=r"two: is there already"):
        write_files({tmp_path / "one": b"new", tmp_path / "two": b"new"})
    assert contents(tmp_path) == {"two": b"old"}


def test_a_directory_in_the_place_of_a_file_is_not_free_either(tmp_path: Path) -> None:
    with pytest.raises(OutputExistsError):
        check_free(tmp_path)
    check_free(tmp_path / "nothing here")


def test_overwriting_has_to_be_asked_for(tmp_path: Path) -> None:
    write_files({tmp_path / "one": b"old"})
    write_files({tmp_path / "one": b"new"}, overwrite=True)
    assert contents(tmp_path) == {"one": b"new"}


@pytest.mark.parametrize("fails_at", [1, 2])
@pytest.mark.parametrize("error", [NO_SPACE, KeyboardInterrupt()], ids=["full disk", "Ctrl+C"])
def test_a_write_that_fails_leaves_the_old_files_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails_at: int, error: BaseException
) -> None:
    old = {"one": b"old 1", "two": b"old 2"}
    for name, content in old.items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.setattr(os, "fsync", FullDisk(fails_at, error))
    with pytest.raises((OutputError, KeyboardInterrupt)):
        write_files({tmp_path / name: b"new" for name in old}, overwrite=True)
    assert contents(tmp_path) == old


def test_a_full_disk_is_an_error_that_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", FullDisk(1, NO_SPACE))
    with pytest.raises(OutputError, match="one: cannot be written: No space left on device"):
        write_files({tmp_path / "one": b"new"})


def test_a_file_where_a_directory_is_needed_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(OutputError, match="file: cannot be written"):
        write_files({tmp_path / "file" / "one": b"new"})
    assert contents(tmp_path) == {"file": b"old"}


def test_a_directory_in_the_way_is_an_error_that_leaves_no_temporary_file(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    with pytest.raises(OutputError, match="one"):
        write_files({tmp_path / "one": b"new"}, overwrite=True)
    assert contents(tmp_path) == {}
