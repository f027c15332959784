"""Steps in lines of JSON, from a trainer in any language."""

from __future__ import annotations

import json
from contextlib import chdir
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sheets import check_sheet, refusal

from engine import OutputError, StepRecorder, StepsFileError
from engine.analysis.check.checking import check_claim
from engine.analysis.check.claim import Assignment, Claim
from engine.analysis.check.steps_file import LONGEST_LINE, ClaimedStep, read_steps, read_token


def written(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "steps.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("left", "form"),
    [
        ('"Ġt"', "GPT-2 spelling"),
        ("[32, 116]", "lists of bytes"),
        ('{"hex": "2074"}', "hex"),
        ('{"base64": "IHQ="}', "base64"),
    ],
)
def test_a_token_may_be_written_in_several_forms(tmp_path: Path, left: str, form: str) -> None:
    read = read_steps(written(tmp_path, f'{{"left": {left}, "right": "h", "extra": [1]}}', ""))
    assert read.steps == [ClaimedStep(b" t", b"h")]
    assert form in read.forms


WRONG = [
    *("{", "[" * 10_000, "[]", '{"left": "a"}', '{"left": "", "right": "b"}'),
    *('{"left": "a", "right": "b", "count": -1}', '{"left": "a", "right": "b", "new_id": true}'),
]
FORMS = ['" a"', "[256]", "[-1]", "[true]", '{"hex": "0"}', '{"base64": "é"}', '{"hex": 7}', "7"]
FORMS += ['{"octal": "7"}', '{"hex": "61", "base64": "IA=="}']


def test_the_error_of_a_bad_line_has_its_number(tmp_path: Path) -> None:
    def read(line: str) -> object:
        path = written(tmp_path, '{"left": "a", "right": "b"}', "", line)
        with chdir(path.parent):
            return read_steps(path.name)

    lines = [*WRONG, *(f'{{"left": {form}, "right": "b"}}' for form in FORMS)]
    check_sheet("errors/steps", (refusal(read, line) for line in lines))


def test_too_long_a_line_and_too_many_are_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_steps(written(tmp_path, '{"left": "a", "right": "b"}'.rjust(LONGEST_LINE))).steps
    with pytest.raises(StepsFileError, match="line 1 is longer than"):
        read_steps(written(tmp_path, " " * (LONGEST_LINE + 1)))
    monkeypatch.setattr("engine.analysis.check.steps_file.MOST_STEPS", 2)
    line = '{"left": "a", "right": "b"}'
    assert len(read_steps(written(tmp_path, line, line)).steps) == 2
    with pytest.raises(StepsFileError, match="has more than 2 lines"):
        read_steps(written(tmp_path, line, line, line))


def test_a_file_without_steps_and_a_missing_one_are_an_error(tmp_path: Path) -> None:
    for lines in ([], ["", " "]):
        with pytest.raises(StepsFileError, match="holds no step"):
            read_steps(written(tmp_path, *lines))
    with pytest.raises(StepsFileError, match="cannot be read: No such file"):
        read_steps(tmp_path / "none")


@given(st.binary(min_size=1))
def test_any_token_can_be_written_in_any_form(token: bytes) -> None:
    assert read_token(list(token))[0] == token
    assert read_token({"hex": token.hex()})[0] == token


def test_recorded_steps_are_read_back(tmp_path: Path) -> None:
    path = tmp_path / "steps.jsonl"
    with StepRecorder(path) as record:
        record(b"\x00\xff", b" \n")
        record(b"a", b"b", count=3, new_id=257)
        record(b"c", b"d", count=0, new_id=0)
    assert read_steps(path).steps == [
        ClaimedStep(b"\x00\xff", b" \n"),
        ClaimedStep(b"a", b"b", 3, 257),
        ClaimedStep(b"c", b"d", 0, 0),
    ]


def test_each_step_is_in_the_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "steps.jsonl"
    with StepRecorder(path) as record:
        record(b"a", b"b")
        assert json.loads(path.read_text()) == {"left": "a", "right": "b"}


def test_the_recorder_reports_a_path_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written: Is a dir"), StepRecorder(tmp_path):
        pass
    with pytest.raises(OutputError, match="record inside"):
        StepRecorder(tmp_path / "x")(b"a", b"b")


@pytest.mark.parametrize(
    ("ids", "agrees", "expected"),
    [
        ((256, 257), True, None),
        ((None, 257), True, None),
        ((257, 258), True, "New tokens are numbered from 257 on, by the rule 256."),
        ((256, 259), False, "The new ids do not count up: that of merge 2 is out of line."),
    ],
)
def test_new_ids_are_compared_with_the_rule(
    ids: tuple[int | None, int], agrees: bool, expected: str | None
) -> None:
    steps = [ClaimedStep(b"o", b"w", 1, ids[0]), ClaimedStep(b"l", b"ow", 1, ids[1])]
    report = check_claim(Claim(steps), Assignment(lambda: b"low"))
    assert report.agrees == agrees
    assert (list(report.describe())[1:] or [None]) == [expected]
