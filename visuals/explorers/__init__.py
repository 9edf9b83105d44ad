"""The explorers that several lessons show."""
