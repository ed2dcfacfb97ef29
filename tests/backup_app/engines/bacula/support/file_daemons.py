"""File daemons with the configuration that this service tells its clients to have."""

import contextlib

from backup_app.engines import get_engine

from .daemon import Daemon
from .installation import PROGRAMS


@contextlib.contextmanager
def agent(client, folder):
    """Run a client's file daemon, configured as it is told, for as long as the block runs."""
    folder.mkdir(parents=True)
    text = get_engine().client_config(client).config
    for place in ("/var/lib/bacula", "/run/bacula"):
        text = text.replace(f'"{place}"', f'"{folder}"')
    config = folder / "bacula-fd.conf"
    config.write_text(text)
    daemon = Daemon(PROGRAMS["fd"], config, client.agent_port)
    daemon.start()
    try:
        yield daemon
    finally:
        daemon.kill()
