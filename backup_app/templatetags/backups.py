"""The backup service's part of a start page, and sizes as its pages show them."""

from django import template

from ..lib import formatting

register = template.Library()


@register.inclusion_tag("backup_app/admin/overview.html", takes_context=True)
def backup_overview(context):
    """Show how well clients are protected, as far as the user may see it; nothing to others."""
    # Django loads libraries of tags before the admin can be imported.
    from ..admin.overview import sections

    return sections.of(context["request"])


@register.filter
def size(number):
    """Return a number of bytes with its unit, as the rest of the admin shows it."""
    return formatting.size(int(number))
