"""Questions cannot be guessed: answers without knowledge are right as often as by chance.

A guesser sees a question and returns an answer. The chance of a choice is 1 of its rows. Whether a
guesser does better is decided by the 99 % interval of the sum of these chances.
"""

from __future__ import annotations

import lzma
import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from math import prod, sqrt
from pathlib import Path
from typing import Any

import pytest

from engine import QuestionError, Timeline, Trainer, ask
from engine.counting.count import count_text
from engine.learning.questions import KINDS
from engine.learning.questions.merges_form import Merges
from engine.learning.questions.question import (
    END,
    Answer,
    Attempt,
    Chance,
    Choice,
    Cuts,
    Joins,
    Number,
    Question,
    YesOrNo,
)
from engine.text.excerpt import Excerpt
from engine.unigram.frame import UnigramTimeline
from engine.unigram.pieces import spelled_counts
from engine.unigram.trainer import UnigramTrainer
from engine.wordpiece.frame import WordPieceTimeline
from engine.wordpiece.trainer import WordPieceTrainer

REPO = Path(__file__).parents[3]
SAMPLES = REPO / "samples"
LARGE = REPO.parent / "shared" / "data" / "ts-22M.txt.xz"
SPECIAL = ("<|endoftext|>",)
QUESTIONS = 500
WIDTH = 2.576
"""Standard deviations on each side of a 99 % interval."""

Guess = Callable[[Question], Answer]


# -- answers without knowledge


def number_in(text: str) -> int:
    return int("".join(character for character in text if character.isdigit()) or 0)


def named_count(question: Question) -> int:
    """Return the number in a question: what it is before."""
    found = re.search(r"(?: occurs |The corpus has )([\d,]+|once)", str(question.asks))
    assert found
    return 1 if found[1] == "once" else number_in(found[1])


def counts_given(question: Question) -> list[int]:
    return [number_in(str(given.words[0])) for given in question.given]


def labels(question: Question) -> list[int]:
    form = question.form
    assert isinstance(form, Choice)
    return [sum(map(len, option.label)) for option in form.options]


def always_at(place: int) -> Guess:
    """Return the joins that are always of the first, or of the last, two tokens.

    Their number is right: that is a help which a learner does not have.
    """

    def guess(question: Question) -> Answer:
        form, right = question.form, question.answer
        assert isinstance(form, Joins)
        assert isinstance(right, tuple)
        ends = right[-1] == END
        joins = len(right) - ends
        left = range(len(form.tokens) - 2, len(form.tokens) - 2 - joins, -1)
        return (*(0 if place == 0 else last for last in left), *([END] if ends else []))

    return guess


def pair_at(place: int) -> Guess:
    """Return merges that always take the first, or the last, pair, and replace it rightly."""

    def guess(question: Question) -> Answer:
        form = question.form
        answer: tuple[int, ...] = ()
        assert isinstance(form, Merges)
        for _ in range(form.merges):
            pairs = list(form.pairs(form.joined(answer)))
            if not pairs:
                break
            gap, pair = pairs[place]
            answer = (*form.check((*answer, gap, END)), *replaced(form, answer, pair), END)
        return answer

    return guess


def replaced(form: Merges, answer: tuple[int, ...], pair: tuple[bytes, bytes]) -> list[int]:
    """Return the gaps of a pair, without those that overlap one further left."""
    found: list[int] = []
    joined = form.joined(answer)
    for word in range(len(form.words)):
        gaps, tokens, place = form.gaps_of(word, joined), form.tokens_of(word, joined), 0
        while place < len(gaps):
            is_there = tokens[place : place + 2] == pair
            found += gaps[place : place + is_there]
            place += 1 + is_there
    return found


GUESSES: dict[type[Any], dict[str, Guess]] = {
    Choice: {
        "first row": lambda q: 0,
        "last row": lambda q: len(labels(q)) - 1,
        "middle row": lambda q: len(labels(q)) // 2,
        "longest bar": lambda q: bars(q).index(max(bars(q))),
        "longest name": lambda q: labels(q).index(max(labels(q))),
        "shortest name": lambda q: labels(q).index(min(labels(q))),
    },
    YesOrNo: {"yes": lambda q: True, "no": lambda q: False},
    Number: {
        "none": lambda q: 0,
        "no change": named_count,
        "less the first number": lambda q: named_count(q) - counts_given(q)[0],
        "less the last number": lambda q: named_count(q) - counts_given(q)[-1],
        "less the smallest number": lambda q: named_count(q) - min(counts_given(q)),
        "less the largest number": lambda q: named_count(q) - max(counts_given(q)),
        "less all numbers": lambda q: named_count(q) - sum(counts_given(q)),
        "twice": lambda q: 2 * named_count(q),
        "three times": lambda q: 3 * named_count(q),
    },
    Joins: {"first two": always_at(0), "last two": always_at(-1)},
    Merges: {"first pair": pair_at(0), "last pair": pair_at(-1)},
    Cuts: {
        "no cut": lambda q: (),
        "all cuts": lambda q: tuple(range(1, len(text_of(q)))),
        "before blanks": lambda q: tuple(at for at, c in enumerate(text_of(q)) if at and c == " "),
    },
}


