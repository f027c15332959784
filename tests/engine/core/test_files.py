"""Files are written completely or not at all, and overwrite others only on request."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

import pytest
from file_checks import ENDS, INTERRUPTIONS, NO_SPACE, FullDisk, contents, each_interruption

from bpe_tui.cli import main
from engine import OutputError, OutputExistsError
from engine.core import drafts
from engine.core.drafts import DRAFT, sweep, temporary_folder
from engine.core.files import check_free, write_files, written_meanwhile
from engine.core.systems import machine


def test_files_are_written_to_the_disk_and_their_directories_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_disk: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda handle: on_disk.append(os.fstat(handle).st_size))
    write_files({tmp_path / "a" / "one": b"1", tmp_path / "a" / "b" / "two": b"22"})
    assert contents(tmp_path) == {"a/one": b"1", "a/b/two": b"22"}
    assert on_disk[:2] == [1, 2]


def test_a_file_that_is_there_keeps_all_from_being_written(tmp_path: Path) -> None:
    (tmp_path / "two").write_bytes(b"old")
    with pytest.raises(OutputExistsError, match=r"two: is there already"):
        write_files({tmp_path / "one": b"new", tmp_path / "two": b"new"})
    assert contents(tmp_path) == {"two": b"old"}


def test_a_write_that_fails_leaves_the_old_files_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = {"one": b"old 1", "two": b"old 2"}
    for name, content in old.items():
        (tmp_path / name).write_bytes(content)
    for fails_at, error in product((1, 2), (NO_SPACE, KeyboardInterrupt())):
        monkeypatch.setattr(os, "fsync", FullDisk(fails_at, error))
        with pytest.raises((OutputError, KeyboardInterrupt)):
            write_files({tmp_path / name: b"new" for name in old}, overwrite=True)
        assert contents(tmp_path) == old


def test_a_write_that_fails_removes_the_folders_that_it_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", FullDisk(2, NO_SPACE))
    with pytest.raises(OutputError, match="one: cannot be written: No space left on device"):
        write_files({tmp_path / "a" / "b" / "one": b"1", tmp_path / "a" / "c" / "two": b"2"})
    assert list(tmp_path.iterdir()) == []
    handles = len(os.listdir("/dev/fd"))
    monkeypatch.undo()
    write_files({tmp_path / "a" / "one": b"1", tmp_path / "a" / "two": b"2"})
    assert contents(tmp_path) == {"a/one": b"1", "a/two": b"2"}
    assert len(os.listdir("/dev/fd")) == handles


def test_what_is_in_the_way_is_an_error_that_leaves_no_temporary_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "one").mkdir()
    with pytest.raises(OutputError, match="file: cannot be written"):
        write_files({tmp_path / "file" / "one": b"new"})
    with pytest.raises(OutputError, match="one: cannot be written"):
        write_files({tmp_path / "one": b"new"}, overwrite=True)
    with pytest.raises(OutputExistsError):
        check_free(tmp_path / "one")
    assert contents(tmp_path) == {"file": b"old"}


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_file_that_is_overwritten_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "one"
    path.write_bytes(b"old")
    (tmp_path / "usual").open("wb").close()
    (tmp_path / "folder").mkdir()
    write_files({tmp_path / "a" / "b" / "new": b""})
    assert mode(tmp_path / "a" / "b" / "new") == mode(tmp_path / "usual")
    assert {mode(tmp_path / name) for name in ("a", "a/b")} == {mode(tmp_path / "folder")}
    for kept in (0o640, 0o600, 0o444):
        path.chmod(kept)
        write_files({path: b"new"}, overwrite=True)
        assert mode(path) == kept


def test_private_files_and_their_new_directories_are_for_their_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "usual" / "new" / "one"
    write_files({path: b""}, private=True)
    assert (mode(path), mode(path.parent)) == (0o600, 0o700)
    (tmp_path / "other").mkdir()
    assert mode(tmp_path / "usual") == mode(tmp_path / "other")


def test_a_symlink_is_followed_as_cp_does_and_refused_where_it_leads_nowhere(
    tmp_path: Path,
) -> None:
    link, place = tmp_path / "link", tmp_path / "place"
    link.symlink_to(place)
    with pytest.raises(OutputError, match="leads nowhere"):
        write_files({link: b"new"})
    place.write_bytes(b"old")
    write_files({link: b"new"}, overwrite=True)
    assert link.is_symlink()
    assert place.read_bytes() == b"new"


@pytest.mark.parametrize("had_old", [True, False], ids=["replaced", "new"])
@pytest.mark.parametrize("kind", INTERRUPTIONS)
def test_a_file_interrupted_at_any_call_is_the_old_or_the_whole_new_one(
    tmp_path: Path, kind: str, had_old: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drafts, "has_ended", lambda process: True)  # as if it had killed this one
    place = tmp_path / "folder" / "one"
    old = {"folder/one": b"old"} if had_old else {}
    outcomes = []
    for interruption in each_interruption(kind):
        shutil.rmtree(tmp_path / "folder", ignore_errors=True)
        if had_old:
            write_files({place: b"old"})
        with interruption.among_calls(), contextlib.suppress(*ENDS):
            write_files({place: [b"n", b"ew"]}, overwrite=True)
        found = {name: data for name, data in contents(tmp_path).items() if DRAFT not in name}
        assert found in (old, {"folder/one": b"new"})
        outcomes.append(found != old)
        write_files({place: b"later"}, overwrite=True)
        assert contents(tmp_path) == {"folder/one": b"later"}
    assert len(outcomes) > 3
    assert outcomes[-1]


def test_a_file_that_is_written_meanwhile_is_there_when_it_is_whole(tmp_path: Path) -> None:
    path, ends = tmp_path / "steps", (OutputError, KeyboardInterrupt)
    for error in (NO_SPACE, KeyboardInterrupt()):
        with contextlib.suppress(*ends), written_meanwhile(path) as opened, opened as stream:
            stream.write(b"1")
            raise error
        assert contents(tmp_path) == {}
    with written_meanwhile(path) as opened, opened as stream:
        stream.write(b"1")
        assert not path.exists()
    assert contents(tmp_path) == {"steps": b"1"}


def test_nothing_is_computed_for_a_file_that_is_there_already(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"old")
    with pytest.raises(OutputExistsError), written_meanwhile(tmp_path / "one"):
        pytest.fail("it computes")


def test_a_file_that_somebody_made_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "one"
    with pytest.raises(OutputExistsError), written_meanwhile(path):
        path.write_bytes(b"theirs")
    assert contents(tmp_path) == {"one": b"theirs"}


def test_files_of_a_new_folder_that_somebody_made_meanwhile_are_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, fsync = tmp_path / "new", os.fsync

    def make_folder(handle: int) -> None:
        fsync(handle)
        folder.mkdir(exist_ok=True)
        (folder / "one").write_bytes(b"theirs")

    monkeypatch.setattr(os, "fsync", make_folder)
    for overwrite, kind in ((False, OutputExistsError), (True, OutputError)):
        shutil.rmtree(folder, ignore_errors=True)
        with pytest.raises(kind):
            write_files({folder / "one": b"1", folder / "two": b"2"}, overwrite=overwrite)
        assert contents(tmp_path) == {"new/one": b"theirs"}


def test_two_links_to_one_file_are_refused(tmp_path: Path) -> None:
    place, links = tmp_path / "place", [tmp_path / "a", tmp_path / "b"]
    place.write_bytes(b"old")
    for link in links:
        link.symlink_to(place)
    with pytest.raises(OutputError, match="given twice"):
        write_files(dict.fromkeys(links, b"new"), overwrite=True)
    assert place.read_bytes() == b"old"


def test_drafts_of_killed_programs_are_swept_and_those_under_way_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, hour = 1_800_000_000, 3600
    monkeypatch.setattr(drafts, "time", lambda: now)
    for age in (hour + 1, hour, 0, -hour, -hour - 1):
        path = tmp_path / f".{age}.1{DRAFT}"
        path.write_bytes(b"")
        os.utime(path, (now - age,) * 2)
    folder = tmp_path / f".folder.1{DRAFT}"
    folder.mkdir()
    (folder / "one").write_bytes(b"")
    (tmp_path / "kept").mkdir()
    (tmp_path / f".link.1{DRAFT}").symlink_to(tmp_path / "kept")
    for path in (folder, tmp_path / f".link.1{DRAFT}"):
        os.utime(path, (1, 1), follow_symlinks=False)
    sweep(tmp_path)
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == [f".-{hour}.1{DRAFT}", f".0.1{DRAFT}", f".{hour}.1{DRAFT}", "kept"]


def _ended_process() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_drafts_of_an_ended_process_go_at_once_and_no_live_one_s_or_another_user_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended, alive = _ended_process(), os.getpid()
    names = {
        f".one.{machine()}-{ended}-1{DRAFT}": False,
        f".old.{machine()}-{ended}-1.txt": True,  # not its name
        f".live.{machine()}-{alive}-1{DRAFT}": True,
        f".parent.{machine()}-1-1{DRAFT}": True,  # most often another user's process
        f".far.0-{ended}-1{DRAFT}": True,  # on another machine, and young
        f".long.{machine()}-{'9' * 30}-1{DRAFT}": True,  # no process has this number
    }
    for name in names:
        (tmp_path / name).mkdir()
    os.utime(tmp_path / f".live.{machine()}-{alive}-1{DRAFT}", (1, 1))
    kept, link = tmp_path / "kept", tmp_path / f".link.{machine()}-{ended}-1{DRAFT}"
    kept.mkdir()
    link.symlink_to(kept)
    monkeypatch.setattr(drafts, "user_id", lambda own: own + 1)
    sweep(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {*names, "kept", link.name}
    monkeypatch.undo()
    sweep(tmp_path)
    stay = {name for name, stays in names.items() if stays}
    assert {path.name for path in tmp_path.iterdir()} == {*stay, "kept"}


def test_a_temporary_folder_is_its_owner_s_and_the_next_one_removes_those_of_ended_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ended = _ended_process()
    with monkeypatch.context() as patch, temporary_folder() as live:
        (live / "file").write_bytes(b"")
        assert live.stat().st_mode & 0o777 == 0o700
        patch.setattr(os, "getpid", lambda: ended)
        left = drafts.draft_of(tmp_path / "bpe-tui")
        left.mkdir()
        with temporary_folder() as another:
            assert {*tmp_path.iterdir()} == {live, another}
        left.mkdir()
        assert main(["--version"]) == 0  # so does each command
        assert {*tmp_path.iterdir()} == {live}
    assert [*tmp_path.iterdir()] == []
