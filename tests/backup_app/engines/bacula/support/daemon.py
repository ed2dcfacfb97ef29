"""A daemon of a throwaway Bacula: started, stopped and killed as tests need it."""

import contextlib
import signal
import subprocess
import time
from pathlib import Path

SECONDS = 20  # until a daemon that does not start or stop is a fault
LISTEN = "0A"


class Daemon:
    """Runs ``program`` with a configuration file, and dies with the process that started it.

    ``within`` is a command that runs it elsewhere, such as ``ip netns exec name``.
    """

    def __init__(self, program, config: Path, port: int, within=()):
        self.program, self.config, self.port = program, config, port
        self.within = list(within)
        self.log = config.with_suffix(".out")
        self.process = None

    def start(self) -> None:
        """Start it and return when it listens."""
        # The signal is for when the tests are killed; it survives what is executed in between.
        command = [*self.within, "setpriv", "--pdeathsig", "KILL", self.program]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*command, "-f", "-P", "-c", str(self.config)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._wait(self._listens, "does not listen")

    def stop(self) -> None:
        """End it as its operator does, and wait until it has gone."""
        if self.is_running:
            self.process.terminate()
            self.process.wait(SECONDS)

    def kill(self) -> None:
        """End it at once, as a machine does that loses its power."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def restart(self) -> None:
        self.kill()
        self.start()

    @contextlib.contextmanager
    def stopped(self):
        """Let it hang until the block ends: it answers nothing, but its connections stay open."""
        self.process.send_signal(signal.SIGSTOP)
        self._wait(self._hangs, "does not stop")
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def _listens(self):
        # Not by a connection, which it would log as an attack.
        sockets = Path(f"/proc/{self.process.pid}/net/tcp").read_text().splitlines()[1:]
        fields = [line.split() for line in sockets]
        return any(each[1].endswith(f":{self.port:04X}") and each[3] == LISTEN for each in fields)

    def _hangs(self):
        threads = Path(f"/proc/{self.process.pid}/task").iterdir()
        # The state comes after the name, which is in brackets.
        states = [(each / "stat").read_text().rpartition(")")[2].split()[0] for each in threads]
        return set(states) == {"T"}

    def _wait(self, condition, fault):
        deadline = time.monotonic() + SECONDS
        while not condition():
            if not self.is_running or time.monotonic() > deadline:
                raise RuntimeError(f"{self.program} {fault}: {self.log.read_text()}")
            time.sleep(0.01)
