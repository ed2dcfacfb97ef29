"""A web worker, which answers the requests that come in at a bound socket."""

import resource
import socket

import uvicorn
from django.conf import settings

from backup_app.conf import conf as backup
from calendar_app.conf import conf as calendar
from config.serving import connections
from config.serving.asgi import Application
from config.serving.connections import Connection
from config.wsgi import application

SHUTDOWN_SECONDS = 20  # for the answers that are under way
FORM = 1_000_000  # bytes of a form around its file


def serve(listener: socket.socket, threads: int):
    """Answer the requests that come in at a bound socket until told to stop."""
    _allow_many_connections()
    app = Application(application, threads=threads, largest=largest_body())
    server(app).run(sockets=[listener])


def server(app: Application) -> uvicorn.Server:
    """Return a server for an ASGI application."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=Connection,
            ws="none",
            lifespan="off",
            proxy_headers=False,  # the setting BEHIND_PROXY decides whom to trust
            server_header=False,
            log_config=None,
            access_log=False,
            timeout_keep_alive=connections.IDLE_SECONDS,
            timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        )
    )


def largest_body() -> int:
    """Return the largest size in bytes of a request that any setting allows."""
    return FORM + max(
        settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
        backup.MAX_BODY_BYTES,
        calendar.MAX_BODY_BYTES,
        calendar.IMAGE_MAX_BYTES,
        calendar.ICAL_MAX_BYTES,
    )


def _allow_many_connections():
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
