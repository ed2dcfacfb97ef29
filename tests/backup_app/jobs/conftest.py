import subprocess
import sys

import pytest


@pytest.fixture(scope="session")
def dead():
    """The name of a process that has ended."""
    code = "from backup_app.jobs.worker_id import this_worker; print(this_worker())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return run.stdout.strip()
