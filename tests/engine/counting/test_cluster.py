"""The counts file equals that of one machine, byte for byte, for any division into tasks."""

from __future__ import annotations

import gzip
import io
import logging
import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import MagicMock, call, patch

import numpy as np
import pytest
from counting_texts import TEXT_PIECES
from generated import examples
from hypothesis import assume, example, given
from hypothesis import strategies as st

from engine import ClusterError, CorpusError, CountProgress
from engine.core.errors import HelperWarning
from engine.counting import cluster, cluster_connection, cluster_sums, cluster_tasks, counts_file
from engine.counting.cluster import counted_on
from engine.counting.cluster_connection import connected
from engine.counting.cluster_tasks import first_cut
from engine.counting.count import count_corpus
from engine.counting.counts_file import counts_of
from engine.text.corpus import Corpus, Reading, separator_of
from engine.text.patterns import PATTERNS, as_pattern
from engine.text.pretokenize import WHITE_SPACE, SpecialSplitter

SPECIAL = ("<|endoftext|>",)
MARK = "\ufeff".encode()
SPACES = [space.encode() for space in WHITE_SPACE]


def on_one_machine(names: list[str], pattern: str, special: tuple[str, ...]) -> bytes:
    corpus = corpus_of(names, special)
    count = count_corpus(corpus, pattern, special)
    return b"".join(counts_of(corpus, count, pattern, special, corpus.reader.total or 0))


def corpus_of(names: list[str], special: tuple[str, ...]) -> Corpus:
    return Corpus(names[0], Reading(tuple(names[1:])), separator_of(special))


def on_workers(
    where: str,
    names: list[str],
    special: tuple[str, ...] = SPECIAL,
    on_progress: Any = None,
    pattern: str = "gpt2",
) -> bytes:
    corpus = corpus_of(names, special)
    with counted_on(where, corpus, pattern, special, on_progress) as counted:
        return b"".join(counted.file())


@given(
    texts=st.lists(
        st.lists(
            st.one_of(
                st.sampled_from([*TEXT_PIECES, b"<s", b">", b"<s>", b"<|endoftext|>"]),
                st.builds(bytes.__mul__, st.sampled_from(SPACES), st.integers(2, 20)),
            ),
            min_size=1,
            max_size=12,
        ).map(b"".join),
        min_size=1,
        max_size=3,
    ),
    size=st.integers(3, 9),  # no task is shorter than a byte order mark
    block=st.integers(1, 40),
    pattern=st.sampled_from([*PATTERNS]),
    special=st.sampled_from([("<s>",), ("<s>", "é"), (" ",), ("\n", "low"), SPECIAL, (" <p",), ()]),
)
@example(texts=[MARK * 2 + b"low"] * 2, size=9, block=4, pattern="gpt2", special=())
@example(texts=[MARK, b"low", MARK], size=3, block=4, pattern="gpt2", special=())
@example(texts=[b"a", MARK + b"low"], size=3, block=4, pattern="gpt2", special=("<s>",))
@example(texts=[b"    <s>low"], size=9, block=9, pattern="gpt2", special=("<s>",))
@examples(300)
def test_counts_documents_and_order_are_the_same_wherever_tasks_are_cut(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[bytes],
    size: int,
    block: int,
    pattern: str,
    special: tuple[str, ...],
) -> None:
    assume(special or pattern != "none")
    assume(b"".join(texts).replace(MARK, b""))  # marks alone are an empty corpus
    folder = tmp_path_factory.mktemp("texts")
    names = [str(folder / str(number)) for number in range(len(texts))]
    for name, text in zip(names, texts, strict=True):
        Path(name).write_bytes(text)
    with pytest.MonkeyPatch.context() as patched, here():
        for name in ("LEAST_TASK", "LARGEST_TASK"):
            patched.setattr(cluster, name, size)
        for name in ("TO_FETCH", "_COPIED_AT_ONCE"):
            patched.setattr(cluster_sums, name, size)
        patched.setattr(cluster, "IN_A_SUM", 3)
        for room in (counts_file, cluster_sums):
            patched.setattr(room, "IN_A_BLOCK", size)
            patched.setattr(room, "BLOCK_BYTES", 5 * size)
        for name, room in (("BLOCK", block), ("CHUNK", 2)):
            patched.setattr(cluster_tasks, name, room)
        made = on_workers(ADDRESS, names, special, pattern=pattern)
        assert made == on_one_machine(names, pattern, special)


# --- a stand-in for Dask, which does each task at once in this process

ADDRESS = "tcp://here:8786"


def result_of(given: Any) -> Any:
    """Return an argument of a task, with results in place of its futures."""
    if isinstance(given, list):
        return [*map(result_of, given)]
    return given.result() if isinstance(given, Future) else given


def submit(function: Callable[..., Any], *given: Any, pure: bool, **options: Any) -> Any:
    """Do a task, and send what it returns."""
    future: Any = Future()
    future.key = id(future)
    try:
        found = function(*map(result_of, given), **options)
        future.set_result(pickle.loads(pickle.dumps(found)))
    except Exception as error:
        future.set_exception(error)
    return future


