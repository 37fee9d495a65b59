"""The `mosaic` command. Every subcommand is its own module, imported only when it is called."""
