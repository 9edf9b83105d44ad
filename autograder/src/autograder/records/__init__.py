"""The data that the other packages exchange: a course, its bank, the evidence on an answer and its findings.

Code that words messages, runs answers or judges them is in the packages that import this one.
"""
