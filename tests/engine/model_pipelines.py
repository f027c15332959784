"""Small tokenizers of Hugging Face's library with models that do not merge."""

import json
from collections.abc import Callable

from pipelines import CORPUS
from tokenizers import (
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

SPECIALS = ["[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def bert() -> Tokenizer:
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=500, special_tokens=SPECIALS, show_progress=False, limit_alphabet=80
    )
    made.train_from_iterator(CORPUS, trainer)
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    return made


def cased_wordpiece() -> Tokenizer:
    """Another prefix, short words only, accents stripped by hand, no template."""
    made = Tokenizer.from_str(bert().to_str())
    made.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()])
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.Digits(True)]
    )
    made.decoder = decoders.WordPiece("@@", cleanup=False)
    made.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    spelled = json.loads(made.to_str())
    model = spelled["model"]
    model["vocab"] = {
        token.replace("##", "@@") if token.startswith("##") else token: token_id
        for token, token_id in model["vocab"].items()
    }
    model |= {"continuing_subword_prefix": "@@", "max_input_chars_per_word": 9}
    return Tokenizer.from_str(json.dumps(spelled))


def _unigram(**options: object) -> Tokenizer:
    made = Tokenizer(models.Unigram())
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=700, show_progress=False, unk_token="<unk>", **options
    )
    made.train_from_iterator([text[:3000] for text in CORPUS], trainer)
    return made


def t5() -> Tokenizer:
    made = _unigram(special_tokens=["<pad>", "</s>", "<unk>"])
    made.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    made.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
    )
    return made


def fallback_unigram() -> Tokenizer:
    """Unigram with byte fallback and without special tokens, so that `<unk>` is text."""
    made = _unigram(special_tokens=["<unk>"])
    spelled = json.loads(made.to_str())
    model = spelled["model"]
    # Few characters are left, so that there is much to fall back for.
    kept = [piece for piece in model["vocab"] if piece[0].isascii() or "▁" in piece[0]]
    model["vocab"] = kept + [[f"<0x{byte:02X}>", -9.0] for byte in range(256)]
    model |= {"byte_fallback": True, "unk_id": [text for text, _ in kept].index("<unk>")}
    spelled["added_tokens"] = []
    spelled["decoder"] = {
        "type": "Sequence",
        "decoders": [{"type": "ByteFallback"}, json.loads(made.decoder.__getstate__())],
    }
    return Tokenizer.from_str(json.dumps(spelled))


def word_level() -> Tokenizer:
    made = Tokenizer(models.WordLevel(unk_token="<UNK>"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordLevelTrainer(
        vocab_size=300, special_tokens=["<UNK>"], show_progress=False
    )
    made.train_from_iterator(CORPUS, trainer)
    return made


MODEL_BUILDERS: tuple[Callable[[], Tokenizer], ...] = (
    *(bert, cased_wordpiece, t5, fallback_unigram, word_level),
)
