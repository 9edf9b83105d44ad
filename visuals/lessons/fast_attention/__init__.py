"""The figures of lesson 11-fast-attention."""
