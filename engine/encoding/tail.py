"""The unstable tail of a text: the tokens at its end that may change if the text goes on.

A model that continues `http:` sees the token `:`, which a longer text rarely has: `://` is one
token. Only the last pretoken can change, and white space before it. A completion is what may take
its place: tokens that cover it, of which the last may reach beyond the text.

The completions are those of tiktoken's `encode_with_unstable`, as a set: a token is tried at each
place of the tail where its bytes fit, and the longer text is encoded anew.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.core.arguments import checked
from engine.core.errors import TailError
from engine.encoding.rules import EncodingRules
from engine.encoding.tokenizer import Tokenizer, check_text
from engine.text.pretokenize import WHITE_SPACE, to_bytes, to_text

LONGEST_TAIL = 1000
"""Most bytes of a tail: the work grows with their square."""
BLANKS = b" \n\t"
"""White space whose tokens join the tail: a pattern may cut it elsewhere when the text goes on."""


class Completion(NamedTuple):
    """Tokens that may take the place of the tail.

    Attributes:
        changed: the number of tokens, from the end of the text, that they change; often 0.
        ids: they cover the tail; the last one may reach beyond it.
        added: the bytes by which it does.
    """

    changed: int
    ids: tuple[int, ...]
    added: bytes


class Tail(NamedTuple):
    """The end of a text, as far as it may change.

    Attributes:
        stable: the ids before the tail; they stay, however the text goes on.
        ids: the ids of the tail now; none after a special token, where nothing can change.
        completions: those first that change the most tokens; then by their ids.
        changed: the most tokens, from the end of the text, that a completion changes.
        changed_bytes: the number of their bytes.
    """

    stable: tuple[int, ...]
    ids: tuple[int, ...]
    completions: tuple[Completion, ...] = ()
    changed: int = 0
    changed_bytes: int = 0


@checked
def find_tail(tokenizer: Tokenizer, text: str) -> Tail:
    """Return the end of a text that may change if the text goes on, and all its completions.

    Args:
        tokenizer: has merges, and its tokens spell the text byte by byte.
        text: is taken as the beginning of a longer one.

    Raises:
        TextError: it is not a `str`.
        TailError: the tokens do not spell the text, or the tail is too long.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"//", 257: b"://"}
    >>> tokenizer = Tokenizer(vocab, [(b"/", b"/"), (b":", b"//")])
    >>> tail = find_tail(tokenizer, "http:")
    >>> tail.ids, [(each.changed, each.ids, each.added) for each in tail.completions]
    ((58,), [(1, (257,), b'//'), (0, (58,), b'')])
    """
    vocab = tokenizer.vocab
    ids, last = _encode(tokenizer, check_text(text))
    tail = b"".join(vocab[token_id] for token_id in ids[len(ids) - last :])
    stable, unstable = tuple(ids[: len(ids) - last]), tuple(ids[len(ids) - last :])
    if len(tail) > LONGEST_TAIL:
        raise TailError(
            f"the text ends in a pretoken of {len(tail):,} bytes, which is too long to try all "
            f"its completions; end it in one of at most {LONGEST_TAIL:,}"
        )
    completions = []
    for found in _completions(tokenizer, tail) if tail else ():
        same = 0
        while same < len(found) and same < len(unstable) and found[same] == unstable[same]:
            same += 1
        covered = b"".join([vocab[token_id] for token_id in found])
        completions.append(Completion(len(unstable) - same, found, covered[len(tail) :]))
    completions.sort(key=lambda each: (-each.changed, each.ids))
    changed = max((each.changed for each in completions), default=0)
    back = sum(len(vocab[token_id]) for token_id in unstable[len(unstable) - changed :])
    return Tail(stable, unstable, tuple(completions), changed, back)


def _encode(tokenizer: Tokenizer, text: str) -> tuple[list[int], int]:
    """Return the ids of a text, and the number of those at its end that may change."""
    rules, vocab = tokenizer.rules, tokenizer.vocab
    pieces = rules.pretokens(text)
    ids = tokenizer.encode(text)
    if b"".join(vocab[token_id] for token_id in ids) != to_bytes(text):
        raise TailError(
            "the tokens do not spell the text byte by byte, since this tokenizer changes it first "
            "or lacks some of it; so what goes on after it cannot be tried"
        )
    if not pieces or rules.is_special(pieces[-1]):
        return ids, 0
    last = len(rules.ids_of(pieces[-1]))

    def is_blank(place: int) -> bool:
        return ids[place] not in tokenizer.special_ids and not vocab[ids[place]].strip(BLANKS)

    if is_blank(len(ids) - last):
        while last < len(ids) and is_blank(len(ids) - last - 1):
            last += 1
    return ids, last


def _completions(tokenizer: Tokenizer, tail: bytes) -> set[tuple[int, ...]]:
    """Return the ids of all completions of a tail."""
    ids, vocab = tokenizer.rules.ids, tokenizer.vocab
    found: set[tuple[int, ...]] = set()
    found.update((ids[token],) for token in _beginning_with(tokenizer.rules, tail))
    texts: list[str] = []
    encoded: list[Sequence[int]] = []
    for place in range(1, len(tail)):
        for token in _beginning_with(tokenizer.rules, tail[place:]):
            longer = tail[:place] + token
            try:
                texts.append(longer.decode())
            except UnicodeDecodeError:  # no pattern cuts half a character
                encoded.append(tokenizer.encoder.encode(longer))
    encoded += tokenizer.allowing(()).encode_batch(texts)
    for tokens in encoded:
        covered = 0
        for number, token_id in enumerate(tokens, start=1):
            covered += len(vocab[token_id])
            if covered >= len(tail):
                found.add(tuple(tokens[:number]))
                break
    # White space at the end may be cut off when a word follows: `\s+(?!\S)`.
    blank = to_text(tail)[-1]
    before = tail[: len(tail) - len(to_bytes(blank))]
    if before and blank in WHITE_SPACE:
        encode = tokenizer.encoder.encode
        found.add((*encode(before), *encode(to_bytes(blank))))
    return found


def _beginning_with(rules: EncodingRules, start: bytes) -> Iterator[bytes]:
    """Yield the ordinary tokens that begin with some bytes, in the order of bytes."""
    tokens = rules.in_byte_order
    for place in range(bisect_left(tokens, start), len(tokens)):
        if not tokens[place].startswith(start):
            return
        yield tokens[place]
