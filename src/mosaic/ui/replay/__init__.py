"""A recorded episode, simulated again and shown step by step."""
