"""What tests need of the machine, and the line that names those a run left out for want of it."""

import os
import shutil
from collections import Counter
from collections.abc import Iterable

import pytest


def need(there: object, which: str, remedy: str) -> None:
    """Skip the test unless something is there, or fail it in CI.

    ``which`` completes "40 tests …"; ``remedy`` says how to get what is missing.
    """
    if not there:
        reason = f"{which} ({remedy})"
        if os.environ.get("CI"):
            pytest.fail(f"CI leaves out no tests {reason}.")
        pytest.skip(reason)


def need_root() -> None:
    need(os.geteuid() == 0, "as root", "sudo make test")


# For tests that give files to other users, mount, or restore to the top of a disk.
as_root = pytest.mark.usefixtures("needs_root")


def need_access_control_lists() -> None:
    need(shutil.which("setfacl"), "of access control lists", "apt install acl")


def need_zstd() -> None:
    need(shutil.which("zstd"), "that unpack volumes with plain tools", "apt install zstd")


def need_bacula(there: object) -> None:
    packages = "bacula-director-pgsql bacula-sd bacula-fd bacula-console"
    remedy = f"as root, with CATALOG_SERVER=postgres://…, after apt install {packages}"
    need(there, "of Bacula", remedy)


def only_on(vendor: str) -> pytest.MarkDecorator:
    """Return a mark for tests of one kind of the project's database, as Django names it."""
    from django.db import connection  # once there are settings

    reasons = {
        "postgresql": "on PostgreSQL (DATABASE_URL=postgres://…)",
        "sqlite": "on SQLite (without DATABASE_URL)",
    }
    return pytest.mark.skipif(connection.vendor != vendor, reason=reasons[vendor])


def left_out(reasons: Iterable[str]) -> str:
    """Return one line that counts tests by the reason they were skipped for; "" without any."""
    counts = Counter(reason.removeprefix("Skipped: ") for reason in reasons).most_common()
    parts = [f"{count:,} {reason}" for reason, count in counts]
    return f"Tests left out: {', '.join(parts)}." if parts else ""
