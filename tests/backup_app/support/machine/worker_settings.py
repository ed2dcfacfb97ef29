"""The settings of a process that a test starts: on the test's database, with its engine."""

import json
import os

from config.settings import *  # noqa: F403

BACKUP_ENGINES = json.loads(os.environ["TEST_BACKUP_ENGINES"])
BACKUP_LOCAL_ROOTS = os.environ["TEST_BACKUP_LOCAL_ROOTS"]
DATABASES |= json.loads(os.environ["TEST_DATABASES"])  # noqa: F405
