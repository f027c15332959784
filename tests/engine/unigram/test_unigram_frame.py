"""Frames of a Unigram run: changes, columns, series and whole texts, against plain Python."""

from collections import Counter
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import unigram_by_hand as by_hand
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st

from engine import TimelineError
from engine.analysis.inspection import PIECE_FILTERS
from engine.core.events import finished
from engine.text.excerpt import Excerpt
from engine.unigram import frame as frame_module
from engine.unigram.frame import (
    UnigramFrame,
    UnigramTimeline,
    changed_words,
    count_changes,
    m_step,
    piece_occurrences,
)
from engine.unigram.lattice import Lattice
from engine.unigram.pieces import (
    UNKNOWN,
    Edge,
    PieceColumns,
    PieceTable,
    joined,
    spelled,
    spelled_counts,
)
from engine.unigram.record import NEVER, EmStep, PruneStep, Seeded
from engine.unigram.trainer import Event, UnigramTrainer

WORDS = {"▁hugs": 10, "▁hug": 9, "▁bugs": 6, "▁pun": 4, "▁puns": 3, "▁shrug": 2, "hug": 2}


@pytest.fixture
def timeline() -> UnigramTimeline:
    trainer = UnigramTrainer(WORDS, 16)
    events = list(trainer.steps())
    return UnigramTimeline(trainer.record, events, words=WORDS, excerpt=Excerpt.of(b"hugs"))


def test_frames_look_alike_if_run_step_and_the_next_step_are_the_same(
    timeline: UnigramTimeline,
) -> None:
    frame, other = timeline.seek(1), UnigramTimeline(timeline.record, timeline.record.steps)
    others = [frame.at(1), frame.at(0), UnigramFrame(timeline.run, 1, 1), other.seek(1)]
    assert [frame.looks_like(each) for each in others] == [True, False, False, False]
    assert frame.excerpt.lines.text == "hugs"


def test_a_run_keeps_the_costs_of_removals_of_the_last_steps(
    timeline: UnigramTimeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frame_module, "REMOVALS_KEPT", 2)
    for step in range(len(timeline) + 1):
        finished(timeline.seek(step).removals())
    assert list(timeline.run.known_removals) == [2, 3]


def test_the_search_for_a_piece_pauses_after_each_batch_of_words(
    timeline: UnigramTimeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frame_module, "BATCH", 2)
    pun = timeline.record.texts.index("▁pun")
    found = [use and use.text for use in piece_occurrences(timeline.frame, pun)]
    assert found == [None, None, "▁pun", None, None]  # places 0, 2, 3; ▁puns is a piece; 6


def test_counts_after_a_step_are_those_of_the_next_frame(timeline: UnigramTimeline) -> None:
    at_seed = count_changes(timeline.seek(0))
    assert at_seed.before.tolist() == at_seed.after.tolist() != []
    for step in range(1, len(timeline) + 1):
        frame = timeline.seek(step)
        changes = count_changes(frame)
        differences = np.abs(changes.after - changes.before)
        assert (np.diff(differences) <= 0).all()
        for number, before, after in zip(
            changes.numbers.tolist(), changes.before, changes.after, strict=True
        ):
            index = frame.index_of(number)
            assert after == (0 if index is None else frame.expected_counts[index])
            earlier = frame.at(step - 1)
            at = earlier.index_of(number)
            assert at is not None
            assert before == earlier.expected_counts[at]


def test_the_arithmetic_of_the_m_step_gives_the_score_of_the_record(
    timeline: UnigramTimeline,
) -> None:
    for step in range(1, len(timeline) + 1):
        frame = timeline.seek(step)
        for number, score in zip(frame.numbers.tolist(), frame.scores, strict=True):
            shown = m_step(frame, number)
            if isinstance(frame.came_by, EmStep):
                assert shown is not None
                assert shown.score == pytest.approx(score)
            else:
                assert shown is None
    gone = set(timeline.seek(0).numbers.tolist()) - set(frame.numbers.tolist())
    assert gone
    assert {(frame.index_of(number), m_step(frame, number)) for number in gone} == {(None, None)}


def test_changed_words_are_those_that_two_tables_segment_differently(
    timeline: UnigramTimeline,
) -> None:
    for step in range(1, len(timeline) + 1):
        frame = timeline.seek(step)
        before, after = _by_id(frame.at(step - 1)), _by_id(frame)
        told = list(changed_words(frame))
        assert len(told) == len(WORDS)
        changed = {word.text for word in told if word is not None}
        assert changed == {word for word in WORDS if _cut(before, word) != _cut(after, word)}


