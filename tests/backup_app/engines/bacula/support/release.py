"""The Bacula that is tested: this machine's, or the one in a folder if BACULA is its version."""

import os
from pathlib import Path

VERSION = os.environ.get("BACULA", "")
NEWEST = "/var/cache/bacula-15"  # the only other one that Debian has
REMEDY = f".ci/unpack_bacula trixie {NEWEST}"
FOLDER = f"/var/cache/bacula-{VERSION}" if VERSION else ""
PROGRAMS = Path(f"{FOLDER}/bin" if FOLDER else "/usr/sbin")
DIRECTOR, STORAGE, CLIENT = (str(PROGRAMS / f"bacula-{name}") for name in ("dir", "sd", "fd"))
CONSOLE, EXTRACT = str(PROGRAMS / "bconsole"), str(PROGRAMS / "bextract")
PYTHON = f"{NEWEST}/bin/python3"  # Debian's newest, with PSK
CONFIG_READER = str(PROGRAMS / "bdirjson")
LIBRARIES = Path(f"{FOLDER}/usr/lib/bacula")
# Not Bacula's own script, which is broken in 15: its shell replaces the $$ of a DO.
STATEMENTS = "usr/share/dbconfig-common/data/bacula-director-pgsql"
TABLES = Path(f"{FOLDER}/{STATEMENTS}/install/pgsql")
UPGRADES = Path(f"{NEWEST}/{STATEMENTS}/upgrade/pgsql")  # of earlier versions, by version
