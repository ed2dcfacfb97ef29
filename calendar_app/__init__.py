"""An event calendar: a REST API, public pages, an admin, import and export."""
