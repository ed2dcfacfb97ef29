import gzip
import time
import tracemalloc

import pytest

from calendar_app.lib.fetch import (
    Fetched,
    FetchError,
    PrivateAddressError,
    check_public,
    fetch,
    normalized,
)

from ..support.web_servers import CERTIFICATE, serving


@pytest.fixture
def other():
    with serving() as site:
        yield site


def get(url, *, max_bytes=1_000_000, seconds=5, trusted=None):
    """Fetch what an operator has named, unless trusted says otherwise."""
    trusted = url if trusted is None else trusted
    return fetch(url, max_bytes=max_bytes, seconds=seconds, trusted=trusted)


def refusal(url, **options):
    with pytest.raises(FetchError) as caught:
        get(url, **options)
    return caught.value


class TestAnswer:
    def test_holds_body_content_type_and_address(self, site):
        site.page("/a", b"hello", content_type="Text/Plain; charset=utf-8")

        assert get(site.url("/a")) == Fetched(b"hello", "text/plain", site.url("/a"))

    def test_query_is_sent_and_fragment_is_not(self, site):
        site.page("/a", b"hello")

        get(site.url("/a?b=c d&e=é#part"))

        assert site.seen[0][0] == "/a?b=c%20d&e=%C3%A9"

    def test_asks_without_cookies_and_credentials(self, site, monkeypatch):
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
        site.page("/a", b"hello", set_cookie="a=b")

        get(site.url("/a"))
        get(site.url("/a"))

        assert set(site.seen[1][1]) == {"Host", "Accept", "Accept-Encoding", "User-Agent"}
        assert site.seen[1][1]["Host"] == f"127.0.0.1:{site.port}"

    def test_gzip_is_unpacked(self, site):
        site.page("/a", gzip.compress(b"hello"), content_encoding="gzip")

        assert get(site.url("/a")).body == b"hello"

    def test_chunks_are_put_together(self, site):
        def chunks(handler):
            handler.protocol_version = "HTTP/1.1"
            handler.send_response(200)
            handler.send_header("Transfer-Encoding", "chunked")
            handler.end_headers()
            handler.wfile.write(b"2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n")

        site.pages["/a"] = chunks

        assert get(site.url("/a")).body == b"hello"

    @pytest.mark.parametrize(("status", "passing"), [(404, False), (403, False), (503, True)])
    def test_other_statuses_are_refused(self, site, status, passing):
        site.page("/a", b"no", status=status)

        error = refusal(site.url("/a?token=secret"))

        assert str(error) == f"{site.url('/a')} answered with status {status}."
        assert error.is_temporary is passing


class TestForm:
    @pytest.mark.parametrize(
        "url",
        [
            "",
            "file:///etc/passwd",
            "ftp://example.org/a",
            "//example.org/a",
            "http://",
            "http:///a",
            "http://[::1/a",
            "http://example.org:99999/",
            "http://example.org:x/",
            "http://user@example.org/",
            "http://user:password@example.org/",
            "http://example.org@127.0.0.1/",
            "http://exa mple.org/",
            "http://example.org\\@127.0.0.1/",
            "http://127.0.0.1\\.example.org/",
            "http://example..org/",
            "http://exa\x00mple.org/",
            f"http://{'a' * 64}.org/",
        ],
    )
    def test_of_no_web_address_is_refused(self, url):
        with pytest.raises(FetchError):
            check_public(url)
        with pytest.raises(FetchError):
            get(url)

    @pytest.mark.parametrize(
        ("url", "expected"),
        [
            ("HTTP://Example.ORG", "http://example.org/"),
            (" https://example.org:443/a#b ", "https://example.org/a"),
            ("http://bücher.example/ä b?q=ö", "http://xn--bcher-kva.example/%C3%A4%20b?q=%C3%B6"),
            ("http://example.org./%41%2f", "http://example.org/%41%2f"),
            ("http://[2606:4700::1111]:8080/", "http://[2606:4700::1111]:8080/"),
            ("http://example.org/a\r\nHost: b", "http://example.org/aHost:%20b"),
        ],
    )
    def test_is_normalized_to_ascii(self, url, expected):
        assert normalized(url) == expected

    def test_of_too_many_characters_is_refused(self):
        assert len(normalized("http://example.org/".ljust(2000, "a"))) == 2000
        with pytest.raises(FetchError, match="longer than 2000 characters"):
            normalized("http://example.org/".ljust(2001, "a"))


