from django.core.management.base import CommandError

from ...diagnosis.examination import examine
from ...diagnosis.finding import State
from ...lib.formatting import counted, storable
from ..base import BackupCommand

MARKS = {State.OK: "✓", State.FAILED: "✗", State.SKIPPED: "–"}


class Command(BackupCommand):
    help = (
        "Examine the service: settings, database, migrations, clock, workers, engines, storages, "
        "mail and alerts, a line for each, and say what to do about what is not in order. Nothing "
        "is changed. Run it as the user of the service, whose rights it tells."
    )
    examples = ("doctor", "doctor --clients", "doctor --format json")
    success = "All is in order."
    failure = "Something is not in order: its lines begin with ✗."
    requires_system_checks = ()  # they are a topic of their own

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument(
            "--clients", action="store_true", help="Also log in to each client, some at once."
        )

    def handle(self, *, clients, **options):
        found = []
        for topic, finding in examine(with_clients=clients):
            found.append((topic, finding))
            if not self.is_json:  # at once, as some take seconds
                self.stdout.write(self._line(topic, finding))
                self.stdout.flush()
        failures = sum(finding.state == State.FAILED for _, finding in found)
        if self.is_json:
            records = [_record(topic, finding) for topic, finding in found]
            self.answer({"ok": not failures, "findings": records}, "")
        if failures:
            raise CommandError(f"{counted(failures, 'thing is', 'things are')} not in order.")

    def _line(self, topic, finding):
        style = {State.OK: self.style.SUCCESS, State.FAILED: self.style.ERROR}
        mark = style.get(finding.state, self.style.WARNING)(MARKS[finding.state])
        what = f"{topic} {finding.subject}".rstrip()
        return f"{mark} {what}: {storable(f'{finding.message} {finding.remedy}'.rstrip())}"


def _record(topic, finding):
    return {
        "topic": topic,
        "subject": finding.subject,
        "state": finding.state,
        "message": finding.message,
        "remedy": finding.remedy,
    }
