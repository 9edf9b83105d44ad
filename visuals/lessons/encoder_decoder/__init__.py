"""The figures and explorers of lesson 06-encoder-decoder."""
