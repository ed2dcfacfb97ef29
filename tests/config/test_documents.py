"""Examples as they stand in the documents, against a service that has just been started."""

import re
import subprocess
from pathlib import Path

import pytest

from .support.server import serving

ROOT = Path(__file__).parents[2]
CHAPTERS = [
    ("README.md", "The calendar API"),
    ("README.md", "The backup API"),
    ("docs/calendar-api.md", ""),
    ("docs/backup-api.md", ""),
]
LINK = re.compile(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)")


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("data")) as service:
        yield service


def examples(document, chapter):
    """Return the indented lines of a chapter, or of a whole document, as one script."""
    text = (ROOT / document).read_text()
    if chapter:
        text = text.partition(f"\n## {chapter}\n")[2].partition("\n## ")[0]
    return "\n".join(line[4:] for line in re.findall(r"^ {4}.*$", text, re.MULTILINE))


def anchors(document):
    """Return the anchors that GitHub gives to the headings of a document."""
    titles = re.findall(r"^#+ (.*)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize(
    "document",
    [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))],
    ids=lambda document: document.name,
)
def test_links_between_the_documents_lead_somewhere(document):
    for place, anchor in LINK.findall(document.read_text()):
        target = (document.parent / place) if place else document

        assert target.exists(), place
        assert not anchor or anchor in anchors(target), f"{place}#{anchor}"


@pytest.mark.xdist_group("documents")
@pytest.mark.parametrize(("document", "chapter"), CHAPTERS)
def test_the_examples_run_as_they_are(service, document, chapter):
    script = examples(document, chapter)
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
