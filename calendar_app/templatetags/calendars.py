"""The calendar's part of a start page."""

from django import template

register = template.Library()


@register.inclusion_tag("calendar_app/admin/overview.html", takes_context=True)
def calendar_overview(context):
    """Show what takes place and what needs attention, as far as the user may see it."""
    # Django loads libraries of tags before the admin can be imported.
    from ..admin.planning import overview

    return overview.of(context["request"])
