"""What-if, forks, breakpoints and the heap of BPE tell facts: a brute force finds them again.

Each is compared as a whole with what a second trainer, in plain Python, has found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import oracles
import pytest
import regex
from drawing import Drawing
from generated import examples
from hypothesis import HealthCheck, given, settings
from opening import SAMPLE, session_of
from test_told_facts import LINES, RULE, plural, times

from bpe_tui.bpe import what_if
from bpe_tui.bpe.heap_panel import PairsPanel
from bpe_tui.bpe.narration import narrate_tie
from bpe_tui.bpe.what_if import Branches, WhatIf, WhatIfJob
from bpe_tui.bpe.windows import BreakpointRows, none_found
from bpe_tui.session.config import RunConfig
from bpe_tui.widgets.rows import plain_text
from bpe_tui.words.narration import add_stop, heading
from engine.bpe.ties import TIE_RULES
from engine.text.patterns import PATTERNS

Named = tuple[bytes, bytes]
MERGES = 14
CONFIG = RunConfig("", pattern="whitespace", vocab_size=256 + 1 + MERGES)


BY_HAND = "It is chosen by hand, whatever its count."
REPEATED = "The run that was forked merges it here, and this fork repeats it."


@dataclass(frozen=True)
class Merge:
    """A merge, with the counts before it by the names of pairs, and the reason why it was made."""

    pair: Named
    before: Mapping[Named, int]
    after: Mapping[Named, int]
    tied: int
    reason: str
    is_repeated: bool
    compression: float

    @property
    def count(self) -> int:
        return self.before[self.pair]


def merges_of(
    text: str,
    pattern: str,
    rule: str,
    repeated: Sequence[Named] = (),
    forced: Collection[Named] = (),
    forbidden: Collection[Named] = (),
    least: int = 2,
) -> list[Merge]:
    """Repeat some merges, force one, then merge the most frequent pair that is not forbidden."""
    pretokens = Counter(regex.findall(PATTERNS[pattern].source, text))
    words, often = [[*each.encode()] for each in pretokens], [*pretokens.values()]
    vocab, made = [bytes([byte]) for byte in range(256)] + [b""], list[Merge]()
    due = [*repeated, *forced]
    while len(made) < MERGES:
        counts = oracles.recount(words, often)
        named = {(vocab[a], vocab[b]): (a, b) for a, b in counts}
        while due and due[0] not in named:
            del due[0]
        bans = () if due else forbidden
        may = {named[each]: counts[named[each]] for each in named if each not in bans}
        if not due and max(may.values(), default=0) < least:
            break
        tied = {each for each in may if may[each] == max(may.values())}
        pair, reason = oracles.TIE_ORACLES[rule](tied, words, vocab), ""
        is_repeated = len(due) > len(forced)
        if due:
            best, pair = pair, named[due.pop(0)]
            reason = ("" if best == pair else REPEATED) if is_repeated else BY_HAND
        words = [oracles.replace(word, pair, len(vocab)) for word in words]
        by_name = {name: counts[ids] for name, ids in named.items()}
        vocab.append(vocab[pair[0]] + vocab[pair[1]])
        left = oracles.recount(words, often)
        after = {(vocab[a], vocab[b]): n for (a, b), n in left.items()}
        tokens = sum(len(word) * n for word, n in zip(words, often, strict=True))
        size = sum(len(word.encode()) * n for word, n in pretokens.items())
        name = vocab[-1][: len(vocab[pair[0]])], vocab[pair[1]]
        made.append(Merge(name, by_name, after, len(tied), reason, is_repeated, size / tokens))
    return made


def shown(token: bytes) -> str:
    return token.decode().translate(str.maketrans(" \n", "·⏎"))


def plus(pair: Named) -> str:
    return "+".join(map(shown, pair))


def told_pair(pair: Named, count: int) -> str:
    left, right = map(shown, pair)
    return f"“{left}” and “{right}”, {times(count)}"


def texts(rows: Any) -> Iterator[str]:
    """Yield rows as texts, with one blank between their parts."""
    return (" ".join(plain_text(row.spans, "").split()) for row in rows)


@contextmanager
def opened(text: str) -> Iterator[Any]:
    with TemporaryDirectory() as folder:
        path = Path(folder, "text.txt")
        path.write_text(text)
        yield session_of(replace(CONFIG, corpus=str(path)))


# -- the heap


class Heap:
    """A heap as a plain dictionary: pair → the count in its entry, and who took of it since."""

    def __init__(self, counts: Mapping[Named, int]) -> None:
        self.claims, self.was = dict(counts), counts  # `was`: counts before the last merge
        self.took = {pair: Counter[bytes]() for pair in counts}

    def order(self) -> list[Named]:
        """Return the pairs in the order in which their entries would be popped."""
        return sorted(self.claims, key=lambda pair: (self.claims[pair], pair), reverse=True)

    def moves(self, merge: Merge) -> Iterator[str]:
        """Make the pops and pushes of a merge."""
        while self.claims[pair := self.order()[0]] != (true := merge.before.get(pair, 0)):
            yield f"pop {plus(pair)} {self.claims.pop(pair)} is stale, true {true}"
            self.took[pair].clear()
            if true:
                self.claims[pair] = true
                yield f"push {plus(pair)} {true} back with {true}"
        yield f"pop {plus(pair)} {self.claims.pop(pair)} is true: it merges"
        made = b"".join(merge.pair)
        for pair, count in merge.after.items():
            if pair not in merge.before:
                self.claims[pair], self.took[pair] = count, Counter()
                yield f"push {plus(pair)} {count} new"
            elif taken := merge.before[pair] - count:
                self.took[pair][made] += taken
        for pair in {*merge.before} - {*merge.after, merge.pair}:
            self.took[pair][made] += merge.before[pair]

    def rows(
        self, counts: Mapping[Named, int], merge: Merge | None, pushed: str | None = None
    ) -> list[str]:
        """Return the rows of the table; `pushed` is a pair, "" for none between two moves."""
        top = max(counts.values(), default=0)
        tied = sum(n == top for n in counts.values()) > 1
        found = list[str]()
        for place, pair in enumerate(self.order(), 1):
            claim, true = self.claims[pair], counts.get(pair, 0)
            is_next, remark = merge is not None and merge.pair == pair, ""
            if plus(pair) == pushed:
                remark = "pushed"
            elif claim != true:
                (most, n), *_ = took = self.took[pair].most_common()
                remark = f"{shown(most)} took {n}" + f" of {claim - true}" * (len(took) > 1)
            elif is_next:
                remark = "up next, tied" if tied else "up next"
            elif tied and true == top:
                remark = "tied"
            elif change := true - self.was.get(pair, 0):
                remark = f"{change:+}".replace("-", "−")
            if is_next and pushed is None and found:
                dropped = sum(pair not in counts for pair in self.order()[: place - 1])
                n, entries = place - 1, "entries are" if place > 2 else "entry is"
                found.append(f"{n} stale {entries} popped and pushed again")
                if dropped:
                    found[-1] = f"{n} popped as stale, {n - dropped} pushed again"
            mark = "▸" if is_next else " "
            found.append(" ".join(f"{mark} {place} {plus(pair)} {claim} {true} {remark}".split()))
        return found


def rows_of(drawing: Drawing, frame: Any, view: str, width: int) -> list[str]:
    panel = PairsPanel()
    panel.set_reactive(PairsPanel.view, view)
    drawing.add_panel(panel, frame, width)
    bars = str.maketrans("", "", "▄▖┄█▀│├└─╸╺━")
    rows = (panel.row(place) for place in range(panel.row_count))
    return [" ".join(each.translate(bars).split()) for each in texts(rows)]


def check_heap(drawing: Drawing, text: str) -> None:
    drawing.patch("bpe_tui.bpe.heap_panel.MOVES_SHOWN", 1000)
    with opened(text) as session:
        made = merges_of(text, "whitespace", RULE)
        timeline = session.timeline
        counts = next((m.before for m in merges_of(text, "whitespace", RULE, least=1)), {})
        heap = Heap(counts)
        for step in range(len(made) + 1):
            merge = made[step] if step < len(made) else None
            frame = timeline.seek(step)
            told = rows_of(drawing, frame, "array", 40)
            if not heap.claims:
                assert " ".join(told) == "No pair is left: every pretoken is one token."
                break
            end = told.index("")
            array = {
                f"{plus(p)} {n}" + f" true {counts.get(p, 0)}" * (n != counts.get(p, 0))
                for p, n in heap.claims.items()
            }
            for view in (told[end + 1 :], rows_of(drawing, frame, "tree", 40)):
                assert {each.partition(" ")[2] for each in view} <= array, (text, step, view)
            assert rows_of(drawing, frame, "table", 200) == heap.rows(counts, merge)
            if merge is None:
                assert told[:end] == ["No merge follows: nothing moves."]
                break
            moves = list[str]()
            for move in heap.moves(merge):
                moves.append(move)
                timeline.sub_step()
                if "new" in move or not timeline.frame.moves_done:
                    continue
                is_back = "back" in move
                rows = rows_of(drawing, timeline.frame, "table", 200)
                expected = heap.rows(counts, merge, move.split()[1] if is_back else "")
                assert rows == [f"▸ {move}", *expected], (text, step)
            assert told[0] == f"next: {plural(len(moves), 'move')}"
            assert sorted(each.removeprefix("▸ ") for each in told[1:end]) == sorted(moves)
            heap.was, counts = counts, merge.after


# -- breakpoints

STOPS: dict[str, Callable[[int, list[Merge]], bool]] = {
    "tie": lambda at, made: made[at].tied > 1,
    "count<6": lambda at, made: made[at].count < 6 and (not at or made[at - 1].count >= 6),
    "len>=3": lambda at, made: len(b"".join(made[at].pair)) >= 3,
    "len>=50": lambda at, made: False,
    "step 4": lambda at, made: at == 3,
    'token "low"': lambda at, made: b"".join(made[at].pair) == b"low",
}
"""Line of a breakpoint → whether it stops at a merge."""


def check_breakpoints(drawing: Drawing, text: str) -> None:
    drawing.resize(100, 9)
    with opened(text) as session:
        made = merges_of(text, "whitespace", RULE)
        for line, holds in STOPS.items():
            hits = [at + 1 for at in range(len(made)) if holds(at, made)]
            session.breakpoints.watched.clear()
            session.breakpoints.add(line)
            for step in range(len(made) + 1):
                after = [hit for hit in hits if hit > step]
                session.seek(step)
                session.tick(0)
                [row] = texts([BreakpointRows(session).row(0)])
                ahead = f"next at {after[0]}" if after else "no later merge makes it"
                said = f"{len(hits)} hit{'' if len(hits) == 1 else 's'}"
                assert row == f"{line} {said} {ahead}", (text, step)
                session.run_to_breakpoint()
                session.tick(0)
                assert session.found_none == (not after), (text, step, line)
                assert session.recording.cursor == (after[0] if after else step)
                stopped = f"Stopped at {line}. Here." if after else "Here."
                session.obstacle = "none"  # why it ended is not asked here
                assert add_stop(session, ["Here."], 99) == stopped
                assert none_found(session) == f"No later merge makes it: {line}"
        for line in STOPS:
            session.breakpoints.add(line)
        assert none_found(session) == f"No later merge makes any of the {len(STOPS)} breakpoints."
        session.breakpoints.watched.clear()
        told, app = list[str](), drawing.app
        ties = [at + 1 for at, merge in enumerate(made) if merge.tied > 1]
        drawing.patch(app, "session", session, raising=False)
        drawing.patch(app, "tell", told.append)
        drawing.patch(app, "changed", lambda: None)
        drawing.patch(app.navigation, "jump", nullcontext)
        for step in range(len(made) + 1):
            for way, word in ((1, "after"), (-1, "before")):
                session.seek(step)
                told.clear()
                app.action_tie(way)
                there = [tie for tie in ties if (tie - step) * way > 0]
                due = min(there, key=lambda tie: abs(tie - step), default=step)
                assert session.recording.cursor == due
                assert told == ([] if there else [f"No merge {word} this one was tied."])


# -- what if, and forks that are kept


def check_forks(drawing: Drawing, text: str, every: int = 5) -> None:
    """Check what the plans of some steps promise, and what their forks tell."""
    with opened(text) as session:
        made = merges_of(text, "whitespace", RULE)
        for step in range(0, len(made) + 1, every):
            frame = session.timeline.seek(step)
            tops = frame.top_pairs(3)
            chosen = tops[-1][0] if tops else None
            window = WhatIf(frame, session.config, chosen)
            plans = {each.title: each for each in window._plans}
            expected = forks_at(step, made, chosen and tuple(map(frame.any_token, chosen)))
            assert [*plans] == [*expected]
            for title, (at, otherwise, options) in expected.items():
                assert (plans[title].step, plans[title].otherwise) == (at, otherwise)
                if options.get("pattern", "gpt2") == "gpt2":
                    session.seek(step)
                    check_fork(drawing, session, made, plans[title], options)


def forks_at(step: int, made: list[Merge], chosen: Any) -> dict[str, tuple[int, str, Any]]:
    """Return title → the step, the short form, and the options of the second trainer."""
    found, following = dict[str, tuple[int, str, Any]](), step < len(made) and made[step].pair
    if step:
        name = plus(pair := made[step - 1].pair)
        options: dict[str, Any] = {"forbidden": {pair}}
        found[f"forbid merge {step}, made here: {name}"] = step - 1, f"{name} forbidden", options
    if following:
        name, options = plus(following), {"forbidden": {following}}
        found[f"forbid the next merge: {name}"] = step, f"{name} forbidden", options
    if chosen and chosen != following:
        name, options = plus(chosen), {"forced": [chosen]}
        found[f"merge the pair at the cursor next: {name}"] = step, f"{name} first", options
    others: dict[str, Any] = {
        f"tie rule {rule.title}": {"rule": name} for name, rule in TIE_RULES.items() if name != RULE
    } | {f"pattern {name}": {"pattern": name} for name in PATTERNS if name != "whitespace"}
    return found | {title: (step, title, options) for title, options in others.items()}


def check_fork(
    drawing: Drawing, session: Any, made: list[Merge], plan: Any, options: dict[str, Any]
) -> None:
    """Check what a fork tells in training, of its differences, and while it is kept."""
    text = Path(session.config.corpus).read_text()
    repeated = [merge.pair for merge in made[: plan.step]]
    options = {"pattern": "whitespace", "rule": RULE} | options
    other = merges_of(text, **options, repeated=repeated)
    told, posted = list[str](), list[Any]()
    shows = SimpleNamespace(
        update=lambda content: told.append(str(content).strip()),
        show=lambda rows: told.extend(texts(rows)),
    )
    drawing.patch(Branches, "query_one", lambda *_: shows)
    drawing.patch(what_if, "NEWS_SECONDS", -1)
    window = Branches(session.frame, session.config, plan)
    about = text, plan.title, plan.step

    # what is told while it is trained
    begun = window._begun().splitlines()
    first = f"merges 1 to {plan.step} are" if plan.step > 1 else "merge 1 is"
    far = ", as far as their pairs occur" if plan.title.startswith("pattern") else ""
    assert far or sum(merge.is_repeated for merge in other) == plan.step
    sentence = f"First {first} repeated{far}; later ones are learnt again."
    assert begun[1:] == [*([sentence] if plan.step else []), "The fork begins …"], about
    WhatIfJob(session.config, session.frame, plan, posted.append).work()
    *progress, ended = posted
    pairs, others = ([merge.pair for merge in each] for each in (made, other))
    alike = next((at for at, (a, b) in enumerate(zip_longest(pairs, others)) if a != b), None)
    for number, news in enumerate(progress, 1):
        window.on_what_if_progress(news)
        how = "all the same so far"
        if alike is not None and number > alike:
            how = f"merge {alike + 1} is the first that differs"
        *_, line = told.pop().splitlines()
        assert line.startswith(f"Training: {number} of {plural(len(made), 'merge')}, {how} "), about
    assert len(progress) == len(other)

    # the difference
    window.on_what_if_ended(ended)
    if alike is None:
        none = f"No difference: all {plural(len(made), 'merge')} are the same."
        assert told == [none, ""], about
    else:
        check_difference(told, alike, made, other)

    # the fork that is kept, and the way back
    before = heading(session, 500)
    session.keep(ended, plan)
    name = Path(session.config.corpus).name
    begin = f"fork of {name} at step {plan.step}: {plan.otherwise} (I leads back)"
    assert heading(session, 500).startswith(begin)
    assert session.recording.cursor == min(plan.step + 1, len(other)), about
    for step, merge in enumerate(other, 1):
        said = narrate_tie(session.timeline.seek(step))
        pair, _, count = told_pair(merge.pair, merge.count).rpartition(", ")
        *_, why = said.partition(f"The pair {pair} merged, {count}. ")
        bans = set() if merge.is_repeated else options.get("forbidden", set())
        hard = [each for each in bans if merge.before.get(each, 0) >= merge.count]
        ends = f"Forbidden: {told_pair(hard[0], merge.before[hard[0]])}." if hard else ""
        alone = f"No other pair{' that may merge' * bool(hard)} was as frequent. {ends}".strip()
        if merge.reason or merge.tied == 1:
            assert why == (merge.reason or alone), (*about, step, why)
        else:
            assert why.startswith("It was tied with "), (*about, step, why)
            assert why.endswith(ends), (*about, step, why)
    assert session.leave_fork()
    assert (session.recording.cursor, session.forked_from) == (plan.step, None)
    assert heading(session, 500) == before


def check_difference(told: list[str], alike: int, made: list[Merge], other: list[Merge]) -> None:
    """Check the numbers and examples of the summary, and that the rows are all the differences."""
    summary, head, *rows = told
    ranks, theirs = ({m.pair: at for at, m in enumerate(each, 1)} for each in (made, other))
    tokens, new = ([b"".join(m.pair) for m in each] for each in (made, other))
    gone, come = [t for t in tokens if t not in new], [t for t in new if t not in tokens]
    both = [pair for pair in ranks if pair in theirs and ranks[pair] > alike]
    moved = [pair for pair in both if ranks[pair] != theirs[pair]]
    ends = " → ".join(f"{each[-1].compression if each else 1:.3f}" for each in (made, other))
    examples_of = [
        "  ".join(sign + shown(token) for token in each[:12]) + "  …" * (len(each) > 12)
        for sign, each in (("−", gone), ("+", come))
        if each
    ]
    assert summary.splitlines() == [
        f"Net: {ends} bytes a token; {plural(len({*gone}), 'token')} gone, {len({*come})} new.",
        *examples_of,
        f"The first difference is merge {alike + 1}; "
        f"{plural(len(moved), 'merge')} of both only moved.",
    ]
    assert head == (
        f"merges 1 to {alike} are the same" if alike > 1 else "merge 1 is the same" * alike
    )
    row = {m.pair: f"{at} {plus(m.pair)} {m.count}" for at, m in enumerate(made, 1)}
    rows_of_one = [f"− {row[pair]}" for pair in ranks if pair not in theirs]
    rows_of_other = [
        f"+ {at} {plus(m.pair)} {m.count}" for at, m in enumerate(other, 1) if m.pair not in ranks
    ]
    assert [each for each in rows if each[0] == "−"] == rows_of_one
    assert [each for each in rows if each[0] == "+"] == rows_of_other
    rest = {each for each in rows if each[0] not in "−+"}
    ways = {f"{row[p]} → {theirs[p]}" for p in moved}, {row[p] for p in both if p not in moved}
    for lines, word in zip(ways, ("only moved", "are the same"), strict=True):
        hidden = sum(int(each.split()[0]) for each in rest if each.endswith(word))
        assert len(lines & rest) + hidden == len(lines), (lines, rows)
    assert {each for each in rest if " more " not in each} <= ways[0] | ways[1]


Check = Callable[[Drawing, str], None]
HANDOUT = SAMPLE.with_name("handout.txt").read_text()
TAKEN = "bun bun bun sun sun sun run run run pun\nbug bug bug hug hug rug rug pug pug\nput put\n"
"""A text in which two merges take of p+u before it is the top."""


@pytest.mark.parametrize("check", [check_heap, check_breakpoints, check_forks])
def test_what_ifs_stops_and_the_heap_tell_facts(
    check: Callable[[Drawing, str], None], drawing: Drawing
) -> None:
    check(drawing, TAKEN if check is check_heap else HANDOUT)


@pytest.mark.slow
@pytest.mark.parametrize("check", [check_heap, check_breakpoints, check_forks])
@given(LINES)
@settings(examples(20), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_ifs_stops_and_the_heap_tell_facts_about_random_texts(
    check: Callable[[Drawing, str], None], drawing: Drawing, lines: list[str]
) -> None:
    check(drawing, "".join(f"{line}\n" for line in lines).replace("c", "1"))
