"""Uses the apps as a project's users do, in its folder: ``probe.py calendar_app backup_app``.

Runs where only the wheel and Django are installed, so it imports nothing of this repository.
"""

import json
import os
import socket
import subprocess
import sys
import time
from base64 import b64encode
from http.client import HTTPConnection
from importlib.util import find_spec
from io import StringIO
from pathlib import Path

import django

EMAIL, PASSWORD = "ada@example.org", "Lighthouse & 12 boats"


def main(apps):
    sys.path.insert(0, ".")
    os.environ["DJANGO_SETTINGS_MODULE"] = "bare.settings"
    django.setup()
    manage("check", fail_level="WARNING")
    manage("migrate", verbosity=0)
    manage("makemigrations", check=True, dry_run=True)
    account = make_account()
    if "calendar_app" in apps:
        use_calendar()
    if "backup_app" in apps:
        use_backups()
    visit_admin(account)
    if find_spec("uvicorn"):
        serve(account)


def manage(command, *args, **options):
    from django.core.management import call_command

    out = StringIO()
    call_command(command, *args, stdout=out, **options)
    return out.getvalue()


def make_account():
    from django.contrib.auth import get_user_model

    return get_user_model().objects.create_superuser(EMAIL, EMAIL, PASSWORD)


def ask(method, address, data=None, *, password=PASSWORD, status=200):
    """Return the answer to a request of the account, or to one without a login for no password.

    Any other status fails.
    """
    from django.test import Client

    headers = {"Host": "localhost"}
    if password:
        login = b64encode(f"{EMAIL}:{password}".encode()).decode()
        headers["Authorization"] = f"Basic {login}"
    body = "" if data is None else json.dumps(data)
    form = {"content_type": "application/json", "headers": headers}
    answer = Client().generic(method, address, body, **form)
    assert answer.status_code == status, f"{method} {address}: {answer.status_code}, {read(answer)}"
    return answer


def read(answer):
    return b"".join(answer) if answer.streaming else answer.content


def work():
    """Let a worker, which is a process of its own, do all that is queued."""
    worker = "manage.py db_worker --batch --no-reload --no-startup-delay --queue-name=*"
    subprocess.run([sys.executable, *worker.split()], check=True)


# --- The calendar ------------------------------------------------------------------------------


def use_calendar():
    manage("seed_demo", user=EMAIL)
    start = "/calendar/events/v1"
    for path in ("", "/doc", "/events", "/venues", "/organizers", "/categories", "/tags"):
        assert ask("GET", f"{start}{path}", password="").json()
    event = {
        "title": "Night of jazz",
        "start_date": "2030-03-05 20:00",
        "end_date": "2030-03-05 23:30",
        "venue": {"venue": "Old Mill"},
    }
    made = ask("POST", f"{start}/events", event, status=201).json()
    assert made["venue"]["venue"] == "Old Mill"
    ask("PATCH", f"{start}/events/{made['id']}", {"featured": True})
    assert b"Night of jazz" in read(ask("GET", made["url"], password=""))
    assert b"BEGIN:VCALENDAR" in read(ask("GET", f"{start}/events?format=ics", password=""))
    publish_later(event)


def publish_later(event):
    """Schedule an event and let the worker publish it, as if its time had come."""
    from django.utils import timezone
    from django_tasks_db.models import DBTaskResult

    from calendar_app.models import Event

    later = {**event, "title": "Later", "date": "2030-01-01 10:00"}
    pk = ask("POST", "/calendar/events/v1/events", later, status=201).json()["id"]
    assert Event.objects.get(pk=pk).status == "future"
    Event.objects.filter(pk=pk).update(date_utc=timezone.now())
    DBTaskResult.objects.update(run_after=timezone.now())
    work()
    assert Event.objects.get(pk=pk).status == "publish"
    ask("DELETE", f"/calendar/events/v1/events/{pk}")


# --- Backups -----------------------------------------------------------------------------------


def use_backups():
    from django.conf import settings

    from backup_app.models import Job

    folder = Path(settings.BACKUP_LOCAL_ROOTS[0])
    manage("seed_backup_demo", user=EMAIL, folder=folder)
    key = manage("create_api_key", EMAIL).strip()
    assert "demo" in str(ask("POST", "/api/servers", password=key).json())
    job = int(ask("POST", "/api/backupnow/127.0.0.1/full", password=key).json()["job_id"])
    work()
    assert Job.objects.get(pk=job).status == "completed", list(Job.objects.values())
    ask("POST", f"/api/files/{job}", {"path": f"{folder}/documents"}, password=key)
    letter = folder / "documents/letter.txt"
    text = letter.read_bytes()
    letter.unlink()
    ask("POST", f"/api/restore/{job}/127.0.0.1", {"files": [str(letter)]}, password=key)
    work()
    assert letter.read_bytes() == text
    ask("POST", f"/api/downloadinfo/{job}/127.0.0.1", password=key)
    manage("backup_upkeep", once=True)
    manage("backup_status")
    ask("GET", "/metrics", status=200 if find_spec("prometheus_client") else 404)


# --- The admin ---------------------------------------------------------------------------------


def visit_admin(account):
    """Look at the list, the form of a new one and the form of the first one of each model."""
    from django.contrib import admin
    from django.test import Client, RequestFactory

    browser = Client(headers={"Host": "localhost"})
    entered = {"username": EMAIL, "password": PASSWORD, "next": "/admin/"}
    assert browser.post("/admin/login/", entered).status_code == 302
    request = RequestFactory().get("/")
    request.user = account
    for model, pages in admin.site._registry.items():
        name = f"/admin/{model._meta.app_label}/{model._meta.model_name}"
        see(browser, f"{name}/")
        if pages.has_add_permission(request):
            see(browser, f"{name}/add/")
        if first := model._default_manager.first():
            see(browser, f"{name}/{first.pk}/change/")
    see(browser, "/admin/")


def see(browser, address):
    answer = browser.get(address)
    assert answer.status_code == 200, f"{address}: {answer.status_code}"


# --- The extra [server] ------------------------------------------------------------------------


def serve(account):
    """Ask the project over HTTP, for a page and a static file; both may be read elsewhere."""
    import environ  # noqa: F401 - which a project may need before it has settings
    import redis  # noqa: F401 - which needs a server to do more

    assert account.password.startswith("argon2")
    port = free_port()
    arguments = (
        f"--port={port} --http=httptools --loop=uvloop --log-level=warning bare.asgi:application"
    )
    server = subprocess.Popen([sys.executable, "-m", "uvicorn", *arguments.split()])
    try:
        wait_for(port)
        for path in ("/admin/login/", "/static/admin/css/base.css"):
            connection = HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("GET", path, headers={"Origin": "http://elsewhere"})
            answer = connection.getresponse()
            allowed = answer.headers["Access-Control-Allow-Origin"]
            assert (answer.status, allowed) == (200, "*"), f"{path}: {answer.status}, {allowed}"
            connection.close()
    finally:
        server.terminate()
        server.wait()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(port):
    for _ in range(600):
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            time.sleep(0.1)
    raise TimeoutError("The web server did not start within a minute.")


if __name__ == "__main__":
    main(sys.argv[1:])
