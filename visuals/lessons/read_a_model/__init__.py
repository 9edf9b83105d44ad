"""The figures and explorers of lesson 10-read-a-model."""
