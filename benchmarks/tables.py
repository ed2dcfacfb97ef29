"""Tables in Markdown."""


def markdown(head, rows) -> str:
    """Return a table, the first column of which is text and the others numbers."""
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines) + "\n"


def number(value: float) -> str:
    """Return a number with two significant digits, or all of those before the point."""
    return f"{value:,.0f}" if value >= 10 else f"{value:#.2g}".rstrip(".")


def spread(values) -> str:
    """Return a median with the quartiles in brackets."""
    low, middle, high = map(number, values)
    return f"{middle} ({low}–{high})"
