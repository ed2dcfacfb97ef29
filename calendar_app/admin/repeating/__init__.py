"""How an event repeats: the page of its rule and dates, and the scope of changes in its form."""
