"""Vocabularies without single bytes, and BERT's list of pieces."""

import json
from pathlib import Path
from typing import Any

import pytest
from format_files import BERT_PIECES, write_lines
from generated import examples
from hypothesis import given
from odd_texts import texts
from tiny_tokenizers import REPO
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from engine import TokenizerFileError, VocabularyError
from engine.counting.count import count_corpus
from engine.formats import is_tokenizer, open_tokenizer
from engine.text.corpus import Corpus
from engine.wordpiece.tokenizer import WordPieceTokenizer, save_vocab
from engine.wordpiece.trainer import WordPieceTrainer

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


SAMPLES = REPO / "samples"
TEXTS = ["", "The lowest!", "the\tlow 漢é [SEP] [unused1] [MASK]", "a" * 101, "b" * 100, "##b#"]


@pytest.fixture(scope="module")
def vocab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_lines(tmp_path_factory.mktemp("bert") / "vocab.txt", BERT_PIECES)


@examples(100)
@given(texts())
def test_the_ids_are_those_of_hugging_face(vocab: Path, odd: str) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    theirs = tokenizers.Tokenizer(
        tokenizers.models.WordPiece.from_file(str(vocab), unk_token="[UNK]")
    )
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    theirs.add_special_tokens([BERT_PIECES[0], *BERT_PIECES[2:6]])
    ours = open_tokenizer(vocab).tokenizer
    for text in (*TEXTS, odd):
        assert ours.encode(text) == theirs.encode(text).ids


def test_the_vocabulary_of_a_run_encodes_like_the_run(tmp_path: Path) -> None:
    corpus, specials = SAMPLES / "unicode.txt", ["<|endoftext|>", "[CLS]"]
    counts = count_corpus(Corpus(corpus), "bert", specials).counts
    run = WordPieceTrainer(counts, 900, specials)
    assert len(list(run.steps()))
    save_vocab(run.vocab, tmp_path / "saved")
    library = pytest.importorskip("tokenizers.models")
    read = library.WordPiece.read_file(str(tmp_path / "saved"))
    assert read == {piece.decode(): number for number, piece in run.vocab.items()}
    before = WordPieceTokenizer(run.vocab, specials, pattern="bert")
    opened = open_tokenizer(tmp_path / "saved")
    assert opened.tokenizer.vocab == run.vocab
    for text in (corpus.read_text(encoding="utf-8"), "a<|endoftext|>b [CLS] zebra <|end"):
        assert opened.tokenizer.encode(text) == before.encode(text)


@pytest.mark.parametrize("piece", [b"\xff", b"a\nb", "a\x85b".encode(), b""])
def test_a_piece_with_a_line_break_is_not_written(tmp_path: Path, piece: bytes) -> None:
    with pytest.raises(TokenizerFileError, match="no line of UTF-8"):
        save_vocab({0: b"[UNK]", 1: piece}, tmp_path / "vocab.txt")
    assert not list(tmp_path.iterdir())


def test_a_special_token_that_the_vocabulary_lacks_is_refused(vocab: Path) -> None:
    with pytest.raises(VocabularyError, match="no special token '<s>'"):
        open_tokenizer(vocab, special_tokens=["<s>"])


def test_a_piece_that_occurs_twice_has_its_later_id(tmp_path: Path) -> None:
    opened = open_tokenizer(write_lines(tmp_path / "v", ["a", "[UNK]", "a"]))
    assert opened.tokenizer.encode("a b") == [2, 1]
    assert "1 id below the highest has no token (0)" in opened.notes


def test_a_directory_and_windows_line_ends_are_accepted(tmp_path: Path, vocab: Path) -> None:
    (tmp_path / "vocab.txt").write_bytes(vocab.read_bytes().replace(b"\n", b"\r\n") + b"\n")
    expected, opened = open_tokenizer(vocab), open_tokenizer(tmp_path)
    assert opened.tokenizer.encode(TEXTS[1]) == expected.tokenizer.encode(TEXTS[1])
    assert opened.notes == expected.notes


def test_a_vocabulary_with_a_thousand_free_places_is_recognised(tmp_path: Path) -> None:
    free = [f"[unused{number}]" for number in range(1000)]
    path = write_lines(
        tmp_path / "v", ["[PAD]", *free[:99], "[UNK]", "[CLS]", *free[99:], "a", "##b"]
    )
    assert open_tokenizer(path).tokenizer.encode("ab") == [1003, 1004]


@pytest.mark.parametrize(
    "text",
    [
        "[UNK] is what BERT says\n",
        "[UNK]\nthe cat\n",
        "[CLS]\nlow\n##est\n",
        "[UNK]\n\nlow\n",
        "low\n",
    ],
)
def test_a_text_is_no_vocabulary(tmp_path: Path, text: str) -> None:
    (tmp_path / "text").write_text(text)
    assert not is_tokenizer(tmp_path / "text")


def test_no_sample_is_recognised_as_a_tokenizer() -> None:
    assert not any(map(is_tokenizer, SAMPLES.glob("*.txt")))
