"""MySQL and MariaDB."""

from ....exceptions import EngineError, EngineUnreachable, WrongState
from .server import DatabaseServer

HOST = r"^\s*(host|socket)\s*="


class Mysql(DatabaseServer):
    """The credentials are an option file: ``[client]`` with user, password and perhaps host."""

    kind = "mysql"
    title = "MySQL"
    credentials = "mysql.cnf"
    dump_tools = "mariadb-dump mysqldump"
    load_tools = "mariadb mysql"
    refusals = (
        (r"error:? \(?(1049|1044)\b", WrongState, "{server} has no database '{name}'."),
        (r"error:? \(?(1045|1698)\b", EngineError, "{server} rejected {login}."),
        (r"error:? \(?(2002|2003|2005)\b", EngineUnreachable, "{server} cannot be reached."),
    )

    def dump_words(self, name: str) -> list[str]:
        # --comments writes the line at the end that shows that the dump is complete.
        options = (
            "--single-transaction --quick --routines --triggers --events --hex-blob --comments"
            " --no-tablespaces --default-character-set=utf8mb4"
        )
        return [*self._login(), *options.split(), "--", name]

    def load_words(self, name: str) -> list[str]:
        # The dump may be hostile. In binary mode the client ignores its own commands in it (such as
        # "system"), and without local-infile it sends no file of this machine to the server.
        options = "--batch --binary-mode --local-infile=0 --default-character-set=utf8mb4"
        return [*self._login(), *options.split(), f"--database={name}"]

    def probe_words(self, name: str) -> list[str]:
        options = ["--batch", "--local-infile=0", "--connect-timeout=10", "--execute=SELECT 1"]
        return [*self._login(), *options, f"--database={name}"]

    def is_complete(self, end: bytes) -> bool:
        return end.rstrip().rpartition(b"\n")[2].startswith(b"-- Dump completed")

    def _login(self) -> list[str]:
        if not self.file:
            return []
        host = self.remote_host(HOST)
        return [f"--defaults-file={self.file}", *([f"--host={host}"] if host else [])]
