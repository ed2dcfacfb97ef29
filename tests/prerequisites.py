"""What tests need of the machine: without it they are skipped, and fail in CI."""

import os

import pytest


def need(there, reason: str) -> None:
    """Go on only if something is there; ``reason`` says what is missing and how to get it."""
    if not there:
        miss = pytest.fail if os.environ.get("CI") else pytest.skip
        miss(reason)
