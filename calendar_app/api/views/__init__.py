"""One viewset for each collection; ``urls.py`` routes to them."""
