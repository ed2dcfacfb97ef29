"""Whether the mail server lets us in; nothing is sent."""

from collections.abc import Iterator
from smtplib import SMTPException

from django.core.mail import get_connection
from django.core.mail.backends.smtp import EmailBackend

from .finding import Finding, failed, ok

SECONDS = 10  # Django itself would wait for a silent server without end


def examine() -> Iterator[Finding]:
    """Yield whether a connection to the mail server can be opened."""
    connection = get_connection()
    if not isinstance(connection, EmailBackend):
        kind = type(connection).__module__.rpartition(".")[2]
        yield ok(f"Mails go to Django's backend '{kind}', and to no mail server.")
        return
    connection.timeout = connection.timeout or SECONDS
    server = f"The mail server {connection.host}:{connection.port}"
    try:
        connection.open()
    except (OSError, SMTPException) as e:
        yield failed(
            f"{server} cannot be used: {_reason(e)}.",
            "Check that it runs, and its address and login in the settings EMAIL_….",
        )
    else:
        yield ok(f"{server} accepts our connection.")
    finally:
        connection.close()


def _reason(error: Exception) -> str:
    # An answer of the server is bytes in a tuple.
    said = getattr(error, "smtp_error", None)
    words = said.decode(errors="replace") if isinstance(said, bytes) else str(said or error)
    return " ".join(words.split()).rstrip(".") or type(error).__name__
