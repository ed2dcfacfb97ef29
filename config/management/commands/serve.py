import os
import sys
from functools import partial

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DatabaseError
from django.db import connections as databases
from django.urls import get_resolver

from backup_app.management.base import CODES, ExplainedCommand
from config.environment import data_folder
from config.serving import connections, health, processes, web
from config.site import database_errors

PAGES = {
    "": "the start page",
    "calendar/events/v1/events": "the calendar API",
    "docs/": "the API documentation",
    "admin/": "the admin",
}
MAX_WORKERS = min(os.cpu_count() or 1, 4)  # each takes 30 MB of memory or more
EVERYWHERE = {"0.0.0.0", "::"}  # noqa: S104 - is compared, not listened on


class Command(ExplainedCommand):
    help = "Serve the web site and run background tasks, both until Ctrl-C."
    examples = (
        "serve",
        "serve --setup --port 9000",
        "serve --host 0.0.0.0 --web-workers 2 --backup-workers 4",
    )
    success = "It was stopped by Ctrl-C or SIGTERM, and ended what it was doing."
    failure = (
        "The port is taken, migrations are missing, or a process exited; the message says why."
    )
    codes = {2: CODES[2]}  # Ctrl-C is how it is stopped

    def add_arguments(self, parser):
        parser.add_argument(
            "--host",
            default=os.environ.get("HOST") or "127.0.0.1",
            help="Address to listen on; %(default)s by default.",
        )
        parser.add_argument(
            "--port",
            default=os.environ.get("PORT") or "8000",
            help="Port to listen on; %(default)s by default.",
        )
        parser.add_argument(
            "--web-workers",
            default=MAX_WORKERS,
            type=int,
            metavar="N",
            help="Processes that answer requests; %(default)s by default.",
        )
        parser.add_argument(
            "--threads",
            default=4,
            type=int,
            metavar="N",
            help="Threads of a web worker; %(default)s by default.",
        )
        parser.add_argument(
            "--backup-workers",
            default=2,
            type=int,
            metavar="N",
            help="Backup jobs that run at once; %(default)s by default.",
        )
        parser.add_argument(
            "--setup",
            action="store_true",
            help="First migrate the database and, on the first run, create the demo.",
        )
        parser.add_argument(
            "--with-parent", action="store_true", help="Stop when the parent process ends."
        )

    def handle(self, *, with_parent, **options):
        if min(options["web_workers"], options["threads"], options["backup_workers"]) < 1:
            raise CommandError("--web-workers, --threads and --backup-workers must be 1 or more.")
        if with_parent:
            processes.end_with_parent()
        with data_folder.served_once(settings.DATA_DIR):
            self._serve(**options)

    def _serve(self, *, host, port, setup, **options):
        listener = _bound(host, port)
        if setup:
            self._set_up()
        health.require_migrations()
        databases.close_all()
        self._print_addresses(host, port)
        for name in settings.IGNORED_VARIABLES:
            os.environ.pop(name, None)  # else every child would warn about it again
        if ended := processes.run_together(_tasks(listener, **options)):
            raise CommandError(f"The {ended} exited unexpectedly, so all processes were stopped.")

    def _set_up(self):
        call_command("migrate", verbosity=0, skip_checks=False)
        call_command("setup_demo", stdout=self.stdout)

    def _print_addresses(self, host, port):
        shown = "127.0.0.1" if host in EVERYWHERE else f"[{host}]" if ":" in host else host
        for path, what in PAGES.items():
            self.stdout.write(f"  {f'http://{shown}:{port}/{settings.BASE_PATH}{path}':<56} {what}")
        self.stdout.write("Ctrl-C stops the web server and the background workers.")
        self.stdout.flush()


def _tasks(listener, *, web_workers, threads, backup_workers, **options):
    """Return what each process does, by its name."""
    get_resolver().url_patterns  # noqa: B018 - loads the views before the processes fork
    queue = settings.BACKUP_QUEUE
    tasks = {}
    for number in range(1, web_workers + 1):
        tasks[f"web worker {number}"] = partial(web.serve, listener, threads)
    tasks["background worker"] = partial(_work, f"--exclude-queues={queue}")
    for number in range(1, backup_workers + 1):
        tasks[f"backup worker {number}"] = partial(_work, f"--queue-name={queue}")
    return tasks


def _work(option):
    """Run background tasks, as ``manage.py worker`` does."""
    try:
        call_command("worker", option)
    except (CommandError, DatabaseError) as e:
        sys.exit(f"Error: {database_errors.sentence(e) or e}")


def _bound(host, port):
    """Return a socket that has the address, for the web workers to listen on."""
    if not (port.isascii() and port.isdigit() and 1 <= int(port) <= 65535):
        raise CommandError(f"PORT is '{port}', which is not a number from 1 to 65535.")
    try:
        return connections.bound(host, int(port))
    except OSError as e:
        raise CommandError(
            f"Port {port} of '{host}' is not available: {e.strerror}. "
            "Set PORT or HOST to another value."
        ) from e
