"""The table of commands: keys, footer labels, help lines and palette entries come from here.

Footer, help and palette keep this order. Commands that only one model has are in its `model.py`.
"""

from __future__ import annotations

from bpe_tui.session.declarations import (
    ALWAYS,
    CHARTS,
    CHECK,
    CHUNKS,
    COMPARISON,
    DO,
    ENCODING,
    EVERYWHERE,
    FAMILY,
    FILTER,
    INSPECTION,
    LESSON,
    LOOK,
    OF_PANELS,
    PIPELINE,
    PLAY,
    RACE,
    START,
    STEP,
    TRAINING,
    VOCABULARY,
    WITH_PANELS,
    Command,
)
from bpe_tui.session.models import MODELS


def _without(screens: tuple[str, ...], *left_out: str) -> tuple[str, ...]:
    return tuple(screen for screen in screens if screen not in left_out)


_AT_STEPS = _without(EVERYWHERE, FAMILY, CHECK, CHUNKS)
"""Screens that show one step: the others are about the corpus or whole trainings."""
_STEPPED = (LESSON, TRAINING, VOCABULARY, CHARTS, INSPECTION, RACE)
"""Screens on which the arrows step through the merges of the run."""
_PLAYED = (LESSON, TRAINING, CHARTS, RACE)
"""Screens that play the run."""
_TITLES = ", ".join(model.title for model in MODELS.values())

