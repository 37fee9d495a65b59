"""What would be launched, and whether it can work. Qt-free; starts nothing."""
