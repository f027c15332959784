"""Small tokenizers of Hugging Face's library, built the way well-known models are."""

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from odd_texts import SAMPLES
from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

CORPUS = [path.read_text()[:20_000] for path in sorted(SAMPLES.glob("*.txt"))]
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|"
    r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
DEEPSEEK = (
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
    r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
BYTES = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)


def trained(tokenizer: Tokenizer, size: int = 600, **options: Any) -> Tokenizer:
    """Train a tokenizer on the samples."""
    if isinstance(tokenizer.decoder, decoders.ByteLevel):
        options["initial_alphabet"] = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=size, show_progress=False, **options)
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def changed(tokenizer: Tokenizer, **model: Any) -> Tokenizer:
    """Return the tokenizer with other settings of its model."""
    spelled = json.loads(tokenizer.to_str())
    spelled["model"] |= model
    return Tokenizer.from_str(json.dumps(spelled))


def gpt2() -> Tokenizer:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.post_processor = processors.ByteLevel(trim_offsets=False)
    return trained(made, special_tokens=["<|endoftext|>"])


def llama3() -> Tokenizer:
    made = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(LLAMA3), "isolated")
    made.pre_tokenizer = pre_tokenizers.Sequence([split, BYTES])
    made.decoder = decoders.ByteLevel()
    trained(made)
    made.add_special_tokens(["<|begin_of_text|>", "<|end_of_text|>"])
    made.post_processor = processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=False),
            processors.TemplateProcessing(
                single="<|begin_of_text|> $A",
                pair="<|begin_of_text|> $A <|begin_of_text|>:1 $B:1",
                special_tokens=[("<|begin_of_text|>", made.token_to_id("<|begin_of_text|>"))],
            ),
        ]
    )
    # Merges that are missing are why the whole pretoken is looked up first.
    merges = json.loads(made.to_str())["model"]["merges"]
    return changed(made, ignore_merges=True, merges=merges[::2] + merges[1::8])


def use_marks_for_spaces(made: Tokenizer) -> None:
    """Give a tokenizer the normalizer and the decoder of Llama 2."""
    made.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    made.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )


def llama2() -> Tokenizer:
    made = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    use_marks_for_spaces(made)
    as_bytes = [f"<0x{byte:02X}>" for byte in range(256)]
    trained(
        made, 700, special_tokens=["<unk>", "<s>", "</s>", *as_bytes], limit_alphabet=60,
        max_token_length=12,
    )  # fmt: skip
    spelled = json.loads(made.to_str())
    spelled["added_tokens"] = [t for t in spelled["added_tokens"] if "0x" not in t["content"]]
    return Tokenizer.from_str(json.dumps(spelled))


def mistral() -> Tokenizer:
    made = Tokenizer.from_str(built(llama2).to_str())
    made.normalizer = None
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    made.add_tokens([AddedToken("[INST]", normalized=False, special=True)])
    return made


def words() -> Tokenizer:
    """Metaspace that cuts, no bytes to fall back on, an unknown token for each character."""
    made = Tokenizer(models.BPE(unk_token="?"))
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    return trained(made, special_tokens=["?"], limit_alphabet=40)


def roberta() -> Tokenizer:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    made.decoder = decoders.ByteLevel()
    trained(made, special_tokens=["<s>", "</s>"])
    made.post_processor = processors.RobertaProcessing(("</s>", 1), ("<s>", 0))
    made.add_special_tokens([AddedToken("<mask>", lstrip=True, normalized=False)])
    return made


def deepseek() -> Tokenizer:
    made = Tokenizer(models.BPE())
    regexes = (r"\p{N}{1,3}", "[一-龥぀-ゟ゠-ヿ]+", DEEPSEEK)
    splits = [pre_tokenizers.Split(Regex(regex), "isolated") for regex in regexes]
    made.pre_tokenizer = pre_tokenizers.Sequence([*splits, BYTES])
    made.decoder = decoders.ByteLevel()
    return trained(made)


