from unfold.admin import TabularInline
from unfold.decorators import display

from ..models import JobLog
from .lists import ReadOnly

COLOURS = {"info": "info", "warning": "warning", "error": "danger"}


class LogInline(ReadOnly, TabularInline):
    """The lines of a job's log, a page of them at a time."""

    model = JobLog
    verbose_name, verbose_name_plural = "line", "log"
    fields = readonly_fields = ["time", "level_label", "message"]
    per_page = 100
    extra = 0
    hide_title = True

    @display(description="level", label=COLOURS)
    def level_label(self, line):
        return line.level, line.get_level_display()
