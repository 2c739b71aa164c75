"""Simulated worlds that agents live in."""
