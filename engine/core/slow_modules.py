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
    import bz2
    import difflib
    import glob
    import gzip
    import hashlib
    import html
    import json
    import lzma
    import shutil
    import signal
    import tempfile
    import unicodedata
    import zlib
    from urllib import parse

    import numpy as np
    import regex
else:
    bz2 = _LoadedWhenUsed("bz2")
    difflib = _LoadedWhenUsed("difflib")
    glob = _LoadedWhenUsed("glob")
    gzip = _LoadedWhenUsed("gzip")
    hashlib = _LoadedWhenUsed("hashlib")
    html = _LoadedWhenUsed("html")
    json = _LoadedWhenUsed("json")
    lzma = _LoadedWhenUsed("lzma")
    np = _LoadedWhenUsed("numpy")
    parse = _LoadedWhenUsed("urllib.parse")
    regex = _LoadedWhenUsed("regex")
    shutil = _LoadedWhenUsed("shutil")
    signal = _LoadedWhenUsed("signal")
    tempfile = _LoadedWhenUsed("tempfile")
    unicodedata = _LoadedWhenUsed("unicodedata")
    zlib = _LoadedWhenUsed("zlib")

__all__ = [
    "bz2",
    "difflib",
    "glob",
    "gzip",
    "hashlib",
    "html",
    "json",
    "lzma",
    "np",
    "parse",
    "regex",
    "shutil",
    "signal",
    "tempfile",
    "unicodedata",
    "zlib",
]
