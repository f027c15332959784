"""Training: the semantics rule by rule, and every algorithm compared with a recount.

Conformance runs over the registries: a new trainer or tie rule is tested as soon as it is
registered.
"""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import oracles
import pytest
from generated import diagonal_quick, examples
from hypothesis import given
from hypothesis import strategies as st
from tiktoken._educational import bpe_train
from tokenizers import Tokenizer, models, pre_tokenizers
from tokenizers.trainers import BpeTrainer

from engine import BpeError, MergeStep, StopReason, Timeline, Trainer
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainers import DEFAULT_TRAINER, TRAINERS
from engine.core.gpt2_bytes import unspell
from engine.text.patterns import PATTERNS

REPO = Path(__file__).parents[3]
SAMPLES = REPO / "samples"
SHARED_DATA = REPO.parent / "shared" / "data"

every_trainer = pytest.mark.parametrize("algorithm", TRAINERS)
every_rule = pytest.mark.parametrize("tie_rule", TIE_RULES)


def train(
    counts: Mapping[bytes, int],
    merges: int = 40,
    *,
    tie_rule: str = "lexicographic",
    algorithm: str = DEFAULT_TRAINER,
) -> Trainer:
    """Return a finished run."""
    trainer = Trainer(counts, 256 + merges, tie_rule=tie_rule, algorithm=algorithm)
    for _ in trainer.steps():
        pass
    return trainer


def tokens(counts: Mapping[bytes, int], merges: int = 40, **how: str) -> list[bytes]:
    """Return the tokens learnt, in order."""
    return [left + right for left, right in train(counts, merges, **how).merges]


def gpt2_chunks(text: str) -> list[bytes]:
    return [piece.encode() for piece in PATTERNS["gpt2"].compiled.findall(text)]


def sample(name: str) -> str:
    return (SAMPLES / name).read_bytes().decode()


def shared(name: str) -> str:
    path = SHARED_DATA / name
    if not path.exists():
        pytest.skip(f"{path} is not there: it comes with the shared data, not with the project")
    return path.read_bytes().decode()


# --- the semantics, rule by rule --------------------------------------------------------------


class TestTheVocab:
    def test_may_be_read_while_training_goes_on(self) -> None:
        trainer = Trainer({b"abc": 1}, 300)
        for learnt, _ in enumerate(trainer.steps(), 1):
            assert len(trainer.vocab) == 256 + learnt
            assert len(trainer.merges) == learnt

    @pytest.mark.parametrize(
        ("size", "how", "said"),
        [
            (0, {}, "at least 256"),
            (255, {}, "at least 256"),
            (257, {"special_tokens": ["<a>", "<b>"]}, "at least 258"),
            ("300", {}, "a whole number"),
            (2**31, {}, "at most 2,147,483,647"),
            (2**63 + 300, {}, "at most 2,147,483,647"),
            (300, {"min_count": 1.5}, "min_count is a whole number"),
            (300, {"max_token_length": 1}, "at most 1 byte leave nothing to merge; give 2"),
        ],
    )
    def test_of_an_impossible_size_is_refused(
        self, size: Any, how: dict[str, Any], said: str
    ) -> None:
        with pytest.raises(BpeError, match=said):
            Trainer({b"ab": 1}, size, **how)

    def test_with_room_for_just_these_learns_nothing(self) -> None:
        trainer = Trainer({b"ab": 1}, 257, ["‹é›"])
        assert (list(trainer.steps()), trainer.vocab[256]) == ([], "‹é›".encode())
        assert trainer.stop_reason is StopReason.SIZE_REACHED
        assert list(Trainer({b"ab": 1}, 2**31 - 1).steps())  # the largest size there is


@every_trainer
def test_any_bytes_are_pairs_and_what_is_empty_short_or_counted_0_changes_nothing(
    algorithm: str,
) -> None:
    for pretoken in (b"a,", b",,", b", ", b" a", b"  ", b"\0a", b"\0\0", b"\xff\xfe"):
        counts = {b"": 3, pretoken: 2, b"x": 9, b"xy": 1, b"xyz": 0}
        assert tokens(counts, algorithm=algorithm) == [pretoken, b"xy"]


@every_trainer
@pytest.mark.parametrize(
    ("counts", "merges", "learnt", "reason"),
    [
        ({b"abcd": 1}, 2, [b"cd", b"bcd"], StopReason.SIZE_REACHED),
        ({b"abcd": 1}, 99, [b"cd", b"bcd", b"abcd"], StopReason.NO_PAIR_LEFT),
        ({b"ab": 1}, 1, [b"ab"], StopReason.SIZE_REACHED),  # though no pair is left
        ({}, 40, [], StopReason.NO_PAIR_LEFT),
        ({b"ab": 3, b"xy": 2}, 40, [b"ab", b"xy"], StopReason.NO_PAIR_LEFT),
        ({b"ab": 3, b"xy": 1}, 40, [b"ab"], StopReason.TOO_RARE),
    ],
)
def test_training_stops_at_its_size_or_when_no_frequent_pair_is_left(
    algorithm: str, counts: dict[bytes, int], merges: int, learnt: list[bytes], reason: StopReason
) -> None:
    least = 2 if b"xy" in counts else 1
    trainer = Trainer(counts, 256 + merges, algorithm=algorithm, min_count=least)
    made = [(step.token, trainer.stop_reason) for step in trainer.steps()]
    assert made == [(token, None) for token in learnt]  # it stops when the next step is asked for
    assert trainer.stop_reason is reason


