"""Colours (`themes.py`, `app.tcss`) and one arrangement a screen."""
