"""Samples that come with the program: texts and tokenizers, each with the config that opens it.

They are in `samples/`, beside the packages in a checkout, inside `bpe_tui` in an installation.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from bpe_tui.session.config import Config, RunConfig, TokenizerConfig


class Sample(NamedTuple):
    """A sample text: its subject in a word or two, and suitable options.

    Or a tokenizer, which is opened over the text `corpus`.
    """

    name: str
    shows: str
    pattern: str = RunConfig.pattern
    corpus: str | None = None
    units: str = RunConfig.units
    tie_rule: str = RunConfig.tie_rule
    special_tokens: tuple[str, ...] = RunConfig.special_tokens
    min_count: int = RunConfig.min_count


SAMPLES = (
    Sample("tinystories_valid.txt", "short stories"),
    Sample("handout.txt", "four words, by hand", "whitespace"),
    Sample(
        "cat_in_the_hat.txt",
        "a lecture's toy",
        "none",
        tie_rule="first-seen",
        special_tokens=(),
        min_count=1,
    ),
    Sample("unicode.txt", "many scripts"),
    Sample("code.txt", "programs", "cl100k"),
    Sample("we_and_they.txt", "Chinese, by hand", "whitespace", units="characters"),
    Sample("ship.txt", "greedy against BPE"),
    Sample("swapped.json", "tokens never encoded", corpus="ship.txt"),
)


PARALLEL = "parallel"
"""The folder of one text in several languages, a file each: `english.txt`."""
SHORT = "samples"
"""The folder in a sample's short name, `samples/handout.txt`, where there is no such file."""


def directory(package: Path = Path(__file__).parents[1]) -> Path:
    """Return the directory of the samples; `package` is the folder of `bpe_tui`."""
    installed = package / SHORT
    return installed if installed.is_dir() else package.parent / SHORT


def samples() -> list[tuple[Sample, Config]]:
    """Return the samples that exist, each with the config that opens it."""
    place = directory()
    found: list[tuple[Sample, Config]] = []
    for sample in SAMPLES:
        path = place / sample.name
        if not path.is_file():
            continue
        if sample.corpus is None:
            config = RunConfig(
                str(path),
                pattern=sample.pattern,
                units=sample.units,
                tie_rule=sample.tie_rule,
                special_tokens=sample.special_tokens,
                min_count=sample.min_count,
            )
            found.append((sample, config))
        else:
            found.append((sample, TokenizerConfig((str(path),), str(place / sample.corpus))))
    return found


def sample_paths() -> list[Path]:
    """Return the paths of all samples."""
    return [directory() / sample.name for sample in SAMPLES]


def file_of(name: str) -> str:
    """Return the file of a sample if `name` is `samples/…` and no file here; else `name`.

    It may be a glob of the parallel samples. So the examples of the documentation work
    in any directory.
    """
    place, file = os.path.split(os.path.normpath(name))
    if place == os.path.join(SHORT, PARALLEL) and not os.path.lexists(place):
        return str(directory() / PARALLEL / file)
    is_sample = place == SHORT and any(sample.name == file for sample in SAMPLES)
    return str(directory() / file) if is_sample and not os.path.lexists(name) else name


@cache
def parallel_samples() -> Mapping[str, str]:
    """Return the language and the text of each sample that is a translation of the others."""
    files = sorted((directory() / PARALLEL).glob("*.txt"))
    return {file.stem: file.read_text("utf-8") for file in files}
