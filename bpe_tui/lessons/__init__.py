"""Screens of `engine.learning`: the lesson view, questions, and lessons beside the run.

The room uses models, studies, dialogs, views and the rooms below; the application opens it.
"""
