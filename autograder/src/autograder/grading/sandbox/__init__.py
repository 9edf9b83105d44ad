"""Running strangers' notebooks: a warm process, a fork for each, a sandbox around them all.

It knows notebooks and limits; what a lesson, a task or a point is stands outside.
"""
