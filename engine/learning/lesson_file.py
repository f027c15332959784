"""Reading of lessons from their files, which are Markdown:

    +++
    title = "What a merge changes"
    corpus = "handout.txt"
    pattern = "whitespace"
    +++
    ## Count
    Every byte is a token at first. Which two stand side by side most often?
    ```show
    view = "training"
    step = 0
    ```
    ## Your turn
    ```ask
    kind = "next-pair"
    steps = [1, 3]
    ```

The title and the options of the run are between `+++`, in TOML. Each `##` begins a scene. A fenced
block `show` sets up the live screen, a block `ask` asks questions; both are TOML, too. All else is
text, also HTML.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width

from engine.bpe.ties import TIE_RULES
from engine.bpe.trainers import TRAINERS
from engine.core.errors import UnknownNameError
from engine.core.registry import Registry
from engine.encoding.alphabet import UNITS
from engine.learning.lesson import (
    BESIDE,
    Ask,
    Lesson,
    LessonError,
    LessonProblem,
    Paragraph,
    Scene,
    ScreenSetup,
    StyledText,
)
from engine.text.patterns import PATTERNS
from engine.unigram.units import GRAM_UNITS, TRAINER_NAMES

if TYPE_CHECKING:
    from markdown_it.token import Token as Markdown

LARGEST = 1 << 18
"""Largest size of a lesson, in bytes: some 40,000 words."""
LARGEST_BLOCK = 1 << 13
"""Largest size of a block, in characters; reading TOML takes the square of the depth of a key."""
MOST_KEYS = 100
"""Largest number of keys of one block; there are about twenty."""
MOST_LINES = 10_000
MOST_SCENES = 100
MOST_QUESTIONS = 50
"""Largest number of questions in one scene."""
ROWS = 6
"""Number of rows to choose from, unless the question names one."""
FENCE = "+++"


def read_lesson(path: str | Path) -> Lesson:
    """Read a lesson from its file.

    Raises:
        LessonError: it cannot be read, or has mistakes; `problems` has all of them.
    """
    return parse_lesson(_text_of(Path(path)), Path(path))


@dataclass(frozen=True)
class LessonHead:
    """A lesson's title, its summary in a sentence, or "", and the titles of its scenes."""

    title: str
    summary: str
    scenes: tuple[str, ...]


def read_head(path: str | Path) -> LessonHead:
    """Read what a list of lessons shows; the rest may be wrong. Much quicker than `read_lesson`.

    Raises:
        LessonError: it has no title.
    """
    return _Parser(_text_of(Path(path)), Path(path)).head()


def _text_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise LessonError(str(path), [LessonProblem(1, f"cannot be read: {why}")]) from error
    if len(content) > LARGEST:
        message = f"is larger than {LARGEST >> 10} KB; divide the lesson into several"
        raise LessonError(str(path), [LessonProblem(1, message)])
    if len(content.splitlines()) > MOST_LINES:
        message = f"has more than {MOST_LINES:,} lines; divide the lesson into several"
        raise LessonError(str(path), [LessonProblem(1, message)])
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = len((content[: error.start] + b".").splitlines())
        raise LessonError(str(path), [LessonProblem(line, "is no UTF-8")]) from error


def unify_line_ends(text: str) -> str:
    r"""Replace every line end of Markdown by a newline.

    >>> unify_line_ends("a\r\nb\rc\n")
    'a\nb\nc\n'
    """
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parse_lesson(text: str, path: Path) -> Lesson:
    """Make a lesson from the text of the file at `path`.

    Raises:
        LessonError: it has mistakes.
    """
    return _Parser(text, path).lesson()


# -- the keys of a block: each has a function that checks the value

Check = Callable[[Any], str | None]
"""Returns a description of the values that fit; `None` if the value fits."""


def _a_text(value: Any) -> str | None:
    return None if isinstance(value, str) and value else 'a text, such as "low"'


