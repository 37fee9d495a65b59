"""Qt views of the models. A widget keeps no state that a model should have."""
