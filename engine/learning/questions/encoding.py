"""Questions about encoding: where the pattern cuts, which tokens join, which text ids give."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from engine.analysis.why_not import cut_by
from engine.bpe.frame import Frame
from engine.core.errors import BpeError, QuestionError
from engine.core.wording import Sentence, Words, amount, say
from engine.encoding.rules import TracedMerge, candidates, trace_pretoken
from engine.encoding.typed_ids import read_ids
from engine.learning.questions.question import (
    CUT,
    END,
    SPACE,
    Cuts,
    Joins,
    Kind,
    Level,
    Question,
    Request,
    Text,
    Wrong,
    edged,
    in_turn,
    pair_words,
)
from engine.text.patterns import Pattern
from engine.text.pretokenize import Pretoken, SpecialSplitter, pretokens, to_bytes
from engine.unigram.frame import UnigramFrame

# -- where the pattern cuts a text

LONGEST_TO_CUT = 24
"""Characters of a text to cut; each takes two cells."""


def _pose_cuts(frame: Frame | UnigramFrame, request: Request) -> Question:
    """Ask where the pattern cuts a text."""
    text = request.subject.replace(SPACE, " ")
    if problem := _why_unfit(text):
        raise QuestionError(f"{request.subject}: {problem}")
    return _cuts_of(frame, text, frame.run.pattern)


def _why_unfit(text: str) -> str:
    """Return why a text cannot be asked about; "" if it can."""
    if not 2 <= len(text) <= LONGEST_TO_CUT:
        return f"a text to cut has 2 to {LONGEST_TO_CUT} characters"
    if not text.isprintable() or CUT in text or SPACE in text:
        return f"a text to cut has no newline, no {CUT} and no {SPACE}"
    return ""


def _cuts_of(frame: Frame | UnigramFrame, text: str, pattern: Pattern) -> Question:
    # The text is cut alone, so its pretokens may differ from those that it has in the corpus.
    cut = tuple(pretokens(text, pattern, SpecialSplitter(())))
    answer = tuple(pretoken.end for pretoken in cut[:-1])
    name = pattern.name.encode("utf-8", "surrogateescape")
    advice = "From the left, the first of these alternatives that matches takes its match."
    return Question(
        frame,
        say("Where does the pattern {name} cut this text?", name=name),
        Cuts(text),
        answer,
        explain=lambda: _why_cuts(cut),
        explain_wrong=lambda bars: _why_not_cuts(text, cut, bars),
        hint=say(
            "{bars}; the first piece is {piece}, by {alternative}.",
            bars=amount(len(answer), "bar"),
            piece=cut[0].bytes,
            alternative=_alternative(cut[0]),
        ),
        advice=say(advice),
        given=tuple(
            say(
                "{n}. {name}   {regex}",
                n=str(place),
                name=_shown_name(each.name),
                regex=to_bytes(each.regex),
            )
            for place, each in enumerate(pattern.alternatives, 1)
        ),
    )


def _shown_name(name: str) -> Words:
    """Return an alternative's name; in a user's own pattern it may contain anything."""
    return (name,) if name.isascii() and name.isprintable() else (to_bytes(name),)


def _alternative(pretoken: Pretoken) -> Words:
    return _shown_name(cut_by(pretoken))


def _why_cuts(cut: Sequence[Pretoken]) -> tuple[Sentence, ...]:
    pieces: list[str | bytes] = []
    why: list[str | bytes] = []
    for pretoken in cut:
        pieces += ["│", pretoken.bytes]
        why += [", ", pretoken.bytes, " (", *_alternative(pretoken), ")"]
    return (
        say("{pieces}", pieces=tuple(pieces[1:])),
        say("{alternatives}.", alternatives=tuple(why[1:])),
    )


def _why_not_cuts(text: str, cut: Sequence[Pretoken], bars: tuple[int, ...]) -> Wrong:
    right = [pretoken.end for pretoken in cut[:-1]]
    extra = next((place for place in bars if place not in right), None)
    if extra is not None:
        around = text[extra - 1].encode(), "│", text[extra].encode()
        goes_on = next(piece for piece in cut if piece.start < extra < piece.end)
        return Wrong(
            _mistake_in_cuts(text, set(bars) - set(right), set(right) - set(bars)),
            say("there is no bar in {text}.", text=around),
            say("{alternative} goes on there.", alternative=_alternative(goes_on)),
        )
    missing = next(place for place in right if place not in bars)
    ends = [0, *bars, len(text)]
    start = max(end for end in ends if end < missing)
    end = min(end for end in ends if end > missing)
    piece = to_bytes(text[start:end])
    return Wrong("left out a cut", say("a bar is missing in this piece: {piece}", piece=piece))


def _mistake_in_cuts(text: str, extra: set[int], missing: set[int]) -> str:
    """Return the name of the mistake behind bars where none is."""
    if extra == {place + 1 for place in missing if text[place].isspace()}:
        return "put a space at the end of the word before it"
    return "cut at other places" if missing else "cut where a piece goes on"


CUTS = Kind("cuts", (Frame, UnigramFrame), "BPE or Unigram", _pose_cuts, finds_subject=False)

# -- which two tokens of a word join next

WORDS = 2000
"""Number of different words of the corpus to draw from."""
DRAWS = 60
SHORTEST, LONGEST = 3, 12
"""Bytes of a word that is drawn."""
FEWEST_JOINS, MOST_JOINS = 2, 6
"""Joins of a word that is drawn."""
LONGEST_ASKED = 24
"""Largest number of bytes of a word that is named."""
STOPPED = "stopped before the last merge"


def _pose_encode_by_hand(frame: Frame, request: Request) -> Question:
    """Ask for the merges of a word, one after another, from the numbers of its merges."""
    if request.about is not None:
        word = to_bytes(request.about.replace(SPACE, " "))
        if len(word) > LONGEST_ASKED:
            raise QuestionError(f"{request.about} is longer than {LONGEST_ASKED} bytes")
        merges = trace_pretoken(frame.rules, word)
        if not merges:
            raise QuestionError(f"no two tokens of {request.about} merge at step {frame.step:,}")
    else:
        word, merges = _word_to_encode(frame, request)
    token, steps = frame.any_token, [merge.step for merge in merges]
    states = [steps[0].before, *(step.after for step in steps)]
    ranked = {
        (token(candidate.pair[0]), token(candidate.pair[1]), candidate.rank)
        for tokens in states
        for candidate in candidates(frame.rules, tokens)
    }
    answer = tuple(step.position for step in steps)
    if len(states[-1]) > 1:
        answer = (*answer, END)
    return Question(
        frame,
        say("Encode “{word}” by hand, merge by merge, until none applies.", word=word),
        Joins(tuple(map(token, states[0]))),
        answer,
        explain=lambda: _why_joins(frame, word, merges),
        explain_wrong=lambda places: _why_not_joins(frame, merges, answer, places),
        explain_part=lambda places: (
            _why_join(frame, merges[len(places) - 1])
            if places and places == answer[: len(places)]
            else ()
        ),
        find_later_hint=lambda places: _hint_at_join(frame, merges, len(places)),
        hint=_hint_at_join(frame, merges, 0),
        advice=say("Next is the pair whose merge came first; of two such, the left one."),
        given=tuple(
            say("merge {n}   {left} + {right}", left=left, right=right, n=f"{rank + 1:,}")
            for left, right, rank in sorted(ranked)
        ),
        find_level=lambda: Level(min(max(len(merges) - FEWEST_JOINS, 0), 3)),
    )


def _word_to_encode(frame: Frame, request: Request) -> tuple[bytes, tuple[TracedMerge, ...]]:
    words = [
        word
        for word in islice(frame.counts, WORDS)
        if SHORTEST <= len(word) <= LONGEST and _printable(word) is not None
    ]
    # The first join is at any place equally often: neither "always the first two" nor "always the
    # last two" is a good guess.
    wanted, fallback = request.chance.share(), None
    for _ in range(DRAWS if words else 0):
        word = request.chance.pick(words)
        merges = trace_pretoken(frame.rules, word)
        if not FEWEST_JOINS <= len(merges) <= MOST_JOINS:
            continue
        first = merges[0].step
        if first.position == int(wanted * (len(first.before) - 1)):
            return word, merges
        fallback = fallback or (word, merges)
    if fallback is None:
        raise QuestionError(
            f"no short word takes {FEWEST_JOINS} merges or more at step {frame.step:,}"
        )
    return fallback


def _printable(data: bytes) -> str | None:
    """Decode bytes to a text that a terminal can show; `None` if that fails."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return text if text.isprintable() else None


