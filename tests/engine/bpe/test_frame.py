"""Any step of a run can be shown, and is the state that training had there.

The truth is `oracles.train`, which recounts everything at every step.
"""

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

import oracles
import pytest
from generated import diagonal_quick, examples
from hypothesis import example, given
from hypothesis import strategies as st

from engine import (
    Frame,
    MergeStep,
    Timeline,
    TimelineError,
    Trainer,
    UnknownTokenIdError,
)
from engine.bpe import replay
from engine.bpe.pair_queue import QueueEntry
from engine.bpe.replay import EncodedSegmenter, GivenMerges
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainers import DEFAULT_TRAINER, TRAINERS
from engine.core.events import Pair
from engine.recording import affected_pretokens
from engine.recording.affected_pretokens import LONGEST_TAKEN_APART, AffectedPretoken, PretokenIndex

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
Corpus = dict[bytes, int]
COMBINATIONS = diagonal_quick(TRAINERS, TIE_RULES)

LOW = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}


def trained(
    corpus: Mapping[bytes, int],
    merges: int = 40,
    trainer: str = DEFAULT_TRAINER,
    tie_rule: str = "lexicographic",
    special_tokens: Sequence[str] = (),
) -> list[MergeStep]:
    size = 256 + len(special_tokens) + merges
    run = Trainer(corpus, size, special_tokens, tie_rule=tie_rule, algorithm=trainer)
    return list(run.steps())


def ranked(run: oracles.OracleRun, step: int, tie_rule: str) -> list[tuple[Pair, int]]:
    """Return all pairs, the most frequent first; the rule orders pairs of equal count."""
    words = words_at(run, step)
    counts = oracles.recount(words, run.word_counts)
    result: list[tuple[Pair, int]] = []
    for count in sorted(set(counts.values()), reverse=True):
        tied = {pair for pair in counts if counts[pair] == count}
        while tied:
            best = oracles.TIE_ORACLES[tie_rule](tied, words, run.vocab)
            result.append((best, count))
            tied.remove(best)
    return result


def words_at(run: oracles.OracleRun, step: int) -> oracles.Words:
    return run.steps[step - 1].words_after if step else run.words


def assert_frame_agrees(
    frame: Frame, corpus: Corpus, run: oracles.OracleRun, step: int, tie_rule: str
) -> None:
    """Compare all facts of a frame about the corpus with a recount."""
    words = words_at(run, step)
    counts = oracles.recount(words, run.word_counts)
    before = run.steps[step - 1].before if step else counts
    assert frame.step == step
    assert [list(frame.tokens_of(pretoken)) for pretoken in corpus] == words
    tokens = sum(len(w) * n for w, n in zip(words, run.word_counts, strict=True))
    assert frame.token_count == tokens
    assert frame.byte_count == sum(len(pretoken) * n for pretoken, n in corpus.items())
    assert frame.bytes_per_token == frame.byte_count / tokens
    assert frame.vocab_size == frame.first_id + step
    for pair in {pair for s in run.steps for pair in s.before | s.after}:
        assert frame.count_of(pair) == counts.get(pair, 0)

    best_first = ranked(run, step, tie_rule)
    for limit in (*range(9), len(best_first) + 1):
        assert frame.top_pairs(limit) == best_first[:limit]
    if step < len(run.steps):
        assert frame.top_pairs(1) == [(run.steps[step].pair, run.steps[step].count)]
        assert frame.next_pair == run.steps[step].pair
    tied = {pair for pair, count in best_first if count == best_first[0][1]}
    assert set(frame.queue.tied) == tied

    entries = frame.queue.entries(10_000)
    assert [entry.recorded for entry in entries] == sorted(
        (entry.recorded for entry in entries), reverse=True
    )
    assert frame.queue.entries(2) == entries[:2]
    assert frame.queue.size == len(entries)
    assert frame.queue.stale_count == sum(entry.stale for entry in entries)
    for entry in entries:
        now = counts.get(entry.pair, 0)
        shared = entry.pair in tied and len(tied) > 1
        assert entry == QueueEntry(
            entry.pair, entry.recorded, now, now - before.get(entry.pair, 0), shared
        )
        assert frame.queue.entry_of(entry.pair) == entry
    later = {pair for each in run.steps for pair in each.after} - {each.pair for each in entries}
    assert {frame.queue.entry_of(pair) for pair in later} <= {None}

    assert frame.affected() == touched(corpus, run, step)
    assert frame.affected(2) == frame.affected()[:2]


