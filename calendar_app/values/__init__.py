"""Costs, dates, time zones, names, slugs and HTML, as plain values without a database row."""
