"""Unigram with one removal a step: by hand, against a slow literal second one, and its bounds."""

import json
from collections import Counter
from collections.abc import Iterator
from math import inf, log

import pytest
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st

from engine import BpeError, UnigramError
from engine.analysis.inspection import UnigramInspection
from engine.core.events import WorkProgress, finished
from engine.unigram import textbook
from engine.unigram.frame import UnigramTimeline
from engine.unigram.grams import TIED
from engine.unigram.lattice import Path
from engine.unigram.pieces import UNKNOWN, Edge, spelled
from engine.unigram.record import PruneStep
from engine.unigram.textbook import TextbookTrainer
from engine.unigram.trainer import UnigramStopReason
from engine.unigram.units import read_words


def oracle_cuts(
    units: tuple[str, ...], costs: dict[str, float], ngram: int, between: str
) -> Iterator[tuple[float, tuple[int, ...], list[str]]]:
    """Yield all segmentations: cost, lengths from the right, counted n-grams."""
    if not units:
        yield 0.0, (), []
    for length in range(1, min(ngram, len(units)) + 1):
        gram = between.join(units[-length:])
        for cost, lengths, grams in oracle_cuts(units[:-length], costs, ngram, between):
            if gram in costs:
                yield cost + costs[gram], (length, *lengths), [*grams, gram]
            elif length == 1:
                yield cost + 10, (1, *lengths), grams


def oracle_best(
    sentences: list[tuple[str, ...]], costs: dict[str, float], ngram: int, between: str
) -> tuple[float, Counter[str]]:
    """Return the loss of all sentences, and the counts in the best segmentations."""
    loss, counts = 0.0, Counter[str]()
    for units in sentences:
        cuts = list(oracle_cuts(units, costs, ngram, between))
        least = min(cost for cost, _, _ in cuts)
        equal = [cut for cut in cuts if cut[0] <= least + TIED]
        loss += least
        counts.update(max(equal, key=lambda cut: cut[1])[2])
    return loss, counts


def oracle_steps(
    sentences: list[tuple[str, ...]], size: int, ngram: int, between: str
) -> Iterator[tuple[str, float, float, Counter[str]]]:
    """Yield each removed n-gram, the loss without it, and then the new loss and counts."""
    counts = Counter(
        between.join(units[start:end])
        for units in sentences
        for start in range(len(units))
        for end in range(start + 1, min(start + ngram, len(units)) + 1)
    )
    left = set(counts)
    while len(left) > size:
        total = counts.total()
        costs = {gram: -log(counts[gram] / total) for gram in left if counts[gram]}
        without = {}
        for gram in left:
            others = {other: cost for other, cost in costs.items() if other != gram}
            without[gram] = oracle_best(sentences, others, ngram, between)[0]
        least = min(without.values()) + TIED
        gone = min((g for g in left if without[g] <= least), key=str.encode)
        left.remove(gone)
        costs.pop(gone, None)
        counts = oracle_best(sentences, costs, ngram, between)[1]
        total = counts.total()
        costs = {gram: -log(count / total) for gram, count in counts.items()}
        yield gone, without[gone], oracle_best(sentences, costs, ngram, between)[0], counts


FRUIT = {"我 喜欢 苹果": 1, "你 喜欢 香蕉": 1, "他 喜欢 橙子": 1}


def trained(
    counts: dict[str, int], size: int | None = None, ngram: int = 1, units: str = "words"
) -> tuple[TextbookTrainer, UnigramTimeline]:
    trainer = TextbookTrainer(counts, size, ngram=ngram, units=units)
    events = list(trainer.steps())
    return trainer, UnigramTimeline(trainer.record, events, words=counts, pattern="lines")


def test_the_seed_of_the_fruit_has_seven_words_with_the_costs_of_their_shares() -> None:
    frame = trained(FRUIT, 5)[1].frame
    assert frame.size == 7
    assert frame.expected_counts.sum() == 9
    costs = {text: -score for text, score in frame.vocabulary[1:]}
    assert costs["他"] == pytest.approx(2.197, abs=5e-4)  # log 9
    assert costs["喜欢"] == pytest.approx(1.099, abs=5e-4)  # log 9/3
    assert frame.loss == pytest.approx(6 * log(9) + 3 * log(3))


def test_of_words_that_tie_the_one_with_the_smallest_bytes_goes_one_a_step() -> None:
    _, timeline = trained(FRUIT, 5)
    increases = finished(timeline.frame.removals()).loss_increases
    by_word = dict(zip(timeline.frame.texts, increases.tolist(), strict=True))
    assert by_word.pop("喜欢") == pytest.approx(3 * (10 - log(3)))
    assert list(by_word.values()) == pytest.approx([10 - log(9)] * 6)
    gone = [piece.text for step in timeline.record.steps for piece in step.removed]
    assert gone == ["他", "你"]
    words = ["他", "你", "我", "橙子", "苹果", "香蕉"]
    assert [timeline.record.equals_at(place) for place in range(3)] == [words, words[1:], words[2:]]


