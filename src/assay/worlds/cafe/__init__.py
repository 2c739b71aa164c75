"""The cafe: a mobile manipulator among furniture and things to serve, seen through geometric predicates."""
