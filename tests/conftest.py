import os
import shutil

import pytest
from django.core.cache import cache
from hypothesis import settings

# A busy machine makes no test fail: hypothesis allows an example 200 ms unless told.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(autouse=True)
def nothing_kept():
    """Empty the cache, since a rollback turns the revision back but not what was kept for it."""
    cache.clear()


@pytest.fixture(autouse=True)
def groups_kept(django_db_serialized_rollback):
    """Bring back what migrations stored before each test that flushes the database when it ends."""


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    """Start Debian's Chromium; without it a test is skipped here and fails in CI."""
    chromium = shutil.which("chromium")
    if chromium is None:
        miss = pytest.fail if os.environ.get("CI") else pytest.skip
        miss("There is no 'chromium' to show pages in: apt install chromium.")
    # Playwright keeps an event loop in the tests' thread, where Django then sees async code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    return browser_type_launch_args | {"executable_path": chromium, "args": ["--no-sandbox"]}
