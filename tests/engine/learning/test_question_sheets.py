"""Sheets of questions: all that each says, with its hints and what it says to wrong answers.

A question comes out the same for a seed, so a class gets the questions that its teacher read.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import product
from typing import Any

import pytest
from sheets import check_samples, sentence
from test_guessing import SAMPLES, bpe_of, unigram_of, wordpiece_of
from test_questions import LOW, timeline_of

from engine import AnswerError, QuestionError, ask
from engine.core.wording import describe
from engine.learning.questions import kinds_for
from engine.learning.questions.answer_forms import END, Choice, Cuts, Number, YesOrNo
from engine.learning.questions.merges_form import Merges
from engine.learning.questions.question import Question
from engine.learning.quiz import VERSION
from engine.wordpiece.frame import WordPieceTimeline
from engine.wordpiece.trainer import WordPieceTrainer

STORIES = (SAMPLES / "tinystories_valid.txt").read_bytes()
HANDOUT = (SAMPLES / "handout.txt").read_bytes()
NUMBER = re.compile(r"\d[\d,]*")
PLAYERS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "stories": (lambda: bpe_of(STORIES, 600), (0, 12, 113, 300)),
    "first-seen": (lambda: bpe_of(STORIES, 600, tie_rule="first-seen"), (112, 300)),
    "handout": (lambda: bpe_of(HANDOUT, 268, "whitespace"), (0, 3, 7)),
    "wordpiece": (lambda: wordpiece_of(STORIES[:20_000]), (0, 30, 90)),
    "unigram": (lambda: unigram_of(STORIES[:5_000]), (0, 1, 2)),
}
"""Name of a sheet → what it asks about, and at which steps."""


def answers_to_try(question: Question) -> list[Any]:
    """Return wrong answers, and each part of the right one."""
    right: Any = question.answer
    match question.form:
        case Choice(options):
            return [place for place in range(len(options)) if place != right]
        case Number():
            named = [int(text.replace(",", "")) for text in NUMBER.findall(str(question.asks))]
            near = (0, max(right - 1, 0), right + 1, 2 * right)
            return [*near, *named, *(abs(number - right) for number in named)]
        case YesOrNo():
            return [not right]
        case Merges():
            ends = [place + 1 for place, gap in enumerate(right) if gap == END]
            others = [(*right[: ends[1]], gap, END) for gap in range(0, right[0] + 6, 2)]
            return [right[:end] for end in ends] + others + [(*right[:2], right[2], END)]
        case Cuts(text):
            places = range(1, len(text))
            return [
                (),
                *((place,) for place in places),
                *(tuple(sorted({*right} ^ {p})) for p in places),
            ]
        case _:  # joins
            parts = [right[:end] for end in range(len(right))]
            return parts + [(*part[:-1], place) for part in parts for place in (END, 0, 1)]


def in_short(sentence: object) -> str:
    """Return a sentence with its shorter form."""
    return f"{sentence} ({getattr(sentence, 'shorter', '')})"


def sheet_of(question: Question, show: Callable[[object], str] = str) -> Iterator[str]:
    """Yield the lines of a question."""
    form = question.form
    yield f"{show(question.asks)} [{question.level.name}{'' if question.is_fair else ', unfair'}]"
    yield from (f"    {row}" for row in question.given)
    if isinstance(form, Choice):
        for place, option in enumerate(form.options):
            words = b"".join(w if isinstance(w, bytes) else w.encode() for w in option.label)
            yield f"  {place}. {words.decode()!r} {option.note} {option.revealed} {option.amount:g}"
    if isinstance(form, Merges):
        yield from (f"    {row}" for row in form.rows(()))
    yield f"  advice: {show(question.advice)}"
    yield from (f"  hint: {show(hint)}" for hint in question.find_hints(()))
    yield f"  answer {question.answer}: " + " ".join(map(show, question.explain()))
    for tried in dict.fromkeys(answers_to_try(question)):
        try:
            grade = question.grade(form.check(tried))
        except AnswerError as error:
            yield f"  {tried}: {error}"
        else:
            words = describe(form.words_of(tried), bytes.decode)
            why = f"{show(grade.why or '')} [{grade.mistake}]"
            yield f"  {tried} {words!r}: {grade.verdict}{show(grade.said)} {why}"


@pytest.mark.parametrize("name", PLAYERS)
def test_each_question_says_what_its_sheet_says(name: str) -> None:
    make, steps = PLAYERS[name]
    player, samples = make(), []
    seeds = "1" if "make-merges" in kinds_for(player.frame) else "123"
    for frame in map(player.seek, steps):
        for kind, seed in product(kinds_for(frame), seeds):
            heading = f"\n{kind} at step {frame.step}, seed {seed}"
            samples.append([heading, *asked(kind, frame, seed)])
    check_samples(f"questions/{name}", samples, sentence)


TWO = {b"ab": 9, b"cd": 2}
ENDS = dict.fromkeys((b"come", b"cope", b"core"), 9) | dict.fromkeys((b"com", b"cop", b"cor"), 5)
EIGHTY = dict.fromkeys((b"a" * 24, b"b" * 24, b"c" * 24), 2)
"""Words of almost as many tokens as can be shown."""
FIVE = dict.fromkeys((b"abc", b"abd", b"abe", b"abf", b"abg"), 1)
SMALL: list[tuple[dict[bytes, int], int, str, str | None]] = [
    *((LOW, step, kind, None) for step in (0, 1, 3) for kind in ("tie", "next-pair")),
    *((TWO, step, "next-pair", None) for step in (0, 1, 2)),
    *(
        (LOW, 12, "encode-by-hand", "newestlow"),
        (LOW, 2, "reason", "lower"),
        (LOW, 0, "tie", "e|s"),
    ),
    *((ENDS, 4, "tie", None), ({b"ab": 1, b"ac": 1}, 0, "tie", None), (TWO, 0, "tie", None)),
    ({b"abx": 6, b"ab": 3, b"cd": 5}, 1, "next-pair", None),  # ab+x was behind c+d before
    # b+c and f+g win if places may not overlap
    ({b"aaaa": 2, b"bc": 5, b"de": 3, b"fg": 4}, 0, "next-pair", None),
    ({b"ab": 20, b"cd": 18}, 0, "next-pair", None),
    ({b"abc": 9, b"ab": 1, b"de": 8, b"fg": 2}, 1, "next-pair", None),  # b+c occurred 9 times
    ({b"aaaa": 6, b"cd": 5}, 1, "next-pair", None),  # c+d was second, and keeps its count
    *(
        (LOW, 0, "count-change", "e|s"),
        (LOW, 2, "stale", "w|e"),
        (LOW, 4, "encode-by-hand", "lowlow"),
    ),
    *((LOW, 0, "make-merges", about) for about in ("1", "5", "6", "0", "x")),
    (LOW, 11, "make-merges", None),  # of twelve merges
    ({b"baaa": 4, b"baa": 3, b"aaaaa": 1, b"bab": 2}, 0, "make-merges", None),  # a+a overlaps
    ({b"abc": 9, b"bc": 4, b"de": 2, b"df": 1}, 0, "make-merges", None),
    *(({b"ab": 20, b"cd": count, b"ef": 9}, 0, "make-merges", "1") for count in (17, 18)),
    ({b"ab": 9, b"cd": 5, b"ef": 5}, 0, "make-merges", "2"),
    ({b"ab": 9, b"cd": 5}, 0, "make-merges", None),  # too few pairs to choose from
    *((EIGHTY | {end: 2}, 0, "make-merges", None) for end in (b"abcdefgh", b"abcdefghi")),
    ({b"ab": 9, b"c,": 5, b"ef": 1}, 0, "make-merges", None),  # a comma parts words
    (LOW, 0, "tokens-left", None),
    *((FIVE | more, 0, "tokens-left", None) for more in ({}, {b"abx": 1})),  # to count in
    *((LOW, 2, "reason", about) for about in ("low est|w e", "lowest", "x" * 40, "x" * 41)),
    *((LOW, 12, "reason", about) for about in ("", "low", "abc|x", "l", "a\nb", "newest|wes")),
    ({b"ab": 5, b"bc": 9, b"abc": 1}, 2, "reason", "abc|ab"),
    *(
        (LOW, 4, "fewer", about)
        for about in ("LOW|low|xlow", "LOW|low|xxlow", "low", "low|low", "low|")
    ),
    *((LOW, 4, "fewer", "|".join("abcde") + end) for end in ("|low", "|f|low")),
    *((LOW, 4, "encode-by-hand", about) for about in ("lo", "x" * 24, "x" * 25)),
    *((LOW, 0, "count-change", about) for about in ("l|o", "x|y", "e", "low")),
    ({b"abxab": 3, b"bx": 9, b"ab": 1}, 0, "count-change", "a|b"),  # it keeps one of two places
    ({b"abcdefghijklmnopqrstuvwxyzab": 2, b"bc": 9}, 0, "count-change", "a|b"),  # a long word
    *((TWO, 1, "stale", None), ({b"abc": 2}, 1, "stale", None)),
    *((LOW, 0, "stale", None), (LOW, 2, "stale", "x|y"), (LOW, 12, "tokens-left", None)),
    ({b"aaa": 4, b"aaaa": 1, b"oh": 9, b"hahaha": 2}, 0, "tokens-left", None),
]
OF_WORDPIECE: list[tuple[str | None, int]] = [
    *((about, 8) for about in ("lowest", "low", "lo", "l", "lxw", "l|ow", "low est", None)),
    *(("low" * 8, 8), ("low" * 8 + "l", 8), ("newest", 0), (None, 0)),
]
"""What is asked about, and the step."""


def test_questions_about_a_few_words_say_what_their_sheet_says() -> None:
    samples = []
    for counts, step, kind, about in SMALL:
        heading = f"\n{kind} about {about} at step {step} of {counts}"
        samples.append([heading, *asked(kind, timeline_of(counts).seek(step), "1", about)])
    trained = WordPieceTrainer(LOW, 25, min_count=1)
    words = WordPieceTimeline(trained.record, trained.steps())
    for about, step in OF_WORDPIECE:
        heading = f"\nlongest match of {about} at step {step}"
        samples.append([heading, *asked("longest-match", words.seek(step), "1", about)])
    check_samples("questions/small", samples, sentence)


DIGESTS = {
    "next-pair": "8362b67e",
    "tie": "62636e32",
    "count-change": "dc54cbad",
    "make-merges": "a44bfbc6",
    "encode-by-hand": "be359aed",
    "reason": "0b1b14e9",
    "fewer": "b692eaa0",
    "stale": "8a9031ef",
    "tokens-left": "71db929b",
    "longest-match": "a1d33e39",
    "best-score": "f5b3ddfd",
    "best-path": "24f85434",
    "next-prune": "010a80b9",
}


def test_questions_change_only_with_the_version_of_answer_files() -> None:
    """A class is graded with the questions that it was asked: with the version they change, too."""
    digests: dict[str, Any] = defaultdict(sha256)
    for make, steps in PLAYERS.values():
        player = make()
        for seed, step in (("4", steps[-1] - 1), ("5", steps[-1] // 2)):
            for kind in kinds_for(player.frame):
                lines = asked(kind, player.seek(step), seed, show=in_short)
                digests[kind].update("\n".join(lines).encode())
    found = {kind: digest.hexdigest()[:8] for kind, digest in digests.items()}
    assert (VERSION, found) == (18, DIGESTS)


def asked(
    kind: str, frame: Any, seed: str, about: str | None = None, show: Callable[[object], str] = str
) -> list[str]:
    """Return the lines of a question, or why it is not asked."""
    try:
        return [*sheet_of(ask(kind, frame, seed, about=about), show)]
    except QuestionError as error:
        return [str(error)]
