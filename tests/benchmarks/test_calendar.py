"""The benchmark of the calendar, in the shortest run that there is."""

import json
import subprocess
import sys

from benchmarks.calendar import client

TINY = "--events 20 --rounds 2 --seconds 0.01 --files 0 --names 200".split()


def test_the_floor_answers_with_the_same_bytes_and_results_are_written(tmp_path):
    command = [sys.executable, "-m", "benchmarks.calendar", *TINY, "--output", str(tmp_path)]

    # It ends with an error where the bytes differ.
    done = subprocess.run(command, capture_output=True, text=True)  # noqa: S603

    assert done.returncode == 0, done.stdout + done.stderr
    results = json.loads((tmp_path / "results.json").read_text())
    table = done.stdout.partition("\n\n")[0]
    assert len(table.splitlines()) == 2 + len(results["calendar"]["SQLite"])
    assert table in (tmp_path / "README.md").read_text()
    assert (tmp_path / "ratios.svg").read_text().startswith("<svg")
    assert (tmp_path / "filters-SQLite.svg").read_text().startswith("<svg")


def test_a_request_has_its_body_and_length():
    sent = client.request("/a", {"b": "c d"}, method="POST", body={"e": 1}, login=("f", "g"))

    assert sent == (
        b"POST /a?b=c+d HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        b'Content-Length: 7\r\nAuthorization: Basic Zjpn\r\n\r\n{"e":1}'
    )
