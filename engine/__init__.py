"""Tokenizers that can be watched: training and encoding, every step of them.

- Train: `train_bpe` from a file, `Trainer` from counts, `UnigramTrainer`, `continue_bpe`.
- Encode and decode: `Tokenizer`, `write_ids`. Load and save: `Tokenizer.load`, `convert`.
- Step through a training: `Timeline`, whose `Frame` is the state after each merge.
- Explain: `why_not`, `check`, `longest_match`, `fork`, `ask`.

>>> from engine import Timeline, Tokenizer, Trainer, count_pretokens, train_bpe
>>> vocab, merges = train_bpe("samples/handout.txt", 258, [], pattern="whitespace")
>>> merges
[(b's', b't'), (b'e', b'st')]
>>> Tokenizer(vocab, merges, pattern="whitespace").encode("lowest")
[108, 111, 119, 257]
>>> counts = count_pretokens("samples/handout.txt", pattern="whitespace")
>>> timeline = Timeline(counts, Trainer(counts, 258).steps())
>>> timeline.seek(1).tokens_of(b"newest")
(110, 101, 119, 101, 256)

`PATTERNS`, `TIE_RULES` and `TRAINERS` are registries: a name → its pattern, tie rule, algorithm.

The names in `__all__` are the public API, and a promise: modules may move, these names stay. They
are listed in `__init__.pyi`. `import engine` loads none of them until it is used, so that
programs start fast.

Every error is a `BpeError`; `help("engine.core.errors")` lists them.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

from engine.encoding.tokenizer_files import plug_in

__docformat__ = "google"
"""How docstrings are written, for pdoc."""


def _read_homes() -> dict[str, str]:
    """Return each public name with its module, from the lines of the stub.

    `from engine.bpe.trainer import Trainer as Trainer` → `{"Trainer": "engine.bpe.trainer"}`
    """
    stub = __loader__.get_data(os.path.join(__path__[0], "__init__.pyi")).decode()
    imports = [line.split() for line in stub.splitlines() if line.startswith("from ")]
    return {name: module for _, module, _, name, *_ in imports}


_HOMES = _read_homes()
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("bpe-tui")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found  # the next time Python finds it without asking here
    return found


def __dir__() -> list[str]:
    """Return the public names without the errors, which would fill most of `help(engine)`."""
    others = (name for name, module in _HOMES.items() if module != "engine.core.errors")
    return [*others, "__version__"]


def _formats() -> Any:
    """Return what reads and writes the files of a `Tokenizer`: the formats, which are above it.

    Python runs this module before any other of ours, so this is always plugged in.
    """
    return import_module("engine.formats")  # not before the first file


plug_in(_formats)


if "pdoc" in sys.modules:  # it renders what is in the module already, and asks no `__getattr__`
    for _name in __all__:
        __getattr__(_name)