def _a_number(value: Any) -> str | None:
    is_number = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31
    return None if is_number else "a whole number, such as 3"


def _numbers(value: Any) -> str | None:
    is_list = isinstance(value, list) and value and len(value) <= MOST_QUESTIONS
    return None if is_list and not any(map(_a_number, value)) else "numbers, such as [3, 4]"


def _texts(value: Any) -> str | None:
    is_list = isinstance(value, list) and len(value) <= MOST_SCENES
    return None if is_list and not any(map(_a_text, value)) else 'texts, such as ["<|end|>"]'


def _a_text_or_texts(value: Any) -> str | None:
    is_fitting = _a_text(value) is None or (value and _texts(value) is None)
    return None if is_fitting else 'a text or texts, such as ["low", "est"]'


def _one_of(names: Mapping[Any, Any]) -> Check:
    def check(value: Any) -> str | None:
        if (expected := _a_text(value)) is not None:
            return expected
        _ = names[value]  # raises an error that lists the names
        return None

    return check


OPTIONS: dict[str, Check] = {
    "corpus": _a_text,
    "tokenizer": _a_text,
    "model": _a_text,
    "pattern": _one_of(PATTERNS),
    "tie-rule": _one_of(TIE_RULES),
    "trainer": _one_of(Registry("trainer", dict.fromkeys([*TRAINERS, *TRAINER_NAMES]))),
    "units": _one_of(Registry("units", dict.fromkeys([*UNITS, *GRAM_UNITS]))),
    "ngram": _a_number,
    "vocab-size": _a_number,
    "min-count": _a_number,
    "max-token-length": _a_number,
    "phases": _a_text,
    "most-words": _a_number,
    "special": _texts,
    "check": _a_text,
}
"""Options of a run, named as on the command line."""
_PLACES: dict[str, Check] = {
    "view": _a_text,
    "step": _a_number,
    "text": _a_text,
    "panel": _a_text,
    "beside": _one_of(BESIDE),
    "see": _a_text_or_texts,
}
FRONT = Registry("key", {"title": _a_text, "summary": _a_text} | OPTIONS)
SHOW = Registry("key of show", _PLACES | OPTIONS)
ASK: Registry[str, Check] = Registry(
    "key of ask",
    {
        "kind": _a_text,
        "steps": _numbers,
        "step": _a_number,
        "about": _a_text,
        "seed": _a_number,
        "rows": _a_number,
    },
)


