"""For authors of runners: the public checks MOSAIC's own runners pass too."""
