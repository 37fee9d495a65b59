"""Generated from trainer.proto; not to be edited. `python -m mosaic.rpc.generate` writes it."""
