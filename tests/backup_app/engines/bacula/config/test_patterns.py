"""Patterns mean in Bacula what GNU find takes them for."""

import ctypes
import os
import random
import subprocess
from pathlib import Path

import pytest

from backup_app.engines.archive.backup import scan
from backup_app.engines.bacula.config.patterns import exactly, patterns
from backup_app.exceptions import EngineError
from tests.prerequisites import need_bacula

LIBRARY = "/usr/lib/bacula/libbac-9.6.7.so"
EXTENDED, NO_MATCHES = 1, 8
PATTERNS = [
    "*.tmp", "tmp", "tmp/", "a*", "*a*", "a*b", "?", "a?", "??b", "[ab]", "[!a]*", "[^a]*",
    "[a-c]x", "[]a]", "[!]a]", "[a-]", "[!a-]", "[", "[a", "a]", "[]", "\\*", "a\\*b", "\\a",
    "a\\", "**", ".*", "/r/a", "/r/*/b", "/r/a*", "/r/?", "/r/[ab]/b", "/*", "a/b", "*/b",
    "a/*", "a*/b", "r/a", "/r/a/", "a b", "a ", "/r/a ", "+", "a|b", "(a)", "a.b", "^a", "a$",
    "{a,b}", "ü", "*ü", "[üö]", "\\\\*",
]  # fmt: skip
NAMES = [
    "a", "b", "ab", "a.tmp", ".tmp", "tmp", "axb", "aüb", "ü", "c", "cx", "]", "-", "[", "[a",
    "a]", "[]", "*", "a*b", "a\\", "\\", "\\x", "a b", "a ", "+", "a|b", "(a)", "a.b", "^a",
    "a$", "{a,b}", ".a", "!", "^", "x.TMP", "a\nb", "ö",
]  # fmt: skip


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """Return a folder with many names, two folders deep."""
    root = tmp_path_factory.mktemp("tree") / "r"
    for name in NAMES:
        (root / name).mkdir(parents=True)
        for other in NAMES:
            (root / name / other).touch()
    return root


@pytest.fixture(scope="module")
def paths(tree):
    """Return all paths of the tree, as if it were right in the root."""
    return [f"/{path.relative_to(tree.parent)}" for path in tree.rglob("*")]


class Bacula:
    """What Bacula's library and the system's say about a path: they are what a file daemon asks."""

    def __init__(self):
        need_bacula(Path(LIBRARY).exists())
        self._library, self._system = ctypes.CDLL(LIBRARY), ctypes.CDLL(None)

    def leaves_out(self, pattern, path):
        if pattern.directive == "Wild":
            return self._library.fnmatch(pattern.text.encode(), path.encode(), 0) == 0
        compiled = ctypes.create_string_buffer(256)
        wrong = self._system.regcomp(compiled, pattern.text.encode(), EXTENDED | NO_MATCHES)
        assert not wrong, f"'{pattern.text}' is no regular expression."
        found = self._system.regexec(compiled, path.encode(), 0, None, 0)
        self._system.regfree(compiled)
        return found == 0


def found_by_find(pattern, tree):
    """Return the paths that the archive engine would leave out for a pattern."""
    base = str(tree.parent)
    at_root = pattern.replace("/", f"{base}/", 1) if pattern.startswith("/") else pattern
    found = set()
    for tests in scan.patterns([at_root], os.fsencode(base)):
        printed = subprocess.run(
            ["find", "./r", "-mindepth", "1", *tests, "-print0"],
            cwd=base,
            capture_output=True,
            check=True,
            env={"LC_ALL": "C.UTF-8"},
        ).stdout
        found |= {path.removeprefix(".") for path in printed.decode().split("\0")[:-1]}
    return found


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_leaves_out_what_it_does_in_an_archive(pattern, tree, paths):
    bacula, (made, *_) = Bacula(), [*patterns([pattern]), None]

    left_out = {path for path in paths if made and bacula.leaves_out(made, path)}

    assert left_out == found_by_find(pattern, tree)
    assert left_out == {path for path in paths if made and made.fits(path)}


def test_any_pattern_leaves_out_what_it_does_in_an_archive():
    """Of patterns of random characters, by the function that find asks."""
    bacula, system, picked = Bacula(), ctypes.CDLL(None), random.Random(7)  # noqa: S311
    wrong = []
    for _ in range(3000):
        text = "".join(picked.choices("ab*?[]!^-\\. ", k=picked.randint(1, 6)))
        path = f"/{''.join(picked.choices('ab[]!^-*?. /', k=picked.randint(1, 8)))}"
        try:
            made = list(patterns([text]))
        except EngineError:
            continue
        name = path.rpartition("/")[2]
        expected = system.fnmatch(text.encode(), name.encode(), 0) == 0
        if any(bacula.leaves_out(each, path) for each in made) != expected:
            wrong.append((text, path))
    assert wrong == []


@pytest.mark.parametrize("pattern", ["[[:alpha:]]", "[\\]]", "[z-a]", "[[]", "[.-0]"])
def test_a_pattern_that_bacula_cannot_be_told_is_refused(pattern):
    with pytest.raises(EngineError) as refusal:
        list(patterns([pattern]))

    assert refusal.value.message.startswith(
        f"The pattern '{pattern}' cannot be expressed in Bacula"
    )


def test_a_single_path_fits_nothing_else():
    made, bacula = exactly("/a*[b]\\?"), Bacula()

    assert bacula.leaves_out(made, "/a*[b]\\?")
    assert made.fits("/a*[b]\\?")
    assert not bacula.leaves_out(made, "/axb\\c")
    assert not bacula.leaves_out(made, "/a*[b]\\?/c")
