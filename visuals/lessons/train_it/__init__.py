"""The figures of lesson 08-train-it."""
