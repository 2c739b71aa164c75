"""Tests that need a simulator which is not installed here are skipped, and say what to install."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from assay.worlds.errors import BackendMissing


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    """Fixtures build worlds."""
    yield from _skip_without_simulator()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Some tests build their own."""
    yield from _skip_without_simulator()


def _skip_without_simulator() -> Generator[None, None, None]:
    try:
        yield
    except BackendMissing as missing:
        pytest.skip(str(missing))
