"""The number of generated examples for each test, by profile.

`pytest` tries a twentieth of what a test asks for (`examples`, or Hypothesis's 100),
`pytest --hypothesis-profile thorough` half, and `… full` all of it.
The quick run tries the same examples each time, so that a first run is never red by chance. The
others draw new ones, on machines for continuous integration too, where Hypothesis would not.
Time never decides: a busy machine is no failure.
"""

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from kept import DRAW_CHANGED, draw_changed

from engine import native
from engine.core.systems import available_cores

settings.register_profile("full", max_examples=100, deadline=None, derandomize=False)
settings.register_profile("thorough", max_examples=50, deadline=None, derandomize=False)
settings.register_profile("quick", max_examples=5, deadline=None, derandomize=True)
settings.load_profile("quick")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that draws kept texts again."""
    parser.addoption(DRAW_CHANGED, action="store_true", help="write kept texts that have changed")


def pytest_configure(config: pytest.Config) -> None:
    """Tell the tests, in each process, whether kept texts are drawn again.

    Where Python is to write no bytecode, several processes keep it in pytest's cache: each would
    compile all modules, a minute in all.
    """
    if config.getoption(DRAW_CHANGED):
        draw_changed()
    cache, processes = getattr(config, "cache", None), config.getoption("numprocesses", None)
    if sys.dont_write_bytecode and cache is not None and processes:
        os.environ["PYTHONPYCACHEPREFIX"] = str(cache.mkdir("bytecode"))
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_collection() -> None:
    """Draw no constants of our sources in a quick run.

    Hypothesis would read all modules for them, seconds in each process. Which are imported depends
    on the tests before, so the examples would not be the same each time.
    """
    providers: Any = sys.modules.get("hypothesis.internal.conjecture.providers")
    if settings().max_examples == 5 and providers is not None:  # an older one has none
        providers._get_local_constants = lambda: providers._local_constants


def pytest_xdist_auto_num_workers() -> int:
    """Return one process more than processors, as tests wait for timers and programs.

    Each takes ten seconds to collect and import, so six are enough.
    """
    return min(available_cores() + 1, 6)


@pytest.fixture(autouse=True, scope="session")
def outside_the_checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Run all tests in a temporary folder: what one saves under a bare name goes with it."""
    with chdir(tmp_path_factory.mktemp("here")):
        yield


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that needs Unix on a system that is none."""
    if item.get_closest_marker("unix") and not hasattr(os, "mkfifo"):
        pytest.skip("this system has no pipes with names")


GARBAGE = 300_000
"""Number of new objects after which garbage is collected between two tests: some 50 MB."""


def pytest_collection_finish() -> None:
    """Never search the collected tests for garbage."""
    gc.freeze()


def pytest_runtest_logstart() -> None:
    """Leave garbage to `pytest_runtest_logfinish`: Python's own rhythm takes a tenth of the time.

    The program has a rhythm of its own, which the test before may have set.
    """
    gc.set_threshold(10 * GARBAGE)


def pytest_runtest_logfinish() -> None:
    """Collect garbage if there is much, and never search again what is left."""
    if gc.get_count()[0] > GARBAGE:
        gc.collect()
        gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which kernel was tested; a pull leaves the old one, though its sources are new."""
    folder = Path(native.__file__).parent
    kernel = "compiled" if native.KERNEL else "none (plain Python)"
    if native.KERNEL:
        compiled = (folder / native.LIBRARY).stat().st_mtime
        newest = max((each.stat().st_mtime for each in folder.glob("*.[ch]")), default=0)
        if newest > compiled + 60:  # an installer writes both within seconds
            kernel = "older than engine/native/*.c, so install again"
    terminalreporter.write_line(f"kernel: {kernel}")
