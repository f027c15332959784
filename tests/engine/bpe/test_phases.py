"""Training in phases: like SuperBPE's own code, and true at every step for a screen."""

import random
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pytest
from generated import first_quick
from superbpe_by_hand import SECOND_STAGE, extend, isolated, lines_of

from engine import (
    Frame,
    PatternError,
    Phase,
    PhasedTrainer,
    PhaseError,
    StopReason,
    Timeline,
    Trainer,
)
from engine.analysis.pair_history import pair_history
from engine.bpe.phases import check_phases, phases_from
from engine.bpe.trainers import TRAINERS
from engine.bpe.trainers.algorithm import is_wordy
from engine.core.events import Pair
from engine.core.gpt2_bytes import BYTE_TO_CHAR, spell
from engine.core.wording import frequency
from engine.text.patterns import as_pattern

SAMPLES = Path(__file__).parents[3] / "samples"
LINES = r"[^\n]*\n|[^\n]+"
"""The documents of the authors' code: lines, each with its newline."""
FOX = "the cat of the hat, and the cat: a hat of the cat of the end.\n" * 3


def text_of(name: str, size: int = 12_000) -> str:
    return (SAMPLES / name).read_text(encoding="utf-8")[:size]


CORPORA = {
    "stories": text_of("tinystories_valid.txt"),
    "code": text_of("code.txt", 6000),
    "scripts": text_of("unicode.txt", 6000),
    "prompts": "Question: what is it? Answer: it is a cat.\nQuestion: who? Answer: it is I.\n" * 9,
    "runs": "aaaa aaa  aaaa\n\n  aaa aa a aaaa\n12345 1234 ... ,,,, --- ....\n" * 7,
    "fox": FOX,
}


def counted(text: str, pattern: str) -> Counter[bytes]:
    return Counter(piece.encode() for piece in as_pattern(pattern).split(text))


def trained(
    text: str, sizes: tuple[int, int], second: str = "none", **options: object
) -> PhasedTrainer:
    phases = Phase("gpt2", sizes[0]), Phase(second, sizes[1])
    options = {"tie_rule": "huggingface", **options}
    return PhasedTrainer(
        counted(text, "gpt2"), phases, lambda pattern: counted(text, str(pattern)), **options
    )


class TestTheAuthorsCode:
    @pytest.mark.parametrize("name", CORPORA)
    @pytest.mark.parametrize("regex", first_quick([SECOND_STAGE, None]))
    def test_finds_the_same_merges(self, name: str, regex: str | None) -> None:
        text = CORPORA[name]
        first = Trainer(counted(text, "gpt2"), 330, tie_rule="huggingface")
        inherited = [(spell(step.left), spell(step.right)) for step in first.steps()]
        words = Counter[str]()
        for line in lines_of(text):
            words.update(isolated(line, regex) if regex else [line])
        spelled = [(spell(word.encode()), count) for word, count in words.items()]
        letters = "".join(sorted(BYTE_TO_CHAR.values()))
        expected = extend(spelled, inherited, 60, letters)

        def recount(pattern: object) -> Counter[bytes]:
            return Counter({word.encode(): count for word, count in words.items()})

        size = 256 + len(inherited)
        phases = Phase("gpt2", size), Phase("none", size + 60)
        trainer = PhasedTrainer(counted(text, "gpt2"), phases, recount, tie_rule="huggingface")
        found = [(spell(step.left), spell(step.right)) for step in trainer.steps()]
        # Theirs loses a merge whose pair the new cut never has; here it keeps its rank and its id.
        kept, new = found[: len(inherited)], found[len(inherited) :]
        assert kept == inherited
        assert [merge for merge in kept if merge in set(expected)] + new == expected
        assert len(new) > 5

    def test_cuts_lines_as_a_typed_pattern_can(self) -> None:
        for text in CORPORA.values():
            assert as_pattern(LINES).split(text) == lines_of(text)
            for line in lines_of(text):
                pieces = as_pattern(SECOND_STAGE).split(line)
                assert pieces == list(isolated(line, SECOND_STAGE))


class TestLimits:
    def test_a_token_has_at_most_so_many_words(self) -> None:
        for most in (1, 2, 4):
            tokens = [step.token for step in trained(FOX, (300, 400), most_words=most).steps()]
            assert max(sum(map(bool, token.split(b" "))) for token in tokens) == most
            assert not any(is_wordy(token, most) for token in tokens)

    def test_no_token_goes_on_behind_a_colon_and_a_space(self) -> None:
        text = CORPORA["prompts"]
        limited, free = (
            [step.token for step in trained(text, (300, 360), most_words=most).steps()]
            for most in (4, None)
        )
        assert not any(b": " in token for token in limited)
        assert any(b": " in token for token in free)


