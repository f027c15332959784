"""A fork keeps the merges before it and follows the changed rules after it."""

from collections.abc import Callable
from itertools import pairwise

import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Timeline, Trainer, WhatIfError
from engine.bpe.pick import Pick, Reason
from engine.bpe.ties import TIE_RULES
from engine.bpe.what_if import ForkChange, compare, fork
from engine.core.events import BytesPair

SIZE = 276


def run(counts: dict[bytes, int], tie_rule: str = "lexicographic") -> Timeline:
    return Timeline(counts, Trainer(counts, SIZE, tie_rule=tie_rule).steps())


def merges(timeline: Timeline) -> list[tuple[bytes, bytes]]:
    return [(timeline.record[k].left, timeline.record[k].right) for k in range(len(timeline))]


def forked(timeline: Timeline, step: int, change: ForkChange) -> list[tuple[bytes, bytes]]:
    trainer = fork(timeline.seek(min(step, len(timeline))), change, SIZE)
    return [(step.left, step.right) for step in trainer.steps()]


@pytest.mark.parametrize("tie_rule", TIE_RULES)
@given(counts=oracles.corpora(), step=st.integers(0, 9))
def test_a_fork_that_changes_nothing_gives_the_same_merges(
    tie_rule: str, counts: dict[bytes, int], step: int
) -> None:
    timeline = run(counts, tie_rule)
    assert forked(timeline, step, ForkChange()) == merges(timeline)


@given(counts=oracles.corpora(), step=st.integers(0, 9), rules=st.permutations(list(TIE_RULES)))
def test_another_tie_rule_chooses_from_the_fork_on(
    counts: dict[bytes, int], step: int, rules: list[str]
) -> None:
    timeline = run(counts, rules[0])
    other = forked(timeline, step, ForkChange(tie_rule=rules[1]))
    assert other[:step] == merges(timeline)[:step]
    # The oracle with the same first merges.
    words, vocab = [list(pretoken) for pretoken in counts], [bytes([b]) for b in range(256)]
    for place, merged in enumerate(other):
        found = oracles.recount(words, list(counts.values()))
        tied = {pair for pair in found if found[pair] == max(found.values())}
        pair = oracles.TIE_ORACLES[rules[1] if place >= step else rules[0]](tied, words, vocab)
        assert (vocab[pair[0]], vocab[pair[1]]) == merged
        words = [oracles.replace(word, pair, len(vocab)) for word in words]
        vocab.append(vocab[pair[0]] + vocab[pair[1]])


@given(counts=oracles.corpora(), step=st.integers(0, 5), data=st.data())
def test_a_forced_pair_merges_at_the_fork_however_rare(
    counts: dict[bytes, int], step: int, data: st.DataObject
) -> None:
    timeline = run(counts)
    frame = timeline.seek(min(step, len(timeline)))
    pairs = frame.top_pairs(50)
    if not pairs:
        return
    chosen, _ = data.draw(st.sampled_from(pairs))
    force = frame.token(chosen[0]), frame.token(chosen[1])
    other = forked(timeline, frame.step, ForkChange(force=force))
    assert other[: frame.step + 1] == [*merges(timeline)[: frame.step], force]


def test_each_merge_of_a_fork_has_its_reason() -> None:
    counts = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}
    made = run(counts).seek(1)
    chosen = fork(made, ForkChange(force=(b"w", b"i"), tie_rule="first-seen"), SIZE)
    reasons = [made.picked, made.pick, *map(picks(chosen, counts), range(3))]
    assert [pick and pick.reason for pick in reasons] == [
        Reason.TIED,
        Reason.ALONE,
        Reason.REPLAYED,  # the rule of the fork would take e and s
        Reason.FORCED,
        Reason.ALONE,
    ]
    assert reasons[0] is not None
    assert [tuple(map(made.token, pair)) for pair in reasons[0].rivals] == [(b"e", b"s")]


def picks(trainer: Trainer, counts: dict[bytes, int]) -> Callable[[int], Pick | None]:
    """Return a function from a step to what merges after it."""
    timeline = Timeline(counts, trainer.steps())
    return lambda step: timeline.seek(step).pick


def test_a_fork_of_a_fork_keeps_the_first_forks_forbidden_pairs() -> None:
    here = run({b"low": 5, b"lower": 2}).seek(0)
    first = fork(here, ForkChange(forbid=frozenset({(b"o", b"w")})), 260)
    without_ow = Timeline({b"low": 5, b"lower": 2}, first.steps()).seek(0)
    second = fork(without_ow, ForkChange(forbid=frozenset({(b"l", b"o")})), 260)
    assert [step.token for step in second.steps()] == [b"we", b"wer", b"ower", b"lower"]
    other = Timeline({b"low": 5, b"lower": 2}, record=second.record)
    other.extend_to(4)
    low, now = (108, 111), (111, 119)  # we takes two of o+w, and ower two of l+o
    counts = [[count for _, count in other.seek(step).queue.forbidden] for step in range(5)]
    assert counts == [[7, 7], [7, 5], [7, 5], [5, 5], [5, 5]]
    assert [pair for pair, _ in other.frame.queue.forbidden] == [low, now]


