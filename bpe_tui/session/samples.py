"""The texts and the tokenizer that come with the program, and how each is best opened.

In a checkout they lie in `samples/` beside the packages, in an installation inside `bpe_tui`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bpe_tui.session.config import Config, RunConfig, TokenizerConfig


@dataclass(frozen=True)
class Sample:
    """A text and what it shows, in a word or two; `pattern` cuts it as it is meant to be cut.

    Or a tokenizer, which is opened over the text `corpus`.
    """

    name: str
    shows: str
    pattern: str = RunConfig.pattern
    corpus: str | None = None

    def config(self, place: Path) -> Config:
        """What opens it, from the directory of the samples."""
        path = str(place / self.name)
        if self.corpus is None:
            return RunConfig(path, pattern=self.pattern)
        return TokenizerConfig((path,), corpus=str(place / self.corpus))


SAMPLES = (
    Sample("tinystories_valid.txt", "short stories"),
    Sample("handout.txt", "four words, by hand", "whitespace"),
    Sample("unicode.txt", "many scripts"),
    Sample("code.txt", "programs", "cl100k"),
    Sample("ship.txt", "greedy against BPE"),
    Sample("swapped.json", "unreachable tokens", corpus="ship.txt"),
)


def directory(package: Path = Path(__file__).parents[1]) -> Path:
    """Where the samples lie; `package` is the folder of `bpe_tui`."""
    installed = package / "samples"
    return installed if installed.is_dir() else package.parent / "samples"


def samples() -> list[tuple[Sample, Config]]:
    """The samples that are there, and what opens each."""
    place = directory()
    return [(sample, sample.config(place)) for sample in SAMPLES if (place / sample.name).is_file()]
