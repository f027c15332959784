"""The tables of messages: what the program says in another language than English."""

import ast
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import regex
from opening import recorded_once, until

import bpe_tui
import engine
from bpe_tui.app.app import BpeTuiApp
from bpe_tui.app.lesson_author import recording_of
from bpe_tui.bpe.narration import narrate
from bpe_tui.explain.screen import ExplainScreen
from bpe_tui.lessons.pane import LessonPane, LessonText
from bpe_tui.session.commands import COMMANDS
from bpe_tui.session.declarations import TABS
from bpe_tui.session.languages import PLACE, languages, messages_in, read_messages, speak
from bpe_tui.session.lessons import builtin_lessons, config_of
from bpe_tui.session.models import MODELS
from bpe_tui.session.samples import parallel_samples
from bpe_tui.shell import targets
from bpe_tui.shell.commands import SIGNS
from bpe_tui.widgets.controls import KeyBar
from engine import ask
from engine.bpe.ties import TIE_RULES
from engine.core.wording import template_parts
from engine.encoding.alphabet import BYTES
from engine.learning.lesson import LessonError
from engine.learning.lesson_file import read_lesson
from engine.learning.questions.answer_forms import Choice, Cuts
from engine.learning.questions.merges_form import Merges
from engine.learning.questions.question import FirstTries, Question
from engine.text.patterns import PATTERNS
from engine.wordpiece.score import SCORE_TIE_RULES

TRANSLATED = [language for language in languages() if messages_in(language)]
SOURCES = (
    *("engine/learning/questions", "engine/bpe/ties.py", "engine/wordpiece/frame.py"),
    *("bpe_tui/lessons", "bpe_tui/explain"),
    *("bpe_tui/explain/bpe.py", "bpe_tui/explain/wordpiece.py", "bpe_tui/explain/unigram.py"),
)
"""The modules that say something in a lesson."""
NOT_IN_LESSONS = {
    # the screen of a quiz
    *("Enter goes on; Ctrl+Q leaves", "Ctrl+Q leaves; what is answered is kept", "Your name"),
    *("Your ID", "Your answers are in the file. "),
    # the models of a kind, for errors
    "BPE or WordPiece",
    # without a lesson
    *("No lesson is open: L lists them.", "close the lesson that is open"),
    # names that the program uses for itself
    *("kind of question", "tie rule", "most used"),
    # names of mistakes, for the tables of a class
    *("kept the tokens as they were before the merge", "gave what is saved, not what is left"),
    *("joined overlapping places", "took away two tokens for each join"),
    *("counted each word once", "stopped before the last merge"),
    *("took a tied pair that loses by the rule", "took away too little", "took away too much"),
    *("joined one token twice, where the pair overlaps", "replaced an overlap from the right"),
    *("replaced another pair, too", "replaced the pair in part only"),
    # an answer file's words, and an error
    *("no word changed", "one of these cuts a token apart; a merge only joins tokens."),
}
MESSAGE = r"[a-zA-Z]\S* +\S*[a-zA-Z{]|\{\w+\}"


def said_in(tree: ast.AST) -> Iterator[str]:
    """Yield the constants of a module that look like messages: several words, or a place."""
    if isinstance(tree, ast.JoinedStr | ast.Raise | ast.Assert):
        return  # errors are English, and a message is no f-string
    if isinstance(tree, ast.Call) and "Error" in ast.dump(tree.func):
        return
    if isinstance(tree, ast.Expr) and isinstance(tree.value, ast.Constant):
        return  # a docstring
    if isinstance(tree, ast.Call) and getattr(tree.func, "id", "") in (
        *("Wrong", "PairMistake", "Misconception"),
    ):
        tree = ast.Tuple(tree.args[1:])  # the first is the name of a mistake
    if isinstance(tree, ast.FunctionDef) and tree.name.startswith("_mistake_"):
        return  # it returns such a name
    if isinstance(tree, ast.Assign) and ast.unparse(tree.targets[0]) == "MISTAKES":
        return  # such names
    if isinstance(tree, ast.Call) and getattr(tree.func, "id", "") in ("text_of", "FooterKey"):
        yield from (arg.value for arg in tree.args[1:2] if isinstance(arg, ast.Constant))
    if isinstance(tree, ast.Call) and getattr(tree.func, "attr", "") in ("text", "spans"):
        yield from (arg.value for arg in tree.args[:1] if isinstance(arg, ast.Constant))
    value = tree.value if isinstance(tree, ast.Constant) else None
    if isinstance(value, str) and regex.search(MESSAGE, value):
        yield value
    for child in ast.iter_child_nodes(tree):
        yield from said_in(child)