def touched(corpus: Corpus, run: oracles.OracleRun, step: int) -> list[AffectedPretoken]:
    """Return the pretokens whose tokens changed in the last step, most frequent first."""
    if not step:
        return []
    both = zip(corpus.items(), words_at(run, step - 1), words_at(run, step), strict=True)
    changed = [
        AffectedPretoken(pretoken, count, tuple(old), tuple(new))
        for (pretoken, count), old, new in both
        if old != new
    ]
    return sorted(changed, key=lambda one: -one.count)


@pytest.mark.parametrize(("trainer", "tie_rule"), COMBINATIONS)
@examples(25)
@given(corpus=oracles.corpora())
@example(corpus={b"aaaaa": 2, b"aaa": 1})
@example(corpus={b"a": 1})
def test_every_step_agrees_with_a_recount(trainer: str, tie_rule: str, corpus: Corpus) -> None:
    run = oracles.train(corpus, tie_rule, 40, ["<s>"])
    steps = trained(corpus, 40, trainer, tie_rule, ["<s>"])
    if not steps:
        return
    timeline = Timeline(corpus, steps)
    assert len(timeline) == len(run.steps)
    for step in range(len(timeline) + 1):
        assert_frame_agrees(timeline.seek(step), corpus, run, step, tie_rule)


def facts_of(frame: Frame, corpus: Corpus) -> dict[str, object]:
    """Return the facts of a frame, to compare them with those of another."""
    return {
        "step": frame.step,
        "merge": frame.merge,
        "tokens": [frame.tokens_of(pretoken) for pretoken in (*corpus, b"abab not there")],
        "token_count": frame.token_count,
        "top_pairs": frame.top_pairs(1000),
        "tied": frame.queue.tied,
        "queue": frame.queue.entries(1000),
        "touched": frame.affected(),
        "encoded": frame.encode("ab aab<s>ab"),
        "vocab": [frame.token(token) for token in range(frame.vocab_size)],
    }


WALKS = st.lists(
    st.tuples(st.sampled_from(["forward", "back", "seek", "extend"]), st.integers(0, 12)),
    max_size=12,
)


@pytest.mark.parametrize(("trainer", "tie_rule"), COMBINATIONS)
@examples(25)
@given(corpus=oracles.corpora(), walk=WALKS, known=st.integers(1, 5))
def test_a_frame_does_not_depend_on_the_way_of_the_cursor(
    trainer: str, tie_rule: str, corpus: Corpus, walk: list[tuple[str, int]], known: int
) -> None:
    steps = trained(corpus, 40, trainer, tie_rule, ["<s>"])
    if not steps:
        return
    coming = iter(steps)
    timeline = Timeline(corpus, islice(coming, known))
    place = 0
    for move, by in walk:
        length = len(timeline)
        if move == "extend":
            timeline.extend(islice(coming, by))
        elif move == "seek":
            place = by % (length + 1)
            timeline.seek(place)
        elif move == "forward":
            place = min(place + by, length)
            timeline.forward(by)
        else:
            place = max(place - by, 0)
            timeline.back(by)
        assert timeline.cursor == place
        fresh = Timeline(corpus, steps[: len(timeline)])
        assert facts_of(timeline.frame, corpus) == facts_of(fresh.seek(place), corpus)
        assert timeline.frame.recorded_steps == len(timeline)


def test_frames_stay_the_same_while_steps_are_added() -> None:
    steps = trained(LOW)
    timeline = Timeline(LOW, steps[:4])
    held = timeline.seek(3)
    before = facts_of(held, LOW)
    unread = timeline.seek(2)
    for step in steps[4:]:
        timeline.extend([step])
        assert timeline.cursor == 2
        assert facts_of(held, LOW) == before
    assert facts_of(unread, LOW) == facts_of(Timeline(LOW, steps).seek(2), LOW)
    assert (held.recorded_steps, timeline.frame.recorded_steps) == (4, len(steps))


