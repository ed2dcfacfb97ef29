"""What Bacula itself reads in a piece of configuration."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.prerequisites import need_bacula

from . import release

READER = Path(release.CONFIG_READER)
AROUND = """\
Director { Name = reader; DirPort = 9101; QueryFile = none; WorkingDirectory = "/"
  PidDirectory = "/"; Password = x; Messages = Reader }
Messages { Name = Reader; Catalog = all }
Catalog { Name = MyCatalog; dbname = x; dbuser = x; dbpassword = x }
Client { Name = reader-client; Address = localhost; Password = x; Catalog = MyCatalog }
Storage { Name = reader-storage; Address = localhost; Password = x; Device = x
  Media Type = x }
Pool { Name = reader-pool; Pool Type = Backup }
FileSet { Name = reader-fileset; Include { Options { Signature = SHA256 } } }
Job { Name = reader-job; Type = Restore; Client = reader-client; FileSet = reader-fileset
  Pool = reader-pool; Messages = Reader; Storage = reader-storage
}
"""


def parse(text: str, folder: Path) -> dict[tuple[str, str], dict]:
    """Return the resources that a text adds to a configuration, by their kind and name."""
    need_bacula(READER.exists())
    file = folder / "parsed.conf"
    file.write_bytes((AROUND + text).encode(errors="surrogateescape"))
    done = subprocess.run([READER, "-c", file], capture_output=True)
    if not done.stdout.startswith(b"["):
        pytest.fail(f"Bacula refuses the configuration: {done.stdout.decode()}\n{text}")
    found = json.loads(done.stdout.decode(errors="surrogateescape"), strict=False)
    resources = [(kind.lower(), each) for entry in found for kind, each in entry.items()]
    return {
        (kind, each["Name"]): each
        for kind, each in resources
        if f"Name = {each['Name']};" not in AROUND
    }