def has_words(text: str) -> bool:
    return any(regex.search("[a-zA-Z]{2}", part) for part in template_parts(text)[::2])


@cache
def all_said() -> frozenset[str]:
    root = Path(bpe_tui.__file__).parents[1]
    said: set[str] = set()
    for source in SOURCES:
        path = root / source
        for file in sorted(path.glob("*.py")) if path.is_dir() else [path]:
            said |= set(said_in(ast.parse(file.read_text("utf-8"))))
    rules = {rule.summary for rule in TIE_RULES.values()}  # of them only the first clause
    return frozenset(said - NOT_IN_LESSONS - rules) | {rule.in_short for rule in TIE_RULES.values()}


@cache
def all_constants() -> frozenset[str]:
    """Return all texts of both packages, and what is made of them."""
    found: set[str] = set()
    for package in (bpe_tui, engine):
        for file in Path(package.__file__).parent.rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found |= {node.value, *(f"{{n}} {node.value}{end}" for end in ("", "s", "es"))}
    counted = {f"the {{n}}{ending} merge of the pretoken" for ending in ("st", "nd", "rd", "th")}
    counted |= {f"how long are the {what}?" for what in ("tokens", "pieces")}
    named = {each.name for each in PATTERNS.values()} | {
        each.name for pattern in PATTERNS.values() for each in pattern.alternatives
    }
    named |= {name.title() for name in parallel_samples()}
    named |= {text for command in COMMANDS for text in (command.label, command.help)}
    named |= {"|".join(sign.chips) for sign in SIGNS.values()}
    kinds = {f"{kind} {{n}}" for kind in ("thread", "process")}
    rules = (*TIE_RULES.values(), *SCORE_TIE_RULES.values())
    forms = {form.how for form in (Cuts, Merges)}
    rules_in_short = {rule.in_short for rule in rules}
    return frozenset(found | counted | named | kinds | forms | rules_in_short | {BYTES.beginning})


@pytest.mark.parametrize("language", TRANSLATED)
def test_each_message_of_a_lesson_is_in_the_table_of_each_language(language: str) -> None:
    table = messages_in(language)
    here = (command for command in COMMANDS if "explain" in command.screens)
    labels = {label for each in here if each.footer for label in (each.label, each.playing)}
    labels |= {name for _, name, short in TABS.values() for name in (name, short)}
    labels |= {sign.label for sign in SIGNS.values()}
    labels |= {getattr(target, "LEADS", "") for target in vars(targets).values()}
    labels |= {c.label for model in MODELS.values() for c in model.commands if c.footer}
    wanted = {text for text in all_said() | labels if has_words(text)}
    assert sorted(wanted - {*table}) == []


@pytest.mark.slow  # it reads the syntax tree of every module
@pytest.mark.parametrize("language", TRANSLATED)
def test_a_table_says_nothing_that_the_program_does_not(language: str) -> None:
    assert sorted({*messages_in(language)} - all_constants()) == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_leaves_out_no_place_that_only_it_could_name(language: str) -> None:
    """A place may be said in words, as `one word`; a sentence never loses a token or a number."""
    for english, message in messages_in(language).items():
        places, own = (sorted(template_parts(text)[1::2]) for text in (english, message))
        assert places == own, english


def questions(language: str) -> Iterator[Question]:
    """Yield each question of the lessons in a language."""
    for path in sorted((PLACE / language).glob("*.md")):
        lesson = read_lesson(path)
        shown = lesson.scenes[0]
        for scene in lesson.scenes:
            shown = shown if scene.show is None else scene
            for asked in scene.asks:
                step = asked.step if asked.step is not None else shown.show and shown.show.step
                frame = recording_of(config_of(lesson, shown)).seek(step or 0)
                yield ask(asked.kind, frame, asked.seed, about=asked.about, rows=asked.rows)


ALTERNATIVES = {
    word
    for pattern in PATTERNS.values()
    for alternative in pattern.alternatives
    for word in regex.findall("[A-Za-z-]+", alternative.name)
}
ALLOWED = {"BPE", "EM", "UTF", "GPT", "WordPiece", "Unigram", *TIE_RULES, *SCORE_TIE_RULES}
ALLOWED |= {word for rule in TIE_RULES.values() for word in regex.findall("[a-z-]+", rule.title)}


