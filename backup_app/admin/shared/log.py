from unfold.admin import TabularInline
from unfold.decorators import display

from ...models import JobLog
from . import columns
from .base import ReadOnly

COLOURS = {"info": "info", "warning": "warning", "error": "danger"}


class LogInline(ReadOnly, TabularInline):
    """The lines of a job's log, a page of them at a time."""

    model = JobLog
    verbose_name, verbose_name_plural = "line", "log"
    fields = readonly_fields = ["time", "badge", "message"]
    per_page = 100
    extra = 0
    hide_title = True

    @display(description="level")
    def badge(self, line):
        return columns.badge(line.get_level_display(), COLOURS[line.level])
