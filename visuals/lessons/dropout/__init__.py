"""The figures and explorers of lesson 04-dropout."""
