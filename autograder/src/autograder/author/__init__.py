"""What an author works with: tasks as they are written, and the way from `source/` to all that is generated.

Nothing here reads what students hand in, and no command line stands here.
"""
