"""What the drivers of Stable-Baselines3 and SBX share. Imports neither framework before it runs."""
