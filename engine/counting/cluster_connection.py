"""The connection to a cluster: a Dask scheduler somewhere, or one of its own on this machine.

Dask is imported only here and in `engine.counting.cluster`, on demand.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from multiprocessing import resource_tracker
from typing import Any

from engine.core.errors import BpeError, ClusterError, HelperWarning
from engine.core.systems import interrupts_blocked
from engine.counting.cluster_tasks import TASKS
from engine.native import KERNEL

SECONDS = 20
"""Time for the scheduler to answer."""
PATIENCE = 5
"""Seconds without workers before the warning."""
_QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.scheduler.active-memory-manager.start": False,
}
"""Dask's settings for a cluster of our own: without statistics, which take a tenth of the time."""
_NO_NETWORK = "127.0.0.1:0"
"""Any free port, for this machine alone."""
_LOCAL = re.compile(r"local:([1-9]\d{0,3})")
_ADDRESS = re.compile(r"(?:tcp|tls)://([^/\s]+):(\d{1,5})")


def _is_address(cluster: str) -> bool:
    """Whether an address has a valid host and port: Dask's client hangs on an invalid one."""
    found = _ADDRESS.fullmatch(cluster)
    if found is None:
        return False
    host, port = found.groups()
    try:
        return bool(host.encode("idna")) and 0 < int(port) < 1 << 16
    except ValueError:
        return False


@contextmanager
def connected(cluster: str) -> Iterator[Any]:
    """Open a client of a cluster, and check that its workers can do the tasks."""
    local = _LOCAL.fullmatch(cluster)
    if local is None and not _is_address(cluster):
        raise ClusterError(
            f"{cluster}: is not a cluster; give tcp://HOST:PORT, tls://HOST:PORT or local:N"
        )
    try:
        from distributed import Client
    except ImportError:
        raise ClusterError(
            "a cluster needs Dask, which is not installed; install it (pip install "
            "'bpe-tui[cluster]')"
        ) from None
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # its messages would overwrite ours
    with ExitStack() as opened:
        try:
            with explained_errors(cluster):
                address: Any = cluster
                if local is not None:
                    address = opened.enter_context(_own_cluster(int(local[1])))
                _check_certificates(cluster)
                connection = Client(address, timeout=SECONDS, set_as_default=False)
                client = opened.enter_context(connection)
                _wait_for_workers(client, cluster)
                _check_workers(client, cluster)
            yield client
        except KeyboardInterrupt:
            opened.pop_all()  # closing would wait for Dask's processes; they end with this one
            raise


def _own_cluster(workers: int) -> Any:
    """Start a scheduler and workers on this machine.

    The workers are threads of this process if the kernel counts, since it lets other threads run.
    So nothing is sent, and Dask is imported once.
    """
    import dask
    from distributed import LocalCluster

    if KERNEL is not None:
        shape = {"processes": False, "n_workers": 1, "threads_per_worker": workers}
        limits = {"memory_limit": None}  # else Dask would put counts on the disk
    else:
        resource_tracker.ensure_running()  # started later, it would inherit a screen's files
        shape, limits = {"n_workers": workers, "threads_per_worker": 1}, {}
    with dask.config.set(_QUIET), interrupts_blocked():
        return LocalCluster(
            dashboard_address=None,
            # Without them Dask opens port 8787 and another one, to all networks.
            scheduler_kwargs={"dashboard_address": _NO_NETWORK},
            worker_dashboard_address=_NO_NETWORK,
            silence_logs=logging.CRITICAL,
            **shape,
            **limits,
        )


def _check_certificates(cluster: str) -> None:
    """Raise an error if Dask's settings name no certificates: its client would wait long."""
    if not cluster.startswith("tls://"):
        return
    from distributed import Security

    try:
        context = Security().get_connection_args("client").get("ssl_context")
    except (OSError, ValueError) as error:
        raise ClusterError(f"{cluster}: the certificates cannot be read: {error}") from error
    if context is None:
        raise ClusterError(
            f"{cluster}: needs certificates; name them in Dask's settings (distributed.comm.tls)"
        )


def _wait_for_workers(client: Any, cluster: str) -> None:
    """Wait for a worker; give a `HelperWarning` after `PATIENCE` seconds, and wait on."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        message = f"{cluster}: there are no workers; waiting for workers, Ctrl+C ends"
        warnings.warn(message, HelperWarning, stacklevel=1)
        client.wait_for_workers(1)


def _check_workers(client: Any, cluster: str) -> None:
    def tasks() -> int | None:  # pickled by value, so it runs where this package is missing
        try:
            from engine.counting import cluster_tasks
        except ImportError:
            return None
        return cluster_tasks.TASKS

    for worker, known in client.run(tasks).items():
        if known != TASKS:
            lack = "has no bpe-tui" if known is None else "has another version of bpe-tui"
            raise ClusterError(f"{cluster}: the worker {worker} {lack}; install this one there")


@contextmanager
def explained_errors(cluster: str) -> Iterator[None]:
    """Turn errors of the cluster into `ClusterError`s."""
    try:
        yield
    except BpeError:
        raise
    except ImportError as error:
        raise ClusterError(
            f"{cluster}: a worker has no {error.name}; install bpe-tui there, with what it needs"
        ) from error
    except CancelledError as error:
        raise ClusterError(
            f"{cluster}: the scheduler has ended; start it and count again"
        ) from error
    except TimeoutError as error:
        raise ClusterError(f"{cluster}: no scheduler answers within {SECONDS} seconds") from error
    except OSError as error:
        also = "do the certificates fit" if cluster.startswith("tls") else "does it use tcp"
        raise ClusterError(
            f"{cluster}: the connection failed; is the scheduler running, and {also}?"
        ) from error
    except Exception as error:
        if type(error).__name__ == "KilledWorker":
            raise ClusterError(
                f"{cluster}: workers died repeatedly over one task; give them more memory"
            ) from error
        raise
