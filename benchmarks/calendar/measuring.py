"""Runs the cases by turns, floor and ours beside each other."""

from contextlib import ExitStack
from dataclasses import dataclass

import orjson

from ..timing import Spread, times
from . import cases, servers
from .client import drive, etag, fetch, request

OWN = {"id", "slug", "date", "date_utc", "modified", "modified_utc", "author", "global_id"}
OWN |= {"global_id_lineage", "url", "rest_url", "website", "json_ld"}


@dataclass
class Turn:
    """What a case took in a round: seconds of the clock and of the processor, for one request."""

    clock: float
    processor: float


class Result:
    """The turns of a case on a database, of the floor and of ours."""

    def __init__(self, case):
        self.name, self.aim, self.floor, self.ours = case.name, case.aim, [], []

    def rate(self, turns) -> float:
        """Return requests a second: the median over the rounds."""
        return 1 / Spread.of([turn.clock for turn in turns]).middle

    def processor(self, turns) -> float:
        """Return the median milliseconds of the server's processor for a request."""
        return 1000 * Spread.of([turn.processor for turn in turns]).middle

    @property
    def ratio(self) -> Spread:
        """How many times as many requests a second ours answers as the floor did beside it."""
        return times([turn.clock for turn in self.floor], [turn.clock for turn in self.ours])


class Bench:
    """The servers of a store, while they run: the floor, ours, and ours when it keeps nothing."""

    def __init__(self, store, stack: ExitStack):
        self.store = store
        self.floor = stack.enter_context(servers.floor(store))
        self.ours = stack.enter_context(servers.service(store))
        self.bare = stack.enter_context(servers.service(store, CALENDAR_CACHE_SECONDS="0"))

    def reads(self) -> list[cases.Case]:
        found = cases.reads(self.store, self.ours.port)
        self._require_equal(found)
        return found

    def writes(self) -> list[cases.Case]:
        self._require_equal_writes()
        return cases.writes(self.store)

    def measure(self, found: list[cases.Case], rounds: int, seconds: float) -> list[Result]:
        """Return what each case took, ours right after the floor in each of the rounds."""
        results = [Result(case) for case in found]
        for case in found:  # warms up
            fetch(self.floor.port, case.floor(0))
            fetch(self._server(case).port, case.ours(0), case.status)
        for _ in range(rounds):
            for case, result in zip(found, results, strict=True):
                turn = seconds, case.connections
                result.floor.append(_turn(self.floor, case.floor, 200, *turn))
                result.ours.append(_turn(self._server(case), case.ours, case.status, *turn))
        return results

    def _server(self, case):
        return self.bare if case.bare else self.ours

    def _require_equal(self, found):
        """Stop unless the floor and the calendar give the same bytes, whatever is kept."""
        for case in found:
            if case.is_equal:
                asked = case.floor(0)
                for server in self.ours, self.bare:
                    etag(server.port, asked)  # its total is counted then
                ports = self.floor.port, self.ours.port, self.ours.port, self.bare.port
                if len({fetch(port, asked) for port in ports}) > 1:
                    raise SystemExit(f"{case.name}: the floor gives other bytes than the calendar.")

    def _require_equal_writes(self):
        """Stop unless the floor stores the same event and title as the calendar does."""
        login, stored = (cases.USER, self.store.password), []
        for server, status in [(self.floor, 200), (self.ours, 201)]:
            create = cases.new_event(f"Stored by {server.pid}")
            sent = request(cases.LIST, method="POST", body=create, login=login)
            path = f"{cases.LIST}/{orjson.loads(fetch(server.port, sent, status))['id']}"
            title = {"title": "Renamed"}
            fetch(server.port, request(path, method="PATCH", body=title, login=login))
            event = orjson.loads(fetch(self.bare.port, request(path)))
            stored.append({name: event[name] for name in event.keys() - OWN})
        for event in stored:  # the floor leaves the counts of terms to the readers
            for term in event["categories"] + event["tags"]:
                del term["count"]
        if stored[0] != stored[1]:
            raise SystemExit("The floor stores another event than the calendar.")


def _turn(server, make, status, seconds, connections) -> Turn:
    before = server.processor()
    answers, took = drive(server.port, make, seconds, connections=connections, status=status)
    return Turn(took / answers, (server.processor() - before) / answers)
