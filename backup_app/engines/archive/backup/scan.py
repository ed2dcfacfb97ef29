"""Scanning a client: GNU ``find`` lists its files into a backup's workspace."""

import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase

from ....exceptions import EngineError
from ....lib import paths
from ....lib.paths import ROOT, is_in, shown
from ...values import Tick
from ..transport.machines import Machine
from ..transport.process import Argv, Process
from ..transport.shell import CANNOT_ENTER, run_in
from .find_output import FORMAT, records
from .workspace import Dir, Workspace

# Linux accepts no longer path (PATH_MAX). Relative steps can create deeper folders, though, and
# find would list thousands of them, each with a path of megabytes.
MAX_PATH = 4095
DEPTH = ["-maxdepth", str((MAX_PATH + 1) // 2)]
ODD_NAMES = {b"", b".", b".."}
NAMED = 100  # paths logged per reason to leave them out
KINDS = {"f": "f", "d": "d", "l": "l", "p": "p", "b": "b", "c": "b"}
SOCKET = "s"
# The quotation marks depend on the locale.
COMPLAINT = re.compile(r"^(find: (?:\u2018|'))(.*)((?:\u2019|'): [^:]+)$")
ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
LETTERS = {
    b"n": b"\n",
    b"t": b"\t",
    b"r": b"\r",
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"v": b"\v",
}


class Scan:
    """Lists the paths of a fileset into a workspace.

    Afterwards ``unread`` holds the folders that could not be listed, b"/" if a path is unknown:
    what an earlier backup has below them does not count as gone.
    """

    def __init__(
        self,
        machine: Machine,
        workspace: Workspace,
        *,
        complain: Callable[[str], None],
        warn: Callable[[str], None],
        tick: Tick,
    ):
        """``complain`` logs errors, ``warn`` what is never backed up, such as sockets."""
        self.unread: list[bytes] = []
        self._machine = machine
        self._workspace = workspace
        self._complain = complain
        self._tick = tick
        self._ancestors: dict[bytes, Dir] = {}
        self._refusals: list[str] = []
        self._too_long = SkippedPaths(
            complain, f"is left out: its path has more than {MAX_PATH} bytes"
        )
        self._sockets = SkippedPaths(warn, "is a socket and is left out")

    def run(
        self,
        includes: Iterable[bytes],
        *,
        excludes: Iterable[str] = (),
        left_out: Iterable[bytes] = (),
        one_filesystem: bool = False,
    ) -> None:
        """List absolute paths with all that is below them, and the folders above them.

        ``excludes`` are patterns of a fileset, ``left_out`` plain paths. Complains of a path
        through a symlink. Raises EngineError when none of the paths is there.
        """
        includes = sorted(set(includes))
        self._list_ancestors(includes)
        options = ["-ignore_readdir_race", *(["-xdev"] if one_filesystem else [])]
        found = False
        for path in includes:
            nested = [other for other in includes if other != path and is_in(other, path)]
            base = base_of(path)
            plain = plain_patterns([*left_out, *nested], base)
            tests = disjunction([*patterns(excludes, base), *plain])
            found |= self._list([*DEPTH, *options, *tests], path, base)
        self._too_long.finish()
        self._sockets.finish()
        if includes and not found:
            missing = f"None of the fileset's paths exists: {', '.join(map(shown, includes))}."
            raise EngineError(" ".join(self._refusals) or missing)
        self._workspace.complete(self._tick)

    def _list_ancestors(self, includes: list[bytes]) -> None:
        argv: Argv = ["find", *ancestors(includes), "-maxdepth", "0", "-printf", FORMAT]
        with self._machine.start(argv, tick=self._tick) as process:
            for letter, _, _, mtime, ctime, inode, owner, path in records(process):
                require_plain(path, ROOT)
                folder, name = paths.split(path)
                parent = None if path == ROOT else self._ancestors.get(folder)
                if letter != "d":
                    self._refusals.append(
                        f"The fileset's path leads through '{shown(path)}', which is not a folder;"
                        " enter the path that it leads to."
                    )
                elif parent or path == ROOT:
                    chosen = any(is_in(path, each) for each in includes)
                    self._ancestors[path] = self._workspace.add_dir(
                        parent, name, path, (mtime, ctime, inode, owner), chosen=chosen
                    )
            process.close()
        # Missing folders are reported when the paths below them are listed.

    def _list(self, tests: Sequence[str | bytes], top: bytes, base: bytes) -> bool:
        """Run find in ``base``, the folder above ``top``; return whether it found anything."""
        if (base or ROOT) not in self._ancestors:
            self._report_missing(top)
            return False
        start = b"." + top[len(base) :].rstrip(b"/")
        argv = run_in(base, "find", start, *tests, "-printf", FORMAT)
        with self._machine.start(argv, tick=self._tick) as process:
            found = self._take_in(process, top, base)
            code = process.close()
            self._report(process.take_lines(), code, top, base)
        return found

    def _take_in(self, process: Process, top: bytes, base: bytes) -> bool:
        found, add = False, self._workspace.add
        chain: list[Dir] = []  # the folders above the current one
        for letter, links, size, mtime, ctime, inode, owner, path in records(process):
            path = base + path[1:] or ROOT
            found = True
            if letter not in KINDS or len(path) > MAX_PATH:
                self._leave_out(letter, path)
                continue
            place, _, name = path.rpartition(b"/")
            while chain and chain[-1].path != place:
                chain.pop()
            if not chain and path in self._ancestors:
                continue
            # In a folder that was listed before, only the name can be invalid.
            plain = chain and name not in ODD_NAMES
            parent = chain[-1] if plain else self._parent(path, top)
            stat = mtime, ctime, inode, owner
            if letter == "d":
                chain.append(self._workspace.add_dir(parent, name, path, stat))
            else:
                size = size if letter == "f" else 0
                add(parent, name, KINDS[letter], size, stat, linked=links != "1")
        return found

    def _leave_out(self, letter: str, path: bytes) -> None:
        """Report what is left out, except doors (Solaris) and files that have vanished."""
        if len(path) > MAX_PATH:
            self._too_long(path)
        elif letter == SOCKET:
            self._sockets(path)

    def _parent(self, path: bytes, top: bytes) -> Dir:
        """Return the folder above those that are listed."""
        require_plain(path, top)
        try:
            return self._ancestors[path.rpartition(b"/")[0] or b"/"]
        except KeyError as e:
            raise EngineError(f"find listed '{os.fsdecode(path)}' before its folder.") from e

    def _report_missing(self, top: bytes) -> None:
        self._complain(
            f"'{shown(top)}' cannot be listed: a folder above it is missing or a symlink."
        )
        self.unread.append(top)

    def _report(self, lines: list[str], code: int, top: bytes, base: bytes) -> None:
        for line in lines:
            match, path = COMPLAINT.match(line), complained_of(line)
            self._complain(f"{match[1]}{shown(base)}{match[2][1:]}{match[3]}" if match else line)
            self.unread.append((base + path[1:] if path else b"") or ROOT)
        if code == CANNOT_ENTER and not lines:
            self._report_missing(top)
        elif code and not lines:
            self._complain(f"find failed ({code}) for '{shown(top)}'.")
            self.unread.append(ROOT)


class SkippedPaths:
    """Logs the first paths that are left out for one reason, and counts the rest."""

    def __init__(self, say: Callable[[str], None], reason: str):
        self._say, self._reason, self._count = say, reason, 0

    def __call__(self, path: bytes) -> None:
        self._count += 1
        if self._count <= NAMED:
            shortened = f"{shown(path[:200])}…" if len(path) > MAX_PATH else shown(path)
            self._say(f"'{shortened}' {self._reason}.")

    def finish(self) -> None:
        """Log how many were not named."""
        if self._count > NAMED:
            self._say(f"{self._count - NAMED} more: each {self._reason}.")


def require_plain(path: bytes, top: bytes) -> None:
    """Raise EngineError for a path that find cannot have printed when it lists ``top``."""
    odd = path != b"/" and not ODD_NAMES.isdisjoint(path[1:].split(b"/"))
    if odd or not is_in(path, top):
        raise EngineError(
            f"find listed '{path.decode(errors='replace')}' in '{top.decode(errors='replace')}'."
        )


def include_path(path: str) -> bytes:
    """Return a fileset's path as normalized bytes; raises EngineError."""
    plain = posixpath.normpath(path).replace("//", "/")
    if not path.startswith("/") or ".." in path.split("/") or "\0" in path:
        raise EngineError(f"The fileset's path '{path}' is not an absolute path.")
    return os.fsencode(plain)


def ancestors(each: Iterable[bytes]) -> list[bytes]:
    """Return the folders above absolute paths, and always the root, parents first."""
    return sorted({ROOT}.union(*map(paths.ancestors, each)))


def base_of(top: bytes) -> bytes:
    """Return the folder that a path is in, b"" for the root."""
    return top.rpartition(b"/")[0]


def patterns(excludes: Iterable[str], base: bytes) -> Iterator[list[str | bytes]]:
    """Yield find's tests for patterns: of names, of whole paths, or of their last parts.

    Find runs in the folder ``base``, and sees paths that begin there with ".".
    """
    for pattern in excludes:
        pattern = pattern.rstrip("/")
        whole = pattern if pattern.startswith("/") else f"*/{pattern}"
        if "/" in pattern:
            for rest in remainders(whole, base):
                yield ["-path", os.fsencode(rest)]
        else:
            yield ["-name", os.fsencode(pattern)]


def remainders(pattern: str, base: bytes) -> Iterator[str]:
    """Yield patterns that match "." and what comes after ``base`` where ``pattern`` matches all."""
    folder = os.fsdecode(base)
    for match in re.finditer(r"\\.|[/*]", pattern, re.DOTALL):
        if match[0] in "/*":
            # A star may match a longer part of the path.
            head = pattern[: match.end() if match[0] == "*" else match.start()]
            if fnmatchcase(folder, re.sub(r"\\(.)", r"[\1]", head, flags=re.DOTALL)):
                yield "." + pattern[match.start() :]


def plain_patterns(paths: Iterable[bytes], base: bytes) -> Iterator[list[str | bytes]]:
    """Yield find's tests for paths in which nothing is a wildcard; see ``patterns``."""
    for path in paths:
        if path != base and is_in(path, base):
            yield ["-path", re.sub(rb"([\\*?\[])", rb"\\\1", b"." + path[len(base) :])]


def disjunction(tests: list[list[str | bytes]]) -> list[str | bytes]:
    """Return arguments of find that exclude what matches any of the tests, with all below it."""
    if not tests:
        return []
    joined = [word for test in tests for word in ("-o", *test)][1:]
    return ["(", *joined, ")", "-prune", "-o"]


def complained_of(line: str) -> bytes | None:
    """Return the path that a line of find's error output is about."""
    match = COMPLAINT.match(line)
    return unescape(match[2].encode()) if match else None


def unescape(text: bytes) -> bytes:
    """Return a name from its quoted form in a message of a GNU program."""

    def letter(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return bytes([int(code, 8) & 255]) if len(code) == 3 else LETTERS.get(code, code)

    return ESCAPE.sub(letter, text)
