"""What the calendar refuses, and how the API says so."""


class CalendarError(Exception):
    """A refusal with the API's ``code``, HTTP ``status`` and further ``data``."""

    code = "rest_error"
    status = 400

    def __init__(self, message, *, code=None, **data):
        super().__init__(message)
        self.message = message
        self.code = code or self.code
        self.data = data


class Forbidden(CalendarError):
    code, status = "rest_forbidden", 403


class NotFound(CalendarError):
    code, status = "rest_no_route", 404


class Gone(CalendarError):
    code, status = "event-no-longer-available", 410


class InvalidParams(CalendarError):
    """One or more parameters that cannot be accepted: ``params`` = name -> sentence."""

    code = "rest_invalid_param"

    def __init__(self, params):
        names = ", ".join(params)
        details = {
            name: {"code": self.code, "message": sentence, "data": None}
            for name, sentence in params.items()
        }
        super().__init__(f"Invalid parameter(s): {names}", params=params, details=details)


class TooManyPasswords(CalendarError):
    code, status = "rest_too_many_requests", 429

    def __init__(self, seconds):
        super().__init__(f"Too many wrong passwords. Try again in {seconds} seconds.")
        self.wait = seconds  # as an exception of the REST framework says it
