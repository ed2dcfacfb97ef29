"""What can be done with clients, filesets, pools, storages, mailboxes and downloads."""
