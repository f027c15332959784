"""A corpus may be several files, compressed, or in records; errors name bad input."""

import bz2
import gzip
import io
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from engine import CorpusError
from engine.counting.count import count_corpus, count_text
from engine.text import corpus, sources
from engine.text.corpus import Corpus, Reading, read_blocks, separator_of
from engine.text.corpus_doubts import doubts_about
from engine.text.patterns import PATTERNS
from engine.text.pretokenize import SpecialSplitter

zstandard = pytest.importorskip("zstandard")
pack_zstd: Callable[[bytes], bytes] = lambda data: zstandard.ZstdCompressor().compress(data)  # noqa: E731
PACKERS = {".txt": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
PACKERS[".zst"] = pack_zstd
TEXT = b"low lower lowest " * 20_000


def text_of(source: object, reading: Reading = Reading(), *specials: str) -> bytes:  # noqa: B008
    corpus = Corpus(str(source), reading, separator_of(specials))
    chunks = corpus.chunks(PATTERNS["gpt2"], SpecialSplitter(specials))
    return b"".join(chunk.data for chunk in chunks)


@pytest.mark.parametrize("suffix", list(PACKERS))
def test_a_packed_file_is_unpacked_under_any_name(tmp_path: Path, suffix: str) -> None:
    packed = PACKERS[suffix](TEXT) + PACKERS[suffix](b"end")  # two members, as `cat` makes them
    for name in ("a" + suffix, "nameless"):
        (tmp_path / name).write_bytes(packed)
        assert text_of(tmp_path / name) == TEXT + b"end"


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_a_packed_file_that_becomes_far_too_large_is_refused_unless_it_may(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, text = tmp_path / f"bomb{suffix}", b"low " * 200_000
    path.write_bytes(PACKERS[suffix](text))
    assert text_of(path) == text  # any file may become a little
    monkeypatch.setattr(corpus, "ALWAYS_UNPACKED", 1 << 16)
    most = max(corpus.MOST_GROWTH * path.stat().st_size, 1 << 16)
    assert most < len(text)
    with pytest.raises(CorpusError, match=rf"unpacks to more than {most:,} bytes; .*--max-bytes N"):
        text_of(path)
    assert text_of(path, Reading(max_bytes=len(text))) == text
    with pytest.raises(CorpusError, match="unpacks to more than 799,999 bytes"):
        text_of(path, Reading(max_bytes=len(text) - 1))
    path.write_bytes(PACKERS[suffix](bytes(range(256)) * 400))
    monkeypatch.setattr(corpus, "MOST_GROWTH", 10**6)
    assert len(b"".join(read_blocks(path))) == 102_400
    (tmp_path / "plain").write_bytes(text)  # no packed file: its size is on the disk
    assert text_of(tmp_path / "plain", Reading(max_bytes=9)) == text


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
@pytest.mark.parametrize("kept", [3, 0.5, 0.95])
def test_a_packed_file_cut_short_is_damaged(tmp_path: Path, suffix: str, kept: float) -> None:
    packed = PACKERS[suffix](bytes(range(256)) * 2000)
    path = tmp_path / f"cut{suffix}"
    for content in (
        packed[: kept if isinstance(kept, int) else int(len(packed) * kept)],
        b"low " * 9,
    ):
        path.write_bytes(content)
        with pytest.raises(CorpusError, match=rf"cut\{suffix}: damaged \w+ file .*; pack it again"):
            text_of(path)
    path.write_bytes(PACKERS[suffix](b""))
    with pytest.raises(CorpusError, match=rf"cut\{suffix}: is empty"):
        text_of(path)


def test_a_wrong_bit_is_damage_and_an_error_of_the_disk_is_none() -> None:
    for suffix in (".gz", ".bz2", ".xz"):
        packed = PACKERS[suffix](bytes(range(256)) * 200)
        wrong = packed[: len(packed) // 2] + b"?!" + packed[len(packed) // 2 + 2 :]
        packing = sources.packing_of(f"a{suffix}", packed)
        with pytest.raises(CorpusError, match="a: damaged"):
            list(sources.unpacked("a", sources.Stream(io.BytesIO(wrong)), packing))
        half = Mock(side_effect=[packed[: len(packed) // 2], OSError(5, "the disk")])
        stream = sources.Stream(SimpleNamespace(read=half))  # type: ignore[arg-type]
        with pytest.raises(OSError, match="the disk"):
            list(sources.unpacked("a", stream, packing))


def test_files_folders_and_globs_are_one_text_in_the_order_of_their_names(tmp_path: Path) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "b.txt").write_bytes(b"two\n")
    (tmp_path / "in" / "a.gz").write_bytes(gzip.compress(b"one"))
    (tmp_path / "in" / "deep" / "c.txt").write_bytes(b"three")
    (tmp_path / "in" / ".hidden").write_bytes(b"no")
    (tmp_path / "in" / ".git").mkdir()
    (tmp_path / "in" / ".git" / "config").write_bytes(b"no")
    (tmp_path / "in" / "empty").touch()
    more = Reading((str(tmp_path / "in" / "b.txt"),))
    assert text_of(tmp_path / "in") == b"one\ntwo\nthree"
    assert text_of(tmp_path / "in", Reading(), "<s>") == b"one<s>two\n<s>three"
    assert text_of(f"{tmp_path}/**/*.txt") == b"two\nthree"
    assert text_of(tmp_path / "in", more) == b"one\ntwo\nthree\ntwo\n"
    sizes = [sources.size_on_disk(tmp_path / "in" / name) for name in ("b.txt", "deep", "none")]
    assert sizes == [4, 0, 0]
    corpus = Corpus(tmp_path / "in", separator=b"<s>")
    assert corpus.name == f"{tmp_path}/in/a.gz and 2 more"
    count = count_corpus(corpus, "gpt2", ["<s>"])
    assert count.documents == 3
    assert dict(count.counts) == {b"one": 1, b"two": 1, b"\n": 1, b"three": 1}
    with pytest.raises(CorpusError, match=r"\*\.md: no file has a name like that"):
        Corpus(f"{tmp_path}/*.md")


def test_progress_counts_the_bytes_of_all_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(TEXT)
    (tmp_path / "b").write_bytes(gzip.compress(TEXT))
    corpus = Corpus(tmp_path)
    chunks = corpus.chunks(PATTERNS["gpt2"], SpecialSplitter(()), 1000)
    read = [chunk.bytes_read for chunk in chunks]
    assert read == sorted(read)
    total = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert read[-1] == corpus.reader.total == total


def test_odd_bytes_are_in_doubt(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt", "c.py", "d.md", "e.c"):
        (tmp_path / name).write_bytes(b"\xff" if name in ("a.txt", "c.py", "d.md") else b"low")
    (tmp_path / "e.c").write_bytes(b"\0low")
    no_text = "so it may be no text; its bytes are read as they are"
    assert list(doubts_about(f"{tmp_path}/", Reading())) == [
        f"{tmp_path}/a.txt (and 2 more files like it): is not UTF-8, {no_text}",
        f"{tmp_path}/e.c: has NUL bytes, as binary files and UTF-16 have, {no_text}",
    ]
    assert list(doubts_about(str(tmp_path), Reading(field="text"))) == []


class TestRecords:
    def test_json_lines_give_the_texts_of_a_field(self, tmp_path: Path) -> None:
        texts = ["one two", "", "drei\nvier ü", "x" * 100_000, "end"]
        lines = [json.dumps({"id": 1, "text": text}) for text in texts]
        data = ("\ufeff" + "\r\n".join(lines) + "\n\n").encode()
        for name, packed in (("a.jsonl", data), ("a.jsonl.gz", gzip.compress(data))):
            (tmp_path / name).write_bytes(packed)
            found = text_of(tmp_path / name, Reading(field="text"), "<s>")
            assert found == "<s>".join(filter(None, texts)).encode()
        joined = b"".join(read_blocks(tmp_path / "a.jsonl", Reading(field="text")))
        assert joined == "\n".join(filter(None, texts)).encode()

    def test_texts_are_joined_to_blocks_and_a_line_has_a_limit(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "a.jsonl"
        path.write_text("".join(f'{{"t": "{text}"}}\n' for text in ("aaaa", "bbbb", "cc", "dddd")))
        monkeypatch.setattr(corpus, "BLOCK", 10)
        read = lambda: list(read_blocks(path, Reading(field="t"), b"|"))  # noqa: E731
        assert read() == [b"aaaa|bbbb", b"|cc|dddd"]
        for before in ("", '{"t": "aaaa"}\n', '{"t": "aa"}\n'):
            path.write_text(before + '{"t": "bbbb"}')
            monkeypatch.setattr(sources, "LONGEST_LINE", 13)
            assert read()[-1].endswith(b"bbbb")
            monkeypatch.setattr(sources, "LONGEST_LINE", 12)
            with pytest.raises(CorpusError, match="a line of more than 12 bytes; is it JSON"):
                read()

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ('{"text": ', "is no JSON: .* at character"),
            ("[1]", "is no JSON object"),
            ('{"body": "x"}', "has no field 'text'; there are: body"),
            ('{"text": null}', "holds no text in 'text'"),
            (r'{"text": "\ud800"}', "half a character"),
            ("[" * 100_000, "nested too deeply|is no JSON"),
        ],
    )
    def test_a_bad_line_is_named_or_skipped(self, tmp_path: Path, line: str, message: str) -> None:
        path = tmp_path / "a.jsonl"
        path.write_text(f'{{"text": "good"}}\n\n{line}\n{{"text": "too"}}\n')
        with pytest.raises(CorpusError, match=rf"a\.jsonl: line 3 .*({message}).*--skip-bad"):
            text_of(path, Reading(field="text"))
        corpus = Corpus(path, Reading(field="text", skip_bad=True))
        assert count_corpus(corpus).counts == count_text(b"good\ntoo", "gpt2")
        assert corpus.reader.skipped == 1

    def test_parquet_columns_are_read_and_bad_files_are_errors(self, tmp_path: Path) -> None:
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        path = tmp_path / "a.parquet"
        texts = ["one", None, "two", *("x" * 3000 for _ in range(100))]
        table = pyarrow.table({"text": texts, "number": list(range(len(texts)))})
        parquet.write_table(table, path, row_group_size=10)
        good = Reading(field="text", skip_bad=True)
        assert text_of(path, good) == "\n".join(filter(None, texts)).encode()
        opened = Corpus(path, good)
        read = [chunk.bytes_read for chunk in opened.chunks(PATTERNS["gpt2"], SpecialSplitter([]))]
        assert read[-1] == opened.reader.total == path.stat().st_size
        for reading, message in [
            (Reading(), "say which column holds the text"),
            (Reading(field="text"), "row 2 holds no text"),
            (Reading(field="number"), "row 1 holds no text"),
            (good._replace(max_bytes=9), "unpacks to more than 9 bytes"),
            (Reading(field="body"), "has no column 'body'; there are: text, number"),
        ]:
            with pytest.raises(CorpusError, match=message):
                text_of(path, reading)
        path.write_bytes(path.read_bytes()[:-20])
        with pytest.raises(CorpusError, match="damaged Parquet"):
            text_of(path, good)
        broken = type("Broken", (io.BytesIO,), {"read": Mock(side_effect=OSError(5, "the disk"))})
        with pytest.raises(OSError, match="the disk"):
            list(sources.parquet_texts("a", broken(TEXT), "text", len, len))


@pytest.mark.parametrize(
    "address",
    ["https://me:secret@a.org/x?key=1", "s3://secret/b", "file:" + "//secret"],
)
def test_an_address_is_not_fetched_and_not_quoted(address: str) -> None:
    with pytest.raises(CorpusError, match=r"curl ADDRESS \| bpe-tui -") as raised:
        Corpus(address)
    assert "secret" not in str(raised.value)
