"""Unigram in the application.

It uses panels, shell, words and the rooms below; app opens its screens by name.

model             its declaration, training and files
narration         sentences about its steps, also for reports
transcript        the commands of `--plain`
training_screen, encoding_screen, summary_screens    its screens, with their panels
pieces            how pieces look, and what all its screens share
piece_table       the table of pieces, and panels about one of them
"""
