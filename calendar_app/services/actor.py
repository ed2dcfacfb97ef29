"""Who changes the calendar, and through which door."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

WORKER = "worker"
LONGEST = 100  # characters of a door


class Actor(NamedTuple):
    """The ID of a user, if one is known, and what the calendar is changed through."""

    user_id: Any = None
    door: str = ""


NOBODY = Actor()
_actor: ContextVar[Actor] = ContextVar("calendar_actor", default=NOBODY)


def current() -> Actor:
    return _actor.get()


@contextmanager
def acting(user: Any = None, door: str = "") -> Iterator[None]:
    """Have the history name user and door for what the block changes.

    What is not given is that of the block around it.
    """
    known = _actor.get()
    token = _actor.set(
        Actor(getattr(user, "pk", None) or known.user_id, (door or known.door)[:LONGEST])
    )
    try:
        yield
    finally:
        _actor.reset(token)
