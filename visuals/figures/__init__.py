"""The figures that several lessons draw, and what all figures share; each returns a `Picture`."""
