"""Replays of a run: of the heap's moves, and of the merges of a tokenizer of any kind."""

import random
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import oracles
import pytest
from generated import diagonal_quick, examples, first_quick
from heap_by_hand import replay
from hypothesis import given
from hypothesis import strategies as st
from odd_texts import SAMPLES
from pipelines import BUILDERS, built, gemma, gpt_oss, plain, prefixed
from tokenizers import Tokenizer as Theirs

from engine import Tokenizer, Trainer
from engine.bpe import heap_replay
from engine.bpe.heap_replay import HeapReplay
from engine.bpe.record import Record
from engine.bpe.replay import Replay
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainers import TRAINERS
from engine.bpe.trainers.heap import LazyHeap
from engine.bpe.trainers.pseudocode import Move
from engine.core.events import Pair
from engine.counting.count import count_corpus
from engine.formats import open_tokenizer
from engine.text.corpus import Corpus

MERGES = 40
every_rule = pytest.mark.parametrize("tie_rule", TIE_RULES)


def trained(
    counts: dict[bytes, int], tie_rule: str = "lexicographic", algorithm: str = "fast"
) -> Record:
    trainer = Trainer(counts, 256 + MERGES, tie_rule=tie_rule, algorithm=algorithm)
    for _ in trainer.steps():
        pass
    return trainer.record


def claims(heap: HeapReplay, record: Record, step: int) -> dict[Pair, int]:
    claimed = heap.claims(step).tolist()
    return {pair: claim for pair, claim in zip(record.pairs, claimed, strict=False) if claim}


@pytest.mark.parametrize(("algorithm", "tie_rule"), diagonal_quick(TRAINERS, TIE_RULES))
@examples(40)
@given(corpus=oracles.corpora())
def test_claims_agree_with_a_heap_whichever_trainer_ran(
    algorithm: str, tie_rule: str, corpus: dict[bytes, int]
) -> None:
    record = trained(corpus, tie_rule, algorithm)
    heap = HeapReplay(record)
    for step, moment in enumerate(replay(corpus, tie_rule, MERGES)):
        assert claims(heap, record, step) == moment.claims


@every_rule
@examples(40)
@given(corpus=oracles.corpora(max_pretokens=9), data=st.data())
def test_any_step_may_be_requested_at_any_time(
    tie_rule: str, corpus: dict[bytes, int], data: st.DataObject
) -> None:
    moments = [moment.claims for moment in replay(corpus, tie_rule, MERGES)]
    trainer = Trainer(corpus, 256 + MERGES, tie_rule=tie_rule)
    record = trainer.record
    heap = HeapReplay(record)
    assert claims(heap, record, 0) == moments[0]
    for done, _ in enumerate(trainer.steps(), 1):
        if data.draw(st.booleans()):
            step = data.draw(st.integers(1, done))
            assert claims(heap, record, step) == moments[step]


LOW = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}
STATIC_RULES = [name for name, rule in TIE_RULES.items() if rule.static]
CORPORA = oracles.corpora(max_pretokens=12, max_length=8)