def falcon() -> Tokenizer:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Punctuation("contiguous"),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
            pre_tokenizers.Digits(individual_digits=False),
            pre_tokenizers.Split(Regex("[0-9][0-9][0-9]"), "isolated"),
        ]
    )
    made.decoder = decoders.ByteLevel()
    return trained(made)


def clip() -> Tokenizer:
    made = Tokenizer(models.BPE(unk_token="<|endoftext|>", end_of_word_suffix="</w>"))
    made.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]
    )
    regex = r"<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
    split = pre_tokenizers.Split(Regex(regex), "removed", invert=True)
    made.pre_tokenizer = pre_tokenizers.Sequence([split, BYTES])
    made.decoder = decoders.Sequence([decoders.ByteLevel(), decoders.BPEDecoder("</w>")])
    trained(made, special_tokens=["<|endoftext|>"], end_of_word_suffix="</w>")
    return made


def prefixed() -> Tokenizer:
    """BPE in WordPiece's spelling."""
    made = Tokenizer(models.BPE(unk_token="[UNK]", continuing_subword_prefix="##", fuse_unk=True))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    trained(made, special_tokens=["[UNK]", "[CLS]", "[SEP]"], continuing_subword_prefix="##")
    made.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    return made


def byte_normalized() -> Tokenizer:
    """Bytes spelled by the normalizer, and cut afterwards; some bytes are missing."""
    made = Tokenizer(models.BPE(unk_token="!", fuse_unk=True))
    made.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.ByteLevel()])
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split("Ġ", "merged_with_next"), pre_tokenizers.Digits(True)]
    )
    return trained(made, special_tokens=["!"], limit_alphabet=90)


def added() -> Tokenizer:
    """Every way in which an added token can be found."""
    made = Tokenizer.from_str(built(gpt2).to_str())
    made.normalizer = normalizers.Sequence([normalizers.Lowercase(), normalizers.Strip()])
    made.add_tokens(
        [
            AddedToken("the", single_word=True, normalized=False),
            AddedToken("HELLO", normalized=True),
            AddedToken(" don't", rstrip=True, normalized=False),
            AddedToken("'ll", lstrip=True, rstrip=True, normalized=True, single_word=True),
            AddedToken("12", lstrip=True, normalized=False),
            AddedToken("  ", normalized=False),
            AddedToken("é漢", normalized=True),
        ]
    )
    return made


def with_all_splits(made: Tokenizer) -> Tokenizer:
    """Return each token with every pair that makes it, as in files made of ranks or pieces."""
    vocab = json.loads(made.to_str())["model"]["vocab"]
    tokens = [token for token in sorted(vocab, key=vocab.__getitem__) if not token.startswith("<")]
    splits = ([token[:place], token[place:]] for token in tokens for place in range(1, len(token)))
    merges = [pair for pair in splits if pair[0] in vocab and pair[1] in vocab]
    return changed(made, merges=merges)


def gpt_oss() -> Tokenizer:
    return with_all_splits(built(deepseek))


def gemma() -> Tokenizer:
    made = with_all_splits(built(llama2))
    made.normalizer = normalizers.Replace(" ", "▁")
    made.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    return made


def plain() -> Tokenizer:
    """A model of a few characters; other characters are left out."""
    merges = [("a", "b"), ("ab", "c"), ("b", "c"), ("a", "bc"), ("a", "b")]
    vocab = {text: 3 * n for n, text in enumerate(["a", "b", "c", "ab", "bc", "abc", " ", "e"])}
    return Tokenizer(models.BPE(vocab, merges))


BUILDERS: tuple[Callable[[], Tokenizer], ...] = (
    *(gpt2, llama3, llama2, mistral, words, roberta, deepseek, falcon, clip, prefixed),
    *(byte_normalized, added, plain),
)


@cache
def built(build: Callable[[], Tokenizer]) -> Tokenizer:
    """Return the tokenizer as read from its own file."""
    return Tokenizer.from_str(build().to_str())
