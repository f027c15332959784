"""A corpus may be several files, compressed, in records or at an address; errors name bad input."""

from __future__ import annotations

import asyncio
import bz2
import gzip
import io
import json
import lzma
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from engine import CorpusError
from engine.counting.count import count_corpus, count_text
from engine.text import corpus, remote, sources
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


def test_a_folder_of_many_kinds_and_odd_bytes_is_in_doubt(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt", "c.py", "d.md", "e.c", "f.h", "g", "h.txt.gz"):
        (tmp_path / name).write_bytes(b"\xff" if name in ("a.txt", "c.py", "d.md") else b"low")
    (tmp_path / "e.c").write_bytes(b"\0low")
    no_text = "so it may be no text; its bytes are read as they are"
    assert list(doubts_about(f"{tmp_path}/", Reading())) == [
        f"{tmp_path}/: all 8 files are read, of several kinds (3 .txt, 1 .py, 1 .md, 1 .c, 2 "
        f"others); a glob reads one kind: '{tmp_path}/**/*.txt'",
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


class Server(BaseHTTPRequestHandler):
    """A server that sends TEXT correctly or with a mistake."""

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        path = self.path.partition("?")[0]
        body = gzip.compress(TEXT) if path.endswith(".gz") else TEXT
        if path == "/away":
            self.send_response(302)
            self.send_header("Location", "https://127.0.0.1:9/secret?key=7")
            self.end_headers()
            return
        if path == "/missing":
            self.send_error(404)
            return
        if path == "/slow":
            time.sleep(1.5)
        self.send_response(200)
        length = len(body) + (1000 if path == "/liar" else 0)
        announced = len(body) - 1000 if path == "/short" and self.command == "HEAD" else length
        self.send_header("Content-Length", str(announced))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write nothing."""


class TestAddresses:
    @pytest.fixture
    def server(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
        pytest.importorskip("aiohttp")
        pytest.importorskip("fsspec")
        monkeypatch.setattr(remote, "PROTOCOLS", (*remote.PROTOCOLS, "http"))
        monkeypatch.setattr(remote, "SECONDS", 0.5)
        server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://me:secret@127.0.0.1:{server.server_port}"
        server.shutdown()
        server.server_close()

    def test_a_file_is_streamed_and_its_size_is_known(self, server: str) -> None:
        corpus = Corpus(f"{server}/a.txt?key=7")
        assert corpus.reader.total is None
        counts: Counter[bytes] = count_corpus(corpus).counts
        assert counts == count_text(TEXT, "gpt2")
        assert corpus.reader.total == len(TEXT)
        assert text_of(f"{server}/a.txt.gz") == TEXT

    @pytest.mark.parametrize(
        ("path", "message"),
        [
            ("away", "redirects from http to https, which is not followed"),
            ("missing", "the server answers 404"),
            ("slow", "the server has said nothing for"),
            ("liar", "the connection broke off|sent 340,000"),
            ("short", "announced 339,000 bytes and sent 340,000"),
        ],
    )
    def test_errors_show_no_credentials(self, server: str, path: str, message: str) -> None:
        with pytest.raises(CorpusError, match=message) as raised:
            text_of(f"{server}/{path}?key=7")
        assert "secret" not in str(raised.value)
        assert "key" not in str(raised.value)
        assert str(raised.value).count("127.0.0.1") == 1

    @pytest.mark.parametrize(
        ("error", "said"),
        [
            (ValueError("no range requests"), "the server sends no parts of a file"),
            (ValueError("no"), "cannot be read (ValueError)"),
            (KeyError("range requests"), "cannot be read (KeyError)"),
            (FileNotFoundError(), "is not there"),
            (PermissionError(), "no permission to read it"),
            (ImportError(), "needs a library that is not installed: aiohttp for https"),
            (type("CertificateError", (Exception,), {})(), "certificate is not one to trust"),
            (type("ClientOSError", (OSError,), {})(), "the server cannot be reached"),
            (type("TooManyRedirects", (OSError,), {})(), "redirects again and again"),
            (type("Answer", (OSError,), {"status": 403})(), "the server answers 403; is the"),
        ],
    )
    def test_a_reason_is_found_behind_other_errors(self, error: Exception, said: str) -> None:
        assert said in remote._reason(error)
        hidden = FileNotFoundError("https://me:secret@a.org")
        hidden.__context__ = error  # fsspec raises this for any other
        error.__context__ = hidden
        expected = "is not there" if "cannot be read (" in said else said
        assert expected in remote._reason(hidden)

    def test_a_block_is_full_though_a_connection_returns_less(self) -> None:
        raw = io.BytesIO(b"abcdef")
        slow = SimpleNamespace(read=lambda size: raw.read(min(size, 2)))
        file = remote._PlainErrorFile(slow, nullcontext)
        assert [file.read(5), file.read(5), file.read(5)] == [b"abcde", b"f", b""]

    def test_a_size_is_known_if_the_server_gives_a_number(self) -> None:
        for given, size in ((5, 5), (1, 1), (0, None), (-1, None), (None, None), ("7", None)):
            file = remote.RemoteFile("https://a.org/x?key=1")
            info = {"size": given}
            file.__dict__["_system"] = SimpleNamespace(info=lambda name, info=info: info)
            assert file.size == size

    def test_redirects_to_another_protocol_are_not_followed(self) -> None:
        def redirect(url: str, location: str | None) -> None:
            response = SimpleNamespace(headers={"Location": location} if location else {})
            asyncio.run(remote.check_redirect(0, 0, SimpleNamespace(url=url, response=response)))

        for location in (None, "/y", "https://b.org", "HTTPS://b.org"):
            redirect("https://a.org/x", location)
        with pytest.raises(CorpusError, match=r"^redirects from https to http, which is not"):
            redirect("https://a.org/x", "http://a.org/x")

    @pytest.mark.parametrize("address", ["ftp://a/b", "file:" + "//a/b", "http://a/b"])
    def test_other_protocols_are_not_read(self, address: str) -> None:
        with pytest.raises(CorpusError, match="is not read; these are: https, s3"):
            Corpus(address)