# --- conformance ------------------------------------------------------------------------------


def assert_step_is(step: MergeStep, truth: oracles.OracleStep) -> None:
    assert (step.pair, step.new_id, step.count) == (truth.pair, truth.new_id, truth.count)
    assert (step.occurrences, step.pretokens) == (truth.occurrences, truth.pretokens)
    assert step.tied[0] == truth.pair
    assert len(step.tied) == len(truth.tied)
    assert set(step.tied) == truth.tied
    changes = {change.pair: (change.before, change.after) for change in step.changes}
    assert len(changes) == len(step.changes)
    assert changes == truth.changes


@pytest.mark.parametrize(("algorithm", "tie_rule"), diagonal_quick(TRAINERS, TIE_RULES))
@examples(60)
@given(corpus=oracles.corpora(), merges=st.sampled_from([3, 60]), specials=st.booleans())
def test_every_fact_of_every_step_agrees_with_a_recount(
    algorithm: str, tie_rule: str, corpus: dict[bytes, int], merges: int, specials: bool
) -> None:
    special_tokens = ["<s>", "</s>"] if specials else []
    size = 256 + len(special_tokens) + merges
    trainer = Trainer(corpus, size, special_tokens, tie_rule=tie_rule, algorithm=algorithm)
    steps = list(trainer.steps())
    truth = oracles.train(corpus, tie_rule, merges, special_tokens)
    assert trainer.merges == truth.merges
    assert list(trainer.vocab.values()) == truth.vocab
    for step, true_step in zip(steps, truth.steps, strict=True):
        assert_step_is(step, true_step)


@pytest.mark.parametrize(
    ("algorithm", "tie_rule"),
    diagonal_quick([name for name in TRAINERS if name != "naive"], TIE_RULES),
)
@examples(40)
@given(
    corpus=oracles.corpora(max_pretokens=10, max_length=16),
    bounds=st.fixed_dictionaries(
        {"min_count": st.integers(1, 3), "max_token_length": st.sampled_from([None, 2, 3, 6])}
    ),
)
def test_every_trainer_takes_the_same_steps_as_naive(
    algorithm: str, tie_rule: str, corpus: dict[bytes, int], bounds: dict[str, Any]
) -> None:
    def run(name: str) -> tuple[list[MergeStep], StopReason | None]:
        trainer = Trainer(corpus, 310, tie_rule=tie_rule, algorithm=name, **bounds)
        return list(trainer.steps()), trainer.stop_reason

    assert run(algorithm) == run("naive")


@every_rule
@given(corpus=oracles.corpora(max_pretokens=10, max_length=30))
@examples(60)
def test_no_two_merges_make_the_same_bytes(tie_rule: str, corpus: dict[bytes, int]) -> None:
    # Two stretches of the same bytes that both begin and end at token borders have been cut alike
    # at every step so far, so the same bytes are never made twice. Tie rules rely on it.
    learnt = tokens(corpus, 80, tie_rule=tie_rule)
    assert len(set(learnt)) == len(learnt)


@every_rule
@given(corpus=oracles.corpora())
@examples(40)
def test_the_order_of_the_corpus_matters_to_first_seen_alone(
    tie_rule: str, corpus: dict[bytes, int]
) -> None:
    turned = dict(reversed(corpus.items()))
    if TIE_RULES[tie_rule].static:
        assert tokens(corpus, tie_rule=tie_rule) == tokens(turned, tie_rule=tie_rule)
    else:
        assert tokens({b"ab": 1, b"cd": 1}, tie_rule=tie_rule) == [b"ab", b"cd"]
        assert tokens({b"cd": 1, b"ab": 1}, tie_rule=tie_rule) == [b"cd", b"ab"]


# --- trainers of others -----------------------------------------------------------------------


