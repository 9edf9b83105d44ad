"""What the seed notebooks printed about trainable weights, and where lesson 02 prints it."""

from tests.seeds.printed import Printed, Undetermined, printed

FILE = "002_7bc7e9d5d122e4af.txt"
CAUSAL = "001_27cf640e3d130ca7.txt"

INPUTS = """
0.4300 0.1500 0.8900 0.5500 0.8700 0.6600 0.5700 0.8500 0.6400
0.2200 0.5800 0.3300 0.7700 0.2500 0.1000 0.0500 0.8000 0.5500
"""
WEIGHTS = """
0.2961 0.5166 0.2517 0.6886 0.0740 0.8665
0.1366 0.1025 0.1841 0.7264 0.3153 0.6871
0.0756 0.1966 0.3164 0.4017 0.1186 0.8274
"""
V1 = """
0.2996 0.8053 0.3061 0.8210 0.3058 0.8203
0.2948 0.7939 0.2927 0.7891 0.2990 0.8040
"""
LINEAR = "-0.1668 0.2270 0.5000 0.1317 0.1934 0.6825 -0.3189 0.2240 -0.3146"
# With the notebook's `values` in the place of the class's own: the bug of lesson 02's last task.
FOUND = """
0.2821 0.7652 0.2829 0.7635 0.2829 0.7635
0.2815 0.7595 0.2816 0.7613 0.2818 0.7599
"""
V2 = """
-0.5337 -0.1051 -0.5323 -0.1080 -0.5323 -0.1079
-0.5297 -0.1076 -0.5311 -0.1066 -0.5299 -0.1081
"""

PRINTED: list[Printed] = [
    printed(FILE, 192, INPUTS),
    printed(FILE, 193, "6 3"),
    printed(FILE, 195, WEIGHTS),
    printed(FILE, 196, "0.4306 1.4551 0.4433 1.1419 0.3951 1.0037"),
    printed(FILE, 197, "1.8524"),
    printed(FILE, 198, "6 2 6 2"),
    printed(FILE, 199, "1.2705 1.8524 1.8111 1.0795 0.5577 1.5440"),
    printed(FILE, 200, "1. 0.1500 0.2264 0.2199 0.1311 0.0906 0.1820"),
    printed(FILE, 201, "0.3061 0.8210"),
    printed(FILE, 202, V1),
    printed(FILE, 203, INPUTS),
    # No seed stands in cell 204; the one of cell 202 and the draws of its class determine it.
    printed(FILE, 204, LINEAR),
    printed(FILE, 205, FOUND),
    printed(CAUSAL, "none-1", V2),
    printed(CAUSAL, "none-1", "6 2"),
]

UNDETERMINED: list[Undetermined] = []
