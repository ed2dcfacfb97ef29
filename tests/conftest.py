import os
import shutil

import pytest
from django.core.cache import cache
from django.db import connections
from django.test import SimpleTestCase, TestCase, TransactionTestCase
from hypothesis import settings
from playwright.sync_api import expect

from calendar_app.api import fragments
from tests.prerequisites import left_out, need, need_root
from tests.support.browser import Viewer, log_in

# A busy machine makes no test fail: hypothesis allows an example 200 ms unless told.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture
def needs_root():
    """For tests that only root can run."""
    need_root()


@pytest.fixture(autouse=True)
def nothing_kept():
    """Empty the caches, since a rollback turns the revision back but not what was kept for it."""
    cache.clear()
    fragments.store.clear()


def pytest_addoption(parser):
    parser.addoption(
        "--database-only",
        action="store_true",
        help="Run only tests that use the database, as where the others have run with another one.",
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Put tests that flush the database last, and bring back what migrations stored before each.

    pytest itself moves tests of one browser together, wherever they were sorted to.
    """
    if config.getoption("database_only"):
        others = [item for item in items if not uses_database(item)]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if uses_database(item)]
    for item in filter(flushes, items):
        kept = dict(item.get_closest_marker("django_db").kwargs, serialized_rollback=True)
        item.add_marker(pytest.mark.django_db(**kept), append=False)
    items.sort(key=lambda item: flushes(item) or is_of_class(item))


def pytest_unconfigure(config):
    """Say last, in one line, what was left out; workers have no terminal to say it on."""
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    skipped = terminal.stats.get("skipped", []) if terminal else []
    if line := left_out(report.longrepr[2] for report in skipped):
        terminal.write_line(line)


def uses_database(item):
    is_marked = item.get_closest_marker("django_db") or "db" in item.fixturenames
    return is_marked or issubclass(getattr(item, "cls", None) or object, SimpleTestCase)


def flushes(item):
    mark = item.get_closest_marker("django_db")
    return bool(mark and mark.kwargs.get("transaction"))


def is_of_class(item):
    """Say whether a test flushes because its class does."""
    test_class = getattr(item, "cls", None) or object
    return issubclass(test_class, TransactionTestCase) and not issubclass(test_class, TestCase)


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
    need(chromium, "in a browser", "apt install chromium")
    # Playwright keeps an event loop in the tests' thread, where Django then sees async code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    return browser_type_launch_args | {"executable_path": chromium, "args": ["--no-sandbox"]}


@pytest.fixture
def viewer(live_server, page, tmp_path, django_user_model):
    """A superuser at the admin in a browser; for tests with ``django_db(transaction=True)``."""
    page.set_default_timeout(20_000)
    expect.set_options(timeout=20_000)
    name = "viewer@example.org"
    user = django_user_model.objects.create_superuser(name, name, "secret")
    log_in(page, live_server.url, user)
    return Viewer(page, live_server.url, tmp_path / "screenshots", user)
