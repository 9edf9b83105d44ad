"""What goes to a class and comes back: the bundle for students, the roster, collected archives, feedback."""