def bars(question: Question) -> list[float]:
    """Return the lengths of the bars that are drawn before an answer."""
    attempt, form = Attempt(question), question.form
    assert isinstance(form, Choice)
    return [
        option.amount if attempt.reveals(place) else 0 for place, option in enumerate(form.options)
    ]


def text_of(question: Question) -> str:
    form = question.form
    assert isinstance(form, Cuts)
    return form.text


def chance_of(question: Question) -> float:
    """Return the share of right answers of blind guesses."""
    match question.form:
        case Choice(options):
            return 1 / len(options)
        case YesOrNo():
            return 1 / 2
        case Number():
            return 1 / len(question.given)  # one word loses a place: which?
        case Joins(tokens):
            joins = sum(place != END for place in question.answer)  # type: ignore[union-attr]
            return 1 / prod(range(len(tokens) - joins, len(tokens)))
        case Merges() as form:  # only the pairs are guessed; they are replaced rightly
            right = question.answer
            assert isinstance(right, tuple)
            ends = [place + 1 for place, gap in enumerate(right) if gap == END]
            moments = [right[:end] for end in (0, *ends[1:-1:2])]
            return 1 / prod(len({p for _, p in form.pairs(form.joined(m))}) for m in moments)
        case _:  # cuts
            return 1 / len(text_of(question))


def problems_of(questions: list[Question]) -> list[str]:
    """Return the guesses that are right more often than chance; of rows, also less often."""
    chances = list(map(chance_of, questions))
    expected, deviation = sum(chances), sqrt(sum(chance * (1 - chance) for chance in chances))
    found = []
    form = type(questions[0].form)
    for name, guess in GUESSES[form].items():
        right = sum(guess(question) == question.answer for question in questions)
        least, most = expected - WIDTH * deviation, expected + WIDTH * deviation
        if name.endswith(" name") or form not in (Choice, YesOrNo):
            least = 0
        if not least <= right <= most:
            found.append(
                f"{questions[0].kind}: {name} is right {right} times of {len(questions)}; chance "
                f"gives {least:.0f} to {most:.0f}"
            )
    return found


# -- questions


def drawn(recording: Any, kind: str, number: int = QUESTIONS) -> list[Question]:
    """Ask a number of questions of one kind, at steps drawn as a quiz draws them."""
    found: list[Question] = []
    for seed in range(4 * number):
        chance = Chance(f"{kind} {seed}")
        step = int((len(recording) + 1) ** chance.share()) - 1
        with suppress(QuestionError):
            found.append(ask(kind, recording.frame.at(step), str(seed)))
        if len(found) == number:
            break
    return found


def bpe_of(text: bytes, size: int, pattern: str = "gpt2") -> Timeline:
    trainer = Trainer(count_text(text, pattern, SPECIAL), size)
    excerpt = Excerpt.of(text[:200_000], pattern, SPECIAL, complete=len(text) <= 200_000)
    made = Timeline(
        trainer.counts, trainer.steps(), record=trainer.record, pattern=pattern, excerpt=excerpt
    )
    made.complete()
    return made


def wordpiece_of(text: bytes) -> WordPieceTimeline:
    trainer = WordPieceTrainer(count_text(text, "bert", SPECIAL), 1500, min_count=2)
    made = WordPieceTimeline(trainer.record, trainer.steps())
    made.complete()
    return made


def unigram_of(text: bytes) -> UnigramTimeline:
    words = spelled_counts(count_text(text, "gpt2", SPECIAL))
    trainer = UnigramTrainer(words, 600)
    events = list(trainer.steps())
    return UnigramTimeline(trainer.record, events, words=words)


BPE_KINDS = (
    *("next-pair", "tie", "count-change", "make-merges"),
    *("encode-by-hand", "stale", "tokens-left", "reason", "fewer"),
)
OTHER_KINDS = ("best-score", "longest-match", "first-to-go", "best-path")


