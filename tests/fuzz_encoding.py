# ruff: noqa: E402, the path has to be known before the imports
"""Search for a text that two encoders encode differently.

    python tests/fuzz_encoding.py [TEXTS] [SEED]

Each text is encoded by the kernel in all its ways (one call, stretches, an array, a batch), by the
kernel without vectors, by the encoders in Python, and by tiktoken. The tokenizers are GPT-2's,
cl100k, and a small one for each pattern with borders, also with whole tokens. Texts have pieces
around the sizes where the kernel changes its way, bytes that are no UTF-8, and halves of special
tokens. `pytest` does not run it.
"""

import os
import random
import sys
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).resolve().parent
sys.path[:0] = [str(TESTS.parent), str(TESTS), str(TESTS / "engine")]
import tiktoken
from format_files import CL100K
from merge_lists import in_python
from odd_texts import CHARACTERS
from tiny_tokenizers import END, GOLDEN, handout

from engine import Tokenizer
from engine.encoding.alphabet import BYTES, WholeTokens
from engine.formats import open_tokenizer
from engine.native import SWITCH
from engine.text.patterns import PATTERNS
from engine.text.pretokenize import to_bytes, to_text

PARTS = (
    *(" ", "  ", "\t", "\r\n", "\n\n", "\u3000", "\x00", "don't", " the", "The", "'ll", "1999"),
    *("." * 7, "-" * 20, "a" * 9, "\u200dP", "e\u0301\u0323"),
)
LAST_CODE = 0x1FFFF
SPECIALS = [END, "<|end|>", "<|", " é"]
SIZES = [*range(1, 20), 31, 32, 33, *range(61, 68), 127, 128, 255, 256, 257, 4095, 4096, 4097]
"""Lengths of runs: around a word, an entry, a block, the longest remembered piece."""
SELDOM = 1000
"""Number of texts for one that is long enough to be encoded in several stretches."""


class Encoding(NamedTuple):
    """Two kernels with one tokenizer, and the encoders that they are compared with.

    Attributes:
        others: name → the function; tiktoken's is asked for UTF-8 only.
    """

    name: str
    native: Tokenizer
    plain: Tokenizer
    others: dict[str, Callable[[str], list[int]]]

    def differing(self, text: str) -> list[str]:
        """Return the names of those that give other ids than the kernel in one call."""
        ids = self.native.encode(text)
        again, batched = self.native.encode_batch([text, text], workers=1)
        found = {
            "in stretches": self.native._encoder.encode(text),
            "compactly": [*self.native.encode_compactly(text)],
            "in a batch": batched if again == batched else again,
            "without vectors": self.plain.encode(text),
        }
        is_utf_8 = not any("\ud800" <= character < "\ue000" for character in text)
        found |= {
            name: encode(text)
            for name, encode in self.others.items()
            if is_utf_8 or name != "tiktoken"
        }
        return [name for name, other in found.items() if other != ids]


def encodings() -> list[Encoding]:
    """Return all tokenizers."""
    small, made = handout(), list[Encoding]()
    for name, pattern in PATTERNS.items():
        if pattern.borders:
            made.append(_encoding(name, small.vocab, small.merges, name))
            made.append(_encoding(f"{name}, whole", small.vocab, small.merges, name, whole=True))
    gpt2 = Tokenizer.from_files(
        GOLDEN / "gpt2" / "vocab.json", GOLDEN / "gpt2" / "merges.txt", special_tokens=[END]
    )
    made.append(_encoding("vocab.json + merges.txt", gpt2.vocab, gpt2.merges, "gpt2"))
    cl100k = open_tokenizer(CL100K).tokenizer
    made.append(_encoding("cl100k", cl100k.vocab, cl100k.merges, "cl100k"))
    return made


def _encoding(
    name: str,
    vocab: dict[int, bytes],
    merges: list[tuple[bytes, bytes]],
    pattern: str,
    whole: bool = False,
) -> Encoding:
    free = 1 + max(vocab)
    specials = {token: free + place for place, token in enumerate(SPECIALS)}
    ordinary = {number: token for number, token in vocab.items() if token != END.encode()}
    alphabet = WholeTokens(BYTES, {b" lowest": free + 9, b"\0": free + 10}) if whole else None

    def tokenizer() -> Tokenizer:
        return Tokenizer(ordinary, merges, specials, pattern, alphabet=alphabet)

    native, plain = tokenizer(), tokenizer()
    native.encode("low")
    os.environ[SWITCH] = "plain"
    plain.encode("low")
    del os.environ[SWITCH]
    others = {"Python": in_python(tokenizer()).encode}
    if not whole:
        library = tiktoken.Encoding(
            name,
            pat_str=PATTERNS[pattern].source,
            mergeable_ranks={token: number for number, token in ordinary.items()},
            special_tokens=specials,
        )
        others["tiktoken"] = lambda text: library.encode(text, allowed_special="all")
    return Encoding(name, native, plain, others)


def any_character(dice: random.Random) -> str:
    """Draw one of the characters that Python knows."""
    while True:
        char = chr(dice.randrange(LAST_CODE))
        # Of the characters that Python does not know, `encode` notes that libraries may differ.
        if unicodedata.category(char) not in ("Cn", "Cs", "Co"):
            return char


def texts(dice: random.Random) -> Iterator[str]:
    """Yield texts without end."""
    makers: tuple[Callable[[], str], ...] = (
        lambda: dice.choice(CHARACTERS),
        lambda: dice.choice(CHARACTERS) * dice.choice(SIZES[:-3]),
        lambda: dice.choice(PARTS),
        lambda: dice.choice(SPECIALS)[: dice.randrange(1, 14)],
        lambda: any_character(dice),
        lambda: "".join(dice.choices("low estnrd", k=dice.choice(SIZES[:33]))),
        lambda: to_text(dice.randbytes(dice.randrange(1, 20))),
        lambda: dice.choice((" lowest", "\0", "\ud83d\ude00", "\ud83d", " " * 15 + "a")),
    )
    while True:
        seldom = dice.randrange(SELDOM) == 0
        made = "".join(dice.choice(makers)() for _ in range(dice.randrange(12)))
        if seldom:
            made = made[:200] * dice.randrange(100, 300) + "x" * dice.choice(SIZES[-3:])
        yield made


def main(count: int = 20_000, seed: int = 0) -> int:
    """Compare; return the number of texts that differ."""
    dice, differing = random.Random(seed), 0
    every = encodings()
    for number, text in zip(range(count), texts(dice), strict=False):
        encoding = every[number % len(every)]
        if found := encoding.differing(text):
            differing += 1
            print(f"{encoding.name}: {', '.join(found)}: {to_bytes(text)[:300]!r}", flush=True)
    print(f"{count:,} texts of {len(every)} tokenizers, {differing} differ")
    return differing


if __name__ == "__main__":
    sys.exit(bool(main(*map(int, sys.argv[1:]))))
