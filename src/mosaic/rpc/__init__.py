"""The gRPC contract, its client, and how a client finds or starts the daemon."""
