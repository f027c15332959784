"""Panels: each answers one question about the frame it is given."""
