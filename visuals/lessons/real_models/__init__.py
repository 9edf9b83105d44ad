"""The explorer of lesson 12-real-models."""
