"""What several modules of the admin share: columns, filters, actions on many records."""
