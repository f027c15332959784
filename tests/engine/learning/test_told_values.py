"""What a sentence of a question tells is so: its numbers and names are found again by brute force.

A sentence keeps its template and the values in it. `CHECKS` recomputes the values of a template
from the slow trainer's run; every template in the source of the questions and tie rules has an
entry. The questions are those about random corpora, at every step of runs by each tie rule; the
sentences are those that any answer gives.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, chain, combinations, pairwise
from pathlib import Path
from typing import Any

import oracles
import pytest
import regex
import unigram_by_hand
import wordpiece_oracle
from generated import examples
from heap_by_hand import replay
from hypothesis import given
from hypothesis import strategies as st
from test_questions import (
    GRADERS,
    Corpus,
    Truth,
    asked,
    every_answer,
    longest_match,
    pairs_in,
    timeline_of,
    unigram_parts,
)

import engine
from engine import QuestionError, Timeline, ask
from engine.bpe.ties import TIE_RULES
from engine.core.wording import Sentence
from engine.learning.questions.answer_forms import END
from engine.learning.questions.merges_form import Merges
from engine.learning.questions.question import Question
from engine.text.excerpt import Excerpt
from engine.text.patterns import PATTERNS
from engine.unigram.frame import UnigramTimeline
from engine.unigram.trainer import UnigramTrainer
from engine.wordpiece.frame import WordPieceTimeline
from engine.wordpiece.score import score_text
from engine.wordpiece.trainer import WordPieceTrainer

MERGES = 10


Values = Mapping[str, Any]
Check = Callable[[Any, Values], bool]
"""Takes a state and the values of a template; true if they are those of the state."""


@dataclass
class State:
    """A step of the slow trainer's run, at which a question was asked, and the right answer."""

    truth: Truth
    step: int
    question: Question
    right: Any

    @property
    def reached(self) -> list[State]:
        """The states that the sentences of the question are about: several if it makes merges."""
        return [replace(self, step=self.step + done) for done in range(self.question.steps)]

    @property
    def asked_at(self) -> int:
        return self.question.frame.step

    @property
    def rows(self) -> list[Sentence]:
        """The words that are shown to count in."""
        form = self.question.form
        return [*form.rows(())] if isinstance(form, Merges) else [*self.question.given]

    @property
    def vocab(self) -> list[bytes]:
        return self.truth.run.vocab

    @property
    def words(self) -> list[list[bytes]]:
        return [[self.vocab[token] for token in word] for word in self.truth.words_at(self.step)]

    @property
    def after(self) -> State:
        return replace(self, step=self.step + 1)

    @cached_property
    def counts(self) -> dict[oracles.Pair, int]:
        """Count each pair: in the words to make merges in, if that is asked."""
        words, numbers = self.truth.words_at(self.step), self.truth.run.word_counts
        if isinstance(form := self.question.form, Merges):
            texts = [b"".join(word.tokens) for word in form.words]
            numbers = [self.truth.corpus[each] * (each in texts) for each in self.truth.corpus]
        found = oracles.recount(words, numbers)
        return {pair: count for pair, count in found.items() if count}

    @property
    def most(self) -> int:
        return max(self.counts.values(), default=0)

    @property
    def tied(self) -> set[oracles.Pair]:
        return {pair for pair, count in self.counts.items() if count == self.most}

    @property
    def winner(self) -> oracles.Pair:
        return self.chosen_by(self.truth.rule)

    @property
    def asked_pair(self) -> oracles.Pair:
        """The pair that is asked about, which merges next where no other one is named."""
        values = self.question.asks.values
        return self.pair(values.get("pair", values.get("entry")))

    def chosen_by(self, rule: str, tied: Iterable[oracles.Pair] = ()) -> oracles.Pair:
        words = self.truth.words_at(self.step)
        return oracles.TIE_ORACLES[rule]({*tied} or self.tied, words, self.vocab)

    def beaten(self) -> Iterator[tuple[oracles.Pair, oracles.Pair]]:
        """Yield each two tied pairs, the one that the rule prefers first."""
        for pair in self.tied:
            for other in self.tied - {pair}:
                if self.chosen_by(self.truth.rule, (pair, other)) == pair:
                    yield pair, other

    def pair(self, words: Any) -> oracles.Pair:
        left, _, right, *_ = words
        return self.truth.named(left, right)

    def count(self, words: Any, told: object = "") -> int:
        """Count a pair, in the words that are shown if that is told."""
        if "these words" not in str(told) or isinstance(self.question.form, Merges):
            return self.counts.get(self.pair(words), 0)
        left, right = tokens_in(words)
        rows = ((each.values["n"], each.values["word"]) for each in self.rows)
        return sum(amount(n.strip()) * pairs_in(tokens_in(word), left, right) for n, word in rows)

    def merge(self, number: str) -> oracles.Pair:
        return self.truth.run.steps[amount(number) - 1].pair

    @property
    def tokens(self) -> int:
        words = self.truth.words_at(self.step)
        return sum(len(word) * n for word, n in zip(words, self.truth.run.word_counts, strict=True))

    def encoded(self, text: bytes) -> list[bytes]:
        """Return the tokens of a text by the definition: a word of the corpus, or in pretokens."""
        cuts = [text] if self.question.kind == "encode-by-hand" else self.pretokens(text)
        merges = self.truth.run.merges[: self.step]
        ids = (each for cut in cuts for each in oracles.apply_merges(cut, merges, 256))
        return [self.vocab[token] for token in ids]

    def pretokens(self, text: bytes) -> list[bytes]:
        return [each.encode() for each in regex.findall(PATTERNS["gpt2"].source, text.decode())]

    @property
    def joined_states(self) -> Iterator[list[bytes]]:
        """The tokens of the word to encode, before each right join and at the end."""
        tokens = [bytes((byte,)) for byte in self.question.asks.values["word"]]
        yield [*tokens]
        for place in self.right:
            if place != END:
                tokens[place : place + 2] = [tokens[place] + tokens[place + 1]]
                yield [*tokens]


