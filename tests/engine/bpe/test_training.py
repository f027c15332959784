"""Training from a file to a vocabulary, and arguments that are refused."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import oracles
import pytest
import regex
from generated import first_quick

from engine import (
    ArgumentError,
    BpeError,
    CountProgress,
    CountsError,
    MergeStep,
    PatternError,
    SpecialTokenError,
    TextError,
    Timeline,
    TokenIdsError,
    Tokenizer,
    Trainer,
    TrainProgress,
    UnknownNameError,
    VocabSizeError,
    count_pretokens,
    train_bpe,
)
from engine.analysis.tokenizer_kinds import train_kind
from engine.bpe.phases import Phase, PhasedTrainer
from engine.bpe.replay import Replay
from engine.bpe.trainers import TRAINERS
from engine.text.patterns import PATTERNS, as_pattern
from engine.unigram.textbook import TextbookTrainer
from engine.unigram.trainer import UnigramTrainer
from engine.wordpiece.trainer import WordPieceTrainer

REPO = Path(__file__).resolve().parents[3]
HANDOUT = REPO / "samples" / "handout.txt"
STORIES = REPO / "samples" / "tinystories_valid.txt"
END = "<|endoftext|>"

HANDOUT_MERGES = "s t, e st, o w, l ow, w est, n e, ne west, w i, wi d, wid est, low e, lowe r"


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    path = tmp_path / "toy.txt"
    path.write_text("the cat in the hat")
    return path


def spelled(merges: Sequence[tuple[bytes, bytes]]) -> str:
    return ", ".join(f"{left.decode()} {right.decode()}" for left, right in merges)


@pytest.mark.parametrize("trainer", TRAINERS)
def test_the_course_handouts_example(trainer: str) -> None:
    vocab, merges = train_bpe(HANDOUT, 256 + 12, [], pattern="whitespace", trainer=trainer)
    assert spelled(merges) == HANDOUT_MERGES
    assert [vocab[token_id] for token_id in (256, 257, 267)] == [b"st", b"est", b"lower"]


def course_bpe(
    text: str, vocab_size: int, special_tokens: list[str]
) -> tuple[dict[int, bytes], list[tuple[bytes, bytes]]]:
    """Train as the assignment says: recount all pairs, take the greatest of the most frequent."""
    pattern = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
    documents = re.split("|".join(map(re.escape, special_tokens)), text)
    pretokens = (each for document in documents for each in regex.findall(pattern, document))
    counts = Counter(pretoken.encode() for pretoken in pretokens)
    merges = vocab_size - 256 - len(special_tokens)
    run = oracles.train(counts, "lexicographic", merges, special_tokens)
    return dict(enumerate(run.vocab)), run.merges


@pytest.mark.parametrize("special_tokens", first_quick([[END, "Once upon", " the"], [END]]))
def test_sample_stories_give_the_same_as_the_courses_definition(
    tmp_path: Path, special_tokens: list[str]
) -> None:
    path = tmp_path / "stories.txt"
    path.write_bytes(STORIES.read_bytes()[:10_000])
    # Longest first is the same as any order here: none begins with another.
    expected = course_bpe(path.read_text(), 400, special_tokens)
    assert train_bpe(path, 400, special_tokens) == expected


def test_the_number_of_workers_makes_no_difference(tmp_path: Path) -> None:
    path = tmp_path / "stories.txt"
    path.write_bytes(STORIES.read_bytes() * 16)
    alone = train_bpe(path, 400, [END], tie_rule="first-seen", workers=1)
    assert train_bpe(path, 400, [END], tie_rule="first-seen", workers=2) == alone


def test_callbacks_get_each_step_and_the_progress() -> None:
    steps: list[MergeStep] = []
    progress: list[CountProgress | TrainProgress] = []
    _, merges = train_bpe(HANDOUT, 268, [], on_progress=progress.append, on_step=steps.append)
    assert [(step.left, step.right) for step in steps] == merges
    assert [step.index for step in steps] == list(range(12))
    counting = [report for report in progress if isinstance(report, CountProgress)]
    size = HANDOUT.stat().st_size
    assert (counting[-1].bytes_read, counting[-1].bytes_total) == (size, size)
    assert progress[len(counting) :] == [TrainProgress(merged, 12) for merged in range(1, 13)]


class EnoughError(Exception):
    pass


@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_callback_that_raises_stops_the_work_at_once(trainer: str) -> None:
    steps: list[MergeStep] = []

    def third_step(step: MergeStep) -> None:
        steps.append(step)
        if len(steps) == 3:
            raise EnoughError

    with pytest.raises(EnoughError):
        train_bpe(HANDOUT, 300, [], trainer=trainer, on_step=third_step)
    assert len(steps) == 3


@pytest.mark.parametrize("kind", [CountProgress, TrainProgress])
def test_a_progress_callback_that_raises_stops_the_work_at_once(kind: type) -> None:
    received: list[CountProgress | TrainProgress] = []

    def stop(report: CountProgress | TrainProgress) -> None:
        received.append(report)
        if isinstance(report, kind):
            raise EnoughError

    with pytest.raises(EnoughError):
        train_bpe(HANDOUT, 300, [], on_progress=stop)
    assert [isinstance(report, kind) for report in received] == [False] * (len(received) - 1) + [
        True
    ]


def test_wrong_arguments_are_errors_before_anything_is_read(toy: Path) -> None:
    received: list[CountProgress | TrainProgress] = []
    with pytest.raises(VocabSizeError, match=r"257 is too small.* at least 258"):
        train_bpe(toy, 257, ["<s>", "<t>"], on_progress=received.append)
    with pytest.raises(SpecialTokenError, match="'<s>' is given twice"):
        train_bpe(toy, 300, ["<s>", "<s>"], on_progress=received.append)
    with pytest.raises(UnknownNameError, match="unknown tie rule 'first'; did you mean"):
        train_bpe(toy, 300, [], tie_rule="first", on_progress=received.append)
    with pytest.raises(UnknownNameError, match="unknown trainer 'hep'; did you mean 'heap'"):
        train_bpe(toy, 300, [], trainer="hep", on_progress=received.append)
    with pytest.raises(UnknownNameError, match="unknown pattern 'gpt3'; did you mean 'gpt2'"):
        train_bpe(toy, 300, [], pattern="gpt3", on_progress=received.append)
    assert received == []


def test_the_units_the_longest_token_and_the_smallest_count_are_those_asked_for() -> None:
    vocab, merges = train_bpe(
        HANDOUT, 30, [], "whitespace", units="end-of-word", max_token_length=3
    )
    assert max(len(left + right) for left, right in merges) == 3
    assert len(vocab) < 30
    assert b"</w>" in vocab.values()
    every, frequent = (train_bpe(HANDOUT, 300, min_count=least)[1] for least in (1, 6))
    assert 0 < len(frequent) < len(every)


def test_special_tokens_may_be_left_out_or_none() -> None:
    assert train_bpe(HANDOUT, 260) == train_bpe(HANDOUT, 260, None) == train_bpe(HANDOUT, 260, [])


def test_special_tokens_first_changes_ids_only() -> None:
    usual, merges = train_bpe(STORIES, 400, [END, "<pad>"])
    vocab, same_merges = train_bpe(STORIES, 400, [END, "<pad>"], specials_first=True)
    assert same_merges == merges
    moved = [vocab[token_id] for token_id in (0, 1, 2, 257)]
    assert moved == [END.encode(), b"<pad>", b"\0", b"\xff"]
    assert list(vocab) == list(range(400))
    assert [vocab[token_id] for token_id in range(258, 400)] == [usual[i] for i in range(258, 400)]
    text = f"Once upon a time{END} <pad> 你好"
    first, second = (Tokenizer(each, merges, [END, "<pad>"]) for each in (vocab, usual))
    tokens = [vocab[token_id] for token_id in first.encode(text)]
    assert tokens == [usual[token_id] for token_id in second.encode(text)]


BYTES = {byte: bytes([byte]) for byte in range(256)}
PLAIN = Tokenizer(BYTES, [], ["<s>"])
ANY: Any = None


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda: train_bpe(HANDOUT, 300, "<s>"), SpecialTokenError, "a list of texts"),
        (lambda: Trainer({}, 300, [b"<s>"]), SpecialTokenError, "is a text"),  # type: ignore[list-item]
        (lambda: train_bpe(HANDOUT, 300, [], workers=0), BpeError, "workers"),
        (lambda: PLAIN.encode_batch(["a"], 0), BpeError, "workers"),
        (lambda: list(PLAIN.encode_stream_compactly([b"a"], 0)), BpeError, "workers"),
        (lambda: WordPieceTrainer({}, 10**5000), VocabSizeError, "at most 2,147,483,647"),
        (lambda: train_kind("word", b"a", 2**63), VocabSizeError, "at most 2,147,483,647"),
        (lambda: PLAIN.encode(ANY), TextError, "NoneType"),
        (lambda: PLAIN.encode_batch("abc"), TextError, "are a list"),
        (lambda: list(PLAIN.encode_iterable([ANY])), TextError, "NoneType"),
        (lambda: PLAIN.decode(ANY), TokenIdsError, "whole numbers"),
        (lambda: PLAIN.decode("12"), TokenIdsError, "whole numbers"),  # type: ignore[arg-type]
        (lambda: as_pattern(r"(?:a|b"), PatternError, "missing . at character 7"),
        (lambda: as_pattern(r"(a|b)+"), PatternError, r"write \(\?:…\)"),
        (lambda: as_pattern(r"(?:a|aa)+$"), PatternError, "takes for ever"),
        (lambda: as_pattern(3), PatternError, "of type int"),  # type: ignore[arg-type]
        (lambda: as_pattern(re.compile(b"a")), PatternError, "a name or a regex"),  # type: ignore[arg-type]
    ],
)
def test_a_bad_argument_raises_an_error_with_a_sentence(
    call: Callable[[], object], kind: type[BpeError], said: str
) -> None:
    with pytest.raises(kind, match=said):
        call()


TOO_LARGE = [
    {"ab": 2**63 - 1},
    {"ab": 2**62, "abc": 2**62},
    {"abab": 2**62},
    {"a": 2**63},
    {"ab": 2**64 + 3, "cd": 2**64 + 4},
]
LARGEST = {"ab": 2**60 + 1, "cd": 2**60, "abcdefg": 2**58}


def trainers_of(counts: dict[str, int]) -> Iterator[Callable[[], Any]]:
    """Yield a call for each trainer that makes it for these counts."""
    in_bytes = {text.encode(): count for text, count in counts.items()}
    for algorithm in TRAINERS:
        yield partial(Trainer, in_bytes, 258, algorithm=algorithm)
    phases = Phase("gpt2", 257), Phase("none", 258)
    yield partial(PhasedTrainer, in_bytes, phases, lambda pattern: in_bytes)
    yield partial(WordPieceTrainer, in_bytes, 20)
    yield partial(UnigramTrainer, counts, 20)
    yield partial(TextbookTrainer, counts, 20)
    yield partial(Replay, PLAIN, in_bytes)


@pytest.mark.parametrize("counts", TOO_LARGE)
def test_counts_whose_sums_need_more_than_64_bits_are_refused(counts: dict[str, int]) -> None:
    for make in trainers_of(counts):
        with pytest.raises(CountsError, match=r"text of [\d,]{25,} bytes .* divide the counts"):
            make()


def test_every_trainer_takes_the_largest_counts() -> None:
    *learn, replay = (len(list(make().steps())) for make in trainers_of(LARGEST))
    assert all(learn)
    assert replay == 0  # the tokenizer has no merges


def test_a_pattern_may_be_named_typed_or_compiled() -> None:
    gpt2 = PATTERNS["gpt2"]
    assert as_pattern("gpt2") is as_pattern(gpt2) is as_pattern(gpt2.source) is gpt2
    for pattern in (
        r"(?i)[a-z]+|\s",
        re.compile(r"[a-z]+|\s", re.I),
        regex.compile(r"(?i)[a-z]+|\s"),
    ):
        assert as_pattern(pattern).split("Low lower") == ["Low", " ", "lower"]
        assert count_pretokens(HANDOUT, pattern=pattern)[b"low"] == 5
        assert Tokenizer(BYTES, [], pattern=pattern).encode("a b") == [97, 32, 98]


def test_objects_describe_themselves() -> None:
    trainer = Trainer({b"low": 5}, 258)
    timeline = Timeline({b"low": 5}, trainer.steps())
    name = trainer.algorithm.name
    assert repr(trainer) == f"Trainer({name}, lexicographic ties, 2 of 2 merges)"
    assert repr(timeline) == "Timeline(step 0 of 2)"
    assert repr(timeline.record[0]) == "<MergeStep 0: b'o' + b'w' → 256, count 5>"
    assert repr(timeline.seek(1)) == "Frame(step 1 of 2, 10 tokens in the corpus)"
    assert repr(PLAIN) == "Tokenizer(257 tokens, 0 merges, special '<s>', pattern gpt2)"


def test_an_algorithm_has_two_names_of_the_same_argument() -> None:
    for name in TRAINERS:
        by_trainer = Trainer({b"low": 5}, 258, trainer=name)
        assert by_trainer.algorithm is Trainer({b"low": 5}, 258, algorithm=name).algorithm
        assert train_bpe(HANDOUT, 260, algorithm=name) == train_bpe(HANDOUT, 260, trainer=name)
    with pytest.raises(ArgumentError, match="mean the same"):
        train_bpe(HANDOUT, 260, trainer="heap", algorithm="naive")
