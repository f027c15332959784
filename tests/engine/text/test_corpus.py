"""A corpus, and the excerpt of it that is shown."""

import bz2
import gzip
import io
import lzma
import os
import random
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from threading import Thread

import pytest
from chunk_texts import CORPORA, SPECIALS, is_text
from generated import examples
from hypothesis import given
from hypothesis import strategies as st

from engine import CorpusError
from engine.text.corpus import BLOCK, HEAD, Corpus, Reading, read_blocks, without_mark
from engine.text.excerpt import LONGEST_LINE, LONGEST_SHOWN, Excerpt
from engine.text.patterns import PATTERNS
from engine.text.pretokenize import Chunk, SpecialSplitter, pretokens, to_text
from engine.text.sources import PACKED_BLOCK, Stream, packing_of, unpacked

WORDS = b"low lower lowest "


def chunks_of(source: Corpus | Path, size: int = 1000) -> Iterator[Chunk]:
    corpus = source if isinstance(source, Corpus) else Corpus(source)
    return corpus.chunks(PATTERNS["gpt2"], SpecialSplitter(["<s>"]), size)


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@examples(30)
@given(
    data=st.binary(min_size=1).filter(is_text),
    repeats=st.integers(1, 3000),
    size=st.integers(1, 64),
)
def test_the_chunks_joined_are_the_file_gzipped_or_not(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, repeats: int, size: int
) -> None:
    data *= repeats
    place = tmp_path_factory.mktemp("corpus")
    plain = write(place / "plain.txt", data)
    zipped = write(place / "zipped.txt.gz", gzip.compress(data, 1))
    for path in (plain, zipped):
        assert b"".join(chunk.data for chunk in chunks_of(path, size)) == data


@pytest.mark.parametrize(
    ("suffix", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)]
)
def test_bytes_read_of_a_packed_file_are_packed_bytes_and_grow_in_small_blocks(
    suffix: str, pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    packed = write(tmp_path / f"a.txt.{suffix}", pack(random.Random(0).randbytes(300_000)))
    corpus = Corpus(packed)
    read = [chunk.bytes_read for chunk in chunks_of(corpus)]
    assert read == sorted(read)
    # bzip2 unpacks nothing before it has read a block of 900,000 bytes, or all.
    assert suffix == "bz2" or len(set(read)) > 3
    assert read[-1] == corpus.reader.total == packed.stat().st_size


def test_few_packed_bytes_are_read_at_once_whatever_the_unpacker_asks_for() -> None:
    noise = random.Random(0).randbytes(300_000)
    stream = Stream(io.BytesIO(gzip.compress(noise)))
    taken = [stream.taken for _ in unpacked("a.gz", stream, packing_of("a.gz", stream.head))]
    assert max(after - before for before, after in pairwise(taken)) <= BLOCK + PACKED_BLOCK
    assert len(stream.read(1 << 17)) <= PACKED_BLOCK
    assert stream.read(0) == b""
    assert len(set(taken)) > 3
    asked = Stream(io.BytesIO(noise))
    asked.most = PACKED_BLOCK
    read = [len(block) for block in iter(lambda: asked.read(1 << 17), b"")]
    assert sum(read) == len(noise)
    assert max(read) == PACKED_BLOCK


def test_the_head_is_the_beginning_of_the_text(tmp_path: Path) -> None:
    text = random.Random(0).randbytes(HEAD + 100_000)
    long = Corpus(write(tmp_path / "long.txt", text))
    short = Corpus(write(tmp_path / "short.txt.gz", gzip.compress(b"low low")))
    for corpus in (long, short):
        assert corpus.head == b""
        assert list(chunks_of(corpus))
    assert (long.head, long.head_is_all) == (text[:HEAD], False)
    assert (short.head, short.head_is_all) == (b"low low", True)


def test_a_byte_order_mark_is_left_out_of_each_file_and_kept_where_text_is_encoded(
    tmp_path: Path,
) -> None:
    marked = "\ufefflow".encode()
    (tmp_path / "a.txt").write_bytes(marked)
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(marked))
    names = str(tmp_path / "a.txt"), str(tmp_path / "b.txt.gz")
    reading = Reading(more=names[1:])
    corpus = Corpus(names[0], reading)
    assert b"".join(chunk.data for chunk in chunks_of(corpus)) == b"low\nlow"
    assert corpus.head == b"low\nlow"
    assert all(b"".join(read_blocks(name)) == marked for name in names)
    assert list(without_mark([b"low", b"er"])) == [b"low", b"er"]