@dataclass
class Cut:
    """A word that WordPiece cuts, with the right cuts and the vocabulary."""

    question: Question
    corpus: Mapping[str, int]
    vocab: set[str]
    right: Any

    @property
    def reached(self) -> list[Cut]:
        return [self]

    def piece(self, start: int, end: int) -> str:
        word = tokens_in(self.question.asks.values["word"])[0].decode()
        return f"{'##' if start else ''}{word[start:end]}"

    @property
    def ends(self) -> int:
        return len(tokens_in(self.question.asks.values["word"])[0].decode())

    @property
    def pieces(self) -> list[bytes]:
        return [self.piece(*span).encode() for span in pairwise((0, *self.right, self.ends))]

    @property
    def fitting(self) -> set[bytes]:
        """The pieces of several characters that fit somewhere in the word."""
        spans = combinations(range(self.ends + 1), 2)
        cut = {self.piece(start, end) for start, end in spans if end - start > 1}
        return {piece.encode() for piece in cut & self.vocab}


@dataclass
class Paths:
    """Paths through a word, with the scores of all pieces."""

    question: Question
    corpus: Mapping[str, int]
    model: dict[str, float]
    right: Any

    @property
    def reached(self) -> list[Paths]:
        return [self]

    def sum_of(self, path: Any) -> str:
        return minus(sum(self.model[piece.decode()] for piece in tokens_in(path)))

    @property
    def best(self) -> float:
        """The greatest sum of all paths through the word."""
        word = tokens_in(self.question.asks.values["word"])[0].decode()
        paths = unigram_by_hand.segmentations(word, self.model)
        return max(unigram_by_hand.score(path, self.model) for path in paths)

    @property
    def shown(self) -> list[str]:
        """The sums of the paths to choose from, the greatest first."""
        sums = [self.sum_of(option.label) for option in self.question.form.options]  # type: ignore[attr-defined]
        return sorted(sums, key=number_in, reverse=True)


@dataclass
class Scored:
    """A choice between pairs by their scores, with the step of the slow trainer that follows."""

    question: Question
    made: wordpiece_oracle.OracleStep
    right: Any

    @property
    def reached(self) -> list[Scored]:
        return [self]

    def pair(self, told: Any) -> wordpiece_oracle.Pair:
        left, right = (token.decode() for token in tokens_in(told))
        return left, right

    def is_fraction(self, values: Values) -> bool:
        left, right = self.pair(values["pair"])
        pieces = self.made.pieces_before
        parts = f"({pieces[left]:,} × {pieces[right]:,})"
        return str(values["fraction"]) == f"{self.made.pairs_before[left, right]:,} / {parts}"

    def is_score(self, values: Values) -> bool:
        return score_text(self.made.scores[self.pair(values["pair"])]) == values["score"]

    def is_most_frequent(self, values: Values) -> bool:
        counts = self.made.pairs_before
        return counts[self.pair(values["pair"])] == max(counts.values())


@dataclass
class Going:
    """A choice between pieces, of which the next step prunes one."""

    question: Question
    right: Any

    @property
    def reached(self) -> list[Going]:
        return [self]

    @property
    def before(self) -> dict[str, tuple[str, str]]:
        """Map the pieces before the step to how often they are used, and to their scores."""
        frame = self.question.frame
        columns = frame.texts, frame.expected_counts.tolist(), frame.scores.tolist()
        return {
            text: (f"{used:,.1f}", minus(score)) for text, used, score in zip(*columns, strict=True)
        }

    def goes(self, piece: Any) -> bool:
        after = self.question.frame.at(self.question.frame.step + 1)
        return piece.decode() not in after.texts

    def is_used(self, values: Values) -> bool:
        return self.before[values["piece"].decode()] == (values["used"], values["score"])

    def is_way(self, values: Values) -> bool:
        frame = self.question.frame
        model = dict(zip(frame.texts, frame.scores.tolist(), strict=True))
        without = {text: score for text, score in model.items() if text != values["piece"].decode()}
        ways = unigram_by_hand.segmentations(values["piece"].decode(), without)
        best = max(unigram_by_hand.score(way, without) for way in ways)
        path = [piece.decode() for piece in tokens_in(values["path"])]
        return values["other"] == minus(best) == minus(unigram_by_hand.score(path, without))


def minus(value: float) -> str:
    return f"{value:.2f}".replace("-", "\u2212")


def number_in(text: str) -> float:
    return float(text.replace("\u2212", "-"))


def amount(text: object) -> int:
    """Return the number in a text: `1,204 times` → 1204, `once` → 1."""
    first = str(text).removeprefix("occurs ").split()[0]
    words = {"once": 1, "does": 0}  # `does not occur`
    return words[first] if first in words else int(first.replace(",", ""))


def tokens_in(told: Any) -> list[bytes]:
    """Return the tokens in a value, from left to right."""
    told = told.words if isinstance(told, Sentence) else told
    return [told] if isinstance(told, bytes) else [each for each in told if isinstance(each, bytes)]


