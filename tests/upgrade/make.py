"""Fills a database as before 0.1.0, in commit c170c30, and prints its dump.

In a checkout of it, with an empty database at DATABASE_URL (SQLite without one)::

    export DATA_DIR=$(mktemp -d) PYTHONPATH=. DJANGO_SETTINGS_MODULE=config.settings
    python …/tests/upgrade/make.py | gzip -9n >…/tests/upgrade/before_0_1.postgresql.sql.gz

Where it runs there is nothing else of this commit.
"""

import hashlib
import json
import os
import subprocess
import sys
from base64 import b64encode

import django

KEY = "bk_a6abf1dd9310_z8F2AC3NM7PtTl0VorgQ-s31cJ-QeUm5p9Wg5oI7-dY"  # of nothing but the dumps
ADA, GRACE = "ada@example.org", "grace@example.org"
EVENTS = "/calendar/events/v1/events"


def main():
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    make_accounts()
    call_command("seed_demo", user=ADA, stdout=sys.stderr)
    seed_backups()
    ask("POST", "/api/backupnow/127.0.0.1/full")
    call_command("db_worker", batch=True, reload=False, queue_name="*", verbosity=0)
    ask("POST", "/api/backupnow/127.0.0.1/incremental")
    ask("POST", "/api/servers", key=KEY[:-1], status=401)
    make_events()
    add_worker_of_another_host()
    sys.stdout.write(dump())


def make_accounts():
    from django.contrib.auth.models import Group, User

    from backup_app.models import ApiKey

    ada = User.objects.create_superuser(ADA, ADA)
    User.objects.create_user(GRACE, GRACE).groups.set(Group.objects.filter(name="Editor"))
    digest = hashlib.sha256(KEY.encode()).hexdigest()
    ApiKey.objects.create(account=ada, prefix=KEY.split("_")[1], digest=digest)


def seed_backups():
    from django.conf import settings
    from django.core.management import call_command

    folder = settings.DATA_DIR / "demo-files"
    call_command("seed_backup_demo", user=ADA, folder=folder, stdout=sys.stderr)


def ask(method, path, data=None, *, key=KEY, status=200):
    """Return the JSON that a request of Ada's is answered with; any other status fails."""
    from django.test import Client

    login = b64encode(f"{ADA}:{key}".encode()).decode()
    headers = {"Host": "localhost", "Authorization": f"Basic {login}"}
    form = {"content_type": "application/json", "headers": headers}
    answer = Client().generic(method, path, json.dumps(data or {}), **form)
    assert answer.status_code == status, answer.content
    return answer.json()


def make_events():
    """Schedule one event, and put another one into the trash."""
    times = {"start_date": "2030-03-05 20:00", "end_date": "2030-03-05 23:30"}
    later = {"title": "Night of jazz", "date": "2030-01-01 10:00"}
    ask("POST", EVENTS, later | times, status=201)
    made = ask("POST", EVENTS, {"title": "Cancelled fair"} | times, status=201)
    ask("DELETE", f"{EVENTS}/{made['id']}")


def add_worker_of_another_host():
    from config.models import Worker

    from backup_app.models import Job

    Job.objects.exclude(worker="").update(worker="old-host/4026531836:29040:547314")
    Worker.objects.create(name="w1", host="old-host")


def dump():
    from django.db import connection

    if connection.vendor == "sqlite":
        return "\n".join(connection.connection.iterdump())
    arguments = ["--inserts", "--no-owner", "--no-acl", "--no-comments", os.environ["DATABASE_URL"]]
    text = subprocess.check_output(["pg_dump", *arguments], text=True)
    # Commands of psql are none of SQL's.
    return "".join(line for line in text.splitlines(keepends=True) if line[0] not in "\\-\n")


if __name__ == "__main__":
    main()
