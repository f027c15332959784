"""The screens that compare things: the race, the check, tokenizers, models, stages of a pipeline.

Uses views and what is below it; app opens its screens.
"""
