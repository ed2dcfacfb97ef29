"""Tools that know nothing of calendars: fetching, pictures, SQL. They import nothing of the app."""
