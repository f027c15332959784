"""SuperBPE's second stage as its authors' code does it, slowly, line by line.

The code is a fork of Hugging Face's library, github.com/alisawuffles/tokenizers-superbpe: commit
757f2a5, `do_train_extend` in its trainer of BPE. github.com/PythonNut/superbpe drives it. It cannot
be installed beside the library, so this follows it. Texts are cut at each line, then by
`Split(Regex, "isolated")`. The merges of the first stage are made again in their order; one whose
pair is not in the queue is skipped. Then the queue gives the pair of the highest count, of equal
ones that of the smallest ids. A pair whose token would contain `:Ġ`, or more than four parts
between `Ġ`, is dropped.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import regex

MOST_WORDS = 4
SECOND_STAGE = r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]{2,}[\r\n/]*| +(?!\S)"
"""The regex of scripts/extend_tokenizer.sh."""

Word = list[str]


def lines_of(text: str) -> list[str]:
    """Cut a text as `Tokenizer.train(files)` reads a file: each line with its newline."""
    return text.splitlines(keepends=True) if "\r" not in text else text.split("\n")


def isolated(line: str, pattern: str) -> Iterator[str]:
    """Cut a line as `Split(pattern, "isolated")` does: matches, and what is between them."""
    end = 0
    for match in regex.finditer(pattern, line):
        yield from filter(None, (line[end : match.start()], match.group()))
        end = match.end()
    yield from filter(None, (line[end:],))


def extend(
    words: Iterable[tuple[str, int]],
    merges: Sequence[tuple[str, str]],
    new_merges: int,
    spell: str,
    min_frequency: int = 0,
) -> list[tuple[str, str]]:
    """Return the inherited merges and then new ones; tokens are in GPT-2's letters for bytes.

    Args:
        words: the pretokens and their counts.
        merges: those of the first stage.
        new_merges: number of merges to add.
        spell: the letters of all bytes, in the order of their ids.
    """
    ids = {letter: number for number, letter in enumerate(spell)}
    pretokens = [(list(word), count) for word, count in words]
    made: list[tuple[str, str]] = []
    queue = set(_count(pretokens))
    for left, right in merges:
        if left not in ids or right not in ids or (left, right) not in queue:
            continue
        _merge(pretokens, left, right)
        queue.discard((left, right))
        ids.setdefault(left + right, len(ids))
        made.append((left, right))
        queue |= {pair for pair in _count(pretokens) if left + right in pair}
    wanted, dropped = len(made) + new_merges, set[tuple[str, str]]()
    while len(made) < wanted:
        counts = _count(pretokens)
        left_over = [pair for pair in counts if pair not in dropped]
        if not left_over:
            break
        top = min(left_over, key=lambda pair: (-counts[pair], ids[pair[0]], ids[pair[1]]))
        if counts[top] < 1 or min_frequency > counts[top]:
            break
        token = "".join(top)
        if ":Ġ" in token or len([part for part in token.split("Ġ") if part]) > MOST_WORDS:
            dropped.add(top)
            continue
        ids.setdefault(token, len(ids))
        made.append(top)
        _merge(pretokens, *top)
    return made


def _count(pretokens: Iterable[tuple[Word, int]]) -> Counter[tuple[str, str]]:
    counts = Counter[tuple[str, str]]()
    for word, count in pretokens:
        for pair in pairwise(word):
            counts[pair] += count
    return counts


def _merge(pretokens: Iterable[tuple[Word, int]], left: str, right: str) -> None:
    for word, _ in pretokens:
        place = 0
        while place + 1 < len(word):
            if word[place] == left and word[place + 1] == right:
                word[place : place + 2] = [left + right]
            place += 1
