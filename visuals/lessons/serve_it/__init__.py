"""The figure and the explorer of lesson 14-serve-it."""
