"""The floor: a bare WSGI function that gives the calendar's own answer for a page of events.

One open connection, prepared statements, six queries, orjson. Nothing is checked, negotiated or
allowed for: the public asks for ten published events in a window of time.
"""

import sqlite3
from functools import lru_cache
from urllib.parse import parse_qsl

import orjson
import psycopg

from . import raw_shapes as shapes

WINDOW = (
    "FROM calendar_app_event WHERE status = 'publish' AND NOT hide_from_listings "
    "AND start_utc >= %s AND start_utc <= %s AND end_utc <= %s"
)
COUNT = f"SELECT COUNT(*) {WINDOW}"
PAGE = (
    f"SELECT {shapes.EVENT} FROM calendar_app_event t WHERE id IN "
    f"(SELECT id {WINDOW} ORDER BY start_utc, id LIMIT 10 OFFSET %s) ORDER BY start_utc, id"
)
POSTS = (
    "SELECT l.event_id, {columns} FROM calendar_app_event{kind} l "
    "JOIN calendar_app_{kind} t ON t.id = l.{kind}_id "
    "WHERE l.event_id IN ({ids}) AND t.status = 'publish' ORDER BY l.position, l.id"
)
TERMS = (
    "SELECT l.event_id, {columns} FROM calendar_app_event_{kinds} l "
    "JOIN calendar_app_{kind} t ON t.id = l.{kind}_id "
    "WHERE l.event_id IN ({ids}) ORDER BY t.name, t.id"
)
LINKED = {
    "venue": POSTS.format(kind="venue", columns=shapes.VENUE, ids="{ids}"),
    "organizer": POSTS.format(kind="organizer", columns=shapes.ORGANIZER, ids="{ids}"),
    "categories": TERMS.format(
        kind="category", kinds="categories", columns=shapes.CATEGORY, ids="{ids}"
    ),
    "tags": TERMS.format(kind="tag", kinds="tags", columns=shapes.TAG, ids="{ids}"),
}
IMAGES = f"SELECT {shapes.IMAGE} FROM calendar_app_image t WHERE id IN ({{ids}})"


class Raw:
    """A WSGI application; with a ``total`` it need not count one."""

    def __init__(self, run, total=None):
        self.run, self.total = run, total

    def __call__(self, environ, start_response):
        base = f"http://{environ['HTTP_HOST']}"
        query = dict(parse_qsl(environ["QUERY_STRING"]))
        page = int(query.get("page", "1"))
        window = (query["start_date"], query["end_date"], query["end_date"])
        total = self.total or self.run(COUNT, window)[0][0]
        rows = self.run(PAGE, (*window, (page - 1) * 10))
        address = f"{base}{environ['PATH_INFO']}"
        body = shapes.envelope(self._events(rows, base), address, query, page, total)
        start_response("200 OK", [("Content-Type", "application/json")])
        return [orjson.dumps(body)]

    def _events(self, rows, base):
        linked = {kind: self._by_id(sql, {row[0] for row in rows}) for kind, sql in LINKED.items()}
        posts = [row[1:] for row in linked["venue"] + linked["organizer"]]
        pictures = {row[1] for row in [*rows, *posts] if row[1]}
        images = {row[0]: shapes.image(row, base) for row in self._by_id(IMAGES, pictures)}
        return shapes.events(rows, linked, images, base)

    def _by_id(self, sql, ids):
        return self.run(_for(sql, len(ids)), tuple(ids)) if ids else []


@lru_cache
def _for(sql, number):
    return sql.replace("{ids}", ", ".join(["%s"] * number))


def connected(settings):
    """Return a function from SQL and parameters to rows, for an entry of DATABASES."""
    return _sqlite(settings) if "sqlite3" in settings["ENGINE"] else _postgresql(settings)


def _postgresql(settings):
    connection = psycopg.connect(
        host=settings["HOST"],
        port=settings["PORT"] or None,
        user=settings["USER"],
        password=settings["PASSWORD"] or None,
        dbname=settings["NAME"],
        autocommit=True,
        options="-c timezone=UTC",
    )
    return lambda sql, params: connection.execute(sql, params, prepare=True).fetchall()


def _sqlite(settings):
    connection = sqlite3.connect(settings["NAME"], isolation_level=None)
    connection.executescript(settings["OPTIONS"]["init_command"])
    return lambda sql, params: connection.execute(sql.replace("%s", "?"), params).fetchall()
