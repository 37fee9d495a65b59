"""What the desktop knows, without Qt: state, decisions, and signals. For the thread of the window alone."""