# Two lines for each: keys, label, action, group, screens; then the help line and the rest.
# fmt: off
COMMANDS: tuple[Command, ...] = (
    Command("escape", "leave", "screen.leave", LOOK, ALWAYS,
            "Leave a field, a note, a zoom, a question, a race; else back to where a jump started.",
            in_footer=True, in_fields=True, in_reading=True),

    # The pipeline: its arrows go through the tokens.
    Command("right,l", "next", "screen.point(1)", STEP, (PIPELINE,),
            "To the next token.", in_footer=True),
    Command("left,h", "back", "screen.point(-1)", STEP, (PIPELINE,),
            "To the token before.", in_footer=True),
    Command("left_curly_bracket", "first", "screen.point(-1000000)", STEP, (PIPELINE,),
            "The first token."),
    Command("right_curly_bracket", "last", "screen.point(1000000)", STEP, (PIPELINE,),
            "The last token."),
    Command("e", "text", "screen.show('texts')", DO, (PIPELINE,),
            "Type another text.", in_footer=True),
    Command("c", "change", "screen.switch", DO, (PIPELINE,),
            "Switch the stage under the cursor to another (also Enter).", in_footer=True),
    Command("u", "undo", "screen.restore", DO, (PIPELINE,),
            "All stages as they were.", in_footer=True),
    Command("s", "save", "screen.save_pipeline", DO, (PIPELINE,),
            "Save the stages as they are now as a tokenizer.json.", in_footer=True),

    # The encoding screen: its arrows go through the encoding of a pretoken.
    Command("right,l", "next", "screen.walk(1)", STEP, (ENCODING,),
            "Next step of the pretoken's encoding.", in_footer=True),
    Command("left,h", "back", "screen.walk(-1)", STEP, (ENCODING,),
            "Step before, of the pretoken's encoding.", in_footer=True),
    Command("space", "play", "screen.play", PLAY, (ENCODING,),
            "Play the encoding of the pretoken.", in_footer=True),

    # The player of the recording.
    Command("right,l", "next", "screen.next", STEP, (LESSON,),
            "One step, shown beat by beat; at once if the step before is still being shown.",
            in_footer=True),
    Command("right,l", "next", "app.step(1)", STEP, _without(_STEPPED, LESSON),
            "One step forward.", in_footer=True),
    Command("left,h", "back", "app.step(-1)", STEP, _STEPPED, "One step back.", in_footer=True),
    Command("full_stop", "beat", "screen.beat", STEP, (LESSON,),
            "One beat of the next step, to stay: pick, light, join; → shows the rest.",
            in_footer=True),
    Command("P", "predict", "screen.predict", STEP, (LESSON,),
            "Ask what each step will do; ↑ ↓ and Enter answer, → skips, P again ends it.",
            in_footer=True, words="quiz question guess"),
    Command("H", "hint", "screen.hint", STEP, (LESSON,), "A hint at the answer of a question."),
    Command("exclamation_mark", "show me", "screen.show_answer", STEP, (LESSON,),
            "The answer to a question, shown beat by beat."),
    Command("P", "predict", "app.predict", STEP, _without(_STEPPED, LESSON, RACE),
            "The lesson view, which asks what each step will do.", words="quiz question guess"),
    Command("right_square_bracket", "+100", "app.step(100)", STEP, _AT_STEPS, "100 steps forward."),
    Command("left_square_bracket", "−100", "app.step(-100)", STEP, _AT_STEPS, "100 steps back."),
    Command("full_stop", "move", "screen.sub_step", STEP, (TRAINING,),
            "One move of the next merge: a pop or push in the heap, or a line of the pseudocode.",
            panel="pairs"),
    Command("t", "tie", "app.tie(1)", STEP, _PLAYED, "To the next merge that was tied."),
    Command("T", "tie", "app.tie(-1)", STEP, _PLAYED, "To the tied merge before."),
    Command("b", "breakpoints", "app.breakpoints", STEP, (TRAINING,),
            "Breakpoints: what to stop at, such as a tie, a token, a count below 50."),
    Command("n", "run", "app.run_to_breakpoint", STEP, (TRAINING,), "Run to the next breakpoint."),
    Command("i", "what if", "app.what_if", DO, (TRAINING,),
            "What if it went another way here: another pair, tie rule, pattern, a document less."),
    Command("I", "origin", "app.leave_fork", DO, (TRAINING,),
            "From a fork back to the run that it came from."),
    Command("home,less_than_sign", "start", "app.end(False)", STEP, _AT_STEPS, "To step 0."),
    Command("end,greater_than_sign", "end", "app.end(True)", STEP, _AT_STEPS,
            "To the last step recorded; while training runs, on with it."),
    Command("space", "play", "app.play", PLAY, _PLAYED,
            "Play the recording, or pause it.", in_footer=True),
    Command("plus,equals_sign", "faster", "app.speed(1)", PLAY, _PLAYED, "Play faster."),
    Command("minus", "slower", "app.speed(-1)", PLAY, _PLAYED, "Play slower."),
    Command("f", "follow", "app.follow", PLAY, _PLAYED,
            "Stay at the live end while training runs."),

    # Panels, and the text to encode.
    Command("tab", "panel", "screen.next_panel(1)", LOOK, WITH_PANELS,
            "Next panel; Shift+Tab the one before.", in_footer=True, in_fields=True),
    Command("e", "type", "screen.type", DO, (LESSON, TRAINING, ENCODING, COMPARISON, FAMILY),
            "Type text to encode; Esc leaves.", in_footer=True),
    Command("left_curly_bracket", "first", "screen.walk(-1000000)", STEP, (ENCODING,),
            "The pretoken before the first step of its encoding."),
    Command("right_curly_bracket", "last", "screen.walk(1000000)", STEP, (ENCODING,),
            "The pretoken encoded."),
    Command("a", "lanes", "screen.lanes", LOOK, (ENCODING,),
            "The text in three lanes, characters, bytes, tokens; or in tokens and ids.",
            in_footer=True),
    Command("d", "differ", "screen.compare", DO, (ENCODING,),
            "Compare this step's tokenizer with one from a file, on the text."),
    Command("ctrl+g", "decode", "screen.decode_spelling", DO, (ENCODING,),
            "Decode GPT-2's spelling in the text, such as Ġthe, into characters.",
            in_fields=True),
    Command("ctrl+s", "specials", "screen.specials", DO, (ENCODING,),
            "Special tokens in the text as one id, or as ordinary text.", in_fields=True),

    # The vocabulary screen.
    Command("slash", "search", "screen.search", LOOK, (VOCABULARY,),
            "Search the tokens.", in_footer=True, panel="tokens"),
    Command("c", "column", "screen.sort", LOOK, (VOCABULARY,),
            "Sort by the next column.", in_footer=True, panel="tokens"),
    Command("C", "turn round", "screen.reverse", LOOK, (VOCABULARY,),
            "Turn the order round.", panel="tokens"),
    Command("space", "fold", "screen.fold", LOOK, (VOCABULARY,),
            "Fold a part of the tree.", in_footer=True, panel="tree"),
    Command("p", "partial", "screen.filter('partial')", FILTER, (VOCABULARY,),
            "Only tokens that are not valid UTF-8 by themselves."),
    Command("u", "unused", "screen.filter('unused')", FILTER, (VOCABULARY,),
            "Only tokens never used in the corpus now."),
    Command("d", "unreachable", "screen.filter('unreachable')", FILTER, (VOCABULARY,),
            "Only dead tokens: encoding their own bytes gives something else."),
    Command("W", "twins", "screen.filter('twins')", FILTER, (VOCABULARY,),
            "Only tokens that differ from another by case, a leading space or ##."),

    # The check and the comparison.
    Command("c", "choose", "app.open('CHECK')", DO, (CHECK,),
            "Choose the merges to check: what a trainer has written.", in_footer=True),
    Command("n", "next", "screen.difference(1)", STEP, (COMPARISON, CHECK),
            "To the next difference.", in_footer=True),
    Command("N", "before", "screen.difference(-1)", STEP, (COMPARISON, CHECK),
            "To the difference before.", in_footer=True),

    # The screens, by their numbers.
    Command("L", "lessons", "app.lessons", LOOK, (LESSON,),
            "The lessons: a text beside the live screen.", in_footer=True),
    Command("1", "all panels", "app.show('training')", LOOK, (LESSON,),
            "The training screen."),
    Command("0", "lesson", "app.show('lesson')", LOOK, _without(EVERYWHERE, LESSON),
            "The lesson view: count, pick, replace, shown beat by beat."),
    Command("1", "train", "app.show('training')", LOOK, _without(EVERYWHERE, LESSON, TRAINING),
            "The training screen."),
    Command("2", "encode", "app.show('encoding')", LOOK, _without(EVERYWHERE, ENCODING),
            "The encoding screen."),
    Command("3", "vocabulary", "app.show('vocabulary')", LOOK, _without(EVERYWHERE, VOCABULARY),
            "The vocabulary screen."),
    Command("4", "charts", "app.show('charts')", LOOK, _without(EVERYWHERE, CHARTS),
            "The run in charts."),
    Command("5", "inspect", "app.show('inspection')", LOOK, _without(EVERYWHERE, INSPECTION),
            "What kind of tokenizer this is: size, lengths, scripts, numbers, odd tokens."),
    Command("u", "time", "screen.unit", LOOK, (RACE,),
            "Compare the trainers by operations, or by processor time.", in_footer=True),
    Command("r", "again", "screen.again", DO, (RACE,), "Run the race again.", in_footer=True),
    Command("6", "race", "app.show('race')", LOOK, _without(EVERYWHERE, RACE),
            "The race: all trainers on this corpus, what each of them does."),
    Command("7", "family", "app.show('family')", LOOK, _without(EVERYWHERE, FAMILY),
            "Every kind of tokenizer on this corpus, in a table."),
    Command("8", "pipeline", "app.show('pipeline')", LOOK, _without(EVERYWHERE, PIPELINE),
            "The pipeline: normalizer, pre-tokenizer, model, post-processor, decoder, on a text."),
    Command("9", "check", "app.show('check')", LOOK, _without(EVERYWHERE, CHECK),
            "The check: merges of a trainer of yours beside the rule's, on this corpus."),

    *(Command("K", "chunks", "app.show('chunks')", LOOK, screens,
              "The chunks of the corpus: where it was cut, which worker counted which; Esc leads "
              "back.", in_footer=in_footer,
              words="parallel counting workers threads processes boundaries strip")
      for screens, in_footer in (
          ((CHARTS, INSPECTION), True), (_without(EVERYWHERE, CHARTS, INSPECTION, CHUNKS), False))),
    Command("plus,equals_sign", "more parts", "screen.parts(1)", LOOK, (CHUNKS,),
            "Cut the file into one part more, as the course's function does.", in_footer=True),
    Command("minus", "fewer", "screen.parts(-1)", LOOK, (CHUNKS,),
            "Cut the file into one part less.", in_footer=True),

    # Steps and panels, once more.
    Command("g", "go to", "app.go_to", STEP, _AT_STEPS,
            "Go to a step by its number.", in_footer=True),
    Command("shift+tab", "panel", "screen.next_panel(-1)", LOOK, WITH_PANELS,
            "The panel before.", in_fields=True),
    Command("z", "zoom", "screen.zoom", LOOK, WITH_PANELS,
            "Give the panel the whole screen; z or Esc takes it back.", in_footer=True),

    # The panels of the training screen, then of the encoding screen.
    Command("v", "heap view", "screen.heap_view", LOOK, (TRAINING,),
            "The heap as a table, as an array, as a tree; or the lists of --trainer linked.",
            words="sentencepiece bigrams active linked list", panel="pairs"),
    Command("p", "pseudocode", "screen.pseudocode", LOOK, (TRAINING,),
            "The pseudocode of the heap; again: of the next trainer. W takes its place back.",
            panel="pairs"),
    Command("w", "why", "screen.why", LOOK, (TRAINING, VOCABULARY),
            "Why any two tokens merge or not: counts over the steps, merges; or what a token is.",
            in_footer=True),
    Command("slash", "find pair", "screen.find_pair", LOOK, (TRAINING,),
            "Find pairs in the heap by one of their tokens.", panel="pairs"),
    Command("W", "words", "screen.show('words')", LOOK, (TRAINING,), "To the words touched."),
    Command("m", "merges", "screen.show('merges')", LOOK, (TRAINING,), "To the list of merges."),
    Command("a", "characters", "screen.characters", LOOK, (TRAINING,),
            "Characters above their bytes in the corpus, where tokens cut them; or none.",
            panel="corpus"),
    Command("w", "why not", "screen.ask", LOOK, (ENCODING,),
            "Ask why a piece is not one token.", in_footer=True),
    Command("c", "compare", "screen.show('lockstep')", LOOK, (ENCODING,),
            "Encoders side by side, up to where greedy longest match parts.", in_footer=True),
    Command("r", "regex", "screen.show('regex')", LOOK, (ENCODING,),
            "Try another regex on the text, and compare it with a pattern.", in_footer=True),
    Command("percent_sign", "dropout", "screen.show('dropout')", LOOK, (ENCODING,),
            "BPE-dropout: the pretoken encoded with merges left out at random."),

    # What only one model has.
    *(command for model in MODELS.values() for command in model.commands),

    # The start page.
    Command("tab,right,l", "files", "screen.next_panel(1)", LOOK, (START,),
            "From the lessons to the files, and back.", in_footer=True, in_reading=True),
    Command("shift+tab,left,h", "lessons", "screen.next_panel(-1)", LOOK, (START,),
            "Back to the lessons."),

    # Lessons.
    Command("L", "lessons", "app.lessons", LOOK, (*OF_PANELS, START),
            "The lessons: a text beside the live screen."),
    Command("N", "next scene", "app.scene(1)", LOOK, _without(EVERYWHERE, CHECK),
            "The next scene of the lesson."),
    Command("B", "scene before", "app.scene(-1)", LOOK, EVERYWHERE,
            "The scene of the lesson before."),
    Command("ctrl+n", "next scene", "app.scene(1)", LOOK, EVERYWHERE,
            "The next scene, from inside a field too.", in_fields=True),
    Command("ctrl+b", "scene before", "app.scene(-1)", LOOK, EVERYWHERE,
            "The scene before, from inside a field too.", in_fields=True),
    Command("backspace", "to the scene", "app.scene(0)", LOOK, EVERYWHERE,
            "Back to what the scene of the lesson shows, wherever you are."),

    # Windows, and the application itself.
    Command("M", "model", "app.model", DO, EVERYWHERE,
            f"Train another model on this corpus: {_TITLES}."),
    Command("o", "open", "app.open", DO, (*EVERYWHERE, START),
            "Open a tokenizer or a corpus.", in_reading=True),
    Command("ctrl+o", "open", "app.open", DO, (*EVERYWHERE, START),
            "The same, from inside a field too.", in_fields=True),
    Command("s", "save", "app.save", DO, _without(EVERYWHERE, PIPELINE),
            "Save the tokenizer as it is at this step.",
            words="convert to another format, tokenizer.json, tiktoken"),
    Command("y", "command", "app.show_command", DO, EVERYWHERE,
            "The command that opens exactly this: the corpus, the step, the screen, the text.",
            words="copy share place link"),
    Command("S", "session", "app.save_session", DO, EVERYWHERE,
            "Save the session in a file, to be opened again: step, text, breakpoints, forks."),
    Command("x", "export", "app.export", DO, EVERYWHERE,
            "Export the screen, steps or the charts into a file."),
    Command("ctrl+t", "light", "app.light", LOOK, (*ALWAYS, START),
            "Light or dark colours.", in_fields=True),
    Command("ctrl+p", "palette", "app.command_palette", LOOK, (*ALWAYS, START),
            "Find a command by words.", in_fields=True),
    Command("ctrl+l", "messages", "app.messages", LOOK, (*ALWAYS, START),
            "All messages, to be read again.", in_fields=True),
    Command("question_mark", "help", "app.help", LOOK, (*ALWAYS, START),
            "All keys, signs and words.", in_footer=True, in_reading=True),
    Command("q", "quit", "app.quit", DO, (*ALWAYS, START),
            "Leave.", in_footer=True, in_reading=True),
    Command("ctrl+q", "quit", "app.quit", DO, (*ALWAYS, START),
            "Leave, from inside a field too.", in_fields=True),
)
# fmt: on
