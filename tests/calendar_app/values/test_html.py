import pytest
from hypothesis import given
from hypothesis import strategies as st

from calendar_app.values.html import MAX_TAGS, plain_text, rich_text
from tests.effort import effort


@pytest.mark.parametrize(
    "html",
    [
        *("", "Plain text", "line\nline\n\nline", "\"quoted\" and 'so'", "Grüße 🎉 日本語"),
        *("AT&amp;T", "a &lt; b", "5 &gt; 4", "a&nbsp;b", "&amp;amp;", "  two  blanks "),
        "<p>One</p>\n<p>Two<br>three</p><hr>",
        '<h2>Title</h2><h6>Small</h6><blockquote cite="https://a.org/">Q</blockquote>',
        '<ul><li>One<ul><li>Two</li></ul></li></ul><ol start="3"><li>x</li></ol>',
        "<p><strong>b</strong> <em>i</em> <u>u</u> <s>s</s> H<sub>2</sub>O <code>c</code></p>",
        '<a href="https://a.org/?x=1&amp;y=2" rel="nofollow" title="T">a</a>',
        '<a href="https://a.org/" target="_blank">a</a>',
        '<a href="/here#there">a</a><a href="mailto:a@b.org">m</a><a href="tel:+331">t</a>',
        '<img src="https://a.org/i.png" alt="A &amp; B" width="10" height="20">',
        '<img src="/i.png" srcset="/i.png 1x, https://a.org/w_2,h_2/i.png?a:b 2x" sizes="50vw">',
        '<img src="/i.png" srcset="//a.org/i.png, i2.png 1.5x" decoding="async" loading="lazy">',
        '<table><thead><tr><th scope="col">H</th></tr></thead></table>',
        '<table><tbody><tr><td colspan="2">c</td></tr></tbody></table>',
        '<p class="lead" lang="fr" dir="ltr">Bonjour</p>',
        '<figure><img src="/i.png"><figcaption>C</figcaption></figure>',
    ],
)
def test_harmless_html_is_read_back(html):
    assert rich_text(html) == html


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        ("AT&T", "AT&amp;T"),
        ("a < b", "a &lt; b"),
        ("I <3 you", "I &lt;3 you"),
        ("<p>One<p>Two", "<p>One</p><p>Two</p>"),
        ("<b>bold", "<b>bold</b>"),
        ("</p>", "<p></p>"),
        ("<a href=x>1<table><a href=y>2", '<a href="x">1</a><a href="y">2</a><table></table>'),
        ("<P>UPPER</P>", "<p>UPPER</p>"),
        ("a\x01b", "a\x01b"),
        ("\ud800", "\ufffd"),
        ("<!-- wp:paragraph --><p>a</p>", "<p>a</p>"),
        ("<font color=red>a</font>", "a"),
        ('<strong class="x">a</strong>', "<strong>a</strong>"),
    ],
)
def test_html_is_put_right(html, kept):
    assert rich_text(html) == kept


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        ("<script>alert(1)</script>a", "a"),
        ("<style>p{color:red}</style>a", "a"),
        ("<SCRIPT SRC=//evil.example></SCRIPT>a", "a"),
        ('<p onclick="alert(1)">a</p>', "<p>a</p>"),
        ('<p style="position:fixed" id="nav">a</p>', "<p>a</p>"),
        ('<a href="javascript:alert(1)">a</a>', "<a>a</a>"),
        ('<a href="JaVaScRiPt:alert(1)">a</a>', "<a>a</a>"),
        ('<a href="java\tscript:alert(1)">a</a>', "<a>a</a>"),
        ('<a href="&#106;avascript:alert(1)">a</a>', "<a>a</a>"),
        ('<a href="data:text/html,x">a</a>', "<a>a</a>"),
        ('<a href="https://a.org/" target="_top">a</a>', '<a href="https://a.org/">a</a>'),
        ('<img src="data:image/png;base64,AA" onerror="x">', "<img>"),
        ("<img src=x onerror=alert(1)//>", '<img src="x">'),
        *(
            (f'<img src="/i.png" srcset="{srcset}">', '<img src="/i.png">')
            for srcset in (
                "javascript:alert(1)",
                "data:image/svg+xml;base64,AA 1x, /i.png 2x",
                "/i.png 1x,data:text/html,x 2x",
                "/i.png,\tJaVaScRiPt:alert(1) 2x",
                "/i.png 1x, \x01javascript:alert(1) 2x",
                "&#106;avascript:alert(1)",
                "file:///etc/passwd 1x",
                "https&#x3a;//a.org/ 1x, blob:https://a.org/ 2x",
            )
        ),
        ('<iframe src="https://a.org/">a</iframe>', "a"),
        ("<svg><script>alert(1)</script></svg>", ""),
        ('<math><mi xlink:href="javascript:alert(1)">a</mi></math>', ""),
        ("<form><input name=x><button>a</button></form>", "a"),
        ('<object data="x"></object><embed src="x">a', "a"),
        ('<meta http-equiv="refresh" content="0"><base href="x"><link href="x">a', "a"),
        ("<scr<script>x</script>ipt>alert(1)</script>", "xipt&gt;alert(1)"),
        (
            '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
            '&lt;p title="<img src="x">"&gt;',
        ),
    ],
)
def test_nothing_that_runs_is_kept(html, kept):
    assert rich_text(html) == kept


