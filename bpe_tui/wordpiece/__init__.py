"""WordPiece in the application.

It uses views and the rooms below; app opens its screens by name.

model             its declaration, training and files
narration         sentences about its steps, also for reports
transcript        the commands of `--plain`
lesson            the explanation of a step in the lesson view
training_screen, encoding_screen, summary_screens    its screens, with their panels
"""
