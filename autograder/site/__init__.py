"""The course as a static site: its executed solutions as pages that need no kernel and no network."""
