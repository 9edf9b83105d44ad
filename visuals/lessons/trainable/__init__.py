"""The figures and explorers of lesson 02-trainable."""
