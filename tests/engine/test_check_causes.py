"""Each mistake of a trainer is named as the cause, from the merges alone."""

from __future__ import annotations

from itertools import repeat
from pathlib import Path

import pytest
import students
from students import SPECIAL, Student

from engine import Trainer
from engine.analysis.check.assignment import Assignment
from engine.analysis.check.causes import CAUSES
from engine.analysis.check.checking import check, check_claim
from engine.analysis.check.claim import Claim
from engine.analysis.check.report import Report
from engine.analysis.check.steps_file import ClaimedStep

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "tinystories_valid.txt"
MERGES = 60
STORY = SAMPLE.read_text(encoding="utf-8")[:3000]


def repeated(text: str, times: int) -> str:
    return "".join(repeat(text, times))


MISTAKES: list[tuple[type[Student], str, str]] = [
    (students.TakesTheFirstOfEquals, "tie-rule", STORY),
    (students.ComparesSpellings, "tie-rule", STORY),
    (students.CountsWithoutOverlap, "overlap", STORY + repeated(" zzzzzz hmmmm", 30)),
    (students.LeavesSpecialTokensIn, "special-counted", STORY + repeated(f" The end.{SPECIAL}", 9)),
    (students.DoesWithoutPretokens, "border-crossed", STORY),
    (students.TrustsItsHeap, "stale-heap", STORY),
    (students.NeverLowersCounts, "not-lowered", STORY),
    (students.NeverCountsNewPairs, "not-entered", STORY),
    (students.NeverUpdatesCounts, "not-updated", STORY),
    (students.LooksAtOldNeighbours, "neighbours-before", STORY + repeated(" hahahaha", 40)),
    (students.MergesFromTheRight, "from-the-right", STORY + repeated(" ohhhhh zzzx xzzz", 30)),
    (students.MergesTheFirstOnly, "first-only", STORY + repeated(" hahahaha", 40)),
    (students.SplitsAtWhitespace, "pattern", STORY),
    (
        students.JoinsDocuments,
        "documents-joined",
        STORY + repeated(f" out{SPECIAL}side in{SPECIAL}doors", 30),
    ),
    (students.StripsDocuments, "documents-stripped", STORY + repeated(f"{SPECIAL}\n\n\nSo", 60)),
    (students.ReadsLineByLine, "line-by-line", STORY + repeated(" So.\n\n\n", 60)),
    (students.ReadsLinesWithoutTheirEnds, "newlines-lost", STORY + repeated("\r\n So.", 60)),
    (students.TranslatesNewlines, "newlines-translated", STORY + repeated("So.\r\n\r\n\r\n", 60)),
    (students.CountsEachWordOnce, "unweighted", STORY),
]


def assignment(text: str) -> Assignment:
    return Assignment(text.encode, (SPECIAL,))


def checked(student: Student, text: str, merges: int = MERGES, counts: bool = False) -> Report:
    steps = [
        ClaimedStep(*pair, count if counts else None) for pair, count in student.train(text, merges)
    ]
    return check_claim(Claim(steps), assignment(text))


def test_what_a_right_trainer_makes_agrees() -> None:
    report = checked(Student(), STORY, counts=True)
    assert report.agrees
    assert list(report.describe()) == ["All 60 merges are by the rule with the counts told."]


@pytest.mark.parametrize(("student", "cause", "text"), MISTAKES)
def test_a_mistake_is_found_by_its_merges(student: type[Student], cause: str, text: str) -> None:
    report = checked(student(), text)
    assert not report.agrees
    assert report.explanations[0].cause == cause
    assert report.explanations[0].all


@pytest.mark.parametrize(("student", "cause", "text"), MISTAKES)
def test_a_mistake_is_found_by_its_counts(student: type[Student], cause: str, text: str) -> None:
    report = checked(student(), text, counts=True)
    assert report.explanations[0].cause == cause
    assert report.explanations[0].all


def test_counts_that_no_mistake_gives_do_not_hide_the_cause_of_the_merges() -> None:
    made = students.TakesTheFirstOfEquals().train(STORY, MERGES)
    steps = [
        ClaimedStep(*pair, count if place < 30 else 0) for place, (pair, count) in enumerate(made)
    ]
    report = check_claim(Claim(steps), assignment(STORY))
    assert report.divergence is not None
    assert not report.divergence.is_of_count_only
    assert report.explanations[0].cause == "tie-rule"


def test_every_cause_has_a_trainer_that_makes_the_mistake() -> None:
    by_bytes = {"bytes-replaced"}  # students read text; see the test of invalid bytes
    assert {cause for _, cause, _ in MISTAKES} | by_bytes == set(CAUSES)


def test_invalid_bytes_that_were_replaced_are_a_cause(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_bytes(b"\xff\xfe so\n" * 20)
    replaced = corpus.read_text(encoding="utf-8", errors="replace")
    run = Trainer(Assignment(replaced.encode).counts, 260)
    list(run.steps())
    assert check(None, run.merges, corpus).explanations[0].cause == "bytes-replaced"
