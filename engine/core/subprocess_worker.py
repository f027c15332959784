"""Helper processes: plain children that take and give values through pipes.

They know of the parent only what they are sent, end when their pipe does, and never print. Values
are marshalled: quick, and safe between two ends of one program.
"""

from __future__ import annotations

import marshal
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

from engine.core.errors import WorkerError

_LENGTH = struct.Struct("<Q")
_START = "import sys; sys.path[:] = sys.argv[1:]; from {} import main; main()"

SINGLE_THREADED = {"OPENBLAS_NUM_THREADS": "1"}
"""For the environment of a process of ours. Imported, numpy starts a thread a core for linear
algebra, of which there is none here: that takes longer than all the rest of the import."""


def start_helper(module: str) -> subprocess.Popen[bytes]:
    """A process that runs `main()` of a module of the engine.

    Raises:
        WorkerError: the system refuses.
    """
    here = str(Path(__file__).resolve().parents[2])
    try:
        return subprocess.Popen(
            # Without site-packages of its own: it gets our path.
            [sys.executable, "-S", "-P", "-c", _START.format(module), here, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **SINGLE_THREADED},
            start_new_session=True,  # Ctrl+C is for the parent to handle
        )
    except OSError as error:
        raise WorkerError(f"cannot start a helper process: {error}") from error


def send(stream: IO[bytes], value: Any) -> None:
    """Write a value of plain types."""
    message = marshal.dumps(value)
    stream.write(_LENGTH.pack(len(message)))
    stream.write(message)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """The next value; `EOFError` when the other side is gone."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    message = stream.read(length)
    if len(message) < length:
        raise EOFError
    return marshal.loads(message)
