"""Schedules in forms, with a preview in words and the next runs."""

from django.core.exceptions import ValidationError
from django.forms import Script
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join

from ....lib import cron
from ....services import filesets

RUNS = 5
SCRIPT = Script("backup_app/schedule.js", defer=True)  # of the forms that show it


def preview(expression):
    """Return HTML: a schedule in words with its next runs, why it is none, or nothing for ""."""
    try:
        if not (expression := filesets.schedule(expression)):
            return ""
        times = cron.next_times(expression, timezone.now(), RUNS)
    except ValueError as e:
        return str(e)
    items = format_html_join(
        "", "<li>{}</li>", ((f"{timezone.localtime(time):%a %Y-%m-%d %H:%M}",) for time in times)
    )
    words = cron.in_words(expression)
    return format_html("<strong>{}.</strong><ul>{}</ul>", words[:1].upper() + words[1:], items)


class ScheduledForm:
    """Checks a schedule, and shows it in words below its field, also while somebody types."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        if field := self.fields.get("schedule"):
            field.help_text = format_html(
                '{}<div class="schedule" data-preview="{}" data-of="schedule">{}</div>',
                field.help_text,
                reverse("admin:backup_app_client_schedule"),
                preview(self.get_initial_for_field(field, "schedule") or ""),
            )

    def clean_schedule(self):
        try:
            return filesets.schedule(self.cleaned_data["schedule"])
        except ValueError as e:
            raise ValidationError(str(e)) from e