def test_every_kind_is_guessed_at() -> None:
    assert {*BPE_KINDS, *OTHER_KINDS} == {*KINDS}


@pytest.mark.slow  # thousands of questions
def test_rows_and_yes_or_no_on_the_handout_are_no_better_guessed_than_by_chance() -> None:
    """Its four words have names and joins of their own, which say nothing about guessing."""
    handout = bpe_of((SAMPLES / "handout.txt").read_bytes(), 268, "whitespace")
    found = []
    for kind in BPE_KINDS:
        questions = []
        for step in range(len(handout) + 1):
            for seed in range(40):
                with suppress(QuestionError):
                    questions.append(ask(kind, handout.seek(step), str(seed)))
        found += problems_of(questions)
    by_habits = (" name ", "encode-by-hand", "make-merges")
    assert not [each for each in found if not any(habit in each for habit in by_habits)]


@pytest.fixture(scope="module")
def stories() -> bytes:
    return (SAMPLES / "tinystories_valid.txt").read_bytes()


@pytest.mark.nightly  # 500 questions of each kind
def test_questions_on_stories_are_no_better_guessed_than_by_chance(stories: bytes) -> None:
    bpe = bpe_of(stories, 2000)
    wordpiece, unigram = wordpiece_of(stories), unigram_of(stories)
    asked = [drawn(bpe, kind) for kind in BPE_KINDS]
    asked += [drawn(wordpiece, kind) for kind in ("best-score", "longest-match", "count-change")]
    asked += [drawn(unigram, kind) for kind in ("first-to-go", "best-path")]
    assert min(map(len, asked)) > 400
    assert not [problem for questions in asked for problem in problems_of(questions)]


@pytest.mark.nightly  # training on 22 MB, and 500 questions of each kind
def test_questions_on_a_large_text_are_no_better_guessed_than_by_chance() -> None:
    if not LARGE.exists():
        pytest.skip(f"{LARGE} is not there: it comes with the shared data, not with the project")
    text = lzma.decompress(LARGE.read_bytes())
    bpe = bpe_of(text, 8000)
    asked = [drawn(bpe, kind) for kind in BPE_KINDS]
    wordpiece, unigram = wordpiece_of(text), unigram_of(text)
    asked += [drawn(wordpiece, kind) for kind in ("best-score", "longest-match", "count-change")]
    asked += [drawn(unigram, kind) for kind in ("first-to-go", "best-path")]
    assert not [problem for questions in asked for problem in problems_of(questions)]


# -- the words to count in


def counts_in(question: Question) -> dict[tuple[bytes, bytes], int]:
    """Count the pairs in the words that a question gives, as a learner does."""
    counts: Counter[tuple[bytes, bytes]] = Counter()
    for given in question.given:
        number = number_in(str(given.words[0]))
        tokens = [word for word in given.words[1:] if isinstance(word, bytes)]
        for pair in pairwise(tokens):
            counts[pair] += number
    return counts


@pytest.mark.parametrize("step", [0, 3, 10, 12, 40, 100, 132, 227, 300])
def test_the_answer_in_a_sample_of_words_is_that_in_the_corpus(stories: bytes, step: int) -> None:
    counts = count_text(stories, "gpt2", SPECIAL)
    frame = bpe_of(stories, 600).seek(step)
    for seed in range(4):
        question = ask("next-pair", frame, str(seed))
        form = question.form
        assert isinstance(form, Choice)
        pairs = [(option.label[0], option.label[2]) for option in form.options]
        seen = counts_in(question)
        in_sight = [seen[pair] for pair in pairs]  # type: ignore[index]
        if not question.given:
            assert question.tied.issuperset(question.pairs)
            continue
        best = max(in_sight)
        assert in_sight[question.answer] == best  # type: ignore[index]
        assert in_sight.count(best) == len(question.tied & {*question.pairs}) or not question.tied
        assert 1 < len(question.given) <= 8
        for given in question.given:
            tokens = [word for word in given.words[1:] if isinstance(word, bytes)]
            assert "…" in given.words or counts[b"".join(tokens)] == number_in(str(given.words[0]))


def test_counts_and_bars_come_with_the_hint() -> None:
    handout = bpe_of((SAMPLES / "handout.txt").read_bytes(), 268, "whitespace")
    attempt = Attempt(ask("next-pair", handout.seek(1)))
    assert not any(map(attempt.reveals, range(6)))
    attempt.ask_hint()
    assert all(map(attempt.reveals, range(6)))