def frequency(state: State, values: Values) -> bool:
    told = values.get("occurs", values.get("times"))
    return state.count(values["pair"], told) == amount(told)


def tie(state: State, values: Values) -> bool:
    return (amount(values["n"]), amount(values["times"])) == (len(state.tied), state.most)


def won_tie(state: State, values: Values) -> bool:
    told = state.pair(values["pair"]), amount(values["n"]), amount(values["count"])
    return told == (state.winner, len(state.tied), state.most)


def second(state: State, values: Values) -> bool:
    others = [count for pair, count in state.counts.items() if pair != state.winner]
    told = amount(values["count"])
    fewer = state.most - told == amount(values["n"])
    return fewer and told == max(others) == state.count(values["pair"])


def tokens_after(state: State, values: Values) -> bool:
    step = state.truth.run.steps[state.step]
    told = amount(values["tokens"]), amount(values["n"])
    return told == (state.tokens - step.occurrences, step.occurrences)


def count_before(state: State, values: Values) -> bool:
    """Whether the count is that of the answer before the last merge, which is named."""
    before = replace(state, step=state.step - 1)
    last = (amount(values["number"]), state.pair(values["pair"]))
    told = {*before.counts.values(), *before.truth.counts_at(before.step).values()}
    is_last = last == (state.step, state.merge(str(state.step)))
    return is_last and amount(values["times"]) in told


def named_merge(state: State, values: Values) -> bool:
    """Whether the merge of a number is the one of a pair: `pair`, or `left` and `right`."""
    pair = values.get("pair") or (values["left"], "+", values["right"])
    return state.merge(values.get("number", values.get("n"))) == state.pair(pair)


def of_next_merge(state: State, values: Values) -> bool:
    """Whether the pair asked about has its count, and the one named beside it merges next."""
    is_next = state.pair(values.get("merged", values["pair"])) == state.winner
    return is_next and ("times" not in values or frequency(state, values))


def count_after(state: State, values: Values) -> bool:
    before, after = (each.count(values["pair"]) for each in (state, state.after))
    told = (amount(values.get("times", "0")), amount(values.get("n", "0")))
    return told == (after, before - after if "n" in values else 0)


def sum_of_places(state: State, values: Values) -> bool:
    """Whether a sum such as `2 × 3 + 4 = 10` is the number of places that the next merge takes."""
    terms, _, total = str(values["places"]).replace(",", "").partition(" = ")
    taken = sum(eval(term.replace("×", "*")) for term in terms.split(" + "))
    named = state.pair(values.get("merged", values.get("pair")))
    lost = state.counts[state.asked_pair] - state.after.counts.get(state.asked_pair, 0)
    if state.asked_pair == state.winner:
        lost = state.truth.run.steps[state.step].occurrences
    return named == state.winner and taken == lost == int(total or taken)


def places_of_words(state: State, values: Values) -> bool:
    """Whether the next merge joins in so many places of so many of the words that are asked of."""
    asked_of = {b"".join(word.tokens) for word in state.question.form.words}  # type: ignore[attr-defined]
    both = zip(state.truth.corpus, state.words, state.after.words, strict=True)
    lost = [len(was) - len(now) for text, was, now in both if text in asked_of]
    told = amount(values["places"]), amount(values["words"])
    return told == (sum(lost), sum(map(bool, lost)))


def of_tied(template_at: int, value: Callable[[State, oracles.Pair, int], object]) -> Check:
    """Check that two values are those of two tied pairs, the preferred one first.

    Args:
        template_at: 0 if the left tokens differ, 1 if only the right ones do.
    """

    def holds(state: State, values: Values) -> bool:
        told = [str(each) for each in values.values()]
        return any(
            (one[0] == other[0]) == bool(template_at)
            and [str(value(state, pair, template_at)) for pair in (one, other)] == told
            for one, other in state.beaten()
        )

    return holds


def of_joined(value: Callable[[bytes], object]) -> Check:
    """Check that two values are those of what two tied pairs join, the preferred one first."""
    return lambda state, values: any(
        [str(value(state.vocab[left] + state.vocab[right])) for left, right in both]
        == [*map(str, values.values())]
        for both in state.beaten()
    )


def token_at(state: State, pair: oracles.Pair, at: int) -> bytes:
    return state.vocab[pair[at]]


def id_at(state: State, pair: oracles.Pair, at: int) -> int:
    return pair[at]


STAND_IN = "{less} has a smaller id than {more} where bytes are numbered as GPT-2 does"


def of_bytes(state: State, values: Values) -> bool:
    """Whether bytes have their numbers, the first is lower, and tied pairs differ in them."""
    low, high = values.get("lower", values.get("byte")), values.get("higher")
    assert low[0] == amount(values.get("less", values.get("value")))
    assert high is None or low[0] < high[0] == amount(values["more"])
    place = amount(str(values["where"]).removeprefix(" in place ") or "1") - 1
    for pair, other in state.beaten():
        at = int(pair[0] == other[0])
        more, less = state.vocab[pair[at]], state.vocab[other[at]]
        differ = less[place : place + 1] == low and high in (None, more[place : place + 1])
        if more[:place] == less[:place] and differ:
            return True
    return False


def first_bytes(state: State, values: Values) -> bool:
    """Whether the bytes named are those that the tokens which decide the tie begin with."""
    lefts = {left for left, _ in state.tied}
    wanted = {state.vocab[pair[len(lefts) == 1]][:1] for pair in state.tied}
    numbers = [amount(each.lstrip(" =")) for each in values["bytes"] if " = " in str(each)]
    told = tokens_in(values["bytes"])
    return {*told} <= wanted and [each[0] for each in told] == numbers


