from django.conf import settings
from django.core.management.base import CommandError

from backup_app.management.base import ExplainedCommand
from config.environment import reference


class Command(ExplainedCommand):
    help = "Write docs/settings.md from the settings' defaults and the comments on them."
    examples = ("settings_page", "settings_page --check")
    success = "It was written or, with --check, is current."
    failure = "A default has no comment or, with --check, the page is not current."
    requires_system_checks = ()

    def add_arguments(self, parser):
        parser.add_argument(
            "--check", action="store_true", help="Write nothing, and fail if it is not current."
        )

    def handle(self, *, check, **options):
        path = settings.BASE_DIR / "docs/settings.md"
        try:
            page = reference.page()
        except ValueError as e:
            raise CommandError(str(e)) from e
        if not check:
            path.write_text(page)
        elif not path.exists() or path.read_text() != page:
            raise CommandError("docs/settings.md is not current: run 'manage.py settings_page'.")
