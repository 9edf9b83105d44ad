"""One of the sessions of `benchmarks/sessions.py`: three days with a notebook in JupyterLab."""

import pytest

from benchmarks import sessions
from benchmarks.sessions import Session, lived
from tests.browser.servers import jupyterlab

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    with jupyterlab(tmp_path_factory.mktemp("sessions")) as (address, folder):
        yield address, folder


def test_no_card_speaks_of_code_that_is_not_there_and_no_output_dies(browser, desk):
    session = lived(browser, *desk, seed=1)
    assert session.cards > 0
    assert session.troubles == []


def test_a_card_about_other_code_and_what_is_broken_would_be_found(browser, tmp_path, monkeypatch):
    monkeypatch.setattr(sessions, "PATIENCE", 0.5)
    session = Session(browser, "", tmp_path, 0)
    task, session.done = session.tasks[0], ["check"]
    session.page = browser.new_page()
    session.page.set_content(
        "<div class='ag ag-ok'>1 of 10 · next: Softmax</div>"
        "<div class='jp-Cell'><img src='data:image/png;base64,AA'></div>"
        "<div class='jp-OutputArea-output'>Error displaying widget: model not found</div>"
    )
    card = session.page.locator(".ag")
    task.ran = task.typed = task.forms["right"].code
    session._expect("other code", task, card, *task.expected())
    assert session.troubles == []
    task.typed = task.forms["wrong"].code
    session._expect("other code", task, card, *task.expected())
    task.ran = None
    session._expect("other code", task, card, *task.expected())
    assert [kind for kind, _ in session.troubles] == ["other code", "other code"]
    assert len(session.page.evaluate(sessions.ALL_BROKEN)) == 2
    session.page.close()
