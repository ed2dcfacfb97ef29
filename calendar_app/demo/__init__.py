"""Generated calendars: the programme of a city as a demo, and any number of events."""
