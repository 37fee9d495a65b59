"""The first steps of somebody who has no run yet."""
