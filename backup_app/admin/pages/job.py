"""The page of a job: how far it is, live, its chain, and what can be done with it."""

from django.contrib import messages
from django.db.models import BigIntegerField
from django.http import HttpResponseNotAllowed, StreamingHttpResponse
from django.template.response import TemplateResponse
from django.utils.http import content_disposition_header

from ...exceptions import BackupError, InvalidEngine
from ...jobs import control
from ...models import Job
from ...services import downloads
from ...services.reports import job_report
from ..shared import columns
from ..shared.pages import RecordPages, button, needs

LINES = 200  # of the log that the page begins with, and that one answer adds
SECONDS = 2  # between two looks


class JobPage(RecordPages):
    """The panel above the form of a job, with its buttons."""

    change_form_outer_before_template = "backup_app/admin/job_panel.html"
    record_pages = ["live", "buttons", "log_lines", "cancel_now", "verify_now", "download"]

    def render_change_form(self, request, context, *args, obj=None, **options):
        if obj:
            context |= _state(obj) | self._rights(request, obj)
            context |= {
                "chain": job_report.chain_of(obj),
                "lines": _last_lines(obj) if obj.is_open else [],
                "seconds": SECONDS,
            }
        return super().render_change_form(request, context, *args, obj=obj, **options)

    @needs("view")
    def live(self, request, job):
        """Return the part of the page that changes while the job runs."""
        return _live(job, TemplateResponse(request, "backup_app/admin/job_state.html", _state(job)))

    @needs("view")
    def buttons(self, request, job):
        """Return what can be done with a job, as the page asks once the job has ended."""
        context = {"job": job, **self._rights(request, job)}
        return TemplateResponse(request, "backup_app/admin/job_buttons.html", context)

    def _rights(self, request, job):
        return {
            "is_backup": job.type == Job.Type.BACKUP and job.is_good,
            "may_operate": self.has_operate_permission(request),
        }

    @needs("view")
    def log_lines(self, request, job):
        """Return the lines of the log after one, oldest first."""
        after = request.GET.get("after", "")
        number = int(after) if after.isdecimal() and len(after) < 19 else 0
        number = min(number, BigIntegerField.MAX_BIGINT)
        lines = list(job.log.filter(pk__gt=number).order_by("pk")[:LINES])
        context = {"lines": lines}
        answer = TemplateResponse(request, "backup_app/admin/log_lines.html", context)
        answer["X-Last"] = str(lines[-1].pk if lines else number)
        return answer if len(lines) == LINES else _live(job, answer)

    @button("operate")
    def cancel_now(self, request, job):
        job = control.cancel(job, by=request.user.get_username())
        return f"Job {job.pk} is {job.get_status_display().lower()}."

    @button("operate")
    def verify_now(self, request, job):
        started = control.start_verify(job, by=request.user.get_username())
        return f"Verification {started.pk} started."

    @needs("operate")
    def download(self, request, job):
        """Send a backup as one tar; it may have to be prepared by a worker first."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        try:
            control.require_good(job)
            prepared = downloads.prepared(job)
        except (BackupError, InvalidEngine) as e:
            self.message_user(request, str(e), messages.ERROR)
            return self.to_record(job)
        if not prepared.is_ready:
            sentence = "The download is being prepared. Ask for it again in a minute."
            self.message_user(request, sentence, messages.INFO)
            return self.to_record(job)
        self.log_change(request, job, "Downloaded.")
        answer = StreamingHttpResponse(
            downloads.stream(job, prepared), content_type="application/x-tar"
        )
        answer["Content-Length"] = str(prepared.size)
        answer["Content-Disposition"] = content_disposition_header(True, downloads.file_name(job))
        return answer


def _state(job):
    progress = job_report.progress_of(job)
    remaining = progress.remaining
    return {
        "job": job,
        "progress": progress,
        "remaining": remaining and columns.clock(remaining.total_seconds()),
        "colour": columns.STATUS_COLOURS[job.status],
        "took": columns.duration(job.started, job.ended),
    }


def _last_lines(job):
    return list(job.log.order_by("-pk")[:LINES])[::-1]


def _live(job, answer):
    """Tell the page that a job has ended, so that it need not ask again."""
    if not job.is_open:
        answer["X-Live"] = "final"
    return answer
