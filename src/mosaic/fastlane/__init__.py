"""Live frames in shared memory: the reading side. Lossy on purpose, never wrong; nothing durable is here."""
