"""What a class does with a run: questions about it, their grading, lessons, session files.

Everything here works without a screen. The room uses all others; only programs use it.

`questions` asks and grades: `ask("next-pair", frame)` gives a `Question`, an `Attempt` keeps what
somebody made of it. Sentences are `engine.core.wording.Sentence`s: words, with tokens in bytes.
"""