@pytest.mark.parametrize("known", [0, 2])
@pytest.mark.parametrize("ahead", [-2, -1, 1, 2])
def test_a_step_that_is_not_the_next_one_is_refused(known: int, ahead: int) -> None:
    steps = trained(LOW)
    index = max(known + ahead, 0 if known else 1)
    timeline = Timeline(LOW, steps[:known])
    with pytest.raises(TimelineError, match=f"step {index} does not follow the {known} steps"):
        timeline.extend(steps[index:])
    assert len(timeline) == known


def test_a_timeline_without_steps_shows_the_corpus_in_bytes() -> None:
    frame = Timeline({b"aab": 2}).frame
    assert (frame.step, frame.merge, frame.recorded_steps) == (0, None, 0)
    assert frame.tokens_of(b"aab") == tuple(b"aab")
    assert (frame.token_count, frame.bytes_per_token) == (6, 1.0)
    assert sorted(frame.top_pairs(9)) == [((97, 97), 2), ((97, 98), 2)]
    assert frame.affected() == []
    assert frame.tokenizer().encode("aab") == [97, 97, 98]


def test_an_empty_corpus_has_a_frame() -> None:
    timeline = Timeline({})
    frame = timeline.forward()
    assert (len(timeline), frame.step, frame.token_count, len(frame.counts)) == (0, 0, 0, 0)
    assert frame.bytes_per_token == 1.0
    assert (frame.top_pairs(5), frame.queue.entries(5), frame.affected()) == ([], [], [])
    assert (frame.queue.tied, frame.next_pair, frame.queue.choices) == ((), None, {})
    assert frame.attribution.read()
    assert frame.attribution.behind((97, 98)) == []
    assert frame.queue.highest_count == 0


def test_next_pair_is_none_only_after_the_run_is_complete() -> None:
    steps = trained(LOW, 3)
    timeline = Timeline(LOW, steps)
    timeline.seek(3)
    assert timeline.frame.next_pair == trained(LOW, 4)[3].pair
    timeline.complete()
    assert timeline.run.is_complete
    assert timeline.frame.next_pair is None
    assert timeline.seek(2).next_pair == steps[2].pair


def test_a_frame_still_knows_its_next_pair_after_the_run_got_longer_and_complete() -> None:
    steps = trained(LOW, 3)
    timeline = Timeline(LOW, steps[:2])
    kept = timeline.seek(2)
    timeline.extend(steps[2:])
    timeline.complete()
    assert kept.next_pair == kept.at(2).next_pair == steps[2].pair


def test_a_pair_knows_the_step_that_merges_it() -> None:
    steps = trained(LOW)
    timeline = Timeline(LOW, steps[:3])
    assert [timeline.frame.step_of(step.pair) for step in steps[:4]] == [1, 2, 3, None]
    assert [timeline.frame.step_making(token) for token in (97, 256, 258)] == [0, 1, 3]
    ids = [timeline.frame.id_of(step.token) for step in steps[:4]]
    assert ids == [256, 257, 258, None]  # also of later steps, if they are recorded


def test_a_token_that_a_later_step_makes_does_not_exist_yet() -> None:
    steps = trained(LOW, special_tokens=["<s>"])
    frame = Timeline(LOW, steps).seek(2)
    assert frame.token(256) == b"<s>"
    assert frame.token(258) == steps[1].token
    with pytest.raises(UnknownTokenIdError, match="id 259 comes with merge 3"):
        frame.token(259)
    for missing in (-1, 10**9):
        with pytest.raises(UnknownTokenIdError, match=rf"id {missing}; at step 2 .* 0 to 258"):
            frame.token(missing)
    with pytest.raises(UnknownTokenIdError):
        frame.decode([97, 259])
    assert frame.any_token(259) == steps[2].token


TEXTS = st.lists(
    st.sampled_from(["a", "b", "ab", "abc", " ", "aaaa", "<s>", "<s", "é", "\udcff", "\n"]),
    max_size=12,
).map("".join)


