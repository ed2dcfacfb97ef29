"""Databases with generated events: ``python -m benchmarks.calendar.stores NUMBER PASSWORD``.

An event has 1 to 3 categories, 1 to 4 tags, an image and 1.2 KB of text.
"""

import os
import secrets
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import django
import psycopg

USER = "benchmark@example.org"
TEXT = "<p>" + "An evening for everybody, whatever they know of it. " * 22 + "</p>"  # 1.2 KB
IMAGES = 100
SIZE = {"width": 300, "height": 200, "mime-type": "image/jpeg", "filesize": 9000}
# How many links an event gets beside its first, by the remainder of its ID.
MORE = {"categories": ("category", 2), "tags": ("tag", 3)}
LINK = """
    INSERT INTO calendar_app_event_{kinds} (event_id, {kind}_id)
    SELECT e.id, t.id FROM calendar_app_event e JOIN calendar_app_{kind} t
    ON t.id = (SELECT MIN(id) FROM calendar_app_{kind}) + (e.id * 7 + {number}) % {terms}
    WHERE e.id % {most} >= {number} ON CONFLICT DO NOTHING
"""


class Store:
    """A database with ``number`` events: a SQLite file, or beside a database of PostgreSQL."""

    def __init__(self, folder: Path, number: int, server: str = ""):
        self.number, self.password = number, secrets.token_urlsafe()
        name = f"benchmark_{number}_events"
        self.url = f"sqlite:///{folder.absolute() / name}.sqlite3"
        if server:
            self.url = urlsplit(server)._replace(path=f"/{name}").geturl()
            _create(server, name)
        folder.mkdir(parents=True, exist_ok=True)
        self.variables = {
            "DATABASE_URL": self.url,
            "DATA_DIR": str(folder.absolute()),
            "ENV_FILE": os.devnull,
            "DJANGO_SETTINGS_MODULE": "config.settings",
        }

    def fill(self) -> None:
        """Generate the events unless they are there, and remove what a run before has added."""
        command = [sys.executable, "-m", "benchmarks.calendar.stores", str(self.number)]
        variables = os.environ | self.variables | {"LOG_LEVEL": "ERROR"}
        subprocess.run([*command, self.password], env=variables, check=True)  # noqa: S603


def _create(server: str, name: str) -> None:
    with psycopg.connect(server, autocommit=True) as connection:
        known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
        if not known.fetchone():
            connection.execute(f'CREATE DATABASE "{name}"')


def fill(number: int, password: str) -> None:
    """Fill the database of the settings, and let USER log in with a password."""
    from django.contrib.auth import get_user_model
    from django.core.management import call_command
    from django.db import connection

    from calendar_app.models import Event

    call_command("migrate", verbosity=0)
    users = get_user_model().objects
    # Made last: without the account, what a run that was stopped has left is of no use.
    user = users.filter(username=USER).first()
    if not user:
        call_command("flush", interactive=False, verbosity=0)
        _generate(number)
        users.create_superuser(USER, USER, password)
        return
    user.set_password(password)
    user.save()
    Event.objects.filter(pk__gt=number).delete()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _generate(number: int) -> None:
    from django.db import connection
    from django.db.models import F, Value
    from django.db.models.functions import Concat

    from calendar_app.demo.generate import generate
    from calendar_app.models import Event, Image, Tag
    from calendar_app.services import counts
    from calendar_app.services.revision import writing

    generate(number)
    with writing(), connection.cursor() as cursor:
        first = Image.objects.bulk_create(_image(n) for n in range(IMAGES))[0].pk
        described = Concat(F("description"), Value(TEXT))
        Event.objects.update(image_id=first + F("id") % IMAGES, description=described)
        for kinds, (kind, most) in MORE.items():
            terms = {"category": 20, "tag": 100}[kind]
            for n in range(1, most + 1):
                cursor.execute(
                    LINK.format(kinds=kinds, kind=kind, number=n, most=most + 1, terms=terms)
                )
        Tag.objects.create(name="Unused")
        counts.recount()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")
        cursor.execute("ANALYZE")


def _image(number: int):
    """Return an image that no file belongs to: none is opened."""
    from calendar_app.models import Image

    sizes = {kind: {**SIZE, "file": f"{number}-{kind}.jpg"} for kind in ("thumbnail", "medium")}
    return Image(file=f"{number}.jpg", width=1200, height=800, filesize=90000, sizes=sizes)


if __name__ == "__main__":
    django.setup()
    fill(int(sys.argv[1]), sys.argv[2])
