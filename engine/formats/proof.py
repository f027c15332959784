"""The proof that two tokenizers are the same: 2,000 texts through both.

A conversion is only as good as the texts that it was tried with. So there are some of every kind:
words of many scripts with all sorts of spaces between them, texts made of tokens, and each token
alone. Where the library that such a file is for is installed, it reads the file, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from engine.core.errors import ConversionError
from engine.core.slow_modules import random
from engine.encoding.tokenizer import Tokenizer
from engine.formats.tokenizer_format import Library

TEXTS = 2000
"""Number of texts that go through both."""
SAID = (
    "The quick brown fox doesn't jump over 1234567 lazy dogs, DOESN'T it?\n\n\tdef f(x):\r\n"
    "        return x+=1;  // naïve façade…   \nДобрый день, мир! Γειά σου. 你好,世界。こんにちは "
    "안녕하세요 שלום مرحبا नमस्ते สวัสดี 🙂👩‍👩‍👧 e\u0301 \u00a0\u3000x ½ ﬁne ＡＢ１２ é"
)
"""A text with characters of many kinds."""
_SPACES = (" ", " ", " ", "", "  ", "\n", "\t", "\n\n", ",", " ▁", "\r\n", "   ")
MOST_TRIED = 4 * TEXTS
TRIED_TOKENS = 5000
"""Number of tokens that two texts are made of, spread over the vocabulary."""
LONGEST, SHOWN = 60, 8
"""Most characters, and most ids, of an example in an error."""


def texts_for(tokenizer: Tokenizer) -> Iterator[str]:
    """Yield texts of many kinds, without end; first those with many tokens of the vocabulary."""
    ids = sorted(tokenizer.vocab)
    chosen = ids[:: max(len(ids) // TRIED_TOKENS, 1)]
    decode = _decode_without_table(tokenizer)
    tokens = [decode([token_id]) for token_id in chosen]
    yield from (SAID, "x".join(("", *tokenizer.special_tokens, "")))
    yield from (decode(chosen), "\n".join(tokens))
    yield from ("", " ", "  a", "a  ", "\t", " \n ")
    chance, words = random.Random(0), SAID.split()
    tokens = [text for text in tokens if "\ufffd" not in text] or words
    yield from tokens[:: max(4 * len(tokens) // TEXTS, 1)]
    while True:
        for some in (words, tokens, [*words, *tokens]):
            drawn = chance.choices(some, k=chance.randint(1, 8))
            yield "".join(chance.choice(_SPACES) + each for each in drawn)
        yield "".join(chance.choices(tokens, k=chance.randint(1, 12)))


def _decode_without_table(tokenizer: Tokenizer) -> Callable[[list[int]], str]:
    """Return a function that decodes a few ids before a table of the vocabulary is made for it."""
    if tokenizer.pipeline is not None:
        return tokenizer.pipeline.decode
    token = tokenizer.vocab.__getitem__
    return lambda ids: b"".join(map(token, ids)).decode("utf-8", "replace")


Kinds = Mapping[str, Callable[[str], bool]]


class Proof(NamedTuple):
    """The result of a proof.

    Attributes:
        texts: the number of texts with the same ids.
        losses: a sentence for each kind of text that may have other ids, with an example.
    """

    texts: int
    losses: tuple[str, ...]


def prove(
    tokenizer: Tokenizer,
    read: Tokenizer,
    format: str,
    libraries: Sequence[Library] = (),
    kinds: Kinds | None = None,
    without: Sequence[str] = (),
) -> Proof:
    """Encode texts with a tokenizer, with the one read again, and with libraries.

    Args:
        kinds: kinds of texts that may have other ids, with their tests.
        without: texts that spell one of these are left out.

    Raises:
        ConversionError: a text of no such kind has other ids, or ids are other bytes.
    """
    special = {*without, *tokenizer.special_tokens} - {""}
    fits = (text for text in texts_for(tokenizer) if not any(map(text.__contains__, without)))
    same_tokens = read.vocab == tokenizer.vocab
    losses: dict[str, str] = {}
    same = 0
    for text in islice(fits, MOST_TRIED):
        if same == TEXTS:
            break
        ids, found = tokenizer.encode(text), read.encode(text)
        if ids != found:
            kind = next((name for name, fits in (kinds or {}).items() if fits(text)), None)
            if kind is None:
                raise _difference(format, "read again", text, ids, found)
            losses.setdefault(kind, f"{format} has other ids for {kind}, as {text[:LONGEST]!r}")
            continue
        if not same_tokens and read.decode_bytes(ids) != tokenizer.decode_bytes(ids):
            raise ConversionError(
                f"{format} cannot hold this tokenizer: read again the ids {_shown(ids)} are other "
                "bytes, so nothing is written; choose another format"
            )
        for library in () if any(map(text.__contains__, special)) else libraries:
            try:
                found = library.encode(text)
            except Exception as error:  # each library has its own
                raise ConversionError(f"{library.name} fails at {text[:60]!r}: {error}") from error
            if ids != found:
                raise _difference(format, f"in {library.name}", text, ids, found)
        same += 1
    return Proof(same, tuple(losses.values()))


def _difference(
    format: str, reader: str, text: str, ids: list[int], found: list[int]
) -> ConversionError:
    """Return the error about other ids; it shows them from the first difference on."""
    pairs = enumerate(zip(ids, found, strict=False))
    place = next((n for n, (a, b) in pairs if a != b), min(len(ids), len(found)))
    short = f"{text[:LONGEST]!r}{' …' * (len(text) > LONGEST)}"
    return ConversionError(
        f"{format} cannot hold this tokenizer: the ids of {short} are {_shown(ids[place:])} from "
        f"token {place + 1:,} on, and {reader} {_shown(found[place:])}; so nothing is written; "
        "choose another format"
    )


def _shown(ids: list[int]) -> str:
    return " ".join(map(str, ids[:SHOWN])) + " …" * (len(ids) > SHOWN) or "none"
