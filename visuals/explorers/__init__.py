"""The explorers that several lessons show, and what all explorers share."""
