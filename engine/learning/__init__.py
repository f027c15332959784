"""What a class does with a run: questions about it, their grading, lessons, session files.

Everything here works without a screen. The room uses all others; only programs use it.
"""
