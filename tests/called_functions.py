"""The functions of the program that each quick test calls.

As a plugin of pytest, `-p called_functions`, this module writes them down: a file for each process,
in the folder `CALLED_FUNCTIONS`.
"""

import json
import os
import subprocess
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Self

import pytest

CALLS: dict[str, list[str]] = defaultdict(list)
PASSED: set[str] = set()
FIRST = 12


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
        PASSED.add(report.nodeid)


def pytest_sessionfinish() -> None:
    called = {key: [each for each in tests if each in PASSED] for key, tests in CALLS.items()}
    path = Path(os.environ["CALLED_FUNCTIONS"], f"{os.getpid()}.json")
    path.write_text(json.dumps(called), "utf-8")


class CallsOfTests:
    """For each function, the tests that call it and pass."""

    def __init__(self, folder: Path) -> None:
        self._tests: dict[str, list[str]] = defaultdict(list)
        for path in folder.glob("*.json"):
            for function, tests in json.loads(path.read_text("utf-8")).items():
                self._tests[function] += tests
        self._breadth = Counter(test for tests in self._tests.values() for test in tests)

    @classmethod
    def of_run(cls, checkout: Path, folder: Path) -> Self:
        """Run the quick tests of a checkout, with their files in an empty folder."""
        folder.mkdir()
        paths = os.pathsep.join((str(checkout), str(checkout / "tests")))
        env = os.environ | {"PYTHONPATH": paths, "CALLED_FUNCTIONS": str(folder)}
        command = [sys.executable, "-m", "pytest", "-p", "called_functions"]
        subprocess.run(command, cwd=checkout, env=env)
        return cls(folder)

    def tests_of(self, path: str, line: int, most: int) -> list[str]:
        """Return a few tests that are about a function, then others that call it.

        Those with the module's name in their file's are about it, and those that call few
        functions. If the others are more than `most`, every second or third is left out.
        """
        file = f"/test_{Path(path).stem}"
        found = self._tests[f"{path}:{line}"]
        found = sorted(found, key=lambda test: (file not in test, self._breadth[test]))
        others = found[FIRST:][:: -max(-(-len(found[FIRST:]) // most), 1)]
        return [*found[:FIRST], *others]
