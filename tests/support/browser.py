"""Pages of the admin as people see them: looked at, photographed and checked in a real browser."""

import os
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.test import Client

WIDTHS = {"wide": 1400, "narrow": 390}
HEIGHT = 900
SCHEMES = ["light", "dark"]
EXAMINED = {("wide", "light"), ("narrow", "dark")}  # by axe-core, which takes a second
SERIOUS = {"serious", "critical"}
# Where the screenshots go instead of to the test's temporary folder.
FOLDER = "SCREENSHOTS"
OVERFLOW = """() => {
    const scrolls = document.querySelectorAll(":has(> #result_list), .scroll");
    return Math.max(...[document.documentElement, ...scrolls].map(
        each => each.scrollWidth - each.clientWidth));
}"""
# Unfold asks for the system's scheme only when a page loads.
SWITCH = "name => window.Alpine?.$data(document.documentElement).switchTheme(name)"
SETTLED = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


@dataclass
class Viewer:
    """Somebody who is logged in to the admin, and looks at its pages."""

    page: Any
    root: str
    folder: Path
    user: Any
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self):
        self.folder = Path(os.environ.get(FOLDER) or self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.complaints.append(f"raises {error}"))

    def open(self, path):
        """Go to a path of the site, such as ``/admin/``."""
        self.page.goto(self.root + path)

    def inspect(self, name, part="body"):
        """Photograph the page wide and narrow, light and dark, and assert that all can use it.

        No errors in the console, nothing wider than the screen, no list or table that scrolls
        sideways, and no serious finding of axe-core. ``part`` is a CSS selector of what axe looks
        at, where the rest is not ours.
        """
        found = []
        for scheme, (size, width) in product(SCHEMES, WIDTHS.items()):
            shot = f"{name}-{size}-{scheme}"
            self._turn(scheme, width)
            self.page.screenshot(path=self.folder / f"{shot}.png", full_page=True)
            if over := self.page.evaluate(OVERFLOW):
                found.append(f"{shot} is {over} pixels too wide")
            if (size, scheme) in EXAMINED:
                found += [f"{shot}: {each}" for each in self.findings(part)]
        self._turn("light", WIDTHS["wide"])
        found += self.complaints
        assert not found, "\n".join(found)

    def findings(self, part="body"):
        """Return the serious findings of axe-core in a part of the page, each as a line."""
        found = Axe().run(self.page, context=part).response["violations"]
        return [
            f"{each['id']}: {node['html']} {_reasons(node)}"
            for each in found
            if each["impact"] in SERIOUS
            for node in each["nodes"]
        ]

    def _turn(self, scheme, width):
        self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        self.page.evaluate(SWITCH, scheme)
        self.page.set_viewport_size({"width": width, "height": HEIGHT})
        self.page.evaluate(SETTLED)

    def _note(self, message):
        if message.type in {"error", "warning"}:
            self.complaints.append(f"{self.page.url} says {message.text}")


def _reasons(node):
    return " ".join(each["message"] for each in (*node["any"], *node["all"]))


def log_in(page, root, user):
    """Log a user in to the admin without its form."""
    client = Client()
    client.force_login(user)
    value = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": value, "url": root}])
