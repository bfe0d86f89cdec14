"""The live part's service worker in a real browser: each question of a kernel gets its own answer.

`tests/test_live_site.py` looks at what it keeps, on the whole site.
"""

import pytest

from tools.book.contents import ROOT
from tools.book.site.host import hosted

pytestmark = pytest.mark.browser
SOURCE = ROOT / "tools/book/lite/static/service-worker.js"

WORKER = """async () => {
    const ready = new Promise(done => navigator.serviceWorker.addEventListener('controllerchange', done));
    await navigator.serviceWorker.register('service-worker.js');
    await ready;
}"""
# A tab like JupyterLite's: it answers a question about a file at once, one for the keyboard when somebody types.
TAB = """() => {
    const channel = new BroadcastChannel('/sw-api.v1');
    const answer = response => channel.postMessage({response, browsingContextId: 'tab'});
    window.asked = [];
    window.type = value => answer({header: {msg_type: 'input_reply'}, content: {value}});
    channel.addEventListener('message', ({data}) => {
        if (!data.pathname) return;
        window.asked.push(data.pathname);
        if (data.pathname.endsWith('/api/drive')) answer({content: `file ${data.data.path}`, format: 'text'});
    });
    window.ask = (path, data) => fetch(path, {method: 'POST', body: JSON.stringify({browsingContextId: 'tab', data})})
        .then(response => response.json());
}"""


@pytest.fixture
def tab(browser, tmp_path):
    """A page that the service worker serves, and that has the reader's files and keyboard."""
    (tmp_path / "index.html").write_text("<title>a tab</title>")
    (tmp_path / "service-worker.js").write_bytes(SOURCE.read_bytes())
    with hosted(tmp_path) as address:
        page = browser.new_page()
        page.goto(address)
        page.evaluate(WORKER)
        page.evaluate(TAB)
        yield page
        page.close()


def test_what_is_typed_and_what_is_read_at_the_same_time_are_not_exchanged(tab):
    """One notebook waits at `input()` while another of the same tab reads files."""
    tab.evaluate("() => { window.typed = window.ask('api/stdin/kernel', {}); }")
    tab.wait_for_function("window.asked.length === 1")
    files = tab.evaluate("() => Promise.all([1, 2, 3].map(path => window.ask('api/drive', {path})))")
    assert [file["content"] for file in files] == ["file 1", "file 2", "file 3"]
    tab.evaluate("() => { window.file = window.ask('api/drive', {path: 4}); window.type('a name'); }")
    assert tab.evaluate("window.typed")["content"] == {"value": "a name"}
    assert tab.evaluate("window.file")["content"] == "file 4"