@pytest.mark.parametrize("tie_rule", ["lexicographic", "smallest-ids", "first-seen"])
@pytest.mark.parametrize(
    ("text", "most_words"), [("fox", 4), ("prompts", 4), ("prompts", 10**30), ("runs", 4)]
)
def test_all_trainers_find_the_same_steps(tie_rule: str, text: str, most_words: int) -> None:
    options = {"tie_rule": tie_rule, "most_words": most_words}
    found = [
        [
            step.as_dict()
            for step in trained(CORPORA[text], (280, 310), algorithm=name, **options).steps()
        ]
        for name in TRAINERS
    ]
    assert all(steps == found[0] for steps in found)


def test_three_phases_go_on_from_each_other() -> None:
    text = CORPORA["stories"]
    phases = Phase("gpt2", 300), Phase("lines", 330), Phase("none", 350)
    trainer = PhasedTrainer(
        counted(text, "gpt2"), phases, lambda pattern: counted(text, str(pattern))
    )
    timeline = Timeline(trainer.counts, trainer.steps())
    assert [start.step for start in trainer.record.phase_starts] == [44, 74]
    assert trainer.stop_reason is StopReason.SIZE_REACHED
    for step in (43, 44, 45, 73, 74, 75, 94):
        check_counts(timeline.seek(step))


def check_counts(frame: Frame) -> None:
    """Compare the counts of a frame with those in its pretokens, counted one by one."""
    pairs, tokens = Counter[Pair](), Counter[int]()
    for pretoken, count in frame.counts.items():
        ids = frame.tokens_of(pretoken)
        for token_id in ids:
            tokens[token_id] += count
        for pair in pairwise(ids):
            if not is_wordy(frame.any_token(pair[0]) + frame.any_token(pair[1]), 4):
                pairs[pair] += count
    assert dict(frame.top_pairs(len(pairs) + 1)) == pairs
    assert frame.token_count == tokens.total()
    vocabulary = frame.vocabulary
    assert [vocabulary.count_of(token) for token in range(frame.vocab_size)] == [
        tokens[token] for token in range(frame.vocab_size)
    ]


@pytest.fixture(scope="module")
def timeline() -> Timeline:
    trainer = trained(CORPORA["stories"], (330, 400), tie_rule="lexicographic")
    timeline = Timeline(trainer.counts, trainer.steps())
    timeline.complete()
    return timeline


class TestTheBorder:
    def test_is_marked_with_the_pattern_that_follows(self, timeline: Timeline) -> None:
        [start] = timeline.frame.phase_starts
        assert (start.step, start.label) == (74, "pattern none")
        assert [timeline.seek(step).phase_start for step in (73, 74, 75)] == [None, start, None]
        assert [timeline.seek(step).phase_began for step in (73, 74, 75)] == [0, 74, 74]

    def test_changes_pretokens_pattern_and_counts_but_not_the_merge(
        self, timeline: Timeline
    ) -> None:
        before, border = timeline.frame.at(73), timeline.frame.at(74)
        assert max(map(len, before.counts)) < 20 < max(map(len, border.counts))
        assert [len(frame.encode("of the cat, and")) for frame in (before, border)] == [5, 1]
        assert [frame.rules.pattern.name for frame in (before, border)] == ["gpt2", "none"]
        assert border.merge is not None
        changed = {change.pair for change in border.merge.changes}
        assert all(
            border.merge.new_id in pair
            or border.merge.pair[0] in pair
            or border.merge.pair[1] in pair
            for pair in changed
        )
        assert all(entry.delta == 0 for entry in border.queue.entries(20))
        assert all(word.pretoken in before.counts for word in border.affected())

    def test_counts_are_true_on_both_sides(self, timeline: Timeline) -> None:
        for step in (0, 73, 74, 75, 110, 144):
            check_counts(timeline.frame.at(step))

    def test_the_series_have_no_gap(self, timeline: Timeline) -> None:
        tokens = timeline.statistics.tokens_in_corpus(144).tolist()
        assert tokens == [timeline.frame.at(step).token_count for step in range(145)]
        assert tokens == sorted(tokens, reverse=True)
        tied = set(timeline.frame.tied_steps)
        for step in range(1, 145):
            merge = timeline.record[step - 1]
            assert (len(merge.tied) > 1) == (step in tied), step

    def test_the_heap_is_built_again_there(self, timeline: Timeline) -> None:
        queue = timeline.frame.at(74).queue
        assert queue.stale_count == 0
        assert queue.size == queue.pair_count
        for step in (144, 74, 60, 100, 143):  # far back and forth
            heap = timeline.frame.at(step).run.heap
            claims = {entry[2]: -entry[0] for entry in heap.entries(step)}
            replayed = heap.claims(step)
            assert claims == {n: int(c) for n, c in enumerate(replayed.tolist()) if c}
        for step in (80, 120):
            entries = timeline.frame.at(step).queue.entries(400)
            for entry in entries:
                losses = timeline.frame.at(step).queue.losses(entry)
                assert sum(loss.taken for loss in losses) == entry.recorded - entry.count
                assert all(loss.step > 74 for loss in losses)

    def test_a_new_cut_takes_of_a_pair_what_no_merge_took(self, timeline: Timeline) -> None:
        border, last = timeline.frame.at(74), len(timeline)
        before, counts = (dict(timeline.frame.at(step).top_pairs(999)) for step in (73, 74))
        other = [pair for pair in before.keys() & counts if before[pair] != counts[pair]]
        assert other
        for pair in other:
            history = pair_history(border, pair)
            assert history.recuts == ((74, counts[pair]),)
            shown = str(history.sentences(border.any_token)[0])
            assert f"; the new cut at step 74 has it {frequency(counts[pair])}" in shown
            assert all(
                loss.count
                == dict(timeline.frame.at(loss.step - 1).top_pairs(9999))[pair]
                - dict(timeline.frame.at(loss.step).top_pairs(9999)).get(pair, 0)
                for loss in history.losses[:3]
                if loss.step not in (74, last)
            )

    def test_the_tokenizer_encodes_as_the_frame(self, timeline: Timeline) -> None:
        text = CORPORA["stories"][500:900]
        for step in (73, 74, 144):
            frame = timeline.frame.at(step)
            ids = [token_id for piece in frame.encode(text) for token_id in piece.ids]
            assert frame.tokenizer().encode(text) == ids


