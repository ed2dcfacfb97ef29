"""SQLite's index for the search of events: the trigrams of their texts (FTS5).

Triggers keep it up to date. Many migrations replace the table of events, which drops its triggers,
so they are made again after ``migrate`` where they are missing. PostgreSQL has indexes of its own.
"""

import logging
import sqlite3
from collections.abc import Callable, Iterable
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from django.db import OperationalError, connections, transaction

LENGTH = 3  # of a trigram
MAX_TRIGRAMS = 500  # that a shorter word is looked up by; what has more is in very many texts
# LIKE ignores the case of ASCII letters only, as lower() does. The line breaks at the end make a
# trigram begin at each character.
TEXT = (
    "lower({0}title || char(10) || {0}description || char(10) || {0}excerpt "
    "|| char(10) || char(10))"
)
INDEX = "calendar_event_search"
INSERT = f"INSERT INTO {INDEX}(rowid, text)"
ADD = f"{INSERT} VALUES (new.id, {TEXT.format('new.')});"
REMOVE = (
    f"INSERT INTO {INDEX}({INDEX}, rowid, text) "  # noqa: S608
    f"VALUES ('delete', old.id, {TEXT.format('old.')});"
)
EVENT = "calendar_app_event"
TRIGGERS = {
    f"{INDEX}_insert": f"AFTER INSERT ON {EVENT} BEGIN {ADD} END",
    f"{INDEX}_delete": f"AFTER DELETE ON {EVENT} BEGIN {REMOVE} END",
    f"{INDEX}_update": (
        f"AFTER UPDATE OF title, description, excerpt ON {EVENT} BEGIN {REMOVE} {ADD} END"
    ),
}
OPTIONS = "content='', detail='none', tokenize='trigram case_sensitive 1'"
MAKE = [
    "DROP TABLE IF EXISTS calendar_event_trigram",
    f"DROP TABLE IF EXISTS {INDEX}",
    f"CREATE VIRTUAL TABLE {INDEX} USING fts5(text, {OPTIONS})",
    f"CREATE VIRTUAL TABLE calendar_event_trigram USING fts5vocab({INDEX}, row)",
    f"{INSERT} SELECT id, {TEXT.format('')} FROM {EVENT}",  # noqa: S608
]
FIND = f"SELECT rowid FROM {INDEX} WHERE {INDEX} MATCH ? LIMIT ?"  # noqa: S608
BEGINNING = "SELECT term FROM calendar_event_trigram WHERE term BETWEEN ? AND ? LIMIT ?"
LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
LAST = "\U0010ffff"

Execute = Callable[..., Iterable[tuple[Any]]]

log = logging.getLogger(__name__)


def make_index(using: str, **kwargs: Any) -> None:
    """Signal receiver: make the index where SQLite has FTS5 with trigrams, unless it is there."""
    connection = connections[using]
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master")
        existing = {name for (name,) in cursor.fetchall()}
        if EVENT not in existing or existing.issuperset(TRIGGERS):
            return
        try:
            with transaction.atomic(using=using):
                _make(cursor.execute)
        except OperationalError as e:
            log.warning("No index for searches, which read all events: %s", e)


def _make(execute: Callable[[str], Any]) -> None:
    for name in TRIGGERS:
        execute(f"DROP TRIGGER IF EXISTS {name}")
    for statement in MAKE:
        execute(statement)
    for name, trigger in TRIGGERS.items():
        execute(f"CREATE TRIGGER {name} {trigger}")


def candidates(using: str, words: Iterable[Iterable[str]], limit: int) -> list[int] | None:
    """Return the IDs of the events whose texts contain, or nearly, a spelling of every word.

    None if there may be more than limit of them, and where there is no index.
    """
    connection = connections[using]
    if connection.vendor != "sqlite":
        return None
    connection.ensure_connection()
    # Without Django's cursor, which takes longer than the search.
    execute = connection.connection.execute
    try:
        if query := " AND ".join(filter(None, (_condition(word, execute) for word in words))):
            found = [pk for (pk,) in execute(FIND, [query, limit + 1])]
            return found if len(found) <= limit else None
    except sqlite3.OperationalError as e:
        log.debug("Searched without the index: %s", e)
    return None


def _condition(spellings: Iterable[str], execute: Execute) -> str:
    """Return the FTS5 query for texts with any of spellings; "" if the index cannot tell."""
    found = [_trigrams(spelling.translate(LOWER), execute) for spelling in spellings]
    return f"({' OR '.join(found)})" if all(found) else ""


def _trigrams(text: str, execute: Execute) -> str:
    """Return the FTS5 query for the trigrams of text; "" if the index cannot tell."""
    if "\0" in text:
        return ""
    if len(text) >= LENGTH:
        return _joined(" AND ", {text[n : n + LENGTH] for n in range(len(text) - LENGTH + 1)})
    terms = {term for (term,) in execute(BEGINNING, [text, text + LAST * 2, MAX_TRIGRAMS + 1])}
    # A trigram that no text has stands for none at all.
    return _joined(" OR ", terms or {LAST * LENGTH}) if len(terms) <= MAX_TRIGRAMS else ""


def _joined(operator: str, trigrams: set[str]) -> str:
    quoted = ('"{}"'.format(each.replace('"', '""')) for each in sorted(trigrams))
    return f"({operator.join(quoted)})"
