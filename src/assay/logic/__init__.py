"""Types, predicates, atoms, states and models, and PDDL, FOND and PPDDL in and out.

The bottom layer of the library: it imports nothing of `assay` but `assay.errors`.
"""
