"""Makes text of users safe: sanitized HTML, or one line without markup."""

import re
from html import escape, unescape
from html.entities import html5

import nh3

# What a browser may take for a URL in a srcset, and URLs with a scheme other than http(s).
SRCSET_PARTS = re.compile(r"[^\s,]+")
OTHER_SCHEME = re.compile(r"(?!https?:)[^/?#]*:", re.IGNORECASE)


def _attribute(tag: str, name: str, value: str) -> str | None:
    """Return the value of an attribute; None drops a srcset with a URL that src may not have."""
    if name == "srcset" and any(map(OTHER_SCHEME.match, SRCSET_PARTS.findall(value))):
        return None
    return value


TAGS = {
    *("p", "br", "hr", "div", "span", "blockquote", "pre", "code", "figure", "figcaption"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd"),
    *("a", "img", "strong", "b", "em", "i", "u", "s", "del", "ins", "sub", "sup", "small"),
    *("mark", "abbr", "cite", "q", "time", "address"),
    *("table", "caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", "th", "td"),
}
ATTRIBUTES = {
    "*": {"class", "title", "lang", "dir"},
    "a": {"href", "rel"},
    "img": {"src", "srcset", "sizes", "alt", "width", "height", "decoding", "loading"},
    "ol": {"start", "reversed", "type"},
    "blockquote": {"cite"},
    "q": {"cite"},
    "time": {"datetime"},
    "col": {"span"},
    "colgroup": {"span"},
    "th": {"colspan", "rowspan", "scope"},
    "td": {"colspan", "rowspan"},
}
URL_SCHEMES = {"http", "https", "mailto", "tel"}
HTML = nh3.Cleaner(
    tags=TAGS,
    attributes=ATTRIBUTES,
    tag_attribute_values={"a": {"target": {"_blank", "_self"}}},
    attribute_filter=_attribute,
    url_schemes=URL_SCHEMES,
    # Keep rel as written, so that it can be sent back; browsers imply noopener for _blank.
    link_rel=None,
)

# An HTML parser repeats open formatting tags in every following block, up to three times for each
# set of attributes (HTML Standard 13.2.4.3), and becomes slow at great depth. So these tags lose
# their attributes, and a text with more tags than anybody writes loses all tags. Any other text
# takes a fraction of a second.
FORMATTING = re.compile(
    r"<(b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)[\s/][^<>]*", re.IGNORECASE
)
START_TAGS, END_TAGS = re.compile(r"<[a-zA-Z]"), re.compile(r"</[a-zA-Z]")
MAX_TAGS = 5_000

# The parser compares each attribute of a tag with all others of it. So a text that may contain a
# tag with very many attributes is not parsed: one with that many gaps between words, unless all its
# tags match a pattern that allows few attributes.
GAPS = re.compile(r"[\s/\"']+")
MAX_GAPS = 15_000
GAP = r"[ \t\n\f\r/]"
VALUE = r"""(?:"[^"<>]*+"|'[^'<>]*+'|[^\s"'<>=`]++)"""
ATTRIBUTE = rf"""{GAP}++[^\s/<>"'=]++(?:[ \t\n\f\r]*+=[ \t\n\f\r]*+{VALUE})?+"""
PLAIN_TAG = re.compile(rf"""<[a-zA-Z][^\s/<>"'=]*+(?:{ATTRIBUTE}){{0,50}}+{GAP}*+>""")

# Wrongly nested tags may be parsed differently after serializing; a third pass changes nothing.
PASSES = 5

# Only with a semicolon: without, they are more often part of the text, as in "Rock&reggae".
REFERENCES = re.compile(r"&(?:#[0-9]{1,7};|#[xX][0-9a-fA-F]{1,6};|([a-zA-Z0-9]{2,31};))")

SURROGATES = re.compile(r"[\ud800-\udfff]")
CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
ANGLES = re.compile(r"([<>])")
TAG_STARTS = re.compile(r"[a-zA-Z/!?]")


def rich_text(html: str) -> str:
    """Return sanitized HTML: the tags and attributes of an editor's text, without scripts.

    Other tags are removed and their text is kept, except that of scripts and styles. The result is
    HTML: `AT&T` becomes `AT&amp;T`. A second call changes nothing.
    """
    html = SURROGATES.sub("\ufffd", html)
    for _ in range(PASSES):
        before, html = html, _cleaned(html)
        if html == before:
            break
    return html


def plain_text(text: str) -> str:
    """Return one line of text without tags. Character references are plain text: `Tom & Jerry`
    and `&amp;` stay unchanged. A second call changes nothing.
    """
    return CONTROLS.sub(" ", _without_tags(text)).strip()


def decoded(text: str) -> str:
    """Return text with its HTML character references decoded once: `Caf&eacute;` becomes `Café`,
    and `&amp;amp;` becomes `&amp;`.
    """
    return REFERENCES.sub(lambda found: html5.get(found[1]) or _numbered(found[0]), text)


def _numbered(reference: str) -> str:
    return unescape(reference) if reference.startswith("&#") else reference


def _cleaned(html: str) -> str:
    if _has_many_tags(html) or _may_have_huge_tag(html):
        html = escape(_without_tags(html), quote=False)
    return HTML.clean(FORMATTING.sub(r"<\1", html))


def _has_many_tags(html: str) -> bool:
    return any(len(kind.findall(html)) > MAX_TAGS for kind in (START_TAGS, END_TAGS))


def _may_have_huge_tag(html: str) -> bool:
    if len(GAPS.findall(html)) <= MAX_GAPS:
        return False
    return START_TAGS.search(PLAIN_TAG.sub("", html)) is not None


def _without_tags(text: str) -> str:
    """Return text without `<…>` wherever a browser would see a tag, in linear time.

    Removing a tag can join two halves of another, so every `>` is matched with the nearest `<` in
    the remaining text before it.
    """
    result: list[str] = []
    opened: list[int] = []  # indices in `result` of each "<" without a ">" after it
    for piece in filter(None, ANGLES.split(text)):
        if piece == ">" and opened and _starts_tag(result, opened[-1]):
            del result[opened.pop() :]
            continue
        if piece == ">":
            opened.clear()
        elif piece == "<":
            opened.append(len(result))
        result.append(piece)
    return "".join(result)


def _starts_tag(pieces: list[str], angle: int) -> bool:
    return angle + 1 < len(pieces) and TAG_STARTS.match(pieces[angle + 1]) is not None
