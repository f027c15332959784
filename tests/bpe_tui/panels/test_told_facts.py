"""Sentences, titles and feet tell numbers and names of their step: a brute force finds them again.

`TOLD` has a template for every line of a training screen or a chart that has a number. A place in
a template is an attribute of the facts of its model, which the oracles of the engine compute.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import islice, pairwise
from math import log
from pathlib import Path
from pkgutil import resolve_name
from tempfile import TemporaryDirectory
from typing import Any

import oracles
import pytest
import regex
import textbook_by_hand
import unigram_by_hand
import wordpiece_oracle
from drawing import Drawing
from generated import examples, first_quick
from heap_by_hand import replay
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opening import session_of
from test_drawn_rows import panels_of

from bpe_tui.app.session_app import PLACES
from bpe_tui.bpe.narration import explain_merge, narrate_next
from bpe_tui.panels.charts import ChartPanel
from bpe_tui.session.config import RunConfig
from bpe_tui.session.declarations import CHARTS, TRAINING
from engine.bpe.frame import Frame
from engine.bpe.ties import TIE_RULES
from engine.text.patterns import PATTERNS
from engine.wordpiece.score import score_text

MERGING = """
Back at step {step} of {last}: {undone} is taken apart into {undone_pair} again.
Back at step {step}: {undone} is {undone_pair} again.
corpus foot lines 1–{lines} of {lines}
corpus foot line {lines} of {lines}
merge {step}
merges  {last}
pretokens  {changed}
pretokens foot changed by merge {step}
pretokens foot of merge {next_step}
ties: {ties}
frequent: {words} of {words} │ ↵ its encoding
zipf: first: {first} │ first 10: {of_ten} of all
counts: {count} │ step {step}
"""
Pair = tuple[int, int]
TOLD = {
    "bpe": f"""{MERGING}
Nothing has merged at step 0.
Step 0: {{tokens}} bytes, each a token of its own. {{next_won}}
Step 0: {{tokens}} bytes, and no pair to merge.
Step 0: bytes. Next {{next_in_short}}.
Merge {{step}} of {{last}}: {{pair}} occurred together {{times}}; they are one token now, {{token}}.
Merge {{step}}: {{pair}}, {{times}}, become {{token}}.
Merge {{step}} makes {{token}}.
The pair {{pair}} merged, {{times}}. {{why}}
The tie rule {{choice}}.
The tie rule {{next_choice}}.
Next is {{next}}, {{next_times}}. {{next_why}}
merge {{step}} │ {{tied}} pairs tied
heap  {{heap}}
bigrams  {{bigrams}}
lengths: mean {{mean}} bytes │ longest {{longest}}
compression: {{bytes_a_token}} bytes per token │ step {{step}}
""",
    "wordpiece": f"""{MERGING}
Step 0: {{tokens}} pieces of one character. The pair {{next}} has the highest score{{next_rule}}, \
{{next_score}}.
Step 0: {{tokens}} pieces of one character, and no pair to merge.
Step 0: characters. Next {{next}}, {{next_score}}.
Merge {{step}} of {{last}}: {{pair}} scored {{score}}, the highest{{rule}}; \
they are one piece now, {{token}}.
Merge {{step}}: {{pair}}, score {{value}}, become {{token}}.
scores  {{scored}}
scores: {{value_or_none}} │ step {{step}}
lengths: mean {{mean}} characters │ longest {{longest}}
pieces: {{pieces_a_word}} pieces a word │ step {{step}}
""",
    "unigram": """
