"""What is known and why: the journal of all questions and answers on disk, and what follows from them."""
