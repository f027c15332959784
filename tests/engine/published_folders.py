"""Small folders as publishers write them, and the ids that transformers gives texts with them.

    python tests/engine/published_folders.py

makes a folder for each class of tokenizer, with a small vocabulary and the files of settings beside
it, opens it with `AutoTokenizer`, and writes folders, texts, ids and decoded texts into one file.
Tests read that file, so only this program needs transformers.
"""

import base64
import gzip
import io
import json
import random
import tempfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
VECTORS = HERE / "published_folders.json.gz"
CONFIG, ADDED, SPECIAL = "tokenizer_config.json", "added_tokens.json", "special_tokens_map.json"

# Reading


class Published(NamedTuple):
    """A folder, and what transformers makes of the texts with it.

    Attributes:
        files: name → content.
        ids: the ids of each text.
        decoded: the texts that these ids decode to.
        around: the ids of `the cat` in the template of the class.
    """

    files: Mapping[str, bytes]
    ids: list[list[int]]
    decoded: list[str]
    around: list[int]

    def write(self, folder: Path) -> Path:
        for name, data in self.files.items():
            (folder / name).write_bytes(data)
        return folder


@cache
def published() -> tuple[list[str], dict[str, Published]]:
    """Return the texts, and name → folder."""
    content = json.loads(gzip.decompress(VECTORS.read_bytes()))
    folders: dict[str, Published] = {}
    for name, row in content["folders"].items():
        files = {file: base64.b64decode(data) for file, data in row.pop("files").items()}
        folders[name] = Published(files, **row)
    return content["texts"], folders


# Writing

TEXTS = 200
ODD = """Привет мир, ещё раз.
你好世界 ａｂｃ １２３ ﬁne ½
naïve café déjà vu DON'T don't I'll
  two  spaces   and three
12345 3.14 1,000 ``quoted'' [x] <a>
🙂 emoji
"""
PARTS = (
    *("the", " the", " cat", "The", "DON'T", "don't", " 12345", "  ", "   ", "\n", "\n\n", "\t"),
    *("café", "cafe\u0301", "Привет", "世界", "🙂", "½", "ﬁ", "ａｂ", "``", "''", "1,000", "…"),
    *("<pad>", "<unk>", "<mask>", "</s>", "<s>", "[MASK]", "[CLS]", "<tool>", "plain"),
    *("<|endoftext|>", "<extra_id_0>", "<extra_id_7>", "en_XX", "fra_Latn", "<mask_1>"),
    *("▁", "_", ".", ",", "!", "a", "b", "zzz", "'ll", "\u3000", "\xa0", "\u0130", "#", "$5"),
)


def _stories() -> str:
    return (HERE.parents[1] / "samples" / "tinystories_valid.txt").read_text()


def _texts() -> list[str]:
    """Return lines of stories, odd lines, and short texts of all kinds."""
    dice = random.Random(7)
    found = [line for line in _stories().splitlines() if line.strip()][:20]
    found += [*ODD.splitlines(), "", " ", "the cat<tool> sat", ">>fr<< the cat"]
    while len(found) < TEXTS:
        found.append("".join(dice.choices(PARTS, k=dice.randrange(1, 9))))
    return [text[:160] for text in found]


def _corpus() -> list[str]:
    lines = _stories()[:30_000].splitlines() + ODD.splitlines() * 4
    return [line for line in lines if line.strip()]


T5_ORDER = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}
ALBERT_ORDER = {
    "pad_id": 0,
    "unk_id": 1,
    "bos_id": -1,
    "eos_id": -1,
    "control_symbols": ["[CLS]", "[SEP]", "[MASK]"],
}
XLNET = {"unk_id": 0, "bos_id": 1, "control_symbols": ["<cls>", "<sep>", "<pad>", "<mask>"]}
LLAMA = {
    "byte_fallback": True,
    "remove_extra_whitespaces": False,
    "vocab_size": 420,
    "normalization_rule_name": "identity",
}
FAIRSEQ = "sentencepiece.bpe.model"
OF_PIECES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "XLMRobertaTokenizer": (FAIRSEQ, "unigram", {}),
    "CamembertTokenizer": (FAIRSEQ, "unigram", {}),
    "MBartTokenizer": (FAIRSEQ, "unigram", {}),
    "MBart50Tokenizer": (FAIRSEQ, "unigram", {}),
    "NllbTokenizer": (FAIRSEQ, "bpe", {}),
    "T5Tokenizer": ("spiece.model", "unigram", T5_ORDER),
    "PegasusTokenizer": ("spiece.model", "unigram", T5_ORDER),
    "AlbertTokenizer": ("spiece.model", "unigram", ALBERT_ORDER),
    "XLNetTokenizer": ("spiece.model", "unigram", XLNET),
    "BigBirdTokenizer": ("spiece.model", "unigram", ALBERT_ORDER),
    "RemBertTokenizer": (
        "sentencepiece.model",
        "unigram",
        {**ALBERT_ORDER, "bos_id": 1, "unk_id": 2},
    ),
    "DebertaV2Tokenizer": (
        "spm.model",
        "unigram",
        {**ALBERT_ORDER, "pad_piece": "[PAD]", "unk_piece": "[UNK]"},
    ),
    "LlamaTokenizer": ("tokenizer.model", "bpe", LLAMA),
    "GemmaTokenizer": (
        "tokenizer.model",
        "bpe",
        {**LLAMA, "pad_id": 0, "eos_id": 1, "bos_id": 2, "unk_id": 3},
    ),
    "PreTrainedTokenizerFast": ("tokenizer.model", "bpe", LLAMA),
    "FNetTokenizer": ("spiece.model", "unigram", ALBERT_ORDER),
    "BarthezTokenizer": (FAIRSEQ, "unigram", {}),
    "ReformerTokenizer": ("spiece.model", "bpe", {}),
    "UdopTokenizer": ("spiece.model", "unigram", T5_ORDER),
    "SeamlessM4TTokenizer": (FAIRSEQ, "bpe", {}),
}
LANGUAGES = {
    "NllbTokenizer": ["eng_Latn", "fra_Latn"],
    "SeamlessM4TTokenizer": ["__eng__", "__fra__"],
}
OF_BYTES = (
    *("GPT2Tokenizer", "RobertaTokenizer", "Qwen2Tokenizer", "GPTNeoXTokenizer", "BartTokenizer"),
    *("CohereTokenizer", "WhisperTokenizer", "DebertaTokenizer", "CodeGenTokenizer"),
    "BlenderbotTokenizer",
)
OF_WORDS: dict[str, dict[str, Any]] = {
    "BertTokenizer": {},
    "BertTokenizer cased": {"do_lower_case": False},
    "DistilBertTokenizer": {},
    "ElectraTokenizer": {"tokenize_chinese_chars": False},
    "MPNetTokenizer": {},
}


