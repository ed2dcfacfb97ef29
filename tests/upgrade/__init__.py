"""A database of the last commit before the migrations were squashed, upgraded and used."""