def test_the_size_may_be_smaller_than_the_alphabet() -> None:
    assert trained({"ab": 3}, 1, units="characters")[1].seek(1).texts == ["b"]
    assert [text for text, _ in trained(FRUIT, 1)[0].pieces] == ["<unk>", "喜欢"]


def test_an_n_gram_that_no_best_segmentation_uses_costs_nothing_and_goes_first() -> None:
    # Seed: a, b and a▁b twice each, so P is 1/3. One a▁b is cheaper than a and b.
    _, timeline = trained({"a b": 2}, 1, ngram=2)
    assert timeline.frame.loss == pytest.approx(2 * log(3))
    removed = [step.removed[0] for step in timeline.record.steps]
    assert [(piece.text, piece.loss_increase) for piece in removed] == [("a", 0), ("b", 0)]
    after = timeline.seek(1)
    assert after.expected_counts.tolist() == [0, 2]  # b, a▁b
    assert UnigramInspection(after).entropy == 0
    assert after.loss == pytest.approx(0)
    assert removed[1].score == -inf
    assert timeline.record.mean_loss_at(0) == pytest.approx(log(3))
    assert finished(after.removals()).alternative_of(0) == ()


def test_of_segmentations_that_cost_the_same_the_one_with_the_longest_n_gram_wins() -> None:
    # Of 24 n-grams a is 4, b 6, and a▁b 1: 1/24 = 4/24 · 6/24. A▁B costs more than A and B.
    counts = {"A": 5, "B": 5, "A B": 1, "a": 3, "b": 5, "a b": 1}
    _, timeline = trained(counts, 1, ngram=2)
    after = timeline.seek(1)
    counted = dict(zip(after.texts, after.expected_counts.tolist(), strict=True))
    assert counted == {"A": 6, "B": 6, "a": 3, "b": 5, "a▁b": 1}
    assert [timeline.seek(0).segment(each) for each in ("a▁b", "A▁B")] == [["a▁b"], ["A", "▁B"]]


def test_without_itself_an_n_gram_is_its_parts_and_a_single_word_is_unknown() -> None:
    frame = trained({"a b": 1, "a": 1}, 1, ngram=2)[1].frame
    assert frame.record.mean_loss_at(0) == frame.loss / 2
    one = trained({"a b": 1}, 1)[1].frame
    assert one.record.mean_loss_at(0) == one.loss == 2 * log(2)
    parts = frame.alternative("a▁b")
    assert parts == Path((Edge(0, 1, 0, log(2 / 4)), Edge(1, 3, 1, log(1 / 4))), log(2 / 16))
    assert frame.alternative("a") == Path((Edge(0, 1, UNKNOWN, -10.0),), -10.0)


def test_a_step_exports_as_json_that_any_reader_takes() -> None:
    trainer, _ = trained({"a b": 2}, 1, ngram=2)
    lines = [json.dumps(step.as_dict(), allow_nan=False) for step in trainer.record.steps]
    assert [json.loads(line)["removed"][0]["score"] for line in lines] == [log(1 / 3), None]


def test_a_text_is_encoded_in_words_and_an_unknown_word_is_one_token() -> None:
    frame = trained(FRUIT, 5)[1].seek(2)
    assert frame.segment("他▁喜欢▁苹果") == ["他", "▁喜欢", "▁苹果"]
    assert frame.encode("他 喜欢 苹果") == [0, 1, 4]
    assert frame.decode([1, 4]) == "喜欢 苹果"
    assert frame.unknown_in("他 她 喜欢") == ["他▁她"]
    assert frame.encode("\n \n") == []


def test_the_whitespace_between_words_is_no_part_of_them() -> None:
    trainer, _ = trained({"  a\tb ": 1, "b a\r": 2, "\n\n": 4, "": 3, "c": 0}, 9)
    assert trainer.record.texts == ["a", "b"]
    assert trainer.record.expected_at(0).tolist() == [3, 3]
    assert list(trainer.sentences.items()) == [("b▁a\r", 2), ("▁▁a\tb▁", 1)]
    assert trainer.record.corpus.pretokens == 3
    assert [unit.end for unit in read_words("▁▁a\tb▁")] == [3, 6]


texts = st.lists(st.lists(st.sampled_from("aabc"), min_size=1, max_size=6), min_size=1, max_size=5)


