"""The figures and explorers of lesson 09-train-it."""
