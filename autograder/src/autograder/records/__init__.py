"""Data that travels between the other rooms: a course, its bank, what an answer did and what is found of it.

Whatever is said in words, runs an answer or judges one stands in a room above.
"""
