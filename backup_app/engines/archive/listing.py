"""What there is on a client: GNU ``find`` lists it, a backup's workspace takes it in."""

import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator

from ...exceptions import EngineError
from .machines import Machine
from .process import Process
from .records import FORMAT, records
from .workspace import Dir, Workspace

# A path that Linux takes is no longer, so it is no deeper either: nobody can read what is. Find can
# list it, with a path of megabytes for each of thousands of folders.
MAX_PATH = 4095
DEPTH = ["-maxdepth", str((MAX_PATH + 1) // 2)]
ODD_NAMES = {b"", b".", b".."}
NAMED = 100  # of what is left out, in the log
KINDS = {"f": "f", "d": "d", "l": "l", "p": "p", "b": "b", "c": "b"}
# In quotation marks, of the two kinds that locales have.
COMPLAINT = re.compile(r"^find: (?:\u2018(.*)\u2019|'(.*)'): [^:]+$")
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


class Listing:
    """Lists the paths of a fileset into a workspace.

    Afterwards ``unread`` holds the folders that could not be listed, b"/" if one is not known by
    name: what an earlier backup has below them is not gone.
    """

    def __init__(
        self,
        machine: Machine,
        workspace: Workspace,
        *,
        complain: Callable[[str], None],
        tick: Callable[[], None],
    ):
        self.unread: list[bytes] = []
        self._machine = machine
        self._workspace = workspace
        self._complain = complain
        self._tick = tick
        self._ancestors: dict[bytes, Dir] = {}
        self._too_long = 0

    def run(
        self,
        includes: Iterable[bytes],
        *,
        excludes: Iterable[str] = (),
        left_out: Iterable[bytes] = (),
        one_filesystem: bool = False,
    ) -> None:
        """List absolute paths with all that is below them, and the folders above them.

        ``excludes`` are patterns of a fileset, ``left_out`` plain paths. Raises EngineError for a
        path through a symlink, or when none of the paths is there.
        """
        includes = sorted(set(includes))
        self._list_ancestors(includes)
        pruned = [*patterns(excludes), *plain_patterns(left_out)]
        options = ["-xdev"] if one_filesystem else []
        found = False
        for path in includes:
            nested = [other for other in includes if other != path and is_below(other, path)]
            tests = disjunction([*pruned, *plain_patterns(nested)])
            argv = [path, *DEPTH, "-ignore_readdir_race", *options, *tests, "!", "-type", "s"]
            found |= self._list(argv, path)
        if self._too_long > NAMED:
            self._complain(f"{self._too_long - NAMED} more paths are too long and are left out.")
        if includes and not found:
            raise EngineError(
                f"Of the fileset's paths none is there: {', '.join(map(os.fsdecode, includes))}."
            )
        self._workspace.complete(self._tick)

    def _list_ancestors(self, includes: list[bytes]) -> None:
        argv = ["find", *ancestors(includes), "-maxdepth", "0", "-printf", FORMAT]
        with self._machine.start(argv, tick=self._tick) as process:
            for letter, _, _, mtime, ctime, inode, path in records(process):
                parent = self._parent(path, b"/")
                if letter != "d":
                    raise EngineError(
                        f"The fileset leads through '{os.fsdecode(path)}', which is no folder;"
                        " enter the path that it leads to."
                    )
                name = path.rpartition(b"/")[2]
                chosen = any(path == each or is_below(path, each) for each in includes)
                self._ancestors[path] = self._workspace.add_dir(
                    parent, name, path, mtime, ctime, inode, chosen=chosen
                )
            process.close()
        # A path that is missing is complained of when it is listed itself.

    def _list(self, argv: list, top: bytes) -> bool:
        """Run find; return whether it listed anything."""
        with self._machine.start(["find", *argv, "-printf", FORMAT], tick=self._tick) as process:
            found = self._take_in(process, top)
            code = process.close()
            self._report(process.take_lines(), code, os.fsdecode(top))
        return found

    def _take_in(self, process: Process, top: bytes) -> bool:
        found, chain, add = False, [], self._workspace.add
        for letter, links, size, mtime, ctime, inode, path in records(process):
            found = True
            if len(path) > MAX_PATH:
                self._leave_out(path)
            if letter not in KINDS or len(path) > MAX_PATH:
                continue  # a door, or what has vanished
            place, _, name = path.rpartition(b"/")
            while chain and chain[-1].path != place:
                chain.pop()
            if not chain and path in self._ancestors:
                continue
            # Of what lies in a folder that was listed only the name can be wrong.
            plain = chain and name not in ODD_NAMES
            parent = chain[-1] if plain else self._parent(path, top)
            if letter == "d":
                chain.append(self._workspace.add_dir(parent, name, path, mtime, ctime, inode))
            else:
                kind, size = KINDS[letter], size if letter == "f" else 0
                add(parent, name, kind, size, mtime, ctime, inode, linked=links != "1")
        return found

    def _leave_out(self, path: bytes) -> None:
        self._too_long += 1
        if self._too_long <= NAMED:
            shown = path[:200].decode(errors="replace")
            self._complain(f"'{shown}…' is left out: its path has more than {MAX_PATH} bytes.")

    def _parent(self, path: bytes, top: bytes) -> Dir | None:
        """Return the folder above those that are listed; None for the root."""
        require_plain(path, top)
        if path == b"/":
            return None
        try:
            return self._ancestors[path.rpartition(b"/")[0] or b"/"]
        except KeyError as e:
            raise EngineError(f"find listed '{os.fsdecode(path)}' before its folder.") from e

    def _report(self, lines: list[str], code: int, name: str) -> None:
        for line in lines:
            self._complain(line)
            self.unread.append(complained_of(line) or b"/")
        if code and not lines:
            self._complain(f"find failed ({code}) for '{name}'.")
            self.unread.append(b"/")


def require_plain(path: bytes, top: bytes) -> None:
    """Raise EngineError for a path that find does not print when it lists ``top``."""
    odd = path != b"/" and not ODD_NAMES.isdisjoint(path[1:].split(b"/"))
    if odd or not (path == top or is_below(path, top)):
        raise EngineError(
            f"find listed '{path.decode(errors='replace')}' in '{top.decode(errors='replace')}'."
        )


def include_path(path: str) -> bytes:
    """Return a fileset's path as bytes in its plainest form; raises EngineError."""
    plain = posixpath.normpath(path).replace("//", "/")
    if not path.startswith("/") or ".." in path.split("/") or "\0" in path:
        raise EngineError(f"The fileset's path '{path}' is not an absolute path.")
    return os.fsencode(plain)


def ancestors(paths: Iterable[bytes]) -> list[bytes]:
    """Return the folders above absolute paths, and always the root, parents first."""
    found = {b"/"}
    for path in paths:
        parts = path.split(b"/")
        found.update(b"/".join(parts[:n]) for n in range(2, len(parts)))
    return sorted(found)


def is_below(path: bytes, folder: bytes) -> bool:
    return path.startswith(folder.rstrip(b"/") + b"/")


def patterns(excludes: Iterable[str]) -> Iterator[list[str | bytes]]:
    """Yield find's tests for patterns: of names, of whole paths, or of their last parts."""
    for pattern in excludes:
        pattern = pattern.rstrip("/")
        if pattern.startswith("/"):
            yield ["-path", os.fsencode(pattern)]
        elif "/" in pattern:
            yield ["-path", os.fsencode(f"*/{pattern}")]
        elif pattern:
            yield ["-name", os.fsencode(pattern)]


def plain_patterns(paths: Iterable[bytes]) -> Iterator[list[str | bytes]]:
    """Yield find's tests for paths in which nothing is a wildcard."""
    for path in paths:
        yield ["-path", re.sub(rb"([\\*?\[])", rb"\\\1", path)]


def disjunction(tests: list[list[str | bytes]]) -> list[str | bytes]:
    """Return arguments of find that leave out what any of the tests fits, with all below it."""
    if not tests:
        return []
    joined = [word for test in tests for word in ("-o", *test)][1:]
    return ["(", *joined, ")", "-prune", "-o"]


def complained_of(line: str) -> bytes | None:
    """Return the path that a line of find's complaints is about."""
    match = COMPLAINT.match(line)
    return unescape((match[1] or match[2] or "").encode()) if match else None


def unescape(text: bytes) -> bytes:
    """Return a name as it is, from how the GNU programs write it in a message."""

    def letter(match):
        code = match[1]
        return bytes([int(code, 8) & 255]) if len(code) == 3 else LETTERS.get(code, code)

    return ESCAPE.sub(letter, text)
