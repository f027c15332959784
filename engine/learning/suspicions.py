"""Suspicions about answer files: copies, and times that cannot be.

They are notes for the lecturer, and change no grade.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from engine.learning.questions.question import Attempt
from engine.learning.quiz import AnswerSheet

QUICKEST = 1.0
"""Seconds too short to read a question and answer it."""
CLOCKS = timedelta(hours=1)
"""Largest believable difference of two clocks."""
FEWEST_WRONG = 2
"""Smallest number of wrong answers in common that two learners rarely have by chance."""

Attempts = Sequence[Attempt | None]


def notes_on_times(sheet: AnswerSheet, attempts: Attempts) -> Iterator[str]:
    """Yield notes on impossible times of a file."""
    impossible, quick = [], []
    for place, (answered, attempt) in enumerate(zip(sheet.answers, attempts, strict=False), 1):
        if answered.seconds < 0:
            impossible.append(place)
        elif attempt is not None and attempt.at_first_try and answered.seconds < QUICKEST:
            quick.append(place)
    if impossible:
        yield f"impossible time: {_questions(impossible)}"
    if quick:
        yield f"impossible time: right in less than a second: {_questions(quick)}"
    total = sum(max(answered.seconds, 0) for answered in sheet.answers)
    try:
        start = datetime.fromisoformat(sheet.started).astimezone(UTC) if sheet.started else None
        ends_late = start is not None and start + timedelta(seconds=total) > _now() + CLOCKS
    except (ValueError, OverflowError):
        yield "impossible time: its start is no date"
    else:
        if ends_late:
            yield "impossible time: its answers end in the future"


def _now() -> datetime:
    return datetime.now(UTC)


def _questions(numbers: Sequence[int]) -> str:
    return f"question{'' if len(numbers) == 1 else 's'} {', '.join(map(str, numbers))}"


def notes_on_copies(sheets: Sequence[tuple[Path, AnswerSheet, Attempts]]) -> list[list[str]]:
    """Return notes for each file of a quiz: identical answers, and an ID that occurs twice.

    Args:
        sheets: path, content and graded attempts of each file.
    """
    notes: list[list[str]] = [[] for _ in sheets]
    for fact in ("copied", "answers", "id"):
        groups: dict[object, list[int]] = {}
        for place, (_, sheet, attempts) in enumerate(sheets):
            is_known = fact == "answers" and notes[place]
            if (key := _key(fact, sheet, attempts)) is not None and not is_known:
                groups.setdefault(key, []).append(place)
        for places in groups.values():
            for place in places if len(places) > 1 else ():
                others = [sheets[other][0].name for other in places if other != place]
                more = f" and {len(others) - 1} more" if len(others) > 1 else ""
                wrong = _wrong(sheets[place][2])
                what = {
                    "copied": "the same answers and times as",
                    "answers": f"identical answers, {wrong} of them wrong, as",
                    "id": "the same ID as",
                }[fact]
                notes[place].append(f"{what} {others[0]}{more}")
    return notes


def _key(fact: str, sheet: AnswerSheet, attempts: Attempts) -> object:
    """Return a value that two files share if they share a fact; `None` if it tells nothing."""
    if fact == "id":
        return sheet.id or None
    seconds = [answered.seconds for answered in sheet.answers]
    if fact == "copied":
        is_real = bool(sheet.started) and any(seconds)
        return repr((sheet.started, seconds, _tried(attempts))) if is_real else None
    return repr(_tried(attempts)) if _wrong(attempts) >= FEWEST_WRONG else None


def _tried(attempts: Attempts) -> list[object]:
    return [attempt and (attempt.tried, attempt.given_up) for attempt in attempts]


def _wrong(attempts: Attempts) -> int:
    """Return the number of wrong answers."""
    known = [attempt for attempt in attempts if attempt is not None]
    return sum(len(attempt.tried) - attempt.is_right for attempt in known)
