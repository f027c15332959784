# ruff: noqa: E402, the path has to be known before the imports
"""Measure how long files take whose lists are blown up.

    python tests/blown_files.py [BYTES] [NAME …]

Each file has one list, text or nesting that is as long as the file allows: many ids, merges,
special tokens or stages, a long token, deep nesting. Reading a file of a megabyte takes at most two
seconds of processor time; refusing it in our own words is as good. The slow ones come last.
"""

import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parent
sys.path[:0] = [
    str(TESTS),
    str(TESTS.parent),
    *(str(TESTS / "engine" / room) for room in ("", "learning")),
]

import blown_others
import blown_pipelines
import blown_solutions
from blown import BLOWN
from fuzz_formats import USES

from engine import BpeError
from engine.formats import is_tokenizer, open_tokenizer

assert all((blown_others, blown_pipelines, blown_solutions))  # importing them fills the registry
MEGABYTE = 1 << 20
MOST_SECONDS = 2.0
GIVE_UP = 20
"""Seconds of processor time after which a process is killed."""


def seconds_of(name: str, size: int) -> tuple[float, int, str]:
    """Return the processor time of reading in a process of its own, the size, and the outcome."""
    files = BLOWN[name](size)
    total = sum(map(len, files.values()))
    with tempfile.TemporaryDirectory() as place:
        paths = [Path(place, file) for file in files]
        for path, content in zip(paths, files.values(), strict=True):
            path.write_bytes(content)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            resource.setrlimit(resource.RLIMIT_CPU, (GIVE_UP, GIVE_UP))
            os.write(writer, json.dumps(read(name, paths)).encode())
            os._exit(0)
        os.close(writer)
        answer = b"".join(iter(lambda: os.read(reader, 4096), b""))
        os.close(reader)
        _, status, used = os.wait4(child, 0)
    if not answer:
        return used.ru_utime + used.ru_stime, total, f"died with {status}"
    seconds, outcome = json.loads(answer)
    return seconds, total, outcome


def read(name: str, paths: list[Path]) -> tuple[float, str]:
    """Read the files; return the processor time and the outcome."""
    format = name.partition(":")[0]
    given = paths if len(paths) <= 2 else [paths[0].parent]
    started = time.process_time()
    outcome = "read"
    try:
        if format in USES:
            USES[format](*given)
        elif is_tokenizer(*given[:1]) or len(given) > 1:
            open_tokenizer(*given)
    except BpeError as error:
        outcome = str(error).replace(str(paths[0].parent), "")[:90]
    except BaseException as error:
        outcome = f"FAILS: {type(error).__name__}: {error}"[:120]
    return time.process_time() - started, outcome


def main(arguments: list[str]) -> int:
    size = int(arguments[0]) if arguments else MEGABYTE
    wanted = arguments[1:]
    names = [name for name in BLOWN if not wanted or any(each in name for each in wanted)]
    found = []
    for name in names:
        found.append((*seconds_of(name, size), name))
        print(f"{found[-1][0]:7.2f} s  {found[-1][1]:>10,}  {name}: {found[-1][2]}", flush=True)
    slow = [each for each in sorted(found) if each[0] > MOST_SECONDS or "FAILS" in each[2]]
    print(f"{len(found)} files, {len(slow)} of them slow")
    for seconds, _, outcome, name in slow:
        print(f"{seconds:7.2f} s  {name}: {outcome}")
    return min(1, len(slow))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
