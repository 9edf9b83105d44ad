"""The pages that an instructor works with, on this machine only."""
