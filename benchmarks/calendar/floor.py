"""The floor: a bare ASGI function that answers as the calendar does; one process, one thread.

``python -m benchmarks.calendar.floor DESCRIPTOR URL`` serves it at a bound socket. It has one open
connection, prepared statements and orjson. Nothing is checked, negotiated or allowed for, and
nothing is kept but totals and the shapes of rows. A write is one transaction that stores what ours
stores of the event, looks names up as ours does, and answers with the ID alone: it can only be
quicker.
"""

import socket
import sqlite3
import sys
from functools import lru_cache
from urllib.parse import parse_qsl

import orjson
import psycopg
import uvicorn

from config.environment.services import SQLITE_OPTIONS

from . import shapes

WINDOW = (
    "FROM calendar_app_event WHERE status = 'publish' AND NOT hide_from_listings "
    "AND start_utc >= %s AND start_utc <= %s AND end_utc <= %s"
)
COUNT = f"SELECT COUNT(*) {WINDOW}"
PAGE = (
    f"SELECT {shapes.EVENT} FROM calendar_app_event t WHERE id IN "
    f"(SELECT id {WINDOW} ORDER BY start_utc, id LIMIT 10 OFFSET %s) ORDER BY start_utc, id"
)
SINGLE = f"SELECT {shapes.EVENT} FROM calendar_app_event t WHERE id = %s AND status = 'publish'"
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
NEWEST = "WHERE status = 'publish' ORDER BY date_utc DESC, id DESC"
IN_USE = "WHERE count > 0 ORDER BY lower(name), id"
# The other lists: the columns, the table, the order, and the function that shapes a row.
LISTS = {
    "venues": (shapes.VENUE, "venue", NEWEST, shapes.venue),
    "organizers": (shapes.ORGANIZER, "organizer", NEWEST, shapes.organizer),
    "categories": (shapes.CATEGORY, "category", IN_USE, shapes.listed_category),
    "tags": (shapes.TAG, "tag", IN_USE, shapes.listed_tag),
}
FIELDS = (
    "title, description, start_date, end_date, start_utc, end_utc, duration, timezone, "
    "timezone_abbr, slug, status, date, date_utc, modified, modified_utc, status_before_trash, "
    "excerpt, image_url, source_version, global_id_lineage, all_day, cost, website, show_map, "
    "show_map_link, hide_from_listings, sticky, featured, ticketed, password, custom_fields, "
    "is_override"
)
FLAGS = "FALSE, '', '', TRUE, TRUE, FALSE, FALSE, FALSE, FALSE, '', '{}', FALSE"
INSERT = (
    f"INSERT INTO calendar_app_event ({FIELDS}) VALUES (%s, %s, %s, %s, %s, %s, 7200, 'UTC', 'UTC',"
    f" %s, 'publish', {', '.join(['CURRENT_TIMESTAMP'] * 4)}, '', '', '', '', '[]', {FLAGS}) "
    "RETURNING id"
)
TITLE = (
    "UPDATE calendar_app_event SET title = %s, modified = CURRENT_TIMESTAMP, "
    "modified_utc = CURRENT_TIMESTAMP WHERE id = %s"
)
NAMED = "SELECT id FROM calendar_app_{kind} WHERE lower(name) = lower(%s)"
LINKS = {
    "category": "INSERT INTO calendar_app_event_categories (event_id, category_id) VALUES (%s, %s)",
    "tag": "INSERT INTO calendar_app_event_tags (event_id, tag_id) VALUES (%s, %s)",
    "venue": "INSERT INTO calendar_app_eventvenue (event_id, venue_id, position) "
    "VALUES (%s, %s, 0)",
    "organizer": "INSERT INTO calendar_app_eventorganizer (event_id, organizer_id, position) "
    "VALUES (%s, %s, 0)",
}
HEADERS = [(b"content-type", b"application/json")]