def _why_joins(frame: Frame, word: bytes, merges: Sequence[TracedMerge]) -> tuple[Sentence, ...]:
    after = merges[-1].step.after
    return (
        say(
            "{word} is {n}: {tokens}.",
            word=word,
            n=amount(len(after), "token"),
            tokens=edged(map(frame.any_token, after)),
        ),
        say("First {joins}.", joins=in_turn(_join(frame, merge) for merge in merges)),
    )


def _join(frame: Frame, merge: TracedMerge) -> Sentence:
    left, right = map(frame.any_token, merge.step.pair)
    return say("{left} + {right} (merge {n})", left=left, right=right, n=f"{merge.step.rank + 1:,}")


def _hint_at_join(frame: Frame, merges: Sequence[TracedMerge], done: int) -> Sentence:
    """Name the token to make next after some joins, or say how to see that none is left."""
    if done == len(merges):
        return say("look for each pair of neighbours in the list: is one of them there?")
    step = merges[done].step
    joined = frame.any_token(step.pair[0]) + frame.any_token(step.pair[1])
    return say("the token to make next is {token}.", token=joined)


def _why_join(frame: Frame, merge: TracedMerge) -> tuple[Sentence, ...]:
    """Explain one right join, though more follow."""
    rank = merge.step.rank
    pair = pair_words(frame, merge.step.pair)
    first = say("{pair} joins: merge {n}.", pair=pair, n=f"{rank + 1:,}")
    others = [lost for lost in merge.lost if lost.rank > rank]
    if not others:
        return (first,)
    next_best, merge_of_next = pair_words(frame, others[0].pair), f"{others[0].rank + 1:,}"
    return first, say("Next best was {pair}, merge {n}.", pair=next_best, n=merge_of_next)


