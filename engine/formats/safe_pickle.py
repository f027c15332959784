"""Pickles read as data, by an interpreter of their opcodes that can only make plain values.

`pickle.load` runs any function that a file names, and forbidding names is not enough: ten bytes can
ask for a gigabyte. Here the standard library's disassembler, which executes nothing, cuts the file
into opcodes (`pickletools` explains them). `PickleMachine` executes only those that make bytes,
text, numbers, tuples, lists, dicts and sets.

**Names.** A pickle may name any function of any module, and `pickle.load` calls it. Here a name is
only looked up in the table `NAMES`; nothing is imported. Names are needed because solutions use
`defaultdict` and `Counter`. An object of one of the `CLASSES` becomes a `PickledObject`, which
holds its state and no code. Protocols before 3, Python 2's, have no bytes, and are refused; so are
the opcodes that only they need.

**Memory.** An opcode makes one small object or adds to an existing one. An argument is not longer
than the file. An `Allowance` limits calls and opcodes. Objects may contain one another many times
(a list of itself twice, forty deep), so readers of the values must not descend further than they
need. A key is checked before it is hashed, since hashing descends completely.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sized
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from engine.core.errors import TokenizerFileError
from engine.core.slow_modules import pickletools

MOST_BYTES = 1 << 26
SPARE_COPIES = 1 << 20


class PickleError(TokenizerFileError):
    """A pickle is broken, or holds more than data."""


@dataclass
class Allowance:
    """The limits for all pickles of a file together.

    Attributes:
        opcodes: number of opcodes left; a vocabulary of 200,000 tokens with merges needs 2 ** 21.
        copied: number of bytes and items left that calls may return.
    """

    opcodes: int = 1 << 23
    copied: int = 1 << 26

    def use(self, opcodes: int = 0, copied: int = 0) -> None:
        """Subtract from what is left; raise `PickleError` if nothing is left."""
        self.opcodes -= opcodes
        self.copied -= copied
        if self.opcodes < 0 or self.copied < 0:
            raise PickleError("asks for far more than a vocabulary needs")


# Functions that pickles call by name to make data


def _bytearray(*arguments: Any) -> bytes:
    """Replace `bytearray`, which protocols 3 and 4 call."""
    match arguments:
        case () | (bytes(),):
            return b"".join(arguments)
    raise ValueError("a bytearray is made of bytes")


def _dict(*pairs: Any) -> dict[Any, Any]:
    """Replace `OrderedDict` and `Counter` by an ordinary dict."""
    match pairs:
        case ():
            return {}
        case (dict(made),):
            return dict(made)
    raise ValueError("a dict is made of nothing or of a dict")


def _set(*items: Any) -> set[Any]:
    """Replace `set` and `frozenset`, which protocol 3 calls."""
    match items:
        case ():
            return set()
        case (list(made),) if all(map(_is_key, made)):
            return set(made)
    raise ValueError("a set is made of a list of numbers, text or bytes")


def _never(*arguments: Any) -> Any:
    raise ValueError("a type is only named, not called")


@dataclass(eq=False)
class PickledObject:
    """An object of a class in `CLASSES`: its state, without its class's code.

    Attributes:
        name: its module and class.
        state: what the class's `__setstate__` would get; `None` if the pickle has none.
    """

    name: str
    state: Any = None


CLASSES = frozenset({"tiktoken.core Encoding"})
"""`module name` of the classes whose objects are read."""


NAMES: dict[str, Callable[..., Any]] = {
    "collections OrderedDict": _dict,
    "collections Counter": _dict,
    "collections defaultdict": lambda factory=None, *pairs: _dict(*pairs),
    "builtins bytearray": _bytearray,
    **dict.fromkeys(("builtins set", "builtins frozenset"), _set),
    **{f"builtins {name}": _never for name in ("bytes", "int", "list", "str", "dict", "object")},
    **dict.fromkeys(CLASSES, _never),
}
"""`module name` → the function called instead."""


# The stack machine that runs pickles, limited to plain values

_BEGINNINGS = [("PROTO", protocol) for protocol in range(3, 6)]
LARGEST_NUMBER = 1 << 63

_VALUES = {
    *("BININT", "BININT1", "BININT2", "LONG1", "LONG4", "BINFLOAT"),
    *("SHORT_BINBYTES", "BINBYTES", "BINBYTES8"),
    *("SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8"),
}
"""The opcodes whose argument is the value that they push."""

_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_LENGTHS = {"EMPTY_TUPLE": 0, "TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}


@dataclass(frozen=True)
class _NamedFunction:
    """A function that the pickle names and `NAMES` has."""

    name: str
    function: Callable[..., Any]


class PickleMachine:
    """An interpreter that runs one pickle."""

    def __init__(self, allowance: Allowance) -> None:
        self._allowance = allowance
        self._stack: list[Any] = []
        self._below: list[list[Any]] = []  # the stacks under each mark
        self._memo: dict[int, Any] = {}

    def run(self, opcodes: Iterator[tuple[str, Any]]) -> Any:
        """Execute the opcodes and return the value that they make."""
        if next(opcodes, None) not in _BEGINNINGS:
            raise PickleError(
                "is of a protocol other than 3 to 5; pickle.dump without a protocol writes one of "
                "these"
            )
        for name, argument in opcodes:
            self._allowance.use(opcodes=1)
            if name == "STOP":
                if len(self._stack) != 1 or self._below:
                    raise PickleError("is broken: it does not end with one value")
                return self._stack[0]
            try:
                self._execute(name, argument)
            except IndexError:
                raise PickleError(f"is broken: nothing is left for the opcode {name}") from None
        raise PickleError("is cut short")

    def _execute(self, opcode: str, argument: Any) -> None:
        """Execute one opcode; those that make or change other kinds of objects are refused."""
        if opcode in _VALUES:  # nearly all
            self._push(argument)
            return
        stack = self._stack
        match opcode:
            case "MEMOIZE":
                self._memo[len(self._memo)] = stack[-1]
            case "BINPUT" | "LONG_BINPUT":
                self._memo[argument] = stack[-1]
            case "BINGET" | "LONG_BINGET":
                if argument not in self._memo:
                    raise PickleError(f"is broken: it has kept nothing under {argument}")
                stack.append(self._memo[argument])
            case "NONE" | "NEWTRUE" | "NEWFALSE":
                stack.append(_CONSTANTS[opcode])
            case "BYTEARRAY8":
                stack.append(bytes(argument))
            case "EMPTY_TUPLE" | "TUPLE1" | "TUPLE2" | "TUPLE3":
                items = [stack.pop() for _ in range(_LENGTHS[opcode])]
                stack.append(tuple(reversed(items)))
            case "EMPTY_LIST":
                stack.append([])
            case "EMPTY_DICT":
                stack.append({})
            case "EMPTY_SET":
                stack.append(set())
            case "ADDITEMS":
                self._add_items(self._since_mark())
            case "FROZENSET":
                items = self._since_mark()
                self._stack.append(set())
                self._add_items(items)
            case "MARK":
                self._below.append(stack)
                self._stack = []
            case "POP_MARK":
                self._since_mark()
            case "TUPLE":
                items = self._since_mark()
                self._stack.append(tuple(items))
            case "APPEND":
                self._extend([stack.pop()])
            case "APPENDS":
                self._extend(self._since_mark())
            case "SETITEM":
                value, key = stack.pop(), stack.pop()
                self._set_items([key, value])
            case "SETITEMS":
                self._set_items(self._since_mark())
            case "POP" if stack:
                stack.pop()
            case "POP":
                self._stack = self._below.pop()
            case "GLOBAL":
                self._push_name(argument)
            case "STACK_GLOBAL":
                name, module = stack.pop(), stack.pop()
                if not isinstance(name, str) or not isinstance(module, str):
                    raise PickleError("is broken: a module's name is no text")
                self._push_name(f"{module} {name}")
            case "REDUCE":
                arguments, named = stack.pop(), stack.pop()
                stack.append(self._called(named, arguments))
            case "NEWOBJ":
                arguments, named = stack.pop(), stack.pop()
                stack.append(_new_object(named, arguments))
            case "BUILD":
                self._set_state(stack.pop())
            case "FRAME":
                pass  # it does not affect the values
            case _:
                raise PickleError(
                    f"holds what no vocabulary needs (opcode {opcode}); nothing of it is executed"
                )

    def _push(self, value: Any) -> None:
        if isinstance(value, int) and abs(value) >= LARGEST_NUMBER:
            raise PickleError("holds a number that no tokenizer needs")
        self._stack.append(value)

    def _since_mark(self) -> list[Any]:
        items = self._stack
        self._stack = self._below.pop()
        return items

    def _extend(self, items: list[Any]) -> None:
        if not isinstance(self._stack[-1], list):
            raise PickleError("is broken: it appends to what is no list")
        self._stack[-1].extend(items)

    def _add_items(self, items: list[Any]) -> None:
        made = self._stack[-1]
        if not isinstance(made, set) or not all(map(_is_key, items)):
            raise PickleError("is broken: it adds to what is no set, or what no set can have")
        made.update(items)

    def _set_items(self, items: list[Any]) -> None:
        made = self._stack[-1]
        if not isinstance(made, dict) or len(items) % 2:
            raise PickleError("is broken: it gives keys and values to what is no dict")
        for key, value in zip(items[::2], items[1::2], strict=True):
            if not _is_key(key):
                raise PickleError("has a key that is no number, text, bytes or a few of them")
            made[key] = value

    def _set_state(self, state: Any) -> None:
        made = self._stack[-1]
        if not isinstance(made, PickledObject) or made.state is not None:
            raise PickleError("is broken: it gives a state to what is no object, or a second one")
        made.state = state

    def _push_name(self, name: str) -> None:
        if name not in NAMES:
            raise _refusal(name)
        self._stack.append(_NamedFunction(name, NAMES[name]))

    def _called(self, named: Any, arguments: Any) -> Any:
        if not isinstance(named, _NamedFunction) or not isinstance(arguments, tuple):
            raise PickleError("is broken: it calls what is no function")
        try:
            made = named.function(*arguments)
        except (ValueError, TypeError, AttributeError) as error:
            raise PickleError(f"cannot be read: {named.name}: {str(error)[:80]}") from None
        self._allowance.use(copied=len(made) if isinstance(made, Sized) else 0)
        return made


def _new_object(named: Any, arguments: Any) -> PickledObject:
    if not isinstance(named, _NamedFunction) or named.name not in CLASSES or arguments != ():
        raise PickleError("is broken: it makes an object of what is no class of data")
    return PickledObject(named.name)


def _refusal(name: str) -> PickleError:
    return PickleError(
        f"would call {name.replace(' ', '.')[:80]}: it holds more than data, and nothing of it is "
        "executed; save the data alone: pickle.dump((vocab, merges), file)"
    )


_SCALARS = (int, str, bytes, type(None))
_MOST_IN_KEY = 8


def _is_key(key: Any) -> bool:
    """Whether it is cheap to hash: a scalar, or a short tuple of scalars."""
    if isinstance(key, tuple):
        return len(key) <= _MOST_IN_KEY and all(isinstance(part, _SCALARS) for part in key)
    return isinstance(key, _SCALARS)


def load_pickles(data: bytes) -> list[Any]:
    """Return the values of the consecutive pickles in the data.

    Raises:
        PickleError: the data is no pickle, cut short, far too large, or calls a function that is
            not in `NAMES`.

    >>> import pickle
    >>> load_pickles(pickle.dumps({1: b"a"}) + pickle.dumps([(b"a", b"b")]))
    [{1: b'a'}, [(b'a', b'b')]]
    """
    if len(data) > MOST_BYTES:
        raise PickleError(f"is larger than {MOST_BYTES >> 20} MB, which no pickled vocabulary is")
    stream, allowance = BytesIO(data), Allowance(copied=4 * len(data) + SPARE_COPIES)
    values: list[Any] = []
    while not values or stream.tell() < len(data):
        values.append(PickleMachine(allowance).run(_opcodes(stream)))
    return values


def _opcodes(stream: BytesIO) -> Iterator[tuple[str, Any]]:
    """Yield the name and the argument of each opcode of one pickle."""
    opcodes = pickletools.genops(stream)
    while True:
        try:
            opcode, argument, _ = next(opcodes)
        except StopIteration:
            return
        except (ValueError, struct.error, OverflowError) as error:
            raise PickleError(f"is no pickle, or cut short: {str(error)[:80]}") from None
        # As in Python, a frame longer than the rest of the file is refused.
        left = stream.getbuffer().nbytes - stream.tell()
        if opcode.name == "FRAME" and argument is not None and argument > left:
            raise PickleError("is no pickle, or cut short: a frame is longer than the file")
        yield opcode.name, argument