class _Parser:
    """A reader of one lesson that collects all mistakes."""

    def __init__(self, text: str, path: Path) -> None:
        self._path = path
        self._lines = unify_line_ends(text).removeprefix("\ufeff").split("\n")
        self._problems: list[LessonProblem] = []

    def lesson(self) -> Lesson:
        front, body = self._front()
        scenes = list(self._scenes(body))
        if not scenes:
            self._report(body + 1, "there is no scene; a line like `## Count` begins one")
        if len(scenes) > MOST_SCENES:
            self._report(scenes[MOST_SCENES].line, f"a lesson has {MOST_SCENES} scenes at the most")
        if "corpus" not in front and "tokenizer" not in front:
            self._report(1, 'the lesson names nothing to show; say corpus = "handout.txt"')
        title = self._title(front)
        front.pop("summary", None)
        self._raise_problems()
        lines = {key: self._line_of(key, 1) for key in front}
        return Lesson(title, front, tuple(scenes), self._path, lines)

    def head(self) -> LessonHead:
        front, body = self._front()
        title = self._title(front)
        self._raise_problems()
        outside = "\n".join(self._lines[body:]).split("\n```")[::2]  # every other is a block
        scenes = re.findall(r"^## (.+)", "\n".join(outside), re.MULTILINE)
        return LessonHead(title, str(front.get("summary", "")), tuple(scenes))

    def _title(self, front: dict[str, Any]) -> str:
        if "title" not in front:
            self._report(1, 'the lesson has no title; say title = "…" between +++ and +++')
        return str(front.pop("title", ""))

    def _raise_problems(self) -> None:
        if self._problems:
            raise LessonError(str(self._path), sorted(self._problems))

    def _report(self, line: int, message: str) -> None:
        self._problems.append(LessonProblem(line, message))

    # -- the front matter

    def _front(self) -> tuple[dict[str, Any], int]:
        """Return the front matter, and the place of the line after it."""
        if self._lines[0].rstrip() != FENCE:
            self._report(1, f"a lesson begins with a line {FENCE}, its title and {FENCE} again")
            return {"title": "", "corpus": ""}, 0
        end = next((n for n, line in enumerate(self._lines[1:], 1) if line.rstrip() == FENCE), 0)
        if not end:
            self._report(
                1, f"nothing ends what {FENCE} begins here; put a line {FENCE} before the text"
            )
            return {"title": "", "corpus": ""}, len(self._lines)
        return self._table("\n".join(self._lines[1:end]), 1, FRONT), end + 1

    def _table(self, toml: str, above: int, known: Mapping[str, Check]) -> dict[str, Any]:
        """Return the TOML of a block without the mistakes; `above` lines come before it."""
        import tomllib  # slow to import, and no title needs it

        if len(toml) > LARGEST_BLOCK:
            self._report(above, f"this block has more than {LARGEST_BLOCK >> 10} KB")
            return {}
        try:
            table = tomllib.loads(toml)
        except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
            why, line = str(error), 1
            if found := re.search(r" \(at line (\d+), column \d+\)$", why):
                why, line = why[: found.start()], int(found[1])
            elif why.endswith(" (at end of document)"):
                why, line = why.removesuffix(" (at end of document)"), toml.count("\n") + 1
            self._report(above + line, f"{why[:1].lower()}{why[1:]}; a line here is like step = 3")
            return {}
        if len(table) > MOST_KEYS:
            self._report(above, f"this block has {len(table):,} keys; {MOST_KEYS} is the most")
            return {}
        fitting = {}
        for key, value in table.items():
            try:
                expected = known[key](value)
            except UnknownNameError as error:
                self._report(self._line_of(key, above), str(error))
                continue
            if expected is None:
                fitting[key] = value
            else:
                self._report(self._line_of(key, above), f"{key} should be {expected}")
        return fitting

    def _line_of(self, key: str, start: int) -> int:
        """Return the line of a key, from 1, among the lines from the place `start` on."""
        names = re.compile(rf"""\s*["']?{re.escape(key)}["']?\s*[=.\]]""")
        lines = enumerate(self._lines[start:], start + 1)
        return next((number for number, line in lines if names.match(line)), start + 1)

    # -- the scenes

    def _scenes(self, start: int) -> Iterator[Scene]:
        from markdown_it import MarkdownIt  # slow to import, and a list of lessons does not need it

        tokens = MarkdownIt("commonmark", {"html": False}).parse("\n".join(self._lines[start:]))
        heads = [
            place
            for place, token in enumerate(tokens)
            if token.type == "heading_open" and token.tag == "h2" and token.level == 0
        ]
        if tokens and heads[:1] != [0]:
            line = start + _lines(tokens[0])[0] + 1
            self._report(line, "this comes before the first scene; begin one with a line ## …")
        for place, end in zip(heads, [*heads, len(tokens)][1:], strict=True):
            yield self._scene(tokens[place + 1], tokens[place + 3 : end], start)

    def _scene(self, heading: Markdown, tokens: Sequence[Markdown], start: int) -> Scene:
        line = start + _lines(heading)[0] + 1
        asks: list[Ask] = []
        show: ScreenSetup | None = None
        taken: set[int] = set()
        for token in tokens:
            name = token.info.strip()
            if token.type != "fence" or name not in ("show", "ask"):
                continue
            first, last = _lines(token)
            at = start + first + 1
            taken |= set(range(start + first, start + last))
            if name == "ask":
                asks += self._ask(self._table(token.content, at, ASK), at)
            elif show is not None:
                self._report(at, "a scene shows one thing; begin another scene with ## …")
            else:
                table = self._table(token.content, at, SHOW)
                places = {key: table.pop(key) for key in _PLACES if key in table}
                if isinstance(sight := places.get("see", ()), str):
                    sight = [sight]
                places["see"] = tuple(sight)
                if "beside" in places and "text" not in places:
                    self._report(at, "beside compares a text; say text = …")
                show = ScreenSetup(at, **places, options=table)
        if len(asks) > MOST_QUESTIONS:
            self._report(line, f"a scene has {MOST_QUESTIONS} questions at the most")
        title = "".join(text for text, _ in _words(heading)).strip()
        if not title:
            self._report(line, "the scene has no title")
        end = max((start + token.map[1] for token in tokens if token.map), default=line)
        text = (self._lines[n] for n in range(line, end) if n not in taken)
        markdown = "\n".join(text).strip("\n")
        return Scene(title, line, tuple(_paragraphs(tokens)), markdown, show, tuple(asks))

    def _ask(self, table: dict[str, Any], line: int) -> Iterator[Ask]:
        from engine.learning.questions import (
            KINDS,
        )  # imports all models, which a list does not need

        kind = table.get("kind")
        if kind is None:
            self._report(line, 'the question has no kind; say kind = "next-pair"')
            return
        try:
            _ = KINDS[kind]
        except UnknownNameError as error:
            self._report(self._line_of("kind", line), str(error))
            return
        if "step" in table and "steps" in table:
            self._report(line, "step and steps are one too many; say steps = [1, 3]")
        steps = (table["step"],) if "step" in table else tuple(table.get("steps", (None,)))
        for step in steps:
            seed = str(table.get("seed", 0))
            yield Ask(line, kind, step, table.get("about"), seed, table.get("rows", ROWS))