class TestPrivateAddress:
    @pytest.mark.parametrize(
        "host",
        [
            "localhost",
            "127.0.0.1",
            "127.1",
            "0177.0.0.1",
            "0x7f000001",
            "2130706433",
            "127.0.0.1.",
            "１２７.0.0.1",  # noqa: RUF001 full-width digits are the attack
            "[::1]",
            "[::]",
            "[::ffff:127.0.0.1]",
            "[fe80::1%25lo]",
            "169.254.169.254",
            "0.0.0.0",  # noqa: S104 an address to refuse, none to bind to
            "10.0.0.1",
        ],
    )
    def test_is_refused_at_once_and_when_fetched(self, site, host):
        url = site.url("/a", host)

        with pytest.raises(PrivateAddressError):
            check_public(url)
        with pytest.raises(PrivateAddressError):
            get(url, trusted="")
        assert site.seen == []

    def test_is_not_told_to_whoever_asks(self, names):
        names.add("intranet.test", "10.20.30.40")

        with pytest.raises(PrivateAddressError) as caught:
            check_public("http://intranet.test/a?token=secret")

        assert str(caught.value) == "http://intranet.test/a leads to an address that is not public."

    def test_among_public_ones_is_refused(self, names):
        names.add("mixed.test", "8.8.8.8 127.0.0.1")

        with pytest.raises(PrivateAddressError):
            check_public("http://mixed.test/")

    def test_of_a_name_not_found_yet_passes_the_check_and_fails_later(self, names):
        names.add("later.test", "")

        check_public("http://later.test/")

        assert refusal("http://later.test/", trusted="").is_temporary

    def test_that_a_name_has_moved_to_after_the_check_is_refused(self, site, names):
        names.add("moves.test", "8.8.8.8", "127.0.0.1")
        url = site.url("/a", "moves.test")

        check_public(url)

        with pytest.raises(PrivateAddressError):
            get(url, trusted="")
        assert site.seen == []

    def test_that_a_name_moves_to_between_check_and_connection_is_not_used(self, site, names):
        # Nobody listens on 127.0.0.2, which stands for the address that was checked.
        names.add("rebinds.test", "127.0.0.2", "127.0.0.1")

        assert refusal(site.url("/a", "rebinds.test")).is_temporary
        assert names.asked.count("rebinds.test") == 1
        assert site.seen == []

    @pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
    def test_behind_a_redirect_is_refused(self, host, site, other):
        # The operator trusts 127.0.0.1 at the port of site alone.
        site.redirect("/a", other.url("/secret", host))

        assert isinstance(refusal(site.url("/a")), PrivateAddressError)
        assert other.seen == []

    @pytest.mark.parametrize("port", [1, 22, 25, 110, 1023])
    def test_ports_of_other_protocols_are_refused(self, port):
        with pytest.raises(FetchError, match=f"has the port {port}"):
            check_public(f"http://8.8.8.8:{port}/")

    @pytest.mark.parametrize("authority", ["8.8.8.8", "8.8.8.8:443", "8.8.8.8:8080"])
    def test_public_ones_pass(self, authority):
        check_public(f"http://{authority}/")


class TestRedirect:
    def test_is_followed_where_the_operator_trusts_the_host(self, site):
        site.redirect("/a", site.url("/b"))
        site.page("/b", b"hello")

        assert get(site.url("/a")).body == b"hello"

    def test_is_followed_to_the_end(self, published_site, other):
        site = published_site
        site.redirect("/a", "b?c=d", 301)
        site.redirect("/b", other.url("/c"), 307)
        other.page("/c", b"hello")

        found = get(site.url("/a"), trusted="")

        assert found == Fetched(b"hello", "", other.url("/c"))

    def test_may_be_written_unescaped(self, site):
        site.redirect("/a", "/é".encode().decode("latin-1"))
        site.page("/%C3%A9", b"hello")

        assert get(site.url("/a")).body == b"hello"

    def test_in_circles_ends(self, site):
        site.redirect("/a", "/a")

        assert "redirects more than 5 times" in str(refusal(site.url("/a")))
        assert len(site.seen) == 6

    @pytest.mark.parametrize("location", ["file:///etc/passwd", "ftp://127.0.0.1/", "http://[::"])
    def test_to_no_web_address_is_refused(self, site, location):
        site.redirect("/a", location)

        assert not refusal(site.url("/a")).is_temporary

    def test_to_nowhere_is_refused(self, site):
        site.page("/a", status=302)

        assert "answered with status 302" in str(refusal(site.url("/a")))


