"""What nbgrader writes to cells."""

from __future__ import annotations


def marks(name: str, solution: bool, points: int = 0) -> dict[str, object]:
    result = {
        "cell_type": "code",
        "grade": not solution,
        "grade_id": name,
        "locked": not solution,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }
    return {"nbgrader": result if solution else {**result, "points": points}}