# -- Markdown


def _lines(token: Markdown) -> tuple[int, int]:
    """Return the place of the first line of a block, and of the line after it."""
    assert token.map is not None  # as of every block
    first, end = token.map
    return first, end


def _paragraphs(tokens: Sequence[Markdown]) -> Iterator[Paragraph]:
    """Yield the paragraphs of a scene; each entry of a list is a paragraph with a mark."""
    marks: list[str] = []
    mark = ""
    for token in tokens:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            marks.append(
                "•" if token.type.startswith("bullet") else str(token.attrGet("start") or 1)
            )
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            marks.pop()
        elif token.type == "list_item_open":
            mark = marks[-1] if marks[-1] == "•" else f"{marks[-1]}."
            if marks[-1] != "•":
                marks[-1] = str(int(marks[-1]) + 1)
        elif token.type == "inline" and token.children:
            yield Paragraph(tuple(_words(token)), mark)
            mark = ""
        elif token.type == "code_block" or (
            token.type == "fence" and token.info.strip() not in ("show", "ask")
        ):
            yield Paragraph(((token.content.rstrip("\n"), "code"),), mark, is_code=True)
            mark = ""


STYLES = {"strong_open": "strong", "em_open": "emphasis"}


def _words(inline: Markdown) -> Iterator[StyledText]:
    """Yield the text of a paragraph or heading by style; links and pictures give their words."""
    style: list[str] = [""]
    children = inline.children or []
    for place, token in enumerate(children):
        if token.type in STYLES:
            style.append(STYLES[token.type])
        elif token.type in ("strong_close", "em_close"):
            style.pop()
        elif token.type == "code_inline":
            yield token.content, "code"
        elif token.type == "softbreak":
            # Chinese characters have no blank where a line breaks.
            before = children[place - 1].content[-1:]
            after = children[place + 1].content[:1]  # a paragraph does not end in a break
            wide = all(sign and east_asian_width(sign) in "WF" for sign in (before, after))
            yield "" if wide else " ", style[-1]
        elif token.type == "hardbreak":
            yield "\n", style[-1]
        elif token.content:
            yield token.content, style[-1]
