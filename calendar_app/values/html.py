"""What is kept of text that somebody else wrote: safe HTML, or one line without markup."""

import re
from html import escape, unescape
from html.entities import html5

import nh3

# What a browser may take for a URL in a srcset, and what begins with a scheme but the web's.
SRCSET_PARTS = re.compile(r"[^\s,]+")
OTHER_SCHEME = re.compile(r"(?!https?:)[^/?#]*:", re.IGNORECASE)


def _attribute(tag: str, name: str, value: str) -> str | None:
    """Return the value of an attribute, None for a srcset with a URL that src could not have."""
    if name == "srcset" and any(map(OTHER_SCHEME.match, SRCSET_PARTS.findall(value))):
        return None
    return value


HTML = nh3.Cleaner(
    tags={
        *("p", "br", "hr", "div", "span", "blockquote", "pre", "code", "figure", "figcaption"),
        *("h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd"),
        *("a", "img", "strong", "b", "em", "i", "u", "s", "del", "ins", "sub", "sup", "small"),
        *("mark", "abbr", "cite", "q", "time", "address"),
        *("table", "caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", "th", "td"),
    },
    attributes={
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
    },
    tag_attribute_values={"a": {"target": {"_blank", "_self"}}},
    attribute_filter=_attribute,
    url_schemes={"http", "https", "mailto", "tel"},
    # Browsers imply noopener with target="_blank"; a rel of the writer's is read back.
    link_rel=None,
)

# A parser repeats open formatting tags in every block that follows, thrice per set of attributes
# (HTML Standard 13.2.4.3), and gets slow deep down. So these tags have no attributes, and a text
# with more tags than anybody writes keeps none: any other takes a fraction of a second.
FORMATTING = re.compile(
    r"<(b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)[\s/][^<>]*", re.IGNORECASE
)
TAGS, END_TAGS = re.compile(r"<[a-zA-Z]"), re.compile(r"</[a-zA-Z]")
MOST_TAGS = 5_000

# Each attribute of a tag is compared with all others of it. So a text is not taken apart that may
# hold a tag of very many: one with as many gaps, unless each of its tags is beyond doubt and small.
GAPS = re.compile(r"[\s/\"']+")
MOST_GAPS = 15_000
GAP = r"[ \t\n\f\r/]"
VALUE = r"""(?:"[^"<>]*+"|'[^'<>]*+'|[^\s"'<>=`]++)"""
ATTRIBUTE = rf"""{GAP}++[^\s/<>"'=]++(?:[ \t\n\f\r]*+=[ \t\n\f\r]*+{VALUE})?+"""
PLAIN_TAG = re.compile(rf"""<[a-zA-Z][^\s/<>"'=]*+(?:{ATTRIBUTE}){{0,50}}+{GAP}*+>""")

# What is wrongly nested may be read differently once written down; the third time changes nothing.
PASSES = 5

# With their semicolon: others are part of a text more often, as in "Rock&reggae".
REFERENCES = re.compile(r"&(?:#[0-9]{1,7};|#[xX][0-9a-fA-F]{1,6};|([a-zA-Z0-9]{2,31};))")

SURROGATES = re.compile(r"[\ud800-\udfff]")
CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
ANGLES = re.compile(r"([<>])")
TAG_STARTS = re.compile(r"[a-zA-Z/!?]")


def rich_text(html: str) -> str:
    """Return HTML with the tags and attributes of an editor's text, and nothing that runs.

    What is not allowed is dropped and its text kept, but for scripts and styles, which go whole.
    Text comes back as HTML: `AT&T` is `AT&amp;T`. Doing it twice changes nothing.
    """
    html = SURROGATES.sub("\ufffd", html)
    for _ in range(PASSES):
        before, html = html, _cleaned(html)
        if html == before:
            break
    return html


def plain_text(text: str) -> str:
    """Return one line of text without tags. Entities are text like any other: `Tom & Jerry` and
    `&amp;` stay as they are. Doing it twice changes nothing.
    """
    return CONTROLS.sub(" ", _without_tags(text)).strip()


def decoded(text: str) -> str:
    """Return text with the characters that its HTML character references stand for, once:
    `Caf&eacute;` is `Café`, and `&amp;amp;` is `&amp;`.
    """
    return REFERENCES.sub(lambda found: html5.get(found[1]) or _numbered(found[0]), text)


def _numbered(reference: str) -> str:
    return unescape(reference) if reference.startswith("&#") else reference


def _cleaned(html: str) -> str:
    if _has_many_tags(html) or _may_have_huge_tag(html):
        html = escape(_without_tags(html), quote=False)
    return HTML.clean(FORMATTING.sub(r"<\1", html))


def _has_many_tags(html: str) -> bool:
    return any(len(kind.findall(html)) > MOST_TAGS for kind in (TAGS, END_TAGS))


def _may_have_huge_tag(html: str) -> bool:
    if len(GAPS.findall(html)) <= MOST_GAPS:
        return False
    return TAGS.search(PLAIN_TAG.sub("", html)) is not None


def _without_tags(text: str) -> str:
    """Return text without `<…>` wherever a browser would see a tag, in linear time.

    Removing a tag can bring two halves of another together, so every `>` is matched with the
    nearest `<` of what is left before it.
    """
    kept: list[str] = []
    opened: list[int] = []  # where in `kept` a "<" has no ">" after it
    for piece in filter(None, ANGLES.split(text)):
        if piece == ">" and opened and _starts_tag(kept, opened[-1]):
            del kept[opened.pop() :]
            continue
        if piece == ">":
            opened.clear()
        elif piece == "<":
            opened.append(len(kept))
        kept.append(piece)
    return "".join(kept)


def _starts_tag(pieces: list[str], angle: int) -> bool:
    return angle + 1 < len(pieces) and TAG_STARTS.match(pieces[angle + 1]) is not None
