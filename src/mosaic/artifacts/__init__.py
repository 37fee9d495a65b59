"""What runs leave: checkpoints, over all runs; which are kept; which are trusted. Opens none of them."""
