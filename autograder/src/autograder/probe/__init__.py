"""What runs beside a learner's code: it puts an answer to use and writes down what happened.

Nothing here knows a right result or awards a point, so it may not import `judge`.
"""
