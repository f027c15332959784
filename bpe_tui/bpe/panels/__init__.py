"""The panels of BPE's screens: each answers one question about the frame it is given."""
