"""The editor of descriptions in a browser: what it makes, and what it lets in."""

import pytest
from playwright.sync_api import expect

from calendar_app.models import Venue

from ..support.factories import EventFactory

pytestmark = pytest.mark.django_db(transaction=True)

# What a page, or Word, puts into the clipboard.
ATTACK = """
<h2 class=MsoTitle style="color: red">Fair</h2><script>attacked = 1</script>
<div><p class=MsoNormal>Come to the <b>park</b><o:p></o:p></p></div>
<img src=x onerror="attacked = 2">
<svg onload="attacked = 3"><a href="javascript:attacked = 4">s</a></svg>
<p><a href="java\tscript:attacked = 5" onclick="attacked = 6">here</a> or
<a href="https://example.org/" target=_blank>there</a></p>
"""
SIGN = "<span style='font-family:Symbol;mso-list:Ignore'>{}<span>&nbsp; </span></span>"
WORD = f"""
<p class=MsoListParagraph style='mso-list:l0 level1 lfo1'><![if !supportLists]>{SIGN.format("·")}
<![endif]>Cakes<o:p></o:p></p>
<p class=MsoListParagraph style='mso-list:l0 level1 lfo1'>{SIGN.format("o")}<b>Games</b></p>
<p class=MsoListParagraph style='mso-list:l1 level1 lfo2'>{SIGN.format("1.")}Doors</p>
<h1>Programme</h1>"""
COPY = """html => document.addEventListener("copy", event => {
    event.clipboardData.setData("text/html", html);
    event.preventDefault();
}, {once: true})"""


@pytest.fixture
def browser_context_args(browser_context_args):
    """Leave out the Content-Security-Policy, which would stop what the editor itself must stop."""
    return browser_context_args | {"bypass_csp": True}


def paste(page, html):
    page.evaluate(COPY, html)
    page.keyboard.press("Control+C")
    page.keyboard.press("Control+V")


def save(page):
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("successfully")).to_be_visible()


def editor(page, label):
    return page.get_by_role("textbox", name=label, exact=True)


def write(page, tools):
    page.keyboard.type(" part\n")
    page.keyboard.press("Control+B")
    page.keyboard.type("Loud")
    page.keyboard.press("Control+B")
    page.keyboard.press("Enter")
    for button in ("Heading", "Bulleted list", "Quote"):
        tools.get_by_role("button", name=button).click()
        page.keyboard.type(button)
        page.keyboard.press("Enter")
        if button != "Heading":
            page.keyboard.press("Enter")


def test_a_description_is_written_with_the_keyboard(viewer):
    event = EventFactory(description="<p>Old &amp; new.</p>\n<p>Second</p>", excerpt="<p>Short</p>")
    page = viewer.page
    viewer.open(f"/admin/calendar_app/event/{event.pk}/change/")
    tools = page.get_by_role("toolbar", name="Format: Description")
    text = editor(page, "Description")
    assert text.inner_text().split() == ["Old", "&", "new.", "Second"]

    text.press("Control+End")
    write(page, tools)
    page.keyboard.press("Control+K")
    address = page.get_by_label("Address of the link").first
    address.fill("javascript:alert(1)")
    page.keyboard.press("Enter")
    expect(page.get_by_text("“javascript:alert(1)” is not an address")).to_be_visible()
    viewer.inspect("editor", ".field-description")
    address.fill("example.org")
    page.keyboard.press("Enter")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("End")
    expect(tools.get_by_role("button", name="Edit as HTML")).to_be_focused()
    save(page)

    event.refresh_from_db()
    assert event.description.split("\n\n") == [
        "<p>Old &amp; new.</p>",
        "<p>Second part</p>",
        "<p><strong>Loud</strong></p>",
        "<h2>Heading</h2>",
        "<ul><li>Bulleted list</li></ul>",
        "<blockquote><p>Quote</p></blockquote>",
        '<p><a href="https://example.org">example.org</a></p>',
    ]
    assert event.excerpt == "<p>Short</p>"


def test_what_is_pasted_is_reduced_to_what_is_allowed(viewer):
    page = viewer.page
    viewer.open("/admin/calendar_app/venue/add/")
    page.get_by_label("Name").fill("Park")
    text = editor(page, "Description")
    text.click()

    paste(page, ATTACK)
    page.get_by_role("button", name="Edit as HTML").first.click()
    source = page.locator("#id_description")
    source.fill(source.input_value() + '<img src="data:x" onerror="attacked = 7">')
    page.get_by_role("button", name="Edit as HTML").first.click()
    expect(text.locator("img")).to_have_count(1)
    assert page.evaluate("window.attacked") is None
    editor(page, "Excerpt").click()
    paste(page, WORD)
    save(page)

    venue = Venue.objects.get()
    assert venue.excerpt.split("\n\n") == [
        "<ul><li>Cakes</li><li><strong>Games</strong></li></ul>",
        "<ol><li>Doors</li></ol>",
        "<h2>Programme</h2>",
    ]
    assert venue.description == (
        "<h2>Fair</h2>\n\n<p>Come to the <strong>park</strong></p>\n\n<p>s\n</p>\n\n"
        '<p>here or\n<a href="https://example.org/">there</a></p><img>'
    )


@pytest.mark.attack
def test_a_text_that_is_only_shown_lies_over_nothing_else(viewer):
    """A class may be one of the admin's own, which could cover the whole page with a link."""
    bait = (
        '<p><a class="fixed inset-0 z-50 absolute top-0" href="https://evil.example">Bait</a></p>'
    )
    event = EventFactory(status="trash", description=f"<h2>Fair</h2><ul><li>One</li></ul>{bait}")
    page = viewer.page
    viewer.open(f"/admin/calendar_app/event/{event.pk}/change/")
    page.add_style_tag(
        content=".prose-content .fixed { position: fixed !important; inset: 0 !important }"
    )
    text = page.locator(".prose-content")

    expect(text.get_by_role("heading", name="Fair")).to_be_visible()
    whole, link = text.bounding_box(), text.get_by_role("link", name="Bait").bounding_box()
    assert whole["height"] > 50
    assert link["x"] >= whole["x"]
    assert link["y"] >= whole["y"]
    assert link["height"] <= whole["height"]
    viewer.inspect("prose-shown", ".prose-content")
