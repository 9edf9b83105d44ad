"""The figures and explorers of lesson 07-positions."""
