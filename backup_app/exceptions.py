"""The errors that the backup service raises, with their codes and HTTP statuses in the API."""

from collections.abc import Mapping, Sequence

Fields = Mapping[str, Sequence[str]]


class BackupError(Exception):
    """Base of all errors: a sentence, and sentences by parameter in ``fields``."""

    code = "invalid"
    status = 400

    def __init__(self, message: str, *, fields: Fields | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.fields = fields or {}
        self.headers: dict[str, str] = {}  # of the answer


class Invalid(BackupError):
    """Parameters that cannot be accepted: ``{name: [sentence]}``.

    Those sentences are the message, unless another is given.
    """

    def __init__(self, fields: Fields, message: str | None = None) -> None:
        said = [sentence for sentences in fields.values() for sentence in sentences]
        super().__init__(message or " ".join(said), fields=fields)


class Forbidden(BackupError):
    code, status = "forbidden", 403


class NotFound(BackupError):
    code, status = "not_found", 404


class WrongState(BackupError):
    """The state of a record does not allow this, or the name is taken."""

    code, status = "wrong_state", 409


class TooLarge(BackupError):
    code, status = "too_large", 413


class RangeOutside(BackupError):
    """A ``Range`` with nothing in it, of something that has ``size`` bytes."""

    code, status = "range_outside", 416

    def __init__(self, size: int) -> None:
        super().__init__(f"The range lies outside the chunk, which has {size} bytes.")
        self.headers = {"Content-Range": f"bytes */{size}"}


class TooManyAttempts(BackupError):
    code, status = "too_many_attempts", 429

    def __init__(self, message: str, *, seconds: int) -> None:
        super().__init__(message)
        self.seconds = seconds
        self.headers = {"Retry-After": str(seconds)}


class EngineError(BackupError):
    """The engine, or a program or machine that it works with, refused: its words in the message."""

    code, status = "engine_refused", 502


class EngineUnreachable(EngineError):
    code, status = "engine_unreachable", 503


class InvalidEngine(Exception):
    """``BACKUP_ENGINES`` cannot be used as it is: a fault of the settings, not of a request."""


class Canceled(Exception):
    """Raised inside an engine when its job is to be canceled."""


class Unfinished(Exception):
    """Raised by an engine that ``resumes`` for a job that is still running: poll it again later."""


class EngineOffline(Unfinished):
    """The engine is unreachable for now, so its other jobs need not be polled either."""
