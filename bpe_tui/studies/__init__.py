"""The screens that compare things: the race, the check, tokenizers, models, stages of a pipeline.

Uses panels and what is below it; app opens its screens.
"""