@pytest.mark.parametrize("tie_rule", STATIC_RULES)
@given(counts=CORPORA)
@examples(40)
def test_the_array_is_a_heap_of_the_claims_in_the_record(
    tie_rule: str, counts: dict[bytes, int]
) -> None:
    record = trained(counts, tie_rule)
    walk = HeapReplay(record)
    for step in range(len(record) + 1):
        entries = walk.entries(step)
        claims = {number: -claim for claim, _, number in entries}
        replayed = walk.claims(step)
        assert claims == {n: int(replayed[n]) for n in range(len(replayed)) if replayed[n]}
        assert all(entries[(i - 1) // 2] <= entries[i] for i in range(1, len(entries)))


@given(counts=CORPORA)
@examples(40)
def test_the_array_equals_that_of_a_heap_that_took_the_same_steps(counts: dict[bytes, int]) -> None:
    record = trained(counts)
    true = dict(zip(record.pairs, record.counts.at(0).tolist(), strict=False))
    lazy = LazyHeap(true, TIE_RULES["lexicographic"].make_key(record.vocab, lambda pair: (0, 0)))
    walk = HeapReplay(record)
    for index in range(len(record)):
        assert [entry[2] for entry in lazy.entries] == [
            record.pairs[number] for _, _, number in walk.entries(index)
        ]
        lazy.pop_best()
        known = set(true)
        changed, after = record.counts.changes(index)
        for number, count in zip(changed.tolist(), after.tolist(), strict=True):
            true[record.pairs[number]] = count
            if record.pairs[number] not in known:
                lazy.push(record.pairs[number])


@given(counts=CORPORA, order=st.lists(st.integers(0, 30)))
@examples(40)
def test_the_array_does_not_depend_on_the_step_before(
    counts: dict[bytes, int], order: list[int]
) -> None:
    record = trained(counts)
    walk = HeapReplay(record)
    with patch.multiple(heap_replay, SPACING=3, RUN_UP=2, KEPT_ENTRIES=40):  # few copies are stored
        for step in order:
            step %= len(record) + 1
            assert walk.entries(step) == HeapReplay(record).entries(step)
            assert len(walk._copies) <= 2 or sum(map(len, walk._copies)) <= 40
            assert walk._copy_steps == sorted(set(walk._copy_steps))


def test_moves_are_the_pops_and_pushes_of_a_merge() -> None:
    # The first merges, s+t and e+st, leave e+s and w+e stale; they are above o+w, which is next.
    walk = HeapReplay(trained(LOW))
    first = walk.moves(0)
    assert [(m.move, m.pair, m.claimed) for m in first[:1]] == [(Move.POP, (115, 116), 9)]
    assert {m.move for m in first[1:]} == {Move.PUSH}
    stale = [m for m in walk.moves(2) if m.move is Move.POP_STALE]
    assert [(m.pair, m.claimed, m.true) for m in stale] == [((101, 115), 9, 0), ((119, 101), 8, 2)]
    # All moves of a merge lead to the next step.
    for index in range(12):
        assert walk.entries(index, moves=len(walk.moves(index))) == walk.entries(index + 1)


def test_a_far_step_can_be_prepared_in_slices() -> None:
    record = trained({bytes((97 + i % 26, 97 + i // 26)) * 2: i for i in range(1, 400)})
    walk = HeapReplay(record)
    parts = []
    while (part := walk.replay(len(record), seconds=0)) < 1:
        parts.append(part)
        walk.replay(len(record), seconds=0.0005)
    assert parts == sorted(parts)
    assert walk.entries(len(record)) == HeapReplay(record).entries(len(record))


def by_ids(pair: Pair) -> Pair:
    return pair


def assert_sound(heap: LazyHeap, counts: dict[Pair, int]) -> None:
    """Check the invariants that hold at any time, with any stale entries."""
    entries = heap.entries
    assert all(entries[(i - 1) // 2] <= entries[i] for i in range(1, len(entries)))
    pairs = [pair for _, _, pair in entries]
    assert len(pairs) == len(set(pairs)), "a pair has two entries"
    assert set(counts) <= set(pairs), "a pair has no entry"
    assert all(-claim >= counts.get(pair, 0) for claim, _, pair in entries), "claims too little"


class TestChoosing:
    def test_the_chooser_gets_exactly_the_pairs_of_the_top_count(self) -> None:
        seen: list[list[Pair]] = []

        def choose(tied: list[Pair]) -> Pair:
            seen.append(sorted(tied))
            return (2, 2)

        heap = LazyHeap({(1, 1): 5, (2, 2): 5, (3, 3): 4}, by_ids)
        assert heap.pop_best(choose) == (2, 2)
        assert seen == [[(1, 1), (2, 2)]]


pairs = st.tuples(st.integers(0, 3), st.integers(0, 3))


@pytest.mark.parametrize("tie_rule", TIE_RULES)
@examples(60)
@given(oracles.corpora())
def test_all_through_a_training_it_is_sound_and_finds_the_pair(
    tie_rule: str, corpus: dict[bytes, int]
) -> None:
    for moment in replay(corpus, tie_rule):
        assert_sound(moment.heap, dict(moment.counts))
        if moment.step is not None:
            assert moment.popped == moment.step.pair


STORY = (SAMPLES / "tinystories_valid.txt").read_text(encoding="utf-8")[:1200]
TEXT = STORY + " déjà vu e\u0301 \ufb01ne 12345 I'LL   x\n\n\n  <pad> ok na\u00efve 漢字 \u00bd 😀 "


WITH_MERGES = [*(each for each in BUILDERS if each not in (plain, prefixed)), gpt_oss, gemma]


@pytest.mark.parametrize(
    "build", first_quick(WITH_MERGES, 4), ids=lambda build: str(build.__name__)
)
def test_its_merges_are_steps_over_a_corpus(build: Callable[[], Theirs], tmp_path: Path) -> None:
    file, corpus = tmp_path / "tokenizer.json", tmp_path / "corpus.txt"
    reference = built(build)
    file.write_text(reference.to_str(), encoding="utf-8")
    corpus.write_text(TEXT, encoding="utf-8")
    tokenizer = open_tokenizer(file).tokenizer
    counts = count_corpus(
        Corpus(corpus),
        tokenizer.pattern,
        tokenizer.special_tokens,
        workers=1,
        splitter=tokenizer.rules.splitter,
    ).counts
    replay = Replay(tokenizer, counts)
    timeline = replay.timeline
    timeline.extend(replay.steps())
    timeline.complete()
    assert replay.obstacle is None
    assert len(timeline) == len(tokenizer.merges) > 50

    expected = Counter(reference.encode(TEXT, add_special_tokens=False).ids)
    found: Counter[int] = Counter()
    last = timeline.seek(len(timeline))
    for pretoken, count in counts.items():
        for token_id in last.tokens_of(pretoken):
            found[token_id] += count
    for token_id in tokenizer.special_ids:  # of which <unk> may stand in pretokens, too
        expected.pop(token_id, None)
        found.pop(token_id, None)
    assert found == expected

    for step in random.Random(build.__name__).sample(range(1, len(timeline)), 3):
        frame = timeline.seek(step)
        before = frame.at(step - 1)
        assert frame.merge is not None
        changed = [one for one in counts if before.tokens_of(one) != frame.tokens_of(one)]
        assert frame.merge.pretokens == len(changed)
        assert frame.merge.occurrences == before.token_count - frame.token_count
        assert frame.merge.token == tokenizer.vocab[frame.merge.new_id]
        pairs: Counter[tuple[int, int]] = Counter()
        tokens: Counter[int] = Counter()
        for pretoken, count in counts.items():
            ids = frame.tokens_of(pretoken)
            tokens.update({token_id: ids.count(token_id) * count for token_id in {*ids}})
            for pair in pairwise(ids):
                pairs[pair] += count
        assert dict(frame.top_pairs(10_000)) == dict(pairs)
        assert {pair: frame.count_of(pair) for pair in pairs} == pairs
        assert frame.token_count == tokens.total()
        counted = {token_id: frame.vocabulary.count_of(token_id) for token_id in tokens}
        assert {token_id: n for token_id, n in counted.items() if n is not None} == {
            token_id: n for token_id, n in tokens.items() if counted[token_id] is not None
        }
        shown = [token_id for piece in frame.encode(TEXT[-300:]) for token_id in piece.ids]
        assert frame.tokenizer().encode(TEXT[-300:]) == shown


def test_merges_that_a_file_repeats_leave_no_later_merge_out() -> None:
    """Its table has fewer merges than ranks."""
    vocab = dict(enumerate([*(bytes([byte]) for byte in range(256)), b"th", b"the", b"in"]))
    th, the, in_ = (b"t", b"h"), (b"th", b"e"), (b"i", b"n")
    tokenizer = Tokenizer(vocab, [th, th, the, th, in_], [], "gpt2")
    counts = {b"in": 1, b"the": 1, b"thin": 1}
    replay = Replay(tokenizer, counts)
    replay.timeline.extend(replay.steps())
    replay.timeline.complete()
    last = replay.timeline.seek(len(replay.timeline))
    for pretoken in counts:
        assert list(last.tokens_of(pretoken)) == tokenizer.encode(pretoken.decode())
