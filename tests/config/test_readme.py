"""The examples of the README, as they stand there, against a service that has just been started."""

import re
import subprocess
from pathlib import Path

import pytest

from .support.server import serving

README = Path(__file__).parents[2] / "README.md"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("data")) as service:
        yield service


def examples(chapter):
    """Return the indented lines of a chapter, one script of all its examples."""
    text = README.read_text().partition(f"\n## {chapter}\n")[2].partition("\n## ")[0]
    return "\n".join(line[4:] for line in re.findall(r"^ {4}.*$", text, re.MULTILINE))


@pytest.mark.parametrize("chapter", ["The calendar API", "The backup API"])
def test_the_examples_run_as_they_are(service, chapter):
    script = examples(chapter)
    script = script.replace("http://127.0.0.1:8000/", service.root)
    script = script.replace("var/", f"{service.folder}/").replace("curl ", "curl -sS -f ")

    done = subprocess.run(
        ["/bin/bash", "-e", "-o", "pipefail"],
        input=script,
        cwd=service.folder,
        capture_output=True,
        text=True,
    )

    assert "curl" in script
    assert done.returncode == 0, done.stdout + done.stderr
