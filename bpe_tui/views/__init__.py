"""What screens and panels of all models share: their bases, tables, lanes, charts, sentences.

Uses session, widgets and styles; models, studies and dialogs use it.
"""
