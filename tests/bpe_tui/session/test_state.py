"""What is remembered, and names as they are typed."""

import json
import os
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bpe_tui.session import state
from bpe_tui.session.config import RunConfig, TokenizerConfig
from bpe_tui.session.lessons import builtin_lessons, numbered_lesson
from bpe_tui.session.models import MODELS, with_trainer
from engine.core.drafts import DRAFT
from engine.core.errors import UnknownNameError
from engine.text.corpus import PLAIN, Reading


def test_opened_files_are_remembered_once_the_latest_first(own_state: Path) -> None:
    for name in [*(f"/texts/{number}" for number in range(30)), "/texts/7"]:
        state.remember_opened(RunConfig(name))
    kept = state.recent()
    assert kept[:2] == [("/texts/7",), ("/texts/29",)]
    assert len(kept) == state.KEPT == len(set(kept))
    state.remember_opened(TokenizerConfig(("v.json", "m.txt"), "/texts/3"))
    Path("a.jsonl").touch()
    options = Reading(field="text", skip_bad=True)
    for config in (
        RunConfig("a.jsonl", reading=options),
        RunConfig("a.jsonl", reading=options._replace(skip_bad=False)),
        RunConfig("*.txt"),
        RunConfig("-"),  # what follows has nothing to open again
        RunConfig("a.jsonl", reading=Reading(more=("b.jsonl",))),
        TokenizerConfig(("g",)),
    ):
        state.remember_opened(config)
    here = os.path.abspath("a.jsonl")
    assert state.recent()[:6] == [
        ("g",),
        (os.path.abspath("*.txt"),),
        (f"{here} --field text",),
        (f"{here} --field text --skip-bad",),
        ("v.json", "m.txt"),
        ("/texts/3",),
    ]
    written = json.loads((own_state / "bpe-tui" / "recent.json").read_bytes())
    assert written[4:6] == [["v.json", "m.txt"], ["/texts/3"]]


LONGEST = "x" * 4095
BAD_ENTRIES = [1, [], [1], ["a", 2], [["b"]], {"c": 1}, ["a", "b", "c"], ["a", ""], [LONGEST + "x"]]


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[" * 100_000, b"\xff", b"{}", json.dumps(BAD_ENTRIES).encode(), b"9" * 9999],
)
def test_invalid_state_files_are_ignored(own_state: Path, content: bytes) -> None:
    place = own_state / "bpe-tui" / "recent.json"
    place.write_bytes(content)
    assert state.recent() == []
    state.remember_opened(RunConfig(LONGEST))
    assert state.recent() == [(LONGEST,)]


def test_only_preferences_that_change_are_written(own_state: Path) -> None:
    place = own_state / "bpe-tui" / "preferences.json"
    place.write_text('{"is_light": 1, "welcomed": true}')
    state.save_preferences(is_light=False)
    assert "1" in place.read_text()
    left = place.with_name(f".left{DRAFT}")  # by a program that was killed
    left.touch()
    os.utime(left, (0, 0))
    place.chmod(0o644)
    place.parent.chmod(0o755)
    state.save_preferences(is_light=True)
    modes = [stat.S_IMODE(each.stat().st_mode) for each in (place, place.parent)]
    assert (modes, left.exists()) == ([0o600, 0o700], False)
    assert json.loads(place.read_text()) == {"is_light": True, "welcomed": True, "language": ""}
    assert state.preferences() == state.Preferences(is_light=True, welcomed=True)
    for foreign in ('{"is_light": "x"}', '{"is_light": [1]}', "{", "[]"):
        place.write_text(foreign)
        assert state.preferences() == state.Preferences()
    with state.without_state():
        assert (state.preferences(), state.recent()) == (state.Preferences(welcomed=True), [])
        state.save_preferences(is_light=True)
        assert state.preferences().is_light
    assert place.read_text() == "[]"


