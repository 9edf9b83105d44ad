"""What a notebook imports: `check`, `hint`, `progress`, `predict`, `reveal`, `bring_over`, `join`, `leave`.

What only a course's author or a class needs stands in a room above, and a student does not get it.
"""
