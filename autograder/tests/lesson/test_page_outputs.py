"""Outputs that live in the page of the front end that shows them."""

import pytest
from autograder.lesson.page_outputs import in_page
from autograder.records.javascript_modules import MODULE_MIME

CODE = "export default { render() {} };"
STILL = {"text/plain": "a sum", "text/html": "<p>a sum</p>"}


@pytest.fixture
def shown_by(notebook, monkeypatch):
    """The output of a module in the page of a front end, by what that says of the cell."""

    def shown(metadata, name=""):
        monkeypatch.setattr(notebook.shell, "parent_header", {"metadata": metadata}, raising=False)
        return in_page(CODE, {"shows": 1, "chosen": {}}, STILL, name=name)

    return shown


def test_jupyterlab_mounts_a_module_and_others_read_what_stands_beside_it(shown_by):
    output = shown_by({"cellId": "x"}, "sum")
    assert {kind: output[kind] for kind in STILL} == STILL
    assert output[MODULE_MIME]["name"] == "sum"


def test_the_choice_of_an_explorer_belongs_to_what_it_shows(shown_by):
    first, again = (shown_by({"cellId": cell})[MODULE_MIME]["name"] for cell in "xy")
    assert first == again != ""


def test_vs_code_runs_the_module_as_a_script(shown_by):
    output = shown_by({"cellId": "vscode-notebook-cell:/x.ipynb#W0sZmlsZQ=="})
    assert set(output) == set(STILL)
    assert output["text/html"].startswith('<div class="ag-live"><p>a sum</p></div><script>')
    assert "export" not in output["text/html"]


def test_where_nobody_looks_nothing_is_mounted(shown_by):
    assert shown_by({}) == STILL
