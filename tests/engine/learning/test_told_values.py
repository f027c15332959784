"""What a sentence of a question tells is so: its numbers and names are found again by brute force.

A sentence keeps its template and the values in it. `CHECKS` recomputes the values of a template
from the slow trainer's run. The questions are those about random corpora, at every step of runs by
each tie rule; the sentences are those that any answer gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import oracles
import pytest
from generated import examples
from hypothesis import given
from hypothesis import strategies as st
from test_questions import GRADERS, Corpus, Truth, asked, every_answer, timeline_of

from engine.bpe.ties import TIE_RULES
from engine.core.wording import Sentence
from engine.learning.questions.question import Question
from engine.text.excerpt import Excerpt

MERGES = 8


@dataclass
class State:
    """A step of the slow trainer's run, at which a question was asked."""

    truth: Truth
    step: int
    question: Question

    @property
    def reached(self) -> list[State]:
        """The states that the sentences of the question are about: several if it makes merges."""
        return [replace(self, step=self.step + done) for done in range(self.question.steps)]

    @property
    def counts(self) -> dict[oracles.Pair, int]:
        return self.truth.counts_at(self.step)

    @property
    def most(self) -> int:
        return max(self.counts.values(), default=0)

    @property
    def tied(self) -> set[oracles.Pair]:
        return {pair for pair, count in self.counts.items() if count == self.most}

    @property
    def winner(self) -> oracles.Pair:
        return self.chosen_by(self.truth.rule)

    def chosen_by(self, rule: str) -> oracles.Pair:
        words = self.truth.words_at(self.step)
        return oracles.TIE_ORACLES[rule](self.tied, words, self.truth.run.vocab)

    def pair(self, words: tuple[str | bytes, ...]) -> oracles.Pair:
        left, _, right = words
        assert isinstance(left, bytes)
        assert isinstance(right, bytes)
        return self.truth.named(left, right)

    def count(self, words: tuple[str | bytes, ...]) -> int:
        return self.counts.get(self.pair(words), 0)

    def merge(self, number: str) -> oracles.Pair:
        return self.truth.run.steps[amount(number) - 1].pair

    @property
    def tokens(self) -> int:
        words = self.truth.words_at(self.step)
        return sum(len(word) * n for word, n in zip(words, self.truth.run.word_counts, strict=True))


def amount(text: object) -> int:
    """Return the number in a text: `1,204 times` → 1204, `once` → 1."""
    first = str(text).removeprefix("occurs ").split()[0]
    words = {"once": 1, "does": 0}  # `does not occur`
    return words[first] if first in words else int(first.replace(",", ""))


def frequency(state: State, values: Values) -> bool:
    return state.count(values["pair"]) == amount(values.get("occurs", values.get("times")))


def beaten(state: State, values: Values) -> bool:
    return frequency(state, values) and state.count(values["pair"]) < state.most


def tied_too(state: State, values: Values) -> bool:
    return frequency(state, values) and state.count(values["pair"]) == state.most


def tie(state: State, values: Values) -> bool:
    return (amount(values["n"]), amount(values["times"])) == (len(state.tied), state.most)


def tie_by_rule(state: State, values: Values) -> bool:
    return tie(state, values) and values["rule"] == TIE_RULES[state.truth.rule].title


def won_tie(state: State, values: Values) -> bool:
    told = state.pair(values["pair"]), amount(values["n"]), amount(values["count"])
    return told == (state.winner, len(state.tied), state.most)


def second(state: State, values: Values) -> bool:
    others = [count for pair, count in state.counts.items() if pair != state.winner]
    told = amount(values["count"])
    fewer = state.most - told == amount(values["n"])
    return fewer and told == max(others) == state.count(values["pair"])


def of_tokens(state: State, values: Values) -> bool:
    return amount(values["n"]) == state.tokens


def tokens_after(state: State, values: Values) -> bool:
    step = state.truth.run.steps[state.step]
    told = amount(values["tokens"]), amount(values["n"])
    return told == (state.tokens - step.occurrences, step.occurrences)


def count_before(state: State, values: Values) -> bool:
    """Whether the count is that of the answer before the last merge, which is named."""
    before = state.truth.counts_at(state.step - 1)
    last = (amount(values["number"]), state.pair(values["pair"]))
    told = amount(values["times"])
    return last == (state.step, state.merge(str(state.step))) and told in before.values()


def named_merge(state: State, values: Values) -> bool:
    return state.merge(values.get("number", values.get("n"))) == state.pair(values["pair"])


def joined_merge(state: State, values: Values) -> bool:
    return state.merge(values["n"]) == state.truth.named(values["left"], values["right"])


def stale_entry(state: State, values: Values) -> bool:
    return frequency(state, values) and amount(values["old"]) != amount(values["times"])


def of_run_s_rule(state: State, values: Values) -> bool:
    return values["rule"] == TIE_RULES[state.truth.rule].title


def later_bytes(_: State, values: Values) -> bool:
    return bool(values["more"] > values["less"])


def fewer_bytes(_: State, values: Values) -> bool:
    return amount(values["few"]) < amount(values["many"])


def word_of(state: State, tokens: Iterable[str | bytes]) -> bytes:
    return b"".join(each for each in tokens if isinstance(each, bytes))


def word_in_corpus(state: State, values: Values) -> bool:
    count = state.truth.corpus.get(word_of(state, values["word"]))
    return count == amount(values["n"])


def number_of_tokens(_: State, values: Values) -> bool:
    return amount(values["n"]) == sum(isinstance(each, bytes) for each in values["tokens"])


def place_made(state: State, values: Values) -> bool:
    return values["token"] == state.truth.run.vocab[256 + state.step]