@pytest.mark.slow  # every kind of question, with each of its answers
def test_a_question_in_chinese_has_no_english_words_but_names() -> None:
    for question in questions("zh"):
        own = question.translated(messages_in("zh"))
        rows = range(len(own.form.options)) if isinstance(own.form, Choice) else ()
        grades = [own.grade(answer) for answer in (own.answer, *rows)]
        sentences = [own.asks, *own.find_hints(()), own.advice, *own.given, *own.model_answer]
        answer, solution = str(own.model_answer[0]), str(own.explain()[0])
        assert solution
        assert answer == f"答案：{solution}"
        sentences += [each for grade in grades for each in (grade.said, grade.why) if each]
        for version in (version for sentence in sentences for version in sentence):
            text = " ".join(word for word in version.words if isinstance(word, str))
            words = set(regex.findall(r"[A-Za-z][a-z-]{2,}", text))
            assert words <= ALLOWED | ALTERNATIVES, (question.kind, text)
    assert FirstTries(1, 2).describe(messages_in("zh")) == "2 题中 1 题一次答对"


def test_the_sentence_about_a_step_is_chinese_in_a_chinese_lesson() -> None:
    lesson = read_lesson(PLACE / "zh" / "02-count-pick-replace.md")
    frame = recording_of(config_of(lesson, lesson.scenes[0])).seek(1)
    speak("zh")
    long, *_, short, shortest = narrate(frame)
    assert long == "第 1 次合并，共 12 次：“s” 和 “t” 相邻出现 9 次，现在是一个词元 “st”。"
    assert short == "第 1 次合并：“s” 和 “t” 出现 9 次，合成 “st”。"
    assert shortest == "第 1 次合并得到“st”。"


@pytest.mark.slow
async def test_a_third_language_is_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(PLACE / "en", tmp_path / "en")
    (tmp_path / "fr").mkdir()
    own = (PLACE / "en" / "03-why-pretokens.md").read_text("utf-8")
    own = own.replace('"Why pretokens"', '"Pourquoi ?"')
    (tmp_path / "fr" / "03-why-pretokens.md").write_text(own, "utf-8")
    table = '"COUNT" = "COMPTE"\n"next" = "suite"\n"more" = "suite"\n"asks" = "suite"\n'
    (tmp_path / "fr" / "messages.toml").write_text(table, "utf-8")
    monkeypatch.setattr("bpe_tui.session.languages.PLACE", tmp_path)
    for cached in (builtin_lessons, messages_in):
        place = f"{cached.__module__}.{cached.__name__}"
        monkeypatch.setattr(place, cached.__wrapped__)  # type: ignore[attr-defined]
    assert languages() == ["en", "fr"]
    lessons = builtin_lessons.__wrapped__("fr")
    assert [lesson.title for lesson in lessons][1:3] == ["Count, pick, replace", "Pourquoi ?"]
    app = BpeTuiApp(None, recorded_once, lesson=lessons[2].path)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.screen.query(LessonText) and not app.guide.is_on_its_way)
        app.seek(3)
        screen = app.screen
        assert isinstance(screen, ExplainScreen)
        await until(pilot, lambda: screen.sections["count"].label == "COMPTE")
        assert screen.sections["pick"].label == "PICK"  # it is not in the table
        assert not screen.explainer.previews
        # A pane has its keys once it is mounted, which may be after the sections are drawn.
        keys = screen.query_one(LessonPane).query_one(KeyBar)
        await until(pilot, lambda: "suite" in [key.label for key in keys.keys if key.shown == "N"])


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ('"{n} tokens" = "{m} 个词元"', "1: '{n} tokens': there is no {m} in English"),
        ('"a {b} c {d} e" = "{b} {c} {d}"', "1: 'a {b} c {d} e': there is no {c} in English"),
        ('"{n} tokens" = 3', "1: '{n} tokens': the message is no text"),
        ('"{n} tokens', "1: "),  # and what Python says of it
    ],
)
def test_a_table_with_unknown_places_is_refused(tmp_path: Path, table: str, problem: str) -> None:
    path = tmp_path / "messages.toml"
    path.write_text(f"{table}\n", "utf-8")
    with pytest.raises(LessonError) as refused:
        read_messages(path)
    assert str(refused.value).startswith(f"{path}:{problem}")
