"""What every server of the tool does alike: how many connections it takes from whom, and for how long.

Pages and what is answered stand in `classroom`, `live` and `lti`.
Nothing here knows a class, a lesson or a path.
"""
