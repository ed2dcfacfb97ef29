import secrets
import shlex
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import transaction

from backup_app.accounts import api_keys
from backup_app.demo.seeding import ADDRESS
from backup_app.management.base import ExplainedCommand
from config.environment.data_folder import DEMO_FILES

EMAIL = "demo@example.org"


class Command(ExplainedCommand):
    help = "On the first run, create demo records and a demo account with a random password."
    examples = ("setup_demo",)
    success = "The demo is there, or there are other accounts already."

    def handle(self, **options):
        path = settings.DATA_DIR / "demo.env"
        if settings.PRODUCTION:
            self.stdout.write("The demo cannot be created in production.")
        elif not get_user_model().objects.exists():
            self._make_demo(path)
        elif path.exists():
            self._complete(path)
            self.stdout.write(f"The demo account is in {path}.")

    def _make_demo(self, path):
        password = secrets.token_urlsafe(12)
        with transaction.atomic():
            account = get_user_model().objects.create_superuser(EMAIL, EMAIL, password)
            call_command("seed_demo", user=EMAIL, stdout=self.stdout)
            login = lines_of(DEMO_EMAIL=EMAIL, DEMO_PASSWORD=password)
            write_private(path, login + self._make_backup_demo(account))
        self.stdout.write(f"Demo account: {EMAIL}, password {password} (kept in {path}).")

    def _complete(self, path):
        """Add what the demo of an earlier version lacks: backups, and an API key."""
        known = path.read_text()
        account = get_user_model().objects.filter(email=EMAIL).first()
        if account and "DEMO_API_KEY=" not in known:
            with transaction.atomic():
                write_private(path, known + self._make_backup_demo(account))

    def _make_backup_demo(self, account):
        """Create the demo of backups; return lines of variables to use it with."""
        folder = settings.DATA_DIR / DEMO_FILES
        call_command(
            "seed_backup_demo",
            user=account.email,
            folder=folder,
            stdout=self.stdout,
            stderr=self.stderr,
        )
        _, key = api_keys.make(account, "demo")
        return lines_of(DEMO_API_KEY=key, DEMO_CLIENT_IP=ADDRESS, DEMO_FOLDER=str(folder))


def lines_of(**variables: str) -> str:
    """Return variables as lines that a shell reads."""
    return "".join(f"{name}={shlex.quote(value)}\n" for name, value in variables.items())


def write_private(path: Path, text: str):
    """Write a file atomically that only its owner can read from the start."""
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)
    new.touch(mode=0o600)
    new.write_text(text)
    new.replace(path)
