"""The figures and explorers of lesson 05-multi-head."""
