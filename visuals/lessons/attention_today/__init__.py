"""The figure and the explorer of lesson 13-attention-today."""
