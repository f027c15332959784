"""Byte-pair encoding in the application.

It uses panels, shell, words and the rooms below; app opens its screens by name.

model             its declaration, training and files
narration         sentences about its steps, also for reports
transcript        the commands of `--plain`
training_screen, encoding_screen, summary_screens    its screens, with their panels
walks             the pretokens of a text, and walks through the encoding of one
heap_panel        the heap as a table, an array, a tree
windows           the pretokens that changed a count; breakpoints
what_if           forks of a run
inspection_rows   the inspection for shell and screen
"""
