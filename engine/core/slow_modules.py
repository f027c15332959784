"""Modules that are imported at their first use: a short training needs few of them.

Importing numpy takes longer than training on a small corpus, and `regex` as long as counting it.
Importing a name from here costs nothing; reading its first attribute loads the module.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any


class _LoadedWhenUsed(ModuleType):
    """A placeholder for a module; reading its first attribute loads the module."""

    def __getattr__(self, name: str) -> Any:
        module = import_module(self.__name__)
        self.__dict__.update(vars(module))
        self.__class__ = ModuleType  # type: ignore[assignment]  # from now on Python finds attributes without this method
        return getattr(module, name)


if TYPE_CHECKING:
    import bz2 as bz2
    import csv as csv
    import difflib as difflib
    import glob as glob
    import gzip as gzip
    import hashlib as hashlib
    import json as json
    import lzma as lzma
    import pickletools as pickletools
    import platform as platform
    import random as random
    import shutil as shutil
    import signal as signal
    import socket as socket
    import tempfile as tempfile
    import traceback as traceback
    import unicodedata as unicodedata
    import zlib as zlib

    import numpy
    import regex as regex

    np = numpy
else:
    _FULL_NAMES = {"np": "numpy"}

    def __getattr__(name: str) -> ModuleType:
        if name.startswith("__"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        placeholder = _LoadedWhenUsed(_FULL_NAMES.get(name, name))
        globals()[name] = placeholder  # one for all who import it
        return placeholder
