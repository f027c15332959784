"""The units that merges start from: characters or bytes, and marked ends of words."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import oracles
import pytest
import tokenizers
from generated import examples
from hypothesis import given
from hypothesis import strategies as st

from engine import (
    BpeError,
    StopReason,
    Timeline,
    Tokenizer,
    Trainer,
    UnknownNameError,
    VocabSizeError,
)
from engine.analysis.inspection import Inspection
from engine.analysis.why_not import why_not, why_not_merged
from engine.bpe.race import Race, RaceSettings
from engine.bpe.ties import TIE_RULES, never_seen
from engine.bpe.trainers import TRAINERS
from engine.bpe.what_if import ForkChange, fork
from engine.formats import WRITABLE

CLASSIC = {b"low": 5, b" ": 13, b"lower": 2, b"newest": 6, b"widest": 3}
CHINESE = {"中文".encode(): 3, "中文分词".encode(): 2, "分词".encode(): 4}

every_trainer = pytest.mark.parametrize("algorithm", TRAINERS)
every_rule = pytest.mark.parametrize("tie_rule", TIE_RULES)
of_characters = pytest.mark.parametrize("units", ["characters", "end-of-word"])
some_counts = st.dictionaries(
    st.text("abé中 ", min_size=1, max_size=7).map(str.encode), st.integers(1, 9), max_size=8
)


def run(
    counts: Mapping[bytes, int],
    units: str,
    pattern: str = "whitespace",
    vocab_size: int = 60,
    tie_rule: str = "first-seen",
) -> Timeline:
    """Return a finished run."""
    trainer = Trainer(counts, vocab_size, units=units, tie_rule=tie_rule)
    timeline = Timeline(trainer.counts, record=trainer.record, pattern=pattern)
    timeline.extend(trainer.steps())
    timeline.complete()
    return timeline


def learnt(trainer: Trainer) -> list[str]:
    return [step.token.decode() for step in trainer.steps()]


@every_trainer
def test_the_example_of_sennrich_et_al(algorithm: str) -> None:
    # Their Algorithm 1 takes the first best pair of a dict filled in the order of the corpus: the
    # pair met first. `</w>` is a symbol of its own.
    trainer = Trainer(CLASSIC, 30, units="end-of-word", tie_rule="first-seen", algorithm=algorithm)
    assert [f"{left.decode()} {right.decode()}" for left, right in merges_of(trainer)][:10] == [
        "e s", "es t", "est </w>", "l o", "lo w", "n e", "ne w", "new est</w>", "low </w>", "w i",
    ]  # fmt: skip
    assert trainer.stop_reason is StopReason.NO_PAIR_LEFT


def merges_of(trainer: Trainer) -> list[tuple[bytes, bytes]]:
    for _ in trainer.steps():
        pass
    return trainer.merges


def test_the_base_is_the_characters_by_code_point_then_unk_then_the_end_of_a_word() -> None:
    trainer = Trainer({"béa".encode(): 1, b" ": 1}, 6, ["<s>"], units="end-of-word")
    assert list(trainer.vocab.values()) == [b"a", b"b", "é".encode(), b"<unk>", b"</w>", b"<s>"]
    assert trainer.record.ids.special_ids == {"<s>": 5}
    assert trainer.counts == {"béa".encode(): 1}  # what is blank is no word


def test_a_vocabulary_too_small_for_the_characters_is_refused_with_their_number() -> None:
    with pytest.raises(VocabSizeError, match=r"4 characters, <unk>, </w> and 1 special token"):
        Trainer({b"low": 1, b"e": 1}, 6, ["<s>"], units="end-of-word")
    with pytest.raises(UnknownNameError, match="did you mean 'characters'"):
        Trainer({}, 300, units="character")


def test_a_bound_on_the_length_of_tokens_keeps_characters_apart_from_the_start() -> None:
    trainer = Trainer(CHINESE | {b"ab": 1}, 40, units="characters", max_token_length=4)
    assert learnt(trainer) == ["ab"]


def slow_merges(words: list[Any], counts: list[int]) -> list[tuple[str, str]]:
    """Merge strings by the definition: the greatest of the most frequent pairs."""
    merges = []
    while found := oracles.recount(words, counts):

        def order(pair: Any, found: Any = found) -> tuple[int, list[bytes]]:
            return found[pair], [part.encode() for part in pair]

        best: Any = max(found, key=order)
        made: Any = "".join(best)
        merges.append(best)
        words = [oracles.replace(word, best, made) for word in words]
    return merges


@of_characters
@given(counts=some_counts)
@examples(30)
def test_merges_are_those_of_a_recount_of_strings(units: str, counts: dict[bytes, int]) -> None:
    ends = ["</w>"] if units == "end-of-word" else []
    words = {text: n for text, n in counts.items() if not ends or text.strip()}
    expected = slow_merges([[*text.decode(), *ends] for text in words], list(words.values()))
    merges = merges_of(Trainer(counts, 200, units=units))
    assert [(left.decode(), right.decode()) for left, right in merges] == expected


@every_rule
@of_characters
@given(counts=some_counts, bound=st.sampled_from([None, 4]))
@examples(15)
def test_all_trainers_take_the_same_steps(
    units: str, tie_rule: str, counts: dict[bytes, int], bound: int | None
) -> None:
    runs = [
        Trainer(counts, 30, tie_rule=tie_rule, algorithm=name, units=units, max_token_length=bound)
        for name in TRAINERS
    ]
    first, *others = [list(trainer.steps()) for trainer in runs]
    assert all(other == first for other in others)
    assert runs[0].algorithm.name == "heap"  # `fast` merges only bytes


def test_a_character_that_the_corpus_lacks_is_unknown_and_in_bytes_none_is() -> None:
    frame = run(CLASSIC, "characters").frame
    assert frame.unknown_in("löwe 中") == 2
    assert frame.decode(frame.tokenizer().encode("löw")) == b"l<unk>w"
    assert Timeline(CLASSIC).frame.unknown_in("löwe 中") == 0


def test_the_end_of_a_word_decodes_to_a_space_whatever_followed_it() -> None:
    frame = run(CLASSIC, "end-of-word").seek(9)
    ids = frame.tokenizer().encode("newest\n\nlow")
    assert [frame.token(token) for token in ids] == [b"newest</w>", b"low</w>"]
    assert frame.decode(ids) == b"newest low "


def test_text_that_looks_like_the_marker_does_not_end_a_word() -> None:
    timeline = run({b"x</w>": 4}, "end-of-word")
    frame = timeline.seek(len(timeline))
    ids = frame.tokenizer().encode("x</w>")
    assert (len(ids), frame.decode(ids)) == (1, b"x</w> ")


@pytest.mark.parametrize(
    ("text", "piece", "explanation"),
    [
        ("low", "low", "low is one token here: id 20, made by low + </w> (merge 9)."),
        ("lower", "low", "low is one token here: id 16, made by lo + w (merge 5)."),
        ("newest", "est", "est</w> was one token, until new + est</w>"),
        ("lower", "er", "er</w> is no token of this vocabulary. Alone it is e + r + </w>."),
    ],
)
def test_why_not_distinguishes_a_piece_at_the_end_from_one_inside(
    text: str, piece: str, explanation: str
) -> None:
    frame = run(CLASSIC, "end-of-word").seek(9)
    assert why_not(frame, text, piece).describe().startswith(explanation)


@of_characters
@given(counts=some_counts, text=st.text("abéx中 ", min_size=2, max_size=8))
@examples(20)
def test_any_question_about_a_text_has_an_answer(
    units: str, counts: dict[bytes, int], text: str
) -> None:
    frame = run(counts, units, "none").frame.at(0)
    frame = frame.at(frame.recorded_steps)
    for start, end in [(0, len(text)), (len(text) - 2, len(text)), (0, 1)]:
        assert why_not(frame, text, text[start:end]).describe()
    assert why_not_merged(frame, text, text[-2], text[-1]).describe()


def test_white_space_has_no_tokens_that_could_merge() -> None:
    frame = run({b"  a": 1}, "end-of-word", "none").seek(1)  # the merge of two spaces
    assert why_not_merged(frame, "  ", " ", " ").describe() == (
        "ĠĠ has no tokens here: only words have."
    )


def test_a_fork_starts_from_the_same_units() -> None:
    here = run(CLASSIC, "end-of-word").seek(2)
    forked = fork(here, ForkChange(forbid=frozenset({(b"est", b"</w>")})), 24)
    assert learnt(forked)[:4] == ["es", "est", "lo", "low"]


def test_a_race_goes_without_the_trainer_that_merges_only_bytes() -> None:
    race = Race(CLASSIC, RaceSettings(30, units="end-of-word"))
    for _ in race.slices():
        pass
    assert (race.absent, race.first_difference, race.steps) == (["fast"], None, 15)


@pytest.mark.parametrize("pattern", ["gpt2", "whitespace", "none"])
def test_a_tokenizer_of_characters_is_written_for_hugging_face(
    pattern: str, tmp_path: Path
) -> None:
    timeline = run(CLASSIC | CHINESE, "characters", pattern)
    ours = timeline.seek(len(timeline)).tokenizer()
    ours.save(tmp_path / "tokenizer.json", "huggingface")
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    again = Tokenizer.load(tmp_path / "tokenizer.json")
    for text in ("lowest newer", "中文 x 分词\n", "low<unk>"):
        ids = ours.encode(text)
        assert theirs.encode(text).ids == again.encode(text) == ids
        assert theirs.decode(ids) == again.decode(ids) == ours.decode(ids)


@pytest.mark.parametrize("format", WRITABLE)
def test_no_format_writes_marked_ends_of_words(format: str, tmp_path: Path) -> None:
    # Hugging Face's suffix is part of the last character: the file would encode differently.
    reason = "part of the last character" if format == "huggingface" else None
    with pytest.raises(BpeError, match=reason):
        run(CLASSIC, "end-of-word").frame.tokenizer().save(tmp_path / "t.json", format)
    assert not list(tmp_path.iterdir())


@of_characters
@given(counts=some_counts)
def test_a_token_is_as_long_as_its_text_in_the_corpus(units: str, counts: dict[bytes, int]) -> None:
    timeline = run(counts, units)
    frame = timeline.seek(len(timeline))
    covered = [len(frame.run.record.covers(token_id)) for token_id in range(frame.vocab_size)]
    assert Inspection.of_frame(frame).lengths.tolist() == covered
    lengths = Counter(covered)
    found = frame.statistics.token_lengths(frame.step).tolist()
    assert found == [lengths[length] for length in range(max(lengths) + 1)]


def test_sentencepiece_ties_count_characters_if_these_are_the_units() -> None:
    """`漢a` has two characters and `xyz` three; in bytes it is four against three."""
    counts = {"漢a".encode(): 2, b"xyz": 2, b"xy": 1}
    in_characters = Trainer(counts, 30, units="characters", tie_rule="sentencepiece")
    assert merges_of(in_characters) == [(b"x", b"y"), ("漢".encode(), b"a"), (b"xy", b"z")]
    tied = {(0, 1), (2, 3)}
    vocab = {0: "漢".encode(), 1: b"a", 2: b"xy", 3: b"z"}
    rule = TIE_RULES["sentencepiece"]
    assert min(tied, key=rule.make_key(vocab, never_seen)) == (0, 1)
    assert str(rule.reason(vocab, (0, 1), (2, 3))) == "2 characters joined, fewer than 3"
