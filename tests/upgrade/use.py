"""Brings the database in ``DATA_DIR`` up to date, uses it, and prints what came of it as JSON.

``python -m tests.upgrade.use KEY``, where KEY is an API key that the database knows.
"""

import json
import sys
from base64 import b64encode
from pathlib import Path

import django


def main(key):
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0, skip_checks=False)
    put_files_in_place()
    results = {"requests": requests(key), "admin": admin_pages(), "groups": groups()}
    make_due()
    call_command("db_worker", batch=True, reload=False, queue_name="*", verbosity=0)
    results |= {"tasks": tasks(), "records": records()}
    call_command("makemigrations", check_changes=True, verbosity=0)
    json.dump(results, sys.stdout)


def put_files_in_place():
    """Let the demo's client and storage be below this ``DATA_DIR``."""
    from django.conf import settings
    from django.core.management import call_command

    from backup_app.demo import seeding
    from backup_app.models import Fileset, Storage

    folder = Path(settings.DATA_DIR)
    seeding.fill(folder / "demo-files")
    (folder / "backups/local").mkdir(parents=True)
    Fileset.objects.update(include=[{"path": str(folder / "demo-files")}])
    Storage.objects.update(path=str(folder / "backups/local"))
    call_command("label_storage", "local", force=True, stdout=sys.stderr)


def requests(key):
    from django.test import Client

    login = b64encode(f"ada@example.org:{key}".encode()).decode()
    client = Client(headers={"Host": "localhost", "Authorization": f"Basic {login}"})
    start = "/calendar/events/v1"
    events = client.get(f"{start}/events?start_date=2020-01-01&end_date=2031-01-01").json()["total"]
    trash = client.get(f"{start}/events?status=trash&modified_after=2026-01-01").json()
    job = client.get("/api/status/1").json()
    return {
        "events": events,
        "trash": [event["id"] for event in trash["events"]],
        "job": job["status"],
        "files": client.post("/api/files/1", {"path": "/"}).status_code,
    }


def admin_pages():
    """Return the statuses that the admin's lists and first records are answered with."""
    from django.contrib import admin
    from django.contrib.auth import get_user_model
    from django.test import Client

    browser = Client(headers={"Host": "localhost"})
    browser.force_login(get_user_model().objects.get(username="ada@example.org"))
    found = set()
    for model in admin.site._registry:
        name = f"/admin/{model._meta.app_label}/{model._meta.model_name}"
        found.add(browser.get(f"{name}/").status_code)
        if first := model._default_manager.first():
            found.add(browser.get(f"{name}/{first.pk}/change/").status_code)
    return sorted(found)


def groups():
    from django.contrib.auth import get_user_model
    from django.contrib.auth.models import Group

    from calendar_app.models import RoleGroup

    editor = get_user_model().objects.get(username="grace@example.org")
    return {
        "names": sorted(Group.objects.values_list("name", flat=True)),
        "noted": sorted(RoleGroup.objects.values_list("group__name", flat=True)),
        "editor": editor.has_perms(["calendar_app.edit_others_event", "calendar_app.add_feed"]),
    }


def make_due():
    """Let the time come for which the event and its task were put off."""
    from django.utils import timezone
    from django_tasks_db.models import DBTaskResult

    from calendar_app.models import Event

    Event.objects.filter(status="future").update(date_utc=timezone.now())
    DBTaskResult.objects.filter(task_path="calendar_app.tasks.publish_when_due").update(
        run_after=timezone.now()
    )


def tasks():
    from django_tasks_db.models import DBTaskResult

    stored = DBTaskResult.objects.filter(task_path__regex=r"^\w+_app\.tasks\.")
    return sorted(stored.values_list("task_path", "status"))


def records():
    from backup_app.models import Job, Worker
    from calendar_app.models import Event

    job = Job.objects.get(pk=2)
    return {
        "event": Event.objects.get(title="Night of jazz").status,
        "job": job.status,
        "level": job.level,
        "worker": Worker.objects.filter(name="w1", process="old-host").exists(),
    }


if __name__ == "__main__":
    main(sys.argv[1])
