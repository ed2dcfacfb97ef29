"""The errors that the calendar raises for a refused request, with the API's code and status."""

from collections.abc import Mapping
from typing import Any


class CalendarError(Exception):
    """A refused request: the API's ``code``, the HTTP ``status`` and further ``data``."""

    code = "rest_error"
    status = 400

    def __init__(self, message: str, *, code: str | None = None, **data: Any) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.code
        self.data = data


class Forbidden(CalendarError):
    code, status = "rest_forbidden", 403


class NotFound(CalendarError):
    code, status = "rest_no_route", 404


class RecordNotFound(NotFound):
    """No record of a kind (``event``) has this ID or slug, or none that the user may see."""

    def __init__(self, kind: str | None, key: object) -> None:
        super().__init__(f"There is no {kind} {key}.", code=f"rest-{kind}-not-found")


class Gone(CalendarError):
    """The record of a kind (``event``) with this ID is in the trash."""

    status = 410

    def __init__(self, kind: str | None, pk: int, reason: str = "no-longer-available") -> None:
        super().__init__(f"The {kind} {pk} is in the trash.", code=f"{kind}-{reason}")


class Stale(CalendarError):
    """Somebody else has changed the record since the caller read it."""

    code, status = "rest_conflict", 409


class InvalidParams(CalendarError):
    """One or more invalid parameters: ``params`` maps each name to a sentence."""

    code = "rest_invalid_param"

    def __init__(self, params: Mapping[str, str]) -> None:
        names = ", ".join(params)
        details = {
            name: {"code": self.code, "message": sentence, "data": None}
            for name, sentence in params.items()
        }
        super().__init__(f"Invalid parameter(s): {names}", params=params, details=details)


class TooManyPasswords(CalendarError):
    code, status = "rest_too_many_requests", 429

    def __init__(self, seconds: int) -> None:
        super().__init__(f"Too many wrong passwords. Try again in {seconds} seconds.")
        self.wait = seconds  # the name that REST framework's Throttled gives it