def test_a_text_of_exactly_the_head_size_is_complete(tmp_path: Path) -> None:
    corpus = Corpus(write(tmp_path / "a.txt", b"x" * HEAD))
    assert list(chunks_of(corpus))
    assert (len(corpus.head), corpus.head_is_all) == (HEAD, True)


def test_a_file_is_read_only_as_far_as_its_chunks_are_taken(tmp_path: Path) -> None:
    chunks = chunks_of(write(tmp_path / "a.txt", WORDS * 100_000))
    assert next(chunks).bytes_read == BLOCK


def test_a_pipe_can_be_a_corpus_of_unknown_size(tmp_path: Path) -> None:
    read_end, write_end = os.pipe()
    os.write(write_end, WORDS)
    os.close(write_end)
    corpus = Corpus(f"/dev/fd/{read_end}")
    try:
        assert corpus.reader.total is None
        assert [chunk.data for chunk in chunks_of(corpus)] == [WORDS]
    finally:
        os.close(read_end)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/random"])
def test_a_device_is_no_corpus(device: str) -> None:
    with pytest.raises(CorpusError, match=f"{device}: is a device"):
        Corpus(device)


def test_a_minus_sign_means_standard_input() -> None:
    corpus = Corpus("-")
    assert (corpus.name, corpus.paths, corpus.reader.total) == ("standard input", None, None)
    assert [each.is_read_once for each in (corpus, Corpus(__file__))] == [True, False]


class TestErrors:
    """Each error names the file and the reason or the remedy."""

    @pytest.mark.parametrize(
        ("name", "problem"),
        [
            ("missing.txt", r"missing\.txt: no such file"),
            ("folder", "is empty; there is no file in it"),
            ("a.txt/b.txt", r"a\.txt/b\.txt: cannot be opened"),
            ("a\0b", "cannot be opened"),
            ("a" * 5000, "cannot be opened"),
            ("empty.txt", r"empty\.txt: is empty"),
            ("empty.gz", r"empty\.gz: is empty"),
        ],
    )
    def test_a_path_that_is_no_corpus(self, tmp_path: Path, name: str, problem: str) -> None:
        (tmp_path / "folder").mkdir()
        for file, content in (("a.txt", WORDS), ("empty.txt", b""), ("empty.gz", b"")):
            write(tmp_path / file, content)
        with pytest.raises(CorpusError, match=problem):
            Corpus(tmp_path / name)

    @pytest.mark.skipif(
        getattr(os, "geteuid", lambda: 1)() == 0, reason="root has permission to read everything"
    )
    def test_no_permission(self, tmp_path: Path) -> None:
        path = write(tmp_path / "secret.txt", WORDS)
        path.chmod(0)
        with pytest.raises(CorpusError, match=r"secret\.txt: no permission"):
            Corpus(path)

    def test_a_file_that_shrinks_while_it_is_read(self, tmp_path: Path) -> None:
        path = write(tmp_path / "log.txt", b"x y " * 100_000)
        chunks = chunks_of(path)
        next(chunks)
        os.truncate(path, 200_000)
        with pytest.raises(CorpusError, match=r"after 200,000 of 400,000 bytes; it was cut short"):
            list(chunks)

    def test_a_file_that_grows_or_is_replaced_while_it_is_read(self, tmp_path: Path) -> None:
        grows = write(tmp_path / "log.txt", b"x y " * 100_000)
        chunks = chunks_of(grows)
        next(chunks)
        with grows.open("ab") as log:
            log.write(b"z")
        with pytest.raises(CorpusError, match=r"log\.txt: was changed while being read"):
            list(chunks)
        chunks = chunks_of(grows)
        next(chunks)
        write(tmp_path / "other.txt", b"x y " * 100_000 + b"z").replace(grows)
        with pytest.raises(CorpusError, match=r"log\.txt: was changed while being read"):
            list(chunks)

    @pytest.mark.unix
    def test_a_pipe_that_is_written_while_it_is_read_is_not_a_changed_file(
        self, tmp_path: Path
    ) -> None:
        os.mkfifo(tmp_path / "pipe")

        def write_slowly() -> None:
            with (tmp_path / "pipe").open("wb", buffering=0) as pipe:
                for _ in range(5):
                    pipe.write(b"low ")
                    time.sleep(0.01)

        writer = Thread(target=write_slowly)
        writer.start()
        assert b"".join(chunk.data for chunk in chunks_of(tmp_path / "pipe")) == b"low " * 5
        writer.join()

    def test_a_file_that_is_gone_when_it_is_read(self, tmp_path: Path) -> None:
        corpus = Corpus(write(tmp_path / "a.txt", WORDS))
        (tmp_path / "a.txt").unlink()
        with pytest.raises(CorpusError, match=r"a\.txt: cannot be read: No such file"):
            list(chunks_of(corpus))


