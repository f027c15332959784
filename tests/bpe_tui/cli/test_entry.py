"""Progress at a terminal, streams that are closed, interrupts, and values that options parse."""

import io
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bpe_tui import cli
from bpe_tui.app import base
from bpe_tui.app.step_page import MOST_CELLS
from bpe_tui.cli import choices, compare, console, inputs, progress, quiz, record
from bpe_tui.cli.inputs import CommandLineError
from bpe_tui.cli.plain import lines_typed
from bpe_tui.cli.progress import ProgressLine
from bpe_tui.words.encoded_text import chips
from engine import Tokenizer
from engine.core import systems
from engine.core.events import CountProgress, WorkProgress
from engine.learning.quiz import LONGEST_NAME
from engine.recording.training_input import CountedCorpus

# -- progress


def test_progress_is_shown_after_a_second_then_at_intervals_and_cleared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, shown = [50.0], list[str]()
    monkeypatch.setattr(console, "monotonic", lambda: now[0])
    monkeypatch.setattr(console, "NEWS_SECONDS", 0.25)
    monkeypatch.setattr(console, "show_progress", shown.append)

    def blocks() -> Iterator[bytes]:
        for seconds in (0.5, 0.375, 0.125, 0.125, 0.125):
            now[0] += seconds
            yield bytes(8)

    assert [*map(len, console.with_progress(blocks()))] == [8] * 5
    assert shown == ["24 B │ 24 B/s", "40 B │ 32 B/s", ""]
    reader: Any = SimpleNamespace(taken=500, total=2000)
    shown.clear()
    assert len(list(console.with_progress(blocks(), reader))) == 5
    assert shown[0] == "500 B of 2 KB │ 500 B/s │ 3 s left"


