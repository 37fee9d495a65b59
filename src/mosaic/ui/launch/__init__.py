"""The launch panel: runners, forms, preflight, trained policies, and starting."""