def lines_of(excerpt: Excerpt) -> list[list[str]]:
    return [[pretoken.text for pretoken in line] for line in excerpt.lines]


def test_a_special_token_has_a_line_of_its_own() -> None:
    excerpt = Excerpt.of(b"one<s>two<s><s>\n", special_tokens=["<s>"])
    assert lines_of(excerpt) == [["one"], ["<s>"], ["two"], ["<s>"], ["<s>"], ["\n"]]


def test_a_long_line_is_continued_on_the_next() -> None:
    excerpt = Excerpt.of(b" low" * (2 * LONGEST_LINE + 1))
    assert list(map(len, excerpt.lines)) == [LONGEST_LINE, LONGEST_LINE, 1]


def test_of_a_long_pretoken_only_the_beginning_is_shown() -> None:
    shown, longer = b"a" * LONGEST_SHOWN, b"a" * (LONGEST_SHOWN + 3)
    whole, excerpt = Excerpt.of(shown + b"\nb"), Excerpt.of(longer + b"\nb")
    assert (whole.complete, excerpt.complete) == (True, False)
    assert whole.lines[0][0].is_cut_off is False
    assert lines_of(excerpt) == lines_of(whole)
    cut, newline = excerpt.lines[0]
    assert (cut.is_cut_off, cut.start, cut.end) == (True, 0, len(longer))
    assert (newline.start, newline.end, newline.is_cut_off) == (len(longer), len(longer) + 1, False)
    assert excerpt.first_lines == {shown: 0, b"\n": 0, b"b": 1}
    assert excerpt.lines_with(longer) == [0]


@pytest.mark.parametrize("pattern", PATTERNS)
@examples(50)
@given(data=CORPORA, special_tokens=SPECIALS)
def test_the_lines_joined_are_the_pretokens_of_the_text(
    pattern: str, data: bytes, special_tokens: list[str]
) -> None:
    excerpt = Excerpt.of(data, pattern, special_tokens)
    joined = [pretoken for line in excerpt.lines for pretoken in line]
    text = to_text(data)
    cut = pretokens(text, PATTERNS[pattern], SpecialSplitter(special_tokens))
    assert joined == [each._replace(alternative=None) for each in cut]
    assert all(excerpt.lines)
    for line in excerpt.lines:
        assert not any("\n" in pretoken.text for pretoken in line[:-1])


def test_the_first_line_of_each_pretoken_is_known() -> None:
    excerpt = Excerpt.of(b"low\nlower\nlow<s>low\n", special_tokens=["<s>"])
    assert excerpt.first_lines == {b"low": 0, b"\n": 0, b"lower": 1}
    assert excerpt.lines_with(b"low") == [0, 2, 4]
    assert (excerpt.complete, Excerpt.of(b"", complete=False).complete) == (True, False)
    assert not Excerpt.of(b"").lines


@pytest.mark.parametrize(
    ("corpus", "sentence"),
    [
        ("low low lower\nnewest", "low low lower"),
        ("\n  A cat sat. It slept.\n", "A cat sat."),
        ("pi is 3.14 here. So.", "pi is 3.14 here."),
        ("a\tb\n---\n\u200fx\nfine", "fine"),
        ("ab " * 100, ("ab " * 26).strip()),
        ("a" * 200, "a" * 80),
        (" " * 317 + "ab cd.", "ab"),
        ("<|endoftext|>hen", "hen"),
        ("", ""),
    ],
)
def test_the_first_sentence_fits_on_one_line_unchanged(corpus: str, sentence: str) -> None:
    excerpt = Excerpt.of(corpus.encode(), special_tokens=["<|endoftext|>"])
    assert excerpt.first_sentence == sentence
