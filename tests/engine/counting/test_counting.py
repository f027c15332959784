"""Counting by pieces, in one process or several, gives the counts of one plain pass."""

import os
import random
import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import IO, Any
from unittest import mock

import psutil
import pytest
from chunk_texts import BROKEN, CORPORA, PIECES, SPECIALS, is_text, one_pass
from generated import examples, first_quick
from hypothesis import example, given
from hypothesis import strategies as st

from engine import CorpusError, CountProgress, count_pretokens
from engine.counting import count as count_module
from engine.counting.count import count_corpus
from engine.native import KERNEL, SWITCH
from engine.text import corpus as corpus_module
from engine.text.corpus import CHUNK, Corpus
from engine.text.patterns import PATTERNS, Pattern
from engine.text.pretokenize import Chunk, SpecialSplitter

REPO = Path(__file__).resolve().parents[3]
SPECIAL = "<|endoftext|>"


class TinyChunks(Corpus):
    """A corpus that is cut every few bytes, so that small texts have many cuts."""

    def __init__(self, path: Path, size: int) -> None:
        super().__init__(path)
        self.size = size

    def chunks(
        self, pattern: Pattern, splitter: SpecialSplitter, size: int = CHUNK
    ) -> Iterator[Chunk]:
        return super().chunks(pattern, splitter, self.size)


def plain_count(data: bytes, pattern: str, special_tokens: list[str]) -> Counter[bytes]:
    stretches = one_pass(data, pattern, special_tokens)
    return Counter(pretoken for stretch in stretches for pretoken in stretch)


def adversarial_text(size: int, seed: int = 0) -> bytes:
    """Generate words and lines, some of them odd."""
    rng = random.Random(seed)
    odd = [piece.encode() for piece in PIECES] + BROKEN + [SPECIAL.encode(), b"\n\n" * 20]
    words = [b" once", b" upon", b" a", b" time", b",", b".\n", b" there", b" was", b" 12", b"'s"]
    block = b"".join(
        rng.choice(odd) if rng.random() < 0.1 else rng.choice(words) for _ in range(40_000)
    )
    return (block * (size // len(block) + 1))[:size]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("counting")


@pytest.fixture(scope="module")
def large(place: Path) -> Path:
    """Make a file of several chunks, so that helpers are started."""
    path = place / "large.txt"
    path.write_bytes(adversarial_text(7 * CHUNK - 100))
    return path


@pytest.mark.parametrize("pattern", PATTERNS)
@examples(60)
@given(data=CORPORA.filter(is_text), special_tokens=SPECIALS, size=st.integers(1, 64))
@example(data=b"low<a> low <a>\nlow", special_tokens=["<a>"], size=3)
def test_counts_and_their_order_are_those_of_one_pass(
    place: Path, pattern: str, data: bytes, special_tokens: list[str], size: int
) -> None:
    path = place / "corpus.txt"
    path.write_bytes(data)
    with mock.patch.object(corpus_module, "BLOCK", size):
        counted = count_corpus(TinyChunks(path, size), pattern, special_tokens, workers=1)
    expected = plain_count(data, pattern, special_tokens)
    assert list(counted.counts.items()) == list(expected.items())


@pytest.mark.parametrize("pattern", first_quick(["gpt2", "cl100k"]))
def test_two_processes_count_as_one_does_in_the_same_order(large: Path, pattern: str) -> None:
    special_tokens = [SPECIAL, "<a>", "<a><a>", "<s t>"]
    alone = count_corpus(Corpus(large), pattern, special_tokens, workers=1)
    together = count_corpus(Corpus(large), pattern, special_tokens, workers=2)
    expected = plain_count(large.read_bytes(), pattern, special_tokens)
    assert list(together.counts.items()) == list(alone.counts.items()) == list(expected.items())
    assert together.documents == alone.documents


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"x" * 1_000_000, id="one word of a megabyte"),
        pytest.param(b"low lower " * 100_000, id="one line of a megabyte"),
        pytest.param(b" " * 1_000_000, id="a megabyte of spaces"),
        pytest.param(bytes(range(256)) * 40, id="all byte values"),
        pytest.param(random.Random(0).randbytes(100_000), id="noise"),
        pytest.param(SPECIAL.encode() * 100, id="special tokens only"),
        pytest.param(b"\xff", id="one byte that is no text"),
        pytest.param(b"\xef\xbb\xbflow", id="a byte order mark"),
    ],
)
@pytest.mark.parametrize("pattern", first_quick(["o200k", "gpt2", "none"]))
def test_unusual_files_are_counted_exactly(place: Path, pattern: str, data: bytes) -> None:
    path = place / "unusual.txt"
    path.write_bytes(data)
    counts = count_pretokens(path, pattern, [SPECIAL])
    text = data.removeprefix(b"\xef\xbb\xbf")
    assert list(counts.items()) == list(plain_count(text, pattern, [SPECIAL]).items())