def _why_not_joins(
    frame: Frame, merges: Sequence[TracedMerge], right: tuple[int, ...], places: tuple[int, ...]
) -> Wrong:
    """Explain the first wrong join of an answer."""
    first = next(
        (at for at, pair in enumerate(zip(places, right, strict=False)) if len(set(pair)) > 1),
        min(len(places), len(right)),
    )
    if first == len(places):
        return Wrong(STOPPED, say("the place of two tokens has to be named."))
    if first >= len(merges):
        return Wrong(
            "went on after the last merge",
            say("nothing joins any more: no pair that is left has a merge."),
        )
    step, place = merges[first].step, places[first]
    best = say("here is a pair of merge {n}", n=f"{step.rank + 1:,}")
    if place == END:
        return Wrong(STOPPED, say("it goes on: {best}.", best=best))
    pair = step.before[place], step.before[place + 1]
    words = pair_words(frame, pair)
    if pair == step.pair:
        wrong = "{pair} joins, but from left to right: one further left comes first."
        return Wrong("joined a pair further right first", say(wrong, pair=words))
    merge = frame.rules.merge_of(pair)
    if merge is None:
        wrong = "{pair} does not join: no merge joins them; {best}."
        return Wrong("joined two tokens that no merge joins", say(wrong, pair=words, best=best))
    wrong = "{pair}, merge {n}, has to wait: {best}, which comes first."
    return Wrong(
        "joined a pair of a later merge first",
        say(wrong, pair=words, n=f"{merge[0] + 1:,}", best=best),
    )


