"""The admin's forms, which reject what the API rejects, with the error at its field."""