def test_progress_never_falls_and_ends_with_the_whole_corpus(large: Path) -> None:
    seen: list[CountProgress] = []
    result = count_corpus(Corpus(large), "gpt2", [SPECIAL], workers=2, on_progress=seen.append)
    for earlier, later in pairwise(seen):
        assert earlier.bytes_read <= later.bytes_read
        assert earlier.documents <= later.documents
        assert earlier.pretokens <= later.pretokens
        assert earlier.distinct <= later.distinct
    size = large.stat().st_size
    assert len(seen) >= 6
    assert seen[-1] == CountProgress(
        size, size, result.documents, result.counts.total(), len(result.counts)
    )


class EnoughError(Exception):
    pass


@pytest.fixture
def without_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count in processes; with the kernel, threads would count."""
    monkeypatch.setattr("engine.counting.count.KERNEL", None)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_callback_that_raises_stops_the_work_at_once(large: Path, workers: int) -> None:
    before = set(psutil.Process().children(recursive=True))
    calls: list[CountProgress] = []
    enough = EnoughError()

    def stop(report: CountProgress) -> None:
        calls.append(report)
        raise enough

    with pytest.raises(EnoughError) as caught:
        count_corpus(Corpus(large), workers=workers, on_progress=stop)
    assert caught.value is enough
    assert len(calls) == 1
    assert set(psutil.Process().children(recursive=True)) == before


def test_helpers_count_enough_chunks_where_the_kernel_lets_them(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[int] = []

    def in_order(prepare: Any, tasks: Any, threads: int) -> Any:
        used.append(threads)
        return map(prepare(), tasks)

    monkeypatch.setattr("engine.core.helper_pool.in_order", in_order)
    monkeypatch.setattr(count_module, "available_cores", lambda: 6)
    monkeypatch.setattr(count_module, "WORTH_HELPERS", 2)
    for size, kernel, workers, threads in (
        (16, None, None, []),
        (16, None, 2, []),
        *([(16, KERNEL, None, [6]), (16, KERNEL, 2, [2]), (16, KERNEL, 1, [])] if KERNEL else ()),
        *([(3, KERNEL, None, [])] if KERNEL else ()),
    ):
        (place / "few.txt").write_bytes((b"low " * 4)[:size])
        monkeypatch.setattr(count_module, "KERNEL", kernel)
        kind = count_module.PlainCounter if kernel is None else count_module.NativePieceCounter
        assert type(count_module.counter_for(PATTERNS["gpt2"], SpecialSplitter([]))) is kind
        used.clear()
        count_corpus(TinyChunks(place / "few.txt", 4), workers=workers)
        assert used == threads, (size, kernel, workers)


def run_python(
    code: str, *arguments: str, stdin: int | IO[bytes] | None = None, kernel: bool = True
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", "-c", textwrap.dedent(code), *arguments],
        cwd=REPO,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=stdin,
        env=os.environ if kernel else {**os.environ, SWITCH: "no"},
    )


def test_standard_input_is_counted_as_a_file_is(large: Path) -> None:
    code = """
        from engine.counting.count import count_pretokens
        seen = []
        counts = count_pretokens("-", workers=2, on_progress=seen.append)
        print(list(counts.items()))
        print(seen[-1].bytes_read, seen[-1].bytes_total)
    """
    with large.open("rb") as stream, run_python(code, stdin=stream) as process:
        output, errors = process.communicate()
    assert process.returncode == 0, errors
    counts, sizes = output.splitlines()
    assert counts == str(list(count_pretokens(large, workers=1).items()))
    assert sizes == f"{large.stat().st_size} None"


@pytest.mark.parametrize("workers", [1, 2])
def test_a_file_that_shrinks_while_it_is_counted_is_an_error(place: Path, workers: int) -> None:
    path = place / "shrinking.txt"
    path.write_bytes(b"low lower " * 600_000)
    before = set(psutil.Process().children(recursive=True))
    with pytest.raises(CorpusError, match="it was cut short while being read"):
        count_pretokens(path, workers=workers, on_progress=lambda _: os.truncate(path, 5_000_000))
    assert set(psutil.Process().children(recursive=True)) == before


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
@pytest.mark.slow  # a big corpus
def test_memory_does_not_grow_with_the_file(place: Path) -> None:
    """60 MB are counted by two threads or processes, none larger than the file."""
    story = (REPO / "samples" / "tinystories_valid.txt").read_bytes()
    path = place / "sixty_megabytes.txt"
    with path.open("wb") as stream:
        while stream.tell() < 60_000_000:
            stream.write(story)
    code = """
        import re, sys
        from pathlib import Path
        import psutil
        from engine.counting.count import count_pretokens

        peaks = {}

        def look(progress):
            if progress.bytes_read % 4:
                return
            for process in (psutil.Process(), *psutil.Process().children()):
                status = Path(f"/proc/{process.pid}/status").read_text()
                peaks[process.pid] = int(re.search(r"VmHWM:\\s*(\\d+) kB", status)[1]) * 1024

        count_pretokens(sys.argv[1], special_tokens=["<|endoftext|>"], workers=2, on_progress=look)
        print(*peaks.values())
    """
    with run_python(code, str(path)) as process:
        output, errors = process.communicate()
    path.unlink()
    assert process.returncode == 0, errors
    peaks = [int(peak) for peak in output.split()]
    assert len(peaks) == (2 if KERNEL is None else 1)
    assert max(peaks) < 60_000_000
