"""Machines between a console and a Director, or in a Director's place, that a test lets behave."""

import contextlib
import select
import socket
import threading


@contextlib.contextmanager
def machine_that(behave):
    """Accept one connection, which a function of this test serves; yield the port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve():
            # The other side may have heard enough.
            with contextlib.suppress(OSError), listener.accept()[0] as connection:
                behave(connection)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(10)


def relayed(installation, change, connection, *, heard=bytes):
    """Relay a connection to the Director: what either says as a function changes it."""
    with socket.create_connection(("127.0.0.1", installation.ports["dir"])) as director:
        other = {connection: director, director: connection}
        change_of = {connection: heard, director: change}
        while True:
            for ready in select.select([connection, director], [], [])[0]:
                if not (said := ready.recv(65536)):
                    return
                other[ready].sendall(change_of[ready](said))


def packet(text):
    return len(text).to_bytes(4, "big") + text
