"""`vocab.json` and `merges.txt` that Hugging Face's trainer wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from engine import TokenizerFileError
from engine.formats import open_tokenizer

CHESS = (
    "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 1-0",
    "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O 6. cxd5 Nxd5 9. Bxe7 Qxe7 1/2-1/2",
)
AMHARIC = (
    "ሰላም ለዓለም። እንዴት ነህ? ደህና ነኝ፣ አመሰግናለሁ።",
    "አማርኛ የኢትዮጵያ ፌዴራላዊ ዴሞክራሲያዊ ሪፐብሊክ የሥራ ቋንቋ ነው።",
)

BYTES = pre_tokenizers.ByteLevel(add_prefix_space=False)
WORDS = pre_tokenizers.Whitespace()


@pytest.mark.parametrize(
    ("cut", "reason"),
    [
        (BYTES, "needs every single byte"),
        (WORDS, "open the tokenizer.json"),
    ],
)
def test_tokens_of_other_units_than_the_256_bytes_are_refused(
    tmp_path: Path, cut: Any, reason: str
) -> None:
    library = Tokenizer(models.BPE())
    library.pre_tokenizer = cut
    trainer = trainers.BpeTrainer(vocab_size=150, show_progress=False)
    library.train_from_iterator(AMHARIC * 20, trainer)
    library.model.save(str(tmp_path))
    with pytest.raises(TokenizerFileError, match=reason):
        open_tokenizer(tmp_path)


@pytest.mark.parametrize("settings", [{}, {"tokenizer_config.json": {"eos_token": "<s>"}}])
def test_tokens_that_no_merge_makes_are_in_no_text(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    """Qwen 3.5's vocabulary has such tokens, among those that merges make."""
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        show_progress=False,
        special_tokens=["<s>", "Ġnever", "PAD"],
        initial_alphabet=alphabet,
    )
    library = Tokenizer(models.BPE())
    library.pre_tokenizer = BYTES
    library.train_from_iterator(AMHARIC * 20, trainer)
    library.model.save(str(tmp_path))
    files = tmp_path / "vocab.json", tmp_path / "merges.txt"
    library = Tokenizer(models.BPE.from_file(*map(str, files)))
    library.pre_tokenizer = BYTES
    for name, content in settings.items():
        (tmp_path / name).write_text(json.dumps(content))
    opened = open_tokenizer(tmp_path)
    assert opened.notes[-1] == "no merge makes these 2 tokens, so no text gets them: Ġnever PAD"
    for text in ("he never ሰላም", "PAD"):
        assert opened.tokenizer.encode(text) == library.encode(text).ids
    assert opened.tokenizer.decode([1, 2]) == " neverPAD"
    named = open_tokenizer(tmp_path, special_tokens=["PAD"])
    assert named.tokenizer.encode("PAD") == [2]
    assert "no merge makes" in named.notes[-1]
    assert "PAD" not in named.notes[-1]


def test_merges_cut_short_are_an_error(tmp_path: Path) -> None:
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=280, show_progress=False, initial_alphabet=alphabet)
    library = Tokenizer(models.BPE())
    library.pre_tokenizer = BYTES
    library.train_from_iterator(CHESS * 20, trainer)
    library.model.save(str(tmp_path))
    lines = (tmp_path / "merges.txt").read_text().splitlines()
    (tmp_path / "merges.txt").write_text("\n".join(lines[:-3]))
    with pytest.raises(TokenizerFileError, match="are the merges cut short"):
        open_tokenizer(tmp_path)
