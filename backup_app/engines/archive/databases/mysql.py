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
        (r"error:? \(?(1045|1698)\b", EngineError, "{server} does not let {login} in."),
        (r"error:? \(?(2002|2003|2005)\b", EngineUnreachable, "{server} cannot be reached."),
    )

    def dump_words(self, name):
        # Comments have the line that says that the dump is complete.
        options = (
            "--single-transaction --quick --routines --triggers --events --hex-blob --comments"
            " --no-tablespaces --default-character-set=utf8mb4"
        )
        return [*self._login(), *options.split(), "--", name]

    def load_words(self, name):
        # Whoever made the dump says what is in it. In binary mode the client obeys no commands of
        # its own, and without local files it sends none of this machine's to the server.
        options = "--batch --binary-mode --local-infile=0 --default-character-set=utf8mb4"
        return [*self._login(), *options.split(), f"--database={name}"]

    def probe_words(self, name):
        options = ["--batch", "--local-infile=0", "--connect-timeout=10", "--execute=SELECT 1"]
        return [*self._login(), *options, f"--database={name}"]

    def is_complete(self, end):
        return end.rstrip().rpartition(b"\n")[2].startswith(b"-- Dump completed")

    def _login(self):
        if not self.file:
            return []
        host = self.remote_host(HOST)
        return [f"--defaults-file={self.file}", *([f"--host={host}"] if host else [])]
