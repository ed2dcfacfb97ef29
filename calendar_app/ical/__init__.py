"""Reads and writes iCalendar (RFC 5545)."""
