"""The runners that come with MOSAIC, through the same door as anybody's. They know nothing of each other."""
