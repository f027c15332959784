"""Trainers as students hand them in: one is right, the others have one mistake each.

Each mistake is the one method that differs from `Student`. None of this uses the engine.
"""

import re
from collections import Counter
from itertools import pairwise
from unicodedata import normalize

import regex

Word = tuple[bytes, ...]
Pair = tuple[bytes, bytes]

SPECIAL = "<|endoftext|>"
GPT2 = regex.compile(r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")


class Student:
    """A trainer that counts every pair again at every step: slow and right."""

    def documents(self, text: str) -> list[str]:
        return text.split(SPECIAL)

    def pretokens(self, document: str) -> list[str]:
        return GPT2.findall(document)

    def words(self, text: str) -> dict[Word, int]:
        found = (p for document in self.documents(text) for p in self.pretokens(document))
        counted = Counter(self.encoded(p) for p in found)
        return {tuple(bytes([b]) for b in p): n for p, n in counted.items()}

    def encoded(self, pretoken: str) -> bytes:
        return pretoken.encode()

    def count(self, words: dict[Word, int]) -> Counter[Pair]:
        counts: Counter[Pair] = Counter()
        for word, n in words.items():
            for pair in self.pairs(word):
                counts[pair] += n
        return counts

    def pairs(self, word: Word) -> list[Pair]:
        return list(pairwise(word))

    def best(self, counts: Counter[Pair]) -> Pair:
        return max(counts, key=lambda pair: (counts[pair], pair))

    def merged(self, word: Word, pair: Pair) -> Word:
        out: list[bytes] = []
        i = 0
        while i < len(word):
            if word[i : i + 2] == pair:
                out.append(pair[0] + pair[1])
                i += 2
            else:
                out.append(word[i])
                i += 1
        return tuple(out)

    def train(self, text: str, merges: int) -> list[tuple[Pair, int]]:
        """Return the merges, each with the count at which it was chosen."""
        words, steps = self.words(text), []
        while len(steps) < merges and (counts := self.count(words)):
            pair = self.best(counts)
            steps.append((pair, counts[pair]))
            words = {self.merged(word, pair): n for word, n in words.items()}
        return steps


# -- ties


class TakesTheFirstOfEquals(Student):
    """Mistake: `max` keeps the first pair it meets in a tie."""

    def best(self, counts: Counter[Pair]) -> Pair:
        return max(counts, key=lambda pair: counts[pair])


class TakesTheLastOfEquals(Student):
    """Mistake: a loop with `>=` keeps the last pair of a tie."""

    def best(self, counts: Counter[Pair]) -> Pair:
        best = next(iter(counts))
        for pair, count in counts.items():
            if count >= counts[best]:
                best = pair
        return best


class ComparesSpellings(Student):
    """Mistake: compare tokens in GPT-2's spelling, in which a space is a late letter."""

    def best(self, counts: Counter[Pair]) -> Pair:
        printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
        others = [byte for byte in range(256) if byte not in printable]
        spelling = {byte: chr(256 + place) for place, byte in enumerate(others)}

        def spelled(token: bytes) -> str:
            return "".join(spelling.get(byte, chr(byte)) for byte in token)

        return max(counts, key=lambda pair: (counts[pair], spelled(pair[0]), spelled(pair[1])))


class ComparesReprs(Student):
    """Mistake: compare `repr`s, in which a newline is a backslash and an n."""

    def best(self, counts: Counter[Pair]) -> Pair:
        return max(counts, key=lambda pair: (counts[pair], repr(pair[0]), repr(pair[1])))


class ComparesRightFirst(Student):
    def best(self, counts: Counter[Pair]) -> Pair:
        return max(counts, key=lambda pair: (counts[pair], pair[::-1]))


class PrefersLongTokens(Student):
    def best(self, counts: Counter[Pair]) -> Pair:
        return max(counts, key=lambda pair: (counts[pair], len(pair[0] + pair[1]), pair))


class PrefersShortTokens(Student):
    def best(self, counts: Counter[Pair]) -> Pair:
        return max(counts, key=lambda pair: (counts[pair], -len(pair[0] + pair[1]), pair))


# -- counting


class CountsAPairOnceAWord(Student):
    def pairs(self, word: Word) -> list[Pair]:
        return sorted(set(pairwise(word)))


class StartsFromCharacters(Student):
    def words(self, text: str) -> dict[Word, int]:
        found = (p for document in self.documents(text) for p in self.pretokens(document))
        return {tuple(c.encode() for c in p): n for p, n in Counter(found).items()}


class CountsWithoutOverlap(Student):
    """Mistake: count as `str.count` does, `aa` once in `aaa`."""

    def pairs(self, word: Word) -> list[Pair]:
        found: list[Pair] = []
        skip = False
        for pair in pairwise(word):
            skip = bool(found) and not skip and pair == found[-1] and pair[0] == pair[1]
            if not skip:
                found.append(pair)
        return found


class DropsRareWords(Student):
    """Mistake: words that occur once are left out, to save time."""

    def words(self, text: str) -> dict[Word, int]:
        return {word: n for word, n in super().words(text).items() if n > 1}


class CountsEachWordOnce(Student):
    """Mistake: do not multiply by the count of the pretoken."""

    def words(self, text: str) -> dict[Word, int]:
        return dict.fromkeys(super().words(text), 1)


# -- reading


class LeavesSpecialTokensIn(Student):
    def documents(self, text: str) -> list[str]:
        return [text]


class JoinsDocuments(Student):
    """Mistake: remove special tokens, and with them the border between two documents."""

    def documents(self, text: str) -> list[str]:
        return [text.replace(SPECIAL, "")]


class PutsASpaceForSpecialTokens(Student):
    def documents(self, text: str) -> list[str]:
        return [text.replace(SPECIAL, " ")]


class ForgetsToEscape(Student):
    """Mistake: do not escape special tokens, so that `|` means `or`."""

    def documents(self, text: str) -> list[str]:
        return re.split(SPECIAL, text)


class LowersCase(Student):
    def documents(self, text: str) -> list[str]:
        return super().documents(text.lower())


class StripsLines(Student):
    def documents(self, text: str) -> list[str]:
        return [line.strip() for d in super().documents(text) for line in d.split("\n")]


class CutsFourChunksAnywhere(Student):
    def documents(self, text: str) -> list[str]:
        size = len(text) // 4
        places = [0, size, 2 * size, 3 * size, len(text)]
        chunks = (text[start:end] for start, end in pairwise(places))
        return [d for chunk in chunks for d in chunk.split(SPECIAL)]


class LosesTheLastOfFourChunks(Student):
    """Mistake: lose the last of four chunks, by `range(len(borders) - 2)`."""

    def documents(self, text: str) -> list[str]:
        return super().documents(text[: text.index(SPECIAL, 3 * (len(text) // 4))])


class StripsDocuments(Student):
    def documents(self, text: str) -> list[str]:
        return [document.strip() for document in super().documents(text)]


class ReadsLineByLine(Student):
    """Mistake: `for line in file` ends whitespace at each newline."""

    def documents(self, text: str) -> list[str]:
        return [line for d in super().documents(text) for line in d.splitlines(keepends=True)]


class ReadsLinesWithoutTheirEnds(Student):
    def documents(self, text: str) -> list[str]:
        return [line for document in super().documents(text) for line in document.split("\n")]


class TranslatesNewlines(Student):
    """Mistake: `open(path)` in text mode turns CR LF into LF."""

    def documents(self, text: str) -> list[str]:
        return super().documents(text.replace("\r\n", "\n").replace("\r", "\n"))


class KeepsSpecialTokensOfASplit(Student):
    """Mistake: `re.split` returns what a capturing group matches, too."""

    def documents(self, text: str) -> list[str]:
        return re.split(f"({re.escape(SPECIAL)})", text)


class CountsSpecialTokensAsPretokens(KeepsSpecialTokensOfASplit):
    def pretokens(self, document: str) -> list[str]:
        return [document] if document == SPECIAL else super().pretokens(document)


class SkipsTheFirstLine(Student):
    """Mistake: join `file.readlines()[1:]`, as if there were a header."""

    def documents(self, text: str) -> list[str]:
        return super().documents("".join(text.splitlines(keepends=True)[1:]))


class SkipsTheLastLine(Student):
    def documents(self, text: str) -> list[str]:
        return super().documents("".join(text.splitlines(keepends=True)[:-1]))


class ReadsLinesBehindTheFirst(SkipsTheFirstLine):
    """Two mistakes: `for line in file` after `next(file)`."""

    def documents(self, text: str) -> list[str]:
        return [line for d in super().documents(text) for line in d.splitlines(keepends=True)]


class JoinsWordsBySpaces(Student):
    def documents(self, text: str) -> list[str]:
        return super().documents(" ".join(text.split()))


class JoinsWordsOfDocumentsBySpaces(Student):
    def documents(self, text: str) -> list[str]:
        return [" ".join(document.split()) for document in super().documents(text)]


# -- encodings


class DecodesAsLatin1(Student):
    def documents(self, text: str) -> list[str]:
        return super().documents(text.encode().decode("latin-1"))


class DecodesAndEncodesAsLatin1(DecodesAsLatin1):
    """Mistake: the bytes are right in the end, but the pattern has seen other characters."""

    def encoded(self, pretoken: str) -> bytes:
        return pretoken.encode("latin-1")


class DecodesAsWindowsDoes(Student):
    """Mistake: `open(path)` without an encoding, on Windows."""

    def documents(self, text: str) -> list[str]:
        return super().documents(text.encode().decode("cp1252", "ignore"))


class EncodesAsLatin1(Student):
    def encoded(self, pretoken: str) -> bytes:
        return pretoken.encode("latin-1", "ignore")


class DecodesAsAscii(Student):
    def documents(self, text: str) -> list[str]:
        return super().documents(text.encode().decode("ascii", "ignore"))


class EncodesAsAscii(Student):
    def encoded(self, pretoken: str) -> bytes:
        return pretoken.encode("ascii", "replace")


class NormalizesTheText(Student):
    def documents(self, text: str) -> list[str]:
        return super().documents(normalize("NFC", text))


# -- pretokens


class DoesWithoutPretokens(Student):
    """Mistake: count pairs over whole documents, so that merges cross the borders of words."""

    def pretokens(self, document: str) -> list[str]:
        return [document] if document else []


class SplitsAtWhitespace(Student):
    def pretokens(self, document: str) -> list[str]:
        return re.findall(r"\S+|\s+", document)


class FindsWordsBySlashW(Student):
    def pretokens(self, document: str) -> list[str]:
        return re.findall(r" ?\w+| ?[^\w\s]+|\s+(?!\S)|\s+", document)


class LosesSpaces(Student):
    def pretokens(self, document: str) -> list[str]:
        return re.findall(r"\w+|[^\w\s]+", document)


# -- merging


class MergesFromTheRight(Student):
    def merged(self, word: Word, pair: Pair) -> Word:
        if pair[0] != pair[1]:
            return super().merged(word, pair)
        return super().merged(word[::-1], pair[::-1])[::-1]


class MergesTheFirstOnly(Student):
    """Mistake: `word.index(pair)` finds only one place."""

    def merged(self, word: Word, pair: Pair) -> Word:
        for i in range(len(word) - 1):
            if word[i : i + 2] == pair:
                return (*word[:i], pair[0] + pair[1], *word[i + 2 :])
        return word


# -- keeping counts


class KeepsCounts(Student):
    """Mistake in `update`: the counts are updated wrongly after each merge."""

    def update(self, counts: Counter[Pair], before: Word, after: Word, pair: Pair, n: int) -> None:
        raise NotImplementedError

    def may_merge(self, pair: Pair, words: dict[Word, int]) -> bool:
        return True

    def train(self, text: str, merges: int) -> list[tuple[Pair, int]]:
        words, steps = self.words(text), []
        counts = self.count(words)
        while len(steps) < merges and +counts:
            pair = self.best(counts)
            n = counts.pop(pair)
            if not self.may_merge(pair, words):
                continue
            steps.append((pair, n))
            after = {word: self.merged(word, pair) for word in words}
            for word, count in words.items():
                if word != after[word]:
                    self.update(counts, word, after[word], pair, count)
            del counts[pair]  # it is gone, whatever `update` has made of it
            words = {after[word]: count for word, count in words.items()}
        return steps


class NeverLowersCounts(KeepsCounts):
    """Mistake: count the new pairs, but do not lower the counts of broken pairs."""

    def update(self, counts: Counter[Pair], before: Word, after: Word, pair: Pair, n: int) -> None:
        for new in self.pairs(after):
            if pair[0] + pair[1] in new:
                counts[new] += n


class TrustsItsHeap(NeverLowersCounts):
    """Mistake: use an old heap entry if its pair still occurs anywhere."""

    def may_merge(self, pair: Pair, words: dict[Word, int]) -> bool:
        return any(pair in self.pairs(word) for word in words)


class NeverCountsNewPairs(KeepsCounts):
    def update(self, counts: Counter[Pair], before: Word, after: Word, pair: Pair, n: int) -> None:
        for old in self.pairs(before):
            counts[old] -= n
        for left in self.pairs(after):
            if pair[0] + pair[1] not in left:
                counts[left] += n


class NeverUpdatesCounts(KeepsCounts):
    def update(self, counts: Counter[Pair], before: Word, after: Word, pair: Pair, n: int) -> None:
        pass


class LooksAtOldNeighbours(KeepsCounts):
    """Mistake: in `abab` take `a` for the right neighbour of the first `ab`; it merges, too."""

    LEFT = RIGHT = True

    def update(self, counts: Counter[Pair], before: Word, after: Word, pair: Pair, n: int) -> None:
        i, new = 0, pair[0] + pair[1]
        while i < len(before) - 1:
            if before[i : i + 2] != pair:
                i += 1
                continue
            if i > 0 and self.LEFT:
                counts[before[i - 1], pair[0]] -= n
                counts[before[i - 1], new] += n
            if i + 2 < len(before) and self.RIGHT:
                counts[pair[1], before[i + 2]] -= n
                counts[new, before[i + 2]] += n
            i += 2


class CorrectsTheLeft(LooksAtOldNeighbours):
    RIGHT = False


class CorrectsTheRight(LooksAtOldNeighbours):
    LEFT = False


class ChangesCountsByOne(KeepsCounts):
    """Mistake: a word that occurs n times changes the counts by 1."""

    def update(self, counts: Counter[Pair], before: Word, after: Word, pair: Pair, n: int) -> None:
        counts.subtract(self.pairs(before))
        counts.update(self.pairs(after))


class TakesWhatItsHeapHas(Student):
    """Mistake: an entry is never compared with the count, so a pair may merge twice."""

    def train(self, text: str, merges: int) -> list[tuple[Pair, int]]:
        words, steps = self.words(text), list[tuple[Pair, int]]()
        counts = self.count(words)
        heap = [(n, pair) for pair, n in counts.items()]
        while len(steps) < merges:
            entry = max(heap)
            heap.remove(entry)
            pair = entry[1]
            steps.append((pair, counts[pair]))
            words = {self.merged(word, pair): n for word, n in words.items()}
            before, counts = counts, self.count(words)
            heap += [(n, each) for each, n in counts.items() if n != before[each]]
        return steps


class TakesOffWhatWasNeverCounted(KeepsCounts):
    """Mistake: in `abab` lower a count for the left neighbour of the second `ab`, a new token."""

    def update(self, counts: Counter[Pair], before: Word, after: Word, pair: Pair, n: int) -> None:
        new = pair[0] + pair[1]
        built: list[bytes] = []
        i = 0
        while i < len(before):
            if before[i : i + 2] != pair:
                built.append(before[i])
                i += 1
                continue
            if built:
                counts[built[-1], pair[0]] -= n
            if i + 2 < len(before):
                counts[pair[1], before[i + 2]] -= n
            built.append(new)
            i += 2
        for adjacent in self.pairs(after):
            if new in adjacent:
                counts[adjacent] += n


# -- two mistakes at once


class LowersCaseAndTakesTheFirst(LowersCase, TakesTheFirstOfEquals):
    pass


class StripsLinesAndNeverLowersCounts(StripsLines, NeverLowersCounts):
    pass


# -- counting less, and looking less often


class ForgetsTheLastPair(Student):
    """Mistake: `for i in range(len(word) - 2)` leaves the last two neighbours out."""

    def pairs(self, word: Word) -> list[Pair]:
        return [(word[i], word[i + 1]) for i in range(len(word) - 2)]


class TakesNewlinesOut(Student):
    """Mistake: `text.replace("\\n", "")` glues lines together."""

    def documents(self, text: str) -> list[str]:
        return text.replace("\n", "").split(SPECIAL)


class PutsASpaceForNewlines(Student):
    def documents(self, text: str) -> list[str]:
        return text.replace("\n", " ").split(SPECIAL)


class StripsLinesOfTheFile(Student):
    """Mistake: lines are stripped before special tokens are cut out."""

    def documents(self, text: str) -> list[str]:
        return super().documents("\n".join(line.strip() for line in text.split("\n")))


class ReadsTheFirstDocument(Student):
    """Mistake: `split` is given for the text, and only its first part is used."""

    def documents(self, text: str) -> list[str]:
        return super().documents(text)[:1]


class MergesFiveARound(Student):
    """Mistake: the five most frequent pairs are merged before pairs are counted again."""

    AT_ONCE = 5

    def train(self, text: str, merges: int) -> list[tuple[Pair, int]]:
        words, steps = self.words(text), list[tuple[Pair, int]]()
        while len(steps) < merges and (counts := self.count(words)):
            order = sorted(counts, key=lambda pair: (counts[pair], pair), reverse=True)
            tied = list(counts.values()).count(max(counts.values()))
            for pair in order[: self.AT_ONCE or tied]:
                steps.append((pair, counts[pair]))
                words = {self.merged(word, pair): n for word, n in words.items()}
        return steps[:merges]


class MergesTenARound(MergesFiveARound):
    """Mistake: as above, with ten."""

    AT_ONCE = 10


class MergesAllTied(MergesFiveARound):
    """Mistake: all pairs of the highest count are merged before pairs are counted again."""

    AT_ONCE = 0


class SortsItsMerges(Student):
    """Mistake: the merges are written in the order of their tokens."""

    def train(self, text: str, merges: int) -> list[tuple[Pair, int]]:
        return sorted(super().train(text, merges))
