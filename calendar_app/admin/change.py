from django.contrib.admin import register
from django.urls import reverse
from django.utils.html import format_html

from .. import permissions
from ..models import Change, Event, Organizer, Venue
from .history.words import moment
from .look import ModelAdmin, display
from .repeating.words import in_words


@register(Change)
class ChangeAdmin(ModelAdmin):
    """What was changed lately, deletions too; for who may read all records that it may name."""

    list_display = ["when", "what", "kind", "done", "user", "through", "history"]
    list_display_links = None
    list_filter = ["verb", "kind", "door"]
    list_select_related = ["user"]
    search_fields = ["title"]
    ordering = ["-id"]
    list_per_page = 50
    show_full_result_count = False

    def get_queryset(self, request):
        """Leave out what each record lost: what they were linked to has a row of its own."""
        return super().get_queryset(request).exclude(kind="").exclude(verb=Change.Verb.UNLINKED)

    def has_view_permission(self, request, obj=None):
        return all(
            permissions.may_edit_others(request.user, model) for model in (Event, Venue, Organizer)
        )

    has_module_permission = has_view_permission

    def has_add_permission(self, request):
        return False

    has_delete_permission = has_change_permission = lambda self, request, obj=None: False

    @display(description="when")
    def when(self, change):
        return moment(change.at)

    @display(description="title")
    def what(self, change):
        return in_words(change.title) if change.kind == "series" else change.title

    @display(description="done", ordering="verb")
    def done(self, change):
        return change.get_verb_display()

    @display(description="through", ordering="door")
    def through(self, change):
        return change.door

    @display(description="history")
    def history(self, change):
        if change.verb == Change.Verb.DELETED or change.kind == "series":
            return None  # that of a rule is in the history of its events
        address = reverse(f"admin:calendar_app_{change.kind}_history", args=[change.record_id])
        return format_html('<a href="{}">{}</a>', address, "History")