def test_merges_made_again_may_cross_the_old_borders() -> None:
    # `,,` is one pretoken here and two there: made again, its merge takes a comma of a word.
    words: Mapping[bytes, int] = {b"ab": 5, b"a": 3, b"b": 3}
    trainer = PhasedTrainer(
        words, (Phase("gpt2", 257), Phase("none", 258)), lambda pattern: {b"abab": 2, b"cab": 1}
    )
    timeline = Timeline(trainer.counts, trainer.steps())
    check_counts(timeline.seek(1))
    assert timeline.frame.top_pairs(1) == [((256, 256), 2)]


@pytest.mark.parametrize("algorithm", TRAINERS)
def test_a_merge_that_no_longer_occurs_keeps_its_token(algorithm: str) -> None:
    phases = Phase("gpt2", 258), Phase("none", 262)
    trainer = PhasedTrainer(
        {b"ab": 2, b"cd": 1}, phases, lambda pattern: {b"cdcdef": 3}, algorithm=algorithm
    )
    learnt = [step.token for step in trainer.steps()]
    assert learnt == [b"ab", b"cd", b"ef", b"cdef", b"cdcdef"]


class TestIds:
    def test_are_those_of_the_library_through_a_saved_file(self, tmp_path: Path) -> None:
        tokenizers = pytest.importorskip("tokenizers")
        for number, second in enumerate(("none", "lines", SECOND_STAGE)):
            trainer = trained(CORPORA["stories"], (400, 600), second)
            timeline = Timeline(trainer.counts, trainer.steps())
            ours = timeline.seek(len(timeline)).tokenizer()
            path = tmp_path / f"{number}.json"
            ours.save(path, "huggingface")
            theirs = tokenizers.Tokenizer.from_file(str(path))
            texts = random_texts(700)
            assert [found.ids for found in theirs.encode_batch(texts)] == [
                ours.encode(text) for text in texts
            ]


def random_texts(number: int) -> list[str]:
    """Return texts cut anywhere from all corpora, some with odd characters."""
    chance, whole = random.Random(5), "".join(CORPORA.values())
    starts = [chance.randrange(len(whole)) for _ in range(number)]
    return [
        whole[start : start + chance.randrange(90)] + chance.choice(("", " ", "\n\n", "é", "𝄞 :"))
        for start in starts
    ]


@pytest.mark.parametrize(
    ("phases", "said"),
    [
        (":300,none:400", "phase 1 names no pattern"),
        ("gpt2:300,:400", "phase 2 names no pattern"),
        ("gpt2,none", "phase 1 has no size"),
        ("gpt2:300,none", "phase 2 has no size"),
        ("gpt2:300", "is one phase"),
        ("", "phase 1 has no size"),
        ("none:9," * 17, "17 phases are too many; give at most 16"),
    ],
)
def test_phases_that_are_unreadable_are_one_sentence(phases: str, said: str) -> None:
    with pytest.raises(PhaseError, match=said):
        phases_from(phases)


@pytest.mark.parametrize("sizes", [(300, 300), (300, 299)])
def test_sizes_must_grow(sizes: tuple[int, int]) -> None:
    with pytest.raises(PhaseError, match="each size must be above the one before"):
        trained(FOX, sizes)
    with pytest.raises(PatternError):
        check_phases([Phase("gpt2", 300), Phase("(", 400)])


def test_phases_are_read_as_typed() -> None:
    phases = phases_from(f"gpt2:8_000,{SECOND_STAGE}:10000")
    assert phases == (Phase("gpt2", 8000), Phase(SECOND_STAGE, 10000))
    assert phases_from("gpt2:_," + "none:9," * 15) == (Phase("gpt2", 0), *[Phase("none", 9)] * 15)
