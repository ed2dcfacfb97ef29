"""A service with a streaming replica, which lags, breaks and is promoted."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
import urllib3

from tests.support.waiting import wait_for

from ..support.cluster import running_pair
from ..support.server import HTTP, get, serving, written

pytestmark = pytest.mark.xdist_group("replicas")
EVENTS = "calendar/events/v1/events"
DATES = {"start_date": "tomorrow 10am", "end_date": "tomorrow 6pm"}
IN_USE = "ok"
BREAK = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running_pair() as (primary, replica):
        urls = {"DATABASE_URL": primary.url, "DATABASE_REPLICA_URLS": replica.url}
        with serving(tmp_path_factory.mktemp("data"), **urls) as service:
            service.primary, service.replica, service.login = primary, replica, login(service)
            wait_for(lambda: usage(service) == IN_USE)
            yield service


def login(service):
    lines = (service.folder / "demo.env").read_text().splitlines()
    values = dict(line.split("=", 1) for line in lines)
    return urllib3.make_headers(basic_auth=f"{values['DEMO_EMAIL']}:{values['DEMO_PASSWORD']}")


def usage(site):
    """Return what the service says of its replica, while it says that it is ready."""
    answer = get(site, "readyz")
    assert answer.status == 200
    return answer.json()["replicas"]["replica1"]


def write(site, method="POST", path=EVENTS, **fields):
    url = site.root + path
    answer = HTTP.request(method, url, json=fields, headers=site.login, redirect=False)
    assert answer.status in {200, 201}
    return answer


def titles(site, query, **headers):
    answer = get(site, f"{EVENTS}?{query}", **headers)
    assert answer.status == 200
    return [event["title"] for event in answer.json()["events"]]


@contextmanager
def lagging(site):
    """Let the replica fall behind until the block ends."""
    wait_for(lambda: usage(site) == IN_USE)
    site.replica.query("SELECT pg_wal_replay_pause()")
    state = "SELECT pg_get_wal_replay_pause_state()"
    wait_for(lambda: site.replica.query(state) == [("paused",)])
    try:
        yield
    finally:
        site.replica.query("SELECT pg_wal_replay_resume()")
        wait_for(lambda: usage(site) == IN_USE)


def test_who_has_just_written_reads_the_primary_and_others_a_replica(site):
    with lagging(site):
        made = write(site, title="Zzfresh", **DATES)

        others = titles(site, "search=zzfresh")
        revision = {"X-Calendar-Revision": made.headers["X-Calendar-Revision"]}
        cookie = {"Cookie": made.headers["Set-Cookie"].partition(";")[0]}
        etag = get(site, f"{EVENTS}?search=zzfresh", **revision).headers["ETag"]
        own = [titles(site, "search=zzfresh", **each) for each in (revision, cookie, site.login)]
        again = get(site, f"{EVENTS}?search=zzfresh", **{"If-None-Match": etag})

    assert others == []
    assert own == [["Zzfresh"]] * 3
    assert again.status == 304
    assert titles(site, "search=zzfresh") == ["Zzfresh"]


def test_only_a_write_tells_its_revision_and_only_for_a_while(site):
    made = write(site, title="Told", **DATES)

    stamp = made.headers["X-Calendar-Revision"]
    assert made.headers["Set-Cookie"].partition("; expires")[0] == f"calendar_revision={stamp}"
    assert (
        made.headers["Set-Cookie"].partition("; HttpOnly; ")[2]
        == "Max-Age=60; Path=/; SameSite=Lax"
    )
    assert not {"X-Calendar-Revision", "Set-Cookie"} & set(get(site, EVENTS).headers)


def test_what_a_replica_had_before_is_not_kept_as_what_it_has_later(site):
    made = write(site, title="Zzdraft of Zzconcert", **DATES)
    with lagging(site):
        path = f"{EVENTS}/{made.json()['id']}"
        changed = write(site, "PATCH", path, title="Zzconcert")
        revision = {"X-Calendar-Revision": changed.headers["X-Calendar-Revision"]}

        titles(site, "search=zzconcert&per_page=2")
        after = [titles(site, f"search=zzconcert&per_page={n}", **revision) for n in (2, 3)]
        titles(site, "search=zzconcert&per_page=4")

    assert after == [["Zzconcert"]] * 2
    assert [titles(site, f"search=zzconcert&per_page={n}") for n in (2, 3, 4)] == [
        ["Zzconcert"]
    ] * 3


def test_an_account_is_refused_as_soon_as_the_primary_says_so(site):
    is_active = "UPDATE auth_user SET is_active = {} WHERE email <> ''"
    with lagging(site):
        before = get(site, EVENTS, **site.login).status
        site.primary.query(is_active.format("false"))
        after = get(site, EVENTS, **site.login).status
        site.primary.query(is_active.format("true"))

    assert (before, after) == (200, 401)


def test_a_replica_that_lags_is_left_out_until_it_has_caught_up(site):
    with lagging(site):
        write(site, title="Zzlate", **DATES)
        assert titles(site, "search=zzlate&per_page=2") == []

        wait_for(lambda: usage(site) != IN_USE)

        assert usage(site) == "Left out: it is too far behind the primary."
        assert titles(site, "search=zzlate&per_page=2") == ["Zzlate"]

    assert titles(site, "search=zzlate&per_page=3") == ["Zzlate"]
    log = written(site.log)
    name = f"replica1 at 127.0.0.1:{site.replica.port}"
    assert f"The replica {name} is left out: it is too far behind the primary." in log
    assert log.rindex(f"The replica {name} is in use.") > log.rindex("is left out")


def test_a_request_whose_connection_breaks_is_answered_from_the_primary(site):
    wait_for(lambda: usage(site) == IN_USE)

    breaking = threading.Lock()  # or one would break the connection of another

    def ask(number):
        if number % 10 == 0:
            with breaking:
                site.replica.query(BREAK)
        return get(site, f"{EVENTS}?search=question{number}").status

    with ThreadPoolExecutor(4) as threads:
        statuses = list(threads.map(ask, range(200)))

    assert set(statuses) == {200}
    assert "is left out: it cannot be read." in written(site.log)
    wait_for(lambda: usage(site) == IN_USE)


def test_a_replica_that_is_down_is_left_out_until_it_is_back(site):
    site.replica.stop()
    try:
        statuses = [get(site, f"{EVENTS}?search=down{number}").status for number in range(20)]
        wait_for(lambda: usage(site) == "Left out: it cannot be read.")
    finally:
        site.replica.start()

    assert set(statuses) == {200}
    wait_for(lambda: usage(site) == IN_USE)


# The last one, since nothing turns it into a replica again.
def test_a_replica_that_was_promoted_is_left_out(site):
    site.replica.query("SELECT pg_promote()")

    wait_for(lambda: usage(site) == "Left out: it accepts writes, and so is no replica.")

    write(site, title="Zzalone", **DATES)
    assert titles(site, "search=zzalone") == ["Zzalone"]
