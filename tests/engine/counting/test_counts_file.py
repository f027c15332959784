"""A counts file replaces its corpus: equal counts, equal merges; damage is an error."""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from random import Random

import numpy as np
import pytest

from engine import CorpusError, OutputError, check, count_pretokens, train_bpe
from engine.core.events import CountProgress
from engine.counting import counts_file
from engine.counting.count import count_corpus
from engine.counting.counts_file import (
    CountsMetadata,
    CountsReader,
    counts_of,
    packed_block,
    packed_blocks,
    written,
)
from engine.pipeline.added_tokens import AddedToken, SectionSplitter
from engine.pipeline.normalizers import NFC
from engine.text.corpus import Corpus
from engine.text.patterns import as_pattern

SPECIAL = ("<|endoftext|>",)
TEXT = "low low lower<|endoftext|>new 中文 newest\n".encode() * 40 + b"\xff end"


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_bytes(TEXT)
    return path


@pytest.fixture
def counts(tmp_path: Path, text: Path) -> Path:
    corpus = Corpus(text)
    count = count_corpus(corpus, "gpt2", SPECIAL)
    path = tmp_path / "corpus.counts"
    path.write_bytes(b"".join(counts_of(corpus, count, "gpt2", SPECIAL, len(TEXT))))
    return path


@contextmanager
def refused(match: str) -> Iterator[None]:
    with pytest.raises(CorpusError, match=match):
        yield


def test_counts_documents_and_head_are_those_of_the_text(text: Path, counts: Path) -> None:
    of_text, of_counts = Corpus(text), Corpus(counts)
    progress: list[CountProgress] = []
    expected = count_corpus(of_text, "gpt2", SPECIAL)
    found = count_corpus(of_counts, "gpt2", SPECIAL, on_progress=progress.append)
    distinct, occurrences = len(expected.counts), expected.counts.total()
    assert progress == [CountProgress(len(TEXT), len(TEXT), 41, occurrences, distinct)]
    assert list(found.counts.items()) == list(expected.counts.items())
    assert found.documents == expected.documents
    assert (of_counts.head, of_counts.head_is_all) == (of_text.head, of_text.head_is_all)


def test_merges_and_verdicts_are_those_of_the_text(text: Path, counts: Path) -> None:
    trained = train_bpe(text, 300, SPECIAL)
    assert train_bpe(counts, 300, SPECIAL) == trained
    merges = trained[1]
    assert check(None, merges, counts, special_tokens=SPECIAL).agrees
    merges[0], merges[1] = merges[1], merges[0]
    report = check(None, merges, counts, special_tokens=SPECIAL)
    assert report.divergence is not None
    assert "No cause was looked for" in " ".join(report.describe())


