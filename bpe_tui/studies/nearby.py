"""Tokenizer files near a corpus: what a trainer has written beside it, or where we were started."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from bpe_tui.session.config import Claimed, RunConfig
from engine.core.errors import BpeError
from engine.formats import is_tokenizer

LOOKED_AT = 500
"""Most entries of a folder that are looked at."""
MOST_OPENED = 60
"""Most files and folders whose beginning is read, to see whether they are a tokenizer's."""
MOST_FOUND = 20
LARGEST_READ = 1 << 24
"""Size of the largest file that may be read to the end for that; larger ones are left out."""
ENDINGS = (".json", ".txt", ".pkl", ".pickle", ".model", ".tiktoken", ".gguf", ".bpe")
STEPS_ENDING, STEP = ".jsonl", b'"left"'
"""The ending of a file of steps, and a key of its first line."""
MERGES, VOCAB = "merges", "vocab"


@dataclass(frozen=True)
class NearbyFiles:
    """Files that may be checked, their bytes, and when the last of them was changed."""

    claimed: Claimed
    size: int
    changed: float


def nearby_files(config: RunConfig) -> list[NearbyFiles]:
    """Return tokenizer files near the corpus, the latest first; at most `MOST_FOUND`.

    It looks in the folder of the corpus, in the folders there, and in the working directory.
    """
    corpus = Path(config.corpus)
    beside = corpus if corpus.is_dir() else corpus.parent
    folders = dict.fromkeys(folder.resolve() for folder in (beside, Path()) if folder.is_dir())
    own = {Path(name).resolve() for name in (config.corpus, *config.reading.more)}
    found: dict[Claimed, NearbyFiles] = {}
    for folder in folders:
        for paths in islice(_candidates(folder, own), MOST_OPENED):
            with suppress(BpeError, OSError, ValueError):
                if (each := _as_claimed(paths)) is not None:
                    found[each.claimed] = each
    return sorted(found.values(), key=lambda each: -each.changed)[:MOST_FOUND]


def _candidates(folder: Path, own: set[Path]) -> Iterator[tuple[Path, ...]]:
    """Yield vocabulary and merges, single files and folders whose names suggest a tokenizer."""
    with suppress(OSError), os.scandir(folder) as entries:
        paths = [folder / each.name for each in islice(entries, LOOKED_AT) if each.name[0] != "."]
        of_name = {path.name: path for path in sorted(paths) if path not in own}
        for name in [name for name in of_name if MERGES in name.lower()]:
            stem = Path(name.replace(MERGES, VOCAB)).stem
            vocab = next((stem + end for end in ENDINGS if stem + end in of_name), None)
            if vocab is not None and name in of_name:
                yield of_name.pop(vocab), of_name.pop(name)
        yield from ((path,) for name, path in of_name.items() if name.endswith(ENDINGS))
        yield from ((path,) for name, path in of_name.items() if name.endswith(STEPS_ENDING))
        yield from ((path,) for path in of_name.values() if path.is_dir())


def _as_claimed(paths: tuple[Path, ...]) -> NearbyFiles | None:
    """Return a tokenizer's files, or a file of steps; `None` for anything else."""
    files = list(paths)
    if paths[0].is_dir():
        entries = islice(paths[0].iterdir(), LOOKED_AT)
        files = [path for path in entries if path.name.endswith(ENDINGS)]
    status = [path.stat() for path in files]
    amount = sum(each.st_size for each in status)
    if not all(stat.S_ISREG(each.st_mode) for each in status) or not 0 < amount <= LARGEST_READ:
        return None
    are_steps = paths[0].name.endswith(STEPS_ENDING)
    if are_steps:
        with paths[0].open("rb") as file:
            is_claim = STEP in file.readline(LOOKED_AT)
    else:
        is_claim = is_tokenizer(*paths)
    claimed = Claimed(tuple(map(str, paths)), are_steps=are_steps)
    changed = max(each.st_mtime for each in status)
    return NearbyFiles(claimed, amount, changed) if is_claim else None
