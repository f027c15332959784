"""Reading pickles as data: an interpreter of their opcodes that can make nothing but plain values.

`pickle.load` runs whatever a file tells it to, and forbidding names is not enough: ten bytes can
ask for a gigabyte. Here the standard library's disassembler, which executes nothing, cuts the file
into opcodes, and `PickleMachine` knows those that make bytes, text, numbers, tuples, lists and
dicts.
"""

from __future__ import annotations

import pickletools
import struct
from collections.abc import Iterator
from io import BytesIO
from typing import Any

from engine.formats.pickle_limits import Allowance, PickleError
from engine.formats.pickle_machine import PickleMachine

MOST_BYTES = 1 << 26


def load_pickles(data: bytes) -> list[Any]:
    """The values of the pickles in the data, one behind the other.

    Raises:
        PickleError: the data is no pickle, cut short, far too large, or would call something.

    >>> import pickle
    >>> load_pickles(pickle.dumps({1: b"a"}) + pickle.dumps([(b"a", b"b")]))
    [{1: b'a'}, [(b'a', b'b')]]
    """
    if len(data) > MOST_BYTES:
        raise PickleError(f"is larger than {MOST_BYTES >> 20} MB, which no pickled vocabulary is")
    stream, allowance = BytesIO(data), Allowance()
    values: list[Any] = []
    while not values or stream.tell() < len(data):
        values.append(PickleMachine(allowance).run(_opcodes(stream)))
    return values


def _opcodes(stream: BytesIO) -> Iterator[tuple[str, Any]]:
    """The opcodes of one pickle by name, each with its argument."""
    opcodes = pickletools.genops(stream)
    while True:
        try:
            opcode, argument, _ = next(opcodes)
        except StopIteration:
            return
        except (ValueError, struct.error, OverflowError) as error:
            raise PickleError(f"is no pickle, or cut short: {str(error)[:80]}") from None
        yield opcode.name, argument