def test_a_block_ends_with_the_pretoken_that_fills_it(
    text: Path, counts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counts_file, "IN_A_BLOCK", 3)
    monkeypatch.setattr(counts_file, "BLOCK_BYTES", 7)
    blocks = [[b"a", b"b", b"c"], [b"1234567"], [b"d", b"123456"], [b"12345", b"e"]]
    entries = [(pretoken, number) for block in blocks for number, pretoken in enumerate(block, 1)]
    metadata = CountsMetadata("c", 1, 1, 8, "x", (), True)
    data = b"".join(written(metadata, b"", packed_blocks(entries)))
    assert [list(block.items()) for block in CountsReader("c", io.BytesIO(data)).blocks()] == [
        [(pretoken, number) for number, pretoken in enumerate(block, 1)] for block in blocks
    ]
    progress: list[CountProgress] = []
    counted = count_corpus(Corpus(text), "gpt2", SPECIAL)
    counts.write_bytes(b"".join(counts_of(Corpus(text), counted, "gpt2", SPECIAL, 1000)))
    count_corpus(Corpus(counts), "gpt2", SPECIAL, on_progress=progress.append)
    assert progress == [
        CountProgress(1000 * distinct // 9, 1000, 41, pretokens, distinct)
        for pretokens, distinct in ((80, 2), (160, 4), (200, 5), (240, 6), (282, 9))
    ]


@pytest.mark.parametrize("place", [*range(20, 60, 7), -1, -30, -200])
def test_a_flipped_bit_anywhere_is_damage(counts: Path, place: int) -> None:
    data = bytearray(counts.read_bytes())
    data[place] ^= 1
    counts.write_bytes(data)
    with refused("corpus.counts: damaged counts file"):
        count_pretokens(counts, special_tokens=SPECIAL)


@pytest.mark.parametrize("kept", [18, 30, 100, -1])
def test_a_file_that_is_cut_or_too_long_is_damage(counts: Path, kept: int) -> None:
    data = counts.read_bytes()
    for damaged in (data[:kept], data + b"x"):
        counts.write_bytes(damaged)
        with refused("damaged"):
            count_pretokens(counts, special_tokens=SPECIAL)


@pytest.mark.parametrize(
    ("entries", "distinct"),
    [
        ([(b"a", 0)], 1),
        ([(b"a", -1)], 1),
        ([(b"", 1)], 1),
        ([(b"a", 1), (b"a", 1)], 2),
        ([(b"a", 1), (b"a", 1)], 1),
        ([(b"a", 1)], 2),
        ([(b"aa", 1 << 59), (b"b", 1)], 2),
    ],
)
def test_impossible_counts_are_damage(
    entries: list[tuple[bytes, int]], distinct: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = CountsMetadata("c", 1, 1, distinct, "x", (), True)
    for room in (9, 1):  # also with each pretoken in a block of its own
        monkeypatch.setattr(counts_file, "IN_A_BLOCK", room)
        data = b"".join(written(about, b"", packed_blocks(entries)))
        with refused("damaged"):
            CountsReader("c", io.BytesIO(data)).counts()


@pytest.mark.parametrize("name", ["bytes", "documents", "distinct"])
def test_numbers_of_a_text_are_bounded(name: str) -> None:
    for number, match in ((1 << 60, "after the text"), ((1 << 60) + 1, "damaged")):
        about = CountsMetadata("c", 1, 1, 1, "x", (), True)
        with refused(match):
            CountsReader(
                "c", with_sections(json.dumps({**asdict(about), name: number}).encode(), b"")
            )
            raise CorpusError("after the text")
    largest = written(about, b"", packed_blocks([(b"aa", 1 << 59)]))
    assert CountsReader("c", io.BytesIO(b"".join(largest))).counts() == {b"aa": 1 << 59}


def test_a_section_of_any_announced_size_is_damage(counts: Path) -> None:
    """Neither are so many bytes read, nor does their sum pass for a small number."""
    with refused("damaged"):
        counts.write_bytes(b"bpe-tui pretokens 1\n" + counts_file._SECTION.pack(1 << 62, bytes(16)))
        count_pretokens(counts, special_tokens=SPECIAL)
    columns = np.array([3, 2**63 - 1, 2**63 - 1, 3, 1, 1, 1], "<i8")  # number, lengths, counts
    with pytest.raises(ValueError, match="do not fit"):
        counts_file.unpacked_block(columns.tobytes() + b"x")
    with pytest.raises(ValueError, match="too short"):
        counts_file.unpacked_block(b"\xff" * 16)  # of 2⁶⁴ - 1 pretokens


def with_sections(*contents: bytes) -> io.BytesIO:
    """A file with these sections, each with its right digest."""
    data, digest = b"bpe-tui pretokens 1\n", b""
    for packed in map(zlib.compress, contents):
        digest = counts_file._digest(packed, digest)
        data += counts_file._SECTION.pack(len(packed), digest) + packed
    return io.BytesIO(data)


def test_a_section_that_unpacks_to_too_much_is_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    number = counts_file.IN_A_BLOCK + 1
    metadata = json.dumps(asdict(CountsMetadata("c", 1, 1, number, "x", (), True))).encode()
    many = counts_file.packed_block([b"%d" % n for n in range(number)], [1] * number)
    with refused("damaged"):
        CountsReader("c", with_sections(metadata, b"", many)).counts()
    spaces = b" " * counts_file.LARGEST_METADATA
    CountsReader("c", with_sections(metadata + spaces[len(metadata) :], b""))
    with refused("damaged"):
        CountsReader("c", with_sections(metadata + spaces, b""))
    monkeypatch.setattr(counts_file, "LARGEST_SECTION", len(zlib.compress(metadata)))
    CountsReader("c", with_sections(metadata, b""))
    monkeypatch.setattr(counts_file, "LARGEST_SECTION", 1000)
    with refused("damaged"):
        CountsReader("c", with_sections(metadata, b"x" * 5000))
    about = CountsMetadata("c", 1, 1, 1, "x", (), True)
    assert len([*written(about, b"", packed_blocks([(b"a" * 976, 1)]))]) == 4
    for pretoken in (b"a" * 977, Random(1).randbytes(976)):  # zlib makes that longer
        with pytest.raises(OutputError, match=r"a pretoken of 1,00[01] bytes is too long"):
            list(written(about, b"", packed_blocks([(pretoken, 1)])))
    size = len(json.dumps(asdict(about), separators=(",", ":")))
    monkeypatch.setattr(counts_file, "LARGEST_METADATA", size)
    assert len([*written(about, b"", ())]) == 3
    monkeypatch.setattr(counts_file, "LARGEST_METADATA", size - 1)
    with pytest.raises(OutputError, match=rf"special tokens and pattern of {size} bytes are too l"):
        list(written(about, b"", ()))


@pytest.mark.parametrize(
    "metadata", [b"[" * 100_000, b'{"a":' * 5000, b"9" * 5000, b"null", b"\xff"]
)
def test_metadata_without_the_number_of_counts_is_damage(metadata: bytes) -> None:
    with refused("damaged"):
        CountsReader("c", with_sections(metadata))


def test_two_more_sections_of_version_2_are_skipped(counts: Path) -> None:
    expected = count_pretokens(counts, special_tokens=SPECIAL)
    metadata = CountsMetadata("c", 1, 1, len(expected), as_pattern("gpt2").source, SPECIAL, True)
    block = packed_block([*expected], [*expected.values()])
    file = with_sections(json.dumps(asdict(metadata)).encode(), b"", b"", b"", block)
    counts.write_bytes(file.getvalue().replace(b"pretokens 1", b"pretokens 2", 1))
    assert count_pretokens(counts, special_tokens=SPECIAL) == expected


def test_another_version_pattern_or_special_token_is_an_error(counts: Path) -> None:
    with refused("another pattern, gpt2"):
        count_pretokens(counts, "cl100k", SPECIAL)
    with refused(r"other special tokens \(<\|endoftext\|>\)"):
        count_pretokens(counts)
    counts.write_bytes(counts.read_bytes().replace(b"pretokens 1", b"pretokens 3", 1))
    with refused("of another version"):
        count_pretokens(counts, special_tokens=SPECIAL)


def test_counts_are_not_those_of_a_tokenizer_that_changes_the_text(counts: Path) -> None:
    splitters = [
        SectionSplitter([AddedToken(SPECIAL[0])], normalizer, None) for normalizer in (None, NFC())
    ]
    assert count_corpus(Corpus(counts), "gpt2", SPECIAL, splitter=splitters[0]).documents == 41
    with refused("this tokenizer cuts a text in its own way; open it over the text itself"):
        count_corpus(Corpus(counts), "gpt2", SPECIAL, splitter=splitters[1])


def test_a_counts_file_is_not_read_as_text(counts: Path, text: Path) -> None:
    corpus = Corpus(counts)
    with refused("holds the counts of a corpus, and no text"):
        corpus.read_head()
    folder = Corpus(counts.parent)
    with refused("corpus.counts: holds the counts"):
        count_corpus(folder)