class TestLimit:
    def test_of_bytes_is_exact(self, site):
        site.page("/a", b"x" * 100)

        assert len(get(site.url("/a"), max_bytes=100).body) == 100
        assert "larger than 99 bytes" in str(refusal(site.url("/a"), max_bytes=99))

    def test_of_bytes_holds_for_a_body_without_end(self, site):
        def endless(handler):
            handler.send_response(200)
            handler.end_headers()
            while True:
                handler.wfile.write(b"x" * 65536)

        site.pages["/a"] = endless

        assert "larger than 1000000 bytes" in str(refusal(site.url("/a")))

    @pytest.mark.parametrize("layers", [1, 2])
    def test_of_bytes_holds_for_what_gzip_unpacks(self, site, layers):
        bomb = b"\0" * 100_000_000
        for _ in range(layers):
            bomb = gzip.compress(bomb, 1)
        site.page("/a", bomb, content_encoding=", ".join(["gzip"] * layers))
        tracemalloc.start()

        error = refusal(site.url("/a"))

        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert not error.is_temporary
        assert peak < 10_000_000

    @pytest.mark.parametrize("encoding", ["br", "zstd", "deflate", "nonsense"])
    def test_of_encodings_to_what_was_asked_for(self, site, encoding):
        site.page("/a", b"hello", content_encoding=encoding)

        assert "has a content encoding that was not requested" in str(refusal(site.url("/a")))

    @pytest.mark.parametrize(
        "start", [b"", b"HTTP/1.0 200 OK\r\nX: ", b"HTTP/1.0 200 OK\r\nContent-Length: 999\r\n\r\n"]
    )
    def test_of_seconds_holds_for_a_server_that_dribbles(self, site, start):
        def dribble(handler):
            handler.wfile.write(start)
            for _ in range(1_000):  # of which each comes soon enough
                handler.wfile.write(b"H")
                time.sleep(0.05)

        site.pages["/a"] = dribble

        error = refusal(site.url("/a"), seconds=0.5)

        assert str(error) == f"{site.url('/a')} took too long to answer."
        assert error.is_temporary

    def test_of_seconds_holds_for_all_redirects_together(self, site):
        def slow(handler):
            time.sleep(0.3)
            handler.send_response(302)
            handler.send_header("Location", "/a")
            handler.end_headers()

        site.pages["/a"] = slow

        assert "took too long" in str(refusal(site.url("/a"), seconds=0.5))

    def test_a_body_cut_short_is_no_answer(self, site):
        def short(handler):
            handler.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Length: 999\r\n\r\nhello")

        site.pages["/a"] = short

        assert refusal(site.url("/a")).is_temporary

    def test_what_is_not_http_is_no_answer(self, site):
        site.pages["/a"] = lambda handler: handler.wfile.write(b"220 mail.test ESMTP\r\n")

        assert refusal(site.url("/a")).is_temporary

    def test_nobody_there_is_no_answer(self):
        with serving() as gone:
            pass

        assert refusal(gone.url("/a")).is_temporary


class TestEncryption:
    @pytest.fixture
    def secure(self, names, monkeypatch):
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
        names.add("calendar.test", "127.0.0.1")
        names.add("other.test", "127.0.0.1")
        with serving(tls=True) as site:
            yield site

    def test_is_in_the_name_of_the_host(self, secure):
        secure.page("/a", b"hello")

        answer = get(secure.url("/a", "calendar.test", "https"))

        assert answer.body == b"hello"
        assert secure.seen[0][1]["Host"] == f"calendar.test:{secure.port}"

    @pytest.mark.parametrize("host", ["other.test", "127.0.0.1"])
    def test_is_refused_in_another_name(self, secure, host):
        assert "CERTIFICATE_VERIFY_FAILED" in str(refusal(secure.url("/a", host, "https")))
        assert secure.seen == []

    def test_is_refused_from_an_unknown_authority(self, secure, monkeypatch):
        monkeypatch.delenv("SSL_CERT_FILE")

        assert "CERTIFICATE_VERIFY_FAILED" in str(
            refusal(secure.url("/a", "calendar.test", "https"))
        )

    def test_is_not_given_up_by_a_redirect(self, secure, site):
        secure.redirect("/a", site.url("/b"))

        error = refusal(secure.url("/a", "calendar.test", "https"))

        assert "redirects from https to http" in str(error)
        assert site.seen == []


class TestManyAddresses:
    def test_the_next_is_tried_when_one_does_not_answer(self, site, names):
        names.add("two.test", "127.0.0.2 127.0.0.1")
        site.page("/a", b"hello")

        assert get(site.url("/a", "two.test")).body == b"hello"
