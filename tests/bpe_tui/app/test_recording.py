"""Recordings: a terminal that plays them shows the same as the screen."""

import asyncio
import json
import re
from pathlib import Path

import pyte
import pytest
from opening import opened_as
from program import HANDOUT, run
from rich.segment import Segment
from textual.strip import Strip

from bpe_tui.app.recorder import CLEAR, drawn
from bpe_tui.session.config import RunConfig, Viewpoint
from bpe_tui.session.state import describe_failure, without_state
from bpe_tui.shell.exports import screen_text


def played(path: Path) -> tuple[dict[str, object], list[tuple[float, str]], dict[float, str]]:
    """Play a recording: return its header, each time with the screen, and the marks."""
    first, *events = map(json.loads, path.read_text("utf-8").splitlines())
    screen = pyte.Screen(first["width"], first["height"])
    stream = pyte.Stream(screen)
    shown, marks = [], {}
    for seconds, kind, output in events:
        assert kind in ("o", "m")
        if kind == "m":
            marks[seconds] = output
            continue
        stream.feed(output)
        shown.append((seconds, "".join(f"{line.rstrip()}\n" for line in screen.display)))
    return first, shown, marks


async def test_a_recording_played_back_is_the_screen_step_by_step(tmp_path: Path) -> None:
    out = tmp_path / "low.cast"
    options = ("--pattern", "whitespace", "--text", "lowest", "--size", "100x30", "--speed", "4")
    # The program makes an event loop of its own.
    result = await asyncio.to_thread(
        run, "record", HANDOUT, *options, "--steps", "8-12", "--out", out
    )
    assert result.returncode == 0, result.stderr
    header, shown, marks = played(out)
    assert (header["version"], header["width"], header["height"]) == (2, 100, 30)
    assert [seconds for seconds, _ in shown] == [0, 0.25, 0.5, 0.75, 1, 3]
    assert marks == {(step - 8) / 4: f"step {step}" for step in range(8, 13)}
    viewpoint = Viewpoint(view="training", text="lowest")
    config = RunConfig(HANDOUT, pattern="whitespace", viewpoint=viewpoint)
    async with opened_as(config, (100, 30)) as (app, pilot):
        for step, (_, screen) in zip(range(8, 13), shown, strict=False):
            app.seek(step)
            await pilot.pause()
            assert screen == screen_text(app.screen)


@pytest.mark.slow  # it films the screen
def test_the_lesson_view_is_recorded_beat_by_beat(tmp_path: Path) -> None:
    out = tmp_path / "low.cast"
    options = ("--pattern", "whitespace", "--view", "explain", "--steps", "2-3", "--out", out)
    assert run("record", HANDOUT, *options).returncode == 0
    _, shown, _ = played(out)  # one a second by itself: that leaves time for beats
    assert "step 2 of 12" in shown[0][1]
    said = "".join(screen for _, screen in shown)
    assert "picked" in shown[1][1]
    assert "Here it is: ow" in said
    assert len(shown) > 10
    assert [seconds for seconds, _ in shown] == sorted(seconds for seconds, _ in shown)
    assert shown[-1][0] == 10
    assert "step 3 of 12" in shown[-1][1]
    assert "o + w → ow" in shown[-1][1]
    run("record", HANDOUT, *options, "--force", "--speed", "2")
    assert [seconds for seconds, _ in played(out)[1]] == [0, 0.5, 2.5]  # too fast for beats


def test_no_control_character_of_a_corpus_is_in_a_recording(tmp_path: Path) -> None:
    corpus, out = tmp_path / "\x1b[2Jevil.txt", tmp_path / "evil.cast"
    corpus.write_bytes(b"\x1b]52;c;aGk=\x07 \x1b[31m red \xe2\x80\xae low\x9b31m\x00 " * 9)
    result = run("record", corpus, "--vocab-size", "265", "--steps", "0-2", "--out", out)
    assert result.returncode == 0, result.stderr
    assert result.stderr.endswith(f"Written: {out}\n".encode())
    header, *events = map(json.loads, out.read_text("utf-8").splitlines())
    written = "".join(output for _, _, output in events)
    rest = re.sub(r"\x1b\[(\?25l|2J|\d+;1H|[0-9;]*m)", "", written)
    assert rest.isprintable()
    assert "so it may be no text" not in rest  # no message is recorded
    assert str(header["title"]).isprintable()


def test_of_a_screen_after_another_the_changed_lines_are_written() -> None:
    low, new = (Strip([Segment(text)]) for text in ("low", "new"))
    assert drawn([low, new]) == f"{CLEAR}\x1b[1;1Hlow\x1b[2;1Hnew"
    assert drawn([low, new], [low, new]) == ""
    assert drawn([low, new], [low]) == "\x1b[2;1Hnew"
    assert drawn([low, new], [new, new]) == "\x1b[1;1Hlow"


def test_a_recording_is_refused_in_a_sentence(tmp_path: Path) -> None:
    out = tmp_path / "a.cast"
    for options, said in (
        (("--steps", "5-2"), "like 0-40"),
        (
            ("--steps", "0-13", "--pattern", "whitespace"),
            "there is no step 13; the run has 12 steps",
        ),
        (("--steps", "0-2", "--view", "vocab"), "did you mean 'vocabulary'"),
    ):
        result = run("record", HANDOUT, "--out", out, *options)
        assert result.returncode == 2
        assert said in result.stderr.decode()
        assert not out.exists()


@pytest.mark.slow  # it films the screen
def test_a_recording_does_not_depend_on_what_is_remembered_and_changes_nothing_of_it(
    tmp_path: Path, own_state: Path
) -> None:
    state = own_state / "bpe-tui" / "preferences.json"
    recordings = []
    for remembered in (None, b'{"is_light": true}'):
        state.unlink(missing_ok=True)
        if remembered is not None:
            state.write_bytes(remembered)
        out = tmp_path / "low.cast"
        result = run("record", HANDOUT, "--steps", "1-2", "--out", out, "--force")
        assert result.returncode == 0, result.stderr
        recordings.append(played(out))
        assert (state.read_bytes() if state.exists() else None) == remembered
    assert recordings[0] == recordings[1]
    assert not [path for path in own_state.rglob("*") if path.is_file() and path != state]


def test_nothing_is_kept_of_a_failure_while_recording() -> None:
    with without_state():
        assert describe_failure(ValueError("odd")).endswith("no report could be written.")
