"""What nbgrader writes to cells."""

from __future__ import annotations


def marks(name: str, solution: bool, points: int = 0) -> dict[str, object]:
    result = {"cell_type": "code", "grade_id": name, "schema_version": 3, "task": False}
    result |= {"grade": not solution, "locked": not solution, "solution": solution}
    return {"nbgrader": result if solution else {**result, "points": points}}
