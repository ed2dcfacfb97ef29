"""The console in Python 3.13, whose ssl has PSK: Debian's, beside that which runs the tests.

The modules that the console needs are not compiled, so that both use those of the environment.
"""

import json
import os
import subprocess
from dataclasses import asdict
from pathlib import Path

import django

from backup_app.engines.bacula.director.tls import Tls
from tests.prerequisites import need

from . import release

PACKAGES = Path(django.__file__).parents[1]
PROJECT = Path(__file__).parents[5]
ASK = """
import json, sys
import django
from django.conf import settings
apps = ["django.contrib.contenttypes", "django.contrib.auth", "backup_app"]
settings.configure(INSTALLED_APPS=apps, USE_TZ=True)
django.setup()
from backup_app.engines.bacula.director.console import Console
from backup_app.engines.bacula.director.tls import Tls
from backup_app.exceptions import EngineError
told = json.load(sys.stdin)
try:
    with Console(*told["place"], Tls(**told["safety"])) as console:
        said = {"said": console.ask(told["command"]), "is_encrypted": console.is_encrypted}
except EngineError as e:
    said = {"error": type(e).__name__, "message": str(e)}
print(json.dumps(said))
"""


def ask(place: tuple, safety: Tls, command: str) -> dict:
    """Return ``said`` and ``is_encrypted`` of an answer, or ``error`` and ``message``."""
    need(Path(release.PYTHON).exists(), "of TLS by a key", release.REMEDY)
    done = subprocess.run(
        [release.PYTHON, "-c", ASK],
        input=json.dumps({"place": place, "safety": asdict(safety), "command": command}),
        env=os.environ | {"PYTHONPATH": f"{PROJECT}:{PACKAGES}", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
