"""The page of a record's history, and the one that restores a version."""

from functools import update_wrapper

from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import path

from ... import permissions
from ...api.serializers.fields import whole_number
from ...exceptions import RecordNotFound, Stale
from ...models import Change, Post, Series
from ...services.actor import acting
from ..repeating.earlier import offered
from . import versions
from .words import Words, moment

PER_PAGE = 30
RESTORING = "restoring a version"


class Acting:
    """The first base of an admin whose pages change the calendar: the history names their user."""

    def get_urls(self):
        found = super().get_urls()
        for pattern in found:
            pattern.callback = _acting(pattern.callback)
        return found


class Histories(Acting):
    """The first base of an admin whose records have a history."""

    def get_urls(self):
        view = self.admin_site.admin_view(self.version_view)
        name = f"{self.opts.app_label}_{self.opts.model_name}_version"
        page = path("<int:pk>/history/<int:version>/", _acting(view), name=name)
        return [page, *super().get_urls()]

    def may_restore(self, request, record):
        """Return whether the user may change record, also one in the trash."""
        if isinstance(record, Post):
            return permissions.may_edit(request.user, record)
        return self.has_change_permission(request, record)

    def render_change_form(self, request, context, *args, obj=None, **kwargs):
        context["show_history"] = obj is not None and self.may_restore(request, obj)
        return super().render_change_form(request, context, *args, obj=obj, **kwargs)

    def history_view(self, request, object_id, extra_context=None):
        """Show who changed what of a record, and when, the newest first."""
        record = self._changeable(request, unquote(object_id))
        changes = versions.changes_shown(record).select_related("user").order_by("-id")
        page = Paginator(changes, PER_PAGE).get_page(request.GET.get("p"))
        shown = list(page.object_list)
        own = [change for change in shown if change.kind == self.opts.model_name]
        oldest = own[-1] if own and not page.has_next() else None
        context = {
            "title": f"History of “{record}”",
            "page": page,
            "entries": self._entries(request, record, shown, own),
            "now": own[0] if own and page.number == 1 else None,
            "has_version_before": oldest and oldest.verb != Change.Verb.CREATED,
        }
        return self._history_page(request, record, "history", context)

    def version_view(self, request, pk, version):
        """Show what restoring a version would change; restore it once that is confirmed."""
        record = self._changeable(request, str(pk))
        seen = request.POST.get("seen", "") if request.method == "POST" else ""
        try:
            if (newest := whole_number(seen)) is not None:
                done = self._restore(request, record, version, newest)
                if done is not None:
                    return done
            tried = versions.restore(record, version, request.user)
        except RecordNotFound as e:
            raise Http404(e.message) from e
        words = Words(request.user, self.model, [tried.change] if tried.change else [])
        made = versions.changes_of(record).filter(pk=version).first()
        context = {
            "title": f"Restore a version of “{record}”",
            "version": version,
            "made": made and moment(made.at),
            "tried": tried,
            "lines": words.lines(tried.change) if tried.change else [],
        }
        return self._history_page(request, record, "version", context)

    def _restore(self, request, record, version, seen):
        """Restore a version and return the answer; None with a message if it cannot be."""
        try:
            with acting(door=RESTORING):
                done = versions.restore(record, version, request.user, seen=seen)
        except Stale as e:
            self.message_user(request, e.message, messages.WARNING)
            return None
        if done.errors:
            return None
        self.log_change(request, record, "Restored a version.")
        title = done.change.title if done.change else record
        self.message_user(request, f"“{title}” is what it was again.", messages.SUCCESS)
        return redirect(f"admin:calendar_app_{self.opts.model_name}_history", record.pk)

    def _changeable(self, request, object_id):
        record = self.get_object(request, object_id)
        if record is None:
            raise Http404(f"There is no {self.opts.verbose_name} {object_id}.")
        if not self.may_restore(request, record):
            raise PermissionDenied
        return record

    def _entries(self, request, record, shown, own):
        """Return changes in words: those of the record, its own, and those of its rule."""
        words, rules = Words(request.user, self.model, own), Words(request.user, Series, [])
        others = [change for change in shown if change not in own]
        may_change = self.has_change_permission(request, record)
        earlier = offered(record, others) if may_change else {}
        return [
            {
                "change": change,
                "at": moment(change.at),
                "is_version": change in own,
                "lines": (words if change in own else rules).lines(change),
                "rules": earlier.get(change, []),
            }
            for change in shown
        ]

    def _history_page(self, request, record, page, context):
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "record": record,
            "media": self.media,
            **context,
        }
        return TemplateResponse(request, f"calendar_app/admin/history/{page}.html", context)


def _acting(view):
    def decorated(request, *args, **kwargs):
        with acting(request.user, "admin"):
            return view(request, *args, **kwargs)

    return update_wrapper(decorated, view)
