"""The Bacula that is tested: this machine's, or the one with the version that BACULA says.

That is in a folder of its own: ``.ci/unpack_bacula trixie /var/cache/bacula-15``.
"""

import os
from pathlib import Path

VERSION = os.environ.get("BACULA", "")
FOLDER = f"/var/cache/bacula-{VERSION}" if VERSION else ""
PROGRAMS = Path(f"{FOLDER}/bin" if FOLDER else "/usr/sbin")
LIBRARIES = Path(f"{FOLDER}/usr/lib/bacula")
# Not Bacula's own script, which is broken in 15: its shell replaces the $$ of a DO.
TABLES = Path(f"{FOLDER}/usr/share/dbconfig-common/data/bacula-director-pgsql/install/pgsql")
DIRECTOR, STORAGE, CLIENT = (str(PROGRAMS / f"bacula-{name}") for name in ("dir", "sd", "fd"))
CONSOLE, EXTRACT = str(PROGRAMS / "bconsole"), str(PROGRAMS / "bextract")
CONFIG_READER = str(PROGRAMS / "bdirjson")
