"""What is shown of sessions, without Qt."""
