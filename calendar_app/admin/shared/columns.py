"""Columns that several of the admin's lists share."""

from django.utils.html import format_html

from ...api.representations import Urls
from ...api.representations.times import stamp
from ..look import display

STATUS_COLOURS = {
    "publish": "success",
    "future": "info",
    "pending": "warning",
    "private": "info",
    "trash": "danger",
}
LINK = '<a href="{}" title="View in the API" class="text-link underline">{}</a>'


class ApiLink:
    """Links to a record in the API; ``collection`` is the last part of the list's path."""

    collection = ""

    @display(description="API")
    def api_link(self, record):
        if not record.pk:
            return None
        address = Urls("").rest(self.collection, record.pk)
        return format_html(LINK, address, record.pk)


class StatusColumn:
    @display(description="status", ordering="status", label=STATUS_COLOURS)
    def status_label(self, post):
        return post.status, post.get_status_display()


class UtcTimes:
    """Shows instants in UTC, since some near the years 1 and 9999 have no local time."""

    @display(description="published (UTC)")
    def published_utc(self, post):
        return stamp(post.date_utc) if post.date_utc else None

    @display(description="changed (UTC)")
    def changed_utc(self, post):
        return stamp(post.modified_utc) if post.modified_utc else None


class Thumbnail:
    """Shows an image, or the image of a record."""

    @display(description="preview")
    def thumbnail(self, record):
        picture = getattr(record, "image", record)
        if picture is None or not picture.file:
            return None
        small = picture.sizes.get("thumbnail")
        name = small["file"] if small else picture.file.name
        return format_html(
            '<img src="{}" alt="" loading="lazy" style="max-height: 3rem; max-width: 6rem">',
            picture.file.storage.url(name),
        )
