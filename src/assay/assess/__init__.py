"""Learning algorithms, one a file: each puts questions to an agent and returns a model and what it cost."""
