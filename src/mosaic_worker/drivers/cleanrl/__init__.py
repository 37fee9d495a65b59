"""The driver for single-file scripts in CleanRL's idiom: `launcher` runs them, `single_file` reads them."""
