"""All of WordPiece in the application: its training, screens, panels and sentences.

Uses views and what is below it; app opens its screens by name.
"""
