from django.utils import timezone

from calendar_app.conf import conf
from calendar_app.demo.seeding import DemoCalendar
from calendar_app.management.base import CalendarCommand
from calendar_app.management.output import counted, numbers_by_name
from calendar_app.management.users import user_by_email


class Command(CalendarCommand):
    help = (
        "Create a demo calendar around today's date. Existing records are left unchanged, so the "
        "command can be repeated."
    )
    examples = (
        "seed_demo",
        "seed_demo --user ann@example.org --format json",
    )

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument(
            "--user", metavar="EMAIL", help="E-mail address of the author of the records."
        )

    def handle(self, *, user, **options):
        author = user_by_email(user) if user else None
        calendar = DemoCalendar(timezone.localdate(timezone=conf.zone), author)
        calendar.create()
        nothing = "Nothing to create: the demo calendar is complete."
        text = f"Created {counted(calendar.created)}." if calendar.created.total() else nothing
        self.answer({"created": numbers_by_name(calendar.created)}, text)
