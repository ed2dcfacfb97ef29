from django.contrib.admin import action, register
from django.db.models import OuterRef, Subquery
from django.utils import timezone
from django.utils.html import format_html_join

from ..accounts import staff
from ..jobs.maintenance import schedule
from ..lib import cron
from ..models import MaintenancePlan, MaintenanceRun
from .forms.maintenance import MaintenancePlanForm
from .look import ChoicesFilter, TabularInline, badge, display
from .shared import bulk, columns
from .shared.base import BackupAdmin, ReadOnly
from .shared.filters import RelatedFilter
from .shared.pages import ActionButtons

COLOURS = {
    "queued": "info",
    "running": "info",
    "completed": "success",
    "problems": "warning",
    "failed": "danger",
}


class RunInline(ReadOnly, TabularInline):
    """The runs of a plan, newest first, in pages."""

    model = MaintenanceRun
    verbose_name_plural = "runs"
    fields = readonly_fields = ["started", "ended", "badge", "message", "found", "requested_by"]
    per_page = 10
    extra = 0
    hide_title = True

    @display(description="status")
    def badge(self, run):
        return badge(run.get_status_display(), COLOURS[run.status])

    @display(description="problems")
    def found(self, run):
        return format_html_join("", "<div>{}</div>", ((each,) for each in run.problems)) or None


@register(MaintenancePlan)
class MaintenancePlanAdmin(ActionButtons, BackupAdmin):
    account_field = "pool__account"
    form = MaintenancePlanForm
    list_display = ["name", "what", "schedule", "next_run", "last_status", "last_end", "said"]
    list_filter = [("task", ChoicesFilter), ("pool", RelatedFilter), ("storage", RelatedFilter)]
    list_select_related = ["pool__account", "storage"]
    search_fields = ["pool__name", "storage__name"]
    autocomplete_fields = ["pool", "storage"]
    actions = ["run_now"]
    inlines = [RunInline]
    fields = ["task", ("pool", "storage"), ("days", "files"), "schedule", "enabled"]

    def get_queryset(self, request):
        newest = MaintenanceRun.objects.filter(plan=OuterRef("pk")).order_by("-pk")
        last = {
            f"last_{name}": Subquery(newest.values(name)[:1])
            for name in ("status", "ended", "message")
        }
        return super().get_queryset(request).annotate(**last)

    def get_inlines(self, request, obj):
        return self.inlines if obj else []

    def get_form(self, request, obj=None, **kwargs):
        form = super().get_form(request, obj, **kwargs)
        form.may_check = request.user.has_perm(staff.SEES_ALL)
        return form

    @action(description="Run now", permissions=["change"])
    def run_now(self, request, queryset):
        by = request.user.get_username()
        plans = queryset.select_related("pool", "storage")
        bulk.run(self, request, plans, "Started", lambda plan: schedule.start(plan, by))

    @display(description="task", ordering="task")
    def name(self, plan):
        return plan.get_task_display().partition(":")[0]

    @display(description="of")
    def what(self, plan):
        return columns.link(plan.pool or plan.storage, plan.subject)

    @display(description="next run")
    def next_run(self, plan):
        if not (plan.pk and plan.enabled):
            return None
        try:
            return cron.next_time(plan.schedule, timezone.now())
        except ValueError:
            return None

    @display(description="last run", ordering="last_status", label=COLOURS)
    def last_status(self, plan):
        return plan.last_status

    @display(description="ended", ordering="last_ended")
    def last_end(self, plan):
        return columns.age(plan.last_ended)

    @display(description="result")
    def said(self, plan):
        return plan.last_message
