"""Pages of a backup's selection: its restore's plan and its download; and a restore's report."""

from django.contrib import messages
from django.http import Http404, HttpResponseNotAllowed, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils.http import content_disposition_header

from ...engines import get_engine
from ...exceptions import BackupError, EngineUnreachable, InvalidEngine, TooLarge
from ...jobs import control
from ...lib import paths
from ...models import Job
from ...services.files import selected_downloads
from ..forms.restore import TargetForm
from ..shared import findings
from ..shared.pages import needs
from ..shared.selection import KeptSelection

PLAN_SECONDS = 20  # that a request may take
SHOWN = 50  # selected paths that are named


class RestorePages:
    """The pages of a backup on the way to a restore, and of a restore its report."""

    record_pages = ["plan", "selected", "report"]

    @needs("operate")
    def plan(self, request, job):
        """Show what a restore of the selection would do; start it when that is confirmed."""
        kept = KeptSelection(request, job)
        form = TargetForm(job, request.POST or request.GET)
        if not kept:
            self.message_user(request, "Nothing is selected yet.", messages.WARNING)
            return redirect("admin:backup_app_job_browse", job.pk)
        try:
            selection = kept.selection()
            if request.method == "POST" and form.is_valid():
                return self._start(request, job, selection, form)
        except (BackupError, InvalidEngine) as e:
            self.message_user(request, str(e), messages.ERROR)
            return redirect("admin:backup_app_job_browse", job.pk)
        context = self._planned(job, selection, form) | {
            "title": f"Restore from backup {job.pk} of {job.client}",
            "form": form,
            "chosen": [paths.shown(path) for _, path in (*selection.nodes, *selection.files)],
        }
        context |= {"more": len(context["chosen"][SHOWN:]), "chosen": context["chosen"][:SHOWN]}
        return self.page(request, job, "backup_app/admin/plan.html", **context)

    def _planned(self, job, selection, form):
        if not form.is_valid():
            return {}
        target = form.target
        try:
            preview = control.plan_restore(
                job, target.pop("client"), selection, **target, seconds=PLAN_SECONDS
            )
        except TooLarge:
            return {"is_too_large": True}
        except (BackupError, InvalidEngine) as e:
            others = form.fields["client"].queryset.exclude(pk=form.cleaned_data["client"].pk)
            return {
                "refusal": str(e),
                "is_unplanned": _cannot_plan(job),
                "is_unreachable": isinstance(e, EngineUnreachable),
                "has_other_clients": others.exists(),
            }
        return {"preview": preview, "found": findings.shown(preview.as_json())}

    def _start(self, request, job, selection, form):
        target = form.target
        by = request.user.get_username()
        started = control.start_restore(job, target.pop("client"), selection, **target, by=by)
        self.log_change(request, job, f"Restore {started.pk} started.")
        self.message_user(request, f"Restore {started.pk} started.", messages.SUCCESS)
        return redirect("admin:backup_app_job_change", started.pk)

    @needs("operate")
    def selected(self, request, job):
        """Send the selection as one file."""
        if request.method != "GET":
            return HttpResponseNotAllowed(["GET"])
        kind = request.GET.get("kind", "tar.zst")
        try:
            control.require_good(job)
            selection = KeptSelection(request, job).selection()
            name, blocks = selected_downloads.stream(job, selection, kind)
        except (BackupError, InvalidEngine) as e:
            self.message_user(request, str(e), messages.ERROR)
            return redirect("admin:backup_app_job_browse", job.pk)
        self.log_change(request, job, "Selection downloaded.")
        types = {"zip": "application/zip", "tar.zst": "application/zstd"}
        answer = StreamingHttpResponse(blocks, content_type=types[kind])
        answer["Content-Disposition"] = content_disposition_header(True, name)
        return answer

    @needs("view")
    def report(self, request, job):
        """Show what a restore has placed and left."""
        if job.type != Job.Type.RESTORE or not job.report:
            raise Http404
        context = {"title": f"Report of restore {job.pk}", "found": findings.shown(job.report)}
        return self.page(request, job, "backup_app/admin/report.html", **context)


def _cannot_plan(job):
    return not get_engine(job.engine).supports_keeping