def rule_takes_it(state: State, values: Values) -> bool:
    """Whether the named rule takes a tied pair that loses by the own one."""
    own, titles = (
        TIE_RULES[state.truth.rule],
        {each.title: each.name for each in TIE_RULES.values()},
    )
    chosen = state.chosen_by(titles[str(values["rule"])])
    return values["own"] == own.title and chosen in state.tied - {state.winner}


def of_run_s_rule(state: State, values: Values) -> bool:
    rule = TIE_RULES[state.truth.rule]
    return values["rule"] == rule.title and str(values.get("summary", rule.in_short)) == str(
        rule.in_short
    )


def number_of_tokens(state: State, values: Values) -> bool:
    """Whether a text has these tokens, by the definition."""
    told, (text,) = tokens_in(values["tokens"]), tokens_in(values.get("word", values.get("text")))
    right = state.encoded(text)
    if state.question.kind == "encode-by-hand":
        right = state.words[[*state.truth.corpus].index(text)]
    return told == right and amount(values.get("n", str(len(told)))) == len(told)


def word_in_corpus(state: State, values: Values) -> bool:
    """Whether a word has this count in the corpus; an end of a long word is not compared."""
    return state.truth.corpus.get(b"".join(tokens_in(values["word"]))) == amount(values["n"])


def overlaps(state: State, values: Values) -> bool:
    left, right = (state.vocab[token] for token in state.winner)
    tokens = tokens_in(values["word"])
    return left == right and [left] * 3 in [tokens[at : at + 3] for at in range(len(tokens))]


def now_waiting(state: State, values: Values) -> bool:
    """Whether at some time so many different pairs of the word have a merge."""
    merges = state.truth.run.merges[: state.step]
    numbers = [len({*pairwise(tokens)} & {*merges}) for tokens in state.joined_states]
    return amount(values["n"]) in numbers


def joins_in_turn(state: State, values: Values) -> bool:
    """Whether these are the merges of the word, which take place in this order."""
    told = tokens_in(values["joins"])
    tokens = [bytes((byte,)) for byte in tokens_in(state.question.asks.values["word"])[0]]
    for left, right in zip(told[::2], told[1::2], strict=True):
        at = list(pairwise(tokens)).index((left, right))
        tokens[at : at + 2] = [left + right]
    return tokens == [*state.joined_states][-1]


def best_merge(state: State, values: Values) -> bool:
    pair = state.truth.run.merges[amount(values["n"]) - 1]
    return any(pair in pairwise(tokens) for tokens in state.joined_states)


def is_cut(state: State, values: Values) -> bool:
    """Whether a border of the pattern is between two pretokens, through the piece."""
    text = tokens_in(state.question.given[0].values["text"])[0]
    pretokens = state.pretokens(text)
    inside = any(values["piece"] in each for each in pretokens)
    return (values["left"], values["right"]) in pairwise(pretokens) and not inside


def is_no_token(state: State, values: Values) -> bool:
    """Whether the piece is at some place of the text that is not one token."""
    text, piece = tokens_in(state.question.given[0].values["text"])[0], values["piece"]
    ends = [*accumulate(map(len, state.encoded(text)), initial=0)]
    starts = [at for at in range(len(text)) if text.startswith(piece, at)]
    return any((at, at + len(piece)) not in pairwise(ends) for at in starts)


def words_then(state: State, values: Values) -> bool:
    """Whether these are the words that the question's merges lead to."""
    told = {
        b"".join(word.split(b"\0")): word
        for word in b"".join(
            b"\0" if each == "┊" else b"," if each == ", " else each for each in values["words"]
        ).split(b",")
    }
    end = replace(state, step=state.question.frame.step + state.question.steps)
    right = dict(zip(end.truth.corpus, (b"\0".join(word) for word in end.words), strict=True))
    return told.items() <= right.items()


def asked_about(state: State, values: Values) -> bool:
    return state.truth.named(*tokens_in(values["pair"])) == state.asked_pair


def too_few(state: State, values: Values) -> bool:
    return amount(values["n"]) < state.right


def too_many(state: State, values: Values) -> bool:
    return amount(values["n"]) > state.right


def number_of_merge(state: State, values: Values) -> bool:
    told = amount(values["n"]), amount(values["last"])
    return told == (state.step - state.asked_at + 1, state.question.steps)


def makes_piece(state: State, values: Values) -> bool:
    number = amount(values.get("made", values.get("n")))
    return state.vocab[255 + number] == values["piece"]


def is_never_made(state: State, values: Values) -> bool:
    return values["piece"] not in state.vocab[256:]


def saved_in(state: State, word: Any) -> int:
    tokens = [state.vocab.index(token) for token in tokens_in(word)]
    return len(tokens) - len(oracles.replace(tokens, state.winner, -1))


def grouped(tokens: list[bytes]) -> Iterator[tuple[bytes, bytes]]:
    return zip(tokens[::2], tokens[1::2], strict=True)


def is_next(state: State, values: Values) -> bool:
    return state.pair(values["pair"]) == state.winner


