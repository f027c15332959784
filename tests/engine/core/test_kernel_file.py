"""A damaged file of the kernel is found before it is loaded: Python does the work then."""

import os
import struct
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import engine
from engine import native
from engine.core.errors import KernelMemoryError
from engine.native import KERNEL, LIBRARY, SWITCH, KernelObject, host, load_kernel

WHOLE = Path(engine.__file__).parent / "native" / LIBRARY

LOAD = """
import sys
from pathlib import Path
from engine.native import load_kernel
for path in map(Path, sys.argv[1:]):
    library, why = load_kernel(path)
    print(path.name, library is not None, why, sep="|", flush=True)
"""


def loaded(*paths: Path) -> dict[str, tuple[bool, str]]:
    """Load each file in a process of its own, which a bad one may kill; return what came of it."""
    done = subprocess.run(
        [sys.executable, "-c", LOAD, *map(str, paths)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    lines = (line.split("|") for line in done.stdout.splitlines())
    return {name: (is_loaded == "True", why) for name, is_loaded, why in lines}


@pytest.mark.skipif(KERNEL is None, reason="the kernel is not compiled here")
def test_a_damaged_kernel_is_as_if_there_were_none(tmp_path: Path) -> None:
    whole = WHOLE.read_bytes()
    size = len(whole)
    places = [0, 1, 4, 5, 16, 63, 64, 200, 4095, 4096, 8192, size // 2, size - 4096, size - 1]
    contents = {f"cut{at}": whole[:at] for at in places}
    contents |= {"text": b"no library\n", "elf": b"\x7fELF" + bytes(60), "whole": whole}
    contents["longer"] = whole + b"more"
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder").mkdir()
    (tmp_path / "unreadable").write_bytes(whole)
    (tmp_path / "unreadable").chmod(0)
    found = loaded(*sorted(tmp_path.iterdir()), tmp_path / "missing")
    assert found.pop("whole") == found.pop("longer") == (True, "")
    assert found.pop("missing") == (False, "not compiled here")
    if os.access(tmp_path / "unreadable", os.R_OK):  # by root
        assert found.pop("unreadable") == (True, "")
    assert not any(is_loaded for is_loaded, _ in found.values())
    again = "install the program again"
    assert {why for _, why in found.values()} <= {
        f"{LIBRARY} cannot be loaded; {again}",
        f"{LIBRARY} is cut short; {again}",
    }
    assert found[f"cut{size - 1}"] == (False, f"{LIBRARY} is cut short; {again}")


CUT_SHORT = (None, f"{LIBRARY} is cut short; install the program again")
NO_LIBRARY = (None, f"{LIBRARY} cannot be loaded; install the program again")


def elf(bits: int, order: str, segment_end: int, sections_end: int) -> bytes:
    """Return the headers of a library: two segments, of which the second ends last, 3 sections."""
    header, segment = ("16sHHIIIIIHHHHHH", "8I") if bits == 32 else ("16sHHIQQQIHHHHHH", "IIQQQQQQ")
    start, size, row = (struct.calcsize(order + form) for form in (header, segment, "10I"))
    places = [1, 4] if bits == 32 else [2, 5]
    segments = b""
    for ends in ((7, 70), (segment_end - 90, 90)):
        fields = [1 << 20] * 8  # addresses and flags, which say nothing about the file
        for place, number in zip(places, ends, strict=True):
            fields[place] = number
        segments += struct.pack(order + segment, *fields)
    mark = b"\x7fELF" + bytes([bits // 32, 1 if order == "<" else 2])
    about = (start, sections_end - 3 * row, 0, start, size, 2, row, 3, 1 << 15)
    return struct.pack(order + header, mark, 3, 62, 1, 1 << 20, *about) + segments


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("ends", [(5000, 600), (600, 5000)])
def test_a_library_is_cut_short_without_its_last_byte(
    bits: int, order: str, ends: tuple[int, int], tmp_path: Path
) -> None:
    path = tmp_path / LIBRARY
    assert load_kernel(str(path)) == (None, "not compiled here")
    headers = elf(bits, order, *ends)
    for size, found in ((4999, CUT_SHORT), (len(headers) - 1, CUT_SHORT), (5000, NO_LIBRARY)):
        path.write_bytes(headers.ljust(size, b"\xff")[:size])
        assert load_kernel(str(path)) == found, size


def test_a_structure_is_freed_once_with_its_object(monkeypatch: pytest.MonkeyPatch) -> None:
    freed: list[int] = []
    kernel = SimpleNamespace(a_new=lambda number: number, a_free=freed.append, fail=lambda _: -1)
    monkeypatch.setattr(native, "KERNEL", kernel)
    with pytest.raises(KernelMemoryError, match="no memory"):
        KernelObject("a", "no memory", 0)
    first, second = KernelObject("a", "no memory", 1), KernelObject("a", "no memory", 2)
    with pytest.raises(KernelMemoryError, match="no memory"):
        first.call("fail")
    first.free()
    with pytest.raises(KernelMemoryError, match="no memory"):
        first.call("a_new")
    assert freed == [1]
    del first, second
    assert freed == [1, 2]


def test_functions_of_python_are_lent_where_its_lock_is(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []
    monkeypatch.setattr(host, "KERNEL", SimpleNamespace(host_set=given.extend))
    for has_lock in (True, False):
        monkeypatch.setattr(sys, "_is_gil_enabled", lambda has=has_lock: has, raising=False)
        assert host._set_host() == (has_lock and sys.implementation.name == "cpython")
    of_cpython = [2 + len(host._NAMES), id(None)] if sys.implementation.name == "cpython" else [0]
    assert [len(given), *given[:1]] == of_cpython
    monkeypatch.setattr(host, "KERNEL", None)
    assert not host._set_host()


def test_the_kernel_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SWITCH, "no")
    assert load_kernel(str(WHOLE)) == (None, f"switched off by {SWITCH}=no")
