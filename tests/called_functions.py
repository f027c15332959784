"""The functions of the program that each quick test calls.

As a plugin of pytest, `-p called_functions`, this module writes them down: a file for each process,
in the folder `CALLED_FUNCTIONS`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest

CALLS: dict[str, list[str]] = defaultdict(list)
PASSED: dict[str, float] = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    codes = {}

    def called(frame, event, given):  # type: ignore[no-untyped-def]
        codes[id(frame.f_code)] = frame.f_code

    threading.settrace(called)
    sys.settrace(called)
    result = yield
    sys.settrace(None)
    threading.settrace(None)  # type: ignore[arg-type]
    for code in list(codes.values()):
        path = Path(code.co_filename)
        if path.is_relative_to(item.config.rootpath):
            name = path.relative_to(item.config.rootpath).as_posix()
            CALLS[f"{name}:{code.co_firstlineno}"].append(item.nodeid)
    return result


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" and report.passed:
        PASSED[report.nodeid] = report.duration


def pytest_sessionfinish() -> None:
    called = {key: [each for each in tests if each in PASSED] for key, tests in CALLS.items()}
    path = Path(os.environ["CALLED_FUNCTIONS"], f"{os.getpid()}.json")
    path.write_text(json.dumps([PASSED, called]), "utf-8")


class CallsOfTests:
    """The seconds of each test that passes, and for each function the tests that call it."""

    def __init__(self, folder: Path) -> None:
        self.seconds: dict[str, float] = {}
        self._tests: dict[str, list[str]] = {}
        for path in folder.glob("*.json"):
            seconds, called = json.loads(path.read_text("utf-8"))
            self.seconds |= seconds
            for function, tests in called.items():
                self._tests.setdefault(function, []).extend(tests)

    @classmethod
    def of_run(cls, checkout: Path, folder: Path) -> CallsOfTests:
        """Run the quick tests of a checkout, with their files in an empty folder."""
        folder.mkdir()
        paths = os.pathsep.join((str(checkout), str(checkout / "tests")))
        env = os.environ | {"PYTHONPATH": paths, "CALLED_FUNCTIONS": str(folder)}
        command = [sys.executable, "-m", "pytest", "-p", "called_functions"]
        subprocess.run(command, cwd=checkout, env=env)
        return cls(folder)

    def tests_of(self, path: str, line: int, seconds: float) -> list[str]:
        """Return tests that call a function: those of its room first, then the fastest."""
        room = "tests/" + "/".join(path.split("/")[:2])
        found = self._tests.get(f"{path}:{line}", [])
        found = sorted(found, key=lambda each: (not each.startswith(room), self.seconds[each]))
        kept: list[str] = []
        for each in found:
            seconds -= self.seconds[each]
            if seconds < 0:
                break
            kept.append(each)
        return kept
