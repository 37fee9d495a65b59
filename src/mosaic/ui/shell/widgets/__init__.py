"""Small widgets that several parts are made of. A widget keeps no state that a model should have."""
