"""The counts file equals that of one machine, byte for byte, for any division into tasks."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any, NamedTuple

import numpy as np
import pytest
from counting_texts import TEXT_PIECES
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st

from engine import BpeError, ClusterError, CorpusError, CountProgress
from engine.core.errors import HelperWarning
from engine.counting import cluster, cluster_connection, cluster_sums, cluster_tasks
from engine.counting.cluster import counted_on
from engine.counting.cluster_tasks import CountingOptions
from engine.counting.count import count_corpus
from engine.counting.counts_file import counts_of
from engine.text.corpus import Corpus, Reading, separator_of
from engine.text.patterns import as_pattern

SPECIAL = ("<|endoftext|>",)


def on_one_machine(names: list[str], pattern: str, special: tuple[str, ...]) -> bytes:
    corpus = corpus_of(names, special)
    count = count_corpus(corpus, pattern, special)
    return b"".join(counts_of(corpus, count, pattern, special, corpus.reader.total or 0))


def corpus_of(names: list[str], special: tuple[str, ...]) -> Corpus:
    return Corpus(names[0], Reading(tuple(names[1:])), separator_of(special))


# --- tasks, done one after another in this process


def in_tasks(
    corpus: Corpus, pattern: str, special: tuple[str, ...]
) -> tuple[int, dict[bytes, int]]:
    """Count documents and pretokens by tasks, in this process."""
    how = CountingOptions(as_pattern(pattern), special, corpus.reading, corpus.separator)
    tasks = cluster.tasks_of(corpus, threads=1)
    done = [cluster_tasks.count_task(task, how) for task in tasks]
    texts, documents = cluster._joined(tasks, [ends for ends, _ in done], how)
    counted = [*(counts for _, counts in done), cluster._count_ends(texts, how)]
    sent = [pickle.loads(pickle.dumps(each)) for each in counted]
    pieces = [cluster_sums.split(some, 2) for some in (sent[::2], sent[1::2]) if some]
    finished = [cluster_sums.finish([piece[part] for piece in pieces]) for part in (0, 1)]
    blocks = cluster_sums.in_order([iter(blocks) for _, blocks in finished])
    counts: dict[bytes, int] = {}
    for block in blocks:
        counts |= zip(block.pretokens(), block.counts.tolist(), strict=True)
    assert sum(summary.distinct for summary, _ in finished) == len(counts)
    return documents.begun, counts


@given(
    texts=st.lists(
        st.lists(
            st.sampled_from([*TEXT_PIECES, b"<s", b">", b"<s>", b"low "]),
            min_size=1,
            max_size=12,
        ).map(b"".join),
        min_size=1,
        max_size=3,
    ),
    size=st.integers(3, 9),  # no task is shorter than a byte order mark
    pattern=st.sampled_from(["gpt2", "cl100k", "whitespace", "none"]),
    special=st.sampled_from([("<s>",), ("<s>", "é"), (" ",), ("\n", "low"), ()]),
)
@example(texts=[b"\xef\xbb\xbf" * 2 + b"low"] * 2, size=9, pattern="gpt2", special=())
@examples(300)
def test_counts_documents_and_order_are_the_same_wherever_tasks_are_cut(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[bytes],
    size: int,
    pattern: str,
    special: tuple[str, ...],
) -> None:
    folder = tmp_path_factory.mktemp("texts")
    names = [str(folder / str(number)) for number in range(len(texts))]
    for name, text in zip(names, texts, strict=True):
        Path(name).write_bytes(text)
    with pytest.MonkeyPatch.context() as patched:
        for name in ("LEAST_TASK", "LARGEST_TASK"):
            patched.setattr(cluster, name, size)
        for name in ("TO_FETCH", "_COPIED_AT_ONCE"):
            patched.setattr(cluster_sums, name, size)
        documents, counts = in_tasks(corpus_of(names, special), pattern, special)
    expected = count_corpus(corpus_of(names, special), pattern, special)
    assert list(counts.items()) == list(expected.counts.items())
    assert documents == expected.documents


def test_a_big_file_is_divided_after_the_small_ones_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "LEAST_TASK", 8)
    monkeypatch.setattr(cluster, "LARGEST_TASK", 8)
    names = [str(tmp_path / name) for name in ("small", "big", "last")]
    for name, text in zip(names, (b"low", b"low lower lowest low", b"low"), strict=True):
        Path(name).write_bytes(text)
    tasks = cluster.tasks_of(corpus_of(names, ()), threads=1)
    assert [Path(task.sources[0][0]).name for task in tasks] == ["small", *["big"] * 3, "last"]
    assert [task.bytes for task in tasks] == [3, 8, 8, 4, 3]


def test_byte_order_marks_are_left_out_wherever_tasks_are_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [str(tmp_path / "a"), str(tmp_path / "b")]
    for name in names:
        Path(name).write_bytes("\ufefflow lower lowest low".encode())
    monkeypatch.setattr(cluster, "LEAST_TASK", 7)
    monkeypatch.setattr(cluster, "LARGEST_TASK", 7)
    _, counts = in_tasks(corpus_of(names, ()), "gpt2", ())
    assert counts == count_corpus(corpus_of(names, ()), "gpt2", ()).counts
    assert counts[b"low"] == 2


@pytest.mark.parametrize(
    ("where", "pattern", "special", "said"),
    [
        ("nowhere", "gpt2", SPECIAL, "is not a cluster"),
        ("local:0", "gpt2", SPECIAL, "is not a cluster"),
        ("http://host:1", "gpt2", SPECIAL, "is not a cluster"),
        ("tcp://host", "gpt2", SPECIAL, "is not a cluster"),
        ("tcp://a..b:8786", "gpt2", SPECIAL, "is not a cluster"),
        ("tcp://\u202ehost:8786", "gpt2", SPECIAL, "is not a cluster"),
        ("tcp://host:99999", "gpt2", SPECIAL, "is not a cluster"),
        ("local:1", "none", (), "no place to cut"),
        ("local:1", "gpt2", ("aa",), "may overlap"),
        ("local:1", "gpt2", ("<s>", "<s><t>"), "may overlap"),
    ],
)
def test_a_corpus_that_a_cluster_cannot_count_is_refused_before_it_is_asked(
    tmp_path: Path, where: str, pattern: str, special: tuple[str, ...], said: str
) -> None:
    (tmp_path / "a").write_text("text")
    with (
        pytest.raises(ClusterError, match=said),
        counted_on(where, Corpus(tmp_path / "a"), pattern, special),
    ):
        pass


def test_standard_input_cannot_be_a_task() -> None:
    with pytest.raises(ClusterError, match=r"standard input: .* save it first"):
        cluster.tasks_of(Corpus("-"), 1)


class NoParts(NamedTuple):
    """A big file on a server that sends it only as a whole."""

    given: str = "https://host/big.txt"
    name: str = given
    path: None = None
    size: int = 10 << 20

    @contextmanager
    def open(self, seekable: bool = False) -> Iterator[io.BytesIO]:
        if seekable:
            raise CorpusError("the server sends no parts of a file")
        yield io.BytesIO(b"low " * 100_000)


def test_a_file_that_a_server_sends_only_whole_is_one_task(tmp_path: Path) -> None:
    (tmp_path / "small.txt").write_text("low")
    corpus = Corpus(tmp_path / "small.txt")
    corpus.sources = [NoParts()]
    assert [task.bytes for task in cluster.tasks_of(corpus, 1)] == [10 << 20]


# --- real workers: each takes a second or more to start


@pytest.fixture(scope="module")
def workers() -> Iterator[str]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as made:
        yield made.scheduler_address


@pytest.fixture
def names(tmp_path: Path) -> list[str]:
    """Many small files, one packed file, one large."""
    random = np.random.default_rng(7)
    words = [b" word%d" % number for number in range(3000)]

    def text(length: int) -> bytes:
        drawn = b"".join(words[each] for each in random.zipf(1.3, length) % len(words))
        return drawn.replace(b" word7 ", b"<|endoftext|>\n")

    for number in range(20):
        (tmp_path / f"a{number:02}.txt").write_bytes(text(50))
    (tmp_path / "b.gz").write_bytes(gzip.compress(text(20_000)))
    (tmp_path / "c.txt").write_bytes(text(320_000))
    return sorted(map(str, tmp_path.iterdir()))


def on_workers(
    where: str, names: list[str], special: tuple[str, ...] = SPECIAL, on_progress: Any = None
) -> bytes:
    corpus = corpus_of(names, special)
    with counted_on(where, corpus, "gpt2", special, on_progress) as counted:
        return b"".join(counted.file())


@pytest.mark.slow  # it starts processes
def test_two_workers_make_the_file_of_one_machine(names: list[str], workers: str) -> None:
    heard: list[CountProgress] = []
    assert on_workers(workers, names, SPECIAL, heard.append) == on_one_machine(
        names, "gpt2", SPECIAL
    )
    assert heard[-1].bytes_read == heard[-1].bytes_total == sum(map(os.path.getsize, names))
    assert on_workers(workers, names, ()) == on_one_machine(names, "gpt2", ())


@pytest.mark.unix
@pytest.mark.slow  # it starts processes
def test_a_worker_that_is_killed_costs_only_its_tasks(names: list[str], workers: str) -> None:
    from distributed import Client

    with Client(workers, set_as_default=False) as client:
        victim = next(iter(client.run(os.getpid).values()))
    killed = []

    def kill_once(_: CountProgress) -> None:
        if not killed:
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)

    assert on_workers(workers, names, SPECIAL, kill_once) == on_one_machine(names, "gpt2", SPECIAL)
    assert killed


@pytest.mark.slow  # it starts processes
@pytest.mark.filterwarnings("ignore:Port 8787")  # Dask's, where another test has a cluster
def test_without_workers_the_work_waits_and_warns(
    names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(cluster_connection, "PATIENCE", 1)
    with distributed.LocalCluster(
        n_workers=0, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as made:
        Timer(3, made.scale, (1,)).start()
        with pytest.warns(HelperWarning, match="there are no workers; waiting"):
            counted = on_workers(made.scheduler_address, names[:3])
    assert counted == on_one_machine(names[:3], "gpt2", SPECIAL)


@pytest.mark.slow  # it starts processes
def test_errors_that_stop_the_work_are_one_line(
    names: list[str], workers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = corpus_of(names, SPECIAL)
    Path(names[3]).unlink()
    with (
        pytest.raises(CorpusError, match=r"a03\.txt: no such file"),
        counted_on(workers, corpus, "gpt2", SPECIAL),
    ):
        pass
    Path(names[3]).write_bytes(b"another size")
    with (
        pytest.raises(CorpusError, match=r"a03\.txt: is not the file that it was"),
        counted_on(workers, corpus, "gpt2", SPECIAL),
    ):
        pass
    monkeypatch.setattr(cluster_connection, "TASKS", 0)
    with pytest.raises(BpeError, match="another version of bpe-tui"):
        on_workers(workers, names)


@pytest.mark.slow  # it starts processes, unless the kernel counts
def test_a_cluster_of_our_own_makes_the_file_of_one_machine(names: list[str]) -> None:
    pytest.importorskip("distributed")
    assert on_workers("local:2", names) == on_one_machine(names, "gpt2", SPECIAL)
