"""Makes the shared modules of this directory importable from all tests below it."""
