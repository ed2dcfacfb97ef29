"""What there is on a client: GNU ``find`` lists it, a backup's workspace takes it in."""

import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator

from ...exceptions import EngineError
from .machines import Machine
from .process import Process
from .tarstream import MAX_NUMBER, within
from .workspace import Dir, Workspace

# Kind, links, size, mtime, ctime, inode, path; a path can hold anything but NUL.
FORMAT = "%y %n %s %T@ %C@ %i %p\\0"
# A path that Linux takes is no longer, so it is no deeper either: nobody can read what is. Find can
# list it, with a path of megabytes for each of thousands of folders.
MAX_PATH = 4095
DEPTH = ["-maxdepth", str((MAX_PATH + 1) // 2)]
MAX_RECORD = 1024 * 1024
ODD_NAMES = {b"", b".", b".."}
NAMED = 100  # of what is left out, in the log
KINDS = {b"f": "f", b"d": "d", b"l": "l", b"p": "p", b"b": "b", b"c": "b"}
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
        self._chain: list[Dir] = []
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
        self._workspace.compare()
        self._workspace.complete_links()

    def _list_ancestors(self, includes: list[bytes]) -> None:
        argv = ["find", *ancestors(includes), "-maxdepth", "0", "-printf", FORMAT]
        with self._machine.start(argv, tick=self._tick) as process:
            for kind, _, values, path in records(process):
                require_plain(path, b"/")
                if kind != "d":
                    raise EngineError(
                        f"The fileset leads through '{os.fsdecode(path)}', which is no folder;"
                        " enter the path that it leads to."
                    )
                chosen = any(path == each or is_below(path, each) for each in includes)
                added = self._add_dir(self._parent(path), path, values, always=chosen)
                self._ancestors[path] = added
            process.close()
        # A path that is missing is complained of when it is listed itself.

    def _list(self, argv: list, top: bytes) -> bool:
        """Run find; return whether it listed anything."""
        self._chain, found = [], False
        with self._machine.start(["find", *argv, "-printf", FORMAT], tick=self._tick) as process:
            for kind, linked, values, path in records(process):
                found = True
                if len(path) > MAX_PATH:
                    self._leave_out(path)
                elif path not in self._ancestors:
                    require_plain(path, top)
                    self._add(kind, linked, values, path)
            code = process.close()
            self._report(process.take_lines(), code, os.fsdecode(top))
        return found

    def _add(self, kind: str, linked: bool, values: tuple, path: bytes) -> None:
        if kind == "d":
            self._chain.append(self._add_dir(self._parent(path), path, values))
        else:
            folder, name = self._parent(path), path.rpartition(b"/")[2]
            self._workspace.add(folder, name, values, None, linked=linked)

    def _leave_out(self, path: bytes) -> None:
        self._too_long += 1
        if self._too_long <= NAMED:
            shown = path[:200].decode(errors="replace")
            self._complain(f"'{shown}…' is left out: its path has more than {MAX_PATH} bytes.")

    def _add_dir(
        self, parent: Dir | None, path: bytes, values: tuple, *, always: bool = True
    ) -> Dir:
        name = path.rpartition(b"/")[2]
        added = self._workspace.add_dir(parent, name, path)
        folder = parent or added
        if always or added.folder is None:
            self._workspace.add(folder, name, values, added.no)
        else:
            # Outside of the fileset: there so that what is in it can be reached.
            self._workspace.keep(folder.folder, name)
        return added

    def _parent(self, path: bytes) -> Dir | None:
        if path == b"/":
            return None
        parent = path.rpartition(b"/")[0] or b"/"
        while self._chain:
            if self._chain[-1].path == parent:
                return self._chain[-1]
            self._chain.pop()
        try:
            return self._ancestors[parent]
        except KeyError as e:
            raise EngineError(f"find listed '{os.fsdecode(path)}' before its folder.") from e

    def _report(self, lines: list[str], code: int, name: str) -> None:
        for line in lines:
            self._complain(line)
            self.unread.append(complained_of(line) or b"/")
        if code and not lines:
            self._complain(f"find failed ({code}) for '{name}'.")
            self.unread.append(b"/")


def records(process: Process) -> Iterator[tuple[str, bool, tuple, bytes]]:
    """Yield (kind, whether it has other names, values, path) of what find prints.

    The values are (kind, size, mtime, ctime, inode). Raises EngineError for what no find prints.
    """
    rest = b""
    while block := process.read():
        *lines, rest = (rest + block).split(b"\0")
        for line in lines:
            if found := record(line):
                yield found
        if len(rest) > MAX_RECORD:
            raise EngineError(f"find printed {len(rest)} bytes without an end: {rest[:100]!r}…")


def record(line: bytes) -> tuple[str, bool, tuple, bytes] | None:
    """Return what a line of find says; None for a door, or what has vanished."""
    try:
        letter, links, size, mtime, ctime, inode, path = line.split(b" ", 6)
        if (kind := KINDS.get(letter)) is None:
            return None
        values = kind, int(size), timestamp(mtime), timestamp(ctime), signed(int(inode))
    except ValueError as e:
        raise EngineError(f"find printed what it never does: {line[:100]!r}.") from e
    if not 0 <= values[1] <= MAX_NUMBER or abs(values[4]) > MAX_NUMBER + 1:
        raise EngineError(f"find printed what no file has: {line[:100]!r}.")
    return kind, links != b"1", values, path


def require_plain(path: bytes, top: bytes) -> None:
    """Raise EngineError for a path that find does not print when it lists ``top``."""
    odd = path != b"/" and not ODD_NAMES.isdisjoint(path[1:].split(b"/"))
    if odd or not (path == top or is_below(path, top)):
        raise EngineError(
            f"find listed '{path.decode(errors='replace')}' in '{top.decode(errors='replace')}'."
        )


def timestamp(text: bytes) -> int:
    """Return find's seconds, with ten digits after the point, as nanoseconds."""
    if text.startswith(b"-"):
        # Of times before 1970 find prints the whole seconds down, and what comes on top of them.
        return within(int(text[:-11]) * 1_000_000_000 + int(text[-10:-1]))
    return within(int(text[:-11] + text[-10:-1]))


def signed(number: int) -> int:
    """Return 64 bits as the signed number that a database can hold."""
    return number if number < 1 << 63 else number - (1 << 64)


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
