"""Files that belong together are the old or the new ones, whoever interrupts the program."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import signal
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from file_checks import ENDS, INTERRUPTIONS, Killed, contents, each_interruption

from engine import OutputError, Tokenizer, TokenizerFileError, train_bpe
from engine.core import file_sets
from engine.core.drafts import DRAFT
from engine.core.file_sets import LIST, finish_writing
from engine.core.files import write_files

NAMES = ("bpe-tui.json", "merges.txt", "vocab.json")


def a_set(folder: Path, content: bytes) -> dict[Path, bytes]:
    return {folder / name: content + name.encode() for name in NAMES}


def fresh(folder: Path) -> None:
    """Empty a folder, whatever is in it."""
    for path in folder.iterdir():
        path.unlink()


def visible(folder: Path) -> dict[str, bytes]:
    return {name: data for name, data in contents(folder).items() if not name.startswith(".")}


def finished_set(folder: Path) -> dict[str, bytes]:
    finish_writing(folder)
    return visible(folder)


@pytest.mark.parametrize("had_old", [True, False], ids=["replaced", "new"])
@pytest.mark.parametrize("kind", INTERRUPTIONS)
def test_a_set_interrupted_at_any_call_is_the_old_or_the_new_one(
    tmp_path: Path, kind: str, had_old: bool
) -> None:
    old = {path.name: data for path, data in a_set(tmp_path, b"old ").items()} if had_old else {}
    new = {path.name: data for path, data in a_set(tmp_path, b"new ").items()}
    outcomes = []
    for interruption in each_interruption(kind):
        fresh(tmp_path)
        for name, data in old.items():
            (tmp_path / name).write_bytes(data)
        with interruption.among_calls(), contextlib.suppress(*ENDS):
            write_files(a_set(tmp_path, b"new "), overwrite=True)
        found = finished_set(tmp_path)
        assert found in (old, new), f"call {interruption.at}"
        outcomes.append(found == new)
        if found == new and "killed" in kind:  # what is finished is tidied up, too
            assert contents(tmp_path) == new
    assert len(outcomes) > 20  # drafts, a list, old names, renames
    assert outcomes[-1]
    assert not all(outcomes)


def test_a_tokenizer_killed_at_any_call_loads_as_the_old_or_the_new_one(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("low lower lowest newest widest " * 9)
    old, new = (Tokenizer(*train_bpe(text, size)) for size in (259, 264))
    folder, loaded = tmp_path / "tokenizer", []
    for interruption in each_interruption("killed before a call"):
        old.save(folder, overwrite=True)
        with interruption.among_calls(), contextlib.suppress(Killed):
            new.save(folder, overwrite=True)
        by_files = interruption.at % 2
        names = [folder / name for name in ("vocab.json", "merges.txt")] if by_files else [folder]
        found = Tokenizer.load(*names)
        assert (found.vocab, found.merges) in [(each.vocab, each.merges) for each in (old, new)]
        loaded.append(len(found.merges))
    assert loaded == sorted(loaded)
    assert set(loaded) == {len(old.merges), len(new.merges)}


def killed_between_renames(folder: Path) -> None:
    """Save a set over an old one, and be killed after the first of three renames."""
    write_files(a_set(folder, b"old "))
    renames = os.replace

    def replace(draft: Any, place: Any) -> None:
        if Path(place).name == NAMES[1]:
            raise Killed
        renames(draft, place)

    with pytest.MonkeyPatch.context() as patch, contextlib.suppress(Killed):
        patch.setattr(os, "replace", replace)
        for name in ("unlink", "link"):
            patch.setattr(os, name, lambda *_, **__: None)
        write_files(a_set(folder, b"new "), overwrite=True)
    assert len({content[:3] for content in visible(folder).values()}) == 2


def refuse(*_: object, **__: object) -> None:
    raise OSError(errno.EROFS, "Read-only file system")


def test_a_set_that_cannot_be_finished_is_refused_until_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed_between_renames(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refuse)
        with pytest.raises(TokenizerFileError, match=r"not of one save.*Read-only file system"):
            Tokenizer.load(tmp_path)
        with pytest.raises(TokenizerFileError, match="not of one save"):
            Tokenizer.load(tmp_path / "vocab.json", tmp_path / "merges.txt")
    assert {content[:3] for content in finished_set(tmp_path).values()} == {b"new"}


def test_a_set_of_another_user_is_not_renamed_but_not_mixed_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed_between_renames(tmp_path)
    before = contents(tmp_path)
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    with pytest.raises(OutputError, match="belong to another user"):
        finish_writing(tmp_path)
    assert contents(tmp_path) == before


def test_a_set_with_a_lost_draft_is_refused_and_can_be_saved_again(tmp_path: Path) -> None:
    killed_between_renames(tmp_path)
    next(tmp_path.glob(f".{NAMES[2]}.*{DRAFT}")).unlink()
    with pytest.raises(OutputError, match="a draft is gone"):
        finish_writing(tmp_path)
    write_files(a_set(tmp_path, b"now "), overwrite=True)
    assert {content[:3] for content in visible(tmp_path).values()} == {b"now"}
    assert not (tmp_path / LIST).exists()


def test_drafts_are_given_up_if_a_file_was_changed_after_them(tmp_path: Path) -> None:
    killed_between_renames(tmp_path)
    (tmp_path / NAMES[0]).write_bytes(b"changed")
    found = finished_set(tmp_path)
    assert found == contents(tmp_path)
    assert found[NAMES[0]] == b"changed"
    assert found[NAMES[1]].startswith(b"old")


def test_files_of_a_folder_that_are_in_no_list_finish_nothing(tmp_path: Path) -> None:
    killed_between_renames(tmp_path)
    before = contents(tmp_path)
    (tmp_path / "other").write_bytes(b"")
    finish_writing(tmp_path / "other")
    finish_writing(tmp_path / "missing" / "other")
    assert contents(tmp_path) == before | {"other": b""}


def test_a_symlink_to_a_file_of_a_set_finishes_the_set(tmp_path: Path) -> None:
    killed_between_renames(tmp_path)
    link = tmp_path.with_name("link")
    link.symlink_to(tmp_path / NAMES[2])
    finish_writing(link)
    assert {content[:3] for content in contents(tmp_path).values()} == {b"new"}


def test_a_save_finishes_the_set_that_it_replaces_or_stands_beside(tmp_path: Path) -> None:
    killed_between_renames(tmp_path)
    write_files({tmp_path / NAMES[0]: b"alone"}, overwrite=True)
    assert [content[:3] for content in contents(tmp_path).values()].count(b"new") == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_among_the_renames_waits_for_their_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    write_files(a_set(tmp_path, b"old "))
    replace, heard = os.replace, []

    def replace_and_signal(draft: Any, place: Any) -> None:
        replace(draft, place)
        os.kill(os.getpid(), number)

    def end(*_: object) -> None:
        heard.append({content[:3] for content in contents(tmp_path).values()})
        raise KeyboardInterrupt

    before = signal.signal(number, end)
    try:
        monkeypatch.setattr(os, "replace", replace_and_signal)
        with pytest.raises(KeyboardInterrupt):
            write_files(a_set(tmp_path, b"new "), overwrite=True)
        assert signal.getsignal(number) is end
    finally:
        signal.signal(number, before)
    assert heard == [{b"new"}]


def test_a_folder_that_another_program_keeps_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_sets, "PATIENCE", 0.02)
    with file_sets._locked(tmp_path), pytest.raises(OutputError, match="another program is saving"):
        write_files(a_set(tmp_path, b"new "))
    assert contents(tmp_path) == {}


def test_a_file_system_without_links_or_locks_keeps_sets_whole_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr("fcntl.flock", refuse)
    write_files(a_set(tmp_path, b"old "))
    (tmp_path / NAMES[2]).unlink()
    (tmp_path / NAMES[2]).mkdir()  # which no file can replace
    with pytest.raises(OutputError):
        write_files(a_set(tmp_path, b"new "), overwrite=True)
    assert {content[:3] for content in contents(tmp_path).values()} == {b"old"}


# Lists that others have planted

ONE = sha256(b"1").hexdigest()
FORGED = (
    {"one": {"draft": "/etc/passwd", "new": ONE, "old": ONE}},
    {"one": {"draft": "two", "new": ONE, "old": ONE}},
    {"../one": {"draft": f".../one.1{DRAFT}", "new": ONE, "old": ONE}},
    {"..": {"draft": f"....1{DRAFT}", "new": ONE, "old": ONE}},
    {"one": {"draft": f".one.a/../../x{DRAFT}", "new": ONE, "old": ONE}},
    {"one": {"draft": f".one.1{DRAFT}", "new": ONE, "old": "0"}},
    {"one": {"draft": f".one.1{DRAFT}", "new": "0", "old": ONE}},
    {"one": {"draft": f".one.1{DRAFT}", "new": "unknown", "old": ONE}},
    {"one": {"draft": f".one.link{DRAFT}", "new": ONE, "old": ONE}},
    {"link": {"draft": f".link.1{DRAFT}", "new": ONE, "old": ONE}},
    {"a\0": {"draft": f".a\0.1{DRAFT}", "new": ONE, "old": None}},
    {f"{n}": {"draft": f".{n}.1{DRAFT}", "new": ONE, "old": None} for n in range(9)},
    {"one": {"draft": f".one.1{DRAFT}"}},
    {"one": {"draft": 1, "new": 1, "old": 1}},
    {"one": f".one.1{DRAFT}"},
    ["one"],
    [[[]]] * 9,
    "x" * (1 << 15),
)


@pytest.mark.parametrize("listed", FORGED)
def test_a_forged_list_moves_nothing(tmp_path: Path, listed: object) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in (folder / "one", folder / "two", folder / f".link.1{DRAFT}", tmp_path / "one"):
        name.write_bytes(b"1")
    (folder / f".one.1{DRAFT}").write_bytes(b"draft")
    (folder / f".one.link{DRAFT}").symlink_to(folder / "two")
    (folder / "link").symlink_to(tmp_path / "one")
    before = {name: data for name, data in contents(tmp_path).items() if DRAFT not in name}
    (folder / LIST).write_text(json.dumps(listed))
    finish_writing(folder)
    kept = {name: data for name, data in contents(tmp_path).items() if name in before}
    assert kept == before
    assert (folder / "link").is_symlink()


def test_a_list_that_is_a_link_or_a_pipe_is_not_read(tmp_path: Path) -> None:
    killed_between_renames(tmp_path)
    listing, elsewhere = tmp_path / LIST, tmp_path / "elsewhere"
    listing.rename(elsewhere)
    before = visible(tmp_path)
    listing.symlink_to(elsewhere)
    assert finished_set(tmp_path) == before
    listing.unlink()
    os.mkfifo(listing)
    finish_writing(tmp_path)
    listing.unlink()
    assert visible(tmp_path) == before
