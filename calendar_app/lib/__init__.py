"""Tools independent of the calendar: fetching, pictures, SQL. They import nothing of the app."""
