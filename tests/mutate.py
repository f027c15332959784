"""Change the code at random places, and list the changes that no quick test notices.

    python tests/mutate.py [CHANGES [SEED …]]

Each change turns a comparison, swaps `and` and `or` or `+` and `-`, takes a `not` away, adds one
to a number, or drops a call. Each package gets that number of changes, for each seed. All quick
tests run once in a copy of the checkout, to find the functions that each calls. Then one process
loads all, and a fork of it for each change runs the tests that call the changed function, the
likeliest first. A survivor may change nothing that is seen. A change that no test ran is one, too.
"""

import gc
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from itertools import product, zip_longest
from pathlib import Path
from types import CodeType, FunctionType

import pytest
from called_functions import CallsOfTests
from code_changes import Change, changes_of

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("engine", "bpe_tui")
MOST_TESTS, MOST_SECONDS, MOST_WAIT = 400, 300, 30
"""Number of tests that a change meets, their processor time, and the time of each, in seconds."""


def copy_checkout(folder: Path) -> None:
    """Copy all files that git knows, and the kernel of the installed package if it has one."""
    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
    for name in filter(None, listed.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    installed = find_spec("engine")
    assert installed is not None
    for kernel in Path(str(installed.origin)).parent.glob("native/kernel.library"):
        shutil.copy2(kernel, folder / "engine" / "native")


def codes_in(code: CodeType) -> Iterator[tuple[tuple[str, int], CodeType]]:
    """Yield the name, the line and the code of each function in a file or in a function."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield (inner.co_qualname, inner.co_firstlineno), inner
            yield from codes_in(inner)


class MeetChanges:
    """A plugin of pytest that runs the tests of each change instead of all tests once."""

    def __init__(self, checkout: Path, calls: CallsOfTests, wanted: int, seeds: list[int]) -> None:
        self._checkout, self._calls = checkout, calls
        self._begun = checkout.parent / "begun"
        self._wanted, self._seeds = wanted, seeds
        self._functions: list[FunctionType] = []
        self._items: dict[str, pytest.Item] = {}
        self._failed = False

    def pytest_collection(self) -> None:
        """Load all modules before the tests, and keep their functions."""
        for package in PACKAGES:
            for path in sorted((self._checkout / package).rglob("[!_]*.py")):
                import_module(".".join(path.relative_to(self._checkout).with_suffix("").parts))
        self._functions = [each for each in gc.get_objects() if isinstance(each, FunctionType)]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._failed |= report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Print the survivors of each seed and package."""
        self._items = {item.nodeid: item for item in session.items}
        for seed, package in product(self._seeds, PACKAGES):
            found: list[Change] = []
            for path in (ROOT / package).rglob("*.py"):
                found += changes_of(path, path.relative_to(ROOT).as_posix())
            chosen = sorted(random.Random(seed).sample(sorted(found), self._wanted))
            survivors = {change: why for change in chosen if (why := self._why_unseen(change))}
            for (name, line, _, start, end, new), why in survivors.items():
                old = (ROOT / name).read_bytes()[start:end].decode()
                print(f"{name}:{line}: {old} -> {new.replace(chr(10), '')} ({why})")
            print(f"seed {seed}: {len(survivors)} of {self._wanted} survive in {package}")
            sys.stdout.flush()  # a fork would print it, too
        return True

    def _why_unseen(self, change: Change) -> str:
        """Say why no test notices a change; empty if one does."""
        found = self._calls.tests_of(change.path, change.function, MOST_TESTS)
        items = [self._items[test] for test in found if test in self._items]
        self._begun.write_text("0")
        is_passed = self._passes(change, items)
        begun = int(self._begun.read_text())
        if not begun:
            return "no test ran"
        if is_passed:
            return f"{begun} passed"
        is_cause = self._passes(change._replace(end=change.start, new=""), items[:begun])
        return "" if is_cause else "they fail without it, too"

    def _passes(self, change: Change, items: Sequence[pytest.Item]) -> bool:
        """Whether tests pass with a change; programs that they start read it from its file."""
        path = self._checkout / change.path
        old, times = path.read_bytes(), path.stat()
        path.write_bytes(change.text(old))
        try:
            if not (child := os.fork()):
                self._run(items, path)
            is_passed = os.waitpid(child, 0)[1] == 0
            with suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)  # what its tests have left
            return is_passed
        finally:
            path.write_bytes(old)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))  # compiled files still fit

    def _run(self, items: Sequence[pytest.Item], path: Path) -> None:
        """Run tests with the code of a file as it is now, and end the process: 0 if all pass."""
        failed = 1
        try:
            os.setsid()
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
            codes = dict(codes_in(compile(path.read_bytes(), str(path), "exec", dont_inherit=True)))
            for function in self._functions:
                old = function.__code__
                if old.co_filename == str(path):
                    function.__code__ = codes[old.co_qualname, old.co_firstlineno]
            for begun, (item, after) in enumerate(zip_longest(items, items[1:]), 1):
                if not self._failed:
                    self._begun.write_text(f"{begun}")
                    signal.alarm(MOST_WAIT)
                    item.ihook.pytest_runtest_protocol(item=item, nextitem=after)
            failed = self._failed
        finally:
            os._exit(failed)


def main() -> None:
    wanted, *seeds = [*map(int, sys.argv[1:])] or [40]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        checkout = folder / "checkout"
        copy_checkout(checkout)
        calls = CallsOfTests.of_run(checkout, folder / "calls")
        os.chdir(checkout)
        sys.path.insert(0, str(checkout))
        os.environ |= {"PYTHONPATH": str(checkout), "PYTHONDONTWRITEBYTECODE": "1"}
        plugin = MeetChanges(checkout, calls, wanted, seeds or [random.randrange(10**6)])
        options = ["-n", "0", "-s", "-p", "no:cacheprovider", f"--basetemp={folder / 'temporary'}"]
        sys.exit(pytest.main(options, [plugin]))


if __name__ == "__main__":
    main()
