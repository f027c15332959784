"""`check` on the command line, and the screen that it opens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from opening import SAMPLE, step, until

from bpe_tui import cli
from bpe_tui.app.app import NOTE_SECONDS, BpeTuiApp
from bpe_tui.cli.console import BAD_INPUT, DIFFERS
from bpe_tui.session.config import RunConfig
from engine import StepRecorder, Tokenizer, train_bpe

SPECIAL = "<|endoftext|>"


def trained(place: Path, tie_rule: str) -> Path:
    vocab, merges = train_bpe(SAMPLE, 357, [SPECIAL], tie_rule=tie_rule)
    Tokenizer(vocab, merges, [SPECIAL]).save(place)
    return place


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = cli.main(["check", *arguments, "--corpus", str(SAMPLE)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_what_train_makes_agrees(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    right = trained(tmp_path / "right", "lexicographic")
    files = (str(right / "vocab.json"), str(right / "merges.txt"))
    for given in ((str(right),), files):
        assert run(capsys, *given, "--vocab-size", "357") == (
            0,
            "All 100 merges are by the rule.\n"
            "The vocabulary is that of the rule, numbers and all.\n",
            "",
        )


def test_another_tie_rule_is_named_and_the_exit_code_tells(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    other = str(trained(tmp_path / "other", "first-seen"))
    code, out, err = run(capsys, other)
    assert (code, err) == (DIFFERS, "")
    assert out.startswith(
        "The first merge that is not by the rule is merge 35.\n"
        "The rule takes “·” + “p”, side by side 601 times, tied with “·” + “m”.\n"
        "Yours is “·” + “m”: it stands side by side 601 times.\n"
        "Likely cause (tie-rule): ties are decided by another rule, first-seen"
    )
    assert run(capsys, other, "--tie-rule", "first-seen")[0] == 0


def test_compare_and_check_say_the_same_number_of_the_merge_where_two_part(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    right, other = (str(trained(tmp_path / rule, rule)) for rule in ("lexicographic", "first-seen"))
    assert "is merge 35.\n" in run(capsys, other)[1]
    cli.main(["compare", right, other])
    assert "part at merge 35: " in capsys.readouterr().out


def test_the_outcome_as_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = run(capsys, str(trained(tmp_path / "x", "smallest-ids")), "--json")
    outcome = json.loads(out)
    assert (code, outcome["agrees"]) == (DIFFERS, False)
    assert outcome["divergence"]["step"] == 35
    assert outcome["divergence"]["rule"] == ["Ġ", "p"]
    assert outcome["causes"][0]["cause"] == "tie-rule"


def test_files_that_contradict_each_other_are_checked_all_the_same(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    made = trained(tmp_path / "made", "lexicographic")
    vocab = json.loads((made / "vocab.json").read_text())
    del vocab["he"]
    (made / "vocab.json").write_text(json.dumps(vocab))
    code, out, _ = run(capsys, str(made))
    assert code == DIFFERS
    assert out == "All 100 merges are by the rule.\nThe vocabulary lacks “he”.\n"


def test_recorded_steps_are_checked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    steps = tmp_path / "steps.jsonl"
    with StepRecorder(steps) as record:
        record(b"h", b"e", count=4803)
        record(b"\x1b", b"[2J")
    code, out, err = run(capsys, "--jsonl", str(steps))
    assert code == DIFFERS
    assert "Yours is “␛” + “[2J”: no earlier merge makes “[2J”." in out
    assert err == "note: tokens are written as GPT-2 spelling\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "check takes VOCAB and MERGES, or one path that holds both, or --jsonl STEPS.jsonl"),
        (["a", "b", "c"], "check takes VOCAB and MERGES"),
        (["a", "--jsonl", "b"], "check takes VOCAB and MERGES"),
        (["nothing-here"], "nothing-here: no such file or directory"),
        (["--jsonl", str(SAMPLE)], "line 1: is no JSON, or cut short"),
        (["a", "--pattern", "gpt3"], "unknown pattern 'gpt3'"),
        (["a", "--corpus", "-"], "a corpus to check against is read more than once; give a file"),
    ],
)
def test_bad_input_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: list[str], told: str
) -> None:
    if arguments[:1] == ["a"] and "--jsonl" not in arguments:
        arguments = [str(trained(tmp_path / "a", "lexicographic")), *arguments[1:]]
    corpus = [] if "--corpus" in arguments else ["--corpus", str(SAMPLE)]
    assert cli.main(["check", *arguments, *corpus]) == BAD_INPUT
    err = capsys.readouterr().err
    assert told in err
    assert len(err.splitlines()) == 1


async def test_the_screen_opens_at_the_step_and_says_why() -> None:
    app = BpeTuiApp(RunConfig(str(SAMPLE), vocab_size=400, first_step=35, note="[b]Yours[/b]"))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.session.stop_reason is not None)
        assert step(app) == 35
        (note,) = app._notifications
        assert (note.message, note.markup, note.timeout) == ("[b]Yours[/b]", False, NOTE_SECONDS)
        await pilot.press("right")
        assert step(app) == 36


async def test_a_run_that_ends_before_the_step_opens_at_its_end() -> None:
    app = BpeTuiApp(RunConfig(str(SAMPLE), vocab_size=300, first_step=99, note="too far"))
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.session.stop_reason is not None)
        await pilot.pause()
        assert step(app) == 43
