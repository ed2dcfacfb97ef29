from django.contrib.admin import action, register
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.html import format_html

from ..jobs import control
from ..jobs.adoption.logs import bring_log
from ..models import Job, JobLog
from .browsing import Browser
from .look import ChoicesFilter, TabularInline, badge, display, page_action
from .overview import sections
from .pages.job import JobPage
from .pages.restore import RestorePages
from .shared import bulk, columns
from .shared.base import BackupAdmin, ReadOnly
from .shared.filters import RelatedFilter

RUNNING = "backup_app_job_running"
LEVEL_COLOURS = {"info": "info", "warning": "warning", "error": "danger"}


class LogInline(ReadOnly, TabularInline):
    """The lines of a job's log, in pages."""

    model = JobLog
    verbose_name, verbose_name_plural = "line", "log"
    fields = readonly_fields = ["time", "badge", "message"]
    per_page = 100
    extra = 0
    hide_title = True

    @display(description="level")
    def badge(self, line):
        return badge(line.get_level_display(), LEVEL_COLOURS[line.level])


@register(Job)
class JobAdmin(RestorePages, JobPage, ReadOnly, BackupAdmin):
    account_field = "account"
    list_display = [
        "id",
        "client",
        "kind",
        "status_label",
        "started",
        "duration",
        "files",
        "content",
        "verification",
        "browse_link",
    ]
    list_filter = [
        ("status", ChoicesFilter),
        ("type", ChoicesFilter),
        ("level", ChoicesFilter),
        ("client", RelatedFilter),
    ]
    filtered_by = ["ended"]
    list_select_related = ["client"]
    date_hierarchy = "created"
    search_fields = ["=id", "name", "client__name"]
    search_help_text = "By name, client or number."
    actions = ["cancel", "verify"]
    actions_detail = ["browse"]
    inlines = [LogInline]
    fieldsets = [
        (
            "Details",
            {
                "classes": ["collapse"],
                "fields": [
                    ("client", "account"),
                    ("type", "level"),
                    ("created", "requested_by"),
                    ("started", "ended"),
                    ("errors", "parent"),
                    ("fileset", "pool"),
                    ("storage", "engine"),
                    "request",
                    ("worker", "engine_job_id"),
                ],
            },
        ),
    ]

    def get_queryset(self, request):
        jobs = super().get_queryset(request).select_related("client", "parent")
        return jobs.with_newest_verification()

    def get_urls(self):
        running = path("running/", self.admin_site.admin_view(self.running), name=RUNNING)
        return [running, *super().get_urls()]

    def running(self, request):
        """Return the part of the start page that shows what runs, which it fetches again."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        context = sections.running_section(self.get_queryset(request))
        return TemplateResponse(request, "backup_app/admin/running.html", context)

    def get_object(self, request, object_id, from_field=None):
        job = super().get_object(request, object_id, from_field)
        if job is not None:
            bring_log(job)
        return job

    def get_inlines(self, request, obj):
        """Show the whole log once it is complete; until then, the panel shows it grow."""
        return [] if obj and obj.is_open else self.inlines

    def get_actions_detail(self, request, object_id):
        """Offer the button to browse only for jobs whose content can be browsed."""
        job = self.get_object(request, unquote(str(object_id)))
        return super().get_actions_detail(request, object_id) if _is_browsable(job) else []

    def has_operate_permission(self, request, obj=None):
        """Users who may change jobs may cancel and verify them; nobody edits their records."""
        return request.user.has_perm("backup_app.change_job")

    @action(description="Cancel", permissions=["operate"])
    def cancel(self, request, queryset):
        by = request.user.get_username()
        bulk.run(
            self, request, queryset, "Cancellation requested", lambda job: control.cancel(job, by)
        )

    @action(description="Verify", permissions=["operate"])
    def verify(self, request, queryset):
        by = request.user.get_username()
        related = queryset.select_related("client", "fileset", "pool", "storage")
        start = lambda job: control.start_verify(job, by)  # noqa: E731
        bulk.run(self, request, related, "Verification started", start)

    @page_action(description="Browse", url_path="browse", icon="folder_open", permissions=["view"])
    def browse(self, request, object_id):
        job = self.get_object(request, unquote(object_id))
        if job is None:
            raise Http404
        return Browser(self, request, job).respond()

    @display(description="type", ordering="type")
    def kind(self, job):
        level = f", {job.level.lower()}" if job.level else ""
        return f"{job.get_type_display()}{level}"

    @display(description="status", ordering="status", label=columns.STATUS_COLOURS)
    def status_label(self, job):
        return job.status, job.get_status_display()

    @display(description="took")
    def duration(self, job):
        return columns.duration(job.started, job.ended)

    @display(description="size", ordering="bytes")
    def content(self, job):
        return columns.size(job.bytes)

    @display(description="last verified")
    def verification(self, job):
        """Return how long ago the backup was last read, in the colour of what was found."""
        if job.verification_pk is None:
            return None
        address = reverse("admin:backup_app_job_change", args=[job.verification_pk])
        status = job.verification_status
        text = f"{Job.Status(status).label}, {columns.age(job.verification_ended)}"
        return format_html(
            '<a href="{}">{}</a>', address, badge(text, columns.STATUS_COLOURS[status])
        )

    @display(description="content")
    def browse_link(self, job):
        if not _is_browsable(job):
            return None
        return format_html(
            columns.LINK, reverse("admin:backup_app_job_browse", args=[job.pk]), "Browse"
        )


def _is_browsable(job):
    return job is not None and job.is_good and job.type == Job.Type.BACKUP
