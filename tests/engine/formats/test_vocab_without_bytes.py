"""`vocab.json` and `merges.txt` of characters or of some bytes get the ids of `tokenizers`."""

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
AMHARIC = ("ሰላም ለዓለም። እንዴት ነህ? ደህና ነኝ፣ አመሰግናለሁ።", "አማርኛ የኢትዮጵያ ፌዴራላዊ ዴሞክራሲያዊ ሪፐብሊክ የሥራ ቋንቋ ነው።")
POLISH = ("Zażółć gęślą jaźń, żółta łódź.", "W Szczebrzeszynie chrząszcz brzmi w trzcinie.")
STRANGE = ("", " ", "zß漢 ሰ", "e4\n\nxá", "<unk> [UNK]", "1.e4 e5")

BYTES = pre_tokenizers.ByteLevel(add_prefix_space=False)
WORDS, AT_SPACES = pre_tokenizers.Whitespace(), pre_tokenizers.WhitespaceSplit()
SPACES = pre_tokenizers.Metaspace()


def trained(folder: Path, texts: tuple[str, ...], cut: Any, **settings: Any) -> Tokenizer:
    """Train a tokenizer, and write its `vocab.json` and `merges.txt`."""
    unknown = next(iter(settings.get("special_tokens", [])), None)
    options = {name: settings[name] for name in settings if name == "continuing_subword_prefix"}
    library = Tokenizer(models.BPE(unk_token=unknown, **options))
    library.pre_tokenizer = cut
    trainer = trainers.BpeTrainer(vocab_size=150, show_progress=False, **settings)
    library.train_from_iterator(texts * 20, trainer)
    library.model.save(str(folder))
    return library


@pytest.mark.parametrize(
    ("texts", "cut", "settings", "way"),
    [
        (CHESS, BYTES, {}, "as GPT-2 cuts it, into bytes"),
        (AMHARIC, BYTES, {}, "as GPT-2 cuts it, into bytes"),
        (CHESS, WORDS, {}, "into words and runs of symbols"),
        (CHESS, AT_SPACES, {"special_tokens": ["[UNK]", "[PAD]"]}, "at its spaces"),
        (AMHARIC, WORDS, {"special_tokens": ["<unk>"]}, "into words and runs of symbols"),
        (AMHARIC, AT_SPACES, {"special_tokens": ["[UNK]"]}, "at its spaces"),
        (POLISH, WORDS, {}, "into words and runs of symbols"),
        (CHESS, SPACES, {"special_tokens": ["<unk>"]}, "before spaces, made ▁"),
        (AMHARIC, SPACES, {"special_tokens": ["<unk>"]}, "before spaces, made ▁"),
        (
            CHESS,
            WORDS,
            {"special_tokens": ["[UNK]"], "continuing_subword_prefix": "##"},
            "into words and runs of symbols",
        ),
        (CHESS, WORDS, {"special_tokens": ["[UNK]"], "max_token_length": 2}, "into words and"),
    ],
)
def test_ids_equal_those_of_the_library_that_wrote_the_files(
    tmp_path: Path, texts: tuple[str, ...], cut: Any, settings: dict[str, Any], way: str
) -> None:
    library = trained(tmp_path, texts, cut, **settings)
    opened = open_tokenizer(tmp_path)
    assert opened.format == "gpt2"
    assert any(f"it is cut {way}" in note for note in opened.notes)
    library.add_special_tokens(settings.get("special_tokens", []))
    for text in (*texts, *STRANGE, " ".join(AMHARIC + CHESS)):
        assert opened.tokenizer.encode(text) == library.encode(text).ids
    pair = tmp_path / "vocab.json", tmp_path / "merges.txt"
    assert open_tokenizer(*pair).tokenizer.encode(texts[0]) == library.encode(texts[0]).ids


def test_notes_say_what_is_guessed_and_what_is_lost(tmp_path: Path) -> None:
    trained(tmp_path, CHESS, WORDS, special_tokens=["[UNK]", "##PA", "1-0"])
    opened = open_tokenizer(tmp_path)
    assert opened.notes == (
        "its smallest tokens are not the 256 bytes; what they cannot spell becomes [UNK]",
        "the files do not say how a text is cut; it is cut into words and runs of symbols, by the "
        "form of the tokens; --pattern gives another way, and a tokenizer.json has its own",
        "taken for special, since no merge makes them: [UNK]",
        "no merge makes these 2 tokens, so no text gets them: ##PA 1-0",
    )
    whole = open_tokenizer(tmp_path, pattern="none").tokenizer
    assert whole.pattern.name == "none"


def test_merges_of_other_files_are_refused(tmp_path: Path) -> None:
    trained(tmp_path, AMHARIC, WORDS)
    lines = (tmp_path / "merges.txt").read_text().splitlines()
    (tmp_path / "merges.txt").write_text("\n".join([*lines, "ሰ z"]))
    with pytest.raises(TokenizerFileError, match=r"needs the token 'z'.*do they belong together"):
        open_tokenizer(tmp_path)
    (tmp_path / "merges.txt").write_text("\n".join([*lines, "ሰ ላ ም"]))
    with pytest.raises(
        TokenizerFileError, match="tokens that hold spaces cannot be in such a file"
    ):
        open_tokenizer(tmp_path)
    for vocab, why in (('["a"]', "is no JSON object"), ('{"a": "b"}', "id of 'a' is no whole")):
        (tmp_path / "vocab.json").write_text(vocab)
        with pytest.raises(TokenizerFileError, match=why):
            open_tokenizer(tmp_path)


def test_settings_in_the_folder_name_the_special_tokens(tmp_path: Path) -> None:
    library = trained(tmp_path, AMHARIC, WORDS, special_tokens=["[UNK]", "SEP"])
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"sep_token": "SEP"}))
    library.add_special_tokens(["SEP"])
    opened = open_tokenizer(tmp_path)
    assert "the added tokens in tokenizer_config.json are used too" in opened.notes
    for text in ("ሰላምSEPነው", *AMHARIC):
        assert opened.tokenizer.encode(text) == library.encode(text).ids


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
