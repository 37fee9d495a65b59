"""What the list of runs shows. Qt-free."""
