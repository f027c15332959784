"""Seed, loss and steps agree with the slow and literal `unigram_by_hand`, and with theorems."""

from collections import Counter
from collections.abc import Mapping
from math import lgamma, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import unigram_by_hand as by_hand
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st

from engine import BpeError, SpecialTokenError, UnigramError, VocabSizeError
from engine.core.arrays import Floats
from engine.core.events import WorkProgress, finished
from engine.unigram import lattice_arrays
from engine.unigram.em import TrainingCorpus, digamma, expected_counts
from engine.unigram.lattice_arrays import LONGEST_TEXT, Lattices, lattices_of
from engine.unigram.record import EmStep, PruneRule, PruneStep, Seeded, UnigramRecord
from engine.unigram.seed import Seeds, seed_pieces
from engine.unigram.trainer import UnigramStopReason, UnigramTrainer

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
HANDOUT = {"▁low": 5, "▁lower": 2, "▁widest": 3, "▁newest": 6}
HUGS = {"▁hug": 10, "▁pug": 5, "▁pun": 12, "▁bun": 4, "▁hugs": 5}
ONE_LETTER = {"aaaaaa": 3, "aaab": 2, "aab": 4}
CORPORA = [HANDOUT, HUGS, ONE_LETTER]

WORDS = st.dictionaries(st.text("abc", min_size=1, max_size=7), st.integers(1, 50), min_size=2)


def trained(
    counts: Mapping[str, int], vocab_size: int | None, *args: Any, **options: Any
) -> UnigramTrainer:
    trainer = UnigramTrainer(counts, vocab_size, *args, **options)
    finished(trainer.steps())
    return trainer


def steps_of(trainer: UnigramTrainer) -> list[EmStep | PruneStep]:
    return [event for event in trainer.steps() if isinstance(event, EmStep | PruneStep)]


def model_at(record: UnigramRecord, place: int) -> dict[str, float]:
    texts = [record.texts[number] for number in record.numbers_at(place)]
    return dict(zip(texts, record.scores_at(place).tolist(), strict=True))


@given(WORDS, st.randoms(use_true_random=False))
def test_the_counts_of_a_corpus_are_those_of_its_texts_by_hand(
    counts: dict[str, int], random: Any
) -> None:
    # Halves add up exactly, so that equal sums are equal.
    model = {text: -random.randint(1, 9) / 2 for text in by_hand.seeds(counts, 99, 4)}
    ids = {text: number for number, text in enumerate(model)}
    corpus = finished(lattices_of(counts, ids, longest=4))
    scores = np.array(list(model.values()))

    expected, loss = by_hand.expected_counts(counts, model)
    found, log_probability = finished(expected_counts(corpus, scores))
    assert found.tolist() == pytest.approx(list(expected.values()))
    assert log_probability == pytest.approx(-loss * sum(counts.values()))

    best, _ = finished(expected_counts(corpus, scores, Lattices.best_shares))
    assert best.tolist() == list(by_hand.best_counts(counts, model).values())


def test_lattices_are_packed_in_batches_of_edges_by_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lattice_arrays, "BATCH", 4)
    monkeypatch.setattr(lattice_arrays, "CHARACTERS_A_SLICE", 3)
    given = {"abb": 3, "b": 1, "ab": 2}, {"a": 0, "b": 1, "ab": 2}, 2
    progress, (first, second) = list(lattices_of(*given)), finished(lattices_of(*given))
    assert progress == [("building the lattices", 2, 3), ("building the lattices", 3, 3)]
    # b and ab; nodes 0 1 and 2 3 4; the edges that end a character from the start, then two.
    assert (first.texts.tolist(), first.counts.tolist()) == ([1, 2], [1, 2])
    assert (first.first_nodes.tolist(), first.last_nodes.tolist()) == ([0, 2], [1, 4])
    edges = zip(first.pieces.tolist(), first.sources.tolist(), first.targets.tolist(), strict=True)
    assert list(edges) == [(1, 0, 1), (0, 2, 3), (2, 2, 4), (1, 3, 4)]
    assert (first.level_sizes.tolist(), first.nodes) == ([2, 2], 5)
    assert (second.texts.tolist(), second.pieces.tolist()) == ([0], [0, 2, 1, 1])
    done = [
        [each.done for each in way] for way in (first.shares(-np.ones(3)), first.flow(np.ones(4)))
    ]
    assert done == [[2, 4], [2, 4]]


