"""The project's settings, with a data folder of its own and quick password hashes."""

import atexit
import os
import shutil
import tempfile

folder = tempfile.mkdtemp(prefix="tests-")
atexit.register(shutil.rmtree, folder, ignore_errors=True)
os.environ |= {"DATA_DIR": folder, "ENV_FILE": os.devnull}

from config.settings import *  # noqa: E402, F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# Static files are looked for when they are asked for: each test client would list them all.
WHITENOISE_AUTOREFRESH = True

# A file, so that threads and processes of a test wait for each other's writes as in a real run; in
# memory they fail at once.
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):  # noqa: F405
    DATABASES["default"]["TEST"] = {"NAME": os.path.join(folder, "test.sqlite3")}  # noqa: F405, PTH118
