"""The form of an answer that makes merges by hand: choose a pair, then replace it in some words."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

from engine.core.errors import AnswerError
from engine.core.events import PAIR_SIGN
from engine.core.wording import Sentence, Words, edged, say
from engine.learning.questions.answer_forms import CUT, END, SPACE, Form, check_ints, is_printable
from engine.text.pretokenize import to_bytes, to_text

SEPARATORS = f" {PAIR_SIGN}{CUT}┊│"
"""Signs that may be typed between two tokens."""
WORDS_APART = ",;"
"""Signs that are typed between two words."""
LONGEST_TYPED = 1000
CUT_APART = "one of these cuts a token apart; a merge only joins tokens."

TokenPair = tuple[bytes, bytes]
Part = tuple[int, ...]


def is_typeable(token: bytes) -> bool:
    """Whether a token can be typed without the signs that part tokens and words.

    >>> is_typeable(b" th"), is_typeable(b"a+b"), is_typeable(bytes([195]))
    (True, False, False)
    """
    signs = (SEPARATORS + WORDS_APART + SPACE).replace(" ", "")
    return is_printable(token) and {*signs}.isdisjoint(token.decode())


@dataclass(frozen=True)
class CountedWord:
    """A word in its tokens, and its number of occurrences."""

    count: int
    tokens: tuple[bytes, ...]


@dataclass(frozen=True)
class Merges(Form):
    """Merges to make in some words: for each, the pair is chosen, and then replaced.

    Gaps between the tokens at the start are numbered through all words; the gap after a word's
    last token is its border. The answer has two parts for each merge: a gap of the pair, and all
    gaps where the pair joins. `END` ends each part.

    >>> form = Merges((CountedWord(2, (b"l", b"o", b"w")), CountedWord(1, (b"l", b"o"))), 1)
    >>> answer = form.read("l+o; lo w, lo")
    >>> answer, form.words_at(form.joined(answer))
    ((0, -1, 0, 3, -1), [(b'lo', b'w'), (b'lo',)])
    """

    words: tuple[CountedWord, ...]
    merges: int

    how = (
        "Answer with a pair, such as l+o; then with the words that change, such as lo w, lo w e r. "
        f"You may type {SPACE} for a space."
    )

    # -- words, gaps and pairs

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The number of each word's first token, and the number of all tokens."""
        return tuple(accumulate((len(word.tokens) for word in self.words), initial=0))

    def gaps_of(self, word: int, joined: Collection[int]) -> list[int]:
        """Return the gaps between the tokens of a word, once some gaps are joined."""
        start, end = self.starts[word : word + 2]
        return [gap for gap in range(start, end - 1) if gap not in joined]

    def tokens_of(self, word: int, joined: Collection[int]) -> tuple[bytes, ...]:
        """Return the tokens of a word, once some gaps are joined."""
        start, tokens = self.starts[word], self.words[word].tokens
        ends = [gap - start + 1 for gap in self.gaps_of(word, joined)]
        spans = zip((0, *ends), (*ends, len(tokens)), strict=True)
        return tuple(b"".join(tokens[first:end]) for first, end in spans)

    def words_at(self, joined: Collection[int]) -> list[tuple[bytes, ...]]:
        """Return the tokens of all words, once some gaps are joined."""
        return [self.tokens_of(word, joined) for word in range(len(self.words))]

    def pairs(self, joined: Collection[int]) -> Iterator[tuple[int, TokenPair]]:
        """Yield each gap that is left, with the tokens on both sides."""
        for word in range(len(self.words)):
            tokens = self.tokens_of(word, joined)
            yield from zip(self.gaps_of(word, joined), pairwise(tokens), strict=True)

    def word_of(self, gap: int) -> int:
        """Return the word that has a gap."""
        return bisect_right(self.starts, gap) - 1

    def gaps_between(self, word: int, tokens: Sequence[bytes]) -> set[int]:
        """Return the gaps that are left if a word has these tokens.

        Raises:
            AnswerError: they cut a token of the start apart.
        """
        ends = accumulate(map(len, self.words[word].tokens))
        gaps = {end: gap for gap, end in enumerate(ends, self.starts[word])}
        try:
            return {gaps[end] for end in accumulate(map(len, tokens[:-1]))}
        except KeyError:
            raise AnswerError(CUT_APART) from None

    # -- parts of an answer

    @staticmethod
    def parts(answer: Sequence[int]) -> list[Part]:
        """Return the complete parts of an answer: (3, END, 3, 7, END) → [(3,), (3, 7)]."""
        found: list[Part] = []
        part: list[int] = []
        for place in answer:
            if place == END:
                found.append(tuple(part))
                part = []
            else:
                part.append(place)
        return found

    def joined(self, answer: Sequence[int]) -> frozenset[int]:
        """Return the gaps that the replacements of an answer have joined."""
        return joined_by(self.parts(answer))

    def chosen(self, answer: Sequence[int]) -> TokenPair | None:
        """Return the pair that is chosen and not yet replaced; `None` if one is to be chosen."""
        parts = self.parts(answer)
        if len(parts) % 2 == 0:
            return None
        return dict(self.pairs(self.joined(answer)))[parts[-1][0]]

    def task(self, progress: Sequence[int]) -> Sentence:
        """Return what to do next, after the parts that are done."""
        done, pair = len(self.parts(progress)) // 2, self.chosen(progress)
        n, last = str(done + 1), str(self.merges)
        if pair is None:
            return say("Merge {n} of {last}: which pair?", n=n, last=last)
        return say(
            "Merge {n} of {last}: replace {pair} everywhere.",
            shorter="Merge {n} of {last}: replace {pair}.",
            n=n,
            last=last,
            pair=(pair[0], PAIR_SIGN, pair[1]),
        )

    def rows(self, progress: Sequence[int]) -> Iterator[Sentence]:
        """Yield the words as they are after the parts that are done: `5 × l┊ow`."""
        joined = self.joined(progress)
        most = max(len(f"{word.count:,}") for word in self.words)
        for word, tokens in zip(self.words, self.words_at(joined), strict=True):
            yield say("{n} × {word}", n=f"{word.count:>{most},}", word=edged(tokens))

    def words_of(self, answer: Sequence[int]) -> Words:
        """Return the last part of an answer as words of a sentence: `s+t`, or the changed words."""
        *before, last = self.parts(answer)
        joined = joined_by(before)
        if len(before) % 2 == 0:
            left, right = dict(self.pairs(joined))[last[0]]
            return left, PAIR_SIGN, right
        both = zip(self.words_at(joined), self.words_at(joined | frozenset(last)), strict=True)
        return words_in_tokens(now for was, now in both if was != now) or ("no word changed",)

    # -- reading

    def read(self, typed: str) -> Part:
        """Return the answer of parts with `;` between them."""
        answer: Part = ()
        for part in typed.split(";"):
            answer = self.read_on(part, answer)
        return answer

    def read_on(self, typed: str, progress: tuple[int, ...]) -> Part:
        if len(typed) > LONGEST_TYPED:
            raise AnswerError(f"that is longer than {LONGEST_TYPED:,} characters. {self.how}")
        joined = self.joined(progress)
        if self.chosen(progress) is None:
            part: Part = (self._read_pair(typed, joined),)
        else:
            part = tuple(sorted(self._read_words(typed, joined)))
        return self.check((*progress, *part, END))

    def _read_pair(self, typed: str, joined: Collection[int]) -> int:
        tokens = _tokens_typed(typed)
        if len(tokens) == 1 and len(to_text(tokens[0])) == 2:  # st for s+t
            tokens = [to_bytes(sign) for sign in to_text(tokens[0])]
        if len(tokens) != 2:
            raise AnswerError("a pair is two tokens; type them with a + between, such as l+o.")
        left, right = pair = tokens[0], tokens[1]
        for gap, there in self.pairs(joined):
            if there == pair:
                return gap
        words = self.words_at(joined)
        if any(word[-1] == left for word in words) and any(word[0] == right for word in words):
            raise AnswerError("these are the end of a word and a start: no pair crosses a border.")
        raise AnswerError("these two tokens are not side by side in any of the words.")

    def _read_words(self, typed: str, joined: Collection[int]) -> Iterator[int]:
        """Yield the gaps that the typed words join."""
        texts = [b"".join(word.tokens) for word in self.words]
        for word_typed in typed.split(","):
            if not (tokens := _tokens_typed(word_typed)):
                continue
            if (text := b"".join(tokens)) not in texts:
                raise AnswerError(
                    "one of these is none of the words; type each whole, and a comma between two."
                )
            word = texts.index(text)
            open_gaps, kept = self.gaps_of(word, joined), self.gaps_between(word, tokens)
            if not kept.issubset(open_gaps):
                raise AnswerError(CUT_APART)
            yield from (gap for gap in open_gaps if gap not in kept)

    def check(self, value: object) -> Part:
        places = check_ints(value, self.how)
        if len(places) > 2 * self.merges * (self.starts[-1] + 2) or places[-1:] != (END,):
            raise AnswerError(f"it does not consist of complete parts. {self.how}")
        checked: Part = ()
        for part in self.parts(places):
            pairs = dict(self.pairs(self.joined(checked)))
            if any(gap not in pairs for gap in part):
                raise AnswerError("it joins where no two tokens are side by side.")
            if len(self.parts(checked)) == 2 * self.merges:
                raise AnswerError("it has more merges than were asked for.")
            if self.chosen(checked) is None:
                if len(part) != 1:
                    raise AnswerError("it does not choose one pair.")
                part = (next(gap for gap, pair in pairs.items() if pair == pairs[part[0]]),)
            checked = (*checked, *sorted(set(part)), END)
        return checked


def joined_by(parts: Sequence[Part]) -> frozenset[int]:
    """Return the gaps that the replacements among the first parts of an answer have joined."""
    return frozenset(gap for part in parts[1::2] for gap in part)


def words_in_tokens(words: Iterable[Sequence[bytes]]) -> Words:
    """Return words in their tokens, as words of a sentence: `l┊ow, l┊ow┊er`."""
    listed: list[str | bytes] = []
    for tokens in words:
        listed += [", ", *edged(tokens)] if listed else edged(tokens)
    return tuple(listed)


def _tokens_typed(typed: str) -> list[bytes]:
    """Return the tokens of what is typed: `·l ow` → [b" l", b"ow"]."""
    for sign in SEPARATORS:
        typed = typed.replace(sign, CUT)
    return [to_bytes(token.replace(SPACE, " ")) for token in typed.strip().split(CUT) if token]