@given(WORDS, st.integers(0, 6))
@examples(60)
@example({"abcab": 3, "ab": 9, "cabc": 2, "bca": 1}, 2)
@example({"aaaa": 4}, 0)  # of four pieces two are in no best segmentation; one would be enough
def test_each_step_is_an_iteration_by_hand_or_removes_the_pieces_that_cost_least(
    counts: dict[str, int], spare: int
) -> None:
    trainer = UnigramTrainer(counts, 1 + len(set("".join(counts))) + spare)
    for step in steps_of(trainer):
        before, after = (model_at(step.record, place) for place in (step.index, step.index + 1))
        expected, loss = by_hand.expected_counts(counts, before)
        assert step.record.expected_at(step.index).tolist() == pytest.approx(
            list(expected.values()), abs=1e-9
        )
        assert step.loss_before == pytest.approx(loss)
        if isinstance(step, EmStep):
            assert after == pytest.approx(by_hand.em_iteration(counts, before))
            gone = [piece.text for piece in step.removed]
            assert set(gone) == before.keys() - after.keys()
            rarity = [expected[text] for text in gone]
            assert rarity == pytest.approx(sorted(rarity))
            continue
        assert after.items() <= before.items()  # a prune changes no score
        increases = by_hand.loss_increases(counts, before)
        assert {p.text: p.loss_increase for p in step.removed} == pytest.approx(
            {text: increases[text] for text in before.keys() - after.keys()}
        )
        assert {p.text: p.score for p in step.removed} == {
            p.text: before[p.text] for p in step.removed
        }
        measure = increases if step.rule is PruneRule.LOSS else before
        used = by_hand.best_counts(counts, before)
        if step.rule is PruneRule.LOSS:
            unused = sum(not uses for text, uses in used.items() if len(text) > 1)
            size = max(int(1.1 * trainer.vocab_size), int(0.75 * len(before)))
            assert len(step.removed) == max(unused, len(before) - size)
        chosen = [p.text for p in step.removed if used[p.text] or step.rule is PruneRule.SCORE]
        order = [measure[text] for text in chosen]
        assert order == pytest.approx(sorted(order))
        stay = [measure[text] for text in after if len(text) > 1]
        assert max(order, default=-1e9) <= min(stay, default=1e9) + 1e-9


@pytest.mark.parametrize("counts", CORPORA)
@pytest.mark.parametrize("vocab_size", [12, 14, 18])
def test_a_whole_training_ends_with_the_model_by_hand(
    counts: dict[str, int], vocab_size: int
) -> None:
    pieces = trained(counts, vocab_size).pieces
    assert dict(pieces[1:]) == pytest.approx(by_hand.train(counts, vocab_size))


def test_the_vocabulary_has_the_wanted_size_and_every_character() -> None:
    text = (SAMPLES / "tinystories_valid.txt").read_text(encoding="utf-8")
    counts = Counter("▁" + word for word in text.split())
    trainer = trained(counts, 400, ["<s>", "</s>"])
    texts = [piece for piece, _ in trainer.pieces]
    assert len(texts) == len(set(texts)) == 400
    assert texts[:3] == ["<unk>", "<s>", "</s>"]
    assert set("".join(counts)) <= set(texts)
    assert trainer.stop_reason is UnigramStopReason.SIZE_REACHED
    scores = [score for _, score in trainer.pieces[3:]]
    assert scores == sorted(scores, reverse=True)


def test_every_round_has_its_iterations_and_the_last_prune_goes_by_score() -> None:
    steps = steps_of(UnigramTrainer(HANDOUT, 14))
    rounds = [step.round for step in steps]
    assert rounds == sorted(rounds)
    for round_ in set(rounds):
        em = [s.iteration for s in steps if isinstance(s, EmStep) and s.round == round_]
        assert em == [0, 1]
    rules = [step.rule for step in steps if isinstance(step, PruneStep)]
    assert rules[-1] is PruneRule.SCORE
    assert set(rules[:-1]) <= {PruneRule.LOSS}


def test_special_and_unknown_tokens_are_never_pieces() -> None:
    trainer = trained({"<unk>": 9, "<s>": 9, "<s": 1}, 30, ["<s>"])
    texts = [text for text, _ in trainer.pieces]
    assert [texts.count(text) for text in ("<unk>", "<s>", "<s")] == [1, 1, 1]


def test_no_piece_is_longer_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.unigram.trainer.LONGEST_PIECE", 3)
    trainer = trained(HANDOUT, 20)
    assert max(len(text) for text, _ in trainer.pieces[1:]) == 3


def test_it_claims_a_size_asked_for_only_if_one_was() -> None:
    for counts, size, reason in (
        ({"ab": 3}, None, UnigramStopReason.SHARE_LEFT),
        ({}, None, UnigramStopReason.NO_TEXT),
        ({"ab": 3}, 3, UnigramStopReason.SIZE_REACHED),
        (HUGS, 1000, UnigramStopReason.NO_MORE_PIECES),
    ):
        assert trained(counts, size).stop_reason is reason


def test_an_empty_corpus_leaves_the_unknown_token() -> None:
    trainer = trained({"": 3, "a": 0}, 10)
    assert trainer.pieces == [("<unk>", 0.0)]
    assert len(trainer.record) == 0


@pytest.mark.slow  # the longest text that is trained on
def test_a_pretoken_of_any_length_is_trained_on_to_its_end() -> None:
    record = trained({"ab" * LONGEST_TEXT + "c" * 99: 1}, 12).record
    for place in range(len(record) + 1):
        lengths = [len(record.texts[number]) for number in record.numbers_at(place)]
        assert record.expected_at(place) @ lengths == pytest.approx(2 * LONGEST_TEXT + 99)


