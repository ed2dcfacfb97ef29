"""Pages of a client that find files in all of its backups."""

from django.contrib import messages
from django.http import Http404
from django.shortcuts import redirect
from django.urls import reverse

from ...exceptions import BackupError, InvalidEngine
from ...lib import paths
from ...lib.formatting import format_timestamp
from ...services.files import finding
from ..forms.restore import MomentForm
from ..shared import columns
from ..shared.pages import needs
from ..shared.paths import asked_number, asked_path, query
from ..shared.selection import KeptSelection

CHANGES = {"added": "success", "removed": "danger", "changed": "warning"}
MANY_BACKUPS = 200  # to choose from for a comparison


class FindingPages:
    """A client's pages to search for names, see the versions of a file, and compare backups."""

    record_pages = ["find", "versions", "differences"]

    def has_browse_permission(self, request, client):
        """Names of files are told to those who may see what backups hold."""
        may_see = request.user.has_perm("backup_app.view_job")
        return may_see and self.has_view_permission(request, client)

    @needs("browse")
    def find(self, request, client):
        """Search for names, or open the backup of a moment."""
        moment = MomentForm(request.GET if "open" in request.GET else None)
        text, number = request.GET.get("q", ""), asked_number(request.GET.get("p", ""))
        context = {"title": f"Find files of {client}", "moment": moment, "text": text}
        try:
            if moment.is_bound and moment.is_valid():
                return _opened(client, **moment.cleaned_data)
            if text:
                context |= _results(client, text, number)
        except (BackupError, InvalidEngine) as e:
            self.message_user(request, str(e), messages.ERROR)
        return self.page(request, client, "backup_app/admin/find.html", **context)

    @needs("browse")
    def versions(self, request, client):
        """Show the versions of a file or folder; select one to restore it."""
        path = asked_path(request)
        try:
            history = finding.history(client, path)
        except (BackupError, InvalidEngine) as e:
            self.message_user(request, str(e), messages.ERROR)
            return self.to_record(client)
        if request.method == "POST":
            return _selected(request, history)
        context = {
            "title": f"Versions of {paths.shown(history.path)}",
            "path": paths.shown(history.path),
            "gone_since": history.gone_since,
            "rows": [_version(each, number) for number, each in enumerate(history.versions)],
            "may_restore": request.user.has_perm("backup_app.change_job"),
        }
        return self.page(request, client, "backup_app/admin/versions.html", **context)

    @needs("browse")
    def differences(self, request, client):
        """Show what differs between two backups."""
        backups = list(client.jobs.backups().good().order_by("-pk")[:MANY_BACKUPS])
        by_pk = {str(job.pk): job for job in backups}
        old, new = (by_pk.get(request.GET.get(name, "")) for name in ("from", "to"))
        if len(backups) > 1:
            old, new = old or backups[1], new or backups[0]
        path = asked_path(request)
        context = {"title": f"Compare backups of {client}", "backups": backups}
        context |= {"old": old, "new": new, "path": paths.shown(path)}
        try:
            if old and new:
                after = request.GET.get("after", "")
                found = finding.differences(old, new, path=path, after=after)
                again = {"from": old.pk, "to": new.pk, "path": path, "after": found.after}
                context |= {
                    "rows": [_difference(client, each) for each in found.rows],
                    "next": f"?{query(**again)}" if found.after else None,
                }
        except (BackupError, InvalidEngine) as e:
            self.message_user(request, str(e), messages.ERROR)
        return self.page(request, client, "backup_app/admin/differences.html", **context)


def _opened(client, at, path):
    job = finding.backup_at(client, at)
    place = reverse("admin:backup_app_job_browse", args=[job.pk])
    wanted = query(path=path.encode(errors="surrogateescape")) if path else "deepest"
    return redirect(f"{place}?{wanted}")


def _results(client, text, number):
    found = finding.search(client, text, number)
    end = (number + 1) * finding.PAGE_SIZE
    return {
        "search": found,
        "rows": [_result(client, each) for each in found.found],
        "previous": f"?{query(q=text, p=number - 1)}" if number else None,
        "next": f"?{query(q=text, p=number + 1)}" if end < found.total else None,
    }


def _result(client, history):
    newest = history.versions[0]
    folder = paths.split(history.path)[0]
    browse = reverse("admin:backup_app_job_browse", args=[newest.newest.pk])
    return {
        **_described(newest.file),
        "path": paths.shown(history.path),
        "address": _versions_address(client, history.path),
        "folder": f"{browse}?{query(path=folder)}",
        "job": newest.newest,
        "number": len(history.versions),
        "gone_since": history.gone_since,
    }


def _version(version, number):
    file = version.file
    return {
        **_described(file),
        "number": number,
        "mode": f"{file.mode:04o}",
        "owner": f"{file.owner}:{file.group}",
        "sha256": file.sha256.hex() if file.sha256 else "",
        "oldest": version.oldest,
        "newest": version.newest,
        "backups": version.backups,
    }


def _difference(client, difference):
    file = difference.new or difference.old
    return {
        "path": paths.shown(difference.path),
        "change": difference.change,
        "colour": CHANGES[difference.change],
        "type": file.type,
        "old": difference.old and _described(difference.old),
        "new": difference.new and _described(difference.new),
        "address": _versions_address(client, difference.path),
    }


def _described(file):
    return {
        "type": file.type,
        "size": columns.size(file.size) if file.type == "file" else "",
        "changed": format_timestamp(file.mtime),
    }


def _versions_address(client, path):
    place = reverse("admin:backup_app_client_versions", args=[client.pk])
    return f"{place}?{query(path=path)}"


def _selected(request, history):
    """Select a version, and go on to what was asked for it."""
    number = asked_number(request.POST.get("version", ""))
    if not request.user.has_perm("backup_app.change_job") or number >= len(history.versions):
        raise Http404
    version = history.versions[number]
    file, job = version.file, version.newest
    is_folder = file.node_id is not None
    chosen = {"nodes": [file.node_id]} if is_folder else {"files": [file.file_id]}
    KeptSelection(request, job).replace(**chosen)
    if kind := request.POST.get("download"):
        place = reverse("admin:backup_app_job_selected", args=[job.pk])
        return redirect(f"{place}?{query(kind=kind)}")
    return redirect("admin:backup_app_job_plan", job.pk)
