"""The recording of code as it runs: each tensor operation, its line, and the name of its result.

Nothing here knows a task. A record's use is the business of the module that makes it.
"""
