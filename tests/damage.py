"""Damage to a file: to its bytes, or to a value in it with the rest written again correctly.

A JSON parser refuses most flipped bytes. To reach the code after the parser, a value is changed and
the whole file is written again. The same is done with pickles, lines, messages of Protocol Buffers,
and compressed files.
"""

import gzip
import json
import pickle
import pickletools
import re
import struct
import zlib
from collections.abc import Callable
from random import Random
from typing import Any

from engine import BpeError
from engine.formats.safe_pickle import load_pickles
from engine.formats.sentencepiece_model import ProtobufError, fields_in
from engine.pipeline.decoders import DECODERS
from engine.pipeline.normalizers import NORMALIZERS
from engine.pipeline.post_processors import POST_PROCESSORS
from engine.pipeline.pretokenizers import PRETOKENIZERS

HARD_TO_DAMAGE = (
    *(ValueError, TypeError, BpeError, RecursionError, MemoryError, OverflowError),
    *(zlib.error, EOFError, OSError, struct.error),
)
Damage = Callable[[bytes, Random], bytes]


def damaged(data: bytes, rng: Random) -> bytes:
    """Return the data with one to four changes."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        known = [change for fits, change in BY_KIND if fits(data)]
        change = rng.choice(known) if known and rng.random() < 0.7 else rng.choice(TO_BYTES)
        try:
            data = change(data or b"\n", rng)
        except HARD_TO_DAMAGE:
            data = rng.choice(TO_BYTES)(data or b"\n", rng)  # an earlier change broke it
    return data


# -- to any bytes

ODD = (
    *(b"[", b"{", b"}", b'"', b"\\ud800", b"null", b"-1", b"1e999", b"0", b"9" * 30, b"true"),
    *(b"\xff", b"\x00", b"\n", b" ", b"</w>", b"\xe2\x96\x81", b"[" * 2000, b"#version: 0.2\n"),
    *(b"<0x41>", b"(?:a+)+$", b"=", b"\x80\x04", b"c__builtin__\neval\n", b"\x1f\x8b\x08"),
)
_NUMBER = re.compile(rb"-?\d+")
_TEXT = re.compile(rb'"[^"\n]{0,60}"')


def _flipped(data: bytes, rng: Random) -> bytes:
    place = rng.randrange(len(data))
    return data[:place] + rng.randbytes(1) + data[place + 1 :]


def _cut(data: bytes, rng: Random) -> bytes:
    start, end = sorted((rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)))
    return data[:start] if rng.random() < 0.3 else data[:start] + data[min(end, start + 40) :]


def _doubled(data: bytes, rng: Random) -> bytes:
    start = rng.randrange(len(data))
    piece = data[start : start + rng.choice((1, 8, 60, 2000))]
    place = rng.randrange(len(data) + 1)
    return data[:place] + piece * rng.choice((1, 1, 2, 50)) + data[place:]


def _with_odd(data: bytes, rng: Random) -> bytes:
    place = rng.randrange(len(data) + 1)
    return data[:place] + rng.choice(ODD) + data[place + rng.choice((0, 0, 1, 5)) :]


def _with_another(kind: re.Pattern[bytes]) -> Damage:
    """Return a change that replaces a number or text by another of the file or an odd one."""

    def changed(data: bytes, rng: Random) -> bytes:
        found = list(kind.finditer(data[rng.randrange(len(data)) :][:3000]))
        if not found:
            return _flipped(data, rng)
        old = rng.choice(found)[0]
        new = rng.choice([*(each[0] for each in found), *ODD])
        place = data.find(old, rng.randrange(len(data)))
        return data if place < 0 else data[:place] + new + data[place + len(old) :]

    return changed


TO_BYTES: tuple[Damage, ...] = (
    *(_flipped, _cut, _doubled, _with_odd, _with_another(_NUMBER), _with_another(_TEXT)),
)


# -- to a value

_STAGES = (*NORMALIZERS, *PRETOKENIZERS, *POST_PROCESSORS, *DECODERS)
ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 1, 255, 256, 1 << 31, 1 << 63, 1 << 64, -(1 << 70), 1.5, 1e308),
    *(float("nan"), "", " ", "a", "\ud800", "\x00", "Ġ", "▁", "</w>", "##a", "<0x41>", "a" * 3000),
    *("\x1b]52;c;aGk=\x07", "(?:a+)+$", "(?a)(?u)x", "\\p{L}+|.", "[[", "é" * 40, "0", "-1"),
    *([], {}, [[]], [None], {"": 0}, {"Regex": "a*"}, {"String": " "}, {"Regex": "(?=a)"}),
    [[[[[[[[]]]]]]]],
    *({"type": stage} for stage in _STAGES),
    *({"type": "Sequence", key: []} for key in ("normalizers", "pretokenizers", "decoders")),
    *_STAGES,
)


def changed_value(value: Any, rng: Random, whole: Any) -> Any:
    """Return the value with one change inside it; other values are taken from `whole`."""
    if isinstance(value, dict | list | tuple) and value and rng.random() < 0.8:
        return _changed_within(value, rng, whole)
    if rng.random() < 0.3:
        return _some_part(whole, rng) if rng.random() < 0.5 else rng.choice(ODD_VALUES)
    if isinstance(value, dict | list | tuple):
        return _changed_container(value, rng, whole)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return rng.choice((value + 1, value - 1, -value, value * 2, str(value), float(value)))
    if isinstance(value, str | bytes):
        place, odd = rng.randrange(len(value) + 1), rng.choice(("\ud800", "Ġ", " ", "\n", "\x85"))
        between = odd if isinstance(value, str) else odd.encode("utf-8", "surrogatepass")
        return rng.choice(
            (value[:place], value[place:], value * 2, value[:0], value[:place] + between)
        )
    return rng.choice(ODD_VALUES)


def _changed_within(value: Any, rng: Random, whole: Any) -> Any:
    if isinstance(value, dict):
        key = rng.choice(list(value))
        if rng.random() < 0.2:
            new = changed_value(key, rng, whole)
            return {_as_key(new) if k == key else k: v for k, v in value.items()}
        return value | {key: changed_value(value[key], rng, whole)}
    place = rng.randrange(len(value))
    items = list(value)
    items[place] = changed_value(items[place], rng, whole)
    return type(value)(items)


def _as_key(value: Any) -> Any:
    return value if isinstance(value, str | int | bytes) else repr(value)[:50]


def _changed_container(value: Any, rng: Random, whole: Any) -> Any:
    items = list(value.items()) if isinstance(value, dict) else list(value)
    kind = rng.randrange(6)
    if kind == 0:
        items = items[: rng.randrange(len(items) + 1)]
    elif kind == 1:
        items = items[::-1]
    elif kind == 2 and items:
        del items[rng.randrange(len(items))]
    elif kind == 3 and len(items) > 1:
        one, other = rng.sample(range(len(items)), 2)
        items[one], items[other] = items[other], items[one]
    elif kind == 4:
        items = items * rng.choice((2, 3, 40))
    else:
        new = rng.choice((*ODD_VALUES, _some_part(whole, rng)))
        at = rng.randrange(len(items) + 1)
        items.insert(at, ("type", new) if isinstance(value, dict) else new)
    if not isinstance(value, dict):
        return type(value)(items)
    if kind == 3 and len(items) > 1:  # also move the values, so that each id has another token
        keys, values = [key for key, _ in items], [each for _, each in items]
        return dict(zip(keys, values[1:] + values[:1], strict=True))
    return dict(items)


def _some_part(whole: Any, rng: Random) -> Any:
    """Return a random value from the file."""
    part = whole
    while isinstance(part, dict | list | tuple) and part and rng.random() < 0.8:
        part = rng.choice(list(part.values()) if isinstance(part, dict) else part)
    return part


def _json(data: bytes, rng: Random) -> bytes:
    value = json.loads(data)
    return json.dumps(changed_value(value, rng, value), ensure_ascii=rng.random() < 0.5).encode(
        "utf-8", "surrogatepass"
    )


def _pickled_value(data: bytes, rng: Random) -> bytes:
    value = rng.choice(load_pickles(data))
    return pickle.dumps(changed_value(value, rng, value), rng.randrange(6))


def _misplace(parts: list[bytes], one: int, other: int, kind: int) -> None:
    """Remove, repeat or move a part: kind 0, 1 or 2."""
    if kind == 0:
        del parts[one]
    elif kind == 1:
        parts.insert(other, parts[one])
    elif kind == 2:
        parts[one], parts[other] = parts[other], parts[one]


def _opcodes(data: bytes, rng: Random) -> bytes:
    """Remove, repeat, move or replace one opcode of a pickle."""
    starts = [place for _, _, place in pickletools.genops(data) if place is not None]
    parts = [data[a:b] for a, b in zip(starts, [*starts[1:], len(data)], strict=True)]
    one, other = rng.randrange(len(parts)), rng.randrange(len(parts))
    _misplace(parts, one, other, kind := rng.randrange(4))
    if kind == 3:
        parts[one] = rng.choice(pickletools.opcodes).code.encode("latin-1") + parts[one][1:]
    return b"".join(parts)


# -- to lines, messages, compressed files and sections


def _lines(data: bytes, rng: Random) -> bytes:
    lines = data.split(b"\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    _misplace(lines, one, other, kind := rng.randrange(5))
    if kind == 3:
        lines[one] = lines[one] + rng.choice((b"", b" ", b"\t")) + lines[other]
    elif kind == 4:
        words = lines[one].split(b" ")
        rng.shuffle(words)
        lines[one] = b" ".join([*words[1:], *rng.choice((words[:1], [rng.choice(ODD)]))])
    return b"\n".join(lines)


def _varint(number: int) -> bytes:
    made = bytearray()
    while number > 0x7F:
        made.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*made, number])


_ODD_NUMBERS = (0, 1, 2, 3, 255, 256, (1 << 31) - 1, 1 << 31, (1 << 64) - 1, (1 << 70) - 1)


def _message(data: bytes, rng: Random) -> bytes:
    """Change, move or remove one field of a message or of an inner message."""
    fields = list(fields_in(data))
    if not fields:
        return _flipped(data or b"\n", rng)
    place, kind = rng.randrange(len(fields)), rng.randrange(6)
    number, wire, value = fields[place]
    if kind == 0:
        del fields[place]
    elif kind == 1:
        fields.insert(rng.randrange(len(fields)), fields[place])
    elif kind == 2:
        fields[place] = rng.choice((number + 1, max(1, number - 1), 1000)), wire, value
    elif isinstance(value, int):
        fields[place] = number, wire, rng.choice((*_ODD_NUMBERS, value + 1))
    elif wire == 2 and rng.random() < 0.7:
        try:
            fields[place] = number, wire, _message(value, rng)
        except ProtobufError:
            fields[place] = number, wire, rng.choice(TO_BYTES)(value or b"\n", rng)
    elif wire == 2:
        fields[place] = number, wire, rng.choice((b"", value * 2, rng.choice(ODD)))
    else:
        odd = (float("nan"), float("inf"), -float("inf"), 0.0, -1e-45, 3e38)
        fields[place] = number, wire, struct.pack("<f", rng.choice(odd))[: len(value)]
    return b"".join(_field(*each) for each in fields)


def _field(number: int, wire: int, value: int | bytes) -> bytes:
    key = _varint(number << 3 | wire)
    if isinstance(value, int):
        return key + _varint(value)
    return key + (_varint(len(value)) if wire == 2 else b"") + value


def _compressed(data: bytes, rng: Random) -> bytes:
    return gzip.compress(damaged(gzip.decompress(data), rng), 1)


def _is_message(data: bytes) -> bool:
    return data[:1] == b"\n" and b"<unk>" in data[:40]


BY_KIND: tuple[tuple[Callable[[bytes], object], Damage], ...] = (
    (lambda data: data.lstrip()[:1] in (b"{", b"["), _json),
    (lambda data: data[:1] == b"\x80", _pickled_value),
    (lambda data: data[:1] == b"\x80", _opcodes),
    (_is_message, _message),
    (lambda data: data[:3] == b"\x1f\x8b\x08", _compressed),
    (lambda data: b"\n" in data[:200], _lines),
)
"""(Whether a change fits a file with this beginning, the change)."""
