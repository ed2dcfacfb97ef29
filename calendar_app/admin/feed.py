"""The feeds that are imported again and again, how they do, and what one would import."""

from urllib.parse import urlsplit

from django.contrib import messages
from django.contrib.admin import action, register
from django.core.exceptions import PermissionDenied
from django.http import HttpResponseNotAllowed
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import path
from django.utils import timezone
from django.utils.text import get_text_list

from .. import permissions
from ..ical.reader import ReadError
from ..importing import feeds
from ..importing.feed_import import fetched, opened
from ..importing.ics import within
from ..lib.fetch import FetchError
from ..models import Event, Feed
from .forms.feed import FeedForm
from .history.log import Logged
from .look import ModelAdmin, display, page_action
from .transfer.ics import MOST_ROWS, SECONDS

IMPORT = "calendar_app_feed_import"
PREVIEW = "admin:calendar_app_feed_preview"
COLOURS = {"fine": "success", "failing": "danger", "running": "info"}
STATES = {
    "off": "Not active",
    "running": "Being imported",
    "new": "Not imported yet",
    "failing": "Failing",
    "fine": "Fine",
}
OTHERWISE = "only a worker can import it."
COUNTED = {"made": "new", "changed": "updated", "trashed": "moved to the trash"}


@register(Feed)
class FeedAdmin(Logged, ModelAdmin):
    form = FeedForm
    list_display = ["name", "state", "host", "every", "last_import", "result", "next_import"]
    list_filter = ["is_active", "kind"]
    search_fields = ["name", "url"]
    autocomplete_fields = ["categories", "organizer"]
    actions = ["import_now"]
    actions_detail = ["preview"]
    readonly_fields = [
        *("host", "state_now", "result", "problem", "last_import", "next_import"),
    ]
    fieldsets = [
        (None, {"fields": ["name", "kind", "url", ("every", "is_active")]}),
        (
            "What becomes of its events",
            {"fields": [("event_status", "gone"), "categories", "organizer", "takes_over"]},
        ),
        (
            "Last import",
            {"fields": [("state_now", "result"), "problem", ("last_import", "next_import")]},
        ),
    ]

    def get_form(self, request, obj=None, change=False, **kwargs):
        form = super().get_form(request, obj, change, **kwargs)
        form.user = request.user
        return form

    def get_fieldsets(self, request, obj=None):
        first, events, last = self.fieldsets
        if obj and not self.has_change_permission(request, obj):
            # The rest of the address may be a secret, and a problem may have the address.
            first = (None, {"fields": ["name", "kind", "host", ("every", "is_active")]})
            fields = [each for each in last[1]["fields"] if each != "problem"]
            last = (last[0], {"fields": fields})
        if request.user.is_superuser:
            fields = [*events[1]["fields"], "owner"]
            events = (events[0], {"fields": fields})
        return [first, events, *([last] if obj else [])]

    def get_search_fields(self, request):
        """Search addresses only for those who may see them: others could guess one by letters."""
        may_see = self.has_change_permission(request)
        return [name for name in self.search_fields if may_see or name != "url"]

    def get_urls(self):
        view = self.admin_site.admin_view(self.import_view)
        return [path("<int:pk>/import/", view, name=IMPORT), *super().get_urls()]

    def get_changeform_initial_data(self, request):
        return {**super().get_changeform_initial_data(request), "owner": request.user.pk}

    def has_add_permission(self, request):
        return super().has_add_permission(request) and _may_import(request)

    def has_change_permission(self, request, obj=None):
        return super().has_change_permission(request, obj) and _may_import(request)

    def save_model(self, request, obj, form, change):
        """Store what the form has: the result of an import may be stored at the same time."""
        if not change and obj.owner is None:
            obj.owner = request.user
        obj.save(update_fields=[*{*form.changed_data} - {"categories"}] if change else None)

    def save_related(self, request, form, formsets, change):
        super().save_related(request, form, formsets, change)
        feeds.plan(form.instance)

    def response_add(self, request, obj, post_url_continue=None):
        """Show at once what the new feed would import."""
        usual = super().response_add(request, obj, post_url_continue)
        return redirect(PREVIEW, obj.pk) if "_save" in request.POST else usual

    @page_action(
        description="Preview", url_path="preview", icon="visibility", permissions=["change"]
    )
    def preview(self, request, object_id):
        """Show what an import would make, change and skip."""
        feed = self._feed(request, object_id)
        outcome, problem = None, ""
        try:
            target = opened(feed, fetched(feed).body, most_rows=MOST_ROWS)
            target.run(dry_run=True, show=within(SECONDS, OTHERWISE))
            outcome = target.importer.outcome
        except (FetchError, ReadError) as e:
            problem = str(e)
        context = {
            **self.admin_site.each_context(request),
            "title": f"What “{feed}” would import",
            "opts": self.opts,
            "media": self.media,
            "feed": feed,
            "outcome": outcome,
            "problem": problem,
        }
        return TemplateResponse(request, "calendar_app/admin/feed_preview.html", context)

    def import_view(self, request, pk):
        """Have a worker import a feed."""
        feed = self._feed(request, pk)
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        self.import_now(request, [feed])
        return redirect("admin:calendar_app_feed_changelist")

    def _feed(self, request, pk):
        feed = self.get_object(request, str(pk))
        if feed is None or not self.has_change_permission(request, feed):
            raise PermissionDenied
        return feed

    @action(description="Import now", permissions=["change"])
    def import_now(self, request, queryset):
        for feed in queryset:
            feeds.import_soon(feed)
            self.log_change(request, feed, "Had it imported.")
        self.message_user(
            request,
            f"A worker now imports {get_text_list([f'“{feed}”' for feed in queryset], 'and')}. The "
            "result will be in this list.",
            messages.SUCCESS,
        )

    @display(description="state", label=COLOURS)
    def state(self, feed):
        key = _state(feed)
        return key, STATES[key]

    @display(description="state")
    def state_now(self, feed):
        return STATES[_state(feed)]

    @display(description="host")
    def host(self, feed):
        """Return the host alone: the rest of an address may be a secret."""
        return urlsplit(feed.url).hostname

    @display(description="result")
    def result(self, feed):
        if not feed.last_import:
            return None
        said = [f"{getattr(feed, name)} {words}" for name, words in COUNTED.items()]
        said = [part for part in said if not part.startswith("0 ")]
        if feed.skipped:
            said.append(f"{feed.skipped} skipped")
        return ", ".join(said) or ("Nothing was imported" if feed.failures else "Nothing changed")


def _state(feed):
    if feed.running_since and feed.running_since > timezone.now() - feeds.LONGEST:
        return "running"
    if not feed.is_active:
        return "off"
    if not feed.last_import:
        return "new"
    return "failing" if feed.failures else "fine"


def _may_import(request):
    return permissions.may_import(request.user, Event)
