"""``process.py``: programs are fed, read and ended without waiting for long."""

import os
import subprocess
import time

import pytest

from backup_app.engines.archive.transport.process import MAX_LINES, Process
from backup_app.exceptions import Canceled, EngineError, EngineUnreachable


def shell(script, **options):
    return Process(["sh", "-c", script], **options)


def test_output_exit_code_and_stderr_are_returned():
    with shell("echo out; echo one >&2; echo two >&2; exit 3") as process:
        assert process.read_all(100) == b"out\n"
        assert process.close() == 3
        assert process.take_lines() == ["one", "two"]


def test_what_is_written_comes_back_through_cat():
    data = os.urandom(100_000)
    with shell("cat > /dev/null; echo done", stdin=subprocess.PIPE) as process:
        for _ in range(30):
            process.write(data)
        process.end_input()

        assert process.read_all(100) == b"done\n"
        assert process.close() == 0


def test_a_program_without_a_pipe_cannot_be_fed():
    with shell("true") as process, pytest.raises(ValueError, match="without a pipe to write to"):
        process.write(b"data")


def test_stderr_is_bounded_and_does_not_block():
    with shell(f"seq {MAX_LINES + 20} >&2; echo end") as process:
        assert process.read_all(100) == b"end\n"
        assert process.close() == 0
        lines = process.take_lines()

    assert len(lines) == MAX_LINES + 1
    assert lines[-1] == "sh: 20 more lines were left out."


def test_endless_stderr_does_not_prevent_canceling():
    ticks = iter(range(20))

    def cancel():
        if next(ticks, None) is None:
            raise Canceled

    with pytest.raises(Canceled), shell("exec yes >&2", tick=cancel) as process:
        process.close()


def test_tick_is_called_while_a_program_is_silent():
    ticks = []
    with shell("sleep 1.5; echo x", tick=lambda: ticks.append(time.monotonic())) as process:
        process.read()

    assert len(ticks) >= 2


def test_a_cancel_ends_the_program_and_its_children(tmp_path):
    def cancel():
        if (tmp_path / "pid").exists():
            raise Canceled

    with (
        pytest.raises(Canceled),
        shell(f"sleep 60 & echo $! > {tmp_path}/pid; wait", tick=cancel) as process,
    ):
        process.read()

    child = int((tmp_path / "pid").read_text())
    for _ in range(50):
        if not os.path.exists(f"/proc/{child}/exe"):  # noqa: PTH110
            break
        time.sleep(0.1)
    else:
        pytest.fail("The child still runs.")


def test_a_program_that_stops_reading_is_reported():
    with (
        shell("echo no more >&2; exit 1", stdin=subprocess.PIPE) as process,
        pytest.raises(EngineError, match=r"'sh' ended too early\. no more"),
    ):
        process.write(bytes(10_000_000))


def test_a_failure_includes_stderr():
    broken = r"^'sh' failed \(7\)\. it broke$"
    with shell("echo it broke >&2; exit 7") as process, pytest.raises(EngineError, match=broken):
        process.check()


def test_an_exit_code_255_can_mean_unreachable():
    with (
        shell("echo no route >&2; exit 255", unreachable="Client 'x' is away.") as process,
        pytest.raises(EngineUnreachable, match=r"^Client 'x' is away\. no route$"),
    ):
        process.close()


def test_a_missing_program_is_named():
    with pytest.raises(EngineError, match="The program 'no-such-program' is not installed"):
        Process(["no-such-program"])


def test_a_program_that_cannot_be_started_is_named(tmp_path):
    with pytest.raises(EngineError) as refusal:
        Process([tmp_path])

    assert refusal.value.message == f"'{tmp_path}' cannot be started: Permission denied."


def test_too_much_output_is_refused():
    with shell("yes") as process, pytest.raises(EngineError, match="printed more than 1000 bytes"):
        process.read_all(1000)


def test_an_error_message_includes_earlier_stderr():
    with shell("echo killed >&2; sleep 0.2; echo more") as process:
        process.read()
        assert process.take_lines() == ["killed"]
        process.close()

        assert process.complaint() == "killed"