def failed_below(line: int) -> Exception:
    """Return an error that is raised three calls below a line."""
    calls = {"first": lambda: calls["second"](), "second": lambda: calls["third"]()}
    calls["third"] = lambda: 1 // 0
    with pytest.raises(ZeroDivisionError) as failure:
        exec(compile("\n" * line + "first()", "outer.py", "exec"), calls)
    return failure.value


def test_a_failure_is_reported_once_and_the_latest_reports_are_kept(own_state: Path) -> None:
    places = []
    for line in (*range(state.REPORTS_KEPT + 2), 1):
        with pytest.raises(ZeroDivisionError) as failure:
            exec(compile("\n" * line + "1 / 0", "divides.py", "exec"))
        places.append(state.report(failure.value))
    assert places.pop() == places[1]
    assert state.report(failed_below(1)) == state.report(failed_below(2))
    places = [*places[1:], state.report(failed_below(1))]
    kept = sorted((own_state / "bpe-tui" / "reports").iterdir())
    assert kept == places[2:]


@pytest.mark.parametrize(
    ("read", "cases"),
    [
        (
            lambda typed: state.parse_typed(typed),
            {
                "v.json and  m.txt": ("v.json", "m.txt"),
                "salt and pepper": ("salt", "pepper"),
                "this and that": ("this and that",),  # a file has this name
                "~/a.txt": (os.path.expanduser("~/a.txt"),),
                "~/a and ~/b": (os.path.expanduser("~/a"), os.path.expanduser("~/b")),
            },
        ),
        (
            lambda given: state.as_typed(given.split()),
            {
                "v.json m.txt": "v.json and m.txt",
                os.path.expanduser("~/a"): f"~{os.sep}a",
                os.path.expanduser("~") + "else": os.path.expanduser("~") + "else",
            },
        ),
        (
            lambda typed: state.as_reading(typed),
            {
                "a.jsonl --field  text": ("a.jsonl", Reading(field="text")),
                "a --field b --skip-bad": ("a", Reading(field="b", skip_bad=True)),
                "a --skip-bad": ("a --skip-bad", PLAIN),
                " --field a": (" --field a", PLAIN),
                "c --field d": ("c --field d", PLAIN),  # a file has this name
            },
        ),
    ],
)
def test_names_are_read_as_they_are_typed(
    read: Callable[[str], object], cases: dict[str, object]
) -> None:
    Path("this and that").touch()
    Path("c --field d").touch()
    assert {typed: read(typed) for typed in cases} == cases


def test_another_model_or_trainer_takes_the_options_that_it_has() -> None:
    textbook = MODELS["unigram"].trainers[1]
    run = RunConfig("a", 300, pattern="cl100k", phases="gpt2:260,none:300", most_words=2)
    unigram = replace(run, model="unigram", phases="", most_words=None)
    by_book = replace(
        unigram, trainer=textbook.name, vocab_size=None, units="words", pattern="lines"
    )
    default = replace(run, vocab_size=None, phases="", most_words=None)
    expected: list[tuple[RunConfig, str, Any, RunConfig]] = [
        (run, "bpe", None, run),
        (run, "unigram", None, unigram),
        (run, "unigram", MODELS["unigram"].trainers[0], unigram),
        (run, "unigram", textbook, by_book),
        (by_book, "unigram", None, replace(unigram, vocab_size=None, pattern="gpt2")),
        (replace(by_book, pattern="none"), "bpe", None, replace(default, pattern="none")),
        (replace(by_book, vocab_size=5), "bpe", None, replace(default, pattern="gpt2")),
    ]
    for config, model, trainer, result in expected:
        assert with_trainer(config, model, trainer) == result, result


def test_a_lesson_is_named_by_its_number_unless_a_file_has_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    third = builtin_lessons()[2].path
    named = {"3": third, "03": third, "x": None, "²": None, "": None, "4": None}
    Path("4").touch()
    assert {number: numbered_lesson(number) for number in named} == named
    with pytest.raises(UnknownNameError):
        numbered_lesson("99")
