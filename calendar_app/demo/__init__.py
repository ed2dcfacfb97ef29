"""Made-up calendars: a city's programme to look at, and events in any number."""
