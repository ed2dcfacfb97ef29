import os
import shutil

import pytest
from django.core.cache import cache
from django.db import connections
from hypothesis import settings

# A busy machine makes no test fail: hypothesis allows an example 200 ms unless told.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(autouse=True)
def nothing_kept():
    """Empty the cache, since a rollback turns the revision back but not what was kept for it."""
    cache.clear()


def pytest_collection_modifyitems(items):
    """Bring back what migrations stored before each test that flushes the database when it ends."""
    for item in items:
        mark = item.get_closest_marker("django_db")
        if mark and mark.kwargs.get("transaction"):
            kept = pytest.mark.django_db(**mark.kwargs, serialized_rollback=True)
            item.add_marker(kept, append=False)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    """Keep what is brought back with the class: beside Playwright's loop connections are others."""
    with django_db_blocker.unblock():
        contents = connections["default"].creation.serialize_db_to_string()
    type(connections["default"])._test_serialized_contents = contents


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
