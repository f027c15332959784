"""Teaching with a run: questions about it, their grading, lessons, quizzes.

Everything here works without a screen. The room uses all others; only programs use it.

`questions` asks and grades: `ask("next-pair", frame)` returns a `Question`, and an `Attempt` keeps
the learner's answers. Sentences are `engine.core.wording.Sentence`s: words, with tokens as bytes.
"""
