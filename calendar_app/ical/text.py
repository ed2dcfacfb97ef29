"""Converts HTML to text, for iCalendar programs that do not show HTML."""

import html
import re

import nh3

TEXT_ONLY = nh3.Cleaner(tags=set())
# RFC 5545, 3.3.11: no control characters except the tab and, escaped, the newline.
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
ITEMS = re.compile(r"<li\b[^<>]*>", re.IGNORECASE)
LINE_ENDS = re.compile(r"<br\b[^<>]*>|</(?:li|tr|dt|dd)>", re.IGNORECASE)
BLOCK_ENDS = re.compile(r"</(?:p|div|h[1-6]|ul|ol|dl|table|pre|blockquote)>", re.IGNORECASE)


def text_of(rich_text: str) -> str:
    """Return the text of HTML, with line breaks between paragraphs, lines and list items."""
    flat = " ".join(rich_text.split())
    marked = BLOCK_ENDS.sub("\n\n", LINE_ENDS.sub("\n", ITEMS.sub("- ", flat)))
    lines = (line.strip() for line in plain(html.unescape(TEXT_ONLY.clean(marked))).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def plain(text: str) -> str:
    """Return text without the characters that iCalendar values may not contain."""
    return CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