CHECKS: dict[str, Check] = {
    # which pair merges, and why
    "{pair} {occurs}; another pair occurs more often.": lambda state, values: (
        frequency(state, values) and state.pair(values["pair"]) not in state.tied
    ),
    "{pair} {occurs}, but so does another pair.": lambda state, values: (
        frequency(state, values) and state.pair(values["pair"]) in state.tied
    ),
    "{pair} loses to another pair that is tied with it.": lambda state, values: (
        state.pair(values["pair"]) in state.tied - {state.winner}
    ),
    "the right one {occurs}.": lambda state, values: frequency(
        state, {"pair": state.question.form.options[state.right].label, **values}
    ),
    "the pair occurs {times}.": lambda state, values: state.most == amount(values["times"]),
    "{pair} {occurs}.": frequency,
    "{pair} occurs {times}.": frequency,
    "{n} pairs occur {times} each: which one merges?": tie,
    "{n} pairs are tied, each occurs {times}. Rule {rule} decides.": lambda state, values: (
        tie(state, values) and of_run_s_rule(state, values)
    ),
    "{pair} wins the tie of {n} at {count}.": won_tie,
    "Second is {pair} with {count}, {n} fewer.": second,
    "{rival} goes before it: {why}.": lambda state, values: (
        state.pair(values["rival"]) in {one for one, _ in state.beaten()}
    ),
    "Rule {rule}: {summary}.": of_run_s_rule,
    "Rule {rule}: {why}.": of_run_s_rule,
    "The rule {rule} takes it; here the rule is {own}.": rule_takes_it,
    "their first bytes are {bytes}.": first_bytes,
    "Another pair has a byte above {byte} = {value}{where}.": of_bytes,
    "{lower} = {less} < {higher} = {more}{where}": of_bytes,
    "{longer} begins with {start} and goes on": lambda _, values: (
        values["longer"].startswith(values["start"]) and values["longer"] != values["start"]
    ),
    "It occurred {times} before merge {number}, {pair}: that count is out of date.": count_before,
    "With each word counted once it would be among the first, but {n} × means {times}.": (
        lambda state, values: (
            amount(values["n"])
            == amount(values["times"])
            == max(amount(row.values["n"].strip()) for row in state.rows)
        )
    ),
    "In {text} the pair {pair} occurs twice: places may overlap.": lambda state, values: (
        is_next(state, values) and tokens_in(values["pair"])[0] * 3 == values["text"]
    ),
    # tie rules
    "{more} is later in byte order than {less}": of_tied(0, token_at),
    "same left token, and {more} is later in byte order than {less}": of_tied(1, token_at),
    "its left id {less} is smaller than {more}": of_tied(0, id_at),
    "same left token, and its right id {less} is smaller than {more}": of_tied(1, id_at),
    STAND_IN: of_tied(0, token_at),
    f"same left token, and {STAND_IN}": of_tied(1, token_at),
    "{few} bytes joined, fewer than {many}": of_joined(len),
    "{few} characters joined, fewer than {many}": of_joined(lambda text: len(text.decode())),
    "as long, and {one} is earlier than {other}": of_joined(bytes),
    # counts
    "How often will {pair} occur, once {merged} has merged?": of_next_merge,
    "{pair} occurs {times}. How often will it, once {merged} has merged?": of_next_merge,
    "{pair} occurs {times} then, {n} fewer.": count_after,
    "{pair} no longer occurs.": count_after,
    "{pair} does not keep its count: the merge takes tokens of it.": lambda state, values: (
        state.count(values["pair"]) != state.after.count(values["pair"])
    ),
    "{n} is too few: the merge takes fewer of its places.": too_few,
    "{n} is too many: the merge takes more of its places.": too_many,
    "{merged} takes {places} of its places.": sum_of_places,
    "Where {pair} has a + beside it, it loses that place.": asked_about,
    "where {pair} has a + beside it, it loses that place.": asked_about,
    "look for {pair} in the words: is one of them taken?": asked_about,
    "The heap has the entry {entry}. Is it stale?": lambda state, values: (
        [*replay(state.truth.corpus, state.truth.rule, state.step)][-1].claims[state.asked_pair]
        == amount(values["entry"][-1])
    ),
    "it is true: {pair} still occurs {times}.": frequency,
    "it is stale: {pair} occurs {times} now, not {old}.": lambda state, values: (
        frequency(state, values) and amount(values["old"]) != amount(values["times"])
    ),
    "merge {number}: {pair}": named_merge,
    "merge {number}: {pair}   as in {word}": named_merge,
    "Merge {number}, {pair}, changed its count.": lambda state, values: (
        named_merge(state, values) and amount(values["number"]) <= state.step
    ),
    # numbers of tokens
    "The corpus has {n}. How many will it have, once {pair} has merged?": lambda state, values: (
        is_next(state, values) and amount(values["n"]) == state.tokens
    ),
    "{tokens} are left, {n} fewer.": tokens_after,
    "Joins of {pair}: {places}; each saves one token.": sum_of_places,
    "in {word} each + saves a token.": lambda state, values: (
        values["word"].count("+") == saved_in(state, values["word"])
    ),
    "{n} is too few.": too_few,
    "{n} is too many.": too_many,
    "{text} begins with the token {token}.": lambda state, values: (
        state.encoded(values["text"])[0] == values["token"]
    ),
    "{text} is {n}: {tokens}.": number_of_tokens,
    "{word} is {n}: {tokens}.": lambda state, values: (
        number_of_tokens(state, values)
        if isinstance(state, State)
        else tokens_in(values["tokens"]) == state.pieces
        and amount(values["n"]) == len(state.pieces)
    ),
    "{n} × {word}": word_in_corpus,
    "{n} × …{word}…": lambda state, values: any(
        b"".join(tokens_in(values["word"])) in word and count == amount(values["n"])
        for word, count in state.truth.corpus.items()
    ),
    # merges by hand
    "Make the next {n} merges yourself, in these words.": lambda state, values: (
        amount(values["n"]) == state.question.steps
    ),
    "Merge {n} of {last}: which pair?": number_of_merge,
    "Merge {n} of {last}: replace {pair} everywhere.": lambda state, values: (
        number_of_merge(state, values) and is_next(state, values)
    ),
    "{places} of {words}": places_of_words,
    "{token} is one token now, in {places}.": lambda state, values: (
        values["token"] == state.vocab[256 + state.step]
    ),
    "{other} is another pair: only {pair} is replaced.": lambda state, values: (
        is_next(state, values) and state.pair(values["other"]) in {*state.counts} - {state.winner}
    ),
    "in {word} the pair overlaps itself: it is replaced from the left.": overlaps,
    "in {word} a token joins twice.": overlaps,
    "in {word} a place of {pair} is left.": lambda state, values: (
        is_next(state, values)
        and pairs_in(tokens_in(values["word"]), *tokens_in(values["pair"])) > 0
    ),
    "{advice} Of tied pairs: {summary}.": lambda state, values: (
        str(values["summary"]) == TIE_RULES[state.truth.rule].in_short
    ),
    "{pairs}.": lambda state, values: (
        [*grouped(tokens_in(values["pairs"]))]
        == state.truth.run.merges[state.asked_at :][: state.question.steps]
    ),
    "The words are {words} then.": words_then,
    # encoding
    "Encode “{word}” by hand, merge by merge, until none applies.": lambda state, values: (
        values["word"] in state.truth.corpus
    ),
    "merge {n}   {left} + {right}": named_merge,
    "{left} + {right} (merge {n})": named_merge,
    "First {joins}.": joins_in_turn,
    "pairs of the list that can join now: {n}.": now_waiting,
    "{pair} joins: merge {n}.": named_merge,
    "{pair}, merge {n}, has to wait.": named_merge,
    "{pair}, merge {n}, has to wait: {best}, which comes first.": named_merge,
    "Next best was {pair}, merge {n}.": named_merge,
    "here is a pair of merge {n}": best_merge,
    "{pair} joins, but from left to right: one further left comes first.": lambda state, values: (
        any(pairs_in(tokens, *tokens_in(values["pair"])) > 1 for tokens in state.joined_states)
    ),
    "{pair} does not join: no merge joins them; {best}.": lambda state, values: (
        (*tokens_in(values["pair"]),) not in state.truth.run.merges[: state.step]
    ),
    # reasons
    "{piece} is not one token here. Why?": is_no_token,
    "does one of the tokens cross an edge of {piece}?": is_no_token,
    "{text} is {tokens}": number_of_tokens,
    "{piece} occurs {times} inside of pretokens, and the last pair of all {least}.": (
        lambda state, values: (
            [amount(values["times"]), amount(values["least"])]
            == [
                sum(word.count(values["piece"]) * n for word, n in state.truth.corpus.items()),
                state.truth.run.steps[-1].count,
            ]
        )
    ),
    "here: {n} merges of {all}": lambda state, values: (
        [amount(values[each]) for each in ("n", "all")] == [state.step, len(state.truth.run.steps)]
    ),
    "it is another reason than “{reason}”.": lambda state, values: (
        (str(values["reason"]),) != state.question.form.options[state.right].label
    ),
    "no merge of the whole training makes {piece}.": is_never_made,
    "merge {n} of the training makes {piece}.": makes_piece,
    "merge {n}, {pair}, makes {piece}, and only {step} are made here.": lambda state, values: (
        makes_piece(state, values)
        and named_merge(state, values)
        and state.step == amount(values["step"]) < amount(values["n"])
    ),
    "merge {n}, {pair}, crosses an edge of {piece}, which merge {made} makes.": (
        lambda state, values: named_merge(state, values) and makes_piece(state, values)
    ),
    "{piece} is cut between {left} and {right}: merges never cross a border.": is_cut,
    "Answer with a number from 1 to {n}.": lambda state, values: (
        amount(values["n"]) == len(state.question.form.options)
    ),
    # WordPiece
    "Into which pieces is “{word}” cut?": lambda cut, values: (
        tokens_in(values["word"])[0].decode() in cut.corpus
    ),
    "it is {n}.": lambda cut, values: amount(values["n"]) == len(cut.pieces),
    "First {pieces}: each time the longest that fits.": lambda cut, values: (
        tokens_in(values["pieces"]) == cut.pieces
    ),
    "Pieces that fit somewhere: {pieces}; and each single character.": lambda cut, values: (
        {*tokens_in(values["pieces"])} == cut.fitting
    ),
    "{piece} fits somewhere, but is not taken.": lambda cut, values: values["piece"] in cut.fitting,
    "{piece} is a piece, but a longer one fits there.": lambda cut, values: (
        values["piece"].decode() in cut.vocab
    ),
    "{piece} is no piece of this vocabulary.": lambda cut, values: (
        values["piece"].decode() not in cut.vocab
    ),
    "From the left, the longest piece that fits, again and again. A piece inside a word begins "
    "with {sign}.": lambda cut, values: values["sign"] == "##",
    # Unigram
    "Which path through “{word}” wins?": lambda paths, values: (
        tokens_in(values["word"])[0].decode() in paths.corpus
    ),
    "{path} has the greatest sum, {score}.": lambda paths, values: (
        values["score"] == paths.sum_of(values["path"]) == paths.shown[0] == minus(paths.best)
    ),
    "The next one here has {score}, {n} less.": lambda paths, values: (
        values["score"] == paths.shown[1]
        and abs(number_in(paths.shown[0]) - number_in(values["score"]) - float(values["n"])) < 0.011
    ),
    "{path} adds up to {score}.": lambda paths, values: (
        values["score"] == paths.sum_of(values["path"])
    ),
    "{path} adds up to {score}; another path to more.": lambda paths, values: (
        values["score"] == paths.sum_of(values["path"]) != paths.shown[0]
    ),
    # scores of pairs, and pieces that go
    "{pair}: {fraction}": Scored.is_fraction,
    "{pair} has the highest score, {fraction} = {score}.": lambda scored, values: (
        scored.is_fraction(values)
        and values["score"] == score_text(max(scored.made.scores.values()))
    ),
    "{pair} occurs most often, but both its parts are common.": Scored.is_most_frequent,
    "{pair} occurs most often, but its score is only {score}.": lambda scored, values: (
        scored.is_most_frequent(values) and scored.is_score(values)
    ),
    "{pair} scores {score}, and another pair more.": Scored.is_score,
    "the right one occurs {times}.": lambda scored, values: (
        amount(values["times"]) == scored.made.pairs_before[scored.made.pair]
    ),
    "{piece} stays.": lambda going, values: not going.goes(values["piece"]),
    "the right one has {n}.": lambda going, values: (
        amount(values["n"]) == len(going.question.form.options[going.right].label[0].decode())
    ),
    "{piece}: used {used} times, score {score}; without it {path}, {other}": (
        lambda going, values: going.is_used(values) and going.is_way(values)
    ),
    "{piece} goes: with {score} it is among the least probable.": lambda going, values: (
        going.goes(values["piece"]) and going.before[values["piece"].decode()][1] == values["score"]
    ),
    "{piece} goes: without it the loss grows by only {cost}.": lambda going, values: (
        going.goes(values["piece"]) and float(values["cost"]) >= 0
    ),
}
"""Template of a sentence → whether its values are those of the state."""
OF_PARTS = {
    "{thing}",
    "{before}, then {thing}",
    "{mistake} {reason}",
    "{why}: {numbers}",
    "{n} of {asked} at the first try",
    "it joins in {places}.",
    "it joins in {places}; from the left, and each token joins once.",
    "the bytes of {piece} merge in another way.",
    "Answer: {sentence}",
    "it goes on: {best}.",
    "occurs {times}",
    "occurs {times} in these words",
    " in place {n}",
}
"""Templates whose values are sentences with a template of their own, or parts of another one."""


