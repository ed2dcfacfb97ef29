"""What the pages of one client and one job have besides their form: panels and buttons."""
