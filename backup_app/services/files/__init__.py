"""What backups hold: finding files and mailboxes in them, and taking a part of one."""
