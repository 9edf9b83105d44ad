"""Limit the connections of every server in this tool: their number for each client, and their duration.

Pages and other responses are defined in `classroom`, `live` and `lti`. Nothing here depends on a class, a
lesson or a path.
"""
