"""ES modules as one text, and what they say."""

from __future__ import annotations

import pytest
from autograder.records.javascript_modules import bundled, translatable_texts


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "lesson").mkdir()
    (tmp_path / "base.js").write_text("export const two = 2;\n")
    (tmp_path / "sums.js").write_text('import { two } from "./base.js";\nexport const four = two + two;\n')
    (tmp_path / "lesson" / "page.js").write_text(
        'import {\n  two,\n} from "../base.js";\nimport { four } from "../sums.js";\n'
        "export default four * two;\n"
    )
    return tmp_path


def test_a_module_comes_with_what_it_imports_once_and_in_order(folder):
    assert bundled(folder / "lesson" / "page.js").split("\n") == [
        *("export const two = 2;", "", "export const four = two + two;", "", "export default four * two;", "")
    ]


def test_a_module_that_is_not_there_is_an_error(folder):
    (folder / "base.js").write_text('import { one } from "./none.js";\n')
    with pytest.raises(FileNotFoundError, match=r"none\.js"):
        bundled(folder / "base.js")


def test_what_a_module_says_is_found_with_its_quotes():
    text = (
        'const label = _("Head");\nconst all = [N_("a \\"word\\""), _(\n  "Head",\n)];\nconst __ = no_("x");'
    )
    assert translatable_texts(text) == ["Head", 'a "word"']
