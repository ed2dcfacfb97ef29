"""Steps in processes of their own, whose memory the system tells."""

import json
import os
import re
import subprocess
import sys
from enum import Enum
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

PAUSE = 0.05  # seconds between two looks at the memory of a step


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
    """Run a step; return its seconds, those of the processor, and the most anonymous megabytes."""
    command = [sys.executable, "-m", "benchmarks.backup.steps", step.name, str(folder)]
    variables = os.environ | {
        "DATA_DIR": str(folder),
        "ENV_FILE": os.devnull,
        "DATABASE_URL": "" if database == "sqlite" else database,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "BACKUP_LOCAL_ROOTS": str(folder),
        "LOG_LEVEL": "ERROR",
    }
    most = 0
    with subprocess.Popen(command, env=variables, stdout=subprocess.PIPE) as process:  # noqa: S603
        while process.poll() is None:
            most = max(most, anonymous(process.pid))
            sleep(PAUSE)
        answer = process.stdout.read()
    if process.returncode:
        raise SystemExit(f"The step '{step.value}' failed.")
    return *json.loads(answer), most


def searched(entries: int, rounds: int) -> dict[str, Any]:
    """Return what ``benchmarks.backup.search`` measures on SQLite, in a process of its own."""
    words = "--json", "--entries", str(entries), "--rounds", str(rounds)
    command = [sys.executable, "-m", "benchmarks.backup.search", *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)  # noqa: S603
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def anonymous(pid: int) -> float:
    """Return the megabytes of a process without the pages of files, which the system can drop."""
    found = re.search(r"RssAnon:\s*(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0  # one that has just ended has no memory
