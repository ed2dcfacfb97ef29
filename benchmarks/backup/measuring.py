"""Steps in processes of their own, whose memory the system tells."""

import json
import os
import subprocess
import sys
from enum import Enum
from pathlib import Path
from time import perf_counter


class Step(Enum):
    PREPARE = "prepare"
    FULL = "full"
    UNCHANGED = "nothing changed"
    LISTING = "list a folder"
    ONE_FILE = "restore one file"


def processor() -> float:
    """Return the seconds of the processor that this process and its ended children have had."""
    return sum(os.times()[:4])


def archived(tree: Path) -> tuple[float, float]:
    """Return the seconds that tar and zstd take for a tree, and those of the processor."""
    pack, compress = (
        ["tar", "--xattrs", "--acls", "-C", tree, "-cf", "-", "."],
        [*"zstd -3 -T2 -q".split()],
    )
    begin, used = perf_counter(), processor()
    with (
        (tree.parent / "plain.tar.zst").open("wb") as out,
        subprocess.Popen(pack, stdout=subprocess.PIPE) as tar,  # noqa: S603
    ):
        subprocess.run(compress, stdin=tar.stdout, stdout=out, check=True)  # noqa: S603
    return perf_counter() - begin, processor() - used


def started(folder: Path, database: str, step: Step) -> tuple[float, float, float]:
    """Run a step; return its seconds, those of the processor, and the most megabytes it had."""
    command = [sys.executable, "-m", "benchmarks.backup.steps", step.name, str(folder)]
    variables = os.environ | {
        "DATA_DIR": str(folder),
        "ENV_FILE": os.devnull,
        "DATABASE_URL": "" if database == "sqlite" else database,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "BACKUP_LOCAL_ROOTS": str(folder),
        "LOG_LEVEL": "ERROR",
    }
    with subprocess.Popen(command, env=variables, stdout=subprocess.PIPE) as process:  # noqa: S603
        answer = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"The step '{step.value}' failed.")
    return *json.loads(answer), usage.ru_maxrss / 1024
