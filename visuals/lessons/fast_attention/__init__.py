"""The figures and explorers of lesson 08-fast-attention."""
