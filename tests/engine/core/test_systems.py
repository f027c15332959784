"""Parts of an operating system, held against psutil and the kernel's own tables."""

from __future__ import annotations

import os
import signal

import psutil
import pytest

from engine.core import systems

pytestmark = pytest.mark.unix


def test_sizes_of_this_machine_and_process_are_those_that_psutil_finds() -> None:
    assert systems.memory_of_machine() == psutil.virtual_memory().total
    assert systems.available_cores() == len(psutil.Process().cpu_affinity())
    peak, now = systems.peak_memory(), psutil.Process().memory_info().rss
    assert peak is not None
    assert 0.9 * now <= peak < 8 * now
    assert systems.user_id(-1) == os.getuid()


def test_what_a_system_lacks_has_a_substitute(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with systems.interrupts_blocked():  # a child that starts here gets no Ctrl+C
        assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before | {signal.SIGINT}
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before
    for name in ("sched_getaffinity", "getuid", "sysconf_names"):
        monkeypatch.delattr(os, name)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    found = systems.available_cores(), systems.memory_of_machine(), systems.user_id(-1)
    assert found == (1, None, -1)
    monkeypatch.delattr(systems.signal, "pthread_sigmask")
    with systems.interrupts_blocked():
        assert signal.getsignal(signal.SIGINT)
