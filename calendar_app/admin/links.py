"""The venues and organizers of an event, as sortable rows of its form."""

from django.db.models import Prefetch

from .. import permissions
from ..models import Event, EventOrganizer, EventVenue
from .look import TabularInline


class LinkFormSet(TabularInline.formset):
    """Rows with an empty one if there is no other."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.extra = 0 if self.initial_form_count() else 1


class LinkInline(TabularInline):
    """Rows for users who may edit the event; ``name`` is the field of the linked record."""

    name = ""
    ordering_field = "position"
    hide_ordering_field = True
    hide_title = True
    formset = LinkFormSet

    def get_queryset(self, request):
        """Return the links to records that the user may read."""
        linked = self.model._meta.get_field(self.name).related_model
        visible = linked.objects.visible_to(request.user)
        return super().get_queryset(request).filter(**{f"{self.name}__in": visible})

    def formfield_for_foreignkey(self, db_field, request, **kwargs):
        kwargs["queryset"] = db_field.related_model.objects.visible_to(request.user)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def has_view_permission(self, request, obj=None):
        return True

    def has_add_permission(self, request, obj=None):
        return obj is None or permissions.may_edit(request.user, obj)

    has_change_permission = has_delete_permission = has_add_permission


class VenueInline(LinkInline):
    model = EventVenue
    name = "venue"
    fields = ["venue", "position"]
    autocomplete_fields = ["venue"]
    verbose_name, verbose_name_plural = "venue", "venues"


class OrganizerInline(LinkInline):
    model = EventOrganizer
    name = "organizer"
    fields = ["organizer", "position"]
    autocomplete_fields = ["organizer"]
    verbose_name, verbose_name_plural = "organizer", "organizers"


def prefetch_visible(name, user):
    """Return a Prefetch of an event's venues or organizers that user may read, in order."""
    records = Event._meta.get_field(name).related_model.objects.visible_to(user)
    in_order = records.order_by("event_links__position", "event_links__id")
    return Prefetch(name, in_order.only("name"))


def with_links(events, user):
    """Return events with all the records that they are linked to and user may read."""
    visible = [prefetch_visible(name, user) for name in ("venues", "organizers")]
    return events.prefetch_related(None).prefetch_related("categories", "tags", *visible)


def linked_records(formset, name):
    """Return the records of a valid formset in order, then those that the user may not see."""
    formset.save(commit=False)  # only notes what changed, for the history
    rows = [form.cleaned_data for form in formset.forms if form not in formset.deleted_forms]
    rows = sorted((row for row in rows if row.get(name)), key=lambda row: row["position"])
    shown = formset.queryset.values("pk")
    hidden = formset.model.objects.filter(event=formset.instance.pk).exclude(pk__in=shown)
    return [row[name] for row in rows] + [getattr(link, name) for link in hidden]
