"""Counting on two hosts: one vanishes and comes back, and the counts stay right.

Each host is a network namespace of this machine, with a network of the two alone. It needs the
rights to make one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from engine.counting.count import count_corpus
from engine.text.corpus import Corpus

HERE, THERE = f"bpe-here-{os.getpid()}", f"bpe-there-{os.getpid()}"
ADDRESSES = {HERE: "10.213.7.1", THERE: "10.213.7.2"}
SCHEDULER = f"tcp://{ADDRESSES[HERE]}:8786"
PATIENCE = 12
"""Seconds after which Dask takes a silent host for dead; 30 if nothing is set, 12 at the least."""
SETTINGS = {
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": f"{PATIENCE}s",
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": f"{PATIENCE}s",
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": f"{PATIENCE}s",
}
COUNT = """
import sys
from distributed import Client
from engine.counting import cluster
from engine.text.corpus import Corpus

with Client(sys.argv[1], timeout=60) as client:
    client.wait_for_workers(2)
cluster.LEAST_TASK = cluster.LARGEST_TASK = 1 << 14
begun = []

def on_progress(progress):
    if not begun and 3 * progress.bytes_read > progress.bytes_total:
        begun.append(print("begun", flush=True))
        sys.stdin.readline()

with cluster.counted_on(sys.argv[1], Corpus(sys.argv[2]), on_progress=on_progress) as count:
    sys.stdout.buffer.write(b"".join(count.file()))
"""


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


@pytest.fixture
def hosts() -> Iterator[None]:
    """Two hosts, joined by a cable whose end at `THERE` can be pulled: `ip link set cable down`."""
    pytest.importorskip("distributed")
    if shutil.which("ip") is None:
        pytest.skip("there is no command ip")
    with ExitStack() as opened:
        for host in (HERE, THERE):
            try:
                ip("netns", "add", host)
            except subprocess.CalledProcessError as error:
                pytest.skip(f"no network namespace can be made: {error.stderr.decode()}")
            opened.callback(ip, "netns", "del", host)
        ends = "cable", "netns", HERE, "type", "veth", "peer", "name", "cable", "netns", THERE
        ip("link", "add", *ends)
        for host, address in ADDRESSES.items():
            ip("-n", host, "addr", "add", f"{address}/24", "dev", "cable")
            ip("-n", host, "link", "set", "cable", "up")
            ip("-n", host, "link", "set", "lo", "up")
        yield


@contextmanager
def running(host: str, *command: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run Python on a host; kill it at the end."""
    with subprocess.Popen(
        ["ip", "netns", "exec", host, sys.executable, *command],
        env={**os.environ, **SETTINGS},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL if command[0] == "-m" else subprocess.PIPE,
    ) as process:
        try:
            yield process
        finally:
            process.kill()  # `ip netns exec` becomes the command, so this is Python


def worker(host: str, folder: Path) -> tuple[str, ...]:
    alone = "--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(folder)
    address = "--host", ADDRESSES[host]
    return host, "-m", "distributed.cli.dask_worker", SCHEDULER, *address, *alone


@pytest.mark.nightly  # hosts are taken for dead only after seconds
@pytest.mark.parametrize("seconds", [PATIENCE / 3, 2 * PATIENCE], ids=["soon", "late"])
def test_a_host_that_vanishes_and_comes_back_costs_no_count(
    hosts: None, tmp_path: Path, seconds: float
) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_bytes(b"".join(b" word%d" % (number % 7919) for number in range(200_000)))
    scheduler = "distributed.cli.dask_scheduler", "--host", ADDRESSES[HERE], "--no-dashboard"
    with (
        running(HERE, "-m", *scheduler),
        running(*worker(HERE, tmp_path)),
        running(*worker(THERE, tmp_path)),
        running(HERE, "-c", COUNT, SCHEDULER, str(corpus)) as counting,
        ExitStack() as later,
    ):
        assert counting.stdin is not None
        assert counting.stdout is not None
        assert counting.stdout.readline() == b"begun\n", counting.communicate()
        ip("-n", THERE, "link", "set", "cable", "down")
        counting.stdin.write(b"go on\n")
        counting.stdin.flush()
        time.sleep(seconds)  # this is how long the host is away
        ip("-n", THERE, "link", "set", "cable", "up")
        later.enter_context(running(*worker(THERE, tmp_path)))
        made, said = counting.communicate(timeout=120)
    assert counting.returncode == 0, said.decode()
    (tmp_path / "made.counts").write_bytes(made)
    counts = count_corpus(Corpus(tmp_path / "made.counts")).counts
    assert [*counts.items()] == [*count_corpus(Corpus(corpus)).counts.items()]