def test_a_text_with_too_many_tags_keeps_none():
    safe = rich_text("<p>a & b</p>" * (MAX_TAGS + 1))

    assert safe == "a &amp; b" * (MAX_TAGS + 1)


ORDINARY = 2_000 * (
    '<p class="a" title="b &amp; c">one two <a href="http://x.example/?a=1">three</a></p>'
)


@pytest.fixture(scope="module")
def ordinary_effort():
    return effort(lambda: rich_text(ORDINARY))


def test_long_html_of_ordinary_tags_keeps_them():
    assert rich_text(ORDINARY) == ORDINARY


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 40_000,
        "<div>" * MAX_TAGS,
        "<ul><li>" * (MAX_TAGS // 2),
        "".join(f"<b title={n}>" for n in range(MAX_TAGS // 2)) + "x<p>" * (MAX_TAGS // 2),
        "".join(f"<b/title={n}><i a><i b>" for n in range(900)) + "x<p>" * (MAX_TAGS // 2),
        "".join(f"<a href={n}>" for n in range(MAX_TAGS // 2)) + "x<p>" * (MAX_TAGS // 2),
        *("<" * 200_000, "<a" * 100_000, "<b " * 60_000, "<!--" * 50_000, ">" * 200_000),
        *("&" * 200_000, '<p title="' * 20_000, "<<b>" * 40_000, "a>" * 100_000),
    ],
)
def test_no_text_takes_long_or_grows_much(html, ordinary_effort):
    safe, plain = rich_text(html), plain_text(html)

    assert effort(lambda: (rich_text(html), plain_text(html))) < 40 * ordinary_effort
    assert len(safe) < 10_000_000
    assert len(plain) <= len(html)


NAMES = [chr(0x4E00 + n) for n in range(20_000)]


@pytest.mark.parametrize(
    "html",
    [
        f"<p {' '.join(NAMES)}>",
        f"<p {''.join(f'{name}=x/' for name in NAMES)}>",
        "<p {}>".format("".join(f'{name}=""' for name in NAMES)),
        f"<script><a x=\"</script><p y='>' {' '.join(NAMES)}>",
        "<b>" * 4_900 + "</a>" * 50_000,
    ],
)
def test_html_that_is_slow_to_take_apart_keeps_no_tag(html, ordinary_effort):
    assert "<" not in rich_text(html)
    assert effort(lambda: rich_text(html)) < 10 * ordinary_effort


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        *(
            (same, same)
            for same in ("", "Tom & Jerry", "a < b", "a > b", "a<5 b>4", "<", ">", "<>")
        ),
        *((same, same) for same in ("I <3 you", "a<b", "&lt;b&gt;", "&amp;", "\"q\" 'q'", "a  b")),
        *((same, same) for same in ("Grüße 🎉 日本語", "<>b", "< b>", "\u3000x"[1:])),
        ("<b>Bold</b> title", "Bold title"),
        ("A<br/>B", "AB"),
        ('<a href="x">link</a>', "link"),
        ("a<!-- comment -->b", "ab"),
        ("<?php x ?>a<!DOCTYPE html>", "a"),
        ("<<b>b>x", "x"),
        ("<scr<b>ipt>alert(1)</script>", "alert(1)"),
        ("<" * 3 + "b>" * 3 + "x", "x"),
        ("a > <b>c", "a > c"),
        ("one\ntwo\r\n\tthree", "one two three"),
        ("  trimmed\n", "trimmed"),
        ("a\0b\x7fc\u2028d\ud800e", "a b c d e"),
    ],
)
def test_plain_text_is_one_line_without_tags(text, kept):
    assert plain_text(text) == kept


PIECES = [
    "<",
    ">",
    "</",
    "b",
    "p",
    "!--",
    "-->",
    " ",
    "a",
    "&",
    "lt;",
    '"',
    "'",
    "=",
    "script",
    "\n",
]
TAGS = ["<p>", "</p>", "<b>", "</b>", "<i a=b>", "<table>", "<td>", "<a href='x'>", "<svg>", "<li>"]
MARKUP = st.lists(st.sampled_from(PIECES + TAGS) | st.text(max_size=3), max_size=12).map("".join)


@given(MARKUP | st.text())
def test_rich_text_of_rich_text_is_the_same(html):
    safe = rich_text(html)

    assert rich_text(safe) == safe


@given(MARKUP | st.text())
def test_plain_text_of_plain_text_is_the_same(text):
    plain = plain_text(text)

    assert plain_text(plain) == plain
    assert "\n" not in plain
