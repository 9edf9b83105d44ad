"""The update of a lesson's tasks in the gradebook after submissions were graded, which nbgrader refuses."""

from __future__ import annotations

from nbformat import NotebookNode
from nbgrader.api import Comment, Grade, MissingEntry, Notebook
from nbgrader.preprocessors import SaveCells

from autograder.grading.graded_results import Change, Grading, Store, make_table, now


class MoveCells(SaveCells):
    """nbgrader's step that saves a release's cells in the gradebook, extended to releases that change.

    Grades of tasks that remain are kept, with points and comments given by hand. A removed task leaves a
    record of its maximum; a new one has no grade until it is graded.
    """

    def _create_notebook(self, nb: NotebookNode) -> None:
        try:
            notebook = self.gradebook.find_notebook(self.notebook_id, self.assignment_id)
        except MissingEntry:
            notebook = None
        if notebook is not None and notebook.submissions:
            with self.gradebook.db.no_autoflush:
                self._move(notebook)
            self.gradebook.db.commit()
            self.gradebook.db.expire_all()
        super()._create_notebook(nb)

    def _move(self, notebook: Notebook) -> None:
        book, where = self.gradebook, (self.notebook_id, self.assignment_id)
        make_table(book.engine)
        store, moved = Store(book.db), False
        kinds = (
            (notebook.grade_cells, self.new_grade_cells, book.add_grade_cell, Grade),
            (notebook.solution_cells, self.new_solution_cells, book.add_solution_cell, Comment),
            (notebook.source_cells, self.new_source_cells, book.add_source_cell, None),
        )
        for old, new, add, filled in kinds:
            cell_names = {cell.name for cell in old}
            for cell in list(old):
                if cell.name not in new:
                    moved = True
                    if filled:
                        self._leave(cell)
                    book.db.delete(cell)
            for name, about in new.items():
                if name not in cell_names:
                    moved = True
                    cell = add(name, *where, **about)
                    if filled:
                        book.db.add_all(
                            filled(cell_id=cell.id, notebook_id=submission.id)
                            for submission in notebook.submissions
                        )

        if moved:  # what is graded already has no grade for a new task, and a cell too many
            store.outdate(store.read(Grading, self.assignment_id))

    def _leave(self, cell: Grade | Comment) -> None:
        """Take a task's grades and comments out, and keep what they said."""
        removed = [(grade, grade.score, "task removed") for grade in cell.grades]
        removed += [
            (comment, None, f"task removed, with the comment: {comment.manual_comment}")
            for comment in cell.comments
            if comment.manual_comment
        ]
        Store(self.gradebook.db).add(
            Change(self.assignment_id, record.notebook.student.id, cell.name, now(), old, None, why)
            for record, old, why in removed
        )
        for record in (*cell.grades, *cell.comments):
            self.gradebook.db.delete(record)
