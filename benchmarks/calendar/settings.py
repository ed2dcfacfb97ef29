"""The project's settings as they are when nothing is set, beside a plain API to compare with."""

import os
from pathlib import Path

folder = Path(os.environ.get("DATA_DIR") or "var") / "benchmarks"
os.environ |= {"DATA_DIR": str(folder.absolute()), "ENV_FILE": os.devnull, "LOG_LEVEL": "ERROR"}

from config.settings import *  # noqa: E402, F403

ROOT_URLCONF = "benchmarks.calendar.urls"
