"""`train_bpe`: a file in, a vocab and its merges out, as Stanford's CS336 defines them."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
import regex
from generated import first_quick

from engine import (
    CorpusError,
    CountProgress,
    MergeStep,
    SpecialTokenError,
    Tokenizer,
    TrainProgress,
    UnknownNameError,
    VocabSizeError,
    train_bpe,
)
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainers import TRAINERS

REPO = Path(__file__).resolve().parents[3]
HANDOUT = REPO / "samples" / "handout.txt"
STORIES = REPO / "samples" / "tinystories_valid.txt"
REAL_STORIES = REPO.parent / "shared" / "data" / "ts-real.txt"
END = "<|endoftext|>"

HANDOUT_MERGES = "s t, e st, o w, l ow, w est, n e, ne west, w i, wi d, wid est, low e, lowe r"


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    path = tmp_path / "toy.txt"
    path.write_text("the cat in the hat")
    return path


def spelled(merges: Sequence[tuple[bytes, bytes]]) -> str:
    return ", ".join(f"{left.decode()} {right.decode()}" for left, right in merges)


# -- golden examples


@pytest.mark.parametrize("trainer", TRAINERS)
def test_the_course_handouts_example(trainer: str) -> None:
    vocab, merges = train_bpe(HANDOUT, 256 + 12, [], pattern="whitespace", trainer=trainer)
    assert spelled(merges) == HANDOUT_MERGES
    assert [vocab[token_id] for token_id in (256, 257, 267)] == [b"st", b"est", b"lower"]


@pytest.mark.parametrize("trainer", TRAINERS)
def test_the_lectures_toy(toy: Path, trainer: str) -> None:
    vocab, merges = train_bpe(toy, 259, [], pattern="none", tie_rule="first-seen", trainer=trainer)
    assert [vocab[token_id] for token_id in (256, 257, 258)] == [b"th", b"the", b"the "]
    ids = Tokenizer(vocab, merges, pattern="none").encode("the quick brown fox")
    expected = "258 113 117 105 99 107 32 98 114 111 119 110 32 102 111 120"
    assert " ".join(map(str, ids)) == expected


def test_with_six_merges_the_handouts_newest_is_ne_and_west() -> None:
    vocab, merges = train_bpe(HANDOUT, 256 + 6, [], pattern="whitespace")
    tok = Tokenizer(vocab, merges, pattern="whitespace")
    assert [vocab[token_id] for token_id in tok.encode("newest")] == [b"ne", b"west"]


# -- equal to the course's definition


def course_bpe(
    text: str, vocab_size: int, special_tokens: list[str]
) -> tuple[dict[int, bytes], list[tuple[bytes, bytes]]]:
    """Train as the assignment says: recount all pairs, take the greatest of the most frequent."""
    pattern = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
    documents = re.split("|".join(map(re.escape, special_tokens)), text)
    words = Counter(
        tuple(bytes([byte]) for byte in pretoken.encode())
        for document in documents
        for pretoken in regex.findall(pattern, document)
    )
    vocab = {byte: bytes([byte]) for byte in range(256)}
    for token in special_tokens:
        vocab[len(vocab)] = token.encode()
    merges: list[tuple[bytes, bytes]] = []
    while len(vocab) < vocab_size:
        pairs: Counter[tuple[bytes, bytes]] = Counter()
        for word, count in words.items():
            for pair in pairwise(word):
                pairs[pair] += count
        if not pairs:
            break
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(best)
        vocab[len(vocab)] = best[0] + best[1]
        merged_words: Counter[tuple[bytes, ...]] = Counter()
        for word, count in words.items():
            merged_words[merged(word, best)] += count
        words = merged_words
    return vocab, merges


def merged(word: tuple[bytes, ...], pair: tuple[bytes, bytes]) -> tuple[bytes, ...]:
    result: list[bytes] = []
    at = 0
    while at < len(word):
        if word[at : at + 2] == pair:
            result.append(word[at] + word[at + 1])
            at += 2
        else:
            result.append(word[at])
            at += 1
    return tuple(result)


@pytest.mark.slow  # the course's definition counts all pairs anew for each merge
def test_real_stories_give_the_same_as_the_courses_definition(tmp_path: Path) -> None:
    if not REAL_STORIES.exists():
        pytest.skip(f"{REAL_STORIES} is not there")
    path = tmp_path / "stories.txt"
    path.write_bytes(REAL_STORIES.read_bytes()[:100_000])
    text = path.read_text(errors="surrogateescape")
    assert train_bpe(path, 700, [END]) == course_bpe(text, 700, [END])


@pytest.mark.parametrize("special_tokens", first_quick([[END, "Once upon", " the"], [END]]))
def test_sample_stories_give_the_same_as_the_courses_definition(
    tmp_path: Path, special_tokens: list[str]
) -> None:
    path = tmp_path / "stories.txt"
    path.write_bytes(STORIES.read_bytes()[:10_000])
    # Longest first is the same as any order here: none begins with another.
    expected = course_bpe(path.read_text(), 400, special_tokens)
    assert train_bpe(path, 400, special_tokens) == expected


# -- results


def test_ids_go_to_the_bytes_then_to_the_special_tokens_then_to_the_merges(toy: Path) -> None:
    vocab, merges = train_bpe(toy, 260, ["<t>", "<s>"])
    assert [vocab[byte] for byte in range(256)] == [bytes([byte]) for byte in range(256)]
    assert (vocab[256], vocab[257]) == (b"<t>", b"<s>")
    assert [vocab[258], vocab[259]] == [left + right for left, right in merges]
    assert list(vocab) == list(range(260))


def test_training_ends_when_no_pair_is_left(toy: Path) -> None:
    vocab, merges = train_bpe(toy, 100_000, [])
    assert len(vocab) == 256 + len(merges) < 300
    tok = Tokenizer(vocab, merges)
    assert len(tok.encode("the cat in the hat")) == 5


def test_training_ends_when_no_pair_is_frequent_enough(toy: Path) -> None:
    _, merges = train_bpe(toy, 100_000, [], min_count=2)
    assert spelled(merges) == "t h, th e, a t"


def test_a_vocab_of_just_bytes_and_special_tokens_has_no_merges(toy: Path) -> None:
    vocab, merges = train_bpe(toy, 257, ["<s>"])
    assert (len(vocab), merges) == (257, [])


def test_special_tokens_never_merge(tmp_path: Path) -> None:
    path = tmp_path / "specials.txt"
    path.write_text("<s>ab<s>" * 100 + "<s>")
    _, merges = train_bpe(path, 1000, ["<s>"])
    assert merges == [(b"a", b"b")]


def test_a_corpus_of_special_tokens_only_has_no_merges(tmp_path: Path) -> None:
    path = tmp_path / "specials.txt"
    path.write_text("<s>" * 100)
    assert train_bpe(path, 1000, ["<s>"])[1] == []


@pytest.mark.parametrize("tie_rule", TIE_RULES)
def test_every_trainer_gives_the_same(tie_rule: str) -> None:
    results = [
        train_bpe(HANDOUT, 290, [], tie_rule=tie_rule, trainer=trainer) for trainer in TRAINERS
    ]
    assert all(result == results[0] for result in results)


def test_the_number_of_workers_makes_no_difference(tmp_path: Path) -> None:
    path = tmp_path / "stories.txt"
    path.write_bytes(STORIES.read_bytes() * 16)
    alone = train_bpe(path, 400, [END], tie_rule="first-seen", workers=1)
    assert train_bpe(path, 400, [END], tie_rule="first-seen", workers=2) == alone


def test_a_gzipped_corpus_gives_the_same(tmp_path: Path) -> None:
    path = tmp_path / "handout.txt.gz"
    path.write_bytes(gzip.compress(HANDOUT.read_bytes()))
    assert train_bpe(path, 280, []) == train_bpe(HANDOUT, 280, [])


def test_standard_input_gives_the_same() -> None:
    code = "from engine import train_bpe; print(train_bpe('-', 280, [])[1])"
    with HANDOUT.open("rb") as stream:
        run = subprocess.run(
            [sys.executable, "-c", code], cwd=REPO, stdin=stream, capture_output=True, text=True
        )
    assert run.stdout.strip() == str(train_bpe(HANDOUT, 280, [])[1]), run.stderr


# -- callbacks


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


# -- errors


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


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no such file"):
        train_bpe(tmp_path / "missing.txt", 300, [])


# -- as courses call it


def test_special_tokens_may_be_left_out_or_none() -> None:
    assert train_bpe(HANDOUT, 260) == train_bpe(HANDOUT, 260, None) == train_bpe(HANDOUT, 260, [])


def test_special_tokens_first_changes_ids_only() -> None:
    usual, merges = train_bpe(STORIES, 400, [END, "<pad>"])
    vocab, same_merges = train_bpe(STORIES, 400, [END, "<pad>"], specials_first=True)
    assert same_merges == merges
    assert [vocab[token_id] for token_id in (0, 1, 2, 257)] == [
        END.encode(),
        b"<pad>",
        b"\0",
        b"\xff",
    ]
    assert list(vocab) == list(range(400))
    assert [vocab[token_id] for token_id in range(258, 400)] == [usual[i] for i in range(258, 400)]
    text = f"Once upon a time{END} <pad> 你好"
    first, second = (Tokenizer(each, merges, [END, "<pad>"]) for each in (vocab, usual))
    tokens = [vocab[token_id] for token_id in first.encode(text)]
    assert tokens == [usual[token_id] for token_id in second.encode(text)]
