"""Parts that the screens and panels of all models share: bases, tables, lanes, charts, sentences.

Uses session, widgets and styles; models, studies and dialogs use it.
"""