@given(texts, st.integers(1, 3), st.integers(1, 4), st.booleans())
@examples(150)
@example([["a", "a", "b"], ["b", "c"], ["a", "b"]], 2, 2, True)
def test_each_step_is_that_of_a_trainer_that_tries_all_segmentations(
    corpus: list[list[str]], ngram: int, size: int, of_words: bool
) -> None:
    between = "▁" if of_words else ""
    units = "words" if of_words else "characters"
    counts = Counter((" " if of_words else "").join(sentence) for sentence in corpus)
    trainer, timeline = trained(dict(counts), size, ngram, units)
    expected = list(oracle_steps([tuple(each) for each in corpus], size, ngram, between))
    steps: list[PruneStep] = trainer.record.steps
    assert [step.removed[0].text for step in steps] == [gone for gone, *_ in expected]
    for step, (_, without, after, _) in zip(steps, expected, strict=True):
        assert step.loss_before + step.removed[0].loss_increase == pytest.approx(without)
        assert step.loss_after == pytest.approx(after, abs=1e-9)
    for place, frame in enumerate(map(timeline.seek, range(len(steps) + 1))):
        # The lattice of the screen cuts as the trainer does.
        shown = sum(-n * frame.lattice(spelled(text)).best.score for text, n in counts.items())
        assert frame.loss == pytest.approx(shown, abs=1e-6)
        if place:
            counted = dict(zip(frame.texts, frame.expected_counts.tolist(), strict=True))
            assert {gram: n for gram, n in counted.items() if n} == expected[place - 1][3]


@pytest.mark.parametrize(
    ("counts", "size", "left", "reason"),
    [
        (FRUIT, 5, 5, UnigramStopReason.SIZE_REACHED),
        (FRUIT, 7, 7, UnigramStopReason.SIZE_REACHED),
        (FRUIT, None, 4, UnigramStopReason.HALF_LEFT),
        ({"a b": 1}, None, 1, UnigramStopReason.HALF_LEFT),
        (FRUIT, 8, 7, UnigramStopReason.SMALL_SEED),
        ({" \n": 3}, None, 0, UnigramStopReason.NO_TEXT),
    ],
)
def test_it_says_why_it_ended(
    counts: dict[str, int], size: int | None, left: int, reason: UnigramStopReason
) -> None:
    trainer, timeline = trained(counts, size)
    assert (trainer.stop_reason, timeline.seek(len(timeline)).size) == (reason, left)


@pytest.mark.parametrize(("size", "ngram"), [(0, 1), (-1, 1), (5, 0), (5, -3)])
def test_a_size_or_a_length_below_one_is_refused(size: int, ngram: int) -> None:
    with pytest.raises(BpeError, match=r"at least 1|1 or more"):
        TextbookTrainer(FRUIT, size, ngram=ngram)


MOVES = "8 words in n-grams of 1 to 2 words take about {} moves for {}; the textbook trainer makes"


@pytest.mark.parametrize(
    ("name", "enough", "limit", "size", "why"),
    [
        # A step tries 4·5·2 + 3·4·2 + 1·2·1 = 66 n-grams at places; of 13 n-grams two go.
        ("MOST_MOVES", 66, 65, 13, MOVES.format(66, "a step")),
        ("MOST_MOVES", 132, 65, 11, MOVES.format(66, "a step")),
        ("MOST_MOVES", 132, 131, 11, MOVES.format(130, "2 steps")),
        ("MOST_GRAMS", 13, 12, 11, "the text has more than 12 n-grams of 1 to 2 words, and"),
        ("MOST_VALUES", 39, 38, 11, "13 n-grams of 1 to 2 words in 2 steps are more than memory"),
    ],
)
def test_a_text_that_would_take_too_long_is_refused_before_any_step(
    name: str, enough: int, limit: int, size: int, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = {"a b c d": 1, "e f g": 1, "h": 1}
    monkeypatch.setattr(textbook, name, enough)
    assert len(trained(counts, size, ngram=2)[1]) == 13 - size
    monkeypatch.setattr(textbook, name, limit)
    trainer = TextbookTrainer(counts, size, ngram=2)
    with pytest.raises(UnigramError, match=rf"{why} .*--trainer em"):
        list(trainer.steps())
    with pytest.raises(UnigramError, match="no record yet"):
        _ = trainer.record


def test_it_says_how_far_it_is_after_each_batch_of_sentences(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(textbook, "BATCH", 2)
    events = TextbookTrainer(FRUIT, 6, ngram=1).steps()
    found = [each for each in events if isinstance(each, WorkProgress)]
    weighed = [("weighing n-grams", 0, 3), ("weighing n-grams", 2, 3)]
    assert found == [("finding n-grams", 0, 3), ("finding n-grams", 2, 3), *weighed, *weighed]