def _by_id(frame: UnigramFrame) -> PieceTable:
    texts, scores = zip(*frame.vocabulary, strict=True)
    return PieceTable(texts, scores, unknown=0)


def _cut(table: PieceTable, text: str) -> list[str]:
    lattice = Lattice(text, table)
    return lattice.spelled(lattice.best)


def test_numbered_pieces_give_the_same_lattice_as_ids(timeline: UnigramTimeline) -> None:
    for step in range(len(timeline) + 1):
        frame = timeline.seek(step)
        for text in (*WORDS, "▁hügx"):
            by_number, by_id = frame.lattice(text), Lattice(text, _by_id(frame))
            assert _edges(by_number) == _edges(by_id)
            assert frame.segment(text) == by_id.spelled(by_id.best)
            assert [edge.end for edge in frame.pieces_of(text)] == [
                edge.end for edge in by_id.best.edges
            ]


def _edges(lattice: Lattice) -> list[list[tuple[int, int, float]]]:
    return [[(edge.start, edge.end, edge.score) for edge in node] for node in lattice.arriving]


def test_a_character_that_the_corpus_lacks_is_unknown(timeline: UnigramTimeline) -> None:
    edges = timeline.seek(0).pieces_of("hü")
    assert [edge.piece == UNKNOWN for edge in edges] == [False, True]
    assert timeline.frame.decode([0]) == "<unk>"
    unknown = Edge(1, 2, UNKNOWN, -19.0), Edge(2, 4, UNKNOWN, -20.0)
    assert joined([Edge(0, 1, 7, -2.0), *unknown])[1:] == (Edge(1, 4, UNKNOWN, -39.0),)


def test_columns_flag_runs_of_a_character_and_parts_of_one() -> None:
    columns = PieceColumns(["a", "aa", "ab", "ba", "é", "\udce9", "a\udce9"])
    assert columns.are_runs.tolist() == [False, True, *[False] * 5]
    assert columns.are_partial.tolist() == [False] * 5 + [True] * 2


def test_the_alternative_of_a_piece_is_the_best_way_without_it(timeline: UnigramTimeline) -> None:
    frame = timeline.seek(0)
    other = frame.alternative("▁hug")
    assert other is not None
    assert len(other.edges) > 1
    paths = [path for path in frame.lattice("▁hug").n_best(50) if len(path.edges) > 1]
    assert other.score == max(path.score for path in paths)
    assert frame.alternative("h") is None


def test_prunes_lists_the_steps_right_after_a_prune(timeline: UnigramTimeline) -> None:
    assert list(timeline.run.prunes) == [
        step
        for step in range(1, len(timeline) + 1)
        if isinstance(timeline.seek(step).came_by, PruneStep)
    ]


def test_a_byte_that_is_no_text_is_spelled_as_a_surrogate() -> None:
    assert spelled_counts({b" \xff": 2}) == {"▁\udcff": 2}


ANY_WORDS = st.dictionaries(st.text("aAb▁", min_size=1, max_size=7), st.integers(1, 9), min_size=1)


def recorded(words: dict[str, int]) -> UnigramTimeline:
    trainer = UnigramTrainer(words, 14, ["<|x|>"])
    events = list(trainer.steps())
    return UnigramTimeline(trainer.record, events, words=words)


def frames(timeline: UnigramTimeline) -> list[UnigramFrame]:
    return [timeline.seek(step) for step in range(len(timeline) + 1)]


def kept(frame: UnigramFrame, name: str) -> set[str]:
    keeps = PIECE_FILTERS[name](frame)
    return {text for text, keep in zip(frame.texts, keeps, strict=True) if keep}


@examples(25)
@given(ANY_WORDS)
@example(WORDS)
def test_filters_keep_the_pieces_with_the_property(words: dict[str, int]) -> None:
    for frame in frames(recorded(words)):
        texts = frame.texts
        assert kept(frame, "characters") == {text for text in texts if len(text) == 1}
        following = frame.at(min(frame.step + 1, frame.recorded_steps))
        assert kept(frame, "leaving") == set(texts) - set(following.texts)
        seldom = {t for t, n in zip(texts, frame.expected_counts, strict=True) if n < 1}
        assert kept(frame, "seldom") == seldom