@contextmanager
def here() -> Iterator[Any]:
    """Have the stand-in imported: two workers, with three threads; the last task is done first."""
    dask = MagicMock()
    for made in (dask.Client.return_value, dask.LocalCluster.return_value):
        made.__exit__.return_value = None
    dask.as_completed = lambda futures, **_: (
        (each, each.exception() or each.result()) for each in reversed(futures)
    )
    dask.client = client = dask.Client.return_value.__enter__.return_value
    client.submit, client.gather = submit, result_of
    client.map = lambda function, tasks, **options: [
        submit(function, task, **options) for task in tasks
    ]
    client.nthreads.return_value = {"tcp://here:1": 2, "tcp://here:2": 1}
    client.run = lambda function: {"tcp://here:1": function()}
    with patch.dict(sys.modules, dask=dask, distributed=dask):
        yield dask


class Whole(io.BytesIO):
    """A file on a server that sends no parts: it is read from its start."""

    def read(self, size: int | None = -1) -> bytes:
        if self.tell() == 1:
            raise CorpusError("the server sends no parts of a file")
        return super().read(size)


class Remote(NamedTuple):
    """A file on a server, which may send parts of it, and may say how large it is."""

    size: int | None
    sends_parts: bool = False
    given: str = "https://host/big.txt"
    name: str = given
    path: None = None

    @contextmanager
    def open(self, seekable: bool = False) -> Iterator[io.BytesIO]:
        yield (io.BytesIO if self.sends_parts else Whole)(b"low " * 5)


def test_files_become_tasks_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small files share a task up to its size; one of more than two tasks is divided."""
    sizes = [3, 4, 2, 1, 17, 16, 5, 3, 18]
    names = [*map(str, range(8)), "8.gz"]
    for name, size in zip(names, sizes, strict=True):
        (tmp_path / name).write_bytes(b"x" * size)
    monkeypatch.setattr(cluster, "LEAST_TASK", 8)
    monkeypatch.chdir(tmp_path)

    def tasks(corpus: Corpus, threads: int) -> list[tuple[int, str, int, int]]:
        found = cluster.tasks_of(corpus, threads)
        assert [task.place for task in found] == [*range(len(found))]
        assert all(
            Path(name).is_absolute() or "//" in name for task in found for name, _ in task[1]
        )
        return [
            (task.bytes, "".join(Path(name).stem for name, _ in task.sources), *task[2:])
            for task in found
        ]

    corpus = corpus_of(names, ())
    first, last = (9, "012", 0, 0), [(8, "67", 0, 0), (18, "8", 0, 0)]
    divided = [(8, "4", 0, 8), (8, "4", 8, 16), (1, "4", 16, 17)]
    assert tasks(corpus, 3) == [first, (1, "3", 0, 0), *divided, (16, "5", 0, 0), *last]
    corpus.reader.total = 8 * 18  # the size of a task is 9 for two threads
    last = [(26, "678", 0, 0)]
    assert tasks(corpus, 2) == [first, (18, "34", 0, 0), (16, "5", 0, 0), *last]
    corpus.sources = [Remote(None), Remote(3), Remote(17, True), Remote(17)]
    corpus.reader.total = None
    monkeypatch.setattr(cluster, "LARGEST_TASK", 8)
    divided = [(each[0], "big", *each[2:]) for each in divided]
    whole = [(0, "big", 0, 0), (3, "big", 0, 0), *divided, (17, "big", 0, 0)]
    assert tasks(corpus, 1) == whole


def test_a_cut_is_the_first_that_no_special_token_around_the_text_can_cross() -> None:
    """Of a token of three bytes, two may lie before the text, or after it."""
    whole = as_pattern("none"), SpecialSplitter(["<s>"])
    with patch.multiple(cluster_tasks, BLOCK=4, LARGEST_END=16):
        assert cluster_tasks._start(iter([b"a" * 8]), *whole) == (b"a" * 8, None)
        with pytest.raises(CorpusError, match="no place to cut in 9 bytes; count this corpus on"):
            cluster_tasks._start(iter([b"a" * 9]), *whole)
    texts = [b"ab cd", b"abc de", b"abcd e", b"a b", b"a<s>b", b"abc<s>", b" ab", b"a,"]
    texts += [b"    <s>d", b"ab   <s>"]
    found = [
        [first_cut(text, as_pattern(pattern), SpecialSplitter(special)) for text in texts]
        for pattern, special in (("gpt2", ["<s>"]), ("gpt2", []), ("none", ["<s>"]))
    ]
    assert found == [
        [2, 3, None, None, 4, 6, None, None, 7, 2],
        [2, 3, 4, 1, 1, 3, None, 1, 3, 2],
        [None, None, None, None, 4, 6, None, None, 7, 8],
    ]


def test_records_and_bad_ones_are_those_of_one_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of records is never divided."""
    monkeypatch.setattr(cluster, "LEAST_TASK", 8)
    (tmp_path / "a.jsonl").write_bytes(b'{"t":"low low"}\n{"t":\n{"t":"lower"}\n')
    reading = Reading(field="t", skip_bad=True)
    corpus = Corpus(tmp_path / "a.jsonl", reading)
    heard: list[CountProgress] = []
    with here(), counted_on(ADDRESS, corpus, on_progress=heard.append) as counted:
        pretokens = [name for each in counted._counts for name in each.pretokens()]
        assert pretokens == [b"low", b" low", b"\n", b"lower"]
        assert (counted.head, counted.skipped) == (b"low low\nlower", 1)
        assert heard == [CountProgress(36, 36, 1, 0, 0)]
    for change, said in ((Path.unlink, "no such file"), (Path.touch, "is not the file that it")):
        change(tmp_path / "a.jsonl")
        with (
            here(),
            pytest.raises(CorpusError, match=f"a.jsonl: {said}"),
            counted_on(ADDRESS, corpus),
        ):
            pytest.fail("it is counted")


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