Back at step {step} of {last}: the {kind} is undone.
Back at step {step} of {last}: the {kind} is undone; {come_back}.
Back at step {step}: the {kind} is undone.
Step 0: a seed of {size} pieces.
Step 0: the seed has {size} pieces, {characters} characters and every substring that occurs more \
than once.
Step 0: a seed of {grams}, with the loss {loss}.
Step 0: the seed has {grams} of 1 to 2 words, counted {counted} times in all. The loss is {loss} \
nats.
Step 0: the seed has {grams} of 1 to 2 words; the loss is {loss}.
Step {step} of {last}, EM {em} of round {round}: scores follow the expected counts, and {losses}.
Step {step}, EM {em} of round {round}: {losses}.
Step {step}, EM {em} of round {round}.
Step {step} of {last}, prune {round}: {share}: {who}. {Losses}.
Step {step}, prune: {share}; {losses}.
Step {step}, prune: {share}.
Step {step} of {last}: {gone} goes: {why_gone}
Step {step}: {gone} goes.
EM {em} of round {round}
prune {round}
removal {step}
corpus foot lines 1–{lines} of {lines}
corpus foot line {lines} of {lines}
loss: {loss} nats │ step {step}
size: {size} pieces │ step {step}
fertility: {fertility} │ step {step}
lengths: mean {mean} characters │ longest {longest}
frequent: {words} of {words} │ ↵ its encoding
zipf: first: {first} │ first 10: {of_ten} of all
""",
}


def plural(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


Facts = dict[str, Any]
"""Name of a place → its text or number, or a function that says whether a text is true there."""


def listed(pairs: Collection[str]) -> Callable[[str], bool]:
    """Whether a text names three of some pairs, in any order, and the number of the others."""

    def holds(told: str) -> bool:
        names = told.split("; ")
        more = int(names.pop().split()[1]) if names[-1].endswith(" more") else 0
        return {*names} <= {*pairs} and len({*names}) + more == len(pairs)

    return holds


def in_text(text: str, counts: Mapping[str, int], step: int) -> Facts:
    """Return what holds for all models."""
    often = sorted(counts.values(), reverse=True)
    shown = str.maketrans(" ▁\n", "··⏎")
    return {
        "step": step,
        "next_step": step + 1,
        "lines": text.count("\n"),
        "words": len(counts),
        "first": {word.translate(shown) for word in counts if counts[word] == often[0]},
        "of_ten": f"{100 * sum(often[:10]) / sum(often):.0f}%",
    }


def of_tokens(tokens: Collection[str], vocabulary: Collection[str | bytes]) -> Facts:
    lengths = [*map(len, vocabulary)]
    mean, longest = f"{sum(lengths) / len(lengths):.1f}", max(lengths)
    return {"mean": mean, "longest": longest, "tokens": len(tokens)}


def share_of_ties(tied: list[int]) -> str:
    """Return how many merges had several pairs to choose from."""
    known, all_of = sum(each > 1 for each in tied), plural(len(tied), "merge")
    return f"{known} of {all_of}" + (f" │ {100 * known / len(tied):.0f}%" if tied else "")


def facts_of_bpe(text: str, step: int, _: Any) -> Facts:
    words = Counter(regex.findall(PATTERNS["whitespace"].source, text))
    corpus = {word.encode(): count for word, count in words.items()}
    run = oracles.train(corpus, RULE, (RUNS["bpe"].vocab_size or 0) - 257)
    made = [each for each in run.steps if each.count > 1]
    name = lambda token: f"“{run.vocab[token].decode()}”"  # noqa: E731
    named = lambda pair: " and ".join(map(name, pair))  # noqa: E731
    cuts = made[step - 1].words_after if step else run.words
    ids = [token for word, n in zip(cuts, corpus.values(), strict=True) for token in word * n]
    [*_, claims] = (each.claims for each in islice(replay(corpus, RULE, step), step + 1))
    counts = oracles.recount(cuts, [*corpus.values()])
    stale = sum(counts.get(pair, 0) != count for pair, count in claims.items())
    heap = "entry" if len(claims) == 1 else "entries"
    found = (
        in_text(text, words, step)
        | of_tokens(ids, run.vocab[: 256 + step])
        | {
            "bigrams": lambda told: sum(map(int, re.findall(r"\d+", told))) == len(counts),
            "last": len(made),
            "ties": share_of_ties([len(each.tied) for each in made[:step]]),
            "heap": f"{len(claims):,} {heap} │ {stale} stale",
            "bytes_a_token": f"{sum(len(w) * n for w, n in corpus.items()) / len(ids):.2f}",
        }
    )

    def decided(tied: set[Pair], pair: Pair) -> tuple[set[str], Any]:
        rivals = {named(other) for other in tied - {pair}}

        def holds(told: str) -> bool:
            if not rivals:
                return told in {"No other pair was as frequent.", "No other pair is as frequent."}
            parts = re.fullmatch(r"It (?:was|is) tied with (.*)\. Tie rule (.*?): (.*)\.", told)
            assert parts is not None
            if len(rivals) == 1:
                [other] = tied - {pair}
                at = int(pair[0] == other[0])
                same = "same left token, and " * at
                why = f"{same}{name(pair[at])} is later in byte order than {name(other[at])}"
                if parts[3] != why:
                    return False
            return listed(rivals)(parts[1]) and parts[2] == TIE_RULES[RULE].title

        return rivals, holds

    def choice(tied: set[Pair], words: oracles.Words) -> Callable[[str], bool]:
        return lambda told: (
            told
            in {
                f"{TIE_RULES[rule].title} {verb} {named(oracle(tied, words, run.vocab))}"
                for rule, oracle in oracles.TIE_ORACLES.items()
                for verb in ("would merge", "would have merged")
            }
        )

    if step:
        last = made[step - 1]
        found |= {
            "pair": named(last.pair),
            "times": times(last.count),
            "count": times(last.count),
            "token": name(last.new_id),
            "tied": len(last.tied),
            "changed": last.pretokens,
            "why": decided(last.tied, last.pair)[1],
            "choice": choice(last.tied, last.words_before),
        }
    else:
        found |= {"count": "no merge"}
    if step < len(made):
        following = made[step]
        rivals, why = decided(following.tied, following.pair)
        pair, often = named(following.pair), times(following.count)
        begin = f"{pair}, {often}"
        found.setdefault("changed", following.pretokens)
        found |= {
            "undone": name(following.new_id),
            "undone_pair": pair,
            "next": pair,
            "next_times": often,
            "next_why": why,
            "next_choice": choice(following.tied, cuts),
            "next_won": (
                (
                    lambda told: (
                        told.startswith(f"The pair {pair} is next, {often}, tied with ")
                        and listed(rivals)(told.partition("tied with ")[2][:-1])
                    )
                )
                if rivals
                else f"The pair {pair} is the most frequent, {often}."
            ),
            "next_in_short": (
                (
                    lambda told: (
                        told == f"{begin}, tied"
                        or (
                            told.startswith(f"{begin}, tied with ")
                            and listed(rivals)(told.partition("tied with ")[2])
                        )
                    )
                )
                if rivals
                else begin
            ),
        }
    return found


def facts_of_wordpiece(text: str, step: int, _: Any) -> Facts:
    words = Counter(text.split())
    made = wordpiece_oracle.train(words, 99, "frequent", min_count=2)
    start = {w: [f"{'##' * (at > 0)}{c}" for at, c in enumerate(w)] for w in words}
    states = [start, *(each.splits for each in made)]
    cuts = states[step]
    pieces = [piece for word, n in words.items() for piece in cuts[word] * n]
    known = {f"{'##' * (at > 0)}{c}" for word in words for at, c in enumerate(word)}
    known |= {each.piece for each in made[:step]}
    tied = [[*each.scores.values()].count(max(each.scores.values())) for each in made]
    found = in_text(text, words, step) | of_tokens(
        pieces, [each.removeprefix("##") for each in known]
    )
    found |= {
        "last": len(made),
        "ties": share_of_ties(tied[:step]),
        "pieces_a_word": f"{len(pieces) / words.total():.2f}",
        "count": "no merge",
        "value_or_none": "no merge",
    }
    pairs = wordpiece_oracle.count_pairs(cuts, words)
    left_out = sum(count < 2 for count in pairs.values())
    scored = plural(len(pairs) - left_out, "pair")
    found["scored"] = scored + (f" │ {left_out} left out" if left_out else "")
    least = " of the pairs that occur at least 2 times"

    def score(each: Any) -> str:
        left, right = (each.pieces_before[piece] for piece in each.pair)
        return f"{each.pairs_before[each.pair]:,} / ({left:,} × {right:,})"

    if step:
        last, others = made[step - 1], tied[step - 1] - 1
        value = score_text(max(last.scores.values()))
        in_ties = f", tied with {plural(others, 'other')}" if others else ""
        found |= {
            "pair": " and ".join(f"“{each}”" for each in last.pair),
            "token": f"“{last.piece}”",
            "count": times(last.pairs_before[last.pair]),
            "score": score(last),
            "rule": least * any(count < 2 for count in last.pairs_before.values()) + in_ties,
            "value_or_none": value,
            "value": lambda told: told in {value, f"{value}{in_ties}"},
            "changed": sum(last.pair in pairwise(cut) for cut in states[step - 1].values()),
        }
    if step < len(made):
        following = made[step]
        pair = " and ".join(f"“{each}”" for each in following.pair)
        found |= {
            "undone": f"“{following.piece}”",
            "undone_pair": pair,
            "next": pair,
            "next_score": score(following),
            "next_rule": least * bool(left_out),
        }
        found.setdefault("changed", sum(following.pair in pairwise(cut) for cut in cuts.values()))
    return found


def facts_of_unigram(text: str, step: int, session: Any) -> Facts:
    """Return the facts of the model at a step; its scores are those of the frame."""
    frames = [session.shown.at(each) for each in range(session.shown.recorded_steps + 1)]
    models = [dict(zip(each.texts, each.scores.tolist(), strict=True)) for each in frames]
    counts, model, before = frames[0].words, models[step], models[max(step - 1, 0)]
    by_hand = [unigram_by_hand.expected_counts(counts, each) for each in models]
    losses, expected = [loss for _, loss in by_hand], by_hand[step][0]
    kinds = ["", *(("EM", "prune")["Prune" in type(each.came_by).__name__] for each in frames[1:])]
    gone = len(before) - len(model)
    found = in_text(text, counts, step) | of_tokens([], [*model])
    found |= {
        "last": len(frames) - 1,
        "size": len(model),
        "characters": len({*"".join(counts)}),
        "loss": f"{losses[step]:.3f}",
        "fertility": f"{sum(expected.values()) / sum(counts.values()):.3f} tokens a pretoken",
        "em": next((n for n, each in enumerate(kinds[step::-1]) if each != "EM"), 0),
        "round": 1 + kinds[1:step].count("prune"),
        "share": f"{gone} of {plural(len(before), 'piece')} {'goes' if gone == 1 else 'go'}",
        "who": lambda told: told.startswith("those"),
        **changes_of(losses[step - 1], losses[step]),
    }
    if step < len(frames) - 1:
        back = len(model) - len(models[step + 1])
        found["kind"] = {"EM": "iteration of EM"}.get(kinds[step + 1], "prune")
        found["come_back"] = f"{plural(back, 'piece')} {'comes' if back == 1 else 'come'} back"
    return found


def changes_of(was: float, now: float) -> Facts:
    before, after = f"{was:.3f}", f"{now:.3f}"
    way = f"{'rises' if now > was else 'falls'} from {before} to {after}"
    told = f"the loss {way if before != after else f'stays at {after}'}"
    return {"losses": told, "Losses": f"T{told[1:]}"}


def facts_of_textbook(text: str, step: int, session: Any) -> Facts:
    """Return the facts of the trainer that tries all segmentations of each line."""
    lines = [tuple(line.split()) for line in text.splitlines()]
    steps = [*textbook_by_hand.oracle_steps(lines, RUNS["textbook"].vocab_size, 2, "▁")]
    grams = Counter(
        "▁".join(line[at:end])
        for line in lines
        for at in range(len(line))
        for end in range(at + 1, min(at + 2, len(line)) + 1)
    )
    gone, without, _, counts = steps[step - 1] if step else ("", 0.0, 0.0, grams)
    losses = [
        textbook_by_hand.oracle_best(lines, costs_of(each), 2, "▁")[0]
        for each in (grams, *(each[3] for each in steps))
    ]
    left = {*grams} - {each[0] for each in steps[: step - 1]}
    kept = {*grams} - {each[0] for each in steps[:step]}
    found = (
        in_text(text, Counter(text.splitlines()), step)
        | of_tokens([], kept)
        | {
            "last": len(steps),
            "size": len(kept),
            "grams": plural(len(grams), "n-gram"),
            "counted": grams.total(),
            "loss": f"{losses[step]:.3f}",
            "kind": "removal",
            "gone": gone,
            "come_back": "1 n-gram comes back",
            "fertility": f"{counts.total() / len(lines):.3f} tokens a sentence",
        }
    )
    if step:
        before = (grams, *(each[3] for each in steps))[step - 1]
        least = without <= losses[step - 1] + 1e-9
        why = (
            "no best segmentation uses it"
            if least
            else f"the loss without it is least, {without:.3f}"
        )
        others = sum(abs(loss_without(lines, before, each) - without) < 1e-9 for each in left) - 1
        tie = "1 other ties" if others == 1 else f"{others} others tie"
        ties = f" {tie}, and {gone} has the smallest bytes." if others else ""
        again = f" Counted again, {changes_of(losses[step - 1], losses[step])['losses']}."
        found["why_gone"] = lambda told: (
            told in {f"{why}.", f"{why}.{ties}", f"{why}.{ties}{again}"}
        )
    return found


def costs_of(counts: Counter[str], without: str = "") -> dict[str, float]:
    total = counts.total()
    return {gram: -log(n / total) for gram, n in counts.items() if gram != without and n}


def loss_without(lines: list[tuple[str, ...]], counts: Counter[str], gram: str) -> float:
    return textbook_by_hand.oracle_best(lines, costs_of(counts, gram), 2, "▁")[0]


FACTS = {
    "bpe": facts_of_bpe,
    "wordpiece": facts_of_wordpiece,
    "unigram": facts_of_unigram,
    "textbook": facts_of_textbook,
}
RULE = "lexicographic"
RUNS = {
    "bpe": RunConfig("", pattern="whitespace", vocab_size=262),
    "wordpiece": RunConfig("", model="wordpiece", vocab_size=30),
    "unigram": RunConfig("", model="unigram", vocab_size=9),
    "textbook": RunConfig(
        "", 4, pattern="lines", model="unigram", trainer="textbook", units="words"
    ),
}


def lines_of(drawing: Drawing, session: Any, step: int) -> Iterator[str]:
    """Yield the sentences, titles and feet of a step that have a number."""
    at, heads = session.shown.at(step), list[str]()
    screen: Any = resolve_name(PLACES[session.model.screen(TRAINING)])
    charts: Any = resolve_name(PLACES[session.model.screen(CHARTS)])
    yield from screen.VIEW.narrate(at)
    yield from screen.VIEW.narrate_back(at) if step < session.shown.recorded_steps else ()
    if isinstance(at, Frame):
        about_next = [*narrate_next(at)]
        others = [each for each in about_next if each.startswith("The tie rule")]
        yield from (*explain_merge(at), *others)
        yield " ".join(each for each in about_next if each not in others)
    drawing.patch(drawing, "add", lambda name, *_: heads.append(name))
    drawing.patch(drawing, "_is_told", lambda *_: False)
    for panel in panels_of(screen):
        drawing.add_panel(panel, at, 200)
    for tile in charts.TILES:
        chart = charts.PANEL_OF[type(tile)](tile)
        (drawing.add_chart if isinstance(chart, ChartPanel) else drawing.add_panel)(chart, at, 200)
        heads[-1] = f"{chart.id}: {heads[-1].partition(' ── ')[2]}"
    for head in heads:
        first, _, foot = head.partition(" ── ")
        title = first if ":" in first.split(" ")[0] else first.partition(" ")[2]
        yield title
        is_whole = not foot.endswith("more …")
        yield from (f"{title.split()[0]} foot {part}" for part in foot.split(" │ ") if is_whole)


@cache
def grammar(model: str) -> list[re.Pattern[str]]:
    """Return an expression for each template; a place that is there again has the same text."""
    found = []
    for template in filter(None, TOLD[model if model in TOLD else "unigram"].splitlines()):
        parts = re.split(r"\{(\w+)\}", template)
        ways = [
            (f"(?P={part})" if part in parts[:at] else f"(?P<{part}>.*?)")
            if at % 2
            else re.escape(part)
            for at, part in enumerate(parts)
        ]
        found.append(re.compile("".join(ways)))
    return found


def check(drawing: Drawing, name: str, text: str) -> None:
    """Check all lines of all steps of a run on a text."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "text.txt")
        path.write_text(text)
        session = session_of(replace(RUNS[name], corpus=str(path)))
    for step in range(session.shown.recorded_steps + 1):
        facts = FACTS[name](text, step, session)
        for line in lines_of(drawing, session, step):
            if not re.search(r"\d| and ", line):
                continue
            fits = [found for way in grammar(name) if (found := way.fullmatch(line))]
            assert fits, f"add a template to TOLD[{name!r}] for: {line}"
            assert any(
                all(is_true(facts.get(place), told) for place, told in found.groupdict().items())
                for found in fits
            ), (
                text,
                step,
                line,
                [[k, v, facts.get(k)] for f in fits for k, v in f.groupdict().items()],
            )


def is_true(fact: Any, told: str) -> bool:
    if callable(fact):
        return bool(fact(told))
    if isinstance(fact, set):
        return told in fact
    return told == (f"{fact:,}" if isinstance(fact, int) else fact)


TEXT = "aab aab cca cca\nbcb bcb a ab\nabc ab aabab\n"


@pytest.mark.parametrize("name", first_quick(RUNS))
def test_lines_of_a_training_screen_tell_facts_of_their_step(name: str, drawing: Drawing) -> None:
    check(drawing, name, TEXT)


LINES = st.lists(
    st.lists(st.text("abc", min_size=1, max_size=6), min_size=2, max_size=5).map(" ".join),
    min_size=2,
    max_size=4,
)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
@given(LINES)
@settings(examples(20), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_lines_about_random_texts_tell_facts(name: str, drawing: Drawing, lines: list[str]) -> None:
    check(drawing, name, "".join(f"{line}\n" for line in lines))