def test_a_removal_that_is_not_recorded_yet_is_unknown() -> None:
    timeline = recorded(WORDS)
    early = UnigramFrame(timeline.run, 0, 0)
    assert (early.goes_at == NEVER).all()


def test_the_uses_of_a_piece_are_the_words_whose_best_segmentation_has_it() -> None:
    for frame in frames(recorded(WORDS)):
        for number, text in zip(frame.numbers.tolist(), frame.texts, strict=True):
            found = [use for use in piece_occurrences(frame, number) if use is not None]
            assert {use.text: use.times for use in found} == {
                word: times for word, times in WORDS.items() if text in frame.segment(word)
            }


@examples(25)
@given(ANY_WORDS)
@example(WORDS)
def test_the_arithmetic_of_a_removal_gives_its_loss_increase(words: dict[str, int]) -> None:
    for frame in frames(recorded(words)):
        removals = finished(frame.removals())
        for number in frame.numbers.tolist():
            cost = removals.cost_of(number, sum(words.values()))
            increase = removals.loss_increases[number]
            if cost is None:
                assert increase == 0 or number < frame.record.characters
            else:
                assert cost.loss_increase == pytest.approx(increase)
                parts = [frame.record.texts[part] for part in cost.alternative]
                assert "".join(parts) == frame.record.texts[number]


@examples(25)
@given(ANY_WORDS)
@example(WORDS)
def test_a_series_agrees_with_the_frame_at_each_step(words: dict[str, int]) -> None:
    timeline = recorded(words)
    statistics, last = timeline.run.statistics, len(timeline)
    frames = [timeline.seek(step) for step in range(last + 1)]
    assert statistics.losses(last).tolist() == [frame.loss for frame in frames]
    assert statistics.sizes(last).tolist() == [frame.size for frame in frames]
    assert statistics.fertility(last) == pytest.approx(
        [frame.expected_counts.sum() / sum(words.values()) for frame in frames]
    )
    for frame in frames:
        lengths = np.bincount([len(text) for text in frame.texts])
        assert statistics.token_lengths(frame.step).tolist() == lengths.tolist()


def test_a_series_may_be_asked_for_in_any_order() -> None:
    statistics = recorded({"abc": 3, "ab": 5, "bc": 2, "cab": 4}).run.statistics
    whole = statistics.fertility(2).tolist()
    assert statistics.fertility(0).tolist() == whole[:1]
    assert statistics.fertility(1).tolist() == whole[:2]
    assert recorded({}).run.statistics.token_lengths(0).tolist() == [0]


def test_pretokens_are_ranked_by_their_counts() -> None:
    statistics = recorded({"abc": 3, "ab": 5, "bc": 2}).run.statistics
    assert statistics.pretoken_counts.tolist() == [5, 3, 2]
    assert statistics.commonest_pretoken == "ab"


BUGS = {"▁hugs": 10, "▁hug": 9, "▁bugs": 6, "bug": 4, "hug": 2, "<": 1, "|>": 1, "x": 1}


@pytest.fixture(scope="module")
def bugs() -> UnigramTimeline:
    trainer = UnigramTrainer(BUGS, 16, ["<|x|>"])
    events = list(trainer.steps())
    return UnigramTimeline(trainer.record, events, words=BUGS)


@examples(40)
@given(st.lists(st.sampled_from(["hug", " hugs", " bug", "bugs"]), max_size=3), st.integers(1, 6))
def test_the_best_segmentations_of_a_text_are_the_best_of_all(
    bugs: UnigramTimeline, words: list[str], wanted: int
) -> None:
    text = "".join(words)
    for step in (0, len(bugs)):
        frame = bugs.seek(step)
        model = dict(zip(frame.texts, frame.scores.tolist(), strict=True))
        pretokens = [spelled(pretoken.text) for pretoken in frame.cut(text)]
        ways = product(*(list(by_hand.segmentations(pretoken, model)) for pretoken in pretokens))
        scores = sorted(
            (sum(by_hand.score(way, model) for way in path) for path in ways), reverse=True
        )
        found = frame.segmentations(text, wanted)
        assert [path.score for path in found] == pytest.approx(scores[:wanted])
        assert all("".join(path.pieces) == spelled(text) for path in found)