# --- the connection


def test_a_client_has_a_time_to_answer_and_is_closed_unless_the_work_is_interrupted() -> None:
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    for logger in loggers:
        logger.setLevel(logging.INFO)
    with here() as dask, connected("tcp://host:65535") as client:
        client.wait_for_workers.assert_called_once_with(1, timeout=5)
        dask.Client.assert_called_once_with("tcp://host:65535", timeout=20, set_as_default=False)
        assert [logger.level for logger in loggers] == [logging.CRITICAL] * 2
    dask.Client.return_value.__exit__.assert_called_once()
    with here() as dask, pytest.raises(KeyboardInterrupt), connected("tls://host:1"):
        raise KeyboardInterrupt
    dask.Client.return_value.__exit__.assert_not_called()


def test_a_cluster_without_workers_is_waited_for_with_a_warning() -> None:
    said = f"{ADDRESS}: there are no workers; waiting for workers, Ctrl\\+C ends"
    with here() as dask:
        dask.client.wait_for_workers.side_effect = [TimeoutError(), None]
        with pytest.warns(HelperWarning, match=said), connected(ADDRESS) as client:
            assert client.wait_for_workers.call_args_list == [call(1, timeout=5), call(1)]


@pytest.mark.parametrize("kernel", [True, None])
def test_a_cluster_of_our_own_opens_no_port_to_others(
    kernel: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_connection, "KERNEL", kernel)
    threads = {"processes": False, "n_workers": 1, "threads_per_worker": 3, "memory_limit": None}
    shape = threads if kernel else {"n_workers": 3, "threads_per_worker": 1}
    with here() as dask, connected("local:3"):
        assert dask.Client.call_args[0] == (dask.LocalCluster.return_value.__enter__(),)
    dask.LocalCluster.assert_called_once_with(
        dashboard_address=None,
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
        worker_dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
        **shape,
    )
    dask.LocalCluster.return_value.__exit__.assert_called_once()


@pytest.mark.parametrize(
    ("address", "tasks", "certificates", "said"),
    [
        ("tcp://host:1", {"tcp://b:1": None}, {}, "the worker tcp://b:1 has no bpe-tui; install"),
        ("tcp://host:1", {"tcp://b:1": 1}, {}, "tcp://b:1 has another version of bpe-tui"),
        ("tls://host:1", {}, [{}], "needs certificates; name them in Dask's settings"),
        ("tls://host:1", {}, OSError("gone"), "the certificates cannot be read: gone"),
    ],
)
def test_workers_and_certificates_are_checked_before_the_work(
    address: str, tasks: dict[str, int | None], certificates: Any, said: str
) -> None:
    with here() as dask:
        dask.client.run = lambda tasks_here: {"tcp://a:1": tasks_here(), **tasks}
        dask.Security.return_value.get_connection_args.side_effect = certificates
        with pytest.raises(ClusterError, match=said), connected(address):
            pytest.fail("it is connected")


KilledWorker = type("KilledWorker", (Exception,), {})


@pytest.mark.parametrize(
    ("where", "error", "said"),
    [
        ("local:1", ImportError(name="regex"), "a worker has no regex; install bpe-tui there"),
        ("local:1", CancelledError(), "the scheduler has ended; start it and count again"),
        ("local:1", TimeoutError(), "no scheduler answers within 20 seconds"),
        ("tcp://a:1", OSError(), "is the scheduler running, and does it use tcp?"),
        ("tls://a:1", OSError(), "is the scheduler running, and do the certificates fit?"),
        ("local:1", KilledWorker(), "workers died repeatedly over one task; give them more memory"),
        ("local:1", CorpusError("a.txt: no such file"), "^a.txt: no such file$"),
        ("local:1", ZeroDivisionError("ours"), "^ours$"),
    ],
)
def test_an_error_of_dask_becomes_one_line(where: str, error: Exception, said: str) -> None:
    kind = type(error) if said.startswith("^") else ClusterError
    with pytest.raises(kind, match=said), cluster_connection.explained_errors(where):
        raise error


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


@pytest.mark.slow  # it starts processes, unless the kernel counts
def test_a_cluster_of_our_own_makes_the_file_of_one_machine(names: list[str]) -> None:
    pytest.importorskip("distributed")
    assert on_workers("local:2", names) == on_one_machine(names, "gpt2", SPECIAL)
