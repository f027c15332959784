"""The texts that come with the program, and how each is best opened.

In a checkout they lie in `samples/` beside the packages, in an installation inside `bpe_tui`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bpe_tui.session.config import RunConfig


@dataclass(frozen=True)
class Sample:
    """A text and what it shows, in a word or two; `pattern` cuts it as it is meant to be cut."""

    name: str
    shows: str
    pattern: str = RunConfig.pattern


SAMPLES = (
    Sample("tinystories_valid.txt", "short stories"),
    Sample("handout.txt", "four words, by hand", "whitespace"),
    Sample("unicode.txt", "many scripts"),
    Sample("code.txt", "programs", "cl100k"),
)


def directory(package: Path = Path(__file__).parents[1]) -> Path:
    """Where the samples lie; `package` is the folder of `bpe_tui`."""
    installed = package / "samples"
    return installed if installed.is_dir() else package.parent / "samples"


def samples() -> list[tuple[Sample, RunConfig]]:
    """The samples that are there, and what opens each."""
    return [
        (sample, RunConfig(str(path), pattern=sample.pattern))
        for sample in SAMPLES
        if (path := directory() / sample.name).is_file()
    ]