def _folders() -> Iterator[tuple[str, dict[str, bytes]]]:
    """Yield the name and the files of each folder."""
    from sentencepiece import SentencePieceProcessor
    from tokenizers import BertWordPieceTokenizer, ByteLevelBPETokenizer

    for name, (file, kind, options) in OF_PIECES.items():
        model = _sentencepiece_model(kind, options)
        config: dict[str, Any] = {"tokenizer_class": name}
        if name in LANGUAGES:
            config["additional_special_tokens"] = LANGUAGES[name]
        has_more = name in ("LlamaTokenizer", "GemmaTokenizer")
        size = SentencePieceProcessor(model_proto=model).get_piece_size()
        yield name, {file: model, **_written(config, size if has_more else None)}
    model = _sentencepiece_model("unigram", {})
    processor = SentencePieceProcessor(model_proto=model)
    own = sorted(map(processor.id_to_piece, range(3, processor.get_piece_size())))
    ids = {text: i for i, text in enumerate(["</s>", "<unk>", ">>fr<<", *own, "▁der", "<pad>"])}
    files = {"source.spm": model, "target.spm": model, "vocab.json": json.dumps(ids).encode()}
    yield "MarianTokenizer", files | _written({"tokenizer_class": "MarianTokenizer"}, None)
    by_bytes = ByteLevelBPETokenizer()
    by_bytes.train_from_iterator(_corpus(), 420, special_tokens=["<|endoftext|>"])
    content = json.loads(by_bytes.to_str())["model"]
    lines = "".join(f"{left} {right}\n" for left, right in content["merges"])
    both = {"vocab.json": json.dumps(content["vocab"]).encode(), "merges.txt": lines.encode()}
    for name in OF_BYTES:
        yield name, both | _written({"tokenizer_class": name}, len(content["vocab"]))
    words = BertWordPieceTokenizer(lowercase=False)
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words.train_from_iterator(_corpus(), 400, special_tokens=marks)
    pieces = sorted(words.get_vocab(), key=words.get_vocab().__getitem__)
    file_of_words = {"vocab.txt": "".join(f"{text}\n" for text in pieces).encode()}
    for name, options in OF_WORDS.items():
        config = {"tokenizer_class": name.split()[0], **options}
        yield name, file_of_words | _written(config, len(pieces))


def _sentencepiece_model(kind: str, options: Mapping[str, Any]) -> bytes:
    from sentencepiece import SentencePieceTrainer

    rules = Path(tempfile.gettempdir()) / "rules.tsv"
    rules.write_text(
        "BD\t31 20 32\nFB01\t66 69\nFF41\t61\nFF42\t62\nA0\t20\n3000\t20\n9\t20\nA\t20\n"
    )
    if "normalization_rule_name" not in options:
        options = {**options, "normalization_rule_tsv": str(rules)}
    file = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(_corpus()),
        model_writer=file,
        model_type=kind,
        hard_vocab_limit=False,
        character_coverage=0.99,
        minloglevel=2,
        num_threads=1,
        **{"vocab_size": 260, **options},
    )
    return file.getvalue()


def _written(config: Mapping[str, Any], size: int | None) -> dict[str, bytes]:
    """Return the files of settings; with tokens added to a vocabulary of a size."""
    contents: dict[str, Any] = {CONFIG: config}
    if size is not None:
        contents[ADDED] = {"<tool>": size, "plain": size + 1}
        contents[SPECIAL] = {"additional_special_tokens": ["<tool>"]}
    return {name: json.dumps(each).encode() for name, each in contents.items()}


def main() -> None:
    from transformers import AutoTokenizer

    given, rows = _texts(), dict[str, Any]()
    for name, files in _folders():
        with tempfile.TemporaryDirectory() as place:
            for file, data in files.items():
                (Path(place) / file).write_bytes(data)
            library = AutoTokenizer.from_pretrained(place)
        called = library("the cat")["input_ids"] if name != "UdopTokenizer" else None  # wants boxes
        ids = [library.encode(text, add_special_tokens=False) for text in given]
        rows[name] = {
            "files": {file: base64.b64encode(data).decode() for file, data in files.items()},
            "ids": ids,
            "decoded": [library.decode(each) for each in ids],
            "around": called or library.encode("the cat"),
        }
    content = json.dumps({"texts": given, "folders": rows}, separators=(",", ":"))
    VECTORS.write_bytes(gzip.compress(content.encode(), 9, mtime=0))
    print(f"{VECTORS}: {len(rows)} folders, {VECTORS.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
