"""Running strangers' notebooks: a warm process, a fork for each, a sandbox around them all."""
