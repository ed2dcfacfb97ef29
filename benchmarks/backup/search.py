"""Measures the search for names: ``python -m benchmarks.backup.search --entries 10000000``."""

import argparse
import json
import os
import random
import secrets
import sys
import tempfile
from statistics import median
from time import perf_counter

from ..tables import markdown, number

IN_FOLDER = 40
BATCH = 100_000
WORDS = "report budget letter invoice photo scan draft notes plan summary minutes backup".split()
ENDINGS = "txt pdf ods odt jpg png log conf html py".split()
ZEROS = [0] * 4
RARE = 7  # of all names have what is searched for
SEARCHES = {
    "rare part": "zanzibar",
    "rare glob": "*zanzibar*.ods",
    "frequent part": "invoice",
    "nothing": "qqqxyz",
    "short": "zb",
}


def main():
    parser = argparse.ArgumentParser(prog="benchmarks.backup.search", description=__doc__)
    parser.add_argument("--entries", type=int, default=200_000, help="how many names to search")
    parser.add_argument("--rounds", type=int, default=5, help="how often each search is run")
    parser.add_argument("--database", default="sqlite", help="or the URL of an empty database")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="search-") as folder:
        found = measure(options.entries, options.rounds, folder, options.database)
    sys.stdout.write(json.dumps(found) if options.json else table(found))


def measure(entries, rounds, folder, database):
    """Return the seconds of generating and indexing, and of each search."""
    os.environ |= {
        "DATA_DIR": str(folder),
        "ENV_FILE": os.devnull,
        "DATABASE_URL": "" if database == "sqlite" else database,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "LOG_LEVEL": "ERROR",
    }
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    begin = perf_counter()
    job = generate(entries)
    stored = perf_counter()
    _engine().index_names(job)
    indexed = perf_counter()
    _analyze()
    searches = {name: _seconds(job.client, text, rounds) for name, text in SEARCHES.items()}
    times = {"stored": stored - begin, "indexed": indexed - stored}
    return {"entries": entries, **times, "searches": searches}


def generate(entries):
    """Store the catalog of a backup of so many files, as a backup writes it; return its job."""
    from backup_app.lib.bulk import insert_rows
    from backup_app.models import Entry, Folder

    numbers = random.Random(entries)  # noqa: S311
    job = backup()
    top = Folder.objects.get(client=job.client).pk
    for start in range(0, entries, BATCH):
        count = min(BATCH, entries - start)
        folders = _folders(job.client, top, start // IN_FOLDER, -(-count // IN_FOLDER))
        insert_rows(Folder, "client_id parent_id name path path_hash".split(), folders)
        ids = Folder.objects.filter(client=job.client).order_by("-pk")[: len(folders)]
        ids = sorted(ids.values_list("pk", flat=True))
        rows = [
            (
                job.pk,
                ids[n // IN_FOLDER],
                _name(numbers, start + n),
                "f",
                1000,
                *ZEROS,
                "",
                "",
                b"",
                0,
                0,
            )
            for n in range(count)
        ]
        columns = "job_id folder_id name kind size mtime_ns ctime_ns inode mode owner group target"
        insert_rows(Entry, [*columns.split(), "offset", "length"], rows)
    return job


def backup():
    """Return a backup of a new client, whose catalog has only a folder yet."""
    from django.contrib.auth import get_user_model

    from backup_app.lib import paths
    from backup_app.models import (
        Client,
        Fileset,
        Folder,
        Job,
        JobSource,
        Pool,
        Storage,
        Volume,
        Zone,
    )

    name = secrets.token_hex(8)
    account = get_user_model().objects.create(username=name)
    zone = Zone.objects.create(name=name)
    storage = Storage.objects.create(name=name, zone=zone)
    pool = Pool.objects.create(account=account, name=name, storage=storage)
    fileset = Fileset.objects.create(account=account, name=name)
    client = Client.objects.create(
        account=account, name=name, ip="192.0.2.1", zone=zone, pool=pool, fileset=fileset
    )
    job = Job.objects.create(
        account=account, client=client, name=name, type="backup", status="completed",
        engine="default", pool=pool, storage=storage,
    )  # fmt: skip
    JobSource.objects.create(job=job, source=job)
    Volume.objects.create(job=job, path="x", size=1, tar_size=1, sha256=b"")
    path = b"/data"
    Folder.objects.create(client=client, name=b"data", path=path, path_hash=paths.digest(path))
    return job


def _folders(client, top, start, count):
    from backup_app.lib import paths

    names = [b"folder%d" % number for number in range(start, start + count)]
    found = [(name, b"/data/" + name) for name in names]
    return [(client.pk, top, name, path, paths.digest(path)) for name, path in found]


def _name(numbers, number):
    word = "zanzibar" if number * RARE % 1_000_003 < RARE else numbers.choice(WORDS)
    return f"{word} {numbers.randrange(10**6):x}-{number}.{numbers.choice(ENDINGS)}".encode()


def _engine():
    from backup_app.engines import get_engine

    return get_engine("default")


def _analyze():
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _seconds(client, text, rounds):
    from backup_app.services.files import finding

    seconds = []
    for _ in range(rounds):
        begin = perf_counter()
        found = finding.search(client, text)
        seconds.append(perf_counter() - begin)
    return {"found": found.total, "seconds": median(seconds)}


def table(found):
    """Return the measurements as a table."""
    rows = [
        [name, f"{each['found']:,}", number(1000 * each["seconds"])]
        for name, each in found["searches"].items()
    ]
    head = [f"search among {found['entries']:,} entries", "found", "ms"]
    made = f"Indexed in {number(found['indexed'])} s, stored in {number(found['stored'])} s.\n"
    return f"{markdown(head, rows)}\n{made}"


if __name__ == "__main__":
    main()
