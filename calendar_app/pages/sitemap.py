"""The sitemap (sitemaps.org) of all public pages: an index, and parts by ranges of IDs."""

from django.db.models import F, IntegerField, Max
from django.db.models.functions import Cast
from django.urls import reverse

from ..exceptions import NotFound
from ..models import Category, Event, Organizer, Tag, Venue
from .base import PageView

SIZE = 5000  # IDs of a part; a sitemap may have 50,000 addresses
XML = "application/xml"


def _used(model):
    return model.objects.filter(count__gt=0)


RECORDS = {
    "event": Event.objects.listed,
    "venue": Venue.objects.published,
    "organizer": Organizer.objects.published,
    "category": lambda: _used(Category),
    "tag": lambda: _used(Tag),
}


class IndexView(PageView):
    """The addresses of all parts; those of posts with the time of their last change."""

    depends_on_time = False

    def get(self, request):
        parts = [part for kind in RECORDS for part in self._parts(kind)]
        return self.render("sitemap_index", suffix="xml", content_type=XML, parts=parts)

    def _parts(self, kind):
        records = RECORDS[kind]().order_by()
        dated = {"changed": Max("modified_utc")} if hasattr(records.model, "modified_utc") else {}
        # Ranges, not pages: a write changes one part, and none is read by way of those before it.
        found = records.annotate(part=Cast(F("pk") / SIZE, IntegerField())).values("part")
        for row in found.annotate(number=Max("pk"), **dated).order_by("part"):
            path = reverse("calendar_pages:sitemap-part", args=[kind, row["part"]])
            yield self.urls.absolute(path), row.get("changed")


class PartView(PageView):
    depends_on_time = False

    def get(self, request, kind, part):
        if kind not in RECORDS or part >= 2**63 // SIZE:
            raise NotFound(f"There is no sitemap {kind}-{part}.")
        records = RECORDS[kind]().filter(pk__gte=part * SIZE, pk__lt=(part + 1) * SIZE)
        pages = [
            (self.urls.page(record), getattr(record, "modified_utc", None))
            for record in records.order_by("pk").only(*_columns(records.model))
        ]
        return self.render("sitemap", suffix="xml", content_type=XML, pages=pages)


def _columns(model):
    return ["slug", "modified_utc"] if hasattr(model, "modified_utc") else ["slug"]
