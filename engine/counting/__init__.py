"""The pretoken counts of a corpus, which are all that training needs of it.

Several threads count chunks; the counts are added up in the order of the chunks. The room uses
text, native and core; training uses it.
"""
