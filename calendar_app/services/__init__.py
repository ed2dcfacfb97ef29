"""The verbs that change the calendar; the API, the admin, the pages and the commands call them."""
