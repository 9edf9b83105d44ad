"""The figures and explorers of lesson 01-dot-product."""
