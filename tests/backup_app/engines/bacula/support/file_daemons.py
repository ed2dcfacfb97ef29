"""File daemons with the configuration that this service tells its clients to have."""

import contextlib

from backup_app.engines import get_engine

from . import release
from .daemon import Daemon


@contextlib.contextmanager
def agent(client, folder, tls=True):
    """Run a client's file daemon, configured as it is told, for as long as the block runs.

    Without ``tls`` it does not offer it, which 9.6 never does by itself.
    """
    folder.mkdir(parents=True)
    text = get_engine().client_config(client).config
    for place in ("/var/lib/bacula", "/run/bacula"):
        text = text.replace(f'"{place}"', f'"{folder}"')
    text = text.replace("/usr/lib/bacula", str(release.LIBRARIES))
    if release.VERSION and not tls:
        text = text.replace("FileDaemon {", "FileDaemon {\n  TLS PSK Enable = no")
    config = folder / "bacula-fd.conf"
    config.write_text(text)
    daemon = Daemon(release.CLIENT, config, client.agent_port)
    daemon.start()
    try:
        yield daemon
    finally:
        daemon.kill()
