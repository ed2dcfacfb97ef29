from django.core.management.base import BaseCommand
from django.utils import timezone

from calendar_app.conf import conf
from calendar_app.demo.seeding import DemoCalendar
from calendar_app.management.output import counted
from calendar_app.management.users import user_by_email


class Command(BaseCommand):
    help = (
        "Create a demo calendar around today's date. Existing records are left unchanged, so the "
        "command can be repeated."
    )

    def add_arguments(self, parser):
        parser.add_argument(
            "--user", metavar="EMAIL", help="E-mail address of the author of the records."
        )

    def handle(self, *, user, **options):
        author = user_by_email(user) if user else None
        calendar = DemoCalendar(timezone.localdate(timezone=conf.zone), author)
        calendar.create()
        if calendar.created.total():
            self.stdout.write(f"Created {counted(calendar.created)}.")
        else:
            self.stdout.write("Nothing to create: the demo calendar is complete.")
