"""The figures and explorers of lesson 11-fast-attention."""
