"""What the desktop shows, without Qt: state, decisions, and signals. Used on the window's thread alone."""
