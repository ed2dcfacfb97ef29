"""The REST API below ``calendar/events/v1``: views and what they read, write and describe."""
