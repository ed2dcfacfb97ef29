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
