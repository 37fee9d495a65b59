"""Sessions in the desktop: their controls and keys, the forms that start them, several side by side."""
