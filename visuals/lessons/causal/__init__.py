"""The figures and explorers of lesson 03-causal."""
