"""What the seeds printed that lesson 05 shows."""

from tests.seeds.printed import Undetermined, printed

BATCH = """
0.4300 0.1500 0.8900 0.5500 0.8700 0.6600 0.5700 0.8500 0.6400
0.2200 0.5800 0.3300 0.7700 0.2500 0.1000 0.0500 0.8000 0.5500
"""
WRAPPER = """
-0.4519 0.2216 0.4772 0.1063 -0.5874 0.0058 0.5891 0.3257
-0.6300 -0.0632 0.6202 0.3860 -0.5675 -0.0843 0.5478 0.3589
-0.5526 -0.0981 0.5321 0.3428 -0.5299 -0.1081 0.5077 0.3493
"""
FIRST_HEAD = """
1.3208 1.1631 1.2879 1.1631 2.2150 1.8424 1.2879 1.8424 2.0402
"""
SECOND_HEAD = """
0.4391 0.7003 0.5903 0.7003 1.3737 1.0620 0.5903 1.0620 0.9912
"""
MASK = """
0. 1. 1. 1. 1. 1. 0. 0. 1. 1. 1. 1. 0. 0. 0. 1. 1. 1.
0. 0. 0. 0. 1. 1. 0. 0. 0. 0. 0. 1. 0. 0. 0. 0. 0. 0.
"""

FILE = "002_7bc7e9d5d122e4af.txt"
OTHER_FILE = "000_b47a3c4edb7021bb.txt"

PRINTED = [
    printed(FILE, 219, WRAPPER * 2),
    printed(FILE, 220, "2 6 4"),
    printed(FILE, 221, BATCH * 2),
    printed(FILE, 222, MASK),
    printed(OTHER_FILE, 8, FIRST_HEAD + SECOND_HEAD),
    printed(OTHER_FILE, 9, FIRST_HEAD),
    printed(OTHER_FILE, 9, SECOND_HEAD),
]

UNDETERMINED = [
    Undetermined(
        OTHER_FILE,
        10,
        "the batch was drawn in cell 5 before any seed was set, so no run gives these values again; the "
        "shape (4, 10, 2) is determined, and the lesson shows it",
    )
]
