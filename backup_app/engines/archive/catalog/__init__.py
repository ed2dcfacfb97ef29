"""Reading the catalog: the view of a backup, its folders, searches, and the extents of files."""
