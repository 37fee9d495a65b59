"""The trainer daemon: starts, watches and stops runs, ingests their journals, answers over gRPC."""
