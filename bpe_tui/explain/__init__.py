"""Screen 0: one step of any model, explained in three beats: count, pick, replace.

It uses models and the questions of lessons; app opens its screens by name.

screen                    the screen: sections, keys, clock
beats, layout, section    its clock, its rows and columns, its parts
explanation               how a model explains a step
merge_explanation         the explanation of merges, for BPE and WordPiece
bpe, wordpiece, unigram   each model's explainer
prediction                the question before a step
"""