class Floor:
    """An ASGI application; ``run`` runs SQL and returns rows."""

    def __init__(self, run):
        self.run = run
        self.count = lru_cache(lambda sql, params: run(sql, params)[0][0])

    async def __call__(self, scope, receive, send):
        host = next(value for name, value in scope["headers"] if name == b"host").decode()
        self.base, self.path = f"http://{host}", scope["path"]
        name, _, pk = self.path.removeprefix(f"{shapes.P}/").partition("/")
        if scope["method"] == "GET":
            query = dict(parse_qsl(scope["query_string"].decode()))
            found = self.single(int(pk)) if pk else self.list(name, query)
        else:
            sent = orjson.loads((await receive())["body"])
            found = self.write(pk, sent)
        body = orjson.dumps(found)
        length = (b"content-length", b"%d" % len(body))
        await send({"type": "http.response.start", "status": 200, "headers": [*HEADERS, length]})
        await send({"type": "http.response.body", "body": body})

    def list(self, name, query):
        page = int(query.get("page", "1"))
        if name == "events":
            window = (query["start_date"], query["end_date"], query["end_date"])
            total = self.count(COUNT, window)
            found = self.events(self.run(PAGE, (*window, (page - 1) * 10)))
        else:
            columns, table, order, shape = LISTS[name]
            table = f"FROM calendar_app_{table} t {order.partition('ORDER')[0]}"
            total = self.count(f"SELECT COUNT(*) {table}", ())
            order = order[order.index("ORDER") :]
            sql = f"SELECT {columns} {table} {order} LIMIT 10 OFFSET %s"
            found = [shape(row, self.base) for row in self.run(sql, ((page - 1) * 10,))]
        return shapes.envelope(name, found, self.base + self.path, query, page, total)

    def single(self, pk):
        [event] = self.events(self.run(SINGLE, (pk,)), detail=True)
        return event | {"json_ld": shapes.json_ld(event)}

    def events(self, rows, detail=False):
        linked = {kind: self._by_id(sql, {row[0] for row in rows}) for kind, sql in LINKED.items()}
        pictures = {row[1] for row in rows if row[1]}
        images = {row[0]: shapes.image(row, self.base) for row in self._by_id(IMAGES, pictures)}
        return shapes.events(rows, linked, images, self.base, detail)

    def write(self, pk, sent):
        if pk and pk != "bulk":
            return self.change(int(pk), sent)
        self.run("BEGIN", ())
        found = [self.create(event) for event in sent.get("events", [sent])]
        self.run("COMMIT", ())
        return found if pk else found[0]

    def create(self, sent):
        """Store an event in UTC that lasts two hours."""
        slug = "-".join(sent["title"].lower().split())
        times = sent["start_date"], sent["end_date"]
        row = (sent["title"], sent["description"], *times, *times, slug)
        [[pk]] = self.run(INSERT, row)
        names = [("category", name) for name in sent["categories"]]
        names += [("tag", name) for name in sent["tags"]]
        names += [(kind, sent[kind][kind]) for kind in ("venue", "organizer")]
        for kind, name in names:
            [[linked]] = self.run(NAMED.format(kind=kind), (name,))
            self.run(LINKS[kind], (pk, linked))
        return {"id": pk}

    def change(self, pk, sent):
        self.run(TITLE, (sent["title"], pk))
        return {"id": pk}

    def _by_id(self, sql, ids):
        return self.run(_for(sql, len(ids)), tuple(ids)) if ids else []


@lru_cache
def _for(sql, number):
    return sql.replace("{ids}", ", ".join(["%s"] * number))


def connected(url):
    """Return a function from SQL and parameters to rows."""
    return _postgresql(url) if url.startswith("postgres") else _sqlite(url)


def _postgresql(url):
    connection = psycopg.connect(url, autocommit=True, options="-c timezone=UTC")

    def run(sql, params):
        cursor = connection.execute(sql, params, prepare=True)
        return cursor.fetchall() if cursor.description else []

    return run


def _sqlite(url):
    connection = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None, timeout=20)
    connection.executescript(SQLITE_OPTIONS["init_command"])
    return lambda sql, params: connection.execute(_question_marks(sql), params).fetchall()


@lru_cache
def _question_marks(sql):
    return sql.replace("%s", "?").replace("BEGIN", "BEGIN IMMEDIATE")


def main(descriptor, url):
    app = Floor(connected(url))
    config = uvicorn.Config(app, lifespan="off", ws="none", log_config=None, access_log=False)
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=int(descriptor))])


if __name__ == "__main__":
    main(*sys.argv[1:])
