"""The page of a client: how its backups do, and what can be done about it."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpResponse
from django.template.response import TemplateResponse
from django.urls import path
from django.utils.html import conditional_escape

from ...engines import get_engine
from ...exceptions import BackupError, InvalidEngine, WrongState
from ...jobs import control
from ...lib import ssh_keys
from ...models import Client, Job
from ...services import clients, host_keys
from ...services.reports import client_report
from ..forms.shared import schedule
from ..shared import columns
from ..shared.pages import RecordPages, button, needs
from .finding import FindingPages

MAX_KEYS = 20
PLANNED = 3  # runs that are shown


class ClientPage(FindingPages, RecordPages):
    """The panel above the form of a client, with its buttons."""

    change_form_outer_before_template = "backup_app/admin/client_panel.html"
    record_pages = [
        *["back_up_now", "verify_newest", "test_connection", "host_key", "install_script"],
        "planned",
    ]

    def get_urls(self):
        view = self.admin_site.admin_view(self.schedule)
        return [path("schedule/", view, name="backup_app_client_schedule"), *super().get_urls()]

    def schedule(self, request):
        """Return the preview of a schedule that somebody types."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        return HttpResponse(conditional_escape(schedule.preview(request.GET.get("expression", ""))))

    def render_change_form(self, request, context, *args, obj=None, **options):
        if obj:
            report = client_report.of(obj)
            context |= {
                "report": report,
                "colour": columns.STANDING_COLOURS[report.standing],
                "levels": Job.Level.values[::-1],
                "has_host_key": _has_host_key(obj),
            }
        return super().render_change_form(request, context, *args, obj=obj, **options)

    @button("change")
    def back_up_now(self, request, client):
        level = request.POST.get("level", control.DEFAULT_LEVEL)
        job = control.start_backup(client, level=level, by=request.user.get_username())
        return f"Backup {job.pk} started."

    @button("change")
    def verify_newest(self, request, client):
        backup = client.jobs.backups().good().order_by("-pk").first()
        if backup is None:
            raise WrongState(f"Client '{client}' has no backup to verify.")
        job = control.start_verify(backup, by=request.user.get_username())
        return f"Verification {job.pk} of backup {backup.pk} started."

    @button("change")
    def test_connection(self, request, client):
        get_engine(client.zone.engine).require_connection(client)
        return f"Client '{client}' answers, and can be backed up."

    @needs("view")
    def planned(self, request, client):
        """Return what the installation that a client was adopted from starts itself, as a part."""
        context = {}
        try:
            found = get_engine(client.zone.engine).planned_runs(client)
            context |= {"planned": found.runs[:PLANNED], "hidden": found.hidden}
        except (BackupError, InvalidEngine) as e:
            context["unknown"] = str(e)
        answer = TemplateResponse(request, "backup_app/admin/planned.html", context)
        answer["X-Live"] = "final"
        return answer

    @needs("change")
    def host_key(self, request, client):
        """Show the keys that the client presents, and pin exactly these once that is confirmed."""
        if request.method == "POST":
            return self._pin(request, client)
        try:
            found = host_keys.shown_by(client)
        except (BackupError, InvalidEngine) as e:
            self.message_user(request, str(e), messages.ERROR)
            return self.to_record(client)
        title = f"Host key of {client}"
        return self.page(
            request, client, "backup_app/admin/host_key.html", title=title, found=found
        )

    @button("change")
    def _pin(self, request, client):
        keys = request.POST.getlist("key")[:MAX_KEYS]
        try:
            ssh_keys.validate("\n".join(keys))
        except ValidationError as e:
            raise WrongState(" ".join(e.messages)) from e
        if not any(key.strip() for key in keys):
            raise WrongState("No host key was named: nothing was pinned.")
        host_keys.pin(client, keys, replace="replace" in request.POST)
        return f"The host key of client '{client}' was pinned."

    @needs("change")
    def install_script(self, request, client):
        """Show what must run on the client, which may hold its password."""
        try:
            config = clients.config(client)
        except (BackupError, InvalidEngine) as e:
            self.message_user(request, str(e), messages.ERROR)
            return self.to_record(client)
        context = {"title": f"Install script of {client}", "config": config}
        return self.page(request, client, "backup_app/admin/install_script.html", **context)


def _has_host_key(client):
    try:
        is_supported = get_engine(client.zone.engine).supports_host_keys
    except InvalidEngine:
        return False
    return is_supported and client.connection == Client.Connection.SSH
