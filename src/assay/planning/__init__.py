"""Plans and policies: what distinguishes two models, FOND and classical planning, and wrappers around planners."""
