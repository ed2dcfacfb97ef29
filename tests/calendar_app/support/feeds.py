"""Imports of feeds, as a worker does them."""

from calendar_app.importing import feeds
from calendar_app.models import Feed


def run(feed, **fields):
    """Change these fields of a feed, import it, and return it as it is stored then."""
    Feed.objects.filter(pk=feed.pk).update(**fields)
    assert feeds.run(feed.pk)
    return Feed.objects.get(pk=feed.pk)


def counts(feed):
    return feed.made, feed.changed, feed.trashed, feed.skipped