def test_forbidden_pairs_are_listed_by_count_then_by_their_ids() -> None:
    pairs = [(bytes((byte,)), bytes((byte + 1,))) for byte in b"abcdef"]
    here = run({b"abcdefg": 2, b"ef": 1}).seek(0)
    trainer = fork(here, ForkChange(forbid=frozenset(pairs)), SIZE)
    listed = Timeline(here.counts, record=trainer.record).frame.queue.forbidden
    assert [(bytes(pair), count) for pair, count in listed] == [
        *((b"ef", 3), (b"ab", 2), (b"bc", 2), (b"cd", 2), (b"de", 2), (b"fg", 2)),
    ]


def test_a_forbidden_pair_is_listed_only_while_it_occurs() -> None:
    forbidden = frozenset({(b"b", b"c"), (b"ab", b"c")})
    trainer = fork(run({b"abc": 2}).seek(0), ForkChange(forbid=forbidden), SIZE)
    other = Timeline({b"abc": 2}, trainer.steps(), record=trainer.record)
    listed = [other.seek(step).queue.forbidden for step in range(2)]
    assert listed == [(((98, 99), 2),), (((256, 99), 2),)]


def test_a_pair_that_does_not_occur_cannot_be_forced() -> None:
    with pytest.raises(WhatIfError, match="does not occur"):
        forked(run({b"low": 5}), 1, ForkChange(force=(b"x", b"y")))


def test_merges_whose_pair_a_smaller_corpus_lacks_are_left_out() -> None:
    timeline = run({b"low": 5, b"new": 6})
    other = forked(timeline, len(timeline), ForkChange(counts={b"low": 5}))
    assert other == merges(run({b"low": 5}))


@given(counts=oracles.corpora(), step=st.integers(0, 5))
def test_a_forks_timeline_can_be_gone_through_like_any_other(
    counts: dict[bytes, int], step: int
) -> None:
    timeline = run(counts)
    here = timeline.seek(min(step, len(timeline)))
    rarest = here.top_pairs(50)[-1:]
    force = next(((here.token(a), here.token(b)) for (a, b), _ in rarest), None)
    trainer = fork(here, ForkChange(force=force), SIZE)
    other = Timeline(counts, list(trainer.steps()), record=trainer.record)
    for k in range(len(other) + 1):
        frame = other.seek(k)
        assert frame.queue.stale_count == 0
        assert frame.queue.moves() == []
        assert frame.next_pair == (other.record.pair_of(k) if k < len(other) else frame.next_pair)
        assert other.run.ties.is_tied(k) == (k > 0 and len(other.record[k - 1].tied) > 1)


def test_runs_of_unequal_length_differ_where_the_shorter_ends() -> None:
    assert compare([(b"a", b"b")], []).first == 0
    assert compare([(b"a", b"b")], [(b"a", b"b")]).first is None
    found = compare([(b"a", b"b"), (b"c", b"d")], [(b"a", b"c"), (b"a", b"b")])
    assert (found.first, found.only_left, found.only_right) == (0, [b"cd"], [b"ac"])


PAIRS = [(bytes([letter]), b"x") for letter in b"abcdefgh"]
some_pairs = st.lists(st.sampled_from(PAIRS), unique=True)


@given(left=some_pairs, right=some_pairs)
def test_aligned_merges_are_all_that_follow_the_first_difference_each_once(
    left: list[BytesPair], right: list[BytesPair]
) -> None:
    found = compare(left, right)
    first = len(left) if found.first is None else found.first
    assert [at for at, _ in found.aligned if at is not None] == list(range(first, len(left)))
    for at, other in found.aligned:
        assert at is None or other == (right.index(left[at]) if left[at] in right else None)
    only_right = [place for place in range(first, len(right)) if right[place] not in left]
    assert [other for at, other in found.aligned if at is None] == only_right


def counted(timeline: Timeline, step: int) -> dict[tuple[int, int], int]:
    """Count the occurrences of each pair at a step, from the tokens."""
    frame, found = timeline.seek(step), dict[tuple[int, int], int]()
    for pretoken, count in frame.counts.items():
        for pair in pairwise(frame.tokens_of(pretoken)):
            found[pair] = found.get(pair, 0) + count
    return found


@given(counts=oracles.corpora(), step=st.integers(0, 9))
def test_a_merge_knows_its_forbidden_rivals_and_ties_without_them(
    counts: dict[bytes, int], step: int
) -> None:
    timeline = run(counts)
    if step >= len(timeline):
        return
    forbidden = merges(timeline)[step]
    trainer = fork(timeline.seek(step), ForkChange(forbid=frozenset({forbidden})), SIZE)
    other = Timeline(counts, list(trainer.steps()), record=trainer.record)
    assert trainer.record.fork_rules is not None
    assert trainer.record.fork_rules.replayed == step
    assert merges(other)[:step] == merges(timeline)[:step]
    assert forbidden not in merges(other)
    for index in range(len(other)):
        merge, true = other.record[index], counted(other, index)
        is_forbidden = {
            pair: index >= step and tuple(map(trainer.record.token, pair)) == forbidden
            for pair in true
        }
        may = {pair: n for pair, n in true.items() if not is_forbidden[pair]}
        over = {pair: n for pair, n in true.items() if is_forbidden[pair] and n >= merge.count}
        pick = other.seek(index).pick
        assert pick is not None
        assert dict(pick.forbidden) == over
        assert merge.count == max(may.values())
        assert len(merge.tied) == list(may.values()).count(merge.count)
        assert (index + 1 in other.frame.tied_steps) == (len(merge.tied) > 1)
        assert other.seek(index).queue.best() == merge.pair