@pytest.mark.parametrize("trainer", TRAINERS)
@examples(50)
@given(corpus=oracles.corpora(), text=TEXTS, pattern=st.sampled_from(["gpt2", "cl100k", "none"]))
def test_a_text_is_encoded_as_the_tokenizer_of_that_step_does(
    trainer: str, corpus: Corpus, text: str, pattern: str
) -> None:
    steps = trained(corpus, 40, trainer, special_tokens=["<s>"])
    if not steps:
        return
    timeline = Timeline(corpus, steps, pattern=pattern)
    for step in range(len(timeline) + 1):
        frame = timeline.seek(step)
        tokenizer = frame.tokenizer()
        encoded = frame.encode(text)
        assert "".join(piece.pretoken.text for piece in encoded) == text
        ids = [token for piece in encoded for token in piece.ids]
        assert ids == tokenizer.encode(text)
        assert frame.decode(ids) == tokenizer.decode_bytes(ids)
        for piece in encoded:
            if not piece.pretoken.special:
                pretoken = piece.pretoken.bytes
                assert list(frame.rules.steps(pretoken)) == list(tokenizer.steps(pretoken))


def test_the_way_back_leads_to_the_same_frame_unless_there_are_more_steps() -> None:
    steps = trained(LOW)
    timeline = Timeline(LOW, steps[:3])
    left = timeline.seek(2)
    timeline.forward()
    assert timeline.back() is left
    timeline.forward()
    timeline.extend(steps[3:])
    assert timeline.back() is not left
    assert timeline.frame.recorded_steps == len(steps)


def test_the_way_back_leads_to_a_frame_without_moves_in_the_heap() -> None:
    timeline = Timeline(LOW, trained(LOW))
    timeline.seek(2)
    assert timeline.sub_step().moves_done
    assert not timeline.seek(3).moves_done
    assert not timeline.seek(2).moves_done
    assert (timeline.came_from, timeline.seek(2), timeline.came_from) == (3, timeline.frame, 3)
    timeline.sub_step()
    with pytest.raises(TimelineError):
        timeline.seek(-1)
    assert (timeline.frame.moves_done, timeline.seek(2).moves_done, timeline.came_from) == (1, 0, 2)


def test_moves_in_the_heap_lead_from_step_to_step() -> None:
    timeline = Timeline(LOW, trained(LOW, 4))
    moves = [len(timeline.seek(step).queue.moves()) for step in range(4)]
    frame, visited = timeline.seek(0), []
    while frame.step < 4:
        visited.append((frame.step, frame.moves_done))
        entries, array = (
            {each.pair: each.recorded for each in read(999, frame.moves_done)}
            for read in (frame.queue.entries, frame.queue.array)
        )
        assert entries == array
        frame = timeline.sub_step()
    assert visited == [(step, done) for step in range(4) for done in range(moves[step])]
    assert max(moves) > 2
    timeline.seek(0)
    timeline.sub_step()
    assert (timeline.seek(0).moves_done, timeline.came_from) == (0, 0)


def test_a_frame_looks_like_another_of_its_step_unless_that_knows_more_of_the_next() -> None:
    steps = trained(LOW)
    timeline = Timeline(LOW, steps[:3])
    early = [timeline.seek(2), timeline.seek(3)]
    timeline.extend(steps[3:])
    later = [timeline.seek(2), timeline.seek(3)]
    for frames in ((early, later), (later, early)):
        assert [one.looks_like(two) for one, two in zip(*frames, strict=True)] == [True, False]
    assert not later[0].looks_like(later[1])
    assert not later[0].looks_like(later[0].with_specials_as_text())
    timeline.seek(2)
    assert not timeline.sub_step().looks_like(later[0])
    last = timeline.seek(len(steps))
    timeline.complete()
    assert not last.looks_like(last.at(0).at(len(steps)))


