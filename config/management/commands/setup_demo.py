import secrets
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import transaction

EMAIL = "demo@example.org"


class Command(BaseCommand):
    help = "On the first run, make demo records and a demo account with a random password."

    def handle(self, **options):
        path = settings.DATA_DIR / "demo.env"
        if settings.PRODUCTION:
            self.stdout.write("No demo is made in production.")
        elif not get_user_model().objects.exists():
            self._make_demo(path)
        elif path.exists():
            self.stdout.write(f"The demo account is in {path}.")

    def _make_demo(self, path):
        password = secrets.token_urlsafe(12)
        with transaction.atomic():
            get_user_model().objects.create_superuser(EMAIL, EMAIL, password)
            call_command("seed_demo", user=EMAIL, stdout=self.stdout)
            write_private(path, f"DEMO_EMAIL={EMAIL}\nDEMO_PASSWORD={password}\n")
        self.stdout.write(f"Demo account: {EMAIL}, password {password} (kept in {path}).")


def write_private(path: Path, text: str):
    """Write a file that only its owner can read, from its first moment on."""
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    path.write_text(text)
