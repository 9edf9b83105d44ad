"""What the seed notebooks printed of lesson 04: dropout, batches and the causal attention class."""

from tests.seeds.printed import Printed, Undetermined, printed

SECOND = "001_27cf640e3d130ca7.txt"
THIRD = "002_7bc7e9d5d122e4af.txt"

INPUTS = """
0.4300 0.1500 0.8900 0.5500 0.8700 0.6600 0.5700 0.8500 0.6400
0.2200 0.5800 0.3300 0.7700 0.2500 0.1000 0.0500 0.8000 0.5500
"""
DROPPED_ONES = """
2. 2. 0. 2. 2. 0.
0. 0. 0. 2. 0. 2.
2. 2. 2. 2. 0. 2.
0. 2. 2. 0. 0. 2.
0. 2. 0. 2. 0. 2.
0. 2. 2. 2. 2. 0.
"""
CONTEXTS = """
-0.4519 0.2216 -0.5874 0.0058 -0.6300 -0.0632 -0.5675 -0.0843 -0.5526 -0.0981 -0.5299 -0.1081
"""

PRINTED: list[Printed] = [
    printed(SECOND, 18, DROPPED_ONES),
    printed(
        SECOND,
        18,
        """
        2.0000 0.0000 0.0000 0.0000 0.0000 0.0000
        0.0000 0.0000 0.0000 0.0000 0.0000 0.0000
        0.0000 0.6816 0.6804 0.0000 0.0000 0.0000
        0.0000 0.0000 0.5085 0.4936 0.0000 0.0000
        0.0000 0.0000 0.0000 0.0000 0.3906 0.0000
        0.3249 0.3418 0.0000 0.3308 0.3249 0.3363
        """,
    ),
    printed(SECOND, 19, "2 6 3"),
    printed(SECOND, "none-3", "2 6 2"),
    printed(THIRD, 212, "1. " * 36),
    printed(THIRD, 213, DROPPED_ONES),
    printed(
        THIRD,
        214,
        """
        0.3433 0.0000 0.0000 0.0000 0.0000 0.0000
        0.0000 0.0000 0.3492 0.0000 0.3210 0.3303
        0.0000 0.3498 0.3492 0.3223 0.3211 0.3302
        0.0000 0.0000 0.3403 0.3304 0.0000 0.3349
        0.0000 0.0000 0.0000 0.0000 0.3266 0.3278
        0.3249 0.3418 0.0000 0.3308 0.3249 0.3363
        """,
    ),
    printed(THIRD, 215, INPUTS),
    printed(THIRD, 216, "2 6 3"),
    # The numbers of this cell's tensor are random and unseeded; only its shapes were printed.
    printed(THIRD, 217, "2 3 4"),
    printed(THIRD, 217, "2 4 3"),
    printed(THIRD, 217, "2 4 4"),
    printed(THIRD, 218, CONTEXTS + CONTEXTS),
    printed(THIRD, 221, INPUTS + INPUTS),
    printed("000_b47a3c4edb7021bb.txt", 5, "4 10 3"),
]

UNDETERMINED: list[Undetermined] = [
    Undetermined(
        "003_e47c713d8c5e9936.txt",
        11,
        "context vectors of a CausalAttention whose weights were drawn with no seed set in the notebook",
    )
]
