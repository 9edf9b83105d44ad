"""From `source/` to `notebooks/`, `solutions/` and the bank, in one direction."""
