"""Steps in lines of JSON, from a trainer in any language."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("{", "is no JSON, or cut short"),
        ("[" * 10_000, "is no JSON, or cut short"),
        ("[]", 'is no JSON object {"left": …, "right": …}'),
        ('{"left": "a"}', 'has no "right"'),
        ('{"left": " a", "right": "b"}', "\"left\" has the character ' ', which GPT-2's spelling"),
        ('{"left": [256], "right": "b"}', '"left" is a list, but not of bytes from 0 to 255'),
        ('{"left": [true], "right": "b"}', '"left" is a list, but not of bytes from 0 to 255'),
        ('{"left": {"hex": "0"}, "right": "b"}', '"left" has hex that is damaged'),
        ('{"left": {"base64": "é"}, "right": "b"}', '"left" has base64 that is damaged'),
        ('{"left": {"hex": 7}, "right": "b"}', '"left" is none of: text, a list of bytes,'),
        ('{"left": {"octal": "7"}, "right": "b"}', '"left" is none of: text, a list of bytes,'),
        ('{"left": 7, "right": "b"}', '"left" is none of: text, a list of bytes,'),
        ('{"left": "", "right": "b"}', '"left" is empty'),
        ('{"left": "a", "right": "b", "count": -1}', '"count" is no whole number'),
        ('{"left": "a", "right": "b", "new_id": true}', '"new_id" is no whole number'),
    ],
)
def test_the_error_of_a_bad_line_has_its_number(tmp_path: Path, line: str, expected: str) -> None:
    path = written(tmp_path, '{"left": "a", "right": "b"}', "", line)
    with pytest.raises(StepsFileError) as error:
        read_steps(path)
    assert str(error.value).startswith(f"{path}: line 3: {expected}")


def test_too_long_a_line_is_an_error(tmp_path: Path) -> None:
    assert read_steps(written(tmp_path, '{"left": "a", "right": "b"}'.rjust(LONGEST_LINE))).steps
    with pytest.raises(StepsFileError, match="line 1 is longer than"):
        read_steps(written(tmp_path, " " * (LONGEST_LINE + 1)))


@pytest.mark.parametrize("lines", [[], ["", " "]])
def test_a_file_without_steps_is_an_error(tmp_path: Path, lines: list[str]) -> None:
    with pytest.raises(StepsFileError, match="holds no step"):
        read_steps(written(tmp_path, *lines))


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
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


def test_steps_recorded_before_a_crash_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "steps.jsonl"

    def crash() -> None:
        with StepRecorder(path) as record:
            record(b"a", b"b")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        crash()
    assert json.loads(path.read_text()) == {"left": "a", "right": "b"}


def test_the_recorder_reports_a_path_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"), StepRecorder(tmp_path):
        pass
    with pytest.raises(OutputError, match="record inside"):
        StepRecorder(tmp_path / "x")(b"a", b"b")


@pytest.mark.parametrize(
    ("ids", "agrees", "expected"),
    [
        ((256, 257), True, None),
        ((257, 258), True, "New tokens are numbered from 257 on, by the rule 256."),
        ((256, 259), False, "The new ids do not count up: that of merge 2 is out of line."),
    ],
)
def test_new_ids_are_compared_with_the_rule(
    ids: tuple[int, int], agrees: bool, expected: str | None
) -> None:
    steps = [ClaimedStep(b"o", b"w", 1, ids[0]), ClaimedStep(b"l", b"ow", 1, ids[1])]
    report = check_claim(Claim(steps), Assignment(lambda: b"low"))
    assert report.agrees == agrees
    assert (list(report.describe())[1:] or [None]) == [expected]
