"""What values of records may be, beyond what the models say."""