def templates_in(told: object) -> Iterator[tuple[str, Values]]:
    """Yield the template and values of each sentence, and of the sentences in it.

    A shorter version has values of the longest.
    """
    if isinstance(told, list | tuple):
        for each in told:
            yield from templates_in(each)
    elif isinstance(told, Sentence):
        yield told.template, told.values
        yield from templates_in([*told.values.values()])


def told_by(state: Any) -> Iterator[tuple[str, Values]]:
    """Yield the templates, with their values, that a question and all answers tell."""
    question, right, form = state.question, state.right, state.question.form
    yield from templates_in([question.asks, question.given, question.advice, form.instruction])
    yield from templates_in([*question.model_answer])
    yield from templates_in([*question.find_hints(())])
    for answer in every_answer(question, right):
        grade = question.grade(form.check(answer))
        yield from templates_in([grade.said, grade.why])
        if grade.right and isinstance(answer, tuple) and not grade.done:
            yield from templates_in([*question.find_hints(answer)])
            if isinstance(form, Merges):
                yield from templates_in([form.task(answer), *form.rows(answer)])


def states(corpus: Corpus, rule: str, seed: str, *, about: bool = False) -> Iterator[State]:
    """Yield every question about a run, with its state."""
    truth = Truth(corpus, oracles.train(corpus, rule, MERGES), rule)
    timeline = timeline_of(corpus, MERGES, rule, excerpt=Excerpt.of(b" ".join(corpus)))
    kinds = [kind for kind in GRADERS if kind != "reason" or b" " not in b"".join(corpus)]
    named = about_pairs(timeline) if about else ()
    for step, question in chain(asked(timeline, kinds, seed), named):
        yield State(truth, step, question, GRADERS[question.kind](question, truth, step))


