"""Byte-pair encoding: training, recording, playing back, forks, races, replays of tokenizers.

This room uses recording, encoding and the rooms below them. wordpiece, unigram, pipeline and the
rooms above use it.
"""
