"""Protocol Buffers as they stand in a file, without a schema: numbered fields, one after the other.

A field is a key (its number, and how its value is written) and the value: a whole number in groups
of seven bits, eight bytes, a length with so many bytes, or four bytes. A message inside a message
is such bytes again. See <https://protobuf.dev/programming-guides/encoding>.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

VARINT, EIGHT_BYTES, BYTES, FOUR_BYTES = 0, 1, 2, 5
_LONGEST_VARINT = 10

Value = int | bytes


class ProtobufError(ValueError):
    """It is no such message; says why."""


def fields_in(data: bytes) -> Iterator[tuple[int, int, Value]]:
    r"""The fields of a message: number, how it is written, value.

    >>> list(fields_in(b"\x08\x96\x01\x12\x02hi"))
    [(1, 0, 150), (2, 2, b'hi')]

    Raises:
        ProtobufError: it is cut short, or no message.
    """
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        number, kind = key >> 3, key & 7
        if number == 0:
            raise ProtobufError(f"a field at byte {place} has the number 0")
        value: Value
        if kind == VARINT:
            value, place = _varint(data, place)
        elif kind in (EIGHT_BYTES, BYTES, FOUR_BYTES):
            length = 8 if kind == EIGHT_BYTES else 4
            if kind == BYTES:
                length, place = _varint(data, place)
            value = data[place : place + length]
            if len(value) < length:
                raise ProtobufError(f"a field at byte {place} is cut short")
            place += length
        else:
            raise ProtobufError(f"a field at byte {place} is written in an unknown way ({kind})")
        yield number, kind, value


def _varint(data: bytes, place: int) -> tuple[int, int]:
    number = 0
    for at, byte in enumerate(data[place : place + _LONGEST_VARINT]):
        number |= (byte & 0x7F) << 7 * at
        if byte < 0x80:
            return number, place + at + 1
    raise ProtobufError(f"a number at byte {place} does not end")


class Message:
    """The fields of a message by their numbers; of one that should stand once the last counts.

    Raises:
        ProtobufError: it is no message, or a field is not written as it should be.
    """

    def __init__(self, data: bytes, kinds: Mapping[int, int]) -> None:
        self._values: defaultdict[int, list[Value]] = defaultdict(list)
        for number, kind, value in fields_in(data):
            if number in kinds:
                if kinds[number] != kind:
                    raise ProtobufError(f"field {number} is written in another way than it should")
                self._values[number].append(value)

    def whole(self, number: int, default: int) -> int:
        found = self._values.get(number)
        return int(found[-1]) if found else default

    def flag(self, number: int, default: bool) -> bool:
        return bool(self.whole(number, default))

    def all_bytes(self, number: int) -> Sequence[bytes]:
        return [value for value in self._values.get(number, ()) if isinstance(value, bytes)]

    def has(self, number: int) -> bool:
        return number in self._values

    def data(self, number: int) -> bytes:
        found = self.all_bytes(number)
        return found[-1] if found else b""

    def text(self, number: int, default: str = "") -> str:
        if not self.has(number):
            return default
        try:
            return self.data(number).decode()
        except UnicodeDecodeError:
            raise ProtobufError(f"field {number} is no UTF-8") from None

    def float(self, number: int) -> float:
        (value,) = struct.unpack("<f", self.data(number) or bytes(4))
        return float(value)

    def message(self, number: int) -> bytes:
        """The bytes of a message inside, whose parts may stand apart."""
        return b"".join(self.all_bytes(number))