def test_a_terminal_is_shown_one_line_and_visible_characters(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    console.show_progress("reading")
    assert capsys.readouterr() == ("", "")
    for stream in (sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    console.show_progress("a\x1bb")
    console.write_result(b"a b\n\x1b[2J\n")
    assert capsys.readouterr() == ("a b\n␛[2J\n", "\ra␛b\x1b[K")


GROUNDS = "\x1b[38;5;254;48;5;16m", "\x1b[38;5;254;48;5;239m"
"""The colours of two chips in turn."""


@pytest.mark.parametrize(
    ("term", "no_colour", "drawn"),
    [
        ("xterm-256color", "", f"{GROUNDS[0]}ab\x1b[0m{GROUNDS[1]}c\x1b[0m = 7"),
        ("xterm-256color", "1", "ab|c = 7"),
        ("xterm", "", "ab|c = 7"),
        ("dumb", "", "ab|c = 7"),
    ],
)
def test_chips_are_drawn_on_a_terminal_with_many_colours(
    term: str,
    no_colour: str,
    drawn: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in (("TERM", term), ("NO_COLOR", no_colour), ("COLORTERM", "")):
        monkeypatch.setenv(name, value)
    line = [*chips([b"ab", b"c"]), (" = 7", "")]
    for is_terminal, shown in ((False, "ab|c = 7"), (True, drawn)):
        monkeypatch.setattr(sys.stdout, "isatty", lambda is_terminal=is_terminal: is_terminal)
        console.print_line(line, "|")
        assert capsys.readouterr().out == f"{shown}\n"


def test_the_line_shows_reading_and_merging_a_few_times_a_second(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now, written, shown = [10.0], list[object](), list[str]()
    monkeypatch.setattr("bpe_tui.cli.progress.time.monotonic", lambda: now[0])
    monkeypatch.setattr("bpe_tui.cli.progress.peak_memory", lambda: 3_000_000)
    monkeypatch.setattr(progress, "show_progress", shown.append)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    training: Any = SimpleNamespace(trainer=SimpleNamespace(merges_wanted=70))
    with ProgressLine(written.append) as line:
        line.on_progress(CountProgress(10, 4000, 1, 1, 1))  # many trainings end in a second
        now[0] = 12.0
        line.on_progress(CountProgress(1000, 4000, 1, 1, 1))
        line.on_progress(CountProgress(1001, 4000, 1, 1, 1))
        monkeypatch.setattr(progress, "LONG_PRETOKEN", 3)
        line.on_counted(CountedCorpus(Counter([b"lo", b"i"])))
        assert capsys.readouterr().err == ""
        line.on_counted(CountedCorpus(Counter([b"lo", b"low"])))
        assert capsys.readouterr().err.startswith("bpe-tui: note: the pattern leaves 3 B uncut: ")
        line.on_begun(training, CountedCorpus())
        for step in range(70):
            now[0] += 0.01
            line.on_step(step)
        assert written == [*range(70)]
        now[0] = 13.0
        line.on_work(WorkProgress("sorting", 1, 3))
        now[0] = 13.5
        line.on_ended(training)
    reading = "reading │ 1 KB of 4 KB │ 500 B/s │ 6 s left"
    merging = [f"merging │ {steps} of 70 merges" for steps in (21, 42, 63)]
    assert shown == [reading, "", "", *merging, "sorting │ 1 of 3", ""]
    line.print_costs(4000)
    said = "counting 2.00 s (2 KB/s), merging 1.50 s; peak memory 3 MB\n"
    assert capsys.readouterr().err == said


def test_a_comparison_says_what_it_encodes(monkeypatch: pytest.MonkeyPatch, toy: Path) -> None:
    shown = list[str]()
    monkeypatch.setattr(console, "show_progress", shown.append)
    tokenizer = inputs.open_named([str(toy)])
    compare._compared([tokenizer, tokenizer], None, [("a", b"the"), ("b", b"hat")])
    assert shown == ["encoding a with 2 tokenizers …", "encoding b with 2 tokenizers …", ""]


def test_a_comparison_opens_with_its_first_text_where_there_is_a_screen(
    toy: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = list[Any]()
    monkeypatch.setattr(base, "run_screen", lambda make: opened.append(make()))
    command = ["compare", str(toy), str(toy), "--open"]
    assert cli.main(command) == 2
    assert "the screen needs a terminal" in capsys.readouterr().err
    monkeypatch.setenv("TEXTUAL_DRIVER", "a.web:Driver")
    file = ["--file", str(toy / "corpus.txt")]
    for more, data in (
        ([], b""),
        (file, b"the cat in the hat"),
        (["--text", "low", *file], b"low"),
    ):
        cli.main([*command, *more])
        screen = opened.pop()
        assert [each.name for each in screen._compared] == [str(toy)] * 2
        assert screen._data == data
        assert [each.open().merges for each in screen._compared] == [Tokenizer.load(toy).merges] * 2


def test_who_types_is_asked_for_a_line_and_the_end_of_the_input_ends_the_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    typed, asked = iter(["next", "why"]), list[str]()

    def answer(prompt: str) -> str:
        asked.append(prompt)
        if (line := next(typed, None)) is None:
            raise EOFError
        return line

    monkeypatch.setattr("builtins.input", answer)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"low \xff")))
    assert list(lines_typed()) == ["low \udcff"]
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    assert list(lines_typed()) == ["next", "why"]
    assert (asked, capsys.readouterr().out) == (["> "] * 3, "\n")


@pytest.mark.parametrize("words", [[], ["low"]])
def test_who_types_a_text_to_encode_is_told_how_it_ends(
    words: list[str], toy: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"low")))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    assert cli.main(["encode", "--tokenizer", str(toy), *words]) == 0
    told = "" if words else "Type the text to encode; Ctrl+D on an empty line ends it.\n"
    assert capsys.readouterr() == ("108 111 119\n", told)


# -- closed streams, interrupts


@pytest.mark.parametrize(
    ("name", "words", "code", "said"),
    [
        ("stdin", [], 0, ""),
        ("stderr", ["--text"], 2, ""),
        ("stdout", ["a"], 2, "standard output is closed, and there is something to write"),
        ("stdout", ["a", "--json", "--explain"], 2, "--explain and --json contradict"),
    ],
)
def test_a_stream_that_the_caller_has_closed_is_an_empty_one(
    name: str,
    words: list[str],
    code: int,
    said: str,
    toy: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, name, None)
    assert cli.main(["encode", "--tokenizer", str(toy), *words]) == code
    printed = capsys.readouterr()
    assert printed.out.strip() == ""
    assert printed.err.startswith(f"bpe-tui: {said}" if said else "")
    assert bool(said) == bool(printed.err)
    print("the end", flush=True)  # what is left to write is no error any more


