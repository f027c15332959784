"""Each kind of question is graded like its slow grader, which recounts everything.

A grader gets the question and the oracle's run, and says which answer is right.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import oracles
import pytest
import regex
import unigram_by_hand
import wordpiece_oracle
from generated import examples
from heap_by_hand import replay
from hypothesis import example, given
from hypothesis import strategies as st

from engine import AnswerError, QuestionError, Timeline, Tokenizer, Trainer, ask
from engine.analysis.explanation import explain
from engine.bpe.replay import Replay
from engine.bpe.ties import TIE_RULES
from engine.learning.questions import KINDS, predict
from engine.learning.questions.answer_forms import (
    END,
    Answer,
    Choice,
    Cuts,
    Joins,
    Number,
    Option,
    YesOrNo,
)
from engine.learning.questions.fewer import ways_to_write
from engine.learning.questions.merges_form import Merges
from engine.learning.questions.question import Attempt, FirstTries, Question
from engine.learning.questions.words_in_sight import (
    SeenWord,
    all_words,
    first_words,
    words_with,
)
from engine.text.excerpt import Excerpt
from engine.text.patterns import PATTERNS
from engine.unigram.frame import UnigramTimeline
from engine.unigram.record import PruneStep
from engine.unigram.trainer import UnigramTrainer
from engine.wordpiece.frame import WordPieceTimeline
from engine.wordpiece.trainer import WordPieceTrainer

Corpus = dict[bytes, int]
LOW = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}


def timeline_of(
    corpus: Corpus,
    merges: int = 12,
    tie_rule: str = "lexicographic",
    excerpt: Excerpt | None = None,
    **how: Any,
) -> Timeline:
    trainer = Trainer(corpus, 256 + merges, tie_rule=tie_rule, **how)
    timeline = Timeline(trainer, trainer.steps(), excerpt=excerpt)
    timeline.complete()
    return timeline


def asked(timeline: Any, kinds: list[str], seed: str = "") -> Iterator[tuple[int, Question]]:
    """Yield each question that can be asked, with its step."""
    for step in range(len(timeline) + 1):
        frame = timeline.seek(step)
        for kind in kinds:
            with suppress(QuestionError):
                yield step, ask(kind, frame, seed)


# -- the slow graders


@dataclass
class Truth:
    """The run of the slow trainer."""

    corpus: Corpus
    run: oracles.OracleRun
    rule: str

    def words_at(self, step: int) -> oracles.Words:
        return self.run.steps[step - 1].words_after if step else self.run.words

    def counts_at(self, step: int) -> dict[oracles.Pair, int]:
        return oracles.recount(self.words_at(step), self.run.word_counts)

    def named(self, left: bytes, right: bytes) -> oracles.Pair:
        return self.run.vocab.index(left), self.run.vocab.index(right)


def next_pair(question: Question, truth: Truth, step: int) -> Answer:
    """Recount all pairs, and apply the tie rule to the most frequent ones."""
    counts, vocab = truth.counts_at(step), truth.run.vocab
    tied = {pair for pair in counts if counts[pair] == max(counts.values())}
    best = oracles.TIE_ORACLES[truth.rule](tied, truth.words_at(step), vocab)
    label = (vocab[best[0]], "+", vocab[best[1]])
    return [option.label for option in question.form.options].index(label)


def count_change(question: Question, truth: Truth, step: int) -> Answer:
    """Recount after the merge, and check that the given words lead to the same count."""
    left, right, *_ = (word for word in question.asks.words if isinstance(word, bytes))
    pair = truth.named(left, right)
    lost = 0
    for given_word in question.given:
        times, *word = given_word.words
        assert isinstance(times, str)
        before = [part for part in word if isinstance(part, bytes)]
        after = b"".join(
            b"" if part == "+" else b"|" if isinstance(part, str) else part for part in word
        ).split(b"|")
        lost += number_of(times) * (pairs_in(before, left, right) - pairs_in(after, left, right))
    after_merge = truth.counts_at(step + 1).get(pair, 0)
    assert truth.counts_at(step)[pair] - lost == after_merge
    return after_merge


def tokens_left(question: Question, truth: Truth, step: int) -> Answer:
    """Count all tokens after the merge, and check that the given words lead to the same number."""
    named = [word for word in question.asks.words if isinstance(word, bytes)]
    tokens = int(str(question.asks).split()[3].replace(",", ""))
    for row in question.given:
        times, *word = row.words
        rest = [part for part in word if isinstance(part, bytes)]
        while rest:
            if rest[:2] == named:
                tokens -= number_of(str(times))
                rest = rest[1:]
            rest = rest[1:]
    words = zip(truth.words_at(step + 1), truth.run.word_counts, strict=True)
    assert tokens == sum(len(word) * count for word, count in words)
    return tokens


def number_of(times: str) -> int:
    """Read `1,204 × ` as 1204."""
    return int(times.split("×")[0].replace(",", ""))


def pairs_in(tokens: list[bytes], left: bytes, right: bytes) -> int:
    return list(pairwise(tokens)).count((left, right))


def encode_by_hand(question: Question, truth: Truth, step: int) -> Answer:
    """Join the neighbours whose merge was learnt first, from the left, until none merges."""
    word = question.asks.words[1]
    assert isinstance(word, bytes)
    tokens, joins = [bytes((byte,)) for byte in word], []
    merges = truth.run.merges[:step]
    while ranks := [
        (merges.index(pair), place) for place, pair in enumerate(pairwise(tokens)) if pair in merges
    ]:
        place = min(ranks)[1]
        tokens[place : place + 2] = [tokens[place] + tokens[place + 1]]
        joins.append(place)
    by_definition = oracles.apply_merges(word, merges, 256)
    assert tokens == [truth.run.vocab[token_id] for token_id in by_definition]
    return (*joins, *([END] if len(tokens) > 1 else []))


def make_merges(question: Question, truth: Truth, step: int) -> Answer:
    """Replace the oracle's pairs in the words from the left, one place after another.

    Each pair has the highest count in the words.
    """
    form, number = question.form, 0
    assert isinstance(form, Merges)
    answer: list[int] = []
    words: list[list[tuple[bytes, int]]] = []  # each token with the gap after it
    for counted in form.words:
        words.append(list(zip(counted.tokens, range(number, 99), strict=False)))
        number += len(counted.tokens)
    texts = [b"".join(token for token, _ in word) for word in words]
    for merge in range(form.merges):
        pair = truth.run.merges[step + merge]
        counts = oracles.recount(
            [[token for token, _ in word] for word in words],  # type: ignore[misc]
            [word.count for word in form.words],
        )
        assert counts[pair] == max(counts.values())  # type: ignore[index]
        gaps = []
        for word in words:
            place = 0
            while place < len(word) - 1:
                (left, gap), (right, last) = word[place : place + 2]
                if (left, right) == pair:
                    word[place : place + 2] = [(left + right, last)]
                    gaps.append(gap)
                place += 1
        answer += [min(gaps), END, *gaps, END]
        after = dict(zip(truth.corpus, truth.words_at(step + merge + 1), strict=True))
        for text, word in zip(texts, words, strict=True):
            assert [token for token, _ in word] == [truth.run.vocab[i] for i in after[text]]
    return tuple(answer)


def stale(question: Question, truth: Truth, step: int) -> Answer:
    """Compare the entry of a heap driven by hand with the recount."""
    _, left, _, right, count, *_ = question.asks.words
    assert isinstance(left, bytes)
    assert isinstance(right, bytes)
    pair, claim = truth.named(left, right), int(str(count).replace(",", ""))
    moments = replay(truth.corpus, truth.rule, step)
    *_, claims = [moment.claims for moment in moments]
    assert claims[pair] == claim
    return claim != truth.counts_at(step).get(pair, 0)


def reason(question: Question, truth: Truth, step: int) -> Answer:
    """Follow the pattern and the oracle's merges from the reason's definition."""
    given_text, piece = question.given[0].words[0], question.asks.words[0]
    assert isinstance(given_text, bytes)
    assert isinstance(piece, bytes)
    pretokens = regex.findall(PATTERNS["gpt2"].source, given_text.decode())
    if not any(piece in pretoken.encode() for pretoken in pretokens):
        right = "a border of the pattern runs through it"
    elif piece not in truth.run.vocab[256:]:
        right = "too rare: the training ended before"
    elif truth.run.vocab.index(piece) >= 256 + step:
        right = "it is learnt at a later step"
    else:
        right = "another merge takes a byte of it first"
    assert isinstance(question.form, Choice)
    return [option.label for option in question.form.options].index((right,))


def fewer(question: Question, truth: Truth, step: int) -> Answer:
    """Encode each text by the definition."""
    costs = []
    for option in question.form.options:  # type: ignore[attr-defined]
        words = regex.findall(PATTERNS["gpt2"].source, option.label[0].decode())
        merges = truth.run.merges[:step]
        costs.append(sum(len(oracles.apply_merges(w.encode(), merges, 256)) for w in words))
    assert costs.count(min(costs)) == 1
    return costs.index(min(costs))


GRADERS: dict[str, Callable[[Any, Truth, int], Answer]] = {
    "next-pair": next_pair,
    "tie": next_pair,
    "count-change": count_change,
    "make-merges": make_merges,
    "encode-by-hand": encode_by_hand,
    "reason": reason,
    "fewer": fewer,
    "stale": stale,
    "tokens-left": tokens_left,
}


def every_answer(question: Question, right: Any) -> Iterator[Answer]:
    """Yield all answers, or the right one and some near it."""
    match question.form:
        case Choice(options):
            yield from range(len(options))
        case YesOrNo():
            yield from (True, False)
        case Number():
            yield from range(max(0, right - 3), right + 4)
        case Cuts(text):
            places = range(1, len(text))
            yield from (right, (), tuple(places))
            yield from (tuple(sorted({*right} ^ {place})) for place in places)
        case Joins() as joins:
            yield from (right[:done] for done in range(len(right) + 1))
            for done in range(len(right)):
                left = len(joins.tokens_after(right[:done])) - 1
                yield from ((*right[:done], place) for place in (*range(left), END))
        case Merges() as merges:
            ends = [place + 1 for place, gap in enumerate(right) if gap == END]
            for start, end in pairwise([0, *ends]):
                before, part = right[:start], right[start : end - 1]
                yield right[:end]
                gaps = [gap for gap, _ in merges.pairs(merges.joined(before))]
                if merges.chosen(before) is None:
                    yield from (merges.check((*before, gap, END)) for gap in gaps)
                    continue
                for gap in gaps:
                    yield (*before, *sorted({*part} ^ {gap}), END)
                    yield (*before, gap, END)
                yield (*before, END)
        case form:
            raise AssertionError(f"no answers known for {form}")


def assert_graded(question: Question, right: Answer) -> None:
    """Assert that only the right answer, and joins that lead to it, are graded right."""
    assert question.answer == right, question.asks
    for answer in every_answer(question, right):
        grade = question.grade(question.form.check(answer))
        goes_on = isinstance(right, tuple) and isinstance(question.form, Joins | Merges)
        leads_on = bool(goes_on and answer and right[: len(answer)] == answer)  # type: ignore
        assert grade.right == (answer == right or leads_on)
        assert grade.done == (answer == right)
        assert str(grade.said)
        assert bool(grade.mistake) == (not grade.right)
        assert question.form.words_of(answer)
    hints = question.find_hints(())
    assert all(map(str, (question.asks, *hints, *question.model_answer, *question.given)))


@given(oracles.corpora(), st.sampled_from(list(TIE_RULES)), st.integers(0, 99))
@examples(60)
def test_questions_about_merges_are_graded_as_by_a_recount(
    corpus: Corpus, rule: str, seed: int
) -> None:
    truth = Truth(corpus, oracles.train(corpus, rule, 12), rule)
    timeline = timeline_of(corpus, 12, rule, excerpt=Excerpt.of(b"".join(corpus)))
    kinds = list(GRADERS)
    if any(b" " in word for word in corpus):  # GPT-2's pattern would not leave them whole
        kinds.remove("reason")
    for step, question in asked(timeline, kinds, str(seed)):
        assert_graded(question, GRADERS[question.kind](question, truth, step))


def test_lines_of_a_text_are_compared_or_else_a_word_in_other_forms() -> None:
    frame = timeline_of(LOW).seek(4)
    assert ways_to_write(frame, "low\n\nnewest", "low") == "low|newest"
    assert ways_to_write(frame, "a low", " low") == "low| low|LOW"
    assert ways_to_write(frame, "Low", "Low") == "Low| Low"
    with pytest.raises(QuestionError, match="two lines"):
        ways_to_write(frame, " ", " ")


# -- WordPiece and Unigram


def longest_match(question: Question, vocab: set[str]) -> Answer:
    """Return the cuts, among all, whose pieces are longest from the left."""
    form = question.form
    assert isinstance(form, Cuts)
    word = form.text
    ways = [
        ends
        for count in range(len(word))
        for ends in combinations(range(1, len(word)), count)
        if {
            f"{'##' if start else ''}{word[start:end]}"
            for start, end in pairwise((0, *ends, len(word)))
        }
        <= vocab
    ]
    return max(ways, key=lambda ends: (*ends, len(word)))


@given(wordpiece_oracle.corpora(), st.integers(0, 9))
@examples(40)
def test_words_are_graded_by_all_their_cuts(corpus: dict[str, int], seed: int) -> None:
    steps = wordpiece_oracle.train(corpus, 12, "frequent")
    counts = {word.encode(): count for word, count in corpus.items()}
    trainer = WordPieceTrainer(counts, 200, min_count=1)
    timeline = WordPieceTimeline(trainer.record, trainer.steps())
    characters = {f"{'##' if at else ''}{c}" for word in corpus for at, c in enumerate(word)}
    for step, question in asked(timeline, ["longest-match"], str(seed)):
        if step < len(steps):
            vocab = characters | {made.piece for made in steps[:step]}
            assert_graded(question, longest_match(question, vocab))


WORDS = st.dictionaries(st.text("abc", min_size=1, max_size=7), st.integers(1, 50), min_size=2)


@given(WORDS, st.integers(0, 9))
@example({"a": 27, "b": 41, "baa": 1, "aaabaa": 1}, 0)  # the best path has too many pieces to show
@examples(40)
def test_paths_are_graded_by_all_segmentations(counts: dict[str, int], seed: int) -> None:
    trainer = UnigramTrainer(counts, 1 + len(set("".join(counts))))
    timeline = UnigramTimeline(*unigram_parts(trainer), words=counts)
    for _, question in asked(timeline, ["best-path"], str(seed)):
        frame = question.frame
        model = dict(zip(frame.texts, frame.scores.tolist(), strict=True))
        paths = list(unigram_by_hand.segmentations(question.asks.words[1].decode(), model))
        best = max(paths, key=lambda pieces: unigram_by_hand.score(pieces, model))
        shown = [
            tuple(part.decode() for part in option.label if isinstance(part, bytes))
            for option in question.form.options
        ]
        assert_graded(question, shown.index(best))


def rows_of(question: Question) -> list[tuple[str, ...]]:
    """Return the pieces that each row of a choice names."""
    parts = (option.label for option in question.form.options)
    return [tuple(part.decode() for part in label if isinstance(part, bytes)) for label in parts]


@given(wordpiece_oracle.corpora(), st.integers(0, 9))
@examples(40)
def test_scores_are_graded_by_counting_all_pairs_again(corpus: dict[str, int], seed: int) -> None:
    steps = wordpiece_oracle.train(corpus, 12, "frequent")
    counts = {word.encode(): count for word, count in corpus.items()}
    trainer = WordPieceTrainer(counts, 200, min_count=1)
    timeline = WordPieceTimeline(trainer.record, trainer.steps())
    for step, question in asked(timeline, ["best-score"], str(seed)):
        if step < len(steps):
            scores = [steps[step].scores[row] for row in rows_of(question)]
            assert scores.count(max(scores)) == 1
            assert_graded(question, scores.index(max(scores)))


@given(WORDS, st.integers(0, 9))
@examples(40)
def test_a_pruned_piece_is_gone_after_the_step_and_the_others_stay(
    counts: dict[str, int], seed: int
) -> None:
    trainer = UnigramTrainer(counts, 1 + len(set("".join(counts))))
    timeline = UnigramTimeline(*unigram_parts(trainer), words=counts)
    for step, question in asked(timeline, ["next-prune"], str(seed)):
        after = timeline.seek(step + 1).texts
        gone = [piece not in after for (piece,) in rows_of(question)]
        assert gone.count(True) == 1
        assert_graded(question, gone.index(True))


def unigram_parts(trainer: UnigramTrainer) -> tuple[Any, list[Any]]:
    events = list(trainer.steps())
    return trainer.record, events


# -- sentences


def test_what_comes_next_is_asked_for_by_the_tie_or_by_the_count() -> None:
    timeline = timeline_of(LOW)
    assert [predict(timeline.seek(step)).kind for step in (0, 1)] == ["tie", "next-pair"]
    pieces = WordPieceTrainer(LOW, 40, min_count=1)
    scores = WordPieceTimeline(pieces.record, pieces.steps())
    assert predict(scores.frame).kind == "best-score"
    words = {word.decode(): count for word, count in LOW.items()}
    paths = UnigramTimeline(*unigram_parts(UnigramTrainer(words, 14)), words=words)
    kinds = [predict(paths.seek(step)).kind for step in range(len(paths))]
    assert kinds == [
        "next-prune" if isinstance(paths.seek(step).leads_on, PruneStep) else "best-path"
        for step in range(len(paths))
    ]
    with pytest.raises(QuestionError, match="no step follows"):
        predict(paths.seek(len(paths)))


# -- answers, typed or out of a file


def test_an_answer_is_read_in_its_form() -> None:
    rows = ask("tie", timeline_of(LOW).frame).form
    assert rows.read(" 2 ") == 1
    assert (Number().read("1,204"), Number().read("9" * 18)) == (1204, 10**18 - 1)
    assert YesOrNo().read("Yes") is True
    assert Cuts("don't go").read("don|'t|·go") == (3, 5)
    assert Joins((b"l", b"o", b"w")).read("2") == (1,)
    assert Joins((b"l", b"o", b"w")).read("2 0") == (1, END)


@pytest.mark.parametrize(
    ("form", "right", "wrong", "said"),
    [
        (Number(), [0, 10**18 - 1], [True, 1.0, "5", 10**18], "it is no whole number of up to 18"),
        (Number(), [], [-1], "a count is never below 0"),
        (YesOrNo(), [True, False], [1, "no"], "it is neither yes nor no"),
        (Cuts("abc"), [(), (1, 2)], ["ab", 1], "it is no list of places"),
        (Cuts("abc"), [], [[2, 1], [1, 1]], "the places of the bars do not ascend"),
        (Cuts("abc"), [], [[0], [3]], "a bar is outside of the text"),
        (Joins((b"a", b"b", b"c")), [(1, 0), (END,)], [[2], [0, 1], [1, 1, 0]], "no two tokens at"),
        (Joins((b"a", b"b", b"c")), [(0, END)], [[-2], [0, 0, 0], [END, 0]], "no two tokens at"),
        (Choice((Option((b"a",)), Option((b"b",)))), [0, 1], [-1, 2], "there is no row"),
    ],
)
def test_values_of_a_file_are_checked(
    form: Any, right: list[Any], wrong: list[Any], said: str
) -> None:
    assert [form.check(value) for value in right] == right
    for value in wrong:
        with pytest.raises(AnswerError, match=said):
            form.check(value)


@pytest.mark.parametrize("typed", ["", "x", "0", "7", "1e3", "9" * 19, "٣", "1 2"])
def test_a_row_that_does_not_exist_is_no_answer(typed: str) -> None:
    with pytest.raises(AnswerError):
        ask("tie", timeline_of(LOW).frame).form.read(typed)


def test_of_a_tokenizers_merges_no_count_is_asked_for() -> None:
    vocab = {**{byte: bytes([byte]) for byte in range(256)}, 256: b"lo", 257: b"low"}
    replay = Replay(Tokenizer(vocab, [(b"l", b"o"), (b"lo", b"w")]), {b"low": 5, b"lower": 2})
    replay.timeline.extend(replay.steps())
    for kind in ("next-pair", "tie", "make-merges", "stale"):
        with pytest.raises(QuestionError, match="a tokenizer's; no count chose them"):
            ask(kind, replay.timeline.frame)
    assert str(ask("tokens-left", replay.timeline.frame).asks).startswith("The corpus has 25")
    without_corpus = Replay(replay.timeline.frame.tokenizer(), {})
    frames = [each.timeline.frame for each in (replay, without_corpus)]
    assert explain(replay.timeline.seek(2), ["wer"]).never_made is None
    for frame in (*frames, timeline_of(LOW, merges=0).frame):
        with pytest.raises(QuestionError, match="only a training from a text has reasons"):
            ask("reason", frame)


def test_a_word_in_which_a_pair_joins_twice_shows_the_sum_of_what_is_saved() -> None:
    frame = timeline_of({b"abab": 5}, merges=1).seek(0)
    _, joins = ask("tokens-left", frame).explain()
    assert str(joins).endswith(": 5 × 2 = 10; each saves one token.")


def test_of_words_that_occur_equally_often_none_is_the_most_frequent() -> None:
    question = ask("next-pair", timeline_of({b"abc": 1, b"abd": 1, b"ef": 1}).seek(0))
    mistakes = {question.grade(row).mistake for row in range(len(question.pairs))}
    assert mistakes == {"", "took a pair that occurs less often"}


def test_words_to_encode_by_hand_need_the_order_of_the_merges() -> None:
    """In the others the leftmost pair, or the rightmost, always joins."""
    corpus = {b"abcd": 9, b"bcd": 8, b"cd": 7, b"xab": 5, b"abx": 2, b"cdx": 3, b"xcdab": 1}
    frame = timeline_of(corpus, 8).seek(8)
    words = {ask("encode-by-hand", frame, str(seed)).asks.words[1] for seed in range(8)}
    assert words == {b"xcdab"}


def test_only_a_right_answer_at_the_first_try_counts() -> None:
    question, score = ask("tie", timeline_of(LOW).frame), FirstTries()
    assert question.answer == 1
    for answers, given_up in (([0, 1], False), ([1], False), ([1], True), ([], True)):
        attempt = Attempt(question, given_up=given_up)
        for answer in answers:
            assert not attempt.reveals(answer) or attempt.is_over
            attempt.try_answer(answer)
            assert attempt.reveals(answer)
        assert attempt.is_over
        score.count(attempt)
    assert str(score) == "1 of 4 at the first try"


def test_a_question_speaks_another_language() -> None:
    """The name of a mistake stays English: it is the same for a class in any language."""
    messages = {
        "Where {pair} has a + beside it, it loses that place.": "{pair} 旁有 + 之处会失去。",
        "{n} is too few: the merge takes fewer of its places.": "{n} 太少。",
        "Answer with a number.": "请答一个数。",
    }
    timeline = timeline_of({b"abxab": 3, b"bx": 9, b"ab": 1})
    question = ask("count-change", timeline.frame, about="a|b").translated(messages)
    grade = question.grade(0)
    assert (str(grade.said), str(grade.why)) == ("0 太少。", "a+b 旁有 + 之处会失去。")
    assert (grade.mistake, question.how) == ("took away too much", "请答一个数。")
    stale = ask("stale", timeline.seek(1), about="a|b").translated(messages)
    assert stale.grade(False).why is None


def test_parts_of_a_long_word_are_shown_around_its_pairs() -> None:
    """Three tokens on each side; places that are shown already get no part of their own."""
    parts = {
        b"abcdefgh" * 2 + b"hhhhhhabcabd": [b"abcde", b"fghabcde", b"hhhabcab"],
        b"xx" * 11 + b"ab": [b"xx" * 11 + b"ab"],  # a word of 24 bytes is short
        b"x" + b"xx" * 11 + b"ab": [b"xxxab"],
        b"x" * 20 + b"abcdabcdabcd": [b"xxxabcdab", b"cdabcd"],  # no pair is cut apart
        b"ab" + b"x" * 1996 + b"abab": [b"abxxx", b"xxxab"],  # of a longer word the beginning
    }
    for word, shown in parts.items():
        found = words_with(timeline_of({word: 3}, merges=0).frame, (ord("a"), ord("b")))
        is_part = len(word) > 24
        assert list(found) == [SeenWord(tuple(part), 3, word, is_part) for part in shown]


EIGHT = {bytes((byte, 98)): 1 for byte in range(99, 107)}


@pytest.mark.parametrize(
    ("counts", "shown"),
    [
        (EIGHT | {b"x": 9}, 8),  # one byte has no pair
        (EIGHT | {b"ab": 1}, None),
        ({b"x" * 24: 9}, 1),
        ({b"x" * 25: 6, b"y" * 10: 1}, 2),  # a corpus of 160 bytes
        ({b"x" * 25: 6, b"y" * 11: 1}, None),
    ],
)
def test_a_few_short_words_are_all_shown(counts: Corpus, shown: int | None) -> None:
    found = all_words(timeline_of(counts, merges=0).frame)
    assert (None if found is None else len(found.words)) == shown


def test_the_first_words_of_pairs_are_in_the_order_of_the_corpus() -> None:
    frame = timeline_of({b"bd" * 12: 9, b"xcd": 1, b"ab": 3, b"abcd": 2, b"ef" * 13: 9}).frame.at(0)
    first = first_words(frame, [(97, 98), (99, 100), (98, 100)])
    assert first is not None
    assert [word.text for word in first.words] == [b"bd" * 12, b"xcd", b"ab"]
    assert first_words(frame, [(97, 98), (101, 102)]) is None  # its word is too long to be shown


def test_a_choice_has_as_many_rows_as_are_wanted_but_two_at_least() -> None:
    counts = dict.fromkeys(("ab", "a", "b", "abab", "ba"), 3)
    unigram = UnigramTimeline(*unigram_parts(UnigramTrainer(counts, 6)), words=counts)
    for kind, frame, most in (
        ("next-pair", timeline_of({b"ab": 9, b"cd": 3, b"ef": 2, b"gh": 1}).frame, 4),
        ("tie", timeline_of({b"ab": 1, b"cd": 1, b"ef": 1, b"gh": 1}).frame, 4),
        ("best-path", unigram.frame, 4),
    ):
        about = "abab" if kind == "best-path" else None
        asked = [ask(kind, frame, about=about, rows=rows).form for rows in (0, 2, 3, 9)]
        assert [len(form.options) for form in asked] == [2, 2, 3, most]
    assert len(ask("best-path", unigram.frame, about="ab" * 12).form.options) > 1
    for about in ("", "b", "ab" * 12 + "a"):
        with pytest.raises(QuestionError, match="no two paths of clearly different scores"):
            ask("best-path", unigram.frame, about=about)


def test_every_kind_has_a_slow_grader() -> None:
    elsewhere = {"longest-match", "best-score", "best-path", "next-prune"}
    assert {*GRADERS, *elsewhere} == set(KINDS)
