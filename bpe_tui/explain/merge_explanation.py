"""The explanation of merges, shared by BPE and WordPiece: bars of pairs, words, corpus, text."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import ClassVar

from bpe_tui.explain.explanation import (
    JOINED_AT,
    SHRUNK_AT,
    Bar,
    BarColumns,
    Beat,
    CountRoom,
    StepExplainer,
    StepMoment,
    bar_row,
    eased,
    with_end,
)
from bpe_tui.panels.corpus import (
    CorpusPlace,
    elsewhere_row,
    first_line_with,
    flowed,
    flowed_from,
    has_role,
    words_of,
)
from bpe_tui.panels.training_panels import word_rows
from bpe_tui.shell.panel import (
    ABOUT_TO_JOIN,
    BETWEEN_PAIR,
    HIDDEN,
    JOINING_ROLES,
    PRETOKEN_BORDER,
    MergeFrameT,
    SizedWord,
    TokenPainter,
    as_joining,
    token_edge,
)
from bpe_tui.widgets.language import plural, tr, tr_spans
from bpe_tui.widgets.numbers import scale_of
from bpe_tui.widgets.rows import (
    CHIPS_MEET,
    Row,
    Span,
    SubjectSpan,
    first_rows,
    has_row_below,
    left,
    spans_width,
    wrapped_text,
)
from bpe_tui.widgets.visible import shorten, visible_bytes, visible_text
from bpe_tui.widgets.visible import width as cells_of
from bpe_tui.words.narration import LONGEST_BESIDE, NO_CORPUS, characters_of, first_fitting
from engine.core.events import Pair
from engine.recording.affected_pretokens import AffectedPretoken
from engine.recording.merge_record import PairStep
from engine.recording.playback import AnyMergeFrame, MergeRun
from engine.text.pretokenize import Pretoken

LEAST_FOR_ASIDE = 48
"""Least cells of a sentence for the characters that bytes are a part of."""
LONGEST_NAMED = 18
"""Cells of a token within a sentence."""
LINES_TRIED = 20
"""Number of lines of the corpus in which a cut is sought."""


class LessonPainter(TokenPainter):
    """Draws merged tokens without hues: in this view, colour means *this merge* only."""

    taken_apart: Sequence[Span] = ()
    """Drawn for the fresh token while its two parts are still apart."""
    whole: Sequence[Span] | None = None
    """Drawn after each pretoken while none has tokens yet."""

    def role(self, token_id: int) -> str:
        role = super().role(token_id)
        return role if role in ("fresh", "special") else "base"

    def words(self, pretoken: Pretoken) -> Iterator[list[Span]]:
        if self.whole is None or pretoken.special:
            yield from super().words(pretoken)
        else:
            yield [(visible_text(pretoken.text), "base"), *self.whole]

    def spans(self, token_id: int) -> list[Span]:
        if self.taken_apart and token_id == self.fresh:
            return list(self.taken_apart)
        return super().spans(token_id)


class MergeExplainer(StepExplainer[MergeFrameT]):
    """Explains the merges of a model. A subclass gives the counts and the reason of a pick."""

    PAINTER: ClassVar[type[LessonPainter]] = LessonPainter
    FRACTION = 0
    """Least cells of the column of fractions."""

    in_bytes = False
    """Whether characters that tokens cut are spelled in their bytes."""

    # Kept, since each beat asks for it.
    _elsewhere: tuple[MergeRun, int, AffectedPretoken | None] | None = None
    """The run, a step, and a word with its merge if no line of the excerpt has one."""

    def cuts(self, frame: MergeFrameT) -> bool:
        return any(len(line) > 1 for line in frame.excerpt.lines[:LINES_TRIED])

    # -- what differs between models

    @abstractmethod
    def top(self, frame: MergeFrameT, limit: int) -> list[Pair]:
        """Return the pairs of highest count or score, the next one to merge among them."""

    @abstractmethod
    def value(self, frame: MergeFrameT, pair: Pair) -> float:
        """Return the count or score of a pair; 0 if the pair does not occur."""

    @abstractmethod
    def value_text(self, frame: MergeFrameT, pair: Pair) -> tuple[str, str]:
        """Return the count or score of a pair as text, and the fraction that gives a score."""

    def none_left(self, frame: MergeFrameT) -> str:
        """Return the sentence to show if no pair is left."""
        return tr("No pair is left: every pretoken is one token.")

    def change(self, before: float, now: float) -> str:
        """Return a text for a value that has fallen."""
        return ""

    def highest(self, frame: MergeFrameT) -> float:
        """Return the highest value of the run if it is known, else 1."""
        return 1.0

    @abstractmethod
    def cells(self, frame: MergeFrameT) -> int:
        """Return the cells of the longest number of the run."""

    @abstractmethod
    def tied(self, frame: MergeFrameT) -> Collection[Pair]:
        """Return the pairs that share the highest value."""

    @abstractmethod
    def words_of(self, frame: MergeFrameT, pretoken: bytes) -> Iterable[bytes]:
        """Return the words into which the model cuts a pretoken before merging."""

    @abstractmethod
    def encoded(self, frame: MergeFrameT, text: str) -> Sequence[Sequence[int]]:
        """Return the ids of a text, pretoken by pretoken."""

    @abstractmethod
    def why(
        self, before: MergeFrameT, pair: Pair, is_ahead: bool, width: int
    ) -> tuple[list[Span], list[Span]]:
        """Return two sentences: why the pair is picked, or was picked if not `is_ahead`.

        The second is wrapped if it is one span.
        """

    NEW: ClassVar[str] = "token {n}"
    """The model's name for a token by its id."""

    # -- 1 count

    def count_rows(self, moment: StepMoment[MergeFrameT], room: CountRoom) -> list[Row]:
        frame, before = moment.counted, moment.before
        if self.hides_next and frame is moment.after:
            return self._hidden_rows(frame, room)
        if not frame.has_corpus:
            return self._given_rows(frame, room)
        if moment.is_recounting and before is not None:
            grown = self.scale(frame) / self.scale(before)
            bars = self._moving_bars(moment, before, room.rows, grown)
        elif frame is before:
            bars = self.bars(StepMoment(frame, moment.after, Beat.LIGHT), room.rows)
        else:
            bars = self.bars(moment, room.rows)
        rows = self.rows_of_bars(frame, bars, room, is_fresh=frame is moment.after)
        return rows or [Row([("  " + self.none_left(frame), "")])]

    def _hidden_rows(self, frame: MergeFrameT, room: CountRoom) -> list[Row]:
        """Return the best pairs without counts, in an order that does not tell the winner."""
        hidden = Row([(f"  {tr(HIDDEN)}", "dim")])
        if not frame.has_corpus:
            return [hidden]
        pairs = self.top(frame, room.rows - 1)
        pairs.sort(key=lambda pair: tuple(map(frame.any_token, pair)))
        return [hidden, *self.rows_of_bars(frame, [Bar(pair, 0, "?") for pair in pairs], room)]

    def _given_rows(self, frame: MergeFrameT, room: CountRoom) -> list[Row]:
        """Return a sentence, then the merges that follow in the order of a tokenizer's file."""
        lines = wrapped_text(tr(NO_CORPUS), room.width - 2)
        rows = [*(Row([(f"  {line}", "dim")]) for line in lines), Row([])]
        painter, last = self.painter_of(frame), frame.recorded_steps
        for step in range(frame.step, min(frame.step + room.rows - len(rows), last)):
            role = "pair" if step == frame.step else "dim"
            named = left([(tr(self.STEP, n=step + 1), role)], room.name)
            rows.append(Row([("  ", ""), *named, *painter.pair(frame.merge_at(step).pair)]))
        return rows

    def bars(self, moment: StepMoment[MergeFrameT], limit: int) -> list[Bar]:
        """Return the longest bars of a moment in which no bar moves."""
        frame, picked = moment.frame, moment.frame.next_pair if moment.is_ahead else None
        tied = self.tied(frame)
        pairs = self.top(frame, limit)
        if picked is not None and picked not in pairs:  # merges that were given, or forced
            pairs[-1:] = [picked]
        bars = []
        for pair in pairs:
            value = before = self.value(frame, pair)
            if not moment.is_ahead and moment.before is not None:
                before = self.value(moment.before, pair)
            if pair == picked:
                mark, remark = "pair", "picked"
            elif len(tied) > 1 and pair in tied:
                mark, remark = "tie", "tied"
            else:
                mark, remark = "", "" if before else "new"
            change = self.change(before, value) if value < before else ""
            text, fraction = self.value_text(frame, pair)
            bars.append(Bar(pair, value, text, before, change, mark, remark, fraction))
        return bars

    def _moving_bars(
        self, moment: StepMoment[MergeFrameT], before: MergeFrameT, limit: int, grown: float
    ) -> list[Bar]:
        """Return bars on the way: first their lengths change to the new counts, then their rows.

        Numbers are not animated: a count is the old one or the new one. `grown` is the new scale
        divided by the old one: if the scale changes, all bars grow together.
        """
        after = moment.after
        assert after.merge is not None
        old, new = self.top(before, limit), self.top(after, limit)
        length = eased((moment.share - JOINED_AT) / (SHRUNK_AT - JOINED_AT))
        way = eased((moment.share - SHRUNK_AT) / (1 - SHRUNK_AT))
        places: dict[Pair, float] = {}
        for pair in dict.fromkeys([*old, *new]):
            start = old.index(pair) if pair in old else limit + new.index(pair)
            end = new.index(pair) if pair in new else limit + old.index(pair)
            places[pair] = start + (end - start) * way
        found = []
        for pair in sorted(places, key=places.__getitem__)[:limit]:
            was, now = self.value(before, pair), self.value(after, pair)
            shown = (was + (now - was) * length) * (grown + (1 - grown) * length)
            traced = was if grown == 1 else 0
            change = self.change(was, now) if 0 < now < was else ""
            mark, remark = "", "" if was else "new"
            if pair == after.merge.pair:
                change, mark, remark = "", "pair", "joined"
            text, fraction = self.value_text(after, pair)
            found.append(Bar(pair, shown, text, traced, change, mark, remark, fraction))
        return found

    def scale(self, frame: MergeFrameT) -> float:
        """Return the value of a full bar. It depends on the step only, so going back agrees.

        The longest bar takes between half and all of the room. When it would take less, about 12
        times in a run, the scale is halved.
        """
        top, highest = self.top(frame, 1), self.highest(frame)
        return highest * scale_of(self.value(frame, top[0]) / highest) if top else highest

    def rows_of_bars(
        self, frame: MergeFrameT, bars: Sequence[Bar], room: CountRoom, *, is_fresh: bool = False
    ) -> list[Row]:
        """Draw bars: `▶ ·+m  601  ▄▄▄▄▄▄▄▄▄▄ picked`.

        Args:
            frame: names the tokens.
            bars: the bars.
            room: the room for them.
            is_fresh: whether to highlight the token that the last merge made.
        """
        painter = self.painter_of(frame, is_fresh)
        scale = self.scale(frame)
        longest = max([0, *(len(bar.fraction) for bar in bars)])
        fraction = max(longest, self.FRACTION) if longest else 0
        columns = BarColumns.within(room, fraction, self.cells(frame))
        return [
            Row(bar_row(painter, bar, columns, room.width, scale, tr(bar.remark))) for bar in bars
        ]

    # -- 2 pick

    def pick_rows(self, moment: StepMoment[MergeFrameT], width: int) -> list[Row]:
        moment = self._ahead(moment)
        before = moment.before
        if before is None:
            return [Row([(self.no_pick(moment.after), "dim")])]
        pair = before.next_pair
        assert pair is not None, "it has merged"
        pick, why = self.why(before, pair, moment.is_ahead, width)
        if self.hides_next and len(self.tied(before)) < 2:
            return [Row(pick)]  # who was second is often the next one
        if len(why) > 1 or spans_width(why) <= width:
            return [Row(pick), Row(why)]
        ((reason, role),) = why
        lines = wrapped_text(reason, width)
        rest = shorten(" ".join(lines[1:]), width)
        return [Row(pick), Row([(lines[0], role)]), Row([(rest, role)])]

    def tells_next(self, moment: StepMoment[MergeFrameT]) -> bool:
        is_last = moment.after.step == moment.after.recorded_steps
        return moment.beat is Beat.REST and self.previews and not is_last

    def no_pick(self, frame: MergeFrameT) -> str:
        """Return the sentence of a run without a merge."""
        return tr("Nothing is picked yet.")

    def _ahead(self, moment: StepMoment[MergeFrameT]) -> StepMoment[MergeFrameT]:
        """Return the next merge, about to be made, if it is shown at this moment."""
        after = moment.after
        if not self.tells_next(moment):
            return moment
        return StepMoment(after, after.at(after.step + 1), Beat.LIGHT)

    def named(
        self, frame: AnyMergeFrame, pair: Pair, is_next: bool = False, width: int = LEAST_FOR_ASIDE
    ) -> list[Span]:
        """Return a pair as chips in a sentence of `width` cells, with characters of its bytes."""
        first, second = (
            shorten(visible_bytes(frame.any_token(part)), LONGEST_NAMED) for part in pair
        )
        chip = "joining" if is_next else "base"
        spans = [(first, chip), BETWEEN_PAIR, (second, chip)]
        room = LONGEST_BESIDE if width >= LEAST_FOR_ASIDE else 0
        characters = characters_of(frame, pair, room)
        return [*spans, (f" ({characters})", "dim")] if characters else spans

    # -- 3 replace

    def replace_rows(self, moment: StepMoment[MergeFrameT], words: int, width: int) -> list[Row]:
        if moment.before is None:  # at step 0 the first merge is told
            moment = self._ahead(moment)
        merge = moment.after.merge
        if moment.beat is Beat.PICK or moment.before is None or merge is None:
            return []
        is_lit = moment.beat is Beat.LIGHT
        before = self.painter_of(moment.before)
        after = self.painter_of(moment.after, is_fresh=True)
        before.joining = merge.pair
        touched = moment.after.affected(words)
        counts = [word.count for word in touched]
        both = [(before.tokens(word.before), after.tokens(word.after)) for word in touched]
        rows = first_rows(word_rows(counts, both, width, shows_after=not is_lit), words)
        shown = sum(bool(row.spans[0][0].strip()) for row in rows)  # marks below have no count
        if (rest := merge.pretokens - shown) and rows:
            rows[-1] = Row(with_end(rows[-1].spans, tr("and {n} more", n=rest), width))
        return [self._rule_row(before, after, merge, is_lit, width), *rows]

    def _rule_row(
        self, before: TokenPainter, after: TokenPainter, merge: PairStep, is_lit: bool, width: int
    ) -> Row:
        places = plural(merge.occurrences, "place")
        where = tr("{places} in one pretoken", places=places)
        if merge.pretokens > 1:
            where = tr("{places} in {n} different pretokens", places=places, n=merge.pretokens)
        if width < 60:
            pretokens = plural(merge.pretokens, "pretoken")
            where = tr("{places}, {pretokens}", places=places, pretokens=pretokens)
        if is_lit:
            joint = ABOUT_TO_JOIN if self.marks else CHIPS_MEET
            left, right = (as_joining(before.spans(part)) for part in merge.pair)
            spans = tr_spans("Here it is: {pair}", pair=[*left, joint, *right])
        else:
            pair = before.sum(merge.pair).within(2 * LONGEST_NAMED)
            spans = [*pair, (" → ", "dim"), *after.spans(merge.new_id)]
            token = f"  {tr(self.NEW, n=merge.new_id)}"
            if spans_width(spans) + cells_of(token) + cells_of(where) + 4 <= width:
                spans.append((token, "dim"))
        spare = width - spans_width(spans) - 2
        ways = (where, places) if merge.pretokens else ()
        return Row(with_end(spans, first_fitting(spare, *ways, ""), width))

    # -- the corpus, and a text of the reader's

    def painter(self, moment: StepMoment[MergeFrameT]) -> LessonPainter:
        """Return a painter that draws tokens as the moment shows them."""
        painter = self.painter_of(moment.frame, is_fresh=not moment.is_ahead)
        if moment.beat is Beat.CUT:
            painter.whole = [(PRETOKEN_BORDER[0], "pair")] if moment.share else []
        if moment.is_ahead:
            painter.joining = moment.frame.next_pair
            if moment.beat is Beat.PICK:
                painter.shows_joint = False
        elif moment.is_joining and (merge := moment.after.merge) is not None:
            a, b = (visible_bytes(moment.after.any_token(part)) for part in merge.pair)
            first, second = (SubjectSpan.of(part, "fresh", merge.new_id) for part in (a, b))
            painter.taken_apart = first, token_edge(marks=self.marks), second
        return painter

    def painter_of(self, frame: MergeFrameT, is_fresh: bool = False) -> LessonPainter:
        """Return a painter of a frame's tokens; `is_fresh`: highlight the last merge's token."""
        painter = self.PAINTER(frame, marks=self.marks)
        painter.in_bytes = self.in_bytes
        if not is_fresh:
            painter.fresh = -1
        return painter

    def corpus_rows(
        self, moment: StepMoment[MergeFrameT], top: CorpusPlace, rows: int, width: int
    ) -> list[Row]:
        excerpt = moment.frame.excerpt
        if not excerpt.lines:
            return [Row(tr_spans("none is open", "dim"))]
        painter = self.painter(moment)
        shown = first_rows(flowed_from(excerpt, top, partial(words_of, painter), width), rows)
        if (word := self._only_elsewhere(moment)) is not None:
            row = elsewhere_row(painter, word, is_made=not moment.is_ahead, width=width)
            shown = [*shown[: rows - 1], row]
        return shown

    def _only_elsewhere(self, moment: StepMoment[MergeFrameT]) -> AffectedPretoken | None:
        """Return a word with the merge if no line of the excerpt has one; kept for all beats."""
        before, after = moment.before, moment.after
        if before is None or before.next_pair is None or after.excerpt.complete:
            return None
        kept = self._elsewhere
        if kept is None or kept[0] is not after.run or kept[1] != after.step:
            is_there = self._line_with(before, before.next_pair) is not None
            word = None if is_there else next(iter(after.affected(1)), None)
            kept = self._elsewhere = after.run, after.step, word
        return kept[2]

    def place_to_show(
        self, before: MergeFrameT, top: CorpusPlace, rows: int, width: int
    ) -> CorpusPlace:
        pair = before.next_pair
        if pair is None:
            return top
        lit = StepMoment(before, before, Beat.LIGHT)
        if any(has_role(row, JOINING_ROLES) for row in self.corpus_rows(lit, top, rows, width)):
            return top
        place = self._line_with(before, pair)
        if place is None:
            return top
        found: list[Row] = []
        for row in flowed(words_of(self.painter(lit), before.excerpt.lines[place]), width):
            found.append(row)
            if has_role(row, JOINING_ROLES):
                break
        else:
            return top
        start = max(len(found) - 1 - (rows > 3), 0)
        if start and has_row_below(found[start - 1]):
            start -= 1  # the marks belong to the characters above them
        return CorpusPlace(place, start)

    def _line_with(self, frame: MergeFrameT, pair: Pair) -> int | None:
        """Return the first line of the excerpt in which the pair occurs."""
        return first_line_with(
            frame.excerpt,
            b"".join(map(frame.run.record.covers, pair)),
            lambda pretoken: any(
                pair in pairwise(frame.tokens_of(word)) for word in self.words_of(frame, pretoken)
            ),
        )

    def drawn_words(self, moment: StepMoment[MergeFrameT], text: str) -> Iterator[SizedWord]:
        painter = self.painter(moment)
        for ids in self.encoded(moment.frame, text):
            word = [*painter.tokens(ids), PRETOKEN_BORDER]
            yield word, spans_width(word)

    def size_of(self, frame: MergeFrameT, text: str) -> int:
        return sum(map(len, self.encoded(frame, text)))