def hugging_face_merges(documents: list[str] | Path, merges: int) -> list[tuple[bytes, bytes]]:
    """Return the merges that `tokenizers` learns from the documents, or from a file."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    trainer = BpeTrainer(
        vocab_size=256 + merges,
        min_frequency=0,
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    if isinstance(documents, Path):
        tokenizer.train([str(documents)], trainer)
    else:
        tokenizer.train_from_iterator(documents, trainer)
    learnt = json.loads(tokenizer.to_str())["model"]["merges"]
    return [(unspell(left), unspell(right)) for left, right in learnt]


def assert_learns_the_same_as_tokenizers(text: str) -> None:
    documents = text.split("<|endoftext|>")
    counts = Counter(chunk for document in documents for chunk in gpt2_chunks(document))
    ours = train(counts, 20_000, tie_rule="huggingface")
    assert ours.stop_reason is StopReason.NO_PAIR_LEFT
    assert ours.merges == hugging_face_merges(documents, 20_000)


@pytest.mark.parametrize("name", ["tinystories_valid.txt", "unicode.txt", "code.txt"])
def test_the_huggingface_rule_learns_the_same_as_tokenizers_to_the_last_merge(name: str) -> None:
    assert_learns_the_same_as_tokenizers(sample(name))


def test_tokenizers_reads_a_file_line_by_line_so_no_pretoken_goes_on_in_the_next(
    tmp_path: Path,
) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("x\n  y\n  z\n")
    whole = Counter(gpt2_chunks("x\n  y\n  z\n"))
    lines = Counter(chunk for line in ("x\n", "  y\n", "  z\n") for chunk in gpt2_chunks(line))
    assert b"\n " in whole
    assert b"\n " not in lines
    assert train(lines, tie_rule="huggingface").merges == hugging_face_merges(corpus, 40)
    assert train(whole, tie_rule="huggingface").merges != hugging_face_merges(corpus, 40)


@examples(40)
@given(words=st.lists(st.text("ab", min_size=1, max_size=8), min_size=1, max_size=6))
def test_the_huggingface_rule_agrees_with_tokenizers_on_overlaps(words: list[str]) -> None:
    counts = Counter(word.encode() for word in words)
    assert train(counts, tie_rule="huggingface").merges == hugging_face_merges(words, 40)


def test_the_first_seen_rule_learns_the_same_as_tiktokens_educational_code() -> None:
    text = sample("tinystories_valid.txt")[:6_000]
    ranks = bpe_train(text, 256 + 100, PATTERNS["gpt2"].source, visualise=None)
    theirs = sorted(ranks, key=ranks.__getitem__)[256:]
    assert tokens(Counter(gpt2_chunks(text)), 100, tie_rule="first-seen") == theirs


@given(st.lists(st.text("ab ", min_size=1, max_size=6).map(str.encode), max_size=12))
def test_the_first_seen_rule_learns_the_same_as_minbpe(chunks: list[bytes]) -> None:
    # minbpe keeps every chunk; joining equal ones keeps the order in which pairs first occur.
    ours = train(Counter(chunks), tie_rule="first-seen").merges
    assert ours == oracles.minbpe_merges(chunks, 40)


@pytest.mark.parametrize(
    ("tie_rule", "learnt"),
    [
        # As sentencepiece 0.2.3 and rustbpe learn them from the same words; neither is needed here.
        ("sentencepiece", "es est lo low ew new newest id wid widest er lower"),
        ("smallest-ids", "es est lo low ew new newest dest idest widest er lower"),
    ],
)
def test_the_handouts_words_under_rules_of_other_trainers(tie_rule: str, learnt: str) -> None:
    counts = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}
    assert b" ".join(tokens(counts, tie_rule=tie_rule)).decode() == learnt


def bounded_merges(counts: Mapping[bytes, int], tie_rule: str, longest: int) -> list[bytes]:
    """Return the tokens learnt by the definition: the most frequent of the short pairs merges."""
    vocab = [bytes([byte]) for byte in range(256)]
    words, word_counts = [list(word) for word in counts], list(counts.values())
    while True:
        pairs = {
            pair: count
            for pair, count in oracles.recount(words, word_counts).items()
            if len(vocab[pair[0]] + vocab[pair[1]]) <= longest
        }
        if not pairs:
            return vocab[256:]
        top = max(pairs.values())
        tied = {pair for pair, count in pairs.items() if count == top}
        left, right = oracles.TIE_ORACLES[tie_rule](tied, words, vocab)
        words = [oracles.replace(word, (left, right), len(vocab)) for word in words]
        vocab.append(vocab[left] + vocab[right])


@pytest.mark.parametrize(("algorithm", "tie_rule"), diagonal_quick(TRAINERS, TIE_RULES))
@examples(30)
@given(counts=oracles.corpora(max_pretokens=8, max_length=16), longest=st.integers(2, 5))
def test_the_most_frequent_of_the_short_pairs_merges(
    algorithm: str, tie_rule: str, counts: dict[bytes, int], longest: int
) -> None:
    trainer = Trainer(counts, 400, tie_rule=tie_rule, algorithm=algorithm, max_token_length=longest)
    tokens = [step.token for step in trainer.steps()]
    assert tokens == bounded_merges(counts, tie_rule, longest)


@every_trainer
def test_training_ends_where_no_pair_or_only_too_long_ones_are_left(algorithm: str) -> None:
    for counts, tokens, reason in (
        ({b"abcd": 2}, [b"cd", b"ab"], StopReason.TOO_LONG),
        ({b"ab": 2, b"": 1, b"c": 1}, [b"ab"], StopReason.NO_PAIR_LEFT),
    ):
        trainer = Trainer(counts, 300, algorithm=algorithm, max_token_length=2)
        assert [step.token for step in trainer.steps()] == tokens
        assert trainer.stop_reason is reason


def test_the_timeline_ignores_pairs_that_are_too_long() -> None:
    counts = {b"abc": 3}
    frame = Timeline(counts, Trainer(counts, 300, max_token_length=2).steps()).seek(1)
    assert (frame.queue.tied, frame.queue.pair_count) == ((), 0)
