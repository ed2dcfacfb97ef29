"""Records, clients of the API, pictures, calendars and web servers for tests of the calendar."""
