"""A random folder gives the ids of one tokenizer that is whole in it, or is refused by name."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from test_published_folders import OTHER_FILES
from tiny_tokenizers import GOLDEN, handout

from engine import BpeError, Tokenizer
from engine.formats import open_tokenizer
from engine.formats.folder_settings import CONFIG, GENERATION

TEXT = "lowest low 12 the cat"
SETTINGS = {GENERATION: b'{"eos_token_id": 2}', CONFIG: b"{}"}


def tokenizers(folder: Path) -> dict[str, dict[str, bytes]]:
    """Return the files of four tokenizers with different ids."""
    tok = handout()
    ranks = Tokenizer({i: bytes([255 - i]) for i in range(256)}, [])
    tok.save(folder / "gpt2", "gpt2")
    ranks.save(folder / "ranks", "tiktoken")
    shuffled = {i: bytes([(i + 7) % 256]) for i in range(256)} | {256: b"lo"}
    Tokenizer(shuffled, [(b"l", b"o")]).save(folder / "json", "huggingface")
    gpt2 = {name: (folder / "gpt2" / name).read_bytes() for name in ("vocab.json", "merges.txt")}
    return {
        "gpt2": gpt2,
        "ranks": {"my.tiktoken": (folder / "ranks").read_bytes()},
        "json": {"tokenizer.json": (folder / "json").read_bytes()},
        "pieces": {"tokenizer.model": (GOLDEN / "llama.model").read_bytes()},
    }


def ids_in(folder: Path, files: dict[str, bytes]) -> list[int]:
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return open_tokenizer(folder).tokenizer.encode(TEXT)


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(n, marks=pytest.mark.nightly) for n in range(1, 17))]
)
def test_a_random_folder_is_read_right_or_refused(seed: int, tmp_path: Path) -> None:
    random, made = Random(seed), tokenizers(tmp_path)
    right = {name: ids_in(tmp_path / f"only {name}", files) for name, files in made.items()}
    others = {name: text.encode() for name, text in OTHER_FILES.items()} | SETTINGS
    read = 0
    for number in range(30 if seed else 5):
        chosen = random.sample(list(made), random.choice([1, 1, 2, 3]))
        files = {name: data for each in chosen for name, data in made[each].items()}
        whole = set(chosen)
        if random.random() < 0.4:
            cut = random.choice(list(files))
            files[cut] = files[cut][: random.randrange(len(files[cut]) - 2)]
            whole = {each for each in chosen if cut not in made[each]}
        for name in random.sample(list(others), random.randint(0, 4)):
            files.setdefault(name, others[name])
        try:
            ids = ids_in(tmp_path / str(number), files)
        except BpeError:
            assert len(chosen) > 1 or not whole, files.keys()
            continue
        read += 1
        assert ids in [right[each] for each in whole], files.keys()
    assert read