def test_ids_are_those_of_the_saved_vocabulary(bugs: UnigramTimeline) -> None:
    for step in range(len(bugs) + 1):
        frame = bugs.seek(step)
        vocabulary = [text for text, _ in frame.vocabulary]
        assert [vocabulary[id_] for id_ in frame.ids] == frame.texts
        ids = frame.encode("hugs bug<|x|> bugs")
        (best,) = frame.segmentations("hugs bug<|x|> bugs", 1)
        assert tuple(vocabulary[id_] for id_ in ids) == best.pieces


@pytest.mark.parametrize("text", ["漢字", "hüügs 漢字 é", "漢<|x|>字", "", "bugs"])
def test_pieces_and_ids_are_equally_many_and_unknown_characters_are_listed(
    bugs: UnigramTimeline, text: str
) -> None:
    frame, ids = bugs.frame, bugs.frame.encode(text)
    assert {len(path.pieces) for path in frame.segmentations(text, 1)} == {len(ids)}
    assert len(frame.unknown_in(text)) == ids.count(0)
    pretokens = frame.cut(text)
    words = [spelled(pretoken.text) for pretoken in pretokens if not pretoken.special]
    specials = len(pretokens) - len(words)
    assert sum(len(frame.pieces_of(word)) for word in words) + specials == len(ids)


SAMPLES = Path(__file__).resolve().parents[3] / "samples"
TEXT = (SAMPLES / "tinystories_valid.txt").read_text(encoding="utf-8")[:30_000]
COUNTS = Counter("▁" + word for word in TEXT.split())
TYPED = ["▁happily", "▁unknown日", "there"]

Shown = tuple[list[str], list[float], list[float], float, list[list[str]]]


def shown(frame: UnigramFrame) -> Shown:
    """Return all numbers of a frame as plain values."""
    return (
        frame.texts,
        frame.scores.tolist(),
        frame.expected_counts.tolist(),
        frame.loss,
        [frame.segment(text) for text in TYPED],
    )


@cache
def run() -> tuple[UnigramTrainer, list[Event], list[Shown]]:
    """A training, with the frames of a screen that followed it live."""
    trainer = UnigramTrainer(COUNTS, 300)
    events: list[Event] = []
    seen: list[Shown] = []
    for event in trainer.steps():
        events.append(event)
        if isinstance(event, Seeded):
            live = UnigramTimeline(event.record)
            seen.append(shown(live.frame))
        elif isinstance(event, EmStep | PruneStep):
            live.extend([event])
            seen.append(shown(live.forward()))
    return trainer, events, seen


def replayed() -> UnigramTimeline:
    trainer, events, _ = run()
    return UnigramTimeline(trainer.record, events)


PLACES = st.deferred(lambda: st.integers(0, len(replayed())))


@given(st.lists(PLACES, max_size=6))
def test_seeking_shows_the_same_as_following_the_training(places: list[int]) -> None:
    played = replayed()
    for place in places:
        assert shown(played.seek(place)) == run()[2][place]


def test_a_prune_keeps_three_quarters_and_the_last_one_the_size_asked_for() -> None:
    prunes = [step for step in run()[0].record.steps if isinstance(step, PruneStep)]
    sizes = [(step.size_before, step.size_after) for step in prunes]
    # 330 is 1.1 × 300, and `<unk>` is one of the 300.
    by_loss = [(1369, 1026), (1024, 768), (768, 576), (576, 432), (432, 330)]
    assert sizes == [*by_loss, (330, 299)]
    small = [event for event in UnigramTrainer({"ab": 3}, 4).steps() if hasattr(event, "removed")]
    assert [type(step) for step in small] == [EmStep, EmStep]  # there are three pieces


def test_a_prune_uses_the_loss_increases_of_the_frame_before() -> None:
    played = replayed()
    for place in range(len(played)):
        step = played.seek(place).leads_on
        if isinstance(step, PruneStep):
            found = finished(played.frame.removals())
            numbers = [piece.number for piece in step.removed]
            assert played.frame.leaving == set(numbers)
            told = [piece.loss_increase for piece in step.removed]
            assert found.loss_increases[numbers].tolist() == told


@pytest.mark.parametrize("place", [-1, 1000])
def test_a_place_that_is_not_recorded_is_an_error(place: int) -> None:
    played = replayed()
    with pytest.raises(TimelineError, match="there is no"):
        played.seek(place)
    record = run()[0].record
    for read in (record.scores_at, record.size_at, record.expected_at, record.loss_at):
        with pytest.raises(TimelineError, match="there is no"):
            read(place)