def test_a_prepared_run_has_replayed_its_heap_to_the_end() -> None:
    counts = {bytes((97 + i % 26, 97 + i // 26)) * 2: i for i in range(1, 60)}
    timeline = Timeline(counts, trained(counts))
    timeline.complete()
    assert timeline.seek(40).queue.prepare(-1) < 1
    timeline.run.prepare()
    assert timeline.frame.queue.prepare(-1) == timeline.run.heap.replay(40, -1) == 1


def test_a_long_pretoken_has_tokens_at_any_step_too() -> None:
    steps = trained(LOW)
    merges = [(step.left, step.right) for step in steps]
    long = b"lowerwidestnewest" * 30
    timeline = Timeline(LOW, steps)
    for step in (0, 3, len(steps)):
        expected = oracles.apply_merges(long, merges[:step], 256)
        assert list(timeline.seek(step).tokens_of(long)) == expected


@given(
    corpus=st.one_of(
        oracles.corpora(), st.dictionaries(st.binary(max_size=4), st.integers(1, 3), max_size=6)
    ),
    needle=st.one_of(
        st.text("abc ", min_size=1, max_size=3).map(str.encode), st.binary(min_size=1)
    ),
)
@example(corpus={b"a": 2, b"b": 1}, needle=b"ab")
@example(corpus={b"": 2, b"aaa": 1}, needle=b"a")
def test_an_index_finds_the_pretokens_that_contain_the_bytes_in_order(
    corpus: Corpus, needle: bytes
) -> None:
    pretokens = list(corpus)
    holding = [(place, one) for place, one in enumerate(pretokens) if needle in one]
    index = PretokenIndex(pretokens)
    assert list(index.containing(needle)) == holding
    for before in range(len(pretokens) + 1):
        assert list(index.containing(needle, before)) == [h for h in holding if h[0] < before]


def test_a_pretoken_too_long_to_be_split_is_not_among_the_affected() -> None:
    longest = b"ab" * (LONGEST_TAKEN_APART // 2)
    counts = {longest + b"c": 1, longest: 1, b"ab": 2}
    timeline = Timeline(counts, Trainer(counts, 257).steps())
    assert [word.pretoken for word in timeline.seek(1).affected()] == [b"ab", longest]
    assert timeline.frame.merge is not None
    assert timeline.frame.merge.pretokens == 3


def test_no_long_pretoken_is_searched_for_what_another_tie_rule_takes() -> None:
    letters = bytes(range(33, 97)) * (LONGEST_TAKEN_APART // 64)
    counts = {b"xy": 1, letters: 1, letters[1:]: 1}
    choices = Timeline(counts, Trainer(counts, 257).steps()).frame.queue.choices
    assert choices["first-seen"] == (34, 35)
    counts = {b"xy": 1, letters + letters[:64]: 1}
    choices = Timeline(counts, Trainer(counts, 257).steps()).frame.queue.choices
    assert set(TIE_RULES) - set(choices) == {"first-seen"}


def test_tokens_of_pretokens_are_forgotten_once_they_are_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run, own = Timeline({b"ab": 1}, Trainer({b"ab": 1}, 257).steps()).run, (97, 98)
    given = EncodedSegmenter(run.alphabet, GivenMerges([(own, 256)], {own: (0, 256)}))
    monkeypatch.setattr(affected_pretokens, "EARLY", 0)
    for segmenter, module in ((run.segmenter, affected_pretokens), (given, replay)):
        monkeypatch.setattr(module, "CACHE_SIZE", 2)
        sizes = []
        for length in range(2, 6):
            assert segmenter.tokens_at(b"abcde"[:length], 1)[0] == 256
            kept = vars(segmenter)
            sizes.append((len(kept["_known"]), len(kept.get("_last", kept["_known"]))))
        assert sizes == [(1, 1), (2, 2), (1, 1), (2, 2)]


def test_affected_pretokens_can_be_searched_in_slices_of_time() -> None:
    counts = {b"low": 5, b"lower": 2, b"slow": 1}
    frame = Timeline(counts, Trainer(counts, 258).steps()).seek(1)
    found, are_all = frame.affected_within(seconds=-1, limit=10)
    assert ([word.pretoken for word in found], are_all) == ([b"low"], False)
    assert frame.affected_within(seconds=60, limit=10) == (frame.affected(), True)