@pytest.mark.parametrize(
    ("terminals", "driver", "opens"),
    [
        ("stdin stdout stderr", "", True),
        ("stdin stdout", "", False),
        ("stdin stderr", "", False),
        ("stdout stderr", "", False),
        ("", "a.web:Driver", True),
    ],
)
def test_without_arguments_the_start_page_opens_where_it_can_be_drawn_and_typed_to(
    terminals: str, driver: str, opens: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = list[object]()
    monkeypatch.setattr(inputs, "open_screen", lambda config: opened.append(config) or 0)
    monkeypatch.setenv("TEXTUAL_DRIVER", driver)
    monkeypatch.setattr(sys, "argv", ["bpe-tui"])
    for name in terminals.split():
        monkeypatch.setattr(getattr(sys, name), "isatty", lambda: True)
    assert cli.main() == (0 if opens else 2)
    assert opened == ([None] if opens else [])
    monkeypatch.setattr(sys, "argv", ["bpe-tui", "--version"])
    assert cli.main() == 0


def test_a_terminal_without_a_character_gets_its_escape(
    toy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(drawn, encoding="ascii"))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert cli.main(["decode", "--tokenizer", str(toy), "27"]) == 0
    assert drawn.getvalue() == b"\\u241b\n"


def test_an_interrupt_ends_the_program_after_its_cleanup_and_not_amid_an_import(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from bpe_tui import __main__ as start

    def interrupted() -> int:
        raise KeyboardInterrupt

    left, handlers, soon = list[int](), list[object](), list[float]()
    monkeypatch.setattr(os, "_exit", left.append)
    monkeypatch.setattr(start.signal, "signal", lambda _, handler: handlers.append(handler))
    monkeypatch.setattr(systems, "interrupt_soon", soon.append)
    monkeypatch.setattr(cli, "main", lambda: 7)
    assert (start.main(), left) == (7, [])
    monkeypatch.setattr(cli, "main", interrupted)
    start.main()
    assert left == [130]
    assert handlers == [start._leave, start._interrupt, start._leave] * 2
    monkeypatch.setattr(start, "main", lambda: 7)
    start.run()
    assert left == [130, 7]
    with pytest.raises(start.Interrupted):
        start._interrupt(2, sys._getframe())
    interrupt = lambda: start._interrupt(2, sys._getframe())  # noqa: E731
    exec(compile("interrupt()", "<frozen importlib._bootstrap>", "exec"), {"interrupt": interrupt})
    assert soon == [start.SOON]


def test_another_engine_is_named_and_any_other_error_of_an_import_is_raised(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from bpe_tui import __main__ as start

    monkeypatch.setattr(start.signal, "signal", lambda *_: None)
    monkeypatch.delattr(cli, "main")
    with pytest.raises(ImportError):
        start.main()
    monkeypatch.delitem(sys.modules, "engine")
    assert start._foreign_engine() == ""
    monkeypatch.setitem(sys.modules, "engine", SimpleNamespace(__file__="/x/engine.py"))
    assert start.main() == 2
    assert capsys.readouterr().err == (
        "bpe-tui: /x/engine.py is another package named engine and hides the one of bpe-tui; "
        "install bpe-tui in an environment of its own: pipx install bpe-tui\n"
    )


# -- what options parse


def most_steps(cells: tuple[int, int]) -> Callable[[str], object]:
    return lambda typed: (record._steps(typed), record._check_page(record._steps(typed), cells))  # type: ignore[func-returns-value]


@pytest.mark.parametrize(
    ("parse", "typed", "value"),
    [
        (record._steps, "0-40", (0, 40)),
        (record._steps, "12", (12, 12)),
        (record._steps, "first", None),
        (choices._limits_of, "2", {"max_token_length": 2}),
        (record._steps, f"5-{4 + record.MOST_STEPS}", (5, 4 + record.MOST_STEPS)),
        (record._steps, f"5-{5 + record.MOST_STEPS}", None),
        (record._steps, "5-4", None),
        (record._size, "60x20", (60, 20)),
        (record._size, "400×200", (400, 200)),
        *((record._size, typed, None) for typed in ("59x20", "60x19", "401x200", "400x201", "60")),
        (most_steps((1000, MOST_CELLS // 3000)), "3-6", None),
        (most_steps((1000, MOST_CELLS // 3000)), "3-5", ((3, 5), None)),
        (quiz.numbers_of, "1-3, 7", [1, 2, 3, 7]),
        (quiz.numbers_of, " ", []),
        (quiz.numbers_of, "999", [999]),
        (quiz.numbers_of, "1-999", [*range(1, 101)]),
        (quiz.numbers_of, "1000", None),
        (partial(quiz._checked_text, "--name"), "x" * LONGEST_NAME, "x" * LONGEST_NAME),
        (partial(quiz._checked_text, "--name"), "x" * (LONGEST_NAME + 1), None),
    ],
)
def test_an_option_is_parsed_up_to_its_limits(
    parse: Callable[[str], object], typed: str, value: object
) -> None:
    if value is None:
        with pytest.raises(CommandLineError):
            parse(typed)
    else:
        assert parse(typed) == value
