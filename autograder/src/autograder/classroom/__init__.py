"""What goes to a class and comes back: the bundle for students, the class list, archives, reports, feedback.

How a submission is graded stands in `grading`, and what one learning platform is like in `platforms`.
"""
