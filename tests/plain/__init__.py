"""Another project with both apps, which has neither Unfold nor django-import-export."""