ENCODE_BY_HAND = Kind("encode-by-hand", (Frame,), "BPE", _pose_encode_by_hand)

# -- which text ids give

LONGEST_TEXT = 64
"""Characters of an answer."""


def _pose_decode(frame: Frame, request: Request) -> Question:
    """Ask for the text of some ids, from the merges that made their tokens."""
    try:
        ids = tuple(read_ids(request.subject))
        text = _printable(frame.decode(ids))
    except BpeError as error:
        raise QuestionError(str(error)) from error
    if not ids or text is None or SPACE in text or len(text) > LONGEST_TEXT:
        raise QuestionError(
            f"the ids {request.subject} give no text of 1 to {LONGEST_TEXT} characters that can "
            "be typed"
        )
    return _decoding(frame, ids, text)


Parts = dict[int, tuple[int, int] | None]
"""Token id → the two ids that it is made of; `None` for a token that no merge made."""


def _parts_of(frame: Frame, ids: Sequence[int]) -> Parts:
    """Return the parts of each id, of their parts and so on, the highest ids first."""
    found: Parts = {}
    waiting = list(ids)
    while waiting:
        token_id = waiting.pop()
        if token_id not in found:
            step = 0 if frame.is_special(token_id) else frame.step_making(token_id)
            parts = found[token_id] = frame.merge_at(step - 1).pair if step else None
            waiting += parts or ()
    return dict(sorted(found.items(), reverse=True))


def _decoding(frame: Frame, ids: Sequence[int], text: str) -> Question:
    token, parts = frame.any_token, _parts_of(frame, ids)
    quoted = [word for i in ids for word in (" + ", token(i), f" ({i})")][1:]
    return Question(
        frame,
        say("Which text do the ids {ids} give?", ids=" ".join(map(str, ids))),
        Text(LONGEST_TEXT),
        text,
        explain=lambda: (
            say("the text is {text}", text=text.encode()),
            say("It is {tokens}", tokens=tuple(quoted)),
        ),
        explain_wrong=lambda answer: Wrong(
            _mistake_in_text(text, answer), _why_not_text(text, answer)
        ),
        hint=say("{id} is {token}.", id=str(ids[0]), token=token(ids[0])),
        advice=say(
            "Take each apart until single characters are left; {space} is a space.", space=SPACE
        ),
        given=tuple(
            say("{id} = {left} + {right}", id=str(made), left=str(two[0]), right=str(two[1]))
            if two
            else say("{id} is {token}", id=str(made), token=token(made))
            for made, two in parts.items()
        ),
    )


def _mistake_in_text(text: str, answer: str) -> str:
    """Return the name of the mistake in a wrong text."""
    if answer.replace(" ", "") == text.replace(" ", ""):
        return "left out a space, or added one"
    if not answer.strip():
        return "gave no text"
    if all(char.isdigit() or char in f" {SPACE}" for char in answer):
        return "gave numbers instead of a text"
    return "stopped too early" if text.startswith(answer) else "took a token for another text"


def _why_not_text(text: str, answer: str) -> Sentence:
    if answer.replace(" ", "") == text.replace(" ", ""):
        return say("the letters are right, but spaces count.")
    alike = next(
        (at for at, (a, b) in enumerate(zip(answer, text, strict=False)) if a != b),
        min(len(answer), len(text)),
    )
    if not alike:
        return say("the first character is another one.")
    return say(
        "right as far as {start}, it goes on."
        if alike == len(answer)
        else "right as far as {start}, then it differs.",
        start=text[:alike].encode(),
    )


DECODE = Kind("decode", (Frame,), "BPE", _pose_decode, finds_subject=False)
