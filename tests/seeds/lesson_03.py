"""What the seed notebooks printed about causal attention, and where lesson 03 prints it."""

from tests.seeds.printed import Printed, Undetermined, printed

FILE = "002_7bc7e9d5d122e4af.txt"
CAUSAL = "001_27cf640e3d130ca7.txt"
SHORT = "003_e47c713d8c5e9936.txt"

WEIGHTS = """
0.1717 0.1762 0.1761 0.1555 0.1627 0.1579
0.1636 0.1749 0.1746 0.1612 0.1605 0.1652
0.1637 0.1749 0.1746 0.1611 0.1606 0.1651
0.1636 0.1704 0.1702 0.1652 0.1632 0.1674
0.1667 0.1722 0.1721 0.1618 0.1633 0.1639
0.1624 0.1709 0.1706 0.1654 0.1625 0.1682
"""
CAUSAL_WEIGHTS = """
1.0000 0.0000 0.0000 0.0000 0.0000 0.0000
0.4833 0.5167 0.0000 0.0000 0.0000 0.0000
0.3190 0.3408 0.3402 0.0000 0.0000 0.0000
0.2445 0.2545 0.2542 0.2468 0.0000 0.0000
0.1994 0.2060 0.2058 0.1935 0.1953 0.0000
0.1624 0.1709 0.1706 0.1654 0.1625 0.1682
"""
LOWER = """
1. 0. 0. 0. 0. 0.
1. 1. 0. 0. 0. 0.
1. 1. 1. 0. 0. 0.
1. 1. 1. 1. 0. 0.
1. 1. 1. 1. 1. 0.
1. 1. 1. 1. 1. 1.
"""
UPPER = """
0. 1. 1. 1. 1. 1.
0. 0. 1. 1. 1. 1.
0. 0. 0. 1. 1. 1.
0. 0. 0. 0. 1. 1.
0. 0. 0. 0. 0. 1.
0. 0. 0. 0. 0. 0.
"""
RAW_MASKED = """
0.3111 0.0000 0.0000 0.0000 0.0000 0.0000
0.1655 0.2602 0.0000 0.0000 0.0000 0.0000
0.1667 0.2602 0.2577 0.0000 0.0000 0.0000
0.0510 0.1080 0.1064 0.0643 0.0000 0.0000
0.1415 0.1875 0.1863 0.0987 0.1121 0.0000
0.0476 0.1192 0.1171 0.0731 0.0477 0.0966
"""
RAW_SHARES = """
1.0000 0.0000 0.0000 0.0000 0.0000 0.0000
0.3888 0.6112 0.0000 0.0000 0.0000 0.0000
0.2435 0.3801 0.3764 0.0000 0.0000 0.0000
0.1547 0.3275 0.3227 0.1950 0.0000 0.0000
0.1949 0.2582 0.2565 0.1360 0.1544 0.0000
0.0950 0.2377 0.2337 0.1458 0.0952 0.1927
"""

PRINTED: list[Printed] = [
    printed(FILE, 206, WEIGHTS),
    printed(FILE, 206, "6 6"),
    printed(FILE, 207, LOWER),
    printed(FILE, 208, RAW_MASKED),
    printed(FILE, 209, RAW_SHARES),
    printed(FILE, 210, "0."),
    printed(FILE, 222, UPPER),
    printed(CAUSAL, "none-2", WEIGHTS),
    printed(CAUSAL, "none-2", CAUSAL_WEIGHTS),
    # Three by three True and False: no numbers to compare. The lesson prints it as `causal_mask(3)`.
    printed(SHORT, 12, "False True True False False True False False False"),
]

UNDETERMINED: list[Undetermined] = [
    Undetermined(
        SHORT,
        11,
        "the weights of CausalAttention are drawn without a seed, so nobody can print these numbers again; "
        "the class also leaves out the division by the root of d_k, and lesson 03 says both",
    )
]
