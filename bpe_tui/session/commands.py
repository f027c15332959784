"""The table of commands: keys, footer labels and help lines come from here.

Footer and help keep this order. Commands that only one model has are in its `model.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from bpe_tui.session.config import (
    why_not_chatted,
    why_not_checkable,
    why_not_counted,
    why_not_forked,
    why_not_predicted,
    why_not_retrained,
)
from bpe_tui.session.declarations import (
    ALWAYS,
    ANY,
    CHARTS,
    CHECK,
    COMPARISON,
    DO,
    ENCODING,
    EVERYWHERE,
    FAMILY,
    FIELD,
    FILTER,
    INSPECTION,
    LESSON,
    LOOK,
    OF_PANELS,
    PIPELINE,
    PLAY,
    RACE,
    READING,
    START,
    STEP,
    TRAINING,
    VOCABULARY,
    WITH_PANELS,
    Command,
    Model,
)
from bpe_tui.session.models import DEFAULT_MODEL, MODELS


def _without(screens: tuple[str, ...], *left_out: str) -> tuple[str, ...]:
    return tuple(screen for screen in screens if screen not in left_out)


_AT_STEPS = _without(EVERYWHERE, FAMILY, CHECK)
"""Screens that show one step: the others are about the corpus or whole trainings."""
_STEPPED = (LESSON, TRAINING, VOCABULARY, CHARTS, INSPECTION, RACE)
"""Screens on which the arrows step through the merges of the run."""
_PLAYED = (LESSON, TRAINING, CHARTS, RACE)
"""Screens that play the run."""
_TITLES = ", ".join(model.title for model in MODELS.values())
HIDE_NEXT = "screen.hide_next"
"""The action that hides the merges to come."""
_HEAP = "There is no heap here: a step looks at all of its candidates."

# Two lines for each: keys, label, action, group, screens; then the help line and the rest.
# fmt: off
COMMANDS: tuple[Command, ...] = (
    Command("escape", "leave", "screen.leave", LOOK, ALWAYS,
            "Leave a field, a note, a zoom, a question, a race, what plays; else the panel.",
            footer={ANY: 12, FIELD: 1, READING: 1}, in_fields=True, words="cancel close stop"),
    Command("backspace", "back", "app.jump_back", LOOK, EVERYWHERE,
            "Back to where the last jump started; in a lesson, to what its scene shows.",
            footer={ANY: 11}, words="undo return scene"),

    # The pipeline: its arrows go through the tokens.
    Command("right,l", "next", "screen.forward(1)", STEP, (PIPELINE,),
            "To the next token.", footer={ANY: 10}),
    Command("left,h", "back", "screen.forward(-1)", STEP, (PIPELINE,),
            "To the token before."),
    Command("e", "text", "screen.type", DO, (PIPELINE,),
            "Type another text.", footer={ANY: 20}),

    # The encoding screen: its arrows go through the encoding of a pretoken.
    Command("right,l", "next", "screen.forward(1)", STEP, (ENCODING,),
            "Next step of the pretoken's encoding.", footer={ANY: 10}, playing="one step"),
    Command("left,h", "back", "screen.forward(-1)", STEP, (ENCODING,),
            "Step before, of the pretoken's encoding."),
    Command("space", "play", "screen.play", PLAY, (ENCODING,),
            "Play the encoding of the pretoken.", footer={ANY: 20}, playing="stop",
            of_merges=True),

    # The player of the recording.
    Command("right,l", "next", "screen.forward(1)", STEP, (LESSON,),
            "One step, shown beat by beat; at once if the step before is still being shown.",
            footer={ANY: 10}, playing="one step"),
    Command("right,l", "next", "screen.forward(1)", STEP, _without(_STEPPED, LESSON),
            "One step forward.", footer={ANY: 10}, playing="one step", words="forward advance"),
    Command("left,h", "back", "screen.forward(-1)", STEP, _STEPPED, "One step back."),
    Command("full_stop", "beat", "screen.beat", STEP, (LESSON,),
            "One beat of the next step, to stay: pick, light, join; → shows the rest.",
            footer={ANY: 13}),
    Command("P", "predict", "app.predict", STEP, (LESSON,),
            "Ask what each step will do; ↑ ↓ and Enter answer, → skips, P again ends it.",
            footer={ANY: 22}, words="quiz question guess", why_not=why_not_predicted),
    Command("H", "hide next", HIDE_NEXT, LOOK, (LESSON, TRAINING),
            "Hide the merges to come, or show them; while a question is asked, a hint.",
            words="hint future spoiler winner class think",
            only_bpe="Only BPE's merges to come are hidden; M trains BPE on this corpus."),
    Command("exclamation_mark", "show me", "screen.show_answer", STEP, (LESSON,),
            "The answer to a question, shown beat by beat."),
    Command("m", "by hand", "screen.by_hand", STEP, (LESSON,),
            "Make the next merges yourself: choose each pair, and mark where it joins.",
            footer={ANY: 102}, words="exercise do it yourself practice replace overlap",
            only_bpe="Merges are made by hand with BPE; here → shows the next step."),
    Command("m", "by hand", "screen.encode_by_hand", STEP, (ENCODING,),
            "Encode the pretoken yourself, merge by merge.", footer={ANY: 102},
            words="exercise do it yourself practice",
            only_bpe="Merges are made by hand with BPE; here → follows the encoding."),
    Command("P", "predict", "screen.predict_cost", STEP, (ENCODING,),
            "Which costs fewest tokens: a line of the text, or a form of the pretoken?",
            footer={ANY: 101}, words="quiz question guess fewer cheaper",
            only_bpe="The question is about costs in BPE's merges; M trains BPE here."),
    Command("P", "predict", "app.predict", STEP, _without(EVERYWHERE, LESSON, ENCODING),
            "The explain screen, which asks what each step will do.", footer={ANY: 101},
            words="quiz question guess"),
    Command("full_stop", "move", "screen.sub_step", STEP, (TRAINING,),
            "One move of the next merge: a pop or push in the heap, or a line of the pseudocode.",
            footer={"pairs": 13}, only_bpe=_HEAP, of_merges=True),
    Command("t", "stops", "screen.menu('next')", STEP, _PLAYED,
            "A menu of what to go to: a tie, a token, a count, a length; or a prune.",
            footer={ANY: 104}, words="to the next", of_merges=True),
    Command("t", "tie", "app.tie(1)", STEP, _PLAYED, "To the next merge that was tied.",
            words="ties equal counts draw", menu="next", of_merges=True),
    Command("T", "tie before", "app.tie(-1)", STEP, _PLAYED, "To the tied merge before.",
            words="ties equal counts", menu="next", of_merges=True),
    Command("b", "breakpoints …", "app.breakpoints", STEP, (TRAINING,),
            "Breakpoints: what to stop at, such as a tie, a count below 50.",
            words="stop pause when condition", menu="next", of_merges=True),
    Command("n", "next", "screen.following(1)", STEP, _PLAYED,
            "To the next breakpoint; without one, to the next tie or prune."),
    Command("i", "what if", "app.what_if", DO, EVERYWHERE,
            "What if it went another way here: another pair, tie rule or pattern.",
            footer={ANY: 103},
            words="fork forbid forbidden experiment alternative other tie rule min-count",
            of_merges=True, why_not=why_not_forked,
            only_bpe="What if forks BPE's merges; here a training is opened with other options."),
    Command("I", "origin", "app.leave_run", DO, (TRAINING,),
            "Back to the run that this one was left for: a fork's own, or another model's.",
            footer={ANY: 104}),
    Command("home", "start", "app.end(False)", STEP, _AT_STEPS,
            "To step 0; in a focused table, to its first row.",
            words="beginning restart rewind bytes"),
    Command("end", "end", "app.end(True)", STEP, _AT_STEPS,
            "To the last step recorded; in a focused table, to its last row.",
            words="final finish"),
    Command("less_than_sign", "start", "app.end(False)", STEP, _AT_STEPS, "To step 0.",
            words="first beginning restart rewind bytes"),
    Command("greater_than_sign", "end", "app.end(True)", STEP, _AT_STEPS,
            "To the last step recorded; while training runs, on with it.",
            words="last final finish"),
    Command("space", "play", "screen.play", PLAY, _PLAYED,
            "Play the recording, or pause it.", footer={ANY: 20}, playing="stop",
            words="animate autoplay pause", of_merges=True),
    Command("plus,equals_sign", "speed", "screen.more(1)", PLAY, _PLAYED, "Play faster.",
            footer={ANY: 30, LESSON: 60}, playing="{speed}/s"),
    Command("minus", "speed", "screen.more(-1)", PLAY, _PLAYED, "Play slower.",
            footer={ANY: 30, LESSON: 60}, playing="{speed}/s"),
    # Panels, and the text to encode.
    Command("tab", "panel", "screen.next_panel(1)", LOOK, WITH_PANELS,
            "Next panel; Shift+Tab the one before.", footer={FIELD: 3}, in_fields=True),
    Command("slash,e", "text", "screen.type", DO, (COMPARISON,),
            "Type another text.", footer={ANY: 24}),
    Command("e", "type", "screen.type", DO, (LESSON, TRAINING, ENCODING, FAMILY),
            "Type text to encode; Esc leaves.", footer={LESSON: 24, ENCODING: 24, FAMILY: 24},
            words="tokenize string word ids"),
    Command("a", "lanes", "screen.lanes", LOOK, (ENCODING,),
            "Bytes and tokens of the text, a row for each; or its tokens over their ids.",
            footer={ANY: 55}, words="unicode utf-8 emoji chinese hexadecimal align"),
    Command("d", "compare", "app.open('COMPARE')", DO, (ENCODING, INSPECTION),
            "Compare this step's tokenizer with a second one, side by side, on the text.",
            footer={ANY: 54}, words="diff differ tokenizers difference minbpe two second together",
            only_bpe="The comparison is with tokenizers of merges; s saves the pieces."),
    Command("c", "chat", "app.chat", DO, (ENCODING,),
            "The text as a chat: what the folder's chat template makes of it, or of messages in "
            "JSON.", footer={ANY: 103}, words="template messages role system user assistant prompt",
            why_not=why_not_chatted,
            only_bpe="A chat needs a model's folder, which is opened on BPE's screens."),
    Command("ctrl+s", "specials", "screen.specials", DO, (ENCODING,),
            "Special tokens in the text as one id, or as ordinary text.",
            footer={FIELD: 4}, in_fields=True,
            only_bpe="Special tokens are one piece each; BPE's screen can read them as text."),

    # The vocabulary screen.
    Command("slash", "search", "screen.type", LOOK, (VOCABULARY,),
            "Search the tokens.", footer={ANY: 15, "tokens": 1}, words="find grep filter"),
    Command("c", "column", "screen.sort", LOOK, (VOCABULARY,),
            "Sort by the next column.", footer={"tokens": 4}),
    Command("C", "turn round", "screen.reverse", LOOK, (VOCABULARY,),
            "Turn the order round.", footer={"tokens": 15}),
    Command("F", "filter", "screen.menu('filter')", FILTER, (VOCABULARY,),
            "A menu of filters: which tokens the table shows.", footer={ANY: 52, "tokens": 3}),
    Command("p", "partial", "screen.filter('partial')", FILTER, (VOCABULARY,),
            "Only tokens that are not valid UTF-8 by themselves.",
            words="invalid broken unicode half character", menu="filter",
            only_bpe="Pieces are of whole characters: each is valid UTF-8 by itself."),
    Command("u", "unused", "screen.filter('unused')", FILTER, (VOCABULARY,),
            "Only tokens never used in the corpus now.", words="zero count", menu="filter"),
    Command("d", "never encoded", "screen.filter('never-encoded')", FILTER, (VOCABULARY,),
            "Only tokens never encoded: their own bytes give other tokens.",
            words="unreachable dead swapped", menu="filter",
            only_bpe="A piece may be taken wherever it fits, so each is encoded."),

    # The check and the comparison.
    Command("c", "choose", "app.open('CHECK')", DO, (CHECK,),
            "Choose the merges to check: what a trainer has written.", footer={ANY: 30},
            words="files mine submit", why_not=why_not_checkable),
    Command("n", "next", "screen.following(1)", STEP, (COMPARISON, CHECK),
            "To the next difference.", footer={ANY: 20}),
    Command("p", "previous", "screen.following(-1)", STEP, (COMPARISON, CHECK),
            "To the difference before.", footer={ANY: 21}),

    # The screens, by their numbers.
    Command("L", "lessons", "app.lessons", LOOK, (LESSON,),
            "The lessons: a text beside the live screen.", footer={ANY: 108},
            words="tutorial course learn teach introduction"),
    Command("0", "explain", "app.show('explain')", LOOK, _without(EVERYWHERE, LESSON),
            "The explain screen: count, pick, replace, shown beat by beat."),
    Command("1", "train", "app.show('training')", LOOK, _without(EVERYWHERE, TRAINING),
            "The training screen."),
    Command("2", "encode", "app.show('encoding')", LOOK, _without(EVERYWHERE, ENCODING),
            "The encoding screen.",
            words="tokenize ids decode string unknown unk special tokens "
                  "pretokens chunk ranks"),
    Command("3", "vocabulary", "app.show('vocabulary')", LOOK, _without(EVERYWHERE, VOCABULARY),
            "The vocabulary screen.",
            words="tokens ids list dictionary longest rarest unused dead"),
    Command("4", "charts", "app.show('charts')", LOOK, _without(EVERYWHERE, CHARTS),
            "The run in charts, and the most frequent pretokens in a table.",
            words="zipf most frequent frequency pretokens compression bytes per token ratio "
                  "counts lengths histogram curves graph plot"),
    Command("5", "inspect", "app.show('inspection')", LOOK, _without(EVERYWHERE, INSPECTION),
            "What kind of tokenizer this is: size, lengths, scripts, numbers, odd tokens.",
            words="summary statistics overview longest histogram digits unicode languages entropy "
                  "perplexity"),
    Command("r", "again", "screen.again", DO, (RACE,), "Run the race again.",
            footer={ANY: 15}),
    Command("6", "race", "app.show('race')", LOOK, _without(EVERYWHERE, RACE),
            "The race: all trainers on this corpus, what each of them does.",
            words="naive incremental speed benchmark performance fast heap indexed "
                  "operations work compare complexity", of_merges=True, why_not=why_not_counted,
            only_bpe="The race is between BPE's trainers, which make the same merges."),
    Command("7", "family", "app.show('family')", LOOK, _without(EVERYWHERE, FAMILY),
            "Every kind of tokenizer on this corpus, in a table.",
            words="compare models wordpiece unigram words characters fertility unknown oov out of "
                  "vocabulary", why_not=why_not_counted),
    Command("8", "pipeline", "app.show('pipeline')", LOOK, _without(EVERYWHERE, PIPELINE),
            "The pipeline: normalizer, pre-tokenizer, model, post-processor, decoder, on a text.",
            words="huggingface hugging face tokenizer.json lowercase stages bert template nfd nfc "
                  "nfkc accents normalizer normalization strip "
                  "unknown unk"),
    Command("9", "check", "app.show('check')", LOOK, _without(EVERYWHERE, CHECK),
            "The check: merges of a trainer of yours beside the rule's, on this corpus.",
            words="verify test correct bug mistake homework assignment wrong grade",
            of_merges=True, why_not=why_not_counted,
            only_bpe="The check compares merges with BPE's rule; M trains BPE on this corpus."),

    # Steps and panels, once more.
    Command("g", "go to", "app.go_to", STEP, _AT_STEPS,
            "Go to a step: a number, or like 50%, +100, -100.", footer={ANY: 40, ENCODING: 60},
            words="jump seek number"),
    Command("shift+tab", "panel", "screen.next_panel(-1)", LOOK, WITH_PANELS,
            "The panel before.", in_fields=True),
    Command("z", "zoom", "screen.zoom", LOOK, WITH_PANELS,
            "Give the panel the whole screen; z or Esc takes it back.",
            words="fullscreen full screen maximize larger"),

    # The panels of the training screen, then of the encoding screen.
    Command("v", "heap view", "screen.turn('pairs')", LOOK, (TRAINING,),
            "The heap as a table, as an array, as a tree.",
            words="stale old entries lazy deletion priority queue",
            footer={"pairs": 2}, only_bpe=_HEAP, of_merges=True),
    Command("p", "pseudocode", "screen.turn('pseudocode')", LOOK, (TRAINING,),
            "The pseudocode of the heap; again: of the next trainer. W takes its place back.",
            footer={"pairs": 14, "pseudocode": 1}, words="algorithm source program", of_merges=True,
            only_bpe="The pseudocode is of BPE's trainers; Tab leads to what a step did."),
    Command("w", "why", "screen.why", LOOK, (TRAINING, VOCABULARY),
            "Why any two tokens merge or not: counts over the steps, merges; or what a token is.",
            footer={ANY: 50, "pairs": 1, "merge": 1, "merges": 1, "tokens": 2},
            words="explain count life history pair ever never", of_merges=True),
    Command("W", "pretokens", "screen.show('pretokens')", LOOK, (TRAINING,),
            "To the pretokens that the step changes.", words="words touched"),
    Command("m", "merges", "screen.show('merges')", LOOK, (TRAINING,), "To the list of merges.",
            words="rank order history all"),
    Command("a", "characters", "screen.characters", LOOK, (LESSON, TRAINING, PIPELINE),
            "Characters that tokens cut, over marks, or their bytes.",
            words="unicode utf-8 emoji chinese",
            only_bpe="Pieces are of whole characters: none is cut into bytes."),
    Command("w", "why not", "screen.ask", LOOK, (ENCODING,),
            "Ask why a piece is not one token.", footer={ANY: 50}, words="explain single reason",
            of_merges=True),

    # What only one model has.
    *(command for model in MODELS.values() for command in model.commands),

    # The start page.
    Command("tab", "other list", "screen.next_panel(1)", LOOK, (START,),
            "From the lessons to the files, and back.", footer={READING: 2}),
    Command("shift+tab", "lessons", "screen.next_panel(-1)", LOOK, (START,),
            "Back to the lessons."),
    Command("right", "files", "screen.forward(1)", LOOK, (START,), "To the files."),
    Command("left,h", "lessons", "screen.forward(-1)", LOOK, (START,), "To the lessons."),

    # Lessons.
    Command("L", "lessons", "app.lessons", LOOK, (*OF_PANELS, START),
            "The lessons: a text beside the live screen.",
            words="tutorial course learn teach introduction"),
    Command("N", "next scene", "app.scene(1)", LOOK, EVERYWHERE,
            "The next scene of the lesson."),
    Command("B", "scene before", "app.scene(-1)", LOOK, EVERYWHERE,
            "The scene of the lesson before."),
    Command("ctrl+n", "next scene", "app.scene(1)", LOOK, EVERYWHERE,
            "The next scene, from inside a field too.", in_fields=True),
    Command("ctrl+b", "scene before", "app.scene(-1)", LOOK, EVERYWHERE,
            "The scene before, from inside a field too.", in_fields=True),

    # Windows, and the application itself.
    Command("M", "model", "app.model", DO, EVERYWHERE,
            f"Train another model on this corpus: {_TITLES}.",
            words="bert sentencepiece pmi mutual information likelihood em viterbi switch change "
                  "train", why_not=why_not_retrained),
    Command("o", "other", "app.open", DO, (COMPARISON,),
            "Choose another tokenizer to compare with.", footer={ANY: 23}),
    Command("o", "open", "app.open", DO, (*EVERYWHERE, START),
            "Open a tokenizer or a corpus.", footer={ANY: 107, READING: 3},
            words="load file import corpus huggingface tiktoken gpt2 cl100k minbpe ranks read"),
    Command("ctrl+o", "open", "app.open", DO, (*EVERYWHERE, START),
            "The same, from inside a field too.", in_fields=True),
    Command("ctrl+z", "suspend", "app.suspend_process", DO, (*ALWAYS, START),
            "Go to the shell; its command fg comes back here.", words="background shell stop"),
    Command("s", "save", "screen.save", DO, EVERYWHERE,
            "Save the tokenizer as it is at this step.", footer={ANY: 106},
            words="convert to another format, tokenizer.json, tiktoken"),
    Command("y", "copy command", "app.show_command", DO, EVERYWHERE,
            "The command that opens exactly this: the corpus, the step, the screen, the text.",
            footer={ANY: 105}, words="share place link session keep resume"),
    Command("x", "export", "app.export", DO, EVERYWHERE,
            "Export the screen into a file, as a picture or as a text.",
            words="screenshot image picture svg text print"),
    Command("b", "edges", "app.edges", LOOK, EVERYWHERE,
            "Put ┊ between tokens, for a projector, or take it away.",
            words="borders boundaries cuts separators projector grounds"),
    Command("ctrl+t", "light", "app.light", LOOK, (*ALWAYS, START),
            "Light or dark colours.", in_fields=True, words="dark mode theme colors contrast"),
    Command("l", "language", "app.language", LOOK, (START,),
            "The next language, and the one to begin with from now on.", footer={READING: 5},
            words="chinese english zhongwen 中文 语言 locale translation"),
    Command("", "language", "app.language", LOOK, ALWAYS,
            "The next language, and the one to begin with from now on.",
            words="chinese english zhongwen 中文 语言 locale translation"),
    Command("ctrl+l", "messages", "app.messages", LOOK, (*ALWAYS, START),
            "All messages, to be read again.", in_fields=True, words="log errors warnings notices"),
    Command("question_mark", "help", "app.help", LOOK, (*ALWAYS, START),
            "All keys, signs and words.", footer={ANY: 99, READING: 99},
            words="keys shortcuts bindings legend glossary manual palette"),
    Command("ctrl+p", "help", "app.help", LOOK, (*ALWAYS, START),
            "Find a command by words.", footer={FIELD: 5}, in_fields=True),
    Command("q", "quit", "app.quit", DO, (*ALWAYS, START),
            "Leave.", footer={READING: 4}, words="exit leave close"),
    Command("ctrl+q", "quit", "app.quit", DO, (*ALWAYS, START),
            "Leave, from inside a field too.", in_fields=True),
)
# fmt: on

_ONLY_BPE = {command.action: command.only_bpe for command in COMMANDS if command.only_bpe}


@cache
def lacking(model: Model | None) -> Mapping[str, str]:
    """Return the actions that a model lacks, each with the sentence that its key shows."""
    if model is None:
        return {}
    return {**({} if model.name == DEFAULT_MODEL else _ONLY_BPE), **model.refused}