def about_pairs(timeline: Timeline) -> Iterator[tuple[int, Question]]:
    """Yield questions about the pairs whose count the next merge changes, or the last one has."""
    for step, made in enumerate(timeline.record):
        for change in made.changes:
            about = b"|".join(map(timeline.frame.any_token, change.pair)).decode(errors="replace")
            about = about.replace(" ", "·")
            for kind, at in (("count-change", step), ("stale", step + 1)):
                with suppress(QuestionError):
                    yield at, ask(kind, timeline.seek(at), about=about)


def cut_words(corpus: Mapping[str, int], seed: str) -> Iterator[Cut]:
    """Yield every question about words that WordPiece cuts."""
    steps = wordpiece_oracle.train(corpus, MERGES, "frequent")
    counts = {word.encode(): count for word, count in corpus.items()}
    trainer = WordPieceTrainer(counts, 200, min_count=1)
    vocab = {f"{'##' if at else ''}{c}" for word in corpus for at, c in enumerate(word)}
    for step, question in asked(WordPieceTimeline(trainer.record, trainer.steps()), [CUTS], seed):
        if step < len(steps):
            known = vocab | {made.piece for made in steps[:step]}
            yield Cut(question, corpus, known, longest_match(question, known))


def paths(corpus: Mapping[str, int], seed: str) -> Iterator[Paths]:
    """Yield every question about paths through words."""
    trainer = UnigramTrainer(corpus, 1 + len({*"".join(corpus)}))
    timeline = UnigramTimeline(*unigram_parts(trainer), words=corpus)
    for _, question in asked(timeline, [PATHS], seed):
        frame: Any = question.frame
        model = dict(zip(frame.texts, frame.scores.tolist(), strict=True))
        found = Paths(question, corpus, model, None)
        sums = [found.sum_of(option.label) for option in question.form.options]  # type: ignore[attr-defined]
        yield replace(found, right=sums.index(found.shown[0]))