def last_merge_changed(state: State, values: Values) -> bool:
    return named_merge(state, values) and amount(values["number"]) <= state.step


Values = Mapping[str, Any]
CHECKS: dict[str, Callable[[State, Values], bool]] = {
    "{pair} {occurs}; another pair occurs more often.": beaten,
    "{pair} {occurs}; another, more.": beaten,
    "{pair} {occurs}.": frequency,
    "{pair} {occurs}, but so does another pair.": tied_too,
    "{pair} {occurs}, but not alone.": tied_too,
    "{pair} occurs {times}.": frequency,
    "it is true: {pair} still occurs {times}.": frequency,
    "it is stale: {pair} occurs {times} now, not {old}.": stale_entry,
    "{n} pairs occur {times} each: which one merges?": tie,
    "{n} pairs occur {times} each: which wins?": tie,
    "{n} pairs are tied, each occurs {times}. Rule {rule} decides.": tie_by_rule,
    "{pair} wins the tie of {n} at {count}.": won_tie,
    "Second is {pair} with {count}, {n} fewer.": second,
    "Second is {pair} with {count}.": second,
    "The corpus has {n}. How many will it have, once {pair} has merged?": of_tokens,
    "{tokens} are left, {n} fewer.": tokens_after,
    "It occurred {times} before merge {number}, {pair}: that count is out of date.": count_before,
    "Merge {number}, {pair}, changed its count.": last_merge_changed,
    "{pair} joins: merge {n}.": named_merge,
    "{pair}, merge {n}, has to wait.": named_merge,
    "{pair}, merge {n}, has to wait: {best}, which comes first.": named_merge,
    "Next best was {pair}, merge {n}.": named_merge,
    "merge {number}: {pair}   as in {word}": named_merge,
    "{left} + {right} (merge {n})": joined_merge,
    "merge {n}   {left} + {right}": joined_merge,
    "Rule {rule}: {summary}.": of_run_s_rule,
    "Rule {rule}: {why}.": of_run_s_rule,
    "{more} is later in byte order than {less}": later_bytes,
    "same left token, and {more} is later in byte order than {less}": later_bytes,
    "{few} bytes joined, fewer than {many}": fewer_bytes,
    "{n} × {word}": word_in_corpus,
    "{word} is {n}: {tokens}.": number_of_tokens,
    "{text} is {n}: {tokens}.": number_of_tokens,
    "{token} is one token now, in {places}.": place_made,
}
"""Template of a sentence → whether its values are those of the state."""


def templates_in(told: object) -> Iterator[tuple[str, Values]]:
    """Yield the template and values of each sentence, its versions, and the sentences in it."""
    if isinstance(told, list | tuple):
        for each in told:
            yield from templates_in(each)
    elif isinstance(told, Sentence):
        for version in told:
            yield version.template, version.values
            yield from templates_in([*version.values.values()])


def told_by(question: Question, right: Any) -> Iterator[tuple[str, Values]]:
    """Yield the templates, with their values, that a question and all answers tell."""
    yield from templates_in([question.asks, *question.find_hints(()), question.given])
    yield from templates_in([*question.model_answer])
    for answer in every_answer(question, right):
        grade = question.grade(question.form.check(answer))
        yield from templates_in([grade.said, grade.why])


def states(corpus: Corpus, rule: str, seed: str) -> Iterator[State]:
    """Yield every question about a run, with its state."""
    truth = Truth(corpus, oracles.train(corpus, rule, MERGES), rule)
    timeline = timeline_of(corpus, MERGES, rule, excerpt=Excerpt.of(b"".join(corpus)))
    kinds = [kind for kind in GRADERS if kind != "reason"]  # its state is the whole training
    for step, question in asked(timeline, kinds, seed):
        yield State(truth, step, question)


CORPORA = st.dictionaries(
    st.text("abc", min_size=1, max_size=6).map(str.encode),
    st.integers(1, 9),
    min_size=1,
    max_size=4,
)


@given(CORPORA, st.sampled_from(list(TIE_RULES)), st.integers(0, 99))
@examples(25)
def test_each_number_and_name_that_a_question_tells_is_that_of_the_state(
    corpus: Corpus, rule: str, seed: int
) -> None:
    for state in states(corpus, rule, str(seed)):
        right = GRADERS[state.question.kind](state.question, state.truth, state.step)
        for template, values in told_by(state.question, right):
            if template in CHECKS:
                holds = any(CHECKS[template](each, values) for each in state.reached)
                assert holds, (template, {**values}, state.step, state.question.asks)


@pytest.mark.parametrize("rule", TIE_RULES)
def test_a_wrong_pair_of_a_tie_is_told_all_rules_that_take_it_and_the_run_s_own(rule: str) -> None:
    told = set()
    for seed, corpus in enumerate(({b"aab": 2, b"cca": 2, b"bcb": 2}, {b"ba c": 1, b"abc": 1})):
        for state in states(corpus, rule, str(seed)):
            if state.question.kind != "tie":
                continue
            for place, pair in enumerate(state.question.pairs):  # type: ignore[attr-defined]
                others = [each for each in TIE_RULES if state.chosen_by(each) == pair]
                grade = state.question.grade(place)
                found = [
                    values
                    for template, values in templates_in([grade.said, grade.why])
                    if template.endswith("here the rule is {own}.")
                ]
                if pair == state.winner or not others:
                    assert not found
                    continue
                assert found
                for values in found:
                    names = ", ".join(others) if len(others) > 1 else TIE_RULES[others[0]].title
                    told_names = values.get("rules", values.get("rule"))
                    assert told_names == (None if len(others) == len(TIE_RULES) - 1 else names)
                    assert values["own"] == TIE_RULES[rule].title
                told.add(len(others))
    assert len(told) > 1