def test_of_equal_pieces_the_one_seeded_last_is_removed_first() -> None:
    trainer = trained({"ab": 5, "cd": 5}, 6)
    assert {text for text, _ in trainer.pieces} == {"<unk>", "ab", *"abcd"}


def test_progress_comes_between_the_steps_and_a_record_with_the_seed() -> None:
    trainer = UnigramTrainer(HANDOUT, 14)
    with pytest.raises(UnigramError, match="no record yet"):
        _ = trainer.record
    events = trainer.steps()
    assert all(isinstance(next(events), WorkProgress) for _ in range(3))
    seeded = next(event for event in events if isinstance(event, Seeded))
    assert trainer.record is seeded.record
    events.close()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"vocab_size": 5},
            VocabSizeError,
            r"need at least 12.*keeps every character.*--trainer textbook",
        ),
        ({"special_tokens": ["<unk>"]}, SpecialTokenError, "given twice"),
    ],
)
def test_impossible_options_are_errors(
    options: dict[str, Any], error: type[BpeError], message: str
) -> None:
    with pytest.raises(error, match=message):
        UnigramTrainer(HANDOUT, **({"vocab_size": 20} | options))
    with pytest.raises(VocabSizeError, match="1 different character, '<unk>' and 1 special token "):
        UnigramTrainer({"a": 3}, 1, ["<s>"])


def test_a_run_without_a_size_keeps_a_tenth_of_its_longer_pieces() -> None:
    words = {f"▁{a}{b}{c}{d}": 1 for a in "abc" for b in "abc" for c in "abc" for d in "abc"}
    trainer = UnigramTrainer(words)
    events = list(trainer.steps())
    characters, seed = len("▁abc"), len(trainer.record.texts)
    assert trainer.vocab_size == len(["<unk>"]) + characters + (seed - characters) // 10
    assert any(isinstance(event, PruneStep) for event in events)
    assert len(trainer.pieces) == trainer.vocab_size


def shares(counts: Floats) -> Floats:
    """Return scores by maximum likelihood: shares of the counts."""
    return np.log(counts) - np.log(counts.sum())


@given(WORDS)
def test_with_plain_normalisation_the_loss_never_rises(counts: dict[str, int]) -> None:
    """Without dropped pieces this is EM, and its theorem holds."""
    model = by_hand.seeds(counts, 99, 5)
    problem = finished(TrainingCorpus.of(counts, list(model), 5))
    estimate = finished(problem.estimate(np.array(list(model.values()))))
    for _ in range(8):
        scores = shares(np.maximum(estimate.expected, 1e-300))
        before, estimate = estimate, finished(problem.estimate(scores))
        assert estimate.loss <= before.loss + 1e-9


def test_digamma_is_the_derivative_of_the_logarithm_of_gamma() -> None:
    values = np.array([0.5, 1.0, 2.5, 6.9, 7.0, 100.0, 1e6])
    slopes = [(lgamma(x + 1e-4 * x) - lgamma(x - 1e-4 * x)) / (2e-4 * x) for x in values]
    assert digamma(values).tolist() == pytest.approx(slopes, rel=1e-6, abs=1e-6)
    euler = 0.5772156649015329
    exact = [-euler - 2 * log(2), -euler, 1 - euler, sum(1 / n for n in range(1, 7)) - euler]
    assert digamma(np.array([0.5, 1, 2, 7])).tolist() == pytest.approx(exact, abs=3e-10)


COUNTS = st.dictionaries(st.text("abcé\0🙂", min_size=1, max_size=9), st.integers(1, 9), min_size=1)


def seeds_of(counts: dict[str, int], size: int = 1000, longest: int = 16) -> Seeds:
    return finished(seed_pieces(counts, size, longest))


@given(COUNTS, st.integers(1, 30), st.integers(1, 6))
@example({"aaaa": 1}, 9, 3)
@example({"ab": 1}, 9, 3)  # a substring that occurs once is no seed, and a character is
@example({"abc": 5}, 1, 3)  # all characters, even beyond the size
@example({"queen": 3, "quiet": 2}, 99, 16)  # que is always followed by one character
@example({"\ud800a": 2}, 9, 3)
@example({}, 9, 3)
def test_seeds_are_the_characters_and_the_best_branching_substrings(
    counts: dict[str, int], size: int, longest: int
) -> None:
    seeds = seeds_of(counts, size, longest)
    expected = by_hand.seeds(counts, size, longest)
    assert seeds.texts == list(expected)
    assert seeds.scores.tolist() == pytest.approx(list(expected.values()))
    assert seeds.characters == len(set("".join(counts)))


def test_the_search_reports_its_progress_for_every_length() -> None:
    work = seed_pieces({"abcd": 2}, 10, 4)
    progress = [(step.done, step.total) for step in work if isinstance(step, WorkProgress)]
    assert progress == [(1, 4), (2, 4), (3, 4), (4, 4)]