def scored(corpus: Mapping[str, int], seed: str) -> Iterator[Scored]:
    """Yield every question about the scores of pairs."""
    steps = wordpiece_oracle.train(corpus, MERGES, "frequent")
    counts = {word.encode(): count for word, count in corpus.items()}
    trainer = WordPieceTrainer(counts, 200, min_count=1)
    timeline = WordPieceTimeline(trainer.record, trainer.steps())
    for step, question in asked(timeline, ["best-score"], seed):
        if step < len(steps):
            yield Scored(question, steps[step], question.answer)


def going(corpus: Mapping[str, int], seed: str) -> Iterator[Going]:
    """Yield every question about the pieces that go."""
    trainer = UnigramTrainer(corpus, 1 + len({*"".join(corpus)}))
    timeline = UnigramTimeline(*unigram_parts(trainer), words=corpus)
    for _, question in asked(timeline, ["next-prune"], seed):
        yield Going(question, question.answer)


def of_pieces(corpus: Mapping[str, int], seed: str) -> Iterator[Any]:
    """Yield every question about WordPiece and Unigram."""
    for ask_about in (cut_words, paths, scored, going):
        yield from ask_about(corpus, seed)


CUTS, PATHS = "longest-match", "best-path"
CORPORA = st.dictionaries(
    st.text("abc", min_size=1, max_size=6), st.integers(1, 9), min_size=1, max_size=4
)
TOLD = set[str]()
"""Templates that some state has told."""


def assert_told(state: Any) -> None:
    for template, values in told_by(state):
        if template in CHECKS:
            TOLD.add(template)
            holds = any(CHECKS[template](each, values) for each in state.reached)
            assert holds, (template, {**values}, state, str(state.question.asks))


def test_a_question_tells_numbers_and_names_of_the_state() -> None:
    corpus, rule, _ = SAMPLES[1]
    for state in states({word.encode(): count for word, count in corpus.items()}, rule, ""):
        assert_told(state)


@pytest.mark.slow
@given(CORPORA, st.sampled_from(list(TIE_RULES)), st.integers(0, 99))
@examples(25)
def test_each_number_and_name_that_a_question_tells_is_that_of_the_state(
    corpus: dict[str, int], rule: str, seed: int
) -> None:
    in_bytes = {word.encode(): count for word, count in corpus.items()}
    for state in states(in_bytes, rule, str(seed)):
        assert_told(state)
    for about in of_pieces(corpus, str(seed)):
        assert_told(about)


def templates_of(file: Path) -> Iterator[str]:
    """Yield the templates in a source: its texts with named places, without shorter versions."""
    for node in ast.walk(tree := ast.parse(file.read_text("utf-8"))):
        shorter = isinstance(node, ast.keyword) and node.arg == "shorter"
        texts = isinstance(node, ast.JoinedStr) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        )
        if shorter or texts:
            for inner in ast.walk(node):
                if isinstance(inner, ast.Constant):
                    inner.value = ""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and re.search(r"\{\w+\}", str(node.value)):
            yield node.value


def test_every_template_of_questions_and_tie_rules_has_an_oracle() -> None:
    room = Path(engine.__file__).parent
    files = [*(room / "learning" / "questions").glob("*.py"), room / "bpe" / "ties.py"]
    found = {template for file in files for template in templates_of(file)}
    assert len(found) > 90
    assert found - {*CHECKS} == OF_PARTS, "add an oracle to CHECKS for these templates"
    assert not {*CHECKS} - found, "no sentence has these templates"


@pytest.mark.slow
def test_every_oracle_is_asked() -> None:
    TOLD.clear()
    for corpus, rule, seeds in SAMPLES:
        in_bytes = {word.encode(): count for word, count in corpus.items()}
        for seed in range(seeds):
            for state in states(in_bytes, rule, str(seed), about=True):
                assert_told(state)
    for seed in range(9):
        for about in of_pieces(WORDS, str(seed)):
            assert_told(about)
    assert not {*CHECKS} - TOLD - NOT_ASKED


NOT_ASKED = {
    "{few} characters joined, fewer than {many}",  # the tokens here are bytes
    "merge {number}: {pair}",  # every merge has a word here
    # Of a small corpus the last prune is by losses, too.
    "{piece} goes: with {score} it is among the least probable.",
}


WORDS = {"low": 5, "lower": 2, "widest": 3, "newest": 6, "lowest": 1, "wild": 1}
SAMPLES = (
    (WORDS, "lexicographic", 4),
    *(({"aab": 2, "cca": 2, "bcb": 2, "acb": 2}, rule, 2) for rule in TIE_RULES),
    ({"abc": 2, "abca": 1, "ab": 1, "abd": 3}, "huggingface", 3),
    ({"aaaaaa": 3, "abab": 1}, "first-seen", 2),
    ({"ab": 3, "abx": 2, "ay": 2}, "lexicographic", 1),
    ({"abcdefgh" * 9: 2, "abce": 3, "hgfedcba": 1}, "lexicographic", 3),
)
