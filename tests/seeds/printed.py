"""What the five notebooks that this course grew from printed, cell by cell: numbers only.

Each entry is one output of one cell, in the order in which it was printed, with the file and the cell number
it comes from. A test compares them with the executed solutions, to the decimals that were printed.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Printed:
    """One printed output: the seed file, the number of its cell, and the numbers in reading order."""

    file: str
    cell: int
    numbers: tuple[str, ...]


def printed(file: str, cell: int, text: str) -> Printed:
    return Printed(file, cell, tuple(text.split()))


INPUTS = """
0.4300 0.1500 0.8900 0.5500 0.8700 0.6600 0.5700 0.8500 0.6400
0.2200 0.5800 0.3300 0.7700 0.2500 0.1000 0.0500 0.8000 0.5500
"""
SCORES = """
0.9995 0.9544 0.9422 0.4753 0.4576 0.6310
0.9544 1.4950 1.4754 0.8434 0.7070 1.0865
0.9422 1.4754 1.4570 0.8296 0.7154 1.0605
0.4753 0.8434 0.8296 0.4937 0.3474 0.6565
0.4576 0.7070 0.7154 0.3474 0.6654 0.2935
0.6310 1.0865 1.0605 0.6565 0.2935 0.9450
"""
WEIGHTS = """
0.2098 0.2006 0.1981 0.1242 0.1220 0.1452
0.1385 0.2379 0.2333 0.1240 0.1082 0.1581
0.1390 0.2369 0.2326 0.1242 0.1108 0.1565
0.1435 0.2074 0.2046 0.1462 0.1263 0.1720
0.1526 0.1958 0.1975 0.1367 0.1879 0.1295
0.1385 0.2184 0.2128 0.1420 0.0988 0.1896
"""
CONTEXTS = """
0.4421 0.5931 0.5790 0.4419 0.6515 0.5683 0.4431 0.6496 0.5671
0.4304 0.6298 0.5510 0.4671 0.5910 0.5266 0.4177 0.6503 0.5645
"""
JOURNEY_WEIGHTS = "0.1385 0.2379 0.2333 0.1240 0.1082 0.1581"
TRANSPOSED = """
0.4300 0.5500 0.5700 0.2200 0.7700 0.0500
0.1500 0.8700 0.8500 0.5800 0.2500 0.8000
0.8900 0.6600 0.6400 0.3300 0.1000 0.5500
"""

FILE = "002_7bc7e9d5d122e4af.txt"

LESSON_01 = [
    printed(FILE, 169, INPUTS),
    printed(FILE, 170, "0.5500 0.8700 0.6600"),
    printed(FILE, 171, "0.4300 0.1500 0.8900"),
    printed(FILE, 172, "0.9544"),
    printed(FILE, 173, "0.9544"),
    printed(FILE, 175, "6 3"),
    printed(FILE, 176, "3"),
    printed(FILE, 177, "0.9544 1.4950 1.4754 0.8434 0.7070 1.0865"),
    printed(FILE, 178, "0.1455 0.2278 0.2249 0.1285 0.1077 0.1656"),
    printed(FILE, 179, "1.0000"),
    printed(FILE, 180, JOURNEY_WEIGHTS),
    printed(FILE, 181, "1. " + JOURNEY_WEIGHTS),
    printed(FILE, 182, JOURNEY_WEIGHTS),
    printed(
        FILE,
        183,
        """0.13854756951332092 0.4300 0.1500 0.8900 0.2378913015127182 0.5500 0.8700 0.6600
        0.23327402770519257 0.5700 0.8500 0.6400 0.12399158626794815 0.2200 0.5800 0.3300
        0.10818186402320862 0.7700 0.2500 0.1000 0.15811361372470856 0.0500 0.8000 0.5500
        0.4419 0.6515 0.5683""",
    ),
    printed(FILE, 185, SCORES),
    printed(FILE, 186, TRANSPOSED),
    printed(FILE, 187, SCORES),
    printed(FILE, 188, WEIGHTS),
    printed(FILE, 189, INPUTS),
    printed(FILE, 190, CONTEXTS),
    printed(FILE, 191, CONTEXTS),
]
