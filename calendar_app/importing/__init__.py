"""Imports events from iCalendar files and from other services with the same API."""
